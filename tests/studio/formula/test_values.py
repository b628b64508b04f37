"""Formulas in the book's style, each against numpy that was written by hand."""

import numpy as np
import pytest
from scipy import special, stats

from chapters_src.studio.formula import Formula, FormulaError

rng = np.random.default_rng(7)
n, d, K = 8, 3, 5
v = {
    "X": rng.normal(size=(n, d)),
    "Y": rng.normal(size=(n, 2)),
    "W": rng.normal(size=(d, 2)),
    "b": rng.normal(size=2),
    "y": rng.normal(size=n),
    "theta": rng.normal(size=d),
    "S": np.cov(rng.normal(size=(d, 20))),
    "m": rng.normal(size=d),
    "Q": rng.normal(size=(4, d)),
    "K": rng.normal(size=(K, d)),
    "V": rng.normal(size=(K, 2)),
    "a": rng.normal(size=K),
    "p": rng.dirichlet(np.ones(K)),
    "q": rng.dirichlet(np.ones(K)),
    "r": rng.dirichlet(np.ones(2), size=n),
    "w": 0.7,
    "c": -1.3,
    "lam": 0.4,
    "sigma2": 1.7,
    "eta": 0.1,
    "tau": 0.6,
    "y_hat": rng.normal(size=n),
    "x_bar": 0.25,
    "W1": rng.normal(size=(d, 4)),
    "W2": rng.normal(size=(4, 2)),
}
X, Y, W, b, y, theta, S = (v[name] for name in ("X", "Y", "W", "b", "y", "theta", "S"))
m, Q, V, a, p, q, r = (v[name] for name in "mQVapqr")
keys, w, c, lam, var, eta, tau = v["K"], v["w"], v["c"], v["lam"], v["sigma2"], v["eta"], v["tau"]
res = y - X @ theta


