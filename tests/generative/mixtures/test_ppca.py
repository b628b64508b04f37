"""Probabilistic PCA against scipy's densities, scikit-learn, Bayes' rule on the joint, and quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, ortho_group
from sklearn.decomposition import PCA

from chapters_src.generative.elbo import LinearGaussian, gaussian_posterior, log_evidence
from chapters_src.generative.mixtures.ppca import diagonal_gap, direction_kl, fit_ppca, fit_ppca_em

seeds = st.integers(0, 2**32 - 1)


def random_model(seed, d=5, k=2):
    rng = np.random.default_rng(seed)
    return LinearGaussian(
        rng.standard_normal(d), rng.standard_normal((d, k)), float(rng.uniform(0.2, 2))
    ), rng


@given(seeds, st.integers(2, 7), st.data())
def test_evidence_is_the_density_of_a_gaussian(seed, d, data):
    k = data.draw(st.integers(1, d))
    model, rng = random_model(seed, d, k)
    X = rng.standard_normal((6, d))
    C = model.W @ model.W.T + model.variance * np.eye(d)
    expected = multivariate_normal(model.mean, C).logpdf(X)
    np.testing.assert_allclose(log_evidence(model, X), expected, rtol=1e-9, atol=1e-9)


def test_evidence_is_the_integral_over_the_latent_variable():
    model, rng = random_model(3, d=3, k=1)
    X = rng.standard_normal((4, 3))
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    for x, value in zip(X, log_evidence(model, X), strict=True):
        densities = [multivariate_normal(model.W @ [z] + model.mean, model.variance).pdf(x) for z in nodes]
        assert np.log(weights @ densities / weights.sum()) == pytest.approx(value, abs=1e-9)


@given(seeds)
def test_posterior_by_conditioning_the_joint(seed):
    model, rng = random_model(seed)
    X = rng.standard_normal((3, 5))
    C = model.W @ model.W.T + model.variance * np.eye(5)
    gain = model.W.T @ np.linalg.inv(C)  # Cov(z, x) Cov(x)⁻¹
    mean, covariance = gaussian_posterior(model, X)
    np.testing.assert_allclose(mean, (X - model.mean) @ gain.T, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(covariance, np.eye(2) - gain @ model.W, rtol=1e-8, atol=1e-10)


def test_fit_against_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6)) * [3, 2, 1.5, 0.5, 0.5, 0.4]
    ours = log_evidence(fit_ppca(X, 3), X).mean()
    # scikit-learn divides by n − 1; data stretched by √((n−1)/n) have our covariance in its units.
    stretch = np.sqrt(299 / 300)
    centred = (X - X.mean(axis=0)) * stretch
    theirs = PCA(3).fit(centred)
    covariance = theirs.get_covariance()
    assert ours == pytest.approx(multivariate_normal(X.mean(axis=0), covariance).logpdf(X).mean(), abs=1e-9)


@given(seeds)
def test_no_other_parameters_are_more_likely(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 4)) * [2, 1.5, 1, 0.7]
    best = fit_ppca(X, 2)
    top = log_evidence(best, X).mean()
    for _ in range(5):
        W = best.W + 0.1 * rng.standard_normal(best.W.shape)
        mean = best.mean + 0.1 * rng.standard_normal(4)
        other = LinearGaussian(mean, W, best.variance * float(rng.uniform(0.8, 1.25)))
        assert log_evidence(other, X).mean() < top


@given(seeds)
def test_a_rotation_of_the_latent_space_leaves_the_evidence(seed):
    model, rng = random_model(seed)
    X = rng.standard_normal((4, 5))
    R = ortho_group.rvs(2, random_state=rng)
    turned = model._replace(W=model.W @ R)
    np.testing.assert_allclose(log_evidence(turned, X), log_evidence(model, X), rtol=1e-9, atol=1e-9)


@given(seeds)
def test_em_climbs_to_the_closed_form(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 5)) * [4, 3, 0.7, 0.5, 0.6] @ ortho_group.rvs(5, random_state=rng)
    fit, exact = fit_ppca_em(X, 2, rng, steps=5000, tolerance=1e-13), fit_ppca(X, 2)
    assert (np.diff(fit.losses) < 1e-9 * np.abs(fit.losses[1:])).all()
    assert fit.losses[-1] == pytest.approx(-log_evidence(exact, X).sum(), rel=1e-8)
    assert fit.theta.variance == pytest.approx(exact.variance, rel=1e-3)
    np.testing.assert_allclose(fit.theta.W @ fit.theta.W.T, exact.W @ exact.W.T, atol=0.05)


def test_one_step_of_em_by_averages_over_the_rows():
    """E[z] and E[zzᵀ] row by row, and the least-squares equations that they enter."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((40, 4)) * [2, 1.5, 1, 0.7]
    fit = fit_ppca_em(X, 2, np.random.default_rng(1), steps=1)
    off = X - X.mean(axis=0)
    variance = float((off**2).mean())
    W = np.sqrt(variance) * np.random.default_rng(1).standard_normal((4, 2))
    mean, covariance = gaussian_posterior(LinearGaussian(X.mean(axis=0), W, variance), X)
    second = sum(np.outer(z, z) + covariance for z in mean)
    new = sum(np.outer(x, z) for x, z in zip(off, mean, strict=True)) @ np.linalg.inv(second)
    left = np.sum(off**2) - 2 * np.sum(mean * (off @ new)) + np.trace(second @ new.T @ new)
    np.testing.assert_allclose(fit.theta.W, new, rtol=1e-9)
    assert fit.theta.variance == pytest.approx(left / X.size, rel=1e-9)
    assert fit.losses[0] == pytest.approx(-log_evidence(LinearGaussian(X.mean(axis=0), W, variance), X).sum())
    assert fit.steps == 1 and not fit.converged


