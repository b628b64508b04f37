"""The symbolic differentiator against sympy and against the engine."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.autodiff.reverse import gradient
from chapters_src.networks.autodiff.symbolic import (
    Expression,
    constant,
    cos,
    derivative,
    distinct,
    evaluate,
    sin,
    size,
    text,
    variable,
)

x, y = variable("x"), variable("y")
leaves = st.one_of(st.sampled_from([x, y]), st.integers(-3, 3).map(lambda n: constant(float(n))))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        inner.map(sin),
        inner.map(cos),
    ),
    max_leaves=12,
)


def to_sympy(f: Expression):
    a = [g if not isinstance(g, Expression) else to_sympy(g) for g in f.operands]
    table = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "sin": sympy.sin, "cos": sympy.cos}
    if f.operation in table:
        return table[f.operation](*a)
    return sympy.Symbol(a[0]) if f.operation == "variable" else sympy.Float(a[0], 30)


def to_numpy(f: Expression, **values):
    a = [g if not isinstance(g, Expression) else to_numpy(g, **values) for g in f.operands]
    table = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "sin": np.sin, "cos": np.cos}
    if f.operation in table:
        return table[f.operation](*a)
    return values[a[0]] if f.operation == "variable" else a[0]


@settings(max_examples=60)
@given(expressions, st.floats(-2, 2), st.floats(-2, 2))
def test_against_sympy_and_the_engine(f, a, b):
    ours = evaluate(derivative(f, "x"), x=a, y=b)
    theirs = sympy.diff(to_sympy(f), "x").evalf(30, subs={"x": a, "y": b})
    assert ours == pytest.approx(float(theirs), rel=1e-9, abs=1e-9)
    assert ours == pytest.approx(gradient(lambda t: to_numpy(f, x=t, y=b) + 0 * t)(a), rel=1e-9, abs=1e-9)


def test_the_derivative_and_not_the_function():
    a, b = variable("a"), variable("b")
    f = a * sin(x) + b * x * sin(x)
    assert text(derivative(f, "x")) == "a·cos(x) + b·sin(x) + b·x·cos(x)"
    assert text(derivative(x * (x + 2.0), "x")) == "x + 2 + x"
    assert text(-(x + 1.0) * 2.0) == "-1·(x + 1)·2"
    assert derivative(constant(3.0) - 1.0, "x") == constant(0.0)


def test_formulas_swell_and_programs_do_not():
    f, written, computed = x, [], []
    for _ in range(5):
        f = 4.0 * f * (1.0 - f)
        written.append(size(derivative(f, "x")))
        computed.append(distinct(derivative(f, "x")))
    ratios = np.array(written[1:]) / np.array(written[:-1])
    assert (ratios > 2).all()
    assert len(set(np.diff(computed))) <= 2 and max(np.diff(computed)) < 15
    assert size(x) == distinct(x) == 0


def test_messages():
    with pytest.raises(ValueError, match=r"^evaluate: y must be given a value; got values for x"):
        evaluate(x * y, x=1.0)
    with pytest.raises(ValueError, match=r"^derivative: f must be an Expression; got 2\.0"):
        derivative(2.0, "x")
    with pytest.raises(ValueError, match=r"^constant: value must be a finite number"):
        constant(np.nan)
    with pytest.raises(ValueError, match=r"^evaluate: x must be a finite number"):
        evaluate(x, x=np.nan)
    with pytest.raises(ValueError, match=r"^variable: name must be a text; got 3"):
        variable(3)
    with pytest.raises(ValueError, match=r"^variable: name must be a word; got no letter"):
        variable("")
    for function in (size, distinct, evaluate, text):
        with pytest.raises(ValueError, match=rf"^{function.__name__}: f must be an Expression; got 2\.0"):
            function(2.0)


def test_numbers_are_formulas_and_any_name_will_do():
    assert evaluate(sin(2.0) + cos(0)) == pytest.approx(np.sin(2) + 1)
    f = variable("f")
    assert evaluate(derivative(f * f, "f"), f=3.0) == 6.0
