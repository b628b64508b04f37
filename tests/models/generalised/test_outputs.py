"""Several outputs: as the single fits, as a joint minimum, and refused where the kinds do not fit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

from chapters_src.models.generalised import (
    BERNOULLI,
    GAUSSIAN,
    POISSON,
    fit_outputs,
    glm_loss,
    predicted_means,
)
from chapters_src.models.least_squares import least_squares, with_bias

KINDS = (GAUSSIAN, BERNOULLI, POISSON)


def problem(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X, W = with_bias(rng.uniform(-1, 1, (n, 1))), rng.uniform(-1, 1, (2, 3))
    a = X @ W
    Y = np.column_stack(
        [rng.normal(a[:, 0]), rng.random(n) < 1 / (1 + np.exp(-a[:, 1])), rng.poisson(np.exp(a[:, 2]))]
    )
    return X, Y.astype(float)


def test_the_joint_minimum_by_an_optimiser_that_knows_no_columns():
    X, Y = problem()

    def total(flat):
        a = X @ flat.reshape(2, 3)
        parts = a[:, 0] ** 2 / 2, np.logaddexp(0, a[:, 1]), np.exp(a[:, 2])
        return (np.column_stack(parts) - Y * a).sum() / len(X)

    fit = fit_outputs(X, Y, KINDS)
    found = scipy.optimize.minimize(total, np.zeros(6), tol=1e-12)
    np.testing.assert_allclose(fit.theta, found.x.reshape(2, 3), atol=1e-4)
    assert fit.converged
    assert fit.losses[-1] == pytest.approx(found.fun, abs=1e-9)
    assert (np.diff(fit.losses) <= 1e-12).all()


def test_means_by_hand():
    X, W = np.array([[1.0, 2.0]]), np.array([[1.0, 0.0, 0.0], [0.5, 0.0, np.log(3) / 2]])
    np.testing.assert_allclose(predicted_means(X, W, KINDS), [[2.0, 0.5, 3.0]])


def test_gaussian_outputs_are_least_squares():
    X, Y = problem(3)
    np.testing.assert_allclose(
        fit_outputs(X, Y, [GAUSSIAN] * 3, 0.2).theta, least_squares(X, Y, 0.2), atol=1e-9
    )


def test_one_output_that_has_no_minimum_spoils_the_fit():
    X, Y = problem(4)
    Y[:, 1] = X[:, 1] > 0
    assert not fit_outputs(X, Y, KINDS).converged


def test_the_loss_is_the_sum():
    X, Y = problem(5)
    fit = fit_outputs(X, Y, KINDS, ridge=0.5)
    parts = [glm_loss(X, Y[:, k], fit.theta[:, k], family, 0.5) for k, family in enumerate(KINDS)]
    assert fit.losses[-1] == pytest.approx(sum(parts), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, Y: fit_outputs(X, Y, KINDS[:2]), "families must hold 3 families, one per output; got 2"),
        (lambda X, Y: fit_outputs(X, Y, "abc"), "fit_outputs: families must be a sequence"),
        (lambda X, Y: fit_outputs(X, Y, (POISSON,) * 3), "y must hold counts"),
        (lambda X, Y: predicted_means(X, Y[:2], "123"), "predicted_means: families must be a sequence"),
        (lambda X, Y: fit_outputs(X, Y, [1, 2, 3]), "families must be a Family; got 1"),
        (lambda X, Y: fit_outputs(X, Y[:7], KINDS), "Y must have"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        call(*problem())
    assert message in str(caught.value)
