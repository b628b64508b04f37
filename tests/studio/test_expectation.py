import numpy as np
import pytest
from scipy import integrate, stats

from chapters_src.studio.expectation import expect_discrete, expect_gaussian, expect_gaussian_pair


def test_a_die():
    faces, fair = range(1, 7), [1 / 6] * 6
    assert expect_discrete(lambda x: x, faces, fair) == pytest.approx(3.5)
    assert expect_discrete(lambda x: x**2, faces, fair) == pytest.approx(91 / 6)


def test_zero_probability_is_left_out():
    p = np.array([0.5, 0.5, 0.0])
    entropy = expect_discrete(lambda i: -np.log(p[i]), range(3), p)
    assert entropy == pytest.approx(np.log(2))


def test_discrete_vectors():
    corners = np.array([[0.0, 1.0], [2.0, 3.0]])
    np.testing.assert_allclose(expect_discrete(lambda x: x, corners, [0.25, 0.75]), [1.5, 2.5])


@pytest.mark.parametrize("p", [[0.5, 0.6], [1.5, -0.5], [1.0], [np.nan, 1.0], [[0.5, 0.5]], []])
def test_bad_probabilities(p):
    with pytest.raises(ValueError, match="expect_discrete: probabilities must"):
        expect_discrete(lambda x: x, [0, 1], p)


def test_gaussian_moments():
    m, v = 0.7, 2.3
    assert expect_gaussian(lambda x: 1.0, m, v) == pytest.approx(1, rel=1e-13)
    assert expect_gaussian(lambda x: x**4, m, v) == pytest.approx(m**4 + 6 * m**2 * v + 3 * v**2, rel=1e-12)
    assert expect_gaussian(np.exp, m, v) == pytest.approx(np.exp(m + v / 2), rel=1e-12)
    assert expect_gaussian(lambda x: x**2, m, 0.0) == pytest.approx(m**2)
    np.testing.assert_allclose(expect_gaussian(lambda x: np.array([x, x**2]), m, v), [m, m**2 + v])


def test_gaussian_against_adaptive_quadrature():
    m, v = -0.4, 0.8
    softplus = lambda x: np.logaddexp(0, x)  # noqa: E731
    exact, _ = integrate.quad(lambda x: softplus(x) * stats.norm.pdf(x, m, np.sqrt(v)), -12, 12, epsabs=1e-13)
    assert expect_gaussian(softplus, m, v) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize(("mean", "variance"), [(np.nan, 1), (0, -1), (0, np.inf), ([0, 1], 1)])
def test_bad_gaussian(mean, variance):
    with pytest.raises(ValueError, match="expect_gaussian: mean must"):
        expect_gaussian(lambda x: x, mean, variance)


@pytest.mark.parametrize("points", [0, 101, 2.5])
def test_bad_points(points):
    with pytest.raises(ValueError, match="points must"):
        expect_gaussian(lambda x: x, 0.0, 1.0, points=points)


def test_pair_moments():
    m, S = np.array([0.5, -1.0]), np.array([[2.0, 0.6], [0.6, 1.0]])
    assert expect_gaussian_pair(lambda u, v: u * v, m, S) == pytest.approx(m[0] * m[1] + 0.6)
    assert expect_gaussian_pair(lambda u, v: u, m, S) == pytest.approx(0.5)
    # Isserlis: E[(u-m)²(v-m)²] = S00 S11 + 2 S01²
    fourth = expect_gaussian_pair(lambda u, v: (u - m[0]) ** 2 * (v - m[1]) ** 2, m, S)
    assert fourth == pytest.approx(2.0 + 2 * 0.36)


def test_pair_may_be_singular():
    S = np.ones((2, 2))
    assert expect_gaussian_pair(lambda u, v: (u - v) ** 2, [0, 0], S) == pytest.approx(0, abs=1e-13)


@pytest.mark.parametrize(
    ("mean", "covariance", "rule"),
    [
        ([0, 0, 0], np.eye(3), "shapes"),
        ([0, 0], [[1, 0.5], [0.2, 1]], "symmetric"),
        ([0, 0], [[1, 2], [2, 1]], "negative eigenvalue"),
        ([0, np.nan], np.eye(2), "finite"),
    ],
)
def test_bad_pair(mean, covariance, rule):
    with pytest.raises(ValueError, match=rule):
        expect_gaussian_pair(lambda u, v: u, mean, covariance)
