"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from chapters_src.models.shrinkage import exercises
from chapters_src.studio.oracle import autograd_gradient
from tests.verdicts import rejected

# --- the gradient of the ridge loss


def test_ridge_gradient_solution():
    def ridge_gradient(X, y, theta, lam):
        n = len(y)
        return -2 * X.T @ (y - X @ theta) / n + 2 * lam * theta

    assert exercises.ridge_gradient.check(ridge_gradient).message == "Accepted: 5 cases."

    def by_machine(X, y, theta, lam):
        def loss(t, X, y):
            return ((y - X @ t) ** 2).mean() + lam * (t**2).sum()

        return autograd_gradient(loss, theta, X, y)

    assert exercises.ridge_gradient.check(by_machine).accepted


RIDGE_WRONG = {
    "where did 1/n go": lambda X, y, theta, lam: 2 * (X.T @ X @ theta - X.T @ y + lam * theta),
    "in both terms": lambda X, y, theta, lam: (X.T @ X @ theta - X.T @ y) / y.size + lam * theta,
    "brings down a 2": lambda X, y, theta, lam: np.mean(X.T * (X @ theta - y), axis=1) + 2 * lam * theta,
    r"is 2\lambda\theta_j": lambda X, y, theta, lam: 2 * np.mean(X.T * (X @ theta - y), axis=1) + lam * theta,
    "check the sign": lambda X, y, theta, lam: 2 / y.size * X.T @ (y - X @ theta) + 2 * lam * theta,
    "points downhill": lambda X, y, theta, lam: 2 / y.size * X.T @ (y - X @ theta) - 2 * lam * theta,
    "is added": lambda X, y, theta, lam: 2 / y.size * (y - X @ theta) @ -X - 2 * lam * theta,
    "has a gradient as well": lambda X, y, theta, lam: 2 / len(y) * (X @ theta - y) @ X,
    "not divided by n": lambda X, y, theta, lam: (2 * X.T @ (X @ theta - y) + 2 * lam * theta) / len(y),
    "differentiate by one coordinate": lambda X, y, theta, lam: X @ theta - y,
    "raised ValueError": lambda X, y, theta, lam: 2 / len(y) * X @ (X @ theta - y) + 2 * lam * theta,
    "got shape (2, 1)": lambda X, y, theta, lam: ((X @ theta - y) @ X)[:, None],
}


@pytest.mark.parametrize("hint", RIDGE_WRONG)
def test_ridge_gradient_wrong(hint):
    rejected(exercises.ridge_gradient, RIDGE_WRONG[hint], hint)


# --- weighted least squares


def test_weighted_solution():
    def by_rows(X, y, w):
        root = np.sqrt(w)
        return np.linalg.lstsq(X * root[:, None], y * root, rcond=None)[0]

    assert exercises.weighted_least_squares.check(by_rows).accepted

    def by_library(X, y, w):
        return LinearRegression(fit_intercept=False).fit(X, y, sample_weight=w).coef_

    assert exercises.weighted_least_squares.check(by_library).accepted


WEIGHTED_WRONG = {
    "without weights": lambda X, y, w: np.linalg.inv(X.T @ X) @ X.T @ y,
    "so is y_i": lambda X, y, w: np.linalg.pinv(np.diag(w**0.5) @ X) @ y,
    r"not by w_i": lambda X, y, w: np.linalg.pinv(np.diag(w) @ X) @ (w * y),
    "on both sides": lambda X, y, w: np.linalg.inv(X.T @ np.diag(w) @ X) @ X.T @ y,
    "count more, not less": lambda X, y, w: np.linalg.pinv(X / np.sqrt(w)[:, None]) @ (y / np.sqrt(w)),
    "set the gradient": lambda X, y, w: w.sum() * np.linalg.pinv(X) @ y,
    "got shape (2, 1)": lambda X, y, w: np.linalg.pinv(X) @ y[:, None],
}


