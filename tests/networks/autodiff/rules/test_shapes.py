"""The rules of sums, products, indices and shapes, in both modes, against torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.autodiff.reverse import gradient, jacobian
from chapters_src.networks.autodiff.rules import scatter, unbroadcast
from chapters_src.networks.jacobians.forward_mode import forward_jacobian, hessian_vector_product

rng = np.random.default_rng(0)
X = rng.standard_normal((2, 3, 4))
REARRANGED = {
    "reshape": (lambda x: x.reshape(4, -1), lambda x: x.reshape(4, -1)),
    "ravel": (lambda x: np.ravel(x), lambda x: x.reshape(-1)),
    "transpose": (lambda x: np.transpose(x), lambda x: x.permute(2, 1, 0)),
    "axes": (lambda x: np.transpose(x, (1, -1, 0)), lambda x: x.permute(1, 2, 0)),
    "swapaxes": (lambda x: np.swapaxes(x, 0, -1), lambda x: x.transpose(0, -1)),
    "broadcast_to": (lambda x: np.broadcast_to(x, (5, 2, 3, 4)), lambda x: x.expand(5, 2, 3, 4)),
    "expand_dims": (lambda x: np.expand_dims(x, -2), lambda x: x.unsqueeze(-2)),
    "integer": (lambda x: x[1], lambda x: x[1]),
    "slices": (lambda x: x[:, ::2, 1:3], lambda x: x[:, ::2, 1:3]),
    "new axis": (lambda x: x[..., None, 0], lambda x: x[..., None, 0]),
    "repeated rows": (lambda x: x[[1, 1, 0]], lambda x: x[[1, 1, 0]]),
    "pairs": (lambda x: x[[0, 1, 0], [2, 2, 2]], lambda x: x[[0, 1, 0], [2, 2, 2]]),
    "mask": (lambda x: x[X > 0], lambda x: x[torch.tensor(X > 0)]),
    "concatenate": (
        lambda x: np.concatenate([x, 2 * x[:1], np.ones((1, 3, 4))]),
        lambda x: torch.cat([x, 2 * x[:1], torch.ones(1, 3, 4)]),
    ),
    "last axis": (lambda x: np.concatenate((x, x), axis=-1), lambda x: torch.cat([x, x], -1)),
    "stack": (lambda x: np.stack([x, x * x], axis=1), lambda x: torch.stack([x, x * x], 1)),
    "sum": (lambda x: np.sum(x), lambda x: x.sum()),
    "sum of two axes": (lambda x: np.sum(x, axis=(0, -1)), lambda x: x.sum((0, -1))),
    "sum kept": (lambda x: np.sum(x, 1, keepdims=True), lambda x: x.sum(1, keepdim=True)),
    "mean": (lambda x: np.mean(x, axis=-1), lambda x: x.mean(-1)),
    "variance": (lambda x: np.var(x, axis=0), lambda x: x.var(0, unbiased=False)),
    "deviation": (lambda x: np.std(x, axis=0), lambda x: x.std(0, unbiased=False)),
    "squeeze": (lambda x: np.squeeze(x[:1], 0), lambda x: x[:1].squeeze(0)),
    "outer": (lambda x: np.outer(x[0, 0], x[1]), lambda x: torch.outer(x[0, 0], x[1].reshape(-1))),
    "max": (lambda x: np.max(x, axis=1), lambda x: x.amax(1)),
    "min kept": (lambda x: np.min(x, axis=2, keepdims=True), lambda x: x.amin(2, keepdim=True)),
    "max of all": (lambda x: np.max(x), lambda x: x.amax()),
}


@pytest.mark.parametrize(("ours", "theirs"), REARRANGED.values(), ids=REARRANGED)
def test_against_torch(ours, theirs):
    f, t = (lambda x: ours(np.sin(x))), (lambda x: theirs(torch.sin(x)))
    np.testing.assert_allclose(f(X), t(torch.tensor(X)).numpy(), atol=1e-14)
    J = torch.autograd.functional.jacobian(t, torch.tensor(X)).numpy()
    np.testing.assert_allclose(jacobian(f)(X), J, atol=1e-13)
    np.testing.assert_allclose(forward_jacobian(f)(X), J, atol=1e-13)
    v = np.cos(X)

    def g(x):
        return np.sum(f(x) ** 2)

    theirs_v = torch.autograd.functional.hvp(lambda x: (t(x) ** 2).sum(), torch.tensor(X), torch.tensor(v))[1]
    for mode in ("forward over reverse", "reverse over reverse"):
        np.testing.assert_allclose(hessian_vector_product(g, (X,), v, mode), theirs_v.numpy(), atol=1e-11)


PRODUCTS = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
]


@pytest.mark.parametrize(("left", "right"), PRODUCTS)
def test_matrix_products(left, right):
    a, b = rng.standard_normal(left), rng.standard_normal(right)

    def f(a, b):
        return np.sum(np.sin(a @ b))

    ta, tb = torch.tensor(a, requires_grad=True), torch.tensor(b, requires_grad=True)
    expected = torch.autograd.grad(torch.sin(ta @ tb).sum(), (ta, tb))
    for ours, theirs in zip(gradient(f, (0, 1))(a, b), expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-13)
    J = torch.autograd.functional.jacobian(lambda a: a @ torch.tensor(b), torch.tensor(a)).numpy()
    np.testing.assert_allclose(forward_jacobian(lambda a: a @ b)(a), J, atol=1e-13)
    _, hv = torch.autograd.functional.hvp(
        lambda a: torch.sin(a @ torch.tensor(b)).sum(), torch.tensor(a), torch.tensor(np.cos(a))
    )
    for mode in ("forward over reverse", "reverse over reverse"):
        ours = hessian_vector_product(f, (a, b), np.cos(a), mode)
        np.testing.assert_allclose(ours, hv.numpy(), atol=1e-12)
    np.testing.assert_array_equal(gradient(lambda a: np.sum(np.dot(a, a)))(np.ones(3)), [2, 2, 2])


@settings(max_examples=60)
@given(st.sampled_from([(), (1,), (4,), (3, 1), (1, 4), (3, 4), (2, 1, 4), (1, 1, 1), (2, 3, 4)]))
def test_unbroadcast_is_the_transpose_of_broadcasting(shape):
    x, g = rng.standard_normal(shape), rng.standard_normal((2, 3, 4))
    pulled = unbroadcast(g, shape)
    assert np.shape(pulled) == shape
    assert np.sum(np.broadcast_to(x, (2, 3, 4)) * g) == pytest.approx(np.sum(x * pulled), rel=1e-12)


def test_scatter_adds_what_was_read_twice():
    np.testing.assert_array_equal(scatter(np.array([1.0, 10.0, 100.0]), (3,), [0, 0, 2]), [11, 0, 100])
    np.testing.assert_array_equal(gradient(lambda x: np.sum(x[[0, 0, 1]]))(np.ones(3)), [2, 1, 0])


@pytest.mark.parametrize("shapes", [((), (3,)), ((2, 3), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 4))])
def test_dot_is_numpys(shapes):
    a, b = (rng.standard_normal(shape) for shape in shapes)
    np.testing.assert_allclose(jacobian(np.dot)(a, b).shape, (*np.dot(a, b).shape, *a.shape))
    for f in (lambda a, b: np.dot(a, b), lambda a, b: a @ b if a.ndim and b.ndim else a * b):
        out = np.cos(np.dot(a, b))
        pulled = gradient(lambda a, b, f=f, out=out: np.sum(f(a, b) * out), (0, 1))(a, b)
        for ours, x, moved in (
            (pulled[0], a, lambda x: np.dot(x, b)),
            (pulled[1], b, lambda x: np.dot(a, x)),
        ):
            v = rng.standard_normal(np.shape(x))
            assert np.sum(ours * v) == pytest.approx(np.sum(moved(v) * out), rel=1e-12)


@pytest.mark.parametrize("axis", [None, 0, (0, 2)])
@pytest.mark.parametrize("ddof", [0, 1])
def test_variance_with_degrees_of_freedom(axis, ddof):
    ours = gradient(lambda x: np.sum(np.std(x, axis=axis, ddof=ddof)))(X)
    t = torch.tensor(X, requires_grad=True)
    dims = (0, 1, 2) if axis is None else axis
    torch.std(t, dim=dims, correction=ddof).sum().backward()
    np.testing.assert_allclose(ours, t.grad.numpy(), atol=1e-14)


def test_squeeze_without_an_axis():
    np.testing.assert_array_equal(gradient(lambda x: np.squeeze(x)[1] * 3)(np.ones((1, 2, 1))), [[[0], [3]]])
