"""The methods of tensors do what those of arrays do."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.networks.autodiff import plain
from chapters_src.networks.autodiff.reverse import gradient
from chapters_src.networks.autodiff.rules.methods import METHODS
from chapters_src.networks.jacobians import jvp

X = np.random.default_rng(0).standard_normal((3, 3))
ARGUMENTS = {
    "clip": (-0.5, 0.5),
    "dot": (X,),
    "repeat": (2, 0),
    "swapaxes": (0, 1),
    "take": ([1, 1], 1),
    "argpartition": (1,),
    "compress": ([True, False, True], 1),
    "reshape": (1, 9),
    "transpose": (1, 0),
}
FLAT = {"searchsorted": (0.3,)}  # of a sorted vector


@pytest.mark.parametrize("name", METHODS)
def test_values_are_those_of_arrays(name):
    x = np.sort(X[0]) if name in FLAT else X
    given = ARGUMENTS.get(name, FLAT.get(name, ()))
    expected = getattr(x, name)(*given) if callable(getattr(x, name)) else getattr(x, name)
    seen = []

    def f(x):
        found = getattr(x, name)
        seen.append(found(*given) if callable(found) else found)
        return np.sum(x)

    gradient(f)(x)
    jvp(f, (x,), (x,))
    for found in seen:
        if isinstance(expected, tuple):
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one, other)
        else:
            np.testing.assert_allclose(plain(found), expected, rtol=1e-14)


def test_no_method_of_arrays_is_forgotten_in_silence():
    def f(x):
        for name in dir(np.ndarray):
            if not name.startswith("_") and not hasattr(x, name):
                with pytest.raises(ValueError, match=rf"^{name}: a tensor must be handled by functions of"):
                    getattr(x, name)
        with pytest.raises(AttributeError, match="no attribute 'colour'"):
            x.colour  # noqa: B018
        return np.sum(x)

    gradient(f)(X)
