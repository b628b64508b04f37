"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from chapters_src.models.least_squares import exercises, fit_gradient_descent
from chapters_src.models.least_squares.exact import exact_least_squares, right_digits
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


# --- the largest learning rate


def test_learning_rate_solution_by_running_descent():
    X = exercises.descent_design
    y = X @ np.array([1.0, 1.0])
    bound = exercises.largest_learning_rate.answer
    assert fit_gradient_descent(X, y, 0.99 * bound).converged
    assert not fit_gradient_descent(X, y, 1.01 * bound).converged
    hessian = 2 / len(X) * X.T @ X
    assert exercises.largest_learning_rate.check(2 / np.linalg.eigvalsh(hessian).max()).accepted
    assert exercises.largest_learning_rate.check(0.333).accepted
    assert exercises.largest_learning_rate.check(0.33).accepted is False


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("twice as much", lambda X, n: n / (2 * np.linalg.norm(X, 2) ** 2)),
        ("Hessian of the mean", lambda X, n: 2 / np.linalg.eigvalsh(X.T @ X).max()),
        ("sum of squares", lambda X, n: 1 / np.linalg.eigvalsh(X.T @ X).max()),
        ("keeps its factor 2", lambda X, n: 2 * n / np.linalg.eigvalsh(X.T @ X).max()),
        ("diagonal", lambda X, n: n / (X**2).sum(axis=0).max()),
        ("not the smallest", lambda X, n: n / np.linalg.eigvalsh(X.T @ X).min()),
        ("is multiplied by", lambda X, n: 0.1),
    ],
)
def test_learning_rate_wrong(hint, value):
    X = exercises.descent_design
    verdict = rejected(exercises.largest_learning_rate, value(X, len(X)), hint)
    assert "0.33" not in verdict.message


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


# --- data that break the normal equations


def test_fragile_data_solution():
    gap = 1e-7
    X = np.array([[1, 1], [1, 1 + gap], [1, 1 - gap]])
    assert exercises.fragile_data.check((X, [1.0, 2.0, 4.0])).message == "Accepted."
    t = np.linspace(1000, 1001, 9)  # a polynomial far from its origin
    assert exercises.fragile_data.check([np.vander(t, 3), np.sin(t)]).accepted
    lauchli = np.array([[1, 1], [1e-9, 0], [0, 1e-9]])  # XᵀX is singular in float64
    assert exercises.fragile_data.check((lauchli, np.array([1.0, 4.0, 9.0]))).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("still has", (np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), np.array([1.0, 2.0, 4.0]))),
        ("still has", (1e-9 * np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), np.array([1.0, 2.0, 4.0]))),
        ("rank 1 in float64 and 2 columns", (np.ones((4, 2)), np.arange(4.0))),
        ("no digits to lose", (np.array([[1, 1], [1, 1 + 1e-7]]), np.zeros(2))),
        ("At most 10 rows", (np.ones((11, 1)), np.ones(11))),
        ("no more columns than rows", (np.ones((2, 3)), np.ones(2))),
        ("got shapes (2, 2) and (2, 1)", (np.eye(2), np.ones((2, 1)))),
        ("finite numbers", (np.array([[1.0], [np.nan]]), np.ones(2))),
        ("Give a pair", np.eye(2)),
        ("could not be checked", ("X", "y")),
    ],
)
def test_fragile_data_wrong(hint, attempt):
    rejected(exercises.fragile_data, attempt, hint)


def test_too_fragile():
    X = np.array([[1.0, 1.0], [1.0, 1.0 + 4e-15], [1.0, 1.0]])
    rejected(exercises.fragile_data, (X, np.array([0.1, 0.7, 0.2])), "too close")


def test_exact_solution():
    theta = exact_least_squares(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 4.0]))
    assert [str(value) for value in theta] == ["5/6", "3/2"]
    assert exact_least_squares(np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([3.0, 4.0])) == [2, 3]
    assert right_digits(np.array([5 / 6 * (1 + 1e-5), 1.5]), theta) == pytest.approx(5.25, abs=0.05)
    assert right_digits(np.array([100.0, 1.5]), theta) == 0


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
