"""The engine of single numbers: against torch, against the engine of arrays, in any order, at any depth."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.autodiff import gradient
from chapters_src.networks.autodiff.scalar import Number, adjoints, topological_order

# Each takes two values and works for numbers of ours, of torch and of numpy alike.
STEPS = [
    lambda u, v, tanh: u + v,
    lambda u, v, tanh: u * v,
    lambda u, v, tanh: u - v,
    lambda u, v, tanh: 2.0 - u,
    lambda u, v, tanh: 3.0 * u + 1.0,
    lambda u, v, tanh: u / (v * v + 1.0),
    lambda u, v, tanh: -tanh(u),
    lambda u, v, tanh: tanh(u) ** 3,
]


def program(steps, inputs, tanh):
    """A random program: each step takes two of the values before it."""
    values = list(inputs)
    for kind, i, j in steps:
        values.append(STEPS[kind](values[i % len(values)], values[j % len(values)], tanh))
    return tanh(values[-1]) + values[-1] * inputs[0]


programs = st.lists(
    st.tuples(st.integers(0, len(STEPS) - 1), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=12
)
places = st.tuples(st.floats(-1, 1), st.floats(-1, 1))


class TestAgainstOthers:
    @settings(max_examples=150, deadline=None)
    @given(programs, places)
    def test_random_programs_against_torch(self, steps, at):
        inputs = [Number(v) for v in at]
        output = program(steps, inputs, Number.tanh)
        slopes = adjoints(output)
        tensors = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in at]
        theirs = program(steps, tensors, torch.tanh)
        theirs.backward()
        assert output.value == pytest.approx(theirs.item(), rel=1e-9, abs=1e-9)
        for number, tensor in zip(inputs, tensors, strict=True):
            expected = 0.0 if tensor.grad is None else tensor.grad.item()
            assert slopes.get(number, 0.0) == pytest.approx(expected, rel=1e-8, abs=1e-9)

    def test_numpy_calls_it_by_itself(self):
        # numpy's functions of arrays of objects call the methods tanh, exp and log of each object
        rng = np.random.default_rng(0)
        X, W, v = rng.standard_normal((4, 2)), rng.standard_normal((2, 3)), rng.standard_normal(3)

        def loss(W, v):
            return np.mean(np.log(1 + np.exp(np.tanh(X @ W) @ v)))

        numbers = [np.vectorize(Number, otypes=[object])(A) for A in (W, v)]
        slopes = adjoints(loss(*numbers))
        for ours, theirs in zip(numbers, gradient(loss, (0, 1))(W, v), strict=True):
            np.testing.assert_allclose(np.vectorize(slopes.get)(ours), theirs, atol=1e-14)

    @pytest.mark.parametrize(
        ("f", "x", "slope"),
        [
            (Number.exp, 0.5, math.exp(0.5)),
            (Number.log, 0.5, 2.0),
            (Number.tanh, 0.5, 1 / math.cosh(0.5) ** 2),
            (lambda x: x**0.5, 4.0, 0.25),
            (lambda x: Number(1.0) / x, 2.0, -0.25),
            (lambda x: 5.0 - x, 2.0, -1.0),
            (lambda x: x / 4.0, 2.0, 0.25),
        ],
    )
    def test_slopes_by_hand(self, f, x, slope):
        x = Number(x)
        assert adjoints(f(x))[x] == pytest.approx(slope, rel=1e-12)


class TestSweep:
    def test_the_three_weights_of_the_chapter(self):
        w, b, v = Number(0.5), Number(-0.4), Number(1.5)
        e = v * (w * 2.0 + b).tanh() - 2.1
        slopes = adjoints(e * e)
        t = math.tanh(0.6)
        by_hand = 2 * (1.5 * t - 2.1) * np.array([1.5 * (1 - t**2) * 2, 1.5 * (1 - t**2), t])
        np.testing.assert_allclose([slopes[w], slopes[b], slopes[v]], by_hand, rtol=1e-13)
        np.testing.assert_allclose(by_hand, [-5.527, -2.763, -1.390], atol=5e-4)

    def test_a_number_used_twice_gets_both_reports(self):
        x = Number(3.0)
        assert adjoints(x * x)[x] == 6.0
        assert adjoints(x + x)[x] == 2.0

    def test_a_sweep_leaves_nothing_behind(self):
        x = Number(3.0)
        y = x * x
        assert adjoints(y) == adjoints(y)

    def test_children_come_after_their_parents(self):
        x = Number(1.0)
        a = x * 2.0
        y = a * (a * a)
        order = topological_order(y)
        assert len(order) == len(set(order)) == 5
        place = {node: i for i, node in enumerate(order)}
        assert all(place[p] < place[node] for node in order for p in node.parents)
        assert adjoints(y)[x] == 24.0

    def test_edges_not_paths(self):
        x = y = Number(1.0)
        for _ in range(60):
            y = y + y
        assert adjoints(y)[x] == 2.0**60

    def test_long_chains_need_no_stack(self):
        x = y = Number(1.0)
        for _ in range(20_000):
            y = y * 1.0
        assert adjoints(y)[x] == 1.0

    def test_an_output_that_was_not_computed(self):
        x = Number(2.0)
        assert adjoints(x) == {x: 1.0}


@pytest.mark.parametrize("run", [adjoints, topological_order])
def test_what_is_no_number_is_refused(run):
    with pytest.raises(ValueError, match=rf"^{run.__name__}: output must be .*; got "):
        run(3.0)


def test_complex_values_do_not_slip_in():
    with pytest.raises(ValueError, match="math domain"):
        Number(-1.0) ** 0.5
