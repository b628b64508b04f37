"""The weights and biases of a network: how they are drawn, read, and laid out in one vector."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from chapters_src.core import checks
from chapters_src.core.shapes import Float, ndarray

__all__ = ["RULES", "Layer", "flatten", "initialise", "multiplications", "unflatten"]

Layer = tuple[Float[ndarray, "_ _"], Float[ndarray, "_"]]  # W of shape (d_in, d_out), and b

RULES = {  # the variance of a weight, from the number of inputs and outputs of its layer
    "he": lambda inputs, outputs: 2 / inputs,
    "glorot": lambda inputs, outputs: 2 / (inputs + outputs),
    "lecun": lambda inputs, outputs: 1 / inputs,
}


def initialise(
    sizes: Sequence[int],
    rng: np.random.Generator,
    rule: str | float = "he",
    dtype: Any = np.float64,
) -> list[Layer]:
    """Weights drawn from a Gaussian, biases 0; ``sizes`` are the widths, input first.

    W ~ N(0, v),  v = 2/d_in ("he"), 2/(d_in + d_out) ("glorot"), 1/d_in ("lecun")   {eq}`eq-backprop-start`

    A number c in place of a rule means v = c/d_in.
    """
    sizes = widths("initialise", sizes)
    rng = checks.generator("initialise", "rng", rng)
    if isinstance(rule, str):
        if rule not in RULES:
            checks.fail("initialise", "rule", f"be a number or one of {', '.join(RULES)}", repr(rule))
        variance = RULES[rule]
    else:
        gain = checks.number("initialise", "rule", rule, at_least=0)
        variance = lambda inputs, outputs: gain / inputs  # noqa: E731
    if dtype not in (np.float32, np.float64):
        checks.fail("initialise", "dtype", "be float32 or float64", repr(dtype)[:40])
    return [
        ((variance(a, b) ** 0.5 * rng.standard_normal((a, b))).astype(dtype), np.zeros(b, dtype))
        for a, b in pairwise(sizes)
    ]


def flatten(layers: Sequence[Layer]) -> Float[ndarray, "p"]:
    """All parameters, or all gradients, in one vector: W and b of each layer in turn."""
    return np.concatenate([part.ravel() for layer in pairs("flatten", layers) for part in layer])


def unflatten(theta: Float[ndarray, "p"], sizes: Sequence[int]) -> list[Layer]:
    """The layers in a vector, as views: whoever changes the vector changes them."""
    sizes = widths("unflatten", sizes)
    theta = floats("unflatten", "theta", theta)
    expected = sum((a + 1) * b for a, b in pairwise(sizes))
    if theta.shape != (expected,):
        checks.fail("unflatten", "theta", f"have shape ({expected},) for sizes {sizes}", theta.shape)
    layers, at = [], 0
    for a, b in pairwise(sizes):
        end = at + a * b
        layers.append((theta[at:end].reshape(a, b), theta[end : end + b]))
        at = end + b
    return layers


def multiplications(sizes: Sequence[int], n: int) -> tuple[int, int]:
    """How many numbers are multiplied in the matrix products of a forward and of a backward pass.

    n Σ_l d_{l−1}d_l  and  n (2Σ_l d_{l−1}d_l − d₀d₁)                {eq}`eq-backprop-cost`
    """
    sizes = widths("multiplications", sizes)
    n = checks.integer("multiplications", "n", n, at_least=1)
    once = sum(a * b for a, b in pairwise(sizes))
    return n * once, n * (2 * once - sizes[0] * sizes[1])


def finite(array: Float[ndarray, "*shape"]) -> bool:
    """Whether all entries are finite; a finite sum of squares proves it in one quick pass."""
    flat = array.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(np.dot(flat, flat))) or bool(np.isfinite(flat).all())


def floats(function: str, name: str, value: Any, look: bool = True) -> Float[ndarray, "*shape"]:
    """`checks.array`, except that float32 stays float32, and that without ``look`` NaN passes."""
    quick = type(value) is ndarray and value.dtype in (np.float32, np.float64) and value.size > 0
    if quick and (not look or finite(value)):
        return value
    checked = checks.array(function, name, value)
    return checked.astype(np.float32) if getattr(value, "dtype", None) == np.float32 else checked


def known(function: str, name: str, value: Any, table: Any) -> None:
    """Insist on a name that is in a table."""
    if not isinstance(value, str) or value not in table:
        checks.fail(function, name, f"be one of {', '.join(table)}", repr(value)[:40])


def widths(function: str, sizes: Sequence[int]) -> tuple[int, ...]:
    """The widths of the layers, input first."""
    if isinstance(sizes, str) or not isinstance(sizes, Sequence) or len(sizes) < 2:
        checks.fail(function, "sizes", "be the widths of two layers or more, input first", repr(sizes)[:40])
    return tuple(checks.integer(function, "sizes", size, at_least=1) for size in sizes)


def pairs(function: str, layers: Sequence[Layer]) -> list[Layer]:
    """The layers as pairs (W, b) of one precision that fit one another; NaN passes, see `look_at`."""
    rule = "be a list of pairs (W, b)"
    if not isinstance(layers, (list, tuple)) or not layers:
        checks.fail(function, "layers", rule, outline(layers))
    if not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in layers):
        checks.fail(function, "layers", rule, outline(layers))
    found = [(floats(function, "W", W, look=False), floats(function, "b", b, look=False)) for W, b in layers]
    inputs = None
    for l, (W, b) in enumerate(found, 1):
        if W.ndim != 2 or inputs not in (None, len(W)):
            first = "d_in" if inputs is None else inputs
            checks.fail(function, "W", f"have shape ({first}, d_out) in layer {l}", W.shape)
        inputs = W.shape[1]
        if b.shape != (inputs,):
            checks.fail(function, "b", f"have shape ({inputs},) in layer {l}, one per column of W", b.shape)
        if {W.dtype, b.dtype} != {found[0][0].dtype}:
            checks.fail(function, "layers", "be of one precision", f"{W.dtype} and {b.dtype} in layer {l}")
    return found


def look_at(function: str, layers: Sequence[Layer]) -> None:
    """Raise if a weight or a bias is not finite."""
    for W, b in layers:
        floats(function, "W", W)
        floats(function, "b", b)


def outline(value: Any) -> str:
    """A value in a few words."""
    return f"a {type(value).__name__}" + (f" of {len(value)}" if isinstance(value, (list, tuple)) else "")
