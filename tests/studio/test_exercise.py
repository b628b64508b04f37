import numpy as np
import pytest
import torch

from chapters_src.studio.exercise import Exercise, Mistake, Verdict


def mean(x):
    return sum(x) / len(x)


def averaging(**options):
    defaults = {
        "answer": mean,
        "cases": [{"x": [1, 2]}, {"x": [4]}, {"x": [1, 2, 6]}],
        "mistakes": [
            Mistake(lambda x: sum(x), "did you divide by $n$?"),
            Mistake(lambda x: sum(x) / (len(x) - 1 or 1), "divide by n, not by n − 1"),
        ],
        "hint": "add them up first",
    }
    return Exercise("mean", **{**defaults, **options})


def scaling(**options):
    return Exercise(
        "scale",
        answer=lambda X, c: c * X,
        cases=[{"X": np.array([1.0, 2.0, 3.0]), "c": 2.0}, {"X": np.arange(4.0), "c": -1.0}],
        hint="entry by entry",
        **options,
    )


def test_the_answer_is_accepted():
    verdict = averaging().check(mean)
    assert verdict == Verdict(True, True, "Accepted: 3 cases.")
    assert averaging(cases=[{"x": [1, 2]}]).check(mean).message == "Accepted: 1 case."


def test_a_known_mistake_gets_its_hint():
    verdict = averaging().check(lambda x: x[0] + x[-1] if len(x) == 2 else mean(x))
    assert verdict.message == "Not yet. For x = [1, 2], expected 1.5, got 3. Hint: did you divide by n?"
    assert not verdict.accepted
    assert verdict.attempted


def test_an_unknown_mistake_gets_the_general_hint():
    verdict = averaging().check(max)
    assert verdict.message == "Not yet. For x = [1, 2], expected 1.5, got 2. Hint: add them up first"


def test_the_first_failing_case_decides():
    verdict = averaging().check(lambda x: mean(x) if len(x) < 3 else sum(x) / 2)
    assert verdict.message.startswith(
        "Not yet. For x = [1, 2, 6], expected 3.0, got 4.5. Hint: divide by n, not"
    )


@pytest.mark.parametrize("blank", [None, ..., NotImplemented])
def test_not_attempted(blank):
    for attempt in (blank, lambda x: blank):
        verdict = averaging().check(attempt)
        assert verdict == Verdict(False, False, "Not attempted yet.")


def test_a_stub_that_raises_is_not_attempted():
    def stub(x):
        raise NotImplementedError

    assert not averaging().check(stub).attempted


def test_blanks_after_the_first_case_are_wrong():
    verdict = averaging().check(lambda x: mean(x) if len(x) == 2 else None)
    assert verdict.attempted
    assert "For x = [4], expected a number, got None" in verdict.message

    def half_done(x):
        if len(x) == 2:
            return mean(x)
        raise NotImplementedError("later")

    assert "raised NotImplementedError: later on input x = [4]" in averaging().check(half_done).message


def test_exceptions_are_told():
    def attempt(x):
        return sum(x) / (len(x) - 2)

    message = averaging().check(attempt).message
    assert message.startswith(
        "Not yet. Your function raised ZeroDivisionError: division by zero on input x = [1, 2]."
    )


class EvilError(Exception):
    def __str__(self):
        raise RuntimeError("no")


class EvilObject:
    def __getattribute__(self, name):
        raise RuntimeError("no")

    def __array__(self, *args, **kwargs):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")

    __hash__ = None


def raiser(error):
    def attempt(x):
        raise error

    return attempt


@pytest.mark.parametrize(
    "attempt",
    [
        raiser(SystemExit(1)),
        raiser(GeneratorExit()),
        raiser(EvilError()),
        raiser(RecursionError("deep")),
        lambda x: EvilObject(),
        lambda: 1,
        lambda x, y: 1,
        lambda x: "1.5",
        lambda x: True,
        lambda x: [1.5, [2]],
        lambda x: {"a": 1},
        lambda x: lambda y: y,
        lambda x: np.nan,
        lambda x: np.inf,
        lambda x: np.array([]),
        lambda x: 1j,
        lambda x: iter(x),
        3,
        "mean",
        [1.5],
        int,
    ],
)
def test_nothing_makes_the_checker_raise_or_accept(attempt):
    verdict = averaging().check(attempt)
    assert not verdict.accepted
    assert verdict.attempted
    assert verdict.message.startswith("Not yet. ")
    assert "0x" not in verdict.message  # no memory addresses
    assert "\n" not in verdict.message


def test_an_attempt_that_defends_itself():
    assert averaging().check(EvilObject()).message.startswith("Not yet. ")


def test_a_reader_can_stop_it():
    with pytest.raises(KeyboardInterrupt):
        averaging().check(raiser(KeyboardInterrupt()))


def test_shapes_have_their_own_sentence():
    message = scaling().check(lambda X, c: (c * X)[:, None]).message
    assert "expected shape (3,), got shape (3, 1)." in message
    assert "X = [1.0, 2.0, 3.0], c = 2.0" in message
    assert "expected shape (3,), got shape ()" in scaling().check(lambda X, c: 2.0).message


def test_inputs_cannot_be_poisoned():
    exercise = scaling()

    def in_place(X, c):
        X *= c
        return X

    assert exercise.check(in_place).accepted

    def spoiler(X, c):
        X[:] = 7
        return X

    assert not exercise.check(spoiler).accepted
    assert exercise.check(lambda X, c: c * X).accepted
    np.testing.assert_array_equal(exercise.cases[0]["X"], [1, 2, 3])


