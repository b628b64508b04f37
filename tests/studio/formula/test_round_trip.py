"""Random formulas: printed to LaTeX and read back they are the same tree, with the value numpy gives."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.studio.formula import Formula, tree
from chapters_src.studio.formula.printing import printed

rng = np.random.default_rng(5)
v = {
    "a": 0.7, "b_hat": -1.3, "lam": 0.4, "x": rng.normal(size=3), "theta": rng.normal(size=3),
    "A": rng.normal(size=(3, 3)), "W1": rng.normal(size=(3, 3)), "M": rng.normal(size=(4, 3)),
}  # fmt: skip


def symbols(*names):
    return st.sampled_from([(tree.Symbol(name), v[name]) for name in names])


def added(children, least=2):
    """Terms with signs, and their sum by numpy."""

    def build(parts):
        terms, total = [], 0
        for (node, value), negative in parts:
            terms.append(tree.Negative(node) if negative else node)
            total = total - value if negative else total + value
        return tree.Sum(tuple(terms)), total

    plain = children.filter(lambda pair: not isinstance(pair[0], tree.Sum | tree.Negative))
    return st.lists(st.tuples(plain, st.booleans()), min_size=least, max_size=3).map(build)


def scaled(number, children):
    def build(pair):
        (left, x), (right, y) = pair
        return tree.Product((left, right)), x * y

    plain = number.filter(lambda pair: not isinstance(pair[0], tree.Product))
    return st.tuples(plain, children.filter(lambda pair: not isinstance(pair[0], tree.Product))).map(build)


def function(name, numpy_function):
    return lambda pair: (tree.Apply(name, (pair[0],)), numpy_function(pair[1]))


def summed(pair):
    """∑_i x_i y_i for two vectors."""
    (left, x), (right, y) = pair
    entries = tuple(tree.Entry(node, (tree.Index("i"),)) for node in (left, right))
    return tree.Over("sum", ("i",), tree.Product(entries)), np.sum(x * y)


numbers = st.integers(0, 12).map(lambda k: (tree.Number(str(k)), float(k))) | symbols("a", "b_hat", "lam")
matrices = symbols("A", "W1") | symbols("A", "W1").map(lambda p: (tree.Transpose(p[0]), p[1].T))
matrices = matrices | st.tuples(matrices, matrices).map(
    lambda p: (tree.Product((p[0][0], p[1][0])), p[0][1] @ p[1][1])
)
vectors = symbols("x", "theta") | st.tuples(matrices, symbols("x", "theta")).map(
    lambda p: (tree.Product((p[0][0], p[1][0])), p[0][1] @ p[1][1])
)
vectors = vectors | added(vectors) | vectors.map(function("tanh", np.tanh))


def larger(children):
    def divided(pair):
        (above, x), (below, y) = pair
        return tree.Quotient(above, tree.Sum((tree.Absolute(below), tree.Number("1")))), x / (abs(y) + 1)

    quotient = st.tuples(children, children).map(divided)
    power = children.map(lambda p: (tree.Power(p[0], tree.Number("2")), p[1] ** 2))
    return (
        added(children) | scaled(children, children) | quotient | power
        | children.map(function("sin", np.sin)) | children.map(function("tanh", np.tanh))
    )  # fmt: skip


scalars = st.recursive(
    numbers
    | st.tuples(vectors, vectors).map(
        lambda p: (tree.Product((tree.Transpose(p[0][0]), p[1][0])), p[0][1] @ p[1][1])
    )
    | vectors.map(lambda p: (tree.Norm(p[0]), np.sqrt(p[1] @ p[1])))
    | st.tuples(symbols("x", "theta"), vectors).map(summed),
    larger,
    max_leaves=8,
)
everything = scalars | vectors | matrices | scaled(scalars, vectors) | scaled(scalars, matrices)


@settings(deadline=None, max_examples=250)
@given(everything)
def test_a_tree_survives_being_printed_and_read(pair):
    node, expected = pair
    f = Formula(printed(node), v)
    assert f.tree == tree.Line((node,))
    value = f.value(v)
    assert np.shape(value) == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-8, atol=1e-8 * (1 + np.max(np.abs(expected))))


BOOK = [
    r"\sum_{i=1}^n\left(y_i-\theta^\top x_i\right)^2",
    r"\nabla_\theta\,\lVert y-X\theta\rVert^2",
    r"\theta^\top\nabla^2_\theta\lVert y-X\theta\rVert^2\theta",
    r"\max_i\lvert1-\lambda x_{i1}\rvert\;\lVert\theta\rVert_1",
    r"\operatorname{softmax}_j\left(\theta^\top x_j\right)",
    r"\sum_{i\ne j}y_iy_j+\sum_{k}[k>2]y_k",
    r"p\odot(y-r),\quad r=p^\top y,\ p=\operatorname{softmax}(y)",
    r"\nabla f(\theta)^\top\theta,\quad f(u)=\lVert y-Xu\rVert^2",
    r"f'(\lambda)+g(\lambda),\quad f(z)=z^2,\ g(z)=e^{-z}",
    r"\lVert\begin{bmatrix}y\\0\end{bmatrix}-\begin{bmatrix}X\\\sqrt\lambda I\end{bmatrix}\theta\rVert^2",
    r"\log\mathcal N(\theta;0,\lambda I)+X_{:,1}^\top y",
    r"\frac{\partial}{\partial\theta_2}\log\sum_ie^{\theta^\top x_i}",
]
inputs = {"X": rng.normal(size=(6, 3)), "y": rng.normal(size=6), "theta": rng.normal(size=3), "lam": 0.3}


def test_formulas_of_the_book_survive_being_printed_and_read():
    for latex in BOOK:
        f = Formula(latex, inputs)
        again = Formula(printed(f.tree), inputs)
        np.testing.assert_allclose(again.value(inputs), f.value(inputs), rtol=1e-14, err_msg=latex)
        assert printed(again.tree) == printed(f.tree)
