"""Reverse mode against torch over random programs, against complex steps, and what it promises besides."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.autodiff import reverse as autodiff
from chapters_src.networks.autodiff.reverse import (
    Node,
    backward,
    gradient,
    jacobian,
    value_and_gradient,
    vjp,
)
from chapters_src.networks.autodiff.rules.networks import (
    log_softmax,
    logsumexp,
    relu,
    sigmoid,
    softmax,
    softplus,
)
from chapters_src.networks.jacobians.forward_mode import hessian_vector_product, jvp

torch.set_num_threads(1)
seeds = st.integers(0, 2**32 - 1)

# The same program in two languages: name -> (numpy, torch). "smooth" ones also take complex numbers.
SMOOTH = {
    "sin": (np.sin, torch.sin),
    "cos": (np.cos, torch.cos),
    "tanh": (np.tanh, torch.tanh),
    "exp": (lambda x: np.exp(np.sin(x)), lambda x: torch.exp(torch.sin(x))),
    "log": (lambda x: np.log(3 + np.cos(x)), lambda x: torch.log(3 + torch.cos(x))),
    "sqrt": (lambda x: np.sqrt(2 + np.sin(x)), lambda x: torch.sqrt(2 + torch.sin(x))),
    "square": (lambda x: x**2 / 4, lambda x: x**2 / 4),
    "cube": (lambda x: np.sin(x) ** 3, lambda x: torch.sin(x) ** 3),
    "total": (lambda x: np.sum(x), lambda x: x.sum()),
    "mean": (lambda x: np.mean(x), lambda x: x.mean()),
    "first axis": (lambda x: np.sum(x, axis=0) if x.ndim else x, lambda x: x.sum(0) if x.ndim else x),
    "last axis": (
        lambda x: np.mean(x, axis=-1, keepdims=True) if x.ndim else x,
        lambda x: x.mean(-1, keepdim=True) if x.ndim else x,
    ),
    "flat": (lambda x: np.reshape(x, -1), lambda x: x.reshape(-1)),
    "transposed": (
        lambda x: np.transpose(x),
        lambda x: x.permute(*range(x.ndim)[::-1]) if x.ndim else x,
    ),
    "column": (lambda x: x[..., :1] if x.ndim else x, lambda x: x[..., :1] if x.ndim else x),
    "repeated": (
        lambda x: x[np.array([0, -1, 0])] if x.ndim else x,
        lambda x: x[torch.tensor([0, -1, 0])] if x.ndim else x,
    ),
    "doubled": (
        lambda x: np.concatenate([x, 2 * x], axis=0) if x.ndim else x,
        lambda x: torch.cat([x, 2 * x], 0) if x.ndim else x,
    ),
    "gram": (
        lambda x: x @ np.transpose(x) if x.ndim == 2 else x,
        lambda x: x @ x.T if x.ndim == 2 else x,
    ),
    "stacked": (lambda x: np.stack([x, np.sin(x)]), lambda x: torch.stack([x, torch.sin(x)])),
}
ROUGH = {
    "sigmoid": (sigmoid, torch.sigmoid),
    "softplus": (softplus, lambda x: torch.nn.functional.softplus(x, threshold=1e9)),
    "relu": (relu, torch.relu),
    "abs": (np.abs, torch.abs),
    "logsumexp": (lambda x: logsumexp(x), lambda x: torch.logsumexp(x.reshape(-1), 0)),
    "softmax": (
        lambda x: softmax(x) if x.ndim else x,
        lambda x: torch.softmax(x, -1) if x.ndim else x,
    ),
    "log softmax": (
        lambda x: log_softmax(x, 0) if x.ndim else x,
        lambda x: torch.log_softmax(x, 0) if x.ndim else x,
    ),
    "largest": (
        lambda x: np.max(x, axis=0) if x.ndim else x,
        lambda x: x.amax(0) if x.ndim else x,
    ),
    "where": (
        lambda x: np.where(x > 0.1, x, np.sin(x)),
        lambda x: torch.where(x > 0.1, x, torch.sin(x)),
    ),
}
BINARY = {
    "+": (lambda a, b: a + b, lambda a, b: a + b),
    "-": (lambda a, b: a - b, lambda a, b: a - b),
    "*": (lambda a, b: a * b, lambda a, b: a * b),
    "/": (lambda a, b: a / (2 + np.sin(b)), lambda a, b: a / (2 + torch.sin(b))),
    "**": (lambda a, b: (2 + np.sin(a)) ** np.cos(b), lambda a, b: (2 + torch.sin(a)) ** torch.cos(b)),
}
EXTREMA = {
    "maximum": (np.maximum, torch.maximum),
    "minimum": (np.minimum, torch.minimum),
    "logaddexp": (np.logaddexp, torch.logaddexp),
}


def fitting(a, b):
    """b if it can be broadcast with a, and else its sum."""
    try:
        np.broadcast_shapes(tuple(a.shape), tuple(b.shape))
    except ValueError:
        return b.sum()
    return b


def run(steps, inputs, language):
    """The steps of a random program: (name, i, j) applies a function to the values number i (and j)."""
    table = {**SMOOTH, **ROUGH, **BINARY, **EXTREMA}
    values = list(inputs)
    for name, i, j in steps:
        a, b = values[i % len(values)], values[j % len(values)]
        function = table[name][language]
        two = name in BINARY or name in EXTREMA
        value = function(a, fitting(a, b)) if two else function(a)
        if value.size < 200 if language == 0 else value.numel() < 200:
            values.append(value)
    last = values[-1] * 0.5 + values[len(values) // 2].sum()
    return last.sum()


def programs(names):
    step = st.tuples(st.sampled_from(sorted(names)), st.integers(0, 50), st.integers(0, 50))
    return st.lists(step, min_size=1, max_size=12)


def inputs_of(seed):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in ((3, 2), (2,), (), (1, 2))]


class TestRandomPrograms:
    @settings(max_examples=200)
    @given(programs({**SMOOTH, **ROUGH, **BINARY, **EXTREMA}), seeds)
    def test_against_torch(self, steps, seed):
        inputs = inputs_of(seed)
        value, ours = value_and_gradient(lambda *xs: run(steps, xs, 0), wrt=(0, 1, 2, 3))(*inputs)
        tensors = [torch.tensor(x, requires_grad=True) for x in inputs]
        theirs = run(steps, tensors, 1)
        np.testing.assert_allclose(value, theirs.item(), rtol=1e-12, atol=1e-12)
        for mine, grad in zip(ours, torch.autograd.grad(theirs, tensors, allow_unused=True), strict=True):
            expected = np.zeros(mine.shape) if grad is None else grad.numpy()
            assert mine.shape == expected.shape
            scale = max(1.0, np.abs(expected).max())
            np.testing.assert_allclose(mine, expected, rtol=1e-9, atol=1e-11 * scale)

    @settings(max_examples=80)
    @given(programs({**SMOOTH, **BINARY}), seeds)
    def test_against_complex_steps_and_forward_mode(self, steps, seed):
        inputs = inputs_of(seed)
        rng = np.random.default_rng(seed)
        direction = [rng.standard_normal(x.shape) for x in inputs]
        moved = [x + 1e-30j * v for x, v in zip(inputs, direction, strict=True)]
        complex_slope = run(steps, moved, 0).imag / 1e-30
        _, forward = jvp(lambda *xs: run(steps, xs, 0), inputs, direction)
        _, pull = vjp(lambda *xs: run(steps, xs, 0), *inputs)
        adjoints = pull(1.0)
        backward_slope = sum(np.sum(g * v) for g, v in zip(adjoints, direction, strict=True))
        scale = max(1.0, *(np.abs(g).max() for g in adjoints))
        assert forward == pytest.approx(complex_slope, rel=1e-9, abs=1e-10 * scale)
        assert backward_slope == pytest.approx(complex_slope, rel=1e-9, abs=1e-10 * scale)

    @settings(max_examples=40)
    @given(programs({**SMOOTH, **ROUGH, **BINARY}), seeds)
    def test_second_derivatives_against_torch_and_each_other(self, steps, seed):
        x, *rest = inputs_of(seed)
        v = np.random.default_rng(seed + 1).standard_normal(x.shape)

        def f(x):
            return run(steps, [x, *rest], 0)

        one = hessian_vector_product(f, (x,), v)
        two = hessian_vector_product(f, (x,), v, "reverse over reverse")
        t = torch.tensor(x, requires_grad=True)
        y = run(steps, [t, *map(torch.tensor, rest)], 1)
        theirs = np.zeros_like(x)
        if y.requires_grad:
            (g,) = torch.autograd.grad(y, t, create_graph=True)
            if g.requires_grad:
                found = torch.autograd.grad((g * torch.tensor(v)).sum(), t, allow_unused=True)[0]
                theirs = theirs if found is None else found.numpy(force=True)
        scale = max(1.0, np.abs(theirs).max())
        np.testing.assert_allclose(one, theirs, rtol=1e-8, atol=1e-10 * scale)
        np.testing.assert_allclose(two, theirs, rtol=1e-8, atol=1e-10 * scale)


class TestPromises:
    def test_no_state_to_zero(self):
        x = np.array([1.0, 2.0])
        y, pull = vjp(lambda x: x[0] * np.sin(x[1]), x)
        first, second = pull(1.0)[0], pull(1.0)[0]
        np.testing.assert_array_equal(first, second)
        np.testing.assert_allclose(first, [np.sin(2.0), np.cos(2.0)])
        np.testing.assert_allclose(pull(3.0)[0], 3 * first)
        assert y == pytest.approx(np.sin(2.0))

    def test_a_value_used_twice_counts_twice(self):
        assert gradient(lambda x: x * x + x)(3.0) == 7.0
        assert gradient(lambda x: x + x + x)(3.0) == 3.0

    def test_a_diamond_is_visited_once_per_edge(self):
        # 2⁴⁰ paths lead from the output to the input; each edge is pulled through once.
        def f(x):
            for _ in range(40):
                x = x + x
            return x

        assert gradient(f)(1.0) == 2.0**40

    def test_every_node_is_pulled_through_once(self):
        # vₖ = vₖ₋₁ + vₖ₋₂: whoever passes an adjoint on before it is complete has to do so again and again.
        pulled, nodes = [], [Node("input"), Node("input")]
        for _ in range(12):
            pull = lambda g: (pulled.append(g), [g, g])[1]  # noqa: E731
            nodes.append(Node("sum", (nodes[-1], nodes[-2]), pull))
        assert backward(nodes[-1], 1, nodes[:2]) == [144, 233]
        assert len(pulled) == 12

    def test_a_graph_100_000_deep(self):
        # In a process of its own, where shapes are not checked and the stack is the usual one.
        code = (
            "import numpy as np\n"
            "from chapters_src.networks.autodiff import vjp\n"
            "def deep(x):\n"
            "    for _ in range(100_000):\n"
            "        x = x * 0.99999 + 1e-6\n"
            "    return x\n"
            "y, pull = vjp(deep, 0.5)\n"
            "print(pull(1.0)[0])\n"
            "del y, pull  # and it is taken down without recursion\n"
            "print('gone')\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        slope, gone = done.stdout.split()
        assert float(slope) == pytest.approx(0.99999**100_000, rel=1e-9)
        assert gone == "gone"

    def test_only_what_was_asked_for_is_computed(self, monkeypatch):
        seen = []
        real = autodiff.Node.__init__
        monkeypatch.setattr(
            autodiff.Node,
            "__init__",
            lambda self, name, *rest: (seen.append(name), real(self, name, *rest))[0],
        )
        X, W = np.ones((5, 3)), np.ones((3, 2))
        gradient(lambda W, X: np.sum(np.sin(X) @ W))(W, X)
        assert seen == ["input", "matmul", "sum"]

    def test_a_graph_holds_only_what_its_pulls_need(self):
        # A sum of ten arrays needs no array at all for its derivative.
        import tracemalloc

        x = np.ones(100_000)
        tracemalloc.start()
        _, pull = vjp(lambda x: np.sum(x + 1.0 + 2.0 + 3.0 + 4.0 + 5.0), x)
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert held < 1.5 * x.nbytes  # the copy of x, and nothing else
        np.testing.assert_array_equal(pull(1.0)[0], np.ones(100_000))

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_precision_stays(self, dtype):
        rng = np.random.default_rng(0)
        x, W = rng.standard_normal((4, 3)).astype(dtype), rng.standard_normal((3, 2)).astype(dtype)
        seen = []

        def f(x, W):
            a = x @ W
            h = sigmoid(a) + softplus(a) + relu(a) * np.tanh(a) ** 2 / (1 + np.exp(-a)) + np.sqrt(np.abs(a))
            out = -np.mean(log_softmax(h)[np.arange(4), np.array([0, 1, 0, 1])])
            seen.append(out.dtype)
            return out + np.var(h) + np.max(h) + logsumexp(np.where(h > 0, h, 0))

        value, gradients = value_and_gradient(f, wrt=(0, 1))(x, W)
        assert [value.dtype, *(g.dtype for g in gradients), *seen] == [dtype] * 4
        assert hessian_vector_product(f, (x, W), x).dtype == dtype

    def test_a_float32_input_gets_a_float32_adjoint_even_from_float64_code(self):
        g = gradient(lambda x: np.sum(x * np.arange(3.0)))(np.ones(3, np.float32))
        assert g.dtype == np.float32
        np.testing.assert_array_equal(g, [0, 1, 2])

    def test_results_share_no_memory_with_arguments(self):
        c = np.arange(3.0)
        g = gradient(lambda x: x @ c)(np.ones(3))
        g += 1
        np.testing.assert_array_equal(c, [0, 1, 2])
        spread = gradient(np.sum)(np.ones(3))
        spread *= 2  # and a broadcast adjoint can be written to

    def test_a_change_of_the_argument_after_the_forward_run_does_no_harm(self):
        x = np.array([1.0, 2.0])
        _, pull = vjp(lambda x: np.sum(x**3), x)
        x[:] = 100.0
        np.testing.assert_allclose(pull(1.0)[0], [3.0, 12.0])

    def test_derivatives_nest(self):
        third = gradient(gradient(gradient(np.sin)))(0.3)
        assert third == pytest.approx(-np.cos(0.3), rel=1e-14)
        # An inner derivative must not mix its variable up with the outer one: d/dx [x · d/dy (x + y)] = 1.
        assert gradient(lambda x: x * gradient(lambda y: x + y)(1.0))(1.0) == 1.0
        assert gradient(lambda x: x * jvp(lambda y: x * y, (2.0,), (1.0,))[1])(3.0) == 6.0
        assert jvp(lambda x: x * gradient(lambda y: x * y)(2.0), (3.0,), (1.0,))[1] == 6.0


class TestInterface:
    def test_parameters_in_lists_and_dictionaries(self):
        parameters = {
            "layers": [(np.ones((2, 3)), np.zeros(3)), (np.ones((3, 1)), np.zeros(1))],
            "scale": 2.0,
        }

        def f(p, x):
            for W, b in p["layers"]:
                x = x @ W + b
            return p["scale"] * np.sum(x)

        g = gradient(f)(parameters, np.array([[1.0, 2.0]]))
        assert g["scale"] == 9.0
        np.testing.assert_array_equal(g["layers"][0][0], [[2.0] * 3, [4.0] * 3])
        np.testing.assert_array_equal(g["layers"][1][1], [2.0])
        assert isinstance(g["layers"][0], tuple)

    def test_wrt_and_options(self):
        def f(x, y, power=1):
            return x**power * y

        assert gradient(f, 1)(2.0, 5.0) == 2.0
        assert gradient(f, (1, 0))(2.0, 5.0, power=2) == (4.0, 20.0)
        assert isinstance(gradient(f, [0])(2.0, 5.0), tuple)
        assert gradient(f)(2, 5) == 5.0  # integers are read as floats

    def test_what_an_output_does_not_depend_on_has_gradient_zero(self):
        np.testing.assert_array_equal(
            gradient(lambda x, y: np.sum(y), 0)(np.ones(3), np.ones(2)), np.zeros(3)
        )
        assert gradient(lambda x: 5.0)(1.0) == 0.0
        assert gradient(lambda x: np.sum(np.sign(x)))(1.5) == 0.0

    def test_jacobian_of_a_matrix_function(self):
        rng = np.random.default_rng(0)
        A, x = rng.standard_normal((4, 3)), rng.standard_normal((3, 2))
        J = jacobian(lambda A, x: np.tanh(A @ x), 1)(A, x)
        theirs = torch.autograd.functional.jacobian(
            lambda x: torch.tanh(torch.tensor(A) @ x), torch.tensor(x)
        )
        np.testing.assert_allclose(J, theirs.numpy(), atol=1e-14)

    def test_backward_on_a_graph_by_hand(self):
        a, b = Node("input"), Node("input")
        c = Node("product", (a, b), lambda g: [g * 3.0, g * 2.0])  # a = 2, b = 3
        d = Node("sum", (c, a), lambda g: [g, g])
        assert backward(d, 1.0, [a, b, c, d]) == [4.0, 2.0, 1.0, 1.0]
        assert backward(c, 1.0, [d]) == [None]


class TestErrors:
    @pytest.mark.parametrize(
        ("run", "message"),
        [
            (
                lambda: gradient(lambda x: x)(np.ones(3)),
                r"^gradient: what f returns must be one number; got sh",
            ),
            (
                lambda: gradient(lambda x: x, 1)(1.0),
                r"^gradient: wrt must be at least 0 and at most 0; got 1",
            ),
            (lambda: gradient(lambda x: x, "a")(1.0), r"^gradient: wrt must be a .*whole number"),
            (
                lambda: gradient(lambda x, y: x, (0, 0))(1.0, 1.0),
                r"^gradient: wrt must name every argument once",
            ),
            (lambda: gradient(lambda x: x)("word"), r"^gradient: an argument must hold real numbers"),
            (lambda: gradient(lambda x: x)(np.nan), r"^gradient: an argument must be finite"),
            (
                lambda: gradient(lambda x: x)(1j),
                r"^gradient: an argument must hold real numbers; got complex",
            ),
            (
                lambda: gradient(lambda x: None)(1.0),
                r"^gradient: what f returns must hold real numbers; got None",
            ),
            (lambda: gradient(3)(1.0), r"^gradient: f must be a function; got 3"),
            (
                lambda: vjp(np.sin, np.ones(3))[1](np.ones(2)),
                r"^vjp: the adjoint must have shape \(3,\), the sh",
            ),
            (
                lambda: jacobian(lambda x: x, 2)(1.0),
                r"^jacobian: wrt must be at least 0 and at most 0; got 2",
            ),
        ],
    )
    def test_messages(self, run, message):
        with pytest.raises(ValueError, match=message):
            run()

    @settings(max_examples=60)
    @given(
        st.sampled_from([np.nan, np.inf, "x", None, 1j, [], np.array([]), np.array([1 + 1j]), object()]),
        st.sampled_from([gradient, value_and_gradient, jacobian]),
    )
    def test_no_bad_argument_gets_through(self, bad, transform):
        if isinstance(bad, list):
            return  # an empty list of parameters is a list of parameters
        with pytest.raises(ValueError, match=r"^\w+: .* must .*; got "):
            transform(lambda x: np.sum(x * 2.0))(bad)
