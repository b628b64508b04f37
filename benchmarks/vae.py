"""Training a VAE with `fit_vae` beside a plain torch loop that takes its bound from torch.distributions."""

from __future__ import annotations

import torch
from torch.distributions import Bernoulli, Normal, kl_divergence

from benchmarks._timing import Row, against
from chapters_src import data
from chapters_src.core import device
from chapters_src.generative.vae import VAE, fit_vae

TITLE = "Two epochs of a VAE (784–128–128–2 and back) on 4,000 digits in batches of 128, one thread"


def rows(epochs: int = 2) -> list[Row]:
    """Return the comparison; both have to reach about the same bound."""
    X = torch.tensor(data.mnist().X[::5].repeat(4, axis=0), dtype=torch.float32)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # layers this small gain nothing from a second one
    bounds: dict[str, float] = {}

    def ours() -> None:
        model = VAE(784, 2, (128, 128), average=X.mean(0), generator=device.seed(0))
        bounds["ours"] = float(fit_vae(model, X, epochs, generator=device.seed(1), learning_rate=2e-3)[-1])

    def theirs() -> None:
        g = device.seed(1)
        model = VAE(784, 2, (128, 128), average=X.mean(0), generator=device.seed(0))
        optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
        prior = Normal(torch.zeros(2), torch.ones(2))
        for _ in range(epochs):
            total = 0.0
            for rows in torch.randperm(len(X), generator=g).split(128):
                x = torch.bernoulli(X[rows], generator=g)
                mean, log_variance = model.encoder(x).chunk(2, dim=1)
                q = Normal(mean, (0.5 * log_variance).exp())
                z = q.mean + q.stddev * torch.randn(mean.shape, generator=g)
                logs = Bernoulli(logits=model.decoder(z)).log_prob(x).sum(1)
                bound = (logs - kl_divergence(q, prior).sum(1)).mean()
                optimiser.zero_grad()
                (-bound).backward()
                optimiser.step()
                total += bound.item() * len(rows) / len(X)
            bounds["theirs"] = total

    try:
        found = against(ours, {"a plain torch loop": theirs}, repeats=7)
    finally:
        torch.set_num_threads(threads)
    if abs(bounds["ours"] - bounds["theirs"]) > 10:
        raise AssertionError(f"ours reached {bounds['ours']}, theirs {bounds['theirs']}")
    return found
