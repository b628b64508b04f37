"""What holds for the exercises of every chapter: blanks are blanks, and no mistake gets another's hint."""

import importlib
import pkgutil

import numpy as np
import pytest

import chapters_src
from chapters_src.studio.exercise import Exercise
from chapters_src.studio.question import Question
from chapters_src.studio.questions import Choose
from tools.chapters import chapters, read
from tools.truth import exercises


def every_exercise():
    """All exercises of all chapters, by chapter and name."""
    found = {}
    for info in pkgutil.walk_packages(chapters_src.__path__, "chapters_src."):
        if not info.name.endswith(".exercises"):
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if isinstance(value, Exercise | Question):
                found[f"{info.name.removeprefix('chapters_src.').removesuffix('.exercises')}.{name}"] = value
    return found


EXERCISES = every_exercise()
FUNCTIONS = {name: exercise for name, exercise in EXERCISES.items() if getattr(exercise, "cases", ())}
CHOICES = {name: exercise for name, exercise in EXERCISES.items() if isinstance(exercise, Choose)}


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_each_notebook_has_at_least_four(page):
    count, _ = exercises([cell.source for cell in read(page).cells if cell.cell_type == "code"])
    assert count >= 4


@pytest.mark.parametrize("name", EXERCISES)
def test_blanks_are_not_attempted(name):
    assert EXERCISES[name].check(...).message == "Not attempted yet."


@pytest.mark.parametrize("name", FUNCTIONS)
def test_stubs_are_not_attempted(name):
    def honest_stub(*inputs):
        raise NotImplementedError

    assert not FUNCTIONS[name].check(lambda *inputs: ...).attempted
    assert not FUNCTIONS[name].check(honest_stub).attempted


def flat(output):
    """All numbers of an answer, also of one that has several parts of different shapes."""
    return (
        np.concatenate([np.ravel(part) for part in output]) if isinstance(output, tuple) else np.ravel(output)
    )


def form(output):
    """The shape of an answer, or the shapes of its parts."""
    return [np.shape(part) for part in output] if isinstance(output, tuple) else np.shape(output)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_mistakes_can_be_told_apart(name):
    """On the first case no two known mistakes agree, so that nobody gets another's hint."""
    exercise = FUNCTIONS[name]
    first = exercise.cases[0]
    outputs = [mistake.wrong(**first) for mistake in exercise.mistakes]
    outputs.append(exercise.answer(**first))
    for i, a in enumerate(outputs):
        for b in outputs[:i]:
            assert form(a) != form(b) or not np.allclose(flat(a), flat(b), rtol=1e-3), (a, b)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_at_least_three_known_mistakes_get_their_own_hint(name):
    exercise = FUNCTIONS[name]
    assert len(exercise.mistakes) >= 3
    for mistake in exercise.mistakes:
        verdict = exercise.check(mistake.wrong)
        assert (verdict.accepted, verdict.attempted, verdict.hint) == (False, True, mistake.hint)


@pytest.mark.parametrize("name", CHOICES)
def test_at_least_three_wrong_choices_are_told_why(name):
    exercise = CHOICES[name]
    wrong = [pair for pair in zip(exercise.labels, exercise.options, strict=True) if not pair[1].right]
    assert len({option.why for _, option in wrong}) == len(wrong) >= 3
    for label, option in wrong:
        verdict = exercise.check(label)
        assert (verdict.accepted, verdict.attempted, verdict.note) == (False, True, option.why)