def gaussian_kl(mean, covariance, mean_p, covariance_p):
    inverse = np.linalg.inv(covariance_p)
    gap = mean_p - mean
    logs = np.linalg.slogdet(covariance_p)[1] - np.linalg.slogdet(covariance)[1]
    return 0.5 * (np.trace(inverse @ covariance) + gap @ inverse @ gap - len(mean) + logs)


def test_the_diagonal_gap_is_the_least_kl_of_a_diagonal_gaussian():
    model, rng = random_model(5, d=6, k=3)
    mean, covariance = gaussian_posterior(model, rng.standard_normal((1, 6)))

    precision = np.diag(np.linalg.inv(covariance))
    best = gaussian_kl(mean[0], np.diag(1 / precision), mean[0], covariance)
    assert diagonal_gap(model) == pytest.approx(best, abs=1e-10)
    for _ in range(200):
        moved = (
            mean[0] + 0.3 * rng.standard_normal(3),
            np.diag(np.exp(0.3 * rng.standard_normal(3)) / precision),
        )
        assert gaussian_kl(*moved, mean[0], covariance) > best
    assert diagonal_gap(model) > 0.001


def test_perpendicular_columns_have_no_gap():
    X = np.random.default_rng(1).standard_normal((50, 5)) * [3, 2, 1, 0.5, 0.5]
    model = fit_ppca(X, 3)
    assert diagonal_gap(model) == pytest.approx(0, abs=1e-12)
    R = ortho_group.rvs(3, random_state=np.random.default_rng(0))
    assert diagonal_gap(model._replace(W=model.W @ R)) > 0.05


def test_direction_kl_is_the_mean_kl_of_the_best_linear_model():
    """With the decoder's variance fixed: W from the eigenvalues above it, KL averaged over the data."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((500, 4)) * [3, 1.5, 1, 0.4]
    X -= X.mean(axis=0)
    eigenvalues, U = np.linalg.eigh(X.T @ X / 500)
    variance = float(eigenvalues[1] * 1.3)  # so that at least two directions collapse
    W = U * np.sqrt(np.maximum(eigenvalues - variance, 0))
    mean, covariance = gaussian_posterior(LinearGaussian(np.zeros(4), W, variance), X)
    s2 = np.diag(covariance)
    kl = 0.5 * (np.mean(mean**2, axis=0) + s2 - 1 - np.log(s2))
    np.testing.assert_allclose(direction_kl(eigenvalues, variance), kl, rtol=1e-9, atol=1e-12)
    assert (direction_kl(eigenvalues, variance) == 0).sum() >= 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: fit_ppca(np.ones(3), 1),
            r"^fit_ppca: X must have two axes, shape \(n, d\); got shape \(3,\)$",
        ),
        (lambda: fit_ppca(np.eye(3), 3), r"^fit_ppca: k must be at least 1 and at most 2; got 3$"),
        (
            lambda: fit_ppca(np.outer(np.arange(5.0), [1, 2, 3]), 1),
            r"^fit_ppca: X must vary in more than 1 directions, or no noise is left to fit; got rank 1$",
        ),
        (
            lambda: fit_ppca(np.arange(12.0).reshape(2, 6) % 5, 3),
            r"^fit_ppca: X must vary in more than 3 directions",
        ),
        (
            lambda: fit_ppca_em(np.outer(np.arange(5.0), [1, 2, 3]), 1, np.random.default_rng(0)),
            r"^fit_ppca_em: X must vary in more than 1 directions; got fewer$",
        ),
        (
            lambda: fit_ppca(1e160 * np.eye(3), 1),
            r"^fit_ppca: X must be below 1e150 in size, so that its squares stay finite; got 1e\+160$",
        ),
        (
            lambda: log_evidence("model", np.eye(2)),
            r"^log_evidence: model must be a LinearGaussian; got 'model'$",
        ),
        (
            lambda: log_evidence(LinearGaussian(np.zeros(2), np.eye(2), 0.0), np.eye(2)),
            r"^log_evidence: variance must be above 0; got 0.0$",
        ),
        (
            lambda: gaussian_posterior(LinearGaussian(np.zeros(3), np.eye(3), 1.0), np.eye(2)),
            r"^gaussian_posterior: x must have shape \(…, 3\); got \(2, 2\)$",
        ),
        (
            lambda: diagonal_gap(LinearGaussian(np.zeros(2), np.eye(3), 1.0)),
            r"^diagonal_gap: W must have shape \(2, k\), one per entry of mean; got \(3, 3\)$",
        ),
        (lambda: direction_kl([1.0, -1.0], 1.0), r"^direction_kl: eigenvalues must be at least 0; got -1$"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


bad_numbers = st.one_of(
    st.none(), st.text(max_size=3), st.booleans(), st.just(float("nan")), st.just(float("inf"))
)


@given(bad_numbers)
def test_bad_numbers_are_refused(bad):
    for call in (
        lambda: direction_kl([1.0], bad),
        lambda: diagonal_gap(LinearGaussian(np.zeros(2), np.eye(2), bad)),
        lambda: fit_ppca(np.random.default_rng(0).standard_normal((5, 3)), bad),
        lambda: log_evidence(LinearGaussian(np.zeros(2), np.eye(2), 1.0), bad),
    ):
        with pytest.raises(ValueError, match=r"^\w+: \w+ must "):
            call()
