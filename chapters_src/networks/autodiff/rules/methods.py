"""The methods of tensors: those of arrays, each by the function of numpy with its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.core.readers import Refusal
from chapters_src.networks.autodiff.tracing import Tensor

__all__: list[str] = []

SAME = "sum mean prod max min ptp var std cumsum cumprod clip dot"
MOVING = "ravel repeat squeeze swapaxes take trace diagonal"
STEPS = "round argmax argmin argsort argpartition nonzero searchsorted all any"
IN_PLACE = "sort fill partition put resize"


def as_function(name: str) -> Callable[..., Any]:
    """The method that calls numpy's function."""
    function = getattr(np, name)
    return lambda self, *args, **options: function(self, *args, **options)


def refused(name: str) -> Callable[..., Any]:
    """The method that an array has and a tensor cannot have."""

    def method(self: Tensor, *_: Any, **__: Any) -> Any:
        raise Refusal("a tensor", "not be changed in place: numpy's functions make a new one", name, name)

    return method


def _unpacked(several: tuple) -> Any:
    return several[0] if len(several) == 1 else several


METHODS: dict[str, Any] = {name: as_function(name) for name in f"{SAME} {MOVING} {STEPS}".split()}
METHODS |= {name: refused(name) for name in IN_PLACE.split()}
METHODS |= {
    "T": property(np.transpose),
    "mT": property(lambda self: np.swapaxes(self, -1, -2)),
    "real": property(np.positive),
    "conj": np.positive,
    "copy": np.copy,
    "flatten": np.ravel,
    "compress": lambda self, condition, axis=None: np.compress(condition, self, axis),
    "reshape": lambda self, *shape, **options: np.reshape(self, _unpacked(shape), **options),
    "transpose": lambda self, *axes: np.transpose(self, _unpacked(axes) if axes else None),
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
