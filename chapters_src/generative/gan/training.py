"""Training by turns: the discriminator a few steps, the generator a few steps, and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from chapters_src.core import progress as bars
from chapters_src.core.contract import checked
from chapters_src.core.readers import Limits, above, at_least, one_of
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.generative.autoencoder import of_model
from chapters_src.generative.gan.network import GAN, between_penalty, real_penalty

__all__ = ["Game", "critic_loss", "fit_gan", "game", "generator_loss"]

softplus = nn.functional.softplus
LOSSES = ("saturating", "non-saturating", "wasserstein")
PENALTIES = ("none", "between", "real")


class Game(NamedTuple):
    """The rules: the loss, the penalty on D with its weight, and how many steps each takes in a round."""

    loss: str
    penalty: str
    weight: float
    steps_D: int
    steps_G: int


@checked(
    loss=one_of(LOSSES),
    penalty=one_of(PENALTIES),
    weight=at_least(0),
    steps_D=at_least(1),
    steps_G=at_least(1),
)
def game(
    loss: str = "non-saturating",
    penalty: str = "none",
    weight: float = 1.0,
    steps_D: int = 1,
    steps_G: int = 1,
) -> Game:
    """The rules of a game: plain, non-saturating and by turns of one step each unless said otherwise."""
    return Game(loss, penalty, weight, steps_D, steps_G)


@checked(loss=one_of(LOSSES))
def critic_loss(loss: str, real: Float[Tensor, "n"], fake: Float[Tensor, "m"]) -> Float[Tensor, ""]:
    """What D descends, from its logits: −E log σ(s) − E log(1 − σ(ŝ)), or E ŝ − E s as Wasserstein critic."""
    if loss == "wasserstein":
        return fake.mean() - real.mean()
    return softplus(-real).mean() + softplus(fake).mean()  # −log σ(s) = softplus(−s), never log 0


@checked(loss=one_of(LOSSES))
def generator_loss(loss: str, fake: Float[Tensor, "m"]) -> Float[Tensor, ""]:
    """What G descends: E log(1 − σ(ŝ)) (saturating), −E log σ(ŝ) (non-saturating) or −E ŝ.

    {eq}`eq-gan-slopes`
    """
    if loss == "wasserstein":
        return -fake.mean()
    return softplus(-fake).mean() if loss == "non-saturating" else -softplus(fake).mean()


@checked(
    X=of_model,
    rounds=at_least(1),
    batch_size=at_least(1),
    learning_rate=above(0),
    momentum=Limits(at_least=0, below=1),
)
def fit_gan(
    model: GAN,
    X: Float[Tensor, "n {model.d}"],
    rounds: int,
    rules: Game,
    *,
    generator: torch.Generator,
    batch_size: int = 128,
    learning_rate: float = 3e-3,
    momentum: float = 0.5,
    after: Callable[[int], Any] | None = None,
    progress: bool | None = None,
) -> Float[ndarray, "rounds 2"]:
    """Let D and G play in place, both with Adam; return the last loss of each (D, G) in every round.

    ``momentum`` is Adam's first decay rate; the second is 0.9. ``after`` is given the number of the round.
    """
    betas = (momentum, 0.9)
    adam_D = torch.optim.Adam(model.D.parameters(), lr=learning_rate, betas=betas)
    adam_G = torch.optim.Adam(model.G.parameters(), lr=learning_rate, betas=betas)
    losses = []
    for played in bars.bar(range(1, rounds + 1), "playing", show=progress):
        for _ in range(rules.steps_D):
            real = X[torch.randint(len(X), (batch_size,), generator=generator).to(X.device)]
            fake = model.draw(batch_size, generator).detach()
            loss_D = critic_loss(rules.loss, model.D(real)[:, 0], model.D(fake)[:, 0])
            if rules.penalty == "between":
                loss_D = loss_D + rules.weight * between_penalty(model.D, real, fake, generator)
            elif rules.penalty == "real":
                loss_D = loss_D + rules.weight * real_penalty(model.D, real)
            adam_D.zero_grad()
            loss_D.backward()
            adam_D.step()
        for _ in range(rules.steps_G):
            loss_G = generator_loss(rules.loss, model.D(model.draw(batch_size, generator))[:, 0])
            adam_G.zero_grad()
            loss_G.backward()
            adam_G.step()
        losses.append(torch.stack([loss_D.detach(), loss_G.detach()]))
        if after is not None:
            after(played)
    return np.asarray(torch.stack(losses).cpu().double().numpy())
