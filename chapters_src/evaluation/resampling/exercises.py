"""Exercises of the chapter on resampling: a number, a choice, a false line, and two for the notebook."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy import stats

from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    integers,
    positive,
)
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above, below

__all__ = ["hidden_by_pooling", "many_seeds", "more_images", "no_mistake", "sign_flips"]

no_mistake = Predict(
    "1. Predict: not a single mistake",
    r"A model answers all of 36 test images correctly. Take $c=2$. How large may its true error rate still "
    r"be, as a number between 0 and 1: where does Wilson's interval for the error rate end?",
    answer=0.1,
    within=0.004,
    mistakes=[
        Mistake(0.0, r"that is Wald's interval, which has no width at $\hat p=0$"),
        Mistake(0.111, r"divide by $1+c^2/n$ as well"),
        Mistake(0.0556, r"that is $c^2/(2n)$, the shift alone; the root adds the same once more"),
        Mistake(0.05, r"that is the middle of the interval; it ends at twice as much"),
        Mistake(0.9, "that is the other end, for the accuracy"),
        Mistake(above(1), "as a number between 0 and 1, please"),
        Mistake(above(0.2), "a model with this error rate would hardly make 0 mistakes in 36"),
        Mistake(below(0), "an error rate is at least 0"),
    ],
    hints=[
        r"With $\hat p=0$ the root is $c/(2n)$.",
        r"$\frac{c^2/(2n)+c^2/(2n)}{1+c^2/n}=\frac{c^2}{n+c^2}$",
    ],
    why=r"At $\hat p=0$ the upper end is $c^2/(n+c^2)=4/40$: no mistake in 36 still allows one in ten.",
)

more_images = Choose(
    "2. Choose: the same disagreements",
    r"Two studies compare A and B. In both, four images were right for A alone and twelve for B alone. The "
    r"first study had 100 test images, the second 10,000. Which is better evidence that B has the higher "
    r"accuracy?",
    options=[
        Option(
            "the first: there B leads by 8 percentage points",
            why="The lead is larger, but so is its standard error, by nearly the same factor.",
        ),
        Option(
            "the second: more images, more evidence",
            why="The images on which the two agree do not say which of them is better.",
        ),
        Option(
            "equally good",
            right=True,
            why="McNemar's test looks at the sixteen disagreements only: p = 0.077 in both. The size of "
            "the advantage differs: 8 points in the first study, 0.08 in the second.",
        ),
        Option(
            "that depends on the two accuracies",
            why="The accuracies add images that both got right, and these count equally for both models.",
        ),
    ],
    hints=["If neither is better, what is the probability that a given disagreement goes to B?"],
)


def _many_seeds() -> FalseLine:
    d = Derivation(
        "the variance of a mean over seeds",
        k=integers(2, 7),
        tau=positive(),
        sigma2=positive(),
    )
    d.start(r"\frac1{k^2}\sum_{i=1}^k\sum_{j=1}^k\left(\tau+\sigma^2\,\mathbb 1[i=j]\right)")
    d.equals(r"\frac1{k^2}\left(k^2\tau+k\sigma^2\right)", because=r"$k^2$ pairs, of which $k$ are equal")
    d.equals(r"\tau+\frac{\sigma^2}k", because="divide")
    d.equals(
        r"\left(\tau+\sigma^2\right)-\left(1-\frac1k\right)\sigma^2",
        because="compared with a single seed",
    )
    wrong = {
        3: Variant(r"\frac{\tau+\sigma^2}k"),
        4: Variant(r"\left(\tau+\sigma^2\right)-\left(1-\frac1k\right)\left(\tau+\sigma^2\right)"),
    }
    return FalseLine(
        d,
        wrong,
        name="3. Find the false line: many seeds",
        question=r"A learner runs with $k$ seeds on the same data. The data give every score the variance "
        r"$\tau$, in common; each seed adds $\sigma^2$ of its own, independently. The first line is the "
        r"variance of the mean score. One step does not follow, and the mistake is carried on. Which line "
        r"is the first that is false?",
        why=r"Only $\sigma^2$, the part that each seed brings anew, is divided by $k$. The part $\tau$ of "
        r"the data that all seeds share stays, however many seeds are run.",
        hints=["Let $k$ be very large in each line.", r"What is $k^2\tau/k^2$?"],
    )


many_seeds = _many_seeds()


def _flip(differences: Any, counts_as_far: Any) -> float:
    d = np.asarray(differences, dtype=float)
    flipped = np.array(list(product([1, -1], repeat=len(d)))) @ d
    return float(np.mean(counts_as_far(flipped, d.sum())))


sign_flips = Exercise(
    "a test by sign flips",
    answer=lambda differences: _flip(differences, lambda all_, one: abs(all_) >= abs(one) - 1e-9),
    cases=[
        {"differences": np.array([1.0, 2.0, 3.0, -1.0])},
        {"differences": np.array([1.0, 1.0, 1.0, 1.0, 1.0])},
        {"differences": np.array([3.0, -1.0, 2.0, 0.0, 5.0, -2.0, 4.0])},
        {"differences": np.array([-2.0, -1.0, -4.0])},
    ],
    mistakes=[
        Mistake(
            lambda differences: _flip(differences, lambda all_, one: abs(all_) > abs(one) + 1e-9),
            "the observed signs are one of the patterns too: count what is *at least* as far",
        ),
        Mistake(
            lambda differences: _flip(differences, lambda all_, one: all_ >= one - 1e-9),
            "a lead of A as large as this one would have surprised us as much: use absolute values",
        ),
        Mistake(lambda differences: 1.0, "changing the order leaves the sum as it is: change the signs"),
        Mistake(
            lambda differences: float(stats.ttest_1samp(differences, 0.0).pvalue),
            "that is the t-test; here no distribution is assumed, only that signs are coins",
        ),
        Mistake(
            lambda differences: _flip(np.sign(differences), lambda all_, one: abs(all_) >= abs(one) - 1e-9),
            "that is McNemar's test: keep the sizes of the differences",
        ),
    ],
    hint="if A and B are equally good, each difference might as well have had the other sign: 2ⁿ patterns",
)


def _hidden(attempt: Any) -> str | None:
    """None if pairing finds what two separate shares hide, else what is wrong with the attempt."""
    try:
        counts = [float(one) for one in attempt]
    except (TypeError, ValueError):
        return "give four counts: both right, only A, only B, neither."
    if len(counts) != 4 or any(one < 0 or one != int(one) for one in counts):
        return "give four whole numbers, none negative: both right, only A, only B, neither."
    both, only_a, only_b, neither = map(int, counts)
    n = both + only_a + only_b + neither
    if not 1 <= n <= 200:
        return f"use at most 200 images; you have {n}."
    a, b = both + only_a, both + only_b
    share = (a + b) / (2 * n)
    if share in (0, 1):
        return "two models that are always right, or always wrong, do not differ."
    apart = abs(b - a) / n / np.sqrt(2 * share * (1 - share) / n)
    pooled, paired = 2 * stats.norm.sf(apart), stats.binomtest(only_b, max(only_a + only_b, 1)).pvalue
    if only_a + only_b == 0 or paired >= 0.01:
        return f"McNemar's p-value is {paired if only_a + only_b else 1:.3f}; it should be below 0.01."
    if pooled <= 0.2:
        return f"as separate samples the two shares give p = {pooled:.3f}; it should be above 0.2."
    return None


hidden_by_pooling = Exercise(
    "hidden by pooling",
    judge=_hidden,
    hint="let the two models disagree rarely, and then nearly always in favour of the same one",
)
