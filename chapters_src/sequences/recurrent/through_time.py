"""Back-propagation through time, and how much of it arrives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked
from chapters_src.core.readers import Ask, above, one_of
from chapters_src.core.shapes import Float, ndarray
from chapters_src.networks.activations import ACTIVATIONS
from chapters_src.sequences.recurrent.unrolling import States

__all__ = ["Gradients", "backward_through_time", "chain_terms", "clip_by_norm", "reach"]


class Gradients(NamedTuple):
    """What the weights of all time steps together get, and what arrives at the first state."""

    W0: Float[ndarray, "d m"]
    W1: Float[ndarray, "m m"]
    b: Float[ndarray, "m"]
    h0: Float[ndarray, "n m"]


def of_these_inputs(ask: Ask, value: States) -> States:
    """States that come from as many steps, sequences and units as the other arguments have."""
    T, n, m = ask.arguments["G"].shape if "G" in ask.arguments else value.a.shape
    width = len(ask.arguments["W1"])
    ask.require(
        value.a.shape == (T, n, width) and value.h.shape == (T + 1, n, width) and m == width,
        "come from unroll with these inputs and weights",
        f"{len(value.a)} steps of shape {value.a.shape[1:]}",
    )
    return value


@checked(states=of_these_inputs)
def backward_through_time(
    G: Float[ndarray, "T n m"],
    X: Float[ndarray, "T n d"],
    W1: Float[ndarray, "m m"],
    states: States,
    keep: Float[ndarray, "T"] | None = None,
) -> Gradients:
    """The gradients of all shared weights, from G_t = ∂L/∂h_t what L sees of h_t directly.

    Δ_t = (G_t + ξ_{t+1} Δ_{t+1} W₁ᵀ) ⊙ φ′(a_t),  t = T, …, 1       {eq}`eq-recurrent-adjoint`
    ∇W₀ = Σ_t x_tᵀΔ_t,  ∇W₁ = Σ_t h_{t−1}ᵀΔ_t,  ∇b = Σ_t Δ_tᵀ1       {eq}`eq-recurrent-gradients`

    ``keep`` holds ξ₁ … ξ_T, the factor on what goes back over each step: all 1 unless given, 0 where the way
    back is cut.
    """
    a, h, phi = states
    slope, xi = bare(ACTIVATIONS[phi].derivative)(a), np.ones(len(a)) if keep is None else keep
    delta, back = np.empty_like(a), np.zeros_like(a[0])
    for t in range(len(a) - 1, -1, -1):
        delta[t] = (G[t] + back) * slope[t]
        back = xi[t] * (delta[t] @ W1.T)  # (n, m) @ (m, m)
    over_time = lambda left: np.tensordot(left, delta, axes=([0, 1], [0, 1]))  # noqa: E731, Σ_t left_tᵀ Δ_t
    return Gradients(over_time(X), over_time(h[:-1]), delta.sum(axis=(0, 1)), back)


@checked(phi=one_of(ACTIVATIONS))
def chain_terms(
    a: Float[ndarray, "T"], h: Float[ndarray, "T"], w1: float, phi: str = "sigmoid"
) -> Float[ndarray, "T"]:
    """The share of each time step j in ∂h_T/∂w₁ for a network of one unit; ``h`` holds h₀ … h_{T−1}.

    (∏_{i=j}^T φ′(a_i)) w₁^{T−j} h_{j−1},  j = 1, …, T             {eq}`eq-recurrent-closed-form`
    """
    slopes = bare(ACTIVATIONS[phi].derivative)(a)
    from_j_on = np.cumprod(slopes[::-1])[::-1]
    return from_j_on * w1 ** np.arange(len(a) - 1, -1, -1) * h


@checked(states=of_these_inputs)
def reach(states: States, W1: Float[ndarray, "m m"]) -> Float[ndarray, "_ n"]:
    """How much of a change in h_j is left at the end: the largest singular value of ∂h_T/∂h_j, j = 0, …, T.

    ∂h_T/∂h_j = ∏_{t=j+1}^T W₁ diag φ′(a_t), rows for h_j         {eq}`eq-recurrent-reach`
    """
    slope = bare(ACTIVATIONS[states.phi].derivative)(states.a)
    T, n, m = slope.shape
    J = np.broadcast_to(np.eye(m), (n, m, m))
    norms = [np.ones(n)]
    for t in range(T - 1, -1, -1):
        J = (W1 * slope[t][:, None, :]) @ J  # columns of W₁ weighted by φ′, then what comes after
        norms.append(np.linalg.norm(J, 2, axis=(1, 2)))
    return np.array(norms[::-1])


@checked(longest=above(0))
def clip_by_norm(g: Float[ndarray, "*shape"], longest: float) -> Float[ndarray, "*shape"]:
    """The gradient itself if it is short enough, else the vector of length ``longest`` in its direction.

    g · min(1, g_max/‖g‖)                                     {eq}`eq-recurrent-clipping`
    """
    length = float(np.linalg.norm(g))
    return g if length <= longest else g * (longest / length)
