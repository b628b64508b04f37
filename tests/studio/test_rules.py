"""Lines that run from their formula, and lines that are refused because they could not fail."""

import numpy as np
import pytest

from chapters_src.studio.derivation import Derivation, DerivationError, integers, normal, positive, watched
from chapters_src.studio.record import record


def regression(**options):
    return Derivation("squares", X=normal(8, 3), y=normal(8), theta=normal(3), **options)


def rules(d):
    return [(problem.line, problem.rule) for problem in d.problems]


# --- the formula is the code


def test_lines_run_from_their_formulas():
    d = regression().start(r"\nabla_\theta\lVert y-X\theta\rVert^2")
    d.equals(r"2X^\top(X\theta-y)", because="chain rule")
    assert [line.origin for line in d.lines] == ["formula", "formula"]
    assert d.problems == []
    with pytest.raises(DerivationError, match="line 3 does not follow") as caught:
        d.equals(r"2X^\top(X\theta+y)", because="a slip")
    for part in (r"2X^\top(X\theta+y)", "before: ", "this line: ", "disagreement", "theta = "):
        assert part in str(caught.value)


def test_a_formula_that_is_not_understood_needs_a_function():
    d = Derivation("mean", x=normal(4))
    with pytest.raises(DerivationError, match=r"\\mathbb(.|\n)*needs a function as well"):
        d.start(r"\mathbb E\,x")
    d.start(r"\mathbb E\,x", lambda x: x.mean())
    assert d.lines[0].origin == "code"


def test_with_a_function_both_are_run():
    d = regression().start(r"\lVert y-X\theta\rVert^2", lambda X, y, theta: np.sum((y - X @ theta) ** 2))
    assert [line.origin for line in d.lines] == ["both"]
    d.equals(
        r"(y-X\theta)^\top(y+X\theta)",
        lambda X, y, theta: (y - X @ theta) @ (y - X @ theta),
        because="a typo",
    )
    assert rules(d) == [(2, "formula and code")]
    assert "its function gives" in d.problems[0].text
    assert "its formula" in d.problems[0].text
    assert "theta = [" in d.problems[0].text


def test_strictness_makes_a_problem_an_error(monkeypatch):
    monkeypatch.setenv("EVERY_LINE_STRICT", "1")
    d = Derivation("doubling", x=normal()).start("x + x")
    with pytest.raises(DerivationError, match=r"its function gives(.|\n)*its formula"):
        d.equals("3x", lambda x: 2 * x, because="a typo")
    with pytest.raises(DerivationError, match=r"refused: (.|\n)*tight="):
        d.at_most("x + x + 1", because="more")
    assert len(d.lines) == 1


def test_declared_names_are_sizes_inputs_formulas_and_functions():
    where = {"n": "rows of X", r"\sigma^2": "v", "f": np.tanh, "S": r"= X^\top X"}
    d = Derivation("where", where=where, X=normal(5, 2), v=positive())
    d.start(r"\sigma^2\,\operatorname{tr}(S)/n").equals(
        r"\frac{\sigma^2}n\operatorname{tr}(XX^\top)", because="the trace is cyclic"
    )
    assert {line.origin for line in d.lines} == {"formula"}
    for bad in (0.5, np.eye(2), None, True):
        with pytest.raises(ValueError, match=r"where\['c'\] must be a size"):
            Derivation("where", where={"c": bad}, x=normal())
    with pytest.raises(ValueError, match="where must declare what formulas can use"):
        Derivation("where", where={"c": "nothing"}, x=normal())


def test_a_declared_symbol_is_code():
    d = Derivation("loss", where={"L": lambda x: x @ x, "S": "= x^\\top x"}, x=normal(3))
    d.start("L(x)").equals("S", because="named").equals(r"\lVert x\rVert^2", because="a length")
    assert [line.origin for line in d.lines] == ["code", "code", "formula"]


# --- a line must be able to fail


def double(x):
    return 2 * x


def twice_over(x):
    y = double(x)
    return double(y)


def test_the_same_code_is_refused_however_it_is_hidden():
    d = Derivation("four", x=normal(3)).start(
        "4x",
        lambda x: 2 * (2 * x),
    )
    d.equals("four x", twice_over, because="helpers")
    d.equals("four times x", lambda x: double(double(x)), because="a helper")
    assert rules(d) == [(2, "same code"), (3, "same code")]
    other = Derivation("four", x=normal(3)).start("a", twice_over)
    other.equals("a", lambda x: double(x) + double(x), because="different, to the last bit")
    assert rules(other) == [(2, "same bits")]


def test_equal_bits_of_a_formula_that_can_fail_are_the_processors_affair():
    d = Derivation("counting", n=integers(1, 50)).start(r"1+\dots+n", lambda n: sum(range(n + 1)))
    d.equals(r"\frac{n(n+1)}2", because="Gauss")  # a break of this formula is noticed
    assert d.problems == []


def test_a_definition_says_that_it_is_one():
    d = Derivation("names", x=normal(3)).start("4x", lambda x: 4 * x)
    d.equals("f(x)", lambda x: 4 * x, because="call it $f$", by_definition=True)
    assert d.problems == []
    assert d.lines[1].by_definition


