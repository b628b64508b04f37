"""Forward mode, Hessians and Hessian-vector products."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.autodiff.reverse import gradient, jacobian, vjp
from chapters_src.networks.autodiff.rules.networks import sigmoid
from chapters_src.networks.jacobians.forward_mode import (
    forward_jacobian,
    hessian,
    hessian_vector_product,
    jvp,
)

seeds = st.integers(0, 2**32 - 1)


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def network(x, W):
    return np.tanh(sigmoid(x @ W) @ W.T)


class TestTangents:
    @settings(max_examples=40)
    @given(seeds)
    def test_against_torch_and_the_transpose(self, seed):
        rng = np.random.default_rng(seed)
        x, W, v, U, g = (rng.standard_normal(s) for s in ((4, 3), (3, 5), (4, 3), (3, 5), (4, 3)))
        y, t = jvp(network, (x, W), (v, U))
        theirs = torch.func.jvp(
            lambda x, W: torch.tanh(torch.sigmoid(x @ W) @ W.T),
            tuple(map(torch.tensor, (x, W))),
            tuple(map(torch.tensor, (v, U))),
        )
        np.testing.assert_allclose(y, theirs[0].numpy(), atol=1e-13)
        np.testing.assert_allclose(t, theirs[1].numpy(), atol=1e-13)
        # ȳ·(Jẋ) = (Jᵀȳ)·ẋ: pushing and pulling are transposes of each other.
        a, b = vjp(network, x, W)[1](g)
        assert np.sum(g * t) == pytest.approx(np.sum(a * v) + np.sum(b * U), rel=1e-10, abs=1e-10)

    def test_dual_numbers(self):
        # (3 + ε)² = 9 + 6ε, because ε² = 0
        assert jvp(lambda x: x * x, (3.0,), (1.0,)) == (9.0, 6.0)
        assert jvp(lambda x: 5.0, (3.0,), (1.0,)) == (5.0, 0.0)
        _, tangent = jvp(lambda x: x + np.zeros((2, 3)), (1.0,), (4.0,))
        np.testing.assert_array_equal(tangent, np.full((2, 3), 4.0))
        tangent += 1  # it may be written to

    def test_parameters_in_lists(self):
        def f(p):
            return np.sum(p[0] * p[1]["w"])

        assert jvp(f, ([2.0, {"w": 3.0}],), ([1.0, {"w": 10.0}],)) == (6.0, 23.0)

    def test_memory_does_not_grow_with_depth(self):
        x = np.full(10_000, 0.5)

        def deep(x, n):
            for _ in range(n):
                x = np.sin(x)
            return np.sum(x)

        def peak(n):
            tracemalloc.start()
            jvp(lambda x: deep(x, n), (x,), (x,))
            top = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return top

        peak(2)
        assert peak(200) < 1.2 * peak(10)

    def test_both_jacobians_agree(self):
        x = np.random.default_rng(0).standard_normal((2, 3))
        W = np.random.default_rng(1).standard_normal((3, 4))

        def f(x):
            return network(x, W)[:, :2]

        assert jacobian(f)(x).shape == (2, 2, 2, 3)
        np.testing.assert_allclose(jacobian(f)(x), forward_jacobian(f)(x), atol=1e-14)


class TestSecondDerivatives:
    @settings(max_examples=10)
    @given(seeds)
    def test_hessian_vector_products(self, seed):
        rng = np.random.default_rng(seed)
        x, v = rng.standard_normal(6), rng.standard_normal(6)
        t = torch.tensor(x)
        theirs = torch.autograd.functional.hessian(
            lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(), t
        ).numpy()
        H = hessian(rosenbrock)(x)
        np.testing.assert_allclose(H, theirs, rtol=1e-11, atol=1e-9)
        np.testing.assert_allclose(H, H.T, rtol=1e-12, atol=1e-10)
        for mode in ("forward over reverse", "reverse over reverse"):
            Hv = hessian_vector_product(rosenbrock, (x,), v, mode)
            np.testing.assert_allclose(Hv, theirs @ v, rtol=1e-10, atol=1e-8)

        # a second reference: the complex step of our own gradient's formula
        def step(x):
            return np.concatenate([[0.0], 200 * (x[1:] - x[:-1] ** 2)]) + np.concatenate(
                [-400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1]), [0.0]]
            )

        np.testing.assert_allclose(theirs @ v, step(x + 1e-30j * v).imag / 1e-30, rtol=1e-9, atol=1e-8)

    def test_other_arguments_stay_fixed(self):
        def f(x, a):
            return a * np.sum(x**3)

        x, v = np.array([1.0, 2.0]), np.array([1.0, -1.0])
        for mode in ("forward over reverse", "reverse over reverse"):
            np.testing.assert_allclose(hessian_vector_product(f, (x, 2.0), v, mode), 2 * 6 * x * v)


class TestErrors:
    @pytest.mark.parametrize(
        ("run", "message"),
        [
            (
                lambda: jvp(np.sin, (np.ones(3),), (np.ones(2),)),
                r"^jvp: a tangent must have shape \(3,\), the ",
            ),
            (
                lambda: jvp(np.sin, (1.0,), ()),
                r"^jvp: tangents must be 1 arrays, one per array of args; got 0",
            ),
            (
                lambda: jvp(np.sin, 1.0, 1.0),
                r"^jvp: args must be a tuple, one entry per argument of f; got a fl",
            ),
            (lambda: jvp(2, (1.0,), (1.0,)), r"^jvp: f must be a function; got 2"),
            (lambda: jvp(np.sin, (1.0,), (np.inf,)), r"^jvp: tangents must be finite"),
            (lambda: jvp(np.sin, ("a",), (1.0,)), r"^jvp: args must hold real numbers"),
            (lambda: jvp(lambda x: None, (1.0,), (1.0,)), r"^jvp: what f returns must hold real numbers"),
            (
                lambda: hessian_vector_product(np.sum, (np.ones(3),), np.ones(4)),
                r"^hessian_vector_product: v must have shape \(3,\), the shape of the first argument; ",
            ),
            (
                lambda: hessian_vector_product(np.sum, (np.ones(3),), np.ones(3), "sideways"),
                r"^hessian_vector_product: mode must be .* got 'sideways'",
            ),
            (lambda: hessian_vector_product(np.sum, 3, 3), r"^hessian_vector_product: args must be a tuple"),
            (lambda: hessian(np.sum)("x"), r"^hessian: x must hold real numbers"),
            (lambda: hessian(np.sin)(np.ones(3)), r"^hessian: what f returns must be one number"),
        ],
    )
    def test_messages(self, run, message):
        with pytest.raises(ValueError, match=message):
            run()

    def test_a_gradient_of_a_tangent_is_a_gradient(self):
        x = np.array([0.3, -0.2])
        g = gradient(lambda x: jvp(rosenbrock, (x,), (np.ones(2),))[1])(x)
        np.testing.assert_allclose(g, hessian(rosenbrock)(x) @ np.ones(2), rtol=1e-12)
