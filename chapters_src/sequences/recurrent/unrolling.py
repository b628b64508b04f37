"""One step of a recurrent network, and the same step over and over along a sequence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.activations import ACTIVATIONS

__all__ = ["States", "recurrent_step", "unroll"]


class States(NamedTuple):
    """All pre-activations a₁ … a_T and all states h₀, h₁ … h_T of n sequences, and the name of φ.

    Time comes first: ``a[t]`` was made from ``h[t]``, and ``h[t + 1]`` is φ of it.
    """

    a: Float[ndarray, "T n m"]
    h: Float[ndarray, "_ n m"]
    phi: str


@checked(phi=one_of(ACTIVATIONS))
def recurrent_step(
    x: Float[ndarray, "n d"],
    h: Float[ndarray, "n m"],
    W0: Float[ndarray, "d m"],
    W1: Float[ndarray, "m m"],
    b: Float[ndarray, "m"],
    phi: str = "tanh",
) -> Float[ndarray, "n m"]:
    """The next state from the input and the state before it, for n sequences at once.

    h_t = φ(x_t W₀ + h_{t−1} W₁ + b)                          {eq}`eq-recurrent-step`
    """
    return bare(ACTIVATIONS[phi].value)(x @ W0 + h @ W1 + b)


@checked(phi=one_of(ACTIVATIONS))
def unroll(
    X: Float[ndarray, "T n d"],
    W0: Float[ndarray, "d m"],
    W1: Float[ndarray, "m m"],
    b: Float[ndarray, "m"],
    h0: Float[ndarray, "n m"] | None = None,
    phi: str = "tanh",
) -> States:
    """`recurrent_step` from the first input to the last, from state h₀ (0 unless given); all is kept.

    The inputs are multiplied by W₀ in one go, because they do not wait for one another; the states do.
    """
    activate, u = bare(ACTIVATIONS[phi].value), X @ W0 + b  # (T, n, d) @ (d, m) + (m,) -> (T, n, m)
    a, h = np.empty_like(u), np.zeros((len(u) + 1, *u.shape[1:]))
    h[0] = 0.0 if h0 is None else h0
    for t in range(len(u)):
        a[t] = u[t] + h[t] @ W1
        h[t + 1] = activate(a[t])
    return States(a, h, phi)