def soft(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


BOOK = {
    r"\sum_i (y_i-wx_{i1})^2": np.sum((y - w * X[:, 0]) ** 2),
    r"2w\sum_i x_{i2}^2-2\sum_i x_{i2}y_i": 2 * w * np.sum(X[:, 1] ** 2) - 2 * np.sum(X[:, 1] * y),
    r"\sum_{i=1}^n\left(y_i-\theta^\top x_i\right)^2": res @ res,
    r"\frac1n\sum_{i=1}^n(y_i-\hat y_i)^2": np.mean((y - v["y_hat"]) ** 2),
    r"\lVert y-X\theta\rVert^2": res @ res,
    r"\|y-X\theta\|_2": np.sqrt(res @ res),
    r"\left\|\theta\right\|_1": np.abs(theta).sum(),
    r"\lVert\theta\rVert_\infty": np.abs(theta).max(),
    r"\lVert Y-XW\rVert_F^2": np.sum((Y - X @ W) ** 2),
    r"\lVert X\rVert_2": np.linalg.svd(X)[1][0],
    r"(y-X\theta)^\top(y-X\theta)": res @ res,
    r"y^\top y-2y^\top X\theta+\theta^\top X^\top X\theta": res @ res,
    r"-2X^\top y+2X^\top X\theta": -2 * X.T @ res,
    r"(X^\top X+\lambda I)^{-1}X^\top y": np.linalg.solve(X.T @ X + lam * np.eye(d), X.T @ y),
    r"\bigl(I_3-\eta X^\top X\bigr)^2\theta": np.linalg.matrix_power(np.eye(d) - eta * X.T @ X, 2) @ theta,
    r"\theta m^\top": np.outer(theta, m),
    r"\theta^\top": theta[None],
    r"XW+b": X @ W + b,
    r"X\,W_1W_2": X @ v["W1"] @ v["W2"],
    r"\sum_ix_ix_i^\top": X.T @ X,
    r"\sum_{i}\sum_k\left(Y_{ik}-W_{:,k}^\top x_i\right)^2": np.sum((Y - X @ W) ** 2),
    r"\sum_k\lVert Y_{:k}-XW_{:k}\rVert^2": np.sum((Y - X @ W) ** 2),
    r"\sum_{i,k}r_{ik}Y_{ik}": np.sum(r * Y),
    r"\sum_{ik}r_{ik}\log r_{ik}": np.sum(r * np.log(r)),
    r"\sum_{i\ne j}a_ia_j": a.sum() ** 2 - a @ a,
    r"\sum_{i<j}a_ia_j": (a.sum() ** 2 - a @ a) / 2,
    r"\sum_i\sum_{j\ne i}a_ip_j": a.sum() - a @ p,
    r"\sum_{j>1}a_j": a[1:].sum(),
    r"\sum_{t=2}^{5}(a_t-a_{t-1})^2": np.sum(np.diff(a) ** 2),
    r"\prod_j(1-p_j)": np.prod(1 - p),
    r"\log\prod_jp_j^{q_j}(1-p_j)^{1-q_j}": np.sum(q * np.log(p) + (1 - q) * np.log(1 - p)),
    r"\max_ja_j-\min_ja_j": np.ptp(a),
    r"\max(w,c,0)": max(w, c, 0),
    r"\operatorname{sign}(c)\max\left(\lvert c\rvert-\tfrac\lambda2,0\right)": -(abs(c) - lam / 2),
    r"\log\sum_ke^{a_k}": special.logsumexp(a),
    r"\frac{e^{a_k}}{\sum_je^{a_j}}": soft(a),
    r"\operatorname{softmax}(a)_2": soft(a)[1],
    r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt3}\right)V": soft(Q @ keys.T / np.sqrt(3)) @ V,
    r"\left[\sum_j\frac{\exp(q_i^\top k_j)}{\sum_l\exp(q_i^\top k_l)}v_j\right]_{i=1,\dots,4}": soft(
        Q @ keys.T
    )
    @ V,
    r"\operatorname{softmax}_j\left(-\tfrac12\lVert\theta-k_j\rVert^2\right)": soft(
        -np.sum((theta - keys) ** 2, 1) / 2
    ),
    r"\sum_j\operatorname{softmax}_j(\theta^\top k_j)v_j": soft(keys @ theta) @ V,
    r"\left(\operatorname{diag}p-pp^\top\right)a": (np.diag(p) - np.outer(p, p)) @ a,
    r"p\odot(a-s),\qquad s=\sum_jp_ja_j": p * (a - p @ a),
    r"a\oslash p": a / p,
    r"a^{\odot2}": a**2,
    r"\langle Y,\,XW\rangle": np.sum(Y * (X @ W)),
    r"\operatorname{tr}(S^{-1}mm^\top)-\log\det S": m @ np.linalg.solve(S, m) - np.log(np.linalg.det(S)),
    r"m^\top S^{-1/2}S^{-1/2}m": m @ np.linalg.solve(S, m),
    r"(S^{-\top}m)^\top m": m @ np.linalg.solve(S, m),
    r"\log\mathcal N(m;\theta,S)": stats.multivariate_normal(theta, S).logpdf(m),
    r"\mathcal N(w\mid c,\sigma^2)": stats.norm(c, var**0.5).pdf(w),
    r"\sum_i\log\mathcal N(x_i;0,\sigma^2I)": stats.norm(0, var**0.5).logpdf(X).sum(),
    r"\tfrac n2\log2\pi\sigma^2+\tfrac1{2\sigma^4}\sum_{i=1}^ny_i": (
        n / 2 * np.log(2 * np.pi * var) + y.sum() / (2 * var**2)
    ),
    r"e^{-(w-c)^2/2\sigma^2}": np.exp(-((w - c) ** 2) / (2 * var)),
    r"\sigma(w)\,(1-\sigma(w))": special.expit(w) * special.expit(-w),
    r"\sqrt{w^2+\bar x}": np.sqrt(w**2 + 0.25),
    r"\left[\theta_k m^\top\right]_{k}": np.outer(theta, m),
    r"[w>0]+[c>0]": 1.0,
    r"\mathbb 1\left[w<c\right]": 0.0,
    r"\sum_jp_j[j=2]": p[1],
    r"[a>0]\odot a": np.maximum(a, 0),
    r"\operatorname{ReLU}(a)": np.maximum(a, 0),
    r"\mathbf 1^\top X\theta": X.sum(0) @ theta,
    r"\tfrac1n\sum_{i=1}^nx_i-\tfrac18X^\top\mathbf 1": np.zeros(d),
    r"\begin{bmatrix}X^\top&m\end{bmatrix}\begin{bmatrix}y\\1\end{bmatrix}": X.T @ y + m,
    r"\underbrace{(m-\theta)^\top S^{-1}}_{w^\top}m": (m - theta) @ np.linalg.solve(S, m),
    r"\tanh^2w+\binom42+3!": np.tanh(w) ** 2 + 12,
    r"f(w)-f(c),\quad f(z)=2z-e^z": 2 * w - np.exp(w) - 2 * c + np.exp(c),
    r"\sum_i\left[\log(1+e^{s_i})-y_is_i\right],\quad s_i=\theta^\top x_i": (
        np.sum(np.log1p(np.exp(X @ theta)) - y * (X @ theta))
    ),
    r"L=\tfrac12w^2=\tfrac{w\cdot w}2": w**2 / 2,
    r"I_2\otimes m": np.kron(np.eye(2), m[:, None]),
}


