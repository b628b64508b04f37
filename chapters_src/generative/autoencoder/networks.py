"""Autoencoders: through a few numbers and back. With the network and the training loop that VAEs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn

from chapters_src.core import checks
from chapters_src.core import device as devices
from chapters_src.core.progress import bar
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.optimisation.search.schedules import warm_up_cosine_rate

__all__ = ["Autoencoder", "fit", "fit_autoencoder", "mlp"]

Device = str | torch.device | None


def mlp(widths: Sequence[int], *, generator: torch.Generator, device: Device = None) -> nn.Sequential:
    """Linear layers of these widths, input first, with a ReLU between two of them.

    Weights and biases are uniform on ±1/√inputs and come from ``generator``: nothing global is drawn from.
    """
    if isinstance(widths, str) or not isinstance(widths, Sequence) or len(widths) < 2:
        checks.fail("mlp", "widths", "be two numbers or more, input first", repr(widths)[:40])
    sizes = [checks.integer("mlp", "widths", width, at_least=1) for width in widths]
    torch_generator("mlp", generator)
    place = devices.pick("cpu" if device is None else device)
    layers: list[nn.Module] = []
    for a, b in pairwise(sizes):
        linear: Any = nn.utils.skip_init(nn.Linear, a, b, device=place)
        with torch.no_grad():
            for tensor in (linear.weight, linear.bias):
                tensor.uniform_(-(a**-0.5), a**-0.5, generator=generator)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def torch_generator(function: str, value: Any) -> torch.Generator:
    """Insist on an explicit `torch.Generator`."""
    if not isinstance(value, torch.Generator):
        checks.fail(function, "generator", "be a torch.Generator, as from device.seed(0)", repr(value)[:40])
    return value


def batch(function: str, X: Any, d: int, name: str = "X", unit: str = "input") -> torch.Tensor:
    """Read a tensor of floats with d columns and finite entries; on the meta device there are none to see."""
    if not isinstance(X, torch.Tensor) or not X.is_floating_point():
        kind = str(X.dtype) if isinstance(X, torch.Tensor) else f"a {type(X).__name__}"
        checks.fail(function, name, "be a tensor of floats", kind)
    if X.ndim != 2 or X.shape[1] != d or not len(X):
        checks.fail(function, name, f"have shape (n, {d}), one column per {unit}", tuple(X.shape))
    if X.device.type != "meta" and not bool(torch.isfinite(X).all()):
        checks.fail(function, name, "be finite", "NaN or inf")
    return X


class Autoencoder(nn.Module):
    """An encoder to ``latent`` numbers and a decoder back, both `mlp`s; the hidden widths are mirrored.

    x̂ = g(f(x))                                                  {eq}`eq-vae-autoencoder`

    With ``hidden=()`` both are linear and the best of them spans the principal components.
    """

    def __init__(
        self,
        d: int,
        latent: int,
        hidden: Sequence[int] = (),
        *,
        generator: torch.Generator,
        device: Device = None,
    ) -> None:
        super().__init__()
        self.d = checks.integer("Autoencoder", "d", d, at_least=1)
        self.latent = checks.integer("Autoencoder", "latent", latent, at_least=1)
        widths = [self.d, *hidden, self.latent]
        self.encoder = mlp(widths, generator=generator, device=device)
        self.decoder = mlp(widths[::-1], generator=generator, device=device)

    def encode(self, X: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        """The code of each row."""
        return self.encoder(batch("encode", X, self.d))

    def decode(self, z: Float[Tensor, "n k"]) -> Float[Tensor, "n d"]:
        """What each code stands for."""
        return self.decoder(batch("decode", z, self.latent, "z", "latent dimension"))

    def squared_error(self, X: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
        """‖x − g(f(x))‖² of each row, summed over its pixels."""
        return ((self.decode(self.encode(X)) - X) ** 2).sum(dim=1)


def fit(
    model: nn.Module,
    X: Float[Tensor, "n d"],
    loss: Callable[[Any], Any],
    epochs: int,
    *,
    generator: torch.Generator,
    batch_size: int = 128,
    learning_rate: float = 4e-3,
    progress: bool | None = None,
) -> Float[ndarray, "{epochs}"]:
    """Minimise the mean of ``loss(rows of X)`` with Adam, in place; return that mean for each epoch.

    The rate rises for three tenths of the steps and falls to 0 along a cosine. The loss stays on the device
    and is read once an epoch.
    """
    name = "fit"
    epochs = checks.integer(name, "epochs", epochs, at_least=1)
    size = checks.integer(name, "batch_size", batch_size, at_least=1)
    high = checks.number(name, "learning_rate", learning_rate, above=0)
    torch_generator(name, generator)
    if not isinstance(X, torch.Tensor) or X.ndim < 1 or not len(X):
        got = tuple(X.shape) if isinstance(X, torch.Tensor) else f"a {type(X).__name__}"
        checks.fail(name, "X", "be a tensor with one example a row", got)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.Adam(parameters, lr=high)
    n, t = len(X), 0
    steps = epochs * -(-n // size)
    warm_up = max(3 * steps // 10, 1)
    means = []
    for _ in bar(range(epochs), "training", show=progress):
        total = torch.zeros((), device=X.device)
        for rows in torch.randperm(n, generator=generator, device=X.device).split(size):
            optimiser.param_groups[0]["lr"] = warm_up_cosine_rate(t, high, warm_up, steps + 1)
            value = loss(X[rows]).mean()
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
            total += value.detach() * (len(rows) / n)
            t += 1
        means.append(total.item())
    return np.array(means)


def fit_autoencoder(
    model: Autoencoder, X: Float[Tensor, "n d"], epochs: int, **options: Any
) -> Float[ndarray, "{epochs}"]:
    """Minimise the mean squared error of the reconstructions; see `fit` for the options."""
    if not isinstance(model, Autoencoder):
        checks.fail("fit_autoencoder", "model", "be an Autoencoder", f"a {type(model).__name__}")
    X = batch("fit_autoencoder", X, model.d)
    return fit(
        model,
        X,
        lambda rows: ((model.decoder(model.encoder(rows)) - rows) ** 2).sum(dim=1),
        epochs,
        **options,
    )