@pytest.mark.parametrize("hint", WEIGHTED_WRONG)
def test_weighted_wrong(hint):
    rejected(exercises.weighted_least_squares, WEIGHTED_WRONG[hint], hint)


# --- R²


def test_r_squared_solution():
    assert exercises.r_squared.check(r2_score).accepted

    def r_squared(y, y_hat):
        return 1 - np.mean((y - y_hat) ** 2) / np.var(y)

    assert exercises.r_squared.check(r_squared).message == "Accepted: 5 cases."


R_SQUARED_WRONG = {
    "take it from 1": lambda y, y_hat: np.mean((y - y_hat) ** 2) / np.var(y),
    "upside down": lambda y, y_hat: 1 - np.var(y) / np.mean((y - y_hat) ** 2),
    "squared correlation": lambda y, y_hat: (
        np.cov(y, y_hat)[0, 1] ** 2 / (np.var(y, ddof=1) * np.var(y_hat, ddof=1))
    ),
    "subtract the mean": lambda y, y_hat: 1 - np.sum((y_hat - y) ** 2) / (y @ y),
    "not of the predictions": lambda y, y_hat: (
        1 - np.sum((y_hat - y) ** 2) / np.sum((y - np.mean(y_hat)) ** 2)
    ),
    "not that of": lambda y, y_hat: r2_score(y_hat, y),
    "a mean over a mean": lambda y, y_hat: 1 - np.var(y - y_hat, mean=0) / (np.var(y) * len(y)),
    "always predicting": lambda y, y_hat: 1 - np.abs(y - y_hat).sum() / np.abs(y - y.mean()).sum(),
}


@pytest.mark.parametrize("hint", R_SQUARED_WRONG)
def test_r_squared_wrong(hint):
    rejected(exercises.r_squared, R_SQUARED_WRONG[hint], hint)


# --- leave-one-out errors


def refit(X, y):
    errors = np.empty(len(y))
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        errors[i] = y[i] - X[i] @ np.linalg.lstsq(X[rest], y[rest], rcond=None)[0]
    return errors


def test_leave_one_out_solution():
    assert exercises.leave_one_out.check(refit).message == "Accepted: 4 cases."

    def by_library(X, y):
        return y - cross_val_predict(LinearRegression(fit_intercept=False), X, y, cv=LeaveOneOut())

    assert exercises.leave_one_out.check(by_library).accepted

    def with_hat_matrix(X, y):
        H = X @ np.linalg.inv(X.T @ X) @ X.T
        return (y - H @ y) / (1 - H.diagonal())

    assert exercises.leave_one_out.check(with_hat_matrix).accepted


def fit(X, y):
    return y - X @ np.linalg.lstsq(X, y, rcond=None)[0]


def leverage(X):
    return (np.linalg.qr(X)[0] ** 2).sum(axis=1)


LEAVE_ONE_OUT_WRONG = {
    "has seen them": lambda X, y: fit(X, y),
    "not 1 + h_{ii}": lambda X, y: fit(X, y) / (1 + leverage(X)),
    "not squared": lambda X, y: fit(X, y) / (1 - leverage(X) ** 2),
    "divide by 1 - h_{ii}: leaving": lambda X, y: fit(X, y) * (1 - leverage(X)),
    "no square root": lambda X, y: fit(X, y) / (1 - leverage(X)) ** 0.5,
    "not the other way round": lambda X, y: -refit(X, y),
    "not their squares": lambda X, y: refit(X, y) ** 2,
    "its own leverage": lambda X, y: fit(X, y) / (1 - X.shape[1] / len(y)),
    "when row i is taken away": lambda X, y: fit(X, y) / leverage(X),
    "expected shape (4,), got shape ()": lambda X, y: np.mean(refit(X, y) ** 2),
}


@pytest.mark.parametrize("hint", LEAVE_ONE_OUT_WRONG)
def test_leave_one_out_wrong(hint):
    rejected(exercises.leave_one_out, LEAVE_ONE_OUT_WRONG[hint], hint)
