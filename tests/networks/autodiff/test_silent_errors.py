"""Derivatives that were once wrong without a word: right now, against torch, or refused in words."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.networks.autodiff.leaves import leaf
from chapters_src.networks.autodiff.reverse import gradient, vjp
from chapters_src.networks.jacobians.forward_mode import jvp

rng = np.random.default_rng(0)
X = rng.standard_normal((2, 3))
WEIGHTS = rng.standard_normal((3, 2))


def slopes(f, x):
    """The gradient of f in reverse mode, and from one push for each entry."""
    units = np.eye(x.size).reshape(x.size, *x.shape)
    pushed = [float(jvp(f, (x,), (unit,))[1]) for unit in units]
    return gradient(f)(x), np.reshape(pushed, x.shape)


def by_torch(f, x):
    tensor = torch.tensor(x, requires_grad=True)
    (theirs,) = torch.autograd.grad(f(tensor), tensor)
    return theirs.numpy()


def agree(ours, theirs, x):
    for found in slopes(ours, x):
        np.testing.assert_allclose(found, by_torch(theirs, x), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("order", ["F", "C"])
def test_reshape_with_the_order_by_position_or_by_name(order):
    def theirs(x):  # torch knows no order: F is C of the transpose, transposed
        y = x.reshape(3, 2) if order == "C" else x.T.reshape(2, 3).T
        return (y * torch.tensor(WEIGHTS)).sum()

    agree(lambda x: np.sum(np.reshape(x, (3, 2), order) * WEIGHTS), theirs, X)
    agree(lambda x: np.sum(np.reshape(x, (3, 2), order=order) * WEIGHTS), theirs, X)


def test_an_order_that_depends_on_memory_is_refused():
    with pytest.raises(ValueError, match=r"^reshape: order must be C or F, .* got A$"):
        gradient(lambda x: np.sum(np.reshape(x, (3, 2), "A") * WEIGHTS))(X)


def test_a_sum_with_a_start():
    agree(lambda x: np.sum(x**2, initial=5.0), lambda x: (x**2).sum() + 5.0, X)
    assert jvp(lambda x: np.sum(x, initial=5.0), (X,), (X,))[0] == pytest.approx(X.sum() + 5)


@pytest.mark.parametrize("kind", [int, bool, np.int32])
def test_a_conversion_to_whole_numbers_is_a_step(kind):
    agree(lambda x: np.sum(x * x.astype(kind)), lambda x: (x * torch.tensor(X.astype(kind))).sum(), X)
    assert not gradient(lambda x: np.sum(x.astype(kind) * 2.0))(X).any()


@pytest.mark.parametrize(
    "f", [lambda x: np.sum(np.abs(1 + 2j * x)), lambda x: x * 1j, lambda x: x.astype(complex)]
)
def test_complex_numbers_are_refused(f):
    for run in (lambda: gradient(lambda x: np.sum(f(x)))(X), lambda: jvp(f, (X,), (X,))):
        with pytest.raises(ValueError, match=r"^\w+: arguments must be real, .* got complex numbers$"):
            run()


def test_a_constant_that_is_changed_after_its_use():
    def f(x):
        factor = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        y = x * factor
        factor[:] = 100.0
        return np.sum(y)

    factor = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=torch.float64)
    agree(f, lambda x: (x * factor).sum(), X)


def test_an_index_that_is_changed_after_its_use():
    def f(x):
        rows, columns = np.array([0, 1]), [2, 2]
        y = x[rows, columns]
        rows[:] = 0
        columns[0] = 0
        return np.sum(y**2)

    agree(f, lambda x: (x[[0, 1], [2, 2]] ** 2).sum(), X)


def test_a_pull_outlives_what_its_function_closed_over():
    factor = np.ones(3)
    _, pull = vjp(lambda x: x * factor, np.ones(3))
    factor[:] = 7.0
    np.testing.assert_array_equal(pull(np.ones(3))[0], np.ones(3))


@pytest.mark.parametrize("axis", [5, -4])
def test_an_axis_that_is_not_there(axis):
    with pytest.raises(ValueError, match="out of bounds"):
        gradient(lambda x: np.sum(np.expand_dims(x, axis)))(X)


@pytest.mark.parametrize("axis", [0, -1, 2, (0, 2)])
def test_new_axes(axis):
    shape = np.expand_dims(X, axis).shape
    agree(lambda x: np.sum(np.expand_dims(x, axis) ** 3), lambda x: (x.reshape(shape) ** 3).sum(), X)


@pytest.mark.parametrize("ddof", [0, 1])
def test_the_deviation_of_equal_values_has_slope_zero(ddof):
    equal = np.array([[2.0, 2.0, 2.0], [1.0, 2.0, 4.0]])  # one row without variation, one with

    def theirs(x):
        return x.std(dim=1, correction=ddof).sum()

    agree(lambda x: np.sum(np.std(x, axis=1, ddof=ddof)), theirs, equal)
    agree(lambda x: np.std(x, ddof=ddof), lambda x: x.std(correction=ddof), X)


def test_a_tensor_kept_from_an_earlier_call_is_refused():
    kept = []
    gradient(lambda x: np.sum(kept.append(x) or x))(X)
    message = r"^{}: a tensor must belong to a differentiation that is running; got one kept from an earlier"
    for f in (lambda x: np.sum(kept[0]), lambda x: np.sum(x * kept[0]), lambda x: kept[0][0, 0]):
        with pytest.raises(ValueError, match=message.format("gradient")):
            gradient(f)(X)
    with pytest.raises(ValueError, match=message.format("jvp")):
        jvp(lambda x: kept[0], (X,), (X,))
    with pytest.raises(ValueError, match=message.format("a tensor").partition(":")[2].strip(" ")):
        leaf("x", kept[0])
    with pytest.raises(ValueError, match=r"kept from an earlier call"):
        np.sum(kept[0])  # outside of any differentiation


def test_a_value_that_is_changed_before_the_pull():
    y, pull = vjp(np.exp, np.zeros(3))
    y[:] = 7.0
    np.testing.assert_array_equal(pull(np.ones(3))[0], np.ones(3))


def test_a_number_beside_nan():
    for f in (np.fmax, np.fmin):  # NaN loses, so the slope is that of the number
        assert gradient(lambda x, f=f: np.sum(f(x, np.nan)))(X).all()
        assert jvp(lambda x, f=f: np.sum(f(np.nan, x)), (X,), (np.ones_like(X),))[1] == 6


@pytest.mark.parametrize("f", [lambda x: np.sum(np.hypot(x, 0 * x)), lambda x: np.linalg.norm(x)])
def test_a_norm_has_slope_zero_at_zero(f):
    for found in slopes(f, np.zeros((2, 3))):
        np.testing.assert_array_equal(found, np.zeros((2, 3)))


REFUSED = {
    "order by memory": (lambda x: np.reshape(x, (3, 2), "A"), r"^reshape: order must be C or F"),
    "ravel by memory": (lambda x: x.ravel("K"), r"^reshape: order must be C or F"),
    "no such axis": (lambda x: np.expand_dims(x, 5), r"^expand_dims: arguments must fit; .* out of bounds"),
    "axis twice": (lambda x: np.prod(x, (0, 0)), r"^numpy: axis must name every axis once"),
    "indices": (lambda x: np.take(np.arange(9.0), x), r"^numpy: a tensor must stay one"),
    "counts": (lambda x: np.repeat(x, x), r"must"),
    "moved elsewhere": (lambda x: np.take_along_axis(X, x, 1), r"^take_along_axis: a tensor must be in the"),
    "padding that computes": (lambda x: np.pad(x, 1, "mean"), r"^pad: mode must be one of constant, edge"),
    "odd reflection": (lambda x: np.pad(x, 1, "reflect", reflect_type="odd"), r"^pad: mode must be one of"),
    "out": (lambda x: np.sum(x, 0, out=np.zeros(3)), r"^sum: out must be left out"),
    "out by position": (lambda x: np.mean(x, 0, None, np.zeros(3)), r"^numpy: out must be left out"),
    "where of a ufunc": (lambda x: np.exp(x, where=X > 0), r"^exp: keywords must be left out"),
    "no such keyword": (lambda x: np.stack([x, x], casting="no"), r"^stack: arguments must fit; .*casting"),
    "no method": (lambda x: x.sort(), r"^sort: a tensor must be handled by functions of numpy; got x\.sort$"),
    "a list": (lambda x: np.sum(x.tolist()), r"^tolist: a tensor must be handled by functions"),
    "text": (lambda x: x.astype(str), r"^astype: dtype must be one of numbers"),
    "the rest of the vectors": (lambda x: np.linalg.svd(x)[0], r"^svd: full_matrices must be False"),
    "equal eigenvalues": (lambda x: np.linalg.eigh(0 * (x @ x.T))[1], r"^eigh: eigenvalues must be distinct"),
    "equal singular values": (
        lambda x: np.linalg.svd(np.eye(2) + 0 * (x @ x.T))[0],
        r"^svd: singular values must be distinct",
    ),
    "singular": (lambda x: np.linalg.inv(x.T @ x * 0), r"^solve: arguments must fit; .*Singular"),
    "other triangle": (lambda x: np.linalg.eigvalsh(x @ x.T, "Q"), r"^eigh: UPLO must be L or U; got Q"),
    "two corrections": (lambda x: np.var(x, ddof=1, correction=1), r"^var: correction must be given or ddof"),
    "weights": (lambda x: np.average(x, 1, [1, -1, 0]), r"^average: weights must not sum to 0"),
    "lengths": (lambda x: np.tensordot(x, np.ones((1, 2)), 1), r"^tensordot: axes must have the same"),
    "where without a start": (lambda x: np.max(x, where=X > 0), r"^max: initial must be given with where"),
    "two components": (lambda x: np.cross(x[:, :2], x[:, :2]), r"^cross: arguments must have three"),
    "subscripts": (lambda x: np.einsum("ij,jk->ik", x), r"^einsum: subscripts must name 1 operands"),
    "lost dots": (lambda x: np.einsum("...i->i", x), r"^einsum: subscripts must keep the dots in the result"),
    "too many letters": (lambda x: np.einsum("ijk->i", x), r"^einsum: arguments must fit"),
    "order of a norm": (lambda x: np.linalg.norm(x, 3), r"^norm: ord must be one of fro, nuc"),
    "three axes": (lambda x: np.linalg.norm(x, axis=(0, 1, 1)), r"^norm: axis must name one axis or two"),
}


@pytest.mark.parametrize(("f", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_rule_is_refused_in_both_modes(f, message):
    for run in (lambda: gradient(lambda x: np.sum(f(x)))(X), lambda: jvp(f, (X,), (X,))):
        with pytest.raises(ValueError, match=message):
            run()


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_of_a_symmetric_matrix_one_triangle_is_read(triangle):
    matrix = rng.standard_normal((3, 3)) + 5 * np.eye(3)
    upper = triangle == "U"
    for f in (
        lambda x: np.sum(np.linalg.eigvalsh(x, triangle) ** 3),
        lambda x: np.sum(np.sin(np.linalg.cholesky(x, upper=upper))),
    ):
        step = 1e-6 * np.eye(9).reshape(9, 3, 3)
        by_differences = [(f(matrix + h) - f(matrix - h)) / 2e-6 for h in step]
        for found in slopes(f, matrix):
            np.testing.assert_allclose(found.reshape(-1), by_differences, rtol=1e-6, atol=1e-6)


def test_values_alone_may_be_equal():
    np.testing.assert_allclose(gradient(lambda x: np.sum(np.linalg.eigvalsh(x)))(np.eye(3)), np.eye(3))
    np.testing.assert_allclose(gradient(lambda x: np.linalg.norm(x, "nuc"))(np.eye(3)), np.eye(3))
