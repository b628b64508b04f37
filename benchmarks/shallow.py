"""A shallow network forward beside torch and scikit-learn; a hinge fit beside a spline fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer
from threadpoolctl import threadpool_limits

from benchmarks._timing import Row, against
from chapters_src.models.least_squares import least_squares_by_blocks, with_bias
from chapters_src.networks.shallow import Network, fit_outer, predict_in_blocks, quantile_layer, relu

TITLE = "A 100–256–10 network on 20,000 rows, and 32 hinges fitted to 100,000 points, float64, one thread"


def rows() -> list[Row]:
    """Return both comparisons; all contestants have to give the same answer."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            return [*_forward(), *_fit()]
    finally:
        torch.set_num_threads(threads)


def _forward(n: int = 20_000, sizes: tuple[int, int, int] = (100, 256, 10)) -> list[Row]:
    rng = np.random.default_rng(0)
    D_i, D_h, D_o = sizes
    network = Network(*(rng.standard_normal(shape) for shape in ((D_i, D_h), D_h, (D_h, D_o), D_o)))
    X = rng.standard_normal((n, D_i))
    first, last = (torch.nn.Linear(a, b, dtype=torch.float64) for a, b in ((D_i, D_h), (D_h, D_o)))
    with torch.no_grad():
        for layer, W, b in ((first, network.W1, network.b1), (last, network.W2, network.b2)):
            layer.weight.copy_(torch.tensor(W.T.copy()))
            layer.bias.copy_(torch.tensor(b.copy()))
    twin, X_t = torch.nn.Sequential(first, torch.nn.ReLU(), last), torch.tensor(X)
    library = MLPRegressor(hidden_layer_sizes=(D_h,)).partial_fit(X[:50], rng.standard_normal((50, D_o)))
    library.coefs_, library.intercepts_ = [network.W1, network.W2], [network.b1, network.b2]

    def by_torch() -> torch.Tensor:
        with torch.no_grad():
            return twin(X_t)

    np.testing.assert_allclose(predict_in_blocks(network, X), by_torch().numpy(), atol=1e-9)
    np.testing.assert_allclose(network(X), library.predict(X), atol=1e-9)
    others = {"torch.nn.Sequential": by_torch, "sklearn MLPRegressor.predict": lambda: library.predict(X)}
    found = against(lambda: predict_in_blocks(network, X), others)
    return [row._replace(what=f"forward, {row.what}") for row in found]


def _fit(n: int = 100_000, hidden: int = 32) -> list[Row]:
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, n)
    y = np.sin(20 * x) + 0.1 * rng.standard_normal(n)
    knots = np.append(-quantile_layer(x, hidden)[1], x.max())[:, None]

    def as_shown() -> Network:
        return fit_outer(*quantile_layer(x, hidden), x[:, None], y)

    def by_blocks() -> Network:
        W1, b1 = quantile_layer(x, hidden)
        theta = least_squares_by_blocks(with_bias(relu(x[:, None] @ W1 + b1)), y[:, None])
        return Network(W1, b1, theta[1:], theta[0])

    def theirs() -> Any:
        return make_pipeline(SplineTransformer(degree=1, knots=knots), LinearRegression()).fit(x[:, None], y)

    found = []
    for name, ours in {"fit": as_shown, "fit by blocks": by_blocks}.items():
        np.testing.assert_allclose(ours()(x[:, None])[:, 0], theirs().predict(x[:, None]), atol=1e-7)
        (row,) = against(ours, {"sklearn splines": theirs})
        found.append(row._replace(what=f"{name}, {row.what}"))
    return found
