"""A softmax classifier with or without hidden layers, its parameters in one vector θ for any optimiser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.device import Device
from chapters_src.core.modules import layers_of
from chapters_src.core.readers import Ask, at_least, whole
from chapters_src.core.shapes import Float, Int, Tensor, ndarray

__all__ = ["classifier_accuracy", "classifier_loss", "logits", "objective", "start", "widths"]


def widths(ask: Ask, sizes: Any) -> tuple[int, ...]:
    """Read the widths of two layers or more."""
    ask.require(
        not isinstance(sizes, str) and isinstance(sizes, Sequence) and len(sizes) >= 2,
        "be the widths of two layers or more, input first",
        repr(sizes)[:40],
    )
    return tuple(whole(ask, size, at_least(1)) for size in sizes)


@checked(sizes=widths)
def start(sizes: Sequence[int], rng: np.random.Generator) -> Float[ndarray, "p"]:
    """A θ to start from: weights of variance 1/inputs, biases 0.

    (64, 10) is softmax regression from 64 features; (64, 32, 10) has a hidden layer of 32.
    """
    layers = pairwise(sizes)
    return np.concatenate(
        [np.append(rng.standard_normal(a * b) / np.sqrt(a), np.zeros(b)) for a, b in layers]
    )


@checked(sizes=widths)
def logits(theta: Float[Tensor, "p"], X: Float[Tensor, "n d"], sizes: Sequence[int]) -> Float[Tensor, "n K"]:
    """tanh layers and a last linear one, a ← hW + b and h ← tanh a; θ holds W and b of each layer in turn."""
    expected = sum((a + 1) * b for a, b in pairwise(sizes))
    require(
        tuple(theta.shape) == (expected,),
        "theta",
        f"have shape ({expected},) for layers {sizes}",
        tuple(theta.shape),
    )
    if X.shape[1] != sizes[0]:
        refuse("X", f"have shape (n, {sizes[0]})", tuple(X.shape))
    h = X
    for layer, (W, b) in enumerate(layers_of(theta, sizes)):
        h = (torch.tanh(h) if layer else h) @ W + b  # (n, inputs) @ (inputs, units) -> (n, units)
    return h


@checked(sizes=widths)
def classifier_loss(
    theta: Float[Tensor, "p"], X: Float[Tensor, "n d"], y: Int[Tensor, "n"], sizes: Sequence[int]
) -> Float[Tensor, ""]:
    """The mean over examples of −log softmax(logits)_y, in nats."""
    return torch.nn.functional.cross_entropy(logits(theta, X, sizes), y)


def _tensors(
    X: Float[ndarray, "n d"], y: Int[ndarray, "n"], sizes: Sequence[int], place: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    if X.shape[1] != sizes[0]:
        refuse("X", f"have shape (n, {sizes[0]}), one per input", X.shape)
    if not ((y >= 0) & (y < sizes[-1])).all():
        refuse("y", f"hold classes from 0 to {sizes[-1] - 1}", "others")
    # mps knows no float64; everywhere else the book computes in it.
    dtype = torch.float32 if place.type == "mps" else torch.float64
    return torch.tensor(X, dtype=dtype, device=place), torch.tensor(y, dtype=torch.long, device=place)


@checked(sizes=widths)
def objective(
    X: Float[ndarray, "n d"], y: Int[ndarray, "n"], sizes: Sequence[int], device: Device = None
) -> Callable[[Any, Any], tuple[float, Any]]:
    """A function of (θ, rows) that gives cross-entropy and gradient there. The data move to `device` once."""
    X_t, y_t = _tensors(X, y, sizes, torch.device(device or "cpu"))

    def loss_and_gradient(theta: Any, rows: Any) -> tuple[float, Any]:
        point = torch.tensor(theta, dtype=X_t.dtype, device=X_t.device, requires_grad=True)
        chosen = torch.as_tensor(rows, device=X_t.device)
        loss = classifier_loss(point, X_t[chosen], y_t[chosen], sizes)
        (gradient,) = torch.autograd.grad(loss, point)
        return loss.item(), gradient.cpu().numpy().astype(np.float64)

    return loss_and_gradient


@checked(sizes=widths)
def classifier_accuracy(
    theta: Float[ndarray, "p"],
    X: Float[ndarray, "n d"],
    y: Int[ndarray, "n"],
    sizes: Sequence[int],
    device: Device = None,
) -> float:
    """The share of examples whose largest logit is at their class."""
    X_t, y_t = _tensors(X, y, sizes, torch.device(device or "cpu"))
    point = torch.tensor(theta, dtype=X_t.dtype, device=X_t.device)
    guesses = logits(point, X_t, sizes).argmax(dim=1)
    return int((guesses == y_t).sum().item()) / len(y_t)