@pytest.mark.parametrize("latex", BOOK)
def test_a_formula_has_the_value_that_numpy_gives(latex):
    names = [name for name in v if not (name == "q" and "q_i" in latex)]
    value = Formula(latex, names).value(v)
    expected = BOOK[latex]
    assert np.shape(value) == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-11, atol=1e-12)


def test_a_number_comes_back_as_a_float_and_an_array_as_a_fresh_float64_array():
    assert type(Formula("w+1", v).value(v)) is float
    array = Formula("X", v).value({**v, "X": np.ones((2, 2), dtype=int)})
    assert array.dtype == np.float64
    given = np.ones((2, 2))
    Formula("X", v).value({**v, "X": given})[:] = 5
    assert (given == 1).all()


def test_the_symbols_are_those_that_are_read():
    f = Formula(r"\lVert y-X\theta\rVert^2+\lambda\bar x", v)
    assert f.symbols == {"y", "X", "theta", "lam", "x_bar"}


WHERE = {
    "N": "rows of X",
    "D": "columns of X",
    "h": "= XW",
    r"\theta^*": r"= (X^\top X)^{-1}X^\top y",
    r"L(\theta)": r"= \tfrac1N\lVert y-X\theta\rVert^2",
    "s_i": r"= \theta^\top x_i",
    r"\alpha_{t-1}": "w",
    r"\bar\alpha": 0.5,
    "g": np.sin,
    "H": lambda p: -np.sum(p * np.log(p)),
    r"\mathrm{KL}": lambda p, q: np.sum(p * np.log(p / q)),
}
best = np.linalg.lstsq(X, y, rcond=None)[0]
DECLARED = {
    r"ND": 24.0,
    r"\lVert h\rVert_F^2": np.sum((X @ W) ** 2),
    r"L(\theta^*)": np.mean((y - X @ best) ** 2),
    r"L(\theta)=\tfrac1N\lVert y-X\theta\rVert^2": np.mean(res**2),
    r"\nabla_\theta L(\theta)": -2 / n * X.T @ res,
    r"m^\top\,\nabla^2_\theta L(\theta)\,m": 2 / n * np.sum((X @ m) ** 2),
    r"\sum_is_i+\alpha_{t-1}\bar\alpha": (X @ theta).sum() + w / 2,
    r"\sum_ig(y_i)+H(p)": np.sin(y).sum() - np.sum(p * np.log(p)),
    r"\mathrm{KL}(p\Vert q)": np.sum(p * np.log(p / q)),
}


@pytest.mark.parametrize("latex", DECLARED)
def test_declared_symbols_sizes_and_functions_have_their_values(latex):
    np.testing.assert_allclose(Formula(latex, v, where=WHERE).value(v), DECLARED[latex], rtol=1e-11)


def test_sizes_follow_the_inputs():
    f = Formula(r"\tfrac1N\sum_ix_i", ["X"], where={"N": "rows of X"})
    for rows in (2, 5):
        sample = rng.normal(size=(rows, 3))
        np.testing.assert_allclose(f.value({"X": sample}), sample.mean(0))


def test_a_line_that_is_one_declared_symbol_is_known_as_such():
    lines = (r"h", r"L(\theta)", r"L(2\theta)", "w", "2h", r"L(\theta)=\tfrac1N\lVert y-X\theta\rVert^2")
    named = {latex for latex in lines if Formula(latex, v, where=WHERE).is_one_declared_symbol}
    assert named == {"h", r"L(\theta)"}


def test_an_equation_inside_a_line_must_hold():
    with pytest.raises(FormulaError, match=r"is 1\.7 and the side before it 1\.4"):
        Formula(r"2w=w+1", v).value(v)


def test_what_is_declared_must_mean_something():
    for where, complaint in [
        ({"N": "rows of Z"}, "no input"),
        ({"N": "lines"}, "no input, size or formula"),
        ({"w": 3}, "is an input already"),
        ({"x": 3, "x_i": "= y_i"}, "declares x a second time"),
        ({r"\theta+1": 3}, "no symbol"),
        ({"f(x)": np.sin}, "because it has parameters"),
    ]:
        with pytest.raises(FormulaError, match=complaint):
            Formula("w", v, where=where)