def test_the_same_formula_twice_is_refused():
    d = Derivation("sum", x=normal(3)).start(r"\lVert x\rVert^2")
    d.equals(r"\lVert\, x\, \rVert^2", because="nothing happened")
    assert rules(d) == [(2, "same code")]


def test_what_a_function_does_not_read_is_noticed():
    d = Derivation("mean", x=normal(3), theta=normal(), m=normal())
    d.start(r"\mathbb E[\theta x_i]", lambda x, m: x * m)
    assert "shows theta, which" in d.problems[0].text
    d.equals(r"\mathbb E[mx]", lambda x, m: m * x, because="all is read")
    assert rules(d) == [(1, "unread input"), (2, "same bits")]


def test_a_helper_that_ignores_its_argument_is_seen_through():
    d = Derivation("helper", x=normal(3), m=normal()).start(r"\mathbb E\,mx", lambda x, m: ignores(x, m))
    assert rules(d) == [(1, "unread input")]


def ignores(x, m):
    return 3 * x


@pytest.mark.parametrize(
    ("latex", "reads"),
    [
        (r"\mathbb E[x]", {"x"}),
        (r"\mathbb E[x_i]", {"x"}),
        (r"\mathbb E[x_1]", set()),
        (r"\mathbb E[\hat x+x']", set()),
        (r"\mathbb E[x^*]", set()),
        (r"\mathbb E[a_x]", set()),
        (r"\mathbb E[\exp]", set()),
        (r"\mathbb E\,\text{ex}", set()),
        (r"\mathbb E[\theta]", {"theta"}),
        (r"\mathbb E[\lambda W_Q]", {"lam", "W_Q"}),
    ],
)
def test_symbols_found_in_latex_that_is_not_understood(latex, reads):
    d = Derivation("symbols", x=normal(), theta=normal(), lam=normal(), W_Q=normal())
    d.start(latex, lambda: 1.0)
    found = d.problems[0].text if d.problems else ""
    assert {name for name in d.inputs if f"{name}," in found.replace(" ", ",")} == reads


def test_equal_bits_need_a_break_that_fails():
    def row(n):
        return sum(range(n + 1))

    d = Derivation("counting", n=integers(1, 50)).start(r"1+\dots+n", row)
    d.equals(r"\text{Gauss's}", lambda n: n * (n + 1) / 2, because="pairs")
    assert rules(d) == [(2, "same bits")]
    d = Derivation("counting", n=integers(1, 50)).start(r"1+\dots+n", row)
    d.equals(r"\frac{n(n+1)}2", because="Gauss", broken=r"\frac{n(n-1)}2")
    assert d.problems == []
    assert d.lines[1].broken.latex == r"\frac{n(n-1)}2"
    assert "line 2 does not follow" in d.lines[1].broken.says
    with pytest.raises(DerivationError, match=r"broken= must fail, but \\frac\{n\^2\+n\}2 follows"):
        d.equals(r"\frac{n+n^2}2", because="multiply out", broken=r"\frac{n^2+n}2")
    d.equals(r"\frac{n+n^2}2", because="multiply out", broken=lambda n: n**2 / 2)
    d.equals(r"\frac{n^2+n}2", because="turn", broken=(r"\tfrac12n^2", lambda n: n**2 / 2))
    assert d.lines[-1].broken.latex == r"\tfrac12n^2"


# --- bounds


def cauchy(**bound):
    d = Derivation("Cauchy–Schwarz", a=normal(4), b=normal(4)).start(r"(a^\top b)^2")
    return d.at_most(r"\lVert a\rVert^2\lVert b\rVert^2", because="Cauchy–Schwarz", **bound)


def test_a_bound_says_where_it_is_tight():
    assert rules(cauchy()) == [(2, "no tight case")]
    assert rules(cauchy(never_tight="an example")) == []
    assert rules(cauchy(tight={"b": lambda a: -2 * a})) == []
    assert rules(cauchy(tight={"a": 1.0, "b": np.full(4, 3.0)})) == []
    assert rules(cauchy(tight={"a": 0})) == [(2, "tight at zero")]
    with pytest.raises(DerivationError, match="tight= says that both sides agree"):
        cauchy(tight={"b": 1.0})
    with pytest.raises(ValueError, match=r"tight must name inputs \(a, b\); got c"):
        cauchy(tight={"c": 1.0})
    with pytest.raises(ValueError, match="never_tight must say why, in words and without tight="):
        cauchy(tight={"b": 1.0}, never_tight="both")
    with pytest.raises(ValueError, match="never_tight must say why"):
        cauchy(never_tight=True)


def test_a_looser_bound_is_noticed_where_it_should_be_tight():
    d = Derivation("loose", a=normal(4), b=normal(4)).start(r"(a^\top b)^2")
    with pytest.raises(DerivationError, match="tight="):
        d.at_most(r"2\lVert a\rVert^2\lVert b\rVert^2", because="too generous", tight={"b": lambda a: a})


def test_the_record_and_watching():
    with watched() as seen:
        d = cauchy(tight={"b": lambda a: a})
        inner = Derivation("another", x=1.0)
    Derivation("outside")
    assert seen == [d, inner]
    kept = record(d)
    assert kept["title"] == "Cauchy–Schwarz"
    assert [line["origin"] for line in kept["lines"]] == ["formula", "formula"]
    assert [line["tight"] for line in kept["lines"]] == [False, True]
