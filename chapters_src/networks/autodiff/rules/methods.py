"""The methods of tensors: those of arrays, each by the function of numpy with its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.networks.autodiff.tracing import Tensor, plain

__all__: list[str] = []

SAME = "sum mean prod max min var std cumsum cumprod clip dot"
MOVING = "ravel repeat squeeze swapaxes take trace diagonal"
STEPS = "round argmax argmin argsort argpartition nonzero searchsorted all any"


def as_function(name: str) -> Callable[..., Any]:
    """The method that calls numpy's function."""
    function = getattr(np, name)
    return lambda self, *args, **options: function(self, *args, **options)


def _unpacked(several: tuple) -> Any:
    return several[0] if len(several) == 1 else several


METHODS: dict[str, Any] = {name: as_function(name) for name in f"{SAME} {MOVING} {STEPS}".split()}
METHODS |= {
    "T": property(np.transpose),
    "mT": property(lambda self: np.swapaxes(self, -1, -2)),
    "real": property(np.positive),
    "imag": property(np.imag),
    "nbytes": property(lambda self: plain(self).nbytes),
    "itemsize": property(lambda self: plain(self).itemsize),
    "conj": lambda self: np.positive(self),
    "conjugate": lambda self: np.positive(self),
    "copy": np.copy,
    "flatten": np.ravel,
    "compress": lambda self, condition, axis=None: np.compress(condition, self, axis),
    "reshape": lambda self, *shape, **options: np.reshape(self, _unpacked(shape), **options),
    "transpose": lambda self, *axes: np.transpose(self, _unpacked(axes) if axes else None),
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
