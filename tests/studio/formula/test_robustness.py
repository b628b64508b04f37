"""Whatever is written, the answer is a value or a FormulaError, and never another error."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.studio.formula import Formula, FormulaError

rng = np.random.default_rng(1)
v = {
    "X": rng.normal(size=(4, 3)), "A": rng.normal(size=(3, 3)), "y": rng.normal(size=4),
    "theta": rng.normal(size=3), "a": 0.4, "sigma2": 1.2,
}  # fmt: skip
PIECES = [
    "X", "A", "y", r"\theta", "a", "x_i", "y_i", "y_j", "X_{ij}", r"\sigma^2", "2", "1", "0", "n", "z", "I",
    r"\mathbf 1", "+", "-", "=", ",", "/", "(", ")", "[", "]", "{", "}", "^", "_", "^2", r"^\top", "^{-1}",
    "_1", r"\sum_i", r"\sum_{i=1}^n", r"\prod_j", r"\max_i", r"\nabla_\theta", r"\nabla", r"\frac{a}{2}",
    r"\frac", r"\frac{d}{da}", r"\frac{\partial}{\partial A}", r"\lVert", r"\rVert", "|", r"\left(",
    r"\right)", r"\log", r"\exp", r"\det", r"\operatorname{tr}", r"\operatorname{softmax}", r"\odot",
    r"\cdot", r"\sqrt", r"\hat", r"\text{with}", r"\begin{bmatrix}", r"\end{bmatrix}", "&", "\\\\", "'",
    "<", r"\ne", r"\mathcal N", "*", "!", "e^{a}", r"\langle", r"\rangle", r"\quad", r"\underbrace", ":",
    r"\left", "f(a)", "g", "e", r"\operatorname",
]  # fmt: skip


@settings(deadline=None, max_examples=500)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map(" ".join))
def test_nothing_but_a_value_or_a_formula_error(latex):
    try:
        value = Formula(latex, v, where={"g": np.sum, "f(z)": "= z^2"}).value(v)
    except FormulaError:
        return
    assert np.asarray(value).dtype == np.float64
