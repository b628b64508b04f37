"""Readers of what a network is given: rows of its own precision on its own device, and widths of layers."""

from __future__ import annotations

from typing import Any

import torch

from chapters_src.core.readers import Ask, at_least, described, whole

__all__ = ["finite", "of_model", "widths"]


def finite(ask: Ask, X: Any) -> Any:
    """Read finite numbers; on the meta device there are none to see."""
    if X.device.type != "meta" and not bool(torch.isfinite(X).all()):
        ask.fail("be finite", "NaN or inf")
    return X


def of_model(ask: Ask, X: Any) -> Any:
    """Read finite numbers of the precision and on the device of the argument ``model``, or ``self``."""
    model = ask.arguments["model" if "model" in ask.arguments else "self"]
    like = next(model.parameters())
    for kind in ("dtype", "device"):
        if getattr(X, kind) != getattr(like, kind):
            ask.fail(f"be {getattr(like, kind)}, as the model is", getattr(X, kind))
    return finite(ask, X)


def widths(ask: Ask, value: Any) -> list[int]:
    """Read how wide the layers are: whole numbers, each at least 1."""
    if not isinstance(value, (list, tuple)):
        ask.fail("be a list of whole numbers", described(value))
    return [whole(ask, width, at_least(1)) for width in value]
