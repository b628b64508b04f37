"""How the rules are held against somebody else's: value, slope and curvature, in both modes."""

from __future__ import annotations

import numpy as np

from chapters_src.networks.autodiff import gradient
from chapters_src.networks.jacobians import hessian_vector_product, jvp

FORWARD, REVERSE = "forward over reverse", "reverse over reverse"


def inputs(shapes, seed=0):
    """One vector that holds all arguments, and a direction to move it in."""
    rng = np.random.default_rng(seed)
    size = sum(int(np.prod(shape, dtype=int)) for shape in shapes)
    return rng.standard_normal(size), rng.standard_normal(size)


def arguments(z, shapes):
    """The arguments that a vector holds."""
    start, parts = 0, []
    for shape in shapes:
        size = int(np.prod(shape, dtype=int))
        parts.append(z[start : start + size].reshape(shape))
        start += size
    return parts


def loss(numpy, found):
    """One number with slope and curvature in every entry of a result, or of several."""
    several = [found] if hasattr(found, "shape") else list(found)
    total = 0.0
    for k, y in enumerate(several):
        size = int(np.prod(y.shape, dtype=int))
        weights = np.cos(1.7 * np.arange(size) + k).reshape(tuple(y.shape))
        total = total + numpy.sum(weights * numpy.sin(y + 0.3 * k))
    return total


def agree(f, shapes, value, slope, curvature, rtol=1e-9, seed=0):
    """Our derivatives of f(np, *arguments) are the given ones: along v the slope is slope·v."""
    z, v = inputs(shapes, seed)

    def g(z):
        return loss(np, f(np, *arguments(z, shapes)))

    close = {"rtol": rtol, "atol": rtol * max(1.0, np.abs(slope).max(), np.abs(curvature).max())}
    np.testing.assert_allclose(g(z), value, **close)
    np.testing.assert_allclose(gradient(g)(z), slope, **close)
    pushed = jvp(g, (z,), (v,))
    np.testing.assert_allclose(pushed[0], value, **close)
    np.testing.assert_allclose(pushed[1], slope @ v, rtol=rtol, atol=close["atol"] * len(z))
    for mode in (FORWARD, REVERSE):
        np.testing.assert_allclose(hessian_vector_product(g, (z,), v, mode), curvature, **close)

    def along(z):  # what is pushed, differentiated once more in both modes
        return jvp(g, (z,), (v,))[1]

    np.testing.assert_allclose(gradient(along)(z), curvature, **close)
    np.testing.assert_allclose(
        jvp(along, (z,), (v,))[1], curvature @ v, rtol=rtol, atol=close["atol"] * len(z)
    )
