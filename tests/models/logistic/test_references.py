"""Coefficients, standard errors and the stable loss beside statsmodels and numpy: no code is shared."""

import numpy as np
import pytest
import statsmodels.api as sm

from chapters_src import data
from chapters_src.models.least_squares import with_bias
from chapters_src.models.logistic import fit_logistic, logistic_hessian, softplus, standard_errors


@pytest.mark.parametrize("columns", [[0], [0, 1], [1, 4, 8]])
def test_coefficients_and_errors_are_those_of_statsmodels(columns):
    table = data.breast_cancer()
    X, y = with_bias(table.X[:, columns]), 1.0 - table.y
    theirs = sm.Logit(y, X).fit(disp=0, tol=1e-12, maxiter=100)
    ours = fit_logistic(X, y)
    np.testing.assert_allclose(ours.theta, theirs.params, rtol=1e-7)
    np.testing.assert_allclose(standard_errors(X, ours.theta), theirs.bse, rtol=1e-6)
    np.testing.assert_allclose(len(X) * ours.losses[-1], -theirs.llf, rtol=1e-10)
    np.testing.assert_allclose(
        len(X) * logistic_hessian(X, ours.theta), -theirs.model.hessian(theirs.params), rtol=1e-6
    )


def test_softplus_is_numpys_without_a_warning():
    a = np.array([-1e308, -1000.0, -40.0, -1e-300, 0.0, 1.0, 40.0, 1000.0, 1e308])
    with np.errstate(all="raise", under="ignore"):
        ours = softplus(a)
    np.testing.assert_allclose(ours, np.logaddexp(0, a), rtol=1e-15)
    assert float(softplus(-40.0)) > 0
