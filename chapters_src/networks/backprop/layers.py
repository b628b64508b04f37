"""The weights that training starts from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask
from chapters_src.networks.shallow import Layer, layer_widths

__all__ = ["WEIGHT_VARIANCES", "initialise", "weight_rule"]

WEIGHT_VARIANCES = {  # the variance of a weight, from the number of inputs and outputs of its layer
    "he": lambda inputs, outputs: 2 / inputs,
    "glorot": lambda inputs, outputs: 2 / (inputs + outputs),
    "lecun": lambda inputs, outputs: 1 / inputs,
}


def weight_rule(ask: Ask, rule: Any) -> Any:
    """Read the name of a rule, or the gain c of the rule c/d_in."""
    ask.require(
        not isinstance(rule, str) or rule in WEIGHT_VARIANCES,
        f"be a number or one of {', '.join(WEIGHT_VARIANCES)}",
        repr(rule),
    )
    ask.require(isinstance(rule, str) or rule >= 0, "be at least 0", rule)
    return rule


@checked(widths=layer_widths, rule=weight_rule)
def initialise(
    widths: Sequence[int], rng: np.random.Generator, rule: str | float = "he", dtype: Any = np.float64
) -> list[Layer]:
    """Weights drawn from a Gaussian, biases 0; ``widths`` are those of the layers, input first.

    W ~ N(0, v),  v = 2/d_in ("he"), 2/(d_in + d_out) ("glorot"), 1/d_in ("lecun")   {eq}`eq-backprop-start`

    A number c in place of a rule means v = c/d_in.
    """
    require(dtype in (np.float32, np.float64), "dtype", "be float32 or float64", repr(dtype)[:40])
    gain = rule if not isinstance(rule, str) else 0.0
    variance = WEIGHT_VARIANCES[rule] if isinstance(rule, str) else lambda inputs, outputs: gain / inputs
    return [
        Layer((variance(a, b) ** 0.5 * rng.standard_normal((a, b))).astype(dtype), np.zeros(b, dtype))
        for a, b in pairwise(widths)
    ]
