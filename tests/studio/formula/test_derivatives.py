"""Derivatives in formulas against closed forms and against finite differences of the formula itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.studio.formula import Formula
from chapters_src.studio.oracle import finite_difference_gradient

rng = np.random.default_rng(11)
v = {
    "X": rng.normal(size=(6, 3)), "y": rng.normal(size=6), "theta": rng.normal(size=3),
    "S": np.cov(rng.normal(size=(3, 9))), "G": rng.normal(size=(6, 2)), "W": rng.normal(size=(3, 2)),
    "s": rng.normal(size=5), "g": rng.normal(size=5), "w": 0.7, "t": -0.3, "v": 1.4,
}  # fmt: skip
X, y, theta, S, G, W, s, g, w, t = (v[k] for k in ["X", "y", "theta", "S", "G", "W", "s", "g", "w", "t"])
soft = np.exp(s) / np.exp(s).sum()

CLOSED = {
    r"\nabla_\theta\lVert y-X\theta\rVert^2": 2 * X.T @ (X @ theta - y),
    r"\nabla_\theta\lVert\theta\rVert": theta / np.linalg.norm(theta),
    r"\nabla_\theta\;-\tfrac12\theta^\top S\theta": -S @ theta,
    r"\nabla^2_\theta\lVert y-X\theta\rVert^2": 2 * X.T @ X,
    r"\nabla^2_\theta\,\tfrac12\lVert y-X\theta\rVert^2\,\theta": X.T @ X @ theta,
    r"\nabla_S\log\det S": np.linalg.inv(S).T,
    r"\nabla_W\langle G,XW\rangle": X.T @ G,
    r"\frac{\partial}{\partial W}\sum_{ik}G_{ik}(XW)_{ik}": X.T @ G,
    r"\frac{\partial}{\partial s}\sum_jg_j\operatorname{softmax}(s)_j": soft * (g - soft @ g),
    r"\frac{\partial}{\partial s}\operatorname{softmax}(s)": np.diag(soft) - np.outer(soft, soft),
    r"\sum_j\frac{\partial a_j}{\partial s_j},\quad a=\operatorname{softmax}(s)": 1 - soft @ soft,
    r"\frac{\partial}{\partial s_2}\log\sum_ke^{s_k}": soft[1],
    r"\frac{d}{dw}\sum_i(y_i-wx_{i1})^2": -2 * X[:, 0] @ (y - w * X[:, 0]),
    r"\frac d{dw}\,w\sin(w)": np.sin(w) + w * np.cos(w),
    r"\frac{\partial}{\partial w}(w\theta)": theta,
    r"\frac{\partial}{\partial w}\frac{\partial}{\partial t}(w^2t^3)": 6 * w * t**2,
    r"\nabla_\theta\,w": np.zeros(3),
    r"\frac{\partial L}{\partial h},\quad L=\lVert h\rVert^2,\ h=X\theta": 2 * X @ theta,
    r"\sigma'(w)+\sigma''(w)": None,
    r"f'(w)-f'''(t),\quad f(z)=z^4": 4 * w**3 - 24 * t,
    r"\nabla f(\theta)^\top\theta,\quad f(u)=u^\top Su": 2 * theta @ S @ theta,
    r"\nabla f(2\theta),\quad f(u)=\lVert y-Xu\rVert^2": 2 * X.T @ (2 * X @ theta - y),
    r"-\nabla^2f(\theta)^{-1}\nabla f(\theta),\quad f(u)=\tfrac12u^\top Su": -theta,
    r"\phi'(s),\quad\phi(z)=\tanh(z)": 1 - np.tanh(s) ** 2,
    r"\frac{\partial}{\partial\sigma^2}\log\mathcal N(w;t,\sigma^2)": None,
}
half = 1 / (1 + np.exp(-w))
CLOSED[r"\sigma'(w)+\sigma''(w)"] = half * (1 - half) * (2 - 2 * half)
CLOSED[r"\frac{\partial}{\partial\sigma^2}\log\mathcal N(w;t,\sigma^2)"] = (w - t) ** 2 / (
    2 * 1.4**2
) - 1 / 2.8


@pytest.mark.parametrize("latex", CLOSED)
def test_a_derivative_is_its_closed_form(latex):
    value = Formula(latex, v, where={r"\sigma^2": "v"}).value(v)
    assert np.shape(value) == np.shape(CLOSED[latex])
    np.testing.assert_allclose(value, CLOSED[latex], rtol=1e-11, atol=1e-13)


SCALARS = [
    r"\lVert y-X\theta\rVert^2",
    r"\log(1+\theta^\top\theta)",
    r"\sum_i\log\left(1+e^{\theta^\top x_i}\right)",
    r"\theta^\top S^{-1}\theta\cdot\tanh(\theta_1)",
    r"\sqrt{\lVert\theta\rVert^2+w^2}",
    r"\prod_j(1+\theta_j^2)",
    r"\max_i\theta^\top x_i",
    r"\log\mathcal N(\theta;0,S)",
    r"\sigma(\theta_1\theta_2)-\operatorname{ReLU}(\theta_3)",
]


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(SCALARS), st.integers(0, 10_000))
def test_a_gradient_is_what_finite_differences_say(latex, seed):
    inputs = {**v, "theta": np.random.default_rng(seed).normal(size=3)}
    f = Formula(latex, v)
    gradient = Formula(rf"\nabla_\theta\left({latex}\right)", v).value(inputs)
    expected = finite_difference_gradient(
        lambda point: f.value({**inputs, "theta": point}), inputs["theta"], step=2.0**-10
    )
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7)


def test_a_python_function_of_tensors_is_differentiated():
    f = Formula(r"\nabla_\theta g(\theta)", ["theta"], where={"g": lambda u: (u**3).sum()})
    np.testing.assert_allclose(f.value(v), 3 * theta**2)


def test_a_defined_symbol_can_be_the_variable():
    where = {"h": r"= XW", "L": r"= \lVert h\rVert_F^2"}
    np.testing.assert_allclose(Formula(r"\frac{\partial L}{\partial h}", v, where=where).value(v), 2 * X @ W)
    np.testing.assert_allclose(Formula(r"\nabla_WL", v, where=where).value(v), 2 * X.T @ X @ W)
