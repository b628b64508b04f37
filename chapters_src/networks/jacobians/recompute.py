"""Checkpointing: forget what happened inside a block, and run it again when its adjoint arrives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from chapters_src.core.contract import bare, checked, refuse
from chapters_src.core.readers import at_least
from chapters_src.networks.autodiff import Node, Tensor, Traced, vjp

__all__ = ["chain", "checkpoint"]


@checked
def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """f, but in reverse mode only its arguments are kept; the rest is computed again on the way back.

    Memory inside the block is paid for only while its own adjoints are pulled. The price is one more forward
    run of f. Everything that f is to be differentiated by has to be an argument of it.
    """

    def forgetful(*args: Any) -> Any:
        tensors = [a for a in args if isinstance(a, Tensor)]
        top = max(tensors, key=lambda t: t.level, default=None)
        if not isinstance(top, Traced):
            return f(*args)  # nothing is recorded, so there is nothing to forget
        where = [i for i, a in enumerate(args) if isinstance(a, Tensor) and a.level == top.level]
        below = [a.value if i in where else a for i, a in enumerate(args)]
        y = f(*below)
        if isinstance(y, Tensor) and y.level >= top.level:
            rule = "be given as arguments of f, as what f closes over would get no adjoint"
            refuse("all tensors", rule, "a tensor from outside")

        def pull(g: Any) -> list[Any]:
            def again(*parts: Any) -> Any:
                now = dict(zip(where, parts, strict=True))
                return f(*(now.get(i, a) for i, a in enumerate(below)))

            return list(bare(vjp)(again, *(below[i] for i in where))[1](g))

        return Traced(y, top.level, Node("checkpoint", tuple(args[i].node for i in where), pull))

    return forgetful


@checked(segment=at_least(1))
def chain(f: Callable[..., Any], h: Any, weights: Sequence[Any], segment: int | None = None) -> Any:
    """Apply f(h, w) for every w in ``weights``, keeping only one activation per ``segment`` layers.

    hᵢ = f(hᵢ₋₁, wᵢ),  i = 1 … K                      {eq}`eq-jacobians-chain`

    With segments of k layers reverse mode holds K/k checkpoints and, one segment at a time, k activations.
    The sum is least at k = √K, which is what is taken if ``segment`` is not given; ``segment=1`` keeps all.
    """
    weights = list(weights)
    if segment is None:
        segment = max(1, round(math.sqrt(len(weights))))

    def run(h: Any, *block: Any) -> Any:
        for w in block:
            h = f(h, w)
        return h

    if segment == 1:
        return run(h, *weights)
    remembered = checkpoint(run)
    for start in range(0, len(weights), segment):
        h = remembered(h, *weights[start : start + segment])
    return h
