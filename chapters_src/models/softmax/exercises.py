"""Exercises of the chapter on softmax: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.models.least_squares import with_bias
from chapters_src.models.softmax.regression import fit_softmax
from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    above,
    integers,
    normal,
    uniform,
)
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "first_loss",
    "overlooked_class",
    "repaired_loss",
    "temperature_for_nine_tenths",
    "tempered_gradient",
]


# --- predict: logits 2 and 0, at which τ is the first probability 0.9?

temperature_for_nine_tenths = Predict(
    "1. Predict: a temperature",
    "With pencil and paper, or a pocket calculator: two classes have the logits 2 and 0. "
    "At which temperature does the first get probability 0.9?",
    answer=2 / np.log(9),
    within=5e-3,
    mistakes=[
        Mistake(np.log(9) / 2, r"upside down: the difference of the logits is $2/\tau$, not $2\tau$"),
        Mistake(-2 / np.log(0.9), r"the logit of 0.9 is the logarithm of the odds, $\log\frac{0.9}{0.1}$"),
        Mistake(2 / np.log10(9), "logarithms in this book are natural"),
        Mistake(1 / np.log(9), "the difference of the logits is 2"),
        Mistake(2 / np.log(10), "the odds of 0.9 are 9 to 1, not 10 to 1"),
        Mistake(above(1), r"at $\tau=1$ the first has $\sigma(2)=0.88$; to reach 0.9 it has to be colder"),
    ],
    hints=[
        "With two classes the softmax is the sigmoid of a difference.",
        r"Solve $\sigma(2/\tau)=0.9$; the inverse of $\sigma$ is the logarithm of the odds.",
    ],
    why=r"$2/\tau=\log\frac{0.9}{0.1}=\log9$, so $\tau=2/\log9=0.91$.",
)


# --- choose: a first loss far above log K

first_loss = Choose(
    "2. Choose: the first loss",
    "A network for 1,000 classes is about to be trained. Before the first step its mean cross-entropy is "
    "21 nats. What do you suspect first?",
    options=[
        Option(
            "Nothing: 21 nats is what guessing costs with so many classes.",
            why=r"Uniform guessing costs $\log1000=6.9$ nats.",
        ),
        Option(
            "Its logits are far too large: it is sure of one class, and mostly of the wrong one.",
            right=True,
            why=r"Equal logits would cost $\log1000=6.9$. Large random logits cost at least the lead of the "
            "largest over the true class's. Smaller initial weights bring the loss down before any training.",
        ),
        Option(
            "The classes are unbalanced.",
            why="A model that gives all classes the same probability pays 6.9 nats on every example, "
            "whatever its class.",
        ),
        Option(
            "The learning rate is too large.",
            why="No step has been taken yet, so the learning rate has had no effect.",
        ),
    ],
    hints=["What would a model cost that gives every class the same probability?"],
)


# --- find the false line: the gradient of −log softmax(a/τ)_y by a


def _tempered() -> Derivation:
    d = Derivation(
        "the gradient at a temperature",
        where={r"\pi": r"=\operatorname{softmax}(a/\tau)"},
        a=normal(4),
        y=integers(1, 5),
        tau=uniform(0.3, 3.0),
    )
    d.start(r"\frac{\partial}{\partial a_k}\left(-\log\operatorname{softmax}(a/\tau)_y\right)")
    d.equals(
        r"\frac{\partial}{\partial a_k}\left(\log\sum_je^{a_j/\tau}-\frac{a_y}\tau\right)",
        because="logarithm of a quotient",
    )
    d.equals(
        r"\frac{\frac1\tau e^{a_k/\tau}}{\sum_je^{a_j/\tau}}-\frac1\tau[y=k]",
        because="chain rule in the first term; the second is linear",
    )
    return d.equals(
        r"\frac1\tau\left(\pi_k-[y=k]\right)", because=r"$\pi$ is the softmax at temperature $\tau$"
    )


tempered_gradient = FalseLine(
    _tempered(),
    {
        3: Variant(
            r"\frac{e^{a_k/\tau}}{\sum_je^{a_j/\tau}}-\frac1\tau[y=k]",
            because="chain rule in the first term; the second is linear",
        ),
        4: Variant(r"\pi_k-\frac1\tau[y=k]", because=r"$\pi$ is the softmax at temperature $\tau$"),
    },
    name="3. Find the false line: the gradient at a temperature",
    why=r"The inner derivative of $a_k/\tau$ is $\frac1\tau$ in both terms. With it the gradient is "
    r"$\frac1\tau(\pi-\text{one-hot})$, and its entries sum to zero; without it they do not.",
    hints=[
        "The loss does not change when all logits grow by the same number. So what must the entries sum to?",
        r"What is the derivative of $e^{a_k/\tau}$ with respect to $a_k$?",
    ],
)


# --- repair: the mean cross-entropy of a batch of logits


def _surprises(a: Any, y: Any, axis: int = 1) -> Any:
    shifted = a - a.max(axis=axis, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return -logs[np.arange(len(y)), y]


def _unshifted_back(a: Any, y: Any) -> Any:
    largest = a.max(axis=1)
    return np.mean(np.log(np.exp(a - largest[:, None]).sum(axis=1)) - a[np.arange(len(y)), y])


repaired_loss = Exercise(
    "repaired cross-entropy",
    answer=lambda a, y: _surprises(a, y).mean(),
    cases=[
        {"a": np.array([[1.0, 2.0, 4.0], [0.5, 0.0, -2.0]]), "y": np.array([1, 1])},
        {"a": np.zeros((4, 10)), "y": np.array([0, 3, 3, 9])},
        {"a": np.array([[1000.0, 1001.0, 999.0], [-1000.0, 0.0, -990.0]]), "y": np.array([1, 1])},
        {"a": np.array([[0.0, 800.0], [-800.0, 0.0]]), "y": np.array([0, 0])},
        {"a": np.array([[0.0, 1.0, 2.0], [900.0, 901.0, 902.0]]), "y": np.array([2, 0])},
    ],
    mistakes=[
        Mistake(
            lambda a, y: _surprises(a, y, axis=0).mean(), "each row is an example: normalise over its classes"
        ),
        Mistake(lambda a, y: _surprises(a, y).sum(), "the loss is a mean over the examples, not a sum"),
        Mistake(lambda a, y: -_surprises(a, y).mean(), "the sign is off: a surprise is at least 0"),
        Mistake(
            lambda a, y: np.exp(-_surprises(a, y)).mean(),
            "this is the mean probability; its logarithm is missing",
        ),
        Mistake(_unshifted_back, "if the sum is shifted by the largest logit $c$, add $c$ back"),
        Mistake(
            lambda a, y: -np.log(np.exp(-_surprises(a, y)).mean()),
            "take the logarithm of each probability first, and the mean of the logarithms after that",
        ),
    ],
    hint="for one row it is $\\log\\sum_j e^{a_j}-a_y$; shift each row by its own largest logit before you "
    "exponentiate, and never take the logarithm of a probability, which may have been rounded to 0",
)


# --- break: a class that is never predicted, though it is as frequent as the others


def _judge_overlooked(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: X, y."
    X, y = (as_numbers(part) for part in attempt)
    if X.ndim != 2 or X.shape[1] != 2 or y.shape != (len(X),):
        return f"expected X of shape (n, 2) and y of shape (n,), got shapes {X.shape} and {y.shape}."
    if not np.isfinite(X).all() or not set(y) <= {0, 1, 2}:
        return "finite points and the classes 0, 1 and 2, please."
    counts = np.bincount(y.astype(int), minlength=3)
    if len(y) > 30 or counts.min() < 3 or np.ptp(counts):
        told = ", ".join(map(str, counts))
        return f"at most 30 points, equally many of each class, and at least 3 of each; got {told}."
    if len(np.unique(X, axis=0)) < len(X):
        return "two points coincide: then no model could get both right."
    fit = fit_softmax(with_bias(X), y.astype(int), 3, ridge=0.01)
    guessed = (with_bias(X) @ fit.theta).argmax(axis=1)
    seen = [int(np.sum(guessed == k)) for k in range(3)]
    if min(seen) == 0:
        return None
    return f"on its training points the model says 0, 1 and 2 for {seen[0]}, {seen[1]} and {seen[2]} of them."


overlooked_class = Exercise(
    "a class that is overlooked",
    judge=_judge_overlooked,
    answer=(
        np.array([[x, 0.0] for x in (-6.0, -5, -4, -3.5, -3, -2, 2, 3, 3.5, 4, 5, 6)]),
        np.array([2, 2, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2]),
    ),
    hint="a region of a linear model is convex: put a class where no convex region can have most of it, for "
    "example on both sides of the others",
)
