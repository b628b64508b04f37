"""What a chain is worth: how far it remembers, and whether several of them tell the same story."""

from __future__ import annotations

import numpy as np

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.shapes import Float, ndarray

__all__ = ["autocorrelation", "effective_sample_size", "split_r_hat"]


@checked
def autocorrelation(x: Float[ndarray, "n"]) -> Float[ndarray, "n"]:
    """How much a series resembles itself k steps later, for k = 0, 1, …

    ρₖ = Σₜ (xₜ − x̄)(xₜ₊ₖ − x̄) / Σₜ (xₜ − x̄)²

    By a Fourier transform, n log n instead of n².
    """
    if not np.ptp(x) > 0:  # off @ off would not do: the mean of equal numbers may be rounded
        refuse("x", "vary", f"{x[0]:g} throughout")
    off = (x - x.mean()) / np.ptp(x)  # ρ has no unit, and large numbers have squares that overflow
    n = len(x)
    spectrum = np.fft.rfft(off, 2 * n)  # padded, so that the end does not wrap round to the beginning
    products = np.fft.irfft(np.abs(spectrum) ** 2, 2 * n)[:n]
    return products / products[0]


@checked
def effective_sample_size(x: Float[ndarray, "n"]) -> float:
    """How many independent draws a correlated series is worth, for its mean.

    n_eff = n / (1 + 2Σₖ ρₖ)

    The sum stops where a pair ρ₂ⱼ + ρ₂ⱼ₊₁ is no longer positive, and no pair counts more than the one before:
    the pairs of a reversible chain are positive and fall, so the rest is noise.
    """
    require(len(x) >= 4, "x", "have at least 4 entries", len(x))
    rho = autocorrelation(x)
    pairs = rho[: len(rho) // 2 * 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0)
    kept = np.minimum.accumulate(pairs[: ends[0] if len(ends) else len(pairs)])
    return float(len(x) / max(2 * kept.sum() - 1, 1 / len(x)))


@checked
def split_r_hat(chains: Float[ndarray, "t m"]) -> float:
    """How much wider all chains are together than each half of one is alone; 1 if they agree.

    R̂ = √((V(l−1)/l + B) / V),  {eq}`eq-variational-r-hat`

    with l the length of half a chain, V the mean variance inside the halves and B the variance of their
    means. Halves, because a chain that drifts disagrees with itself.
    """
    half = len(chains) // 2
    require(half >= 2, "chains", "have at least 4 steps", len(chains))
    halves = np.concatenate([chains[:half], chains[half : 2 * half]], axis=1)
    within = float(halves.var(axis=0, ddof=1).mean())
    between = float(halves.mean(axis=0).var(ddof=1))
    if not within > 0:
        refuse("chains", "vary", "halves that never moved")
    return float(np.sqrt((within * (half - 1) / half + between) / within))
