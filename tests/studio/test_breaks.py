"""Deliberate breaks: what is changed, whether it is noticed, and what is no break at all."""

import numpy as np
import pytest

from chapters_src.studio.breaks import breaks_of, judge, noticed
from chapters_src.studio.derivation import Derivation, normal, positive, uniform
from chapters_src.studio.mutation import code_breaks


def residual(X, y, theta):
    return y - X @ theta


def found(fn, alike=None):
    return {(b.kind, b.what): b.fn for b in code_breaks(fn, alike or {})}


def test_every_kind_of_break():
    fn = lambda X, v, w: X.T @ (v - 2 * w[1:]) + -v.sum()  # noqa: E731
    kinds = {kind for kind, _ in found(fn, {"v": ["w"], "w": ["v"]})}
    assert kinds == {
        "constant",
        "dropped term",
        "index",
        "operator",
        "scale",
        "sign",
        "swapped symbol",
        "transpose",
    }


def test_breaks_compute_what_they_say():
    broken = found(lambda a, b: a - 2 * b, {"a": ["b"], "b": ["a"]})
    values = {what: fn(a=5.0, b=1.0) for (_, what), fn in broken.items()}
    assert values == {
        "a - 2 * b → a + 2 * b": 7,
        "a - 2 * b → a": 5,
        "a - 2 * b → -(2 * b)": -2,
        "a → b": -1,
        "2 * b → 2 / b": 3,
        "2 * b → 2": 3,
        "2 * b → b": 4,
        "2 → 3": 2,
        "b → a": -5,
        "-(the line)": -3,
        "2 * (the line)": 6,
    }


def test_helpers_are_broken_too_and_only_here():
    fn = lambda X, y, theta: np.sum(residual(X, y, theta) ** 2)  # noqa: E731
    X, y, theta = np.eye(2), np.array([1.0, 2.0]), np.array([3.0, 5.0])
    broken = found(fn)[("operator", "in residual: y - X @ theta → y + X @ theta")]
    assert fn(X, y, theta) == 13
    assert broken(X, y, theta) == 65
    assert fn(X, y, theta) == 13


def verdicts(d):
    every = [broken for at in range(len(d.lines)) for broken in breaks_of(d, at)]
    return {(b.at + 1, b.what): judge(d, b) for b in every}


def test_an_equality_of_formulas_notices_every_break():
    d = Derivation("gradient", X=normal(5, 3), y=normal(5), theta=normal(3))
    d.start(r"\nabla_\theta\lVert y-X\theta\rVert^2").equals(r"2X^\top(X\theta-y)", because="chain rule")
    found = verdicts(d)
    assert len(found) > 8
    assert {what: verdict for what, verdict in found.items() if verdict == "survived"} == {}


def test_an_equality_of_functions_notices_every_break():
    d = Derivation("square", a=normal(), b=normal())
    d.start("s", lambda a, b: (a + b) ** 2)
    d.equals("t", lambda a, b: a**2 + 2 * a * b + b**2, because="multiply out")
    assert set(verdicts(d).values()) == {"caught"}


def bound(**tight):
    d = Derivation("bound", a=normal(3), b=normal(3))
    d.start("s", lambda a, b: (a @ b) ** 2)
    return d.at_most("t", lambda a, b: (a @ a) * (b @ b), because="Cauchy–Schwarz", **tight)


def test_a_bound_notices_looser_ones_only_where_it_is_tight():
    assert verdicts(bound(never_tight="not said"))[2, "2 * (the line)"] == "survived"
    assert verdicts(bound(tight={"b": lambda a: 2 * a}))[2, "2 * (the line)"] == "caught"
    assert "survived" not in verdicts(bound(tight={"b": lambda a: 2 * a})).values()


def test_a_break_that_is_none():
    d = Derivation("absolute", x=positive(4)).start("s", lambda x: np.sum(x))
    d.equals("t", lambda x: np.sum(np.maximum(x, 0)) * 1, because="they are positive")
    found = verdicts(d)
    assert found[2, "np.sum(np.maximum(x, 0)) * 1 → np.sum(np.maximum(x, 0)) / 1"] == "equivalent"
    assert found[2, "0 → 1"] == "caught"


@pytest.mark.parametrize("relation", ["proportional_to", "same_minimiser"])
def test_a_factor_is_no_break_where_the_relation_leaves_it_open(relation):
    d = Derivation("factor", x=uniform(-3, 3), c=normal())
    d.start("s", lambda x, c: 3 * (x - c) ** 2)
    if relation == "proportional_to":
        d.proportional_to("t", lambda x, c: (x - c) ** 2, because="a factor", of="x")
    else:
        d.same_minimiser("t", lambda x, c: (x - c) ** 2, because="a factor", over="x")
    found = verdicts(d)
    assert found[2, "2 * (the line)"] == "equivalent"
    assert found[1, "3 → 4"] == "equivalent"
    assert found[2, "x - c → x + c"] == "caught"
    assert found[2, "-(the line)"] == ("equivalent" if relation == "proportional_to" else "caught")


def test_other_sizes_and_signs_show_what_the_usual_inputs_hide():
    d = Derivation("hidden", x=normal(2), trials=1)
    d.start("s", lambda x: np.sum(x)).equals("t", lambda x: x[0] + x[1], because="two entries")
    line = d.lines[0]
    assert not np.isclose(line(d.checked_on.unlike(1)), line(d.checked_on.unlike(0)))
    assert np.shape(d.checked_on.unlike(1)["x"]) == (3,)


def test_what_the_check_says():
    d = Derivation("says", x=normal()).start("x + x", lambda x: x + x)
    d.equals("2x", lambda x: 2 * x, because="count")
    broken = next(b for b in breaks_of(d, 1) if b.what == "2 → 3")
    assert noticed(d, broken).amount == pytest.approx(1 / 3)


def test_declared_functions_are_broken_too(monkeypatch):
    cube = lambda z: z**3  # noqa: E731
    monkeypatch.setattr(cube, "__module__", "__main__")
    d = Derivation("cube", where={"f": cube, "g": np.tanh}, x=normal())
    d.start("f(x)+g(x)").equals("x^3+g(x)", because="what $f$ is")
    found = verdicts(d)
    assert found[1, "in f: 3 → 4"] == "caught"
    assert not [what for _, what in found if what.startswith("in g")]


def test_a_helper_is_broken_in_the_first_line_that_uses_it():
    d = Derivation("helper", X=normal(4, 2), y=normal(4), theta=normal(2))
    d.start("s", lambda X, y, theta: np.sum(residual(X, y, theta) ** 2))
    d.equals("t", lambda X, y, theta: residual(X, y, theta) @ residual(X, y, theta), because="a length")
    assert {at for at, what in verdicts(d) if what.startswith("in residual")} == {1}
