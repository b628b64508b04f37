"""LDA and QDA against scikit-learn, scipy's densities and a boundary worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from chapters_src import data
from chapters_src.models.generalised import Discriminant, discriminant_scores, fit_lda, fit_qda, linear_form

seeds = st.integers(0, 2**32 - 1)


def clouds(seed, n=90, d=3, K=3):
    rng = np.random.default_rng(seed)
    y = np.minimum(np.arange(n) % (K + 2), K - 1)  # the last class is the largest
    stretch = np.eye(d) + 0.3 * rng.normal(size=(K, d, d))
    X = np.stack([stretch[k] @ rng.normal(size=d) + 2 * np.cos(k + np.arange(d)) for k in y])
    return X, y


@given(seed=seeds)
@settings(deadline=None, max_examples=15)
def test_scikit_learn_says_the_same(seed):
    X, y = clouds(seed)
    for ours, theirs in (
        (fit_lda, LinearDiscriminantAnalysis()),
        (fit_qda, QuadraticDiscriminantAnalysis()),
    ):
        p = special.softmax(discriminant_scores(ours(X, y, 3), X), axis=1)
        np.testing.assert_allclose(p, theirs.fit(X, y).predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("fit", [fit_lda, fit_qda])
def test_scores_are_scipys_densities(fit):
    X, y = clouds(1)
    model = fit(X, y, 3)
    scores = [
        np.log(share) + stats.multivariate_normal(centre, covariance).logpdf(X)
        for centre, covariance, share in zip(*model, strict=True)
    ]
    np.testing.assert_allclose(discriminant_scores(model, X), np.transpose(scores), atol=1e-9)


def test_averages_by_hand():
    X = np.array([[0.0], [2.0], [10.0], [12.0], [14.0]])
    y = np.array([0, 0, 1, 1, 1])
    linear, quadratic = fit_lda(X, y, 2), fit_qda(X, y, 2)
    np.testing.assert_allclose(linear.centres, [[1], [12]])
    np.testing.assert_allclose(linear.shares, [0.4, 0.6])
    np.testing.assert_allclose(linear.covariances.ravel(), [2, 2])  # (2 + 8)/5
    np.testing.assert_allclose(quadratic.covariances.ravel(), [1, 8 / 3])


@given(seed=seeds)
@settings(deadline=None, max_examples=15)
def test_the_linear_form_has_the_same_differences(seed):
    X, y = clouds(seed)
    model = fit_lda(X, y, 3)
    W, b = linear_form(model)
    scores = discriminant_scores(model, X)
    np.testing.assert_allclose(
        X @ W + b - (X @ W + b)[:, :1], scores - scores[:, :1], atol=1e-7 * (1 + np.abs(scores).max())
    )


@given(seed=seeds)
@settings(deadline=None, max_examples=15)
def test_units_do_not_matter(seed):
    """Any invertible change of the features leaves p(class | x) as it was."""
    X, y = clouds(seed)
    change = np.diag([1e-3, 1.0, 1e4])
    for fit in (fit_lda, fit_qda):
        before = special.softmax(discriminant_scores(fit(X, y, 3), X), axis=1)
        after = special.softmax(discriminant_scores(fit(X @ change, y, 3), X @ change), axis=1)
        np.testing.assert_allclose(before, after, atol=1e-6)


def test_wine():
    wine = data.wine()
    guess = discriminant_scores(fit_lda(wine.X, wine.y, 3), wine.X).argmax(axis=1)
    np.testing.assert_array_equal(guess, LinearDiscriminantAnalysis().fit(wine.X, wine.y).predict(wine.X))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: fit_lda(X, y, 4), "fit_lda: y must hold each class at least once; got none of class 3"),
        (lambda X, y: fit_lda(X, y + 1, 3), "y must hold class numbers from 0 to 2"),
        (lambda X, y: fit_lda(X[:3], y[:3], 3), "X must vary in every direction within the classes"),
        (lambda X, y: fit_qda(X[:6], y[:6], 3), "X must vary in every direction within the classes"),
        (lambda X, y: fit_lda(X[:, [0, 1, 1]], y, 3), "X must vary in every direction within the classes"),
        (lambda X, y: fit_lda(0 * X, y, 3), "X must vary in every direction within the classes"),
        (
            lambda X, y: discriminant_scores(fit_lda(X, y, 3), X[:, :2]),
            "X must have 3 columns, as in the fit",
        ),
        (lambda X, y: linear_form(fit_qda(X, y, 3)), "linear_form: model must have one covariance"),
        (lambda X, y: discriminant_scores((1, 2, 3), X), "model must be a Discriminant"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        call(*clouds(0))
    assert message in str(caught.value)


def test_a_boundary_by_hand():
    """Centres ±1, variance 1, shares ¾ and ¼: the boundary is nearer to the rarer class."""
    model = Discriminant(np.array([[1.0], [-1.0]]), np.ones((2, 1, 1)), np.array([0.75, 0.25]))
    boundary = -np.log(3) / 2
    scores = discriminant_scores(model, np.array([[boundary]]))
    assert scores[0, 0] == pytest.approx(scores[0, 1], abs=1e-12)
