"""Exercises of the chapter on search: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.optimisation.search.halving import successive_halving
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, integers, uniform
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above, below

__all__ = [
    "both_in_the_best_tenth",
    "crossing_curves",
    "fifty_against_one",
    "honest_report",
    "twice_the_trials",
]

# --- predict: two hyper-parameters at once

both_in_the_best_tenth = Predict(
    "1. Predict: both in the best tenth",
    "Two hyper-parameters both matter: a trial is good only if each of them falls into the best tenth of its "
    "range. They are drawn independently. How many random trials do you need at least, so that one is good "
    "with probability one half or more?",
    answer=69,
    within=0.5,
    mistakes=[
        Mistake(7, "that is for one hyper-parameter; here both must be good in the same trial"),
        Mistake(4, "that is if one good hyper-parameter of the two is enough; both must be good together"),
        Mistake(50, "the chances of several trials do not add up: two of them may both be good"),
        Mistake(68, r"check it: $0.99^{68}$ is still a little above one half"),
        Mistake(100, "a hundred is the mean waiting time; one half is reached earlier"),
        Mistake(299, "that is for a probability of 95 %"),
        Mistake(14, "two searches, one per hyper-parameter, do not make one trial in which both are good"),
        Mistake(below(1), "a number of trials is at least 1"),
        Mistake(above(300), "that is more than is needed even for 95 %"),
    ],
    hints=[
        "What is the probability that a single trial is good?",
        "What is the probability that all $n$ trials are bad?",
        r"Solve $0.99^n\le\frac12$ for a whole number $n$.",
    ],
    why=r"A trial is good with probability $\frac1{10}\cdot\frac1{10}=0.01$, and $0.99^{69}=0.4998$. A box "
    "that is good in every coordinate shrinks with each hyper-parameter that matters: the formula does not "
    "contain their number, but $p$ does.",
)

# --- choose: the winner of many against a single candidate

fifty_against_one = Choose(
    "2. Choose: fifty against one",
    "On the same 100 validation examples the best of fifty random settings gets 4 wrong. The setting of last "
    "year, which was fixed before these examples were collected, gets 5 wrong. Which sentence is right?",
    options=[
        Option(
            "The new setting is better: both were scored on the same examples.",
            why="Equal examples make the comparison paired. They do not undo the choice among fifty.",
        ),
        Option(
            "Both scores are too good, by about the same amount.",
            why="Nothing was chosen by these examples in the case of the old setting; its score is unbiased.",
        ),
        Option(
            "The new score is too good on average, the old one is not, so fresh examples should decide.",
            right=True,
            why="The lowest of fifty scores contains the luck of having been chosen. One example of "
            "difference can be all luck, and examples that chose nothing can tell.",
        ),
        Option(
            "Fifty settings are too many for 100 examples; with ten settings there would be no bias.",
            why="The bias grows with the number of settings, but it begins with the second one.",
        ),
    ],
    hints=["Which of the two scores took part in a choice?", "What does the minimum do to errors of mean 0?"],
)

# --- find the false line: twice as many trials


def _twice() -> Derivation:
    d = Derivation("what twice as many trials add", n=integers(1, 8), p=uniform(0.05, 0.9))
    d.start(r"\left(1-(1-p)^{2n}\right)-\left(1-(1-p)^n\right)")
    d.equals(r"(1-p)^n-(1-p)^{2n}", because="the ones cancel")
    d.equals(r"(1-p)^n\left(1-(1-p)^n\right)", because=r"take out $(1-p)^n$")
    d.equals(r"\frac14-\left((1-p)^n-\frac12\right)^2", because="complete the square")
    return d.at_most(r"\frac14", because="a square is not negative", tight={"n": 1, "p": 0.5})


twice_the_trials = FalseLine(
    _twice(),
    {3: Variant(r"(1-p)^n\left(1-(1-p)^2\right)", because=r"take out $(1-p)^n$")},
    name="3. Find the false line: what twice as many trials add",
    why=r"$(1-p)^{2n}$ is $(1-p)^n$ times $(1-p)^n$, not times $(1-p)^2$. So doubling the trials raises the "
    "chance of a hit by a quarter at most, when that chance was one half before.",
    hints=["Put in small numbers.", r"At $n=1$ and $p=\frac12$ the first line is $\frac14$: and the others?"],
)

# --- repair: a report that does not flatter


def _expected_loss(validation: Any, test: Any) -> float:
    return float(np.mean([t[np.argmin(v)] for v, t in zip(validation, test, strict=True)]))


def _case(seed: int, splits: int, settings: int) -> dict[str, ndarray]:
    rng = np.random.default_rng(seed)
    true = rng.uniform(0.2, 0.6, settings)
    validation, test = (true + 0.2 * rng.uniform(-1, 1, (splits, settings)) for _ in range(2))
    return {"validation": validation.round(2), "test": test.round(2)}


honest_report = Exercise(
    "honest report",
    answer=_expected_loss,
    cases=[_case(3, 3, 4), _case(1, 5, 8), _case(2, 1, 6), _case(3, 20, 2)],
    mistakes=[
        Mistake(
            lambda validation, test: float(np.min(validation, axis=1).mean()),
            "that is the winner's own validation loss, which its choice has made too good",
        ),
        Mistake(
            lambda validation, test: float(np.min(test, axis=1).mean()),
            "here the test set chooses; whoever uses the method does not have it",
        ),
        Mistake(
            lambda validation, test: float(np.mean(test, axis=0)[np.argmin(np.mean(validation, axis=0))]),
            "this chooses one setting for all splits; the method chooses on each split anew",
        ),
        Mistake(
            lambda validation, test: float(np.minimum(validation, test).min(axis=1).mean()),
            "this is still the function that was to be repaired",
        ),
        Mistake(
            lambda validation, test: float(np.median([t[np.argmin(v)] for v, t in zip(validation, test)])),  # noqa: B905
            "the expected loss is a mean over the splits",
        ),
    ],
    hint="which array may decide which column is taken, and which array is read at that column?",
)

# --- break: curves that cross


def _judge_curves(attempt: Any) -> str | None:
    curves = as_numbers(attempt)
    if curves is None or curves.shape != (9, 9):
        return "give an array of numbers of shape (9, 9): nine settings, nine epochs"
    if not (np.isfinite(curves).all() and (curves > 0).all()):
        return "all losses must be positive and finite"
    if (np.diff(curves, axis=1) > 0).any():
        return "no curve may rise from one epoch to the next"
    rungs = successive_halving(
        lambda budget, setting: curves[setting, budget - 1], [{"setting": j} for j in range(9)], 1, 3
    )
    chosen = rungs[-1].trials[0].loss
    best = float(curves[:, -1].min())
    if chosen < 2 * best:
        return (
            f"halving's choice ends at {chosen:.3g} and the best setting at {best:.3g}: not yet twice as much"
        )
    return None


crossing_curves = Exercise(
    "crossing curves",
    judge=_judge_curves,
    hint="after one epoch only three of nine go on: let the best setting start slowly",
)
