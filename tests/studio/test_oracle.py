import numpy as np
import pytest

from chapters_src.studio.oracle import (
    autograd_gradient,
    autograd_hessian,
    complex_step_gradient,
    finite_difference_gradient,
)

GRADIENTS = [autograd_gradient, complex_step_gradient, finite_difference_gradient]


@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_known_gradient(gradient, shape):
    x = np.random.default_rng(0).normal(size=shape)
    got = gradient(lambda t: (t**3).sum(), x)
    assert got.shape == shape
    np.testing.assert_allclose(got, 3 * x**2, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_constants_are_passed_on(gradient):
    rng = np.random.default_rng(1)
    X, y, theta = rng.normal(size=(8, 3)), rng.normal(size=8), rng.normal(size=3)
    got = gradient(lambda t, X, y: ((y - X @ t) ** 2).sum(), theta, X, y)
    np.testing.assert_allclose(got, 2 * X.T @ (X @ theta - y), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_input_is_not_changed_and_integers_are_taken(gradient):
    x = np.array([1, 2])
    np.testing.assert_allclose(gradient(lambda t: (t**2).sum(), x), [2, 4], rtol=1e-11)
    assert x.tolist() == [1, 2]
    assert x.dtype.kind == "i"


@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("bad", [[], [np.nan], [1.0, np.inf]])
def test_bad_points(gradient, bad):
    with pytest.raises(ValueError, match=f"{gradient.__name__}: x must be finite"):
        gradient(lambda t: t.sum(), bad)


def test_hessian():
    A = np.array([[2.0, 1.0], [1.0, 3.0]])
    np.testing.assert_allclose(autograd_hessian(lambda t, A: t @ A @ t, [1.0, -1.0], A), 2 * A)
    np.testing.assert_allclose(autograd_hessian(lambda t: 3 * t, 2.0), 0.0)
    got = autograd_hessian(lambda t: t.exp().sum(), [0.0, 1.0])
    np.testing.assert_allclose(got, np.diag(np.exp([0.0, 1.0])))


def test_richardson_beats_a_plain_difference():
    x, h = 0.7, 1e-5
    plain = (np.exp(np.sin(x + h)) - np.exp(np.sin(x - h))) / (2 * h)
    exact = np.cos(x) * np.exp(np.sin(x))
    better = finite_difference_gradient(lambda t: np.exp(np.sin(t)), x)
    assert abs(better - exact) < 2e-13 < abs(plain - exact)


def test_autograd_refuses_what_it_cannot_see():
    with pytest.raises(ValueError, match="must depend on x"):
        autograd_gradient(lambda t: float(t.sum().detach()), [1.0])
    with pytest.raises(ValueError, match=r"one number; got shape \(2,\)"):
        autograd_gradient(lambda t: 2 * t, [1.0, 2.0])


def test_complex_step_refuses_what_is_not_analytic():
    with pytest.raises(ValueError, match="analytic"):
        complex_step_gradient(lambda t: np.abs(t).sum(), [1.0])
    with pytest.raises(ValueError, match="one number"):
        complex_step_gradient(lambda t: 2 * t, [1.0, 2.0])


def test_finite_difference_at_the_edge_of_the_domain():
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="smaller step"):
        finite_difference_gradient(lambda t: np.log(t), 0.01)
    assert finite_difference_gradient(lambda t: np.log(t), 0.01, step=1e-4) == pytest.approx(100, rel=1e-9)
    with pytest.raises(ValueError, match="step must be positive"):
        finite_difference_gradient(lambda t: t, 1.0, step=0)
