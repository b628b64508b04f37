"""Readers of the rows a network is given."""

from __future__ import annotations

from typing import Any

import torch

from chapters_src.core.readers import Ask
from chapters_src.core.tensor_readers import like_weights

__all__ = ["finite", "grey_of_model", "grey_values", "of_model"]


def finite(ask: Ask, X: Any) -> Any:
    """Read finite numbers; on the meta device there are none to see."""
    ask.require(X.device.type == "meta" or bool(torch.isfinite(X).all()), "be finite", "NaN or inf")
    return X


def of_model(ask: Ask, X: Any) -> Any:
    """Read finite numbers of the precision and on the device of the model."""
    return finite(ask, like_weights(ask, X))


def grey_values(ask: Ask, X: Any) -> Any:
    """Read finite numbers from 0 to 1."""
    X = finite(ask, X)
    if X.device.type != "meta" and not bool(((X >= 0) & (X <= 1)).all()):
        ask.fail("hold grey values from 0 to 1", f"{X.min():g} to {X.max():g}")
    return X


def grey_of_model(ask: Ask, X: Any) -> Any:
    """Read numbers from 0 to 1 of the precision and on the device of the model."""
    return grey_values(ask, like_weights(ask, X))
