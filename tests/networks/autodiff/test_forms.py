"""The forms of a rule: what is written once serves both modes, and the second derivative."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.networks.autodiff.forms import by_differential, kept, linear, transposed
from chapters_src.networks.autodiff.reverse import gradient
from chapters_src.networks.autodiff.tracing import primitive
from chapters_src.networks.jacobians import hessian_vector_product, jvp

rng = np.random.default_rng(0)


def test_the_transpose_of_a_linear_function_is_that_of_its_matrix():
    A, g = rng.standard_normal((4, 3)), rng.standard_normal(4)
    np.testing.assert_allclose(transposed(lambda t: A @ t, np.zeros(3))(g), A.T @ g, rtol=1e-14)
    # and of one that repeats and forgets entries
    pulled = transposed(lambda t: np.concatenate([t[[0, 0]], 2 * t[:1], t[2:]]), np.zeros(3))(g)
    np.testing.assert_allclose(pulled, [g[0] + g[1] + 2 * g[2], 0, g[3]], rtol=1e-14)


def test_a_function_of_our_own_by_its_differential():
    @primitive
    def cube(x):
        return x * x * x

    by_differential(cube, lambda y, x: lambda t: 3 * x * x * t)
    x, v = rng.standard_normal((2, 5))
    tensor = torch.tensor(x, requires_grad=True)
    (slope,) = torch.autograd.grad((tensor**3).cos().sum(), tensor, create_graph=True)
    (curvature,) = torch.autograd.grad((slope * torch.tensor(v)).sum(), tensor)

    def f(x):
        return np.sum(np.cos(cube(x)))

    np.testing.assert_allclose(gradient(f)(x), slope.detach().numpy(), rtol=1e-12)
    assert jvp(f, (x,), (v,))[1] == pytest.approx(float(slope.detach().numpy() @ v), rel=1e-12)
    np.testing.assert_allclose(hessian_vector_product(f, (x,), v), curvature.numpy(), rtol=1e-12)


def test_a_linear_function_of_our_own():
    @primitive
    def doubled(x):
        return np.concatenate([x, x])

    linear(doubled, lambda y, x: lambda g: g[: len(x)] + g[len(x) :])
    x, w = rng.standard_normal(3), rng.standard_normal(6)
    np.testing.assert_allclose(gradient(lambda x: w @ doubled(x))(x), w[:3] + w[3:], rtol=1e-14)
    assert jvp(lambda x: w @ doubled(x), (x,), (x,))[1] == pytest.approx(float(w @ np.tile(x, 2)), rel=1e-12)


def test_the_shape_that_a_reduction_keeps():
    for axis in (None, 0, -1, (0, -1), (1, 2)):
        assert kept((2, 3, 4), axis) == np.sum(np.ones((2, 3, 4)), axis, keepdims=True).shape
    assert kept((), 0) == ()
