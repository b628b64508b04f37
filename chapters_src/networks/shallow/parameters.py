"""The parameters of a network: layers that fit one another, and all their numbers in one vector."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.modules import layers_of
from chapters_src.core.readers import Ask, counts, numeric_array, own_precision
from chapters_src.core.shapes import Float, ndarray

__all__ = [
    "Layer",
    "Layers",
    "fits_layers",
    "fitting_layers",
    "flat",
    "layer_widths",
    "layers_from",
    "parameter_count",
]

layer_widths = counts("list the inputs, the hidden widths and the outputs", least=2)


class Layer(NamedTuple):
    """A weight matrix and a bias, one column and one entry per unit; used as ``X @ W + b``."""

    W: Float[ndarray, "_inputs _units"]
    b: Float[ndarray, "_units"]


Layers = Sequence[Layer]  # plain pairs (W, b) are read too


def fitting_layers(ask: Ask, value: Any) -> list[Layer]:
    """Read a list of pairs (W, b), float32 or float64, whose shapes fit, or say where they do not."""
    ask.require(isinstance(value, (list, tuple)) and value, "be a list of pairs (W, b)", _kind(value))
    layers: list[Layer] = []
    for k, pair in enumerate(value):
        ask.require(
            isinstance(pair, (list, tuple)) and len(pair) == 2,
            "be a list of pairs (W, b)",
            f"{_kind(pair)} at place {k}",
        )
        here = f"{ask.name}[{k}]"
        W, b = _floats(f"{here}.W", pair[0]), _floats(f"{here}.b", pair[1])
        require(W.ndim == 2, f"{here}.W", "have two axes, shape (inputs, units)", f"shape {W.shape}")
        if layers and len(W) != len(layers[-1].b):
            rule = f"have shape ({len(layers[-1].b)}, units), one row per unit of layer {k - 1}"
            refuse(f"{here}.W", rule, W.shape)
        require(
            b.shape == W.shape[1:], f"{here}.b", f"have shape ({W.shape[1]},), one per column of W", b.shape
        )
        layers.append(Layer(W, b))
    kinds = {str(part.dtype) for layer in layers for part in layer}
    ask.require(len(kinds) <= 1, "be of one precision", " and ".join(sorted(kinds)))
    return layers


def fits_layers(ask: Ask, X: Float[ndarray, "n d"]) -> Float[ndarray, "n d"]:
    """Insist on one column per input of the layers, which are an argument too; X gets their precision."""
    W = ask.arguments["layers"][0].W
    ask.require(X.shape[1] == len(W), f"have shape (n, {len(W)}), one column per row of the first W", X.shape)
    return X.astype(W.dtype, copy=False)


def _kind(value: object) -> str:
    return "an empty list" if isinstance(value, (list, tuple)) and not value else f"a {type(value).__name__}"


def _floats(name: str, value: Any) -> Float[ndarray, "*shape"]:
    return numeric_array(Ask(name, in_own_precision=[name]), value)


@checked(widths=layer_widths)
def parameter_count(widths: Sequence[int]) -> int:
    """How many numbers a network with these widths (inputs, hidden layers, outputs) has to learn.

    Σⱼ dⱼ(dⱼ₋₁ + 1), which is m(d + 1) + K(m + 1) with one hidden layer of m   {eq}`eq-shallow-network`
    """
    return sum(after * (before + 1) for before, after in pairwise(widths))


@checked(layers=fitting_layers)
def flat(layers: Layers) -> Float[ndarray, "p"]:
    """All parameters, or all gradients, in one vector θ: W row by row and b, of each layer in turn."""
    return np.concatenate([part.ravel() for layer in layers for part in layer])


@checked(theta=own_precision, widths=layer_widths)
def layers_from(theta: Float[ndarray, "p"], widths: Sequence[int]) -> list[Layer]:
    """The layers whose parameters are θ; undoes `flat`. They are views: who changes θ changes them."""
    expected = parameter_count(widths)
    require(theta.shape == (expected,), "theta", f"have shape ({expected},), one per parameter", theta.shape)
    return [Layer(*pair) for pair in layers_of(theta, widths)]
