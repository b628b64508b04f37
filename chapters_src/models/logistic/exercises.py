"""Exercises of the chapter on logistic regression: a number, a choice, a false line, a repair, a break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.models.least_squares import least_squares, with_bias
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, integers, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above, below

__all__ = ["awkward_data", "odds_of_smokers", "rare_gene", "rounded_loss", "signed_labels", "smokers"]


# --- predict: two groups, one yes-or-no column

smokers: ndarray = np.array([[30, 30], [20, 80]])  # smokers and others: ill, well

odds_of_smokers = Predict(
    "1. Predict: one column of zeros and ones",
    "Of 60 smokers 30 fall ill, and of 100 others 20. Logistic regression gets a bias and one column $x$, "
    r"which is 1 for smokers and 0 for others. Before any fit: what is $e^{\theta_1}$, the factor on the "
    "odds that goes with smoking?",
    answer=4.0,
    within=0.005,
    mistakes=[
        Mistake(2.5, "that is the ratio of the probabilities; the model speaks of odds"),
        Mistake(0.25, "upside down, or the odds of the others alone: divide the odds of smokers by theirs"),
        Mistake(np.log(4), r"that is $\theta_1$ itself; its exponential is asked for"),
        Mistake(1.5, "that is the ratio of the numbers of ill people; the groups differ in size"),
        Mistake(0.3, "that is the difference of the probabilities"),
        Mistake(1.0, "those are the odds of the smokers; compare them with those of the others"),
        Mistake(below(0), "a factor between two odds is positive"),
        Mistake(above(30), "odds are ill against well, in each group by itself"),
    ],
    hints=[
        "With two parameters the model can match the share of ill people in both groups exactly.",
        "The odds of a group are its ill people divided by its well people.",
        r"$\theta_0$ is the log-odds where $x=0$, and $\theta_0+\theta_1$ where $x=1$.",
    ],
    why=r"The odds are $30/30=1$ for smokers and $20/80=\frac14$ for others, so the factor is 4. The "
    "probabilities have the ratio 2.5; the two factors are close where both probabilities are small.",
)


# --- choose: quasi-separation by a rare column

rare_gene = Choose(
    "2. Choose: a rare gene",
    "Three of 500 patients carry a gene, and all three are ill. No hyperplane in the measurements separates "
    "the ill from the healthy among the other 497, not even in part. The gene enters as one more "
    "column of zeros and ones, without a penalty. What does gradient "
    "descent with a small enough learning rate do?",
    options=[
        Option(
            "It settles: three patients are too few to matter.",
            why="Each step of the gene's coefficient raises the probability of its three patients and hurts "
            "nobody. What would stop it?",
        ),
        Option(
            "All coefficients grow for ever, and the loss tends to 0.",
            why="The other 497 overlap: a growing coefficient of a measurement makes some of them surer of "
            "the wrong answer, and that costs more and more.",
        ),
        Option(
            "The gene's coefficient grows for ever, the others settle, and the loss stays above 0.",
            right=True,
            why="This is quasi-separation. The slope in the gene's coefficient comes from three patients and "
            "never changes its sign, while the others see data that overlap.",
        ),
        Option(
            "The gene's coefficient grows for ever and the loss tends to 0.",
            why="The loss of the three tends to 0. What about the 497, whom the gene's coefficient does not "
            "touch?",
        ),
    ],
    hints=[
        r"The slope in that coefficient is $\frac1n\sum_i(p_i-y_i)x_i$. Which patients have $x_i\ne0$?",
        "Think of the three and of the 497 as two data sets, and ask for each where its loss is least.",
    ],
)


# --- find the false line: the gradient with labels −1 and 1


def _signed_labels() -> FalseLine:
    d = Derivation(
        "the loss with labels −1 and 1",
        where={"n": "rows of X", "s": "=2y-1"},
        X=normal(8, 3),
        y=integers(0, 2, 8),
        theta=normal(3),
    )
    d.start(r"\nabla_\theta\frac1n\sum_i\log\left(1+e^{-s_i\theta^\top x_i}\right)")
    d.equals(
        r"\frac1n\sum_i\frac{-s_ie^{-s_i\theta^\top x_i}}{1+e^{-s_i\theta^\top x_i}}\,x_i",
        because="chain rule, from outside to inside",
    )
    d.equals(
        r"-\frac1n\sum_is_i\,\sigma(-s_i\theta^\top x_i)\,x_i",
        because=r"$\frac{e^{-b}}{1+e^{-b}}=\sigma(-b)$",
    )
    d.equals(
        r"-\frac1n\sum_is_i\left(1-\sigma(s_i\theta^\top x_i)\right)x_i",
        because=r"$\sigma(-b)=1-\sigma(b)$",
    )
    wrong = {
        3: Variant(
            r"-\frac1n\sum_is_i\,\sigma(s_i\theta^\top x_i)\,x_i",
            because=r"$\frac{e^{-b}}{1+e^{-b}}=\sigma(b)$",
        ),
        4: Variant(
            r"-\frac1n\sum_is_i\left(1-\sigma(-s_i\theta^\top x_i)\right)x_i",
            because=r"$\sigma(b)=1-\sigma(-b)$",
        ),
    }
    return FalseLine(
        d,
        wrong,
        name="3. Find the false line: labels −1 and 1",
        question="Some authors write the labels as $s_i=2y_i-1$, that is, −1 and 1. Here is the gradient of "
        "the loss in that form, with a false step that is carried on. Which line is the first that is false?",
        why=r"$\frac{e^{-b}}{1+e^{-b}}$ tends to 0 when $b$ grows, so it is $\sigma(-b)$. In words: an "
        "example far on its own side hardly pulls; the false line lets it pull most.",
        hints=[
            r"Put in one example with $s_i=1$ and a very large $\theta^\top x_i$. Should it still pull?",
            r"What does $\frac{e^{-b}}{1+e^{-b}}$ do when $b\to\infty$, and what does $\sigma(b)$ do?",
        ],
    )


signed_labels = _signed_labels()


# --- repair: one weighted loss per example, from a probability that was clipped, for labels between 0 and 1


def _losses(a: Any, y: Any, miss: float = 10.0, alarm: float = 1.0) -> Any:
    return miss * y * np.logaddexp(0, -a) + alarm * (1 - y) * np.logaddexp(0, a)


def _clipped(a: Any, y: Any, least: float = 1e-7) -> Any:
    p = np.clip(1 / (1 + np.exp(-a)), least, 1 - least)
    return -(10 * y * np.log(p) + (1 - y) * np.log(1 - p))


rounded_loss = Exercise(
    "a loss for every logit",
    answer=_losses,
    cases=[
        {"a": np.array([2.0, -1.0, 30.0, -40.0]), "y": np.array([1, 1 / 3, 0, 2 / 3])},
        {"a": np.array([0.0, 0.0, 1.0]), "y": np.array([0, 1, 1 / 3])},
        {"a": np.array([700.0, -700.0, 1000.0, -1000.0]), "y": np.array([0, 1, 1 / 3, 2 / 3])},
        {"a": np.array([1000.0, -1000.0, 5.0]), "y": np.array([1, 0, 0])},
    ],
    mistakes=[
        Mistake(_clipped, "the cut is still there: from some logit on, no mistake costs more"),
        Mistake(
            lambda a, y: _clipped(a, y, 1e-15),
            "a smaller cut is still a cut: the loss must grow",
        ),
        Mistake(lambda a, y: _losses(a, 1 - y), "the labels are exchanged: $y=1$ has the loss $-10\\log p$"),
        Mistake(lambda a, y: _losses(a, y, 1, 1), "here a miss costs no more than a false alarm"),
        Mistake(lambda a, y: _losses(a, y, 1, 10), "the 10 is at the false alarms; it belongs to the misses"),
        Mistake(lambda a, y: _losses(a, y, 10, 10), "the 10 belongs to one of the two terms, to $y\\log p$"),
        Mistake(
            lambda a, y: np.logaddexp(0, a) - 10 * y * a,
            "$\\log(1+e^a)-ya$ used that the factors $y$ and $1-y$ add up to 1; now one is $10\\,y$",
        ),
        Mistake(
            lambda a, y: (1 + 9 * y) * _losses(a, y, 1, 1),
            "right for 0 and 1 only: the factor 10 is for the first term, not for both",
        ),
        Mistake(lambda a, y: -_losses(a, y), "the sign is off: a surprise is not negative"),
        Mistake(lambda a, y: _losses(a, y).mean(), "one loss per example, please, not their mean"),
        Mistake(lambda a, y: _losses(a, y) / np.log(2), "these are bits; logarithms here are natural"),
        Mistake(
            lambda a, y: 10 * y * np.maximum(-a, 0.0) + (1 - y) * np.maximum(a, 0.0),
            "right far out, but not near $a=0$",
        ),
        Mistake(
            lambda a, y: np.where(y == 1, 10 * np.logaddexp(0, -a), np.logaddexp(0, a)),
            "right for 0 and 1 only: a share of $\\frac13$ is not a no",
        ),
        Mistake(
            lambda a, y: (1 + 9 * y) * np.logaddexp(0, (1 - 2 * y) * a),
            "right for 0 and 1 only: $2y-1$ is a sign for them, but not for $y=\\frac13$",
        ),
    ],
    # An answer that is infinite or not a number matches no mistake above.
    hint="do not compute $p$: write $-\\log p$ and $-\\log(1-p)$ in terms of $a$, each as $\\log(1+e^b)$ "
    "with some $b$, and keep $e^b$ from overflowing where $b$ is large",
)


# --- break: separable data on which least squares misclassifies


def _judge_awkward(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair: x, y."
    x, y = (as_numbers(part) for part in attempt)
    if x.ndim != 1 or y.shape != x.shape:
        return f"expected x and y of shape (n,), got shapes {x.shape} and {y.shape}."
    if not 2 <= len(x) <= 10 or not np.isfinite(x).all():
        return f"between 2 and 10 finite numbers, please; got {len(x)}."
    if set(np.unique(y)) != {0.0, 1.0}:
        return "the labels have to be 0 and 1, and both have to occur."
    low, high = x[y == 0], x[y == 1]
    if not (low.max() < high.min() or high.max() < low.min()):
        return "no threshold separates these labels: the two classes overlap."
    X = with_bias(x[:, None])
    theta = least_squares(X, y)
    right = (X @ theta > 0.5) == (y == 1)
    if right.all():
        return f"least squares gets all {len(x)} right."
    return None


awkward_data = Exercise(
    "separable data that least squares gets wrong",
    judge=_judge_awkward,
    answer=(np.array([-1.0, 0.0, 1.0, 30.0]), np.array([0.0, 0.0, 1.0, 1.0])),
    hint="least squares punishes a point that is too far on its own side: what if one is very far out?",
)
