"""Checkpointing: the same derivatives from less memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.autodiff.reverse import gradient, vjp
from chapters_src.networks.jacobians.forward_mode import hessian_vector_product, jvp
from chapters_src.networks.jacobians.recompute import chain, checkpoint


def layer(h, w):
    return np.tanh(h @ w)


def network(K, width=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((4, width)), [rng.standard_normal((width, width)) for _ in range(K)]


class TestSameAnswer:
    @settings(max_examples=40)
    @given(st.integers(0, 12), st.one_of(st.none(), st.integers(1, 14)), st.integers(0, 1000))
    def test_gradients(self, K, segment, seed):
        x, W = network(K, seed=seed)

        def loss(x, W):
            h = x
            for w in W:
                h = np.tanh(h @ w)
            return np.sum(h**2)

        expected = gradient(loss, (0, 1))(x, W)
        found = gradient(lambda x, W: np.sum(chain(layer, x, W, segment) ** 2), (0, 1))(x, W)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12, atol=1e-14)
        for a, b in zip(found[1], expected[1], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)

    def test_tangents_second_derivatives_and_plain_arrays(self):
        x, W = network(6)

        def f(x):
            return np.sum(chain(layer, x, W, 1) ** 2)

        def g(x):
            return np.sum(chain(layer, x, W, 2) ** 2)

        v = np.ones_like(x)
        assert g(x) == f(x)
        assert jvp(g, (x,), (v,))[1] == pytest.approx(jvp(f, (x,), (v,))[1], rel=1e-12)
        for mode in ("forward over reverse", "reverse over reverse"):
            np.testing.assert_allclose(
                hessian_vector_product(g, (x,), v, mode), hessian_vector_product(f, (x,), v), rtol=1e-9
            )

    def test_arguments_of_two_levels(self):
        """The slope by b of a block, differentiated by a, which belongs to the outer derivative alone."""
        slope = lambda f: gradient(lambda a: gradient(lambda b: f(a, b))(2.0) ** 2)(3.0)  # noqa: E731
        # ∂(a²b³)/∂b = 3a²b², its square is 9a⁴b⁴, and the derivative of that by a is 36a³b⁴
        assert slope(checkpoint(lambda a, b: a**2 * b**3)) == pytest.approx(36 * 3.0**3 * 2.0**4)

    def test_a_second_pull_gives_the_same(self):
        x, W = network(4)
        _, pull = vjp(lambda x: chain(layer, x, W, 2), x)
        seed = np.ones_like(x)
        np.testing.assert_array_equal(pull(seed)[0], pull(seed)[0])


class TestPrice:
    def runs(self, K, segment):
        x, W = network(K)
        count = [0]

        def counted(h, w):
            count[0] += 1
            return layer(h, w)

        gradient(lambda x: np.sum(chain(counted, x, W, segment)))(x)
        return count[0]

    @pytest.mark.parametrize(("K", "segment", "runs"), [(16, 1, 16), (16, 4, 32), (16, 16, 32), (7, 3, 14)])
    def test_every_layer_runs_once_more(self, K, segment, runs):
        assert self.runs(K, segment) == runs

    def test_memory_grows_as_the_root(self):
        def peak(K, segment):
            x = np.random.default_rng(0).standard_normal((2000, 4))
            W = [np.eye(4) for _ in range(K)]
            tracemalloc.start()
            gradient(lambda x: np.sum(chain(layer, x, W, segment)))(x)
            top = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return top / x.nbytes

        all_kept, root = ([peak(K, segment) for K in (25, 100)] for segment in (1, None))
        assert all_kept[1] > 100 and root[1] < 30
        assert all_kept[1] / all_kept[0] > 3.3
        assert root[1] / root[0] < 2


class TestErrors:
    def test_tensors_from_outside(self):
        with pytest.raises(ValueError, match=r"^checkpoint: all tensors must be given as arguments of f"):
            gradient(lambda w: np.sum(checkpoint(lambda x: x * w)(w)))(np.ones(2))

    def test_messages(self):
        with pytest.raises(ValueError, match=r"^checkpoint: f must be a function; got 3"):
            checkpoint(3)
        with pytest.raises(ValueError, match=r"^chain: segment must be at least 1; got 0"):
            chain(layer, np.ones((1, 1)), [np.ones((1, 1))], 0)
