from types import SimpleNamespace

import pytest

from chapters_src.studio import Derivation, DerivationError, FalseLine, Variant, normal, positive
from chapters_src.studio.variants import follow, wrong_variant


@pytest.fixture
def square():
    d = Derivation("square of a sum", a=normal(), b=normal())
    d.start("(a+b)^2", lambda a, b: (a + b) ** 2)
    d.equals("a(a+b)+b(a+b)", lambda a, b: a * (a + b) + b * (a + b), because="one bracket is $a+b$")
    d.equals("a^2+2ab+b^2", lambda a, b: a**2 + 2 * a * b + b**2, because="multiply out")
    return d.at_most("2a^2+2b^2", lambda a, b: 2 * a**2 + 2 * b**2, because="$2ab\\le a^2+b^2$")


LOST = Variant("a^2+b^2", lambda a, b: a**2 + b**2)
MINUS = Variant("a(a+b)-b(a+b)", lambda a, b: (a - b) * (a + b))


def test_exactly_one_line_is_false(square):
    found = FalseLine(square, {3: LOST}, why="The term $2ab$ is lost.", hints=["try $a=b=1$"])
    assert found.name == "Find the false line: square of a sum"
    assert [found.check(at).accepted for at in range(1, 5)] == [False, False, True, False]
    assert found.check(1).message.startswith("Not yet. Line 1 is where the derivation starts")
    assert found.check(2).note == "Line 2 is right: it follows from line 1 (one bracket is $a+b$)."
    assert found.check("3").note.startswith(
        "Line 3 is the false one. The term $2ab$ is lost. On one of the inputs"
    )
    assert found.check(4).note == (
        "Line 4 is right: it follows from line 2; the line between is not needed for that."
    )
    assert "is none of 1, 2, 3, 4" in found.check(5).message
    assert not found.check(None).attempted
    assert len(square.lines) == 4, "the derivation is left as it is"


def test_the_last_line_can_be_the_false_one(square):
    found = FalseLine(square, {4: Variant("a^2+b^2", lambda a, b: a**2 + b**2)}, hints=["h"])
    assert found.false == 4 and found.check(4).accepted


def test_a_mistake_can_be_carried_on():
    d = Derivation("product", a=normal(), b=normal())
    d.start("a^2-b^2", lambda a, b: a * a - b * b)
    d.equals("(a-b)(a+b)", lambda a, b: (a - b) * (a + b), because="factor")
    d.equals("a(a+b)-b(a+b)", lambda a, b: a * (a + b) - b * (a + b), because="multiply by the second")
    wrong = {
        2: Variant("(a-b)^2", lambda a, b: (a - b) ** 2),
        3: Variant("a(a-b)-b(a-b)", lambda a, b: a * (a - b) - b * (a - b)),
    }
    found = FalseLine(d, wrong, hints=["h"])
    assert found.false == 2 and "carried on" in found.question
    assert found.check(3).note == (
        "Line 3 is right: it follows from line 2, false as that is (multiply by the second)."
    )
    wrong[3] = Variant("a^2-b^2+1", lambda a, b: a * a - b * b + 1)
    with pytest.raises(ValueError, match=r"the only false one; got line 3 as well"):
        FalseLine(d, wrong, hints=["h"])


@pytest.mark.parametrize(
    ("broken", "rule"),
    [
        ({}, "name lines from 2 to 4"),
        ({1: LOST}, "name lines from 2 to 4"),
        ({5: LOST}, "name lines from 2 to 4"),
        ({2: MINUS, 4: LOST}, "without a gap"),
        ({3: Variant("(a+b)^2", lambda a, b: (b + a) ** 2)}, "make line 3 of 'square of a sum' false; got"),
        ({2: MINUS, 3: LOST}, "the only false one; got line 3 as well"),
    ],
)
def test_what_is_not_exactly_one_false_line_is_refused(square, broken, rule):
    with pytest.raises(ValueError, match=rule):
        FalseLine(square, broken, hints=["h"])


def test_relations_compose():
    d = Derivation("scaled", x=positive(3))
    d.start("x", lambda x: x)
    d.proportional_to("2x", lambda x: 2 * x, because="a factor", of="x")
    d.equals("x+x", lambda x: x + x, because="twice")
    found = FalseLine(d, {2: Variant("x^2", lambda x: x**2)}, hints=["h"])
    assert found.check(3).note.startswith("Line 3 is right: it follows from line 1")
    e = Derivation("bounds", x=positive())
    e.start("x", lambda x: x)
    e.at_most("2x", lambda x: 2 * x, because="$x>0$")
    e.at_least("x/2", lambda x: x / 2, because="half")
    with pytest.raises(ValueError, match="relations of one kind; got ≤ and ≥"):
        FalseLine(e, {2: Variant("x/2", lambda x: x / 2)}, hints=["h"])


def test_a_variant_is_checked_as_the_line_was(square):
    follow(square, 2, square.lines[2])
    with pytest.raises(DerivationError, match="line 3 does not follow"):
        follow(square, 2, square.lines[2], LOST)
    assert len(square.lines) == 4


def test_every_line_has_a_break_that_is_caught(square):
    for at in (2, 3, 4):
        broken = wrong_variant(square, at)
        assert f"square of a sum, line {at} does not follow" in broken.message
        assert broken.latex != square.lines[at - 1].latex and broken.latex in broken.message
    d = Derivation("vector", x=normal(3))
    d.start(r"\text{once } x", lambda x: x)
    d.proportional_to(r"\text{twice } x", lambda x: 2 * x, because="a factor", of="x")
    assert wrong_variant(d, 2).latex == r"\left(\text{twice } x\right)^2", (
        "a factor or a sign would be forgiven"
    )
    m = Derivation("least", theta=normal(2), c=normal(2))
    m.start(r"\text{distance}^2", lambda theta, c: ((theta - c) ** 2).sum())
    twice = r"\text{twice it}"
    m.same_minimiser(twice, lambda theta, c: 2 * ((theta - c) ** 2).sum(), because="2", over="theta")
    assert wrong_variant(m, 2).latex == twice + r"+\lVert \theta\rVert^2"
    zero = Derivation("nothing", x=normal())
    zero.start(r"\text{no }x", lambda x: x - x).equals(
        r"\text{zero }x", lambda x: 0.0 * x, because="it cancels"
    )
    assert wrong_variant(zero, 2) is None


def test_a_break_that_is_recorded_comes_first(square):
    object.__setattr__(square.lines[2], "broken", SimpleNamespace(latex="a^2+ab+b^2", says="no"))
    assert wrong_variant(square, 3) == ("a^2+ab+b^2", "no")


def test_a_formula_brings_its_own_breaks():
    pytest.importorskip("chapters_src.studio.formula")
    d = Derivation("square", a=normal(), b=normal())
    d.start("(a+b)^2").equals("a^2+2ab+b^2", because="multiply out")
    broken = wrong_variant(d, 2)
    assert not broken.latex.startswith("-"), "not the whole line turned round, but something inside it"
    assert broken.latex in broken.message
    assert FalseLine(d, {2: Variant("a^2+b^2")}, hints=["try $a=b=1$"]).check(2).accepted