def test_names_of_parameters_are_free_and_order_is_not():
    assert scaling().check(lambda data, factor: factor * data).accepted
    assert scaling().check(lambda c, X: c * X).accepted  # known names go by name
    assert averaging(cases=[{"x": [1.0, 2.0]}], mistakes=[]).check(np.mean).accepted


def test_any_kind_of_number_is_taken():
    for kind in (np.float64, np.float32, np.array, torch.tensor):
        assert averaging(within=1e-6).check(lambda x, kind=kind: kind(mean(x))).accepted
    assert scaling().check(lambda X, c: (c * X).tolist()).accepted
    tensor = lambda X, c: torch.tensor(c * X, requires_grad=True)  # noqa: E731
    assert scaling().check(tensor).accepted


def test_within():
    nearly = lambda x: mean(x) * (1 + 1e-6)  # noqa: E731
    assert not averaging().check(nearly).accepted
    assert averaging(within=1e-5).check(nearly).accepted
    zero = Exercise("zero", answer=lambda x: 0.0, cases=[{"x": 1}], hint="nothing")
    assert zero.check(lambda x: 1e-16).accepted
    assert not zero.check(lambda x: 1e-6).accepted


def test_other_answers():
    words = Exercise(
        "word", answer=lambda n: "even" if n % 2 == 0 else "odd", cases=[{"n": 1}, {"n": 2}], hint="h"
    )
    assert words.check(lambda n: ["even", "odd"][n % 2]).accepted
    assert "expected 'odd', got 'even'" in words.check(lambda n: "even").message
    pair = Exercise("pair", answer=lambda x: (x, np.array([x, x])), cases=[{"x": 1.0}], hint="h")
    assert pair.check(lambda x: (x, [x, x])).accepted
    assert "expected 2 values" in pair.check(lambda x: x).message
    assert "got shape (1, 2)" in pair.check(lambda x: (x, [[x, x]])).message
    flag = Exercise("flag", answer=lambda x: x > 0, cases=[{"x": 1.0}], hint="h")
    assert flag.check(lambda x: np.bool_(True)).accepted
    assert not flag.check(lambda x: 1).accepted


def test_a_value_to_predict_is_not_given_away():
    exercise = Exercise("rate", answer=0.75, mistakes=[Mistake(0.375, "twice that")], hint="curvature")
    assert exercise.check(0.75).message == "Accepted."
    assert exercise.check(np.float64(3) / 4).accepted
    assert exercise.check(0.375).message == "Not yet. 0.375 is not it. Hint: twice that"
    assert exercise.check(2).message == "Not yet. 2 is not it. Hint: curvature"
    assert exercise.check([0.75]).message == "Not yet. Expected shape (), got shape (1,). Hint: curvature"
    assert "got the function <lambda>" in exercise.check(lambda: 0.75).message
    assert "0.75" not in exercise.check("three quarters").message
    assert not exercise.check(...).attempted
    assert not exercise.check(None).attempted


def test_a_judge():
    def judge(numbers):
        return None if sum(numbers) > 10 else f"they sum to {sum(numbers)}, which is not above 10."

    exercise = Exercise("big", judge=judge, hint="larger", answer=[5, 6])
    assert exercise.check([20]).message == "Accepted."
    assert exercise.check([1, 2]).message == "Not yet. They sum to 3, which is not above 10. Hint: larger"
    assert "could not be checked: TypeError" in exercise.check(5).message
    assert not exercise.check(...).attempted


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"mistakes": [Mistake(lambda x: np.mean(x), "same")]}, "each mistake must differ"),
        ({"answer": None}, "answer must be given"),
        ({"answer": 3.0, "mistakes": []}, "cases must be given for a function"),
        ({"cases": []}, "cases must be given for a function"),
        ({"answer": lambda x: 1 / 0}, "answer must pass its own check"),
        ({"answer": lambda x: np.nan}, "answer must pass its own check"),
        ({"hint": " "}, "hint must help"),
        ({"hint": "by $x"}, "in pairs"),
        ({"within": 0}, "within must be above 0"),
        ({"judge": lambda x: None}, "judge must stand alone"),
    ],
)
def test_misuse_is_a_value_error(options, rule):
    with pytest.raises(ValueError, match=rule):
        averaging(**options)


def test_a_judge_must_take_its_own_answer():
    with pytest.raises(ValueError, match="answer must pass its own check"):
        Exercise("no", judge=lambda x: "never", answer=1, hint="h")
    with pytest.raises(ValueError, match="each mistake must differ"):
        Exercise("value", answer=2.0, mistakes=[Mistake(2, "same")], hint="h")


def test_forms(monkeypatch):
    verdict = averaging().check(raiser(ValueError("<b>*bad*</b> $5")))
    bundle = verdict._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/markdown"}
    assert bundle["text/plain"] == verdict.message == str(verdict) == repr(verdict)
    assert r"\<b\>\*bad\*\</b\> \$5" in bundle["text/markdown"]
    assert bundle["text/markdown"].endswith("**Hint:** add them up first")
    monkeypatch.setenv("EVERY_LINE_SITE", "1")
    html = verdict._repr_mimebundle_()["text/html"]
    assert html.startswith('<p class="studio-verdict studio-rejected">')
    assert "&lt;b&gt;*bad*" in html
    hinted = averaging().check(sum)._repr_mimebundle_()
    assert r"divide by <span class=" in hinted["text/html"]
    assert r"\(n\)" in hinted["text/html"]
    assert hinted["text/markdown"].endswith("divide by $n$?")
    assert "studio-accepted" in averaging().check(mean)._repr_mimebundle_()["text/html"]
    assert "studio-blank" in averaging().check(...)._repr_mimebundle_()["text/html"]


def test_warnings_are_not_printed(recwarn):
    scaling().check(lambda X, c: X / 0)
    assert not list(recwarn)
