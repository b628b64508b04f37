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
