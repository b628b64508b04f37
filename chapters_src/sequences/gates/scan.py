"""A recurrence that is linear in its state: step by step, or all steps in a few rounds."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from chapters_src.core.contract import checked
from chapters_src.core.shapes import Float, Tensor

__all__ = ["linear_recurrence", "parallel_scan"]


@checked
def linear_recurrence(f: Float[Tensor, "B t m"], g: Float[Tensor, "B t m"]) -> Float[Tensor, "B t m"]:
    """Each state from the one before, from c₀ = 0.

    cₜ = fₜ ⊙ cₜ₋₁ + gₜ                                                     {eq}`eq-gates-linear`
    """
    c, states = torch.zeros_like(f[:, 0]), []
    for t in range(f.shape[1]):
        c = f[:, t] * c + g[:, t]
        states.append(c)
    return torch.stack(states, dim=1)


@checked
def parallel_scan(f: Float[Tensor, "B t m"], g: Float[Tensor, "B t m"]) -> Float[Tensor, "B t m"]:
    """The states of `linear_recurrence` in ⌈log₂ t⌉ rounds, in each of which all steps go at once.

    (f′, g′) after (f, g) is (f′f, f′g + g′)                                {eq}`eq-gates-combine`

    Before a round each pair says what ``reach`` steps do together; it is combined with the pair of the
    ``reach`` steps before.
    """
    reach = 1
    while reach < f.shape[1]:
        f_before = F.pad(f[:, :-reach], (0, 0, reach, 0), value=1.0)
        g_before = F.pad(g[:, :-reach], (0, 0, reach, 0), value=0.0)
        f, g = f * f_before, f * g_before + g
        reach *= 2
    return g
