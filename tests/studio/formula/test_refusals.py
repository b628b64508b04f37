"""Formulas that must be refused, and the piece that the message has to name."""

import numpy as np
import pytest

from chapters_src.studio.formula import Formula, FormulaError

rng = np.random.default_rng(3)
v = {
    "X": rng.normal(size=(6, 3)), "A": rng.normal(size=(3, 3)), "y": rng.normal(size=6),
    "theta": rng.normal(size=3), "u": rng.normal(size=3), "a": 0.3, "b": 0.6, "c": 1.2, "sigma": 0.8,
    "p": np.full(3, 1 / 3), "k": 2.0, "W": rng.normal(size=(3, 3)), "d": 3.0,
}  # fmt: skip

READING = {
    # outside the grammar
    r"\mathbb{E}_q[a]": r"\mathbb{E}",
    r"\int a\,dx": r"\int",
    r"a\in A": r"\in",
    r"a\propto b": r"\propto",
    r"a\le b": r"\le",
    r"a\pm b": r"\pm",
    r"\text{loss}": r"\text{loss}",
    r"a\quad\text{for all }b": r"\text{for all }",
    r"\mathrm{KL}(p\Vert p)": r"\mathrm{KL}",
    r"\operatorname{Var}(y)": r"\operatorname{Var}",
    r"\begin{cases}a&b\end{cases}": r"\begin{cases}",
    # no such name
    r"z+a": "z",
    r"\hat y": r"\hat y",
    r"\tfrac1n a": "n",
    r"f(a)": "f",
    r"\theta^*": r"\theta^*",
    # two readings
    r"a/bc": "a/bc",
    r"a/b\,(c+1)": r"a/b\,(",
    r"a/b/c": "a/b/",
    r"\log a b": r"\log a b",
    r"\log a\cdot b": r"\log a\cdot",
    r"\log a/b": r"\log a/",
    r"\log(a)^2": r"\log(a)^",
    r"\sin\tfrac12 a": r"\sin\tfrac12 a",
    r"a^b^c": "^",
    r"\sigma(a)": r"\sigma(",
    r"a(b)": "a(",
    r"\prod_ip_i\,a": r"\prod_ip_i\,a",
    r"\prod_ip_i/a": r"\prod_ip_i/",
    r"\max_ip_i\,a\,p_i": r"\max_ip_i\,a\,p_i",
    r"w_k": "w_k",
    r"A^T": "T",
    r"\frac{da}{db}": r"\frac{da}{db}",
    # indices
    r"\sum_kp_k": r"\sum_k",
    r"\sum_i\sum_ip_i": r"\sum_i",
    r"\sum p": r"\sum",
    r"\sum_{i=1}p_i+p_i": "i",
    r"\sum_ip_i+p_i": "i",
    r"\sum_{\text{all}}p": r"\text{all}",
    r"\sum^3_{i\ne1}p_i": r"\sum",
    r"X_{ji}A_{ij}": "j, i",
    # derivatives
    r"\nabla a": r"\nabla",
    r"\nabla\log a": r"\nabla",
    r"\nabla^3_a a": r"\nabla^3",
    r"\nabla_{a+b}a": "a+b",
    r"\frac{\partial^2 a}{\partial b}": r"\frac{\partial^2 a}{\partial b}",
    # brackets
    r"(a": "(a",
    r"\left(a+b": r"\left(a+b",
    r"(a,b)": "(a,b)",
    r"(a<b)": "(a<b)",
    r"[a<b<c]": "[a<b<c]",
    r"\lVert a\rVert_3": r"\lVert a\rVert_3",
    r"\frac{a}{}": "}",
    r"a+": "the end",
    r"a,\quad b": "b",
    r"a,\quad b=2": "b=2",
    "": "the formula",
    r"\log_2a": r"\log_2",
    r"\operatorname{softmax}_{\text{columns}}(A)": r"\operatorname{softmax}_{\text{columns}}",
    r"1 2": "1 2",
    r"\tfrac12^2": "^",
    r"a^{2 3}": "2 3",
    r"\nabla_a+b": "+",
}

COMPUTING = {
    # shapes
    r"\theta u": r"\theta \,u",
    r"\mathbf 1\theta": r"\mathbf 1\,\theta",
    r"\mathbf 1\mathbf 1_1": r"\mathbf 1\,\mathbf 1_{1}",
    r"X^\top\theta": r"X^\top\,\theta",
    r"\theta X": r"\theta \,X",
    r"\theta+y": r"\theta +y",
    r"a+A": "a+A",
    r"\theta+I": r"\theta +I",
    r"\theta^2": r"\theta ^{2}",
    r"X^{-1}": "X^{-1}",
    r"\lVert A\rVert": r"\lVert A\rVert",
    r"\lvert\theta\rvert": r"\lvert \theta \rvert",
    r"\exp(A)": r"\exp\left(A\right)",
    r"a/A": r"\frac{a}{A}",
    r"AA\odot A": r"A\,A\odot A",
    r"\theta\odot y": r"\theta \odot y",
    r"\det X": r"\det\left(X\right)",
    r"\nabla_\theta\theta": r"\nabla_{\theta }\theta",
    r"I": "I",
    r"\operatorname{tr}(I)": r"\operatorname{tr}\left(I\right)",
    r"\mathcal N(\theta;0,a)": r"\mathcal N",
    r"A^{1/2}": r"A^{\frac{1}{2}}",
    # indices
    r"\sum_ip_iy_i": r"p_{i}\,y_{i}",
    r"\sum_{i=1}^4p_i": "p_{i}",
    r"p_0": "p_{0}",
    r"p_4": "p_{4}",
    r"p_{\frac12}": r"\frac{1}{2}",
    r"a_1": "a_{1}",
    r"\sum_ia": r"\sum_{i}a",
    r"\log\det(-A^\top A)": r"\log",
}  # fmt: skip


@pytest.mark.parametrize("latex", READING)
def test_a_formula_that_cannot_be_read_names_its_piece(latex):
    with pytest.raises(FormulaError) as caught:
        Formula(latex, v)
    assert READING[latex] in caught.value.piece
    assert str(caught.value).startswith("formula: ")
    assert latex in str(caught.value)


@pytest.mark.parametrize("latex", COMPUTING)
def test_a_formula_whose_values_do_not_fit_names_its_piece(latex):
    f = Formula(latex, v)
    with pytest.raises(FormulaError) as caught:
        f.value(v)
    assert COMPUTING[latex] in caught.value.piece
    assert latex in str(caught.value)


def test_a_declared_size_must_agree_with_the_axis():
    with pytest.raises(FormulaError, match="run to 4 over an axis of 6"):
        Formula(r"\sum_{i=1}^ny_i", ["y"], where={"n": 4}).value({"y": np.ones(6)})


def test_a_symbol_may_not_be_defined_by_itself():
    with pytest.raises(FormulaError, match="defined by itself"):
        Formula("z", [], where={"z": "= g+1", "g": "= z-1"}).value({})


def test_an_error_in_a_function_is_told_with_its_piece():
    with pytest.raises(FormulaError, match=r"g\\left\(a\\right\) raised KeyError"):
        Formula("g(a)", v, where={"g": lambda a: {}[a]}).value(v)


def test_a_function_that_torch_cannot_follow_is_not_differentiated():
    with pytest.raises(FormulaError, match="differentiated"):
        Formula(r"\nabla_a g(a)", v, where={"g": lambda a: float(np.sin(float(a)))}).value(v)


def test_missing_inputs_are_named():
    with pytest.raises(FormulaError, match="b has no value among the inputs"):
        Formula("a+b", v).value({"a": 1.0})
