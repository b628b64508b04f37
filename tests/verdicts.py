"""What the tests of every chapter's exercises ask of a verdict."""

from __future__ import annotations

from typing import Any

from chapters_src.studio.exercise import Exercise, Verdict


def rejected(exercise: Exercise, attempt: Any, hint: str) -> Verdict:
    """The verdict on a wrong answer, which must be rejected with the right hint."""
    verdict = exercise.check(attempt)
    assert not verdict.accepted
    assert verdict.attempted
    assert hint in verdict.message, verdict.message
    return verdict
