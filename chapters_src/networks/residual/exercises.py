"""Exercises of the chapter on residual networks: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.shapes import ndarray
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above

__all__ = ["cancelled_slope", "first_to_learn", "middle_weight", "one_block_less", "repaired_gradient"]


# --- predict: what remains when one block is cut out

one_block_less = Predict(
    "1. Predict: one block less",
    "A residual network has ten blocks, and every branch multiplies the gradient by 0.5. You cut out the "
    "branch of the fourth block; its skip stays. Which share of what all paths carry together is left?",
    answer=2 / 3,
    within=2e-3,
    mistakes=[
        Mistake(
            0.5, "that is the share of the paths; the ones that are lost are the longer ones and carry less"
        ),
        Mistake(1 / 3, "that is the share that is lost"),
        Mistake(0.9, "that is the share of the blocks; a path goes through many of them"),
        Mistake(
            0.95, "a half of one tenth? Every second path goes through the fourth branch, not one in ten"
        ),
        Mistake(above(1), "that is a sum; divide it by the sum there was before"),
    ],
    hints=[
        r"Paths through $k$ branches carry $\binom Kkr^k$ together. What is the sum over $k$?",
        "Ten blocks carry $(1+r)^{10}$ together. And nine?",
    ],
    why=r"$(1+r)^9/(1+r)^{10}=1/(1+r)=\frac23$. Half of the paths are gone, but the lost ones are on average "
    r"longer. With $r=0.14$, as in the explorer, it is $\frac1{1.14}$, nearly nine tenths. In a plain "
    "network there is one path, and it is cut.",
)


# --- choose: a block behind a factor that starts at zero

first_to_learn = Choose(
    "2. Choose: a factor that starts at zero",
    r"A block computes $h+\alpha\,\mathrm{ReLU}(hW)V$ with one more trained number $\alpha$. At the start "
    r"$\alpha=0$, and $W$ and $V$ are random. What does the first step of gradient descent change?",
    options=[
        Option(
            "nothing: the branch is zero, so there is nothing to learn from",
            why=r"The value of the branch is zero, but its slope in $\alpha$ is $\mathrm{ReLU}(hW)V$, which "
            "is not.",
        ),
        Option(
            r"$\alpha$ only",
            right=True,
            why=r"The gradients of $W$ and $V$ contain the factor $\alpha=0$; that of $\alpha$ contains "
            r"$\mathrm{ReLU}(hW)V$. From the second step on all three learn.",
        ),
        Option(
            "$W$ and $V$ only",
            why=r"It is the other way round: the gradients of $W$ and $V$ are multiplied by $\alpha=0$.",
        ),
        Option("all three", why=r"The gradients of $W$ and $V$ are multiplied by $\alpha=0$."),
    ],
    hints=["Write down the three gradients. Which of them contain a factor that is zero?"],
)


# --- find the false line: the slope of a sigmoid that a skip is added to


def _middle_weight() -> Derivation:
    names = {"h_1": r"=\sigma(w_0x)", "s": r"=\sigma(w_1h_1)", "h_2": "=s+h_1", r"\hat y": "=w_2h_2"}
    d = Derivation(
        "the middle weight", where=names, w_0=normal(), w_1=normal(), w_2=normal(), x=normal(), y=normal()
    )
    d.start(r"\frac{\partial}{\partial w_1}\left(w_2(\sigma(w_1h_1)+h_1)-y\right)^2")
    d.equals(
        r"2(\hat y-y)\,w_2\,\frac{\partial}{\partial w_1}\sigma(w_1h_1)",
        because="chain rule; the skip does not contain $w_1$",
    )
    d.equals(
        r"2(\hat y-y)\,w_2\,s(1-s)\,h_1",
        because=r"$\sigma'=\sigma(1-\sigma)$; the slope of $w_1h_1$ is $h_1$",
    )
    return d.equals(
        r"2(\hat y-y)\,w_2\,(h_2-h_1)(1-h_2+h_1)\,h_1",
        because="$s=h_2-h_1$: only what the block stored is needed",
    )


middle_weight = FalseLine(
    _middle_weight(),
    {
        3: Variant(
            r"2(\hat y-y)\,w_2\,h_2(1-h_2)\,h_1",
            because=r"$\sigma'=\sigma(1-\sigma)$; the slope of $w_1h_1$ is $h_1$",
        ),
        4: Variant(
            r"2(\hat y-y)\,w_2\,(s+h_1)(1-s-h_1)\,h_1",
            because="$h_2=s+h_1$, and nothing else is needed",
        ),
    },
    name="3. Find the false line: the middle weight",
    why=r"$\sigma'=\sigma(1-\sigma)$ needs the value of the sigmoid. Without a skip that is $h_2$; with one, "
    r"it is $s=h_2-h_1$: the gradient is $2(\hat y-y)\,w_2\,s(1-s)\,h_1$.",
    hints=[
        r"Which value does the formula $\sigma'=\sigma(1-\sigma)$ speak of?",
        r"Try $h_1=1$ and $w_1=0$: the sigmoid is $\frac12$. What is $h_2$?",
    ],
)


# --- repair: a block's slope belongs to what went into it


def _into_blocks(x: ndarray, weights: list[ndarray]) -> list[ndarray]:
    """What goes into each block, and at the end what leaves the last."""
    h = [x]
    for W in weights:
        h.append(h[-1] + np.maximum(h[-1], 0) @ W)
    return h


def _backwards(x: ndarray, weights: list[ndarray], g: ndarray) -> ndarray:
    for W, h in zip(weights[::-1], _into_blocks(x, weights)[-2::-1], strict=True):
        g = g + g @ W.T * (h > 0)
    return g


def _slope_after_the_block(x: ndarray, weights: list[ndarray], g: ndarray) -> ndarray:
    for W, h in zip(weights[::-1], _into_blocks(x, weights)[:0:-1], strict=True):
        g = g + g @ W.T * (h > 0)
    return g


def _without_the_skip(x: ndarray, weights: list[ndarray], g: ndarray) -> ndarray:
    for W, h in zip(weights[::-1], _into_blocks(x, weights)[-2::-1], strict=True):
        g = g @ W.T * (h > 0)
    return g


def _relu_on_the_skip(x: ndarray, weights: list[ndarray], g: ndarray) -> ndarray:
    for W, h in zip(weights[::-1], _into_blocks(x, weights)[-2::-1], strict=True):
        g = (g + g @ W.T) * (h > 0)
    return g


def _first_block_first(x: ndarray, weights: list[ndarray], g: ndarray) -> ndarray:
    for W, h in zip(weights, _into_blocks(x, weights)[:-1], strict=True):
        g = g + g @ W.T * (h > 0)
    return g


_rng = np.random.default_rng(4)
_SMALL = {
    "x": np.array([[1.0, -2.0]]),
    "weights": [np.array([[1.0, 3.0], [2.0, 1.0]]), np.array([[0.0, -1.0], [-3.0, 1.0]])],
    "g": np.array([[1.0, 2.0]]),
}

repaired_gradient = Exercise(
    "the gradient of a residual stack",
    answer=_backwards,
    cases=[
        _SMALL,
        {
            "x": _rng.normal(size=(3, 4)),
            "weights": list(_rng.normal(size=(5, 4, 4))),
            "g": _rng.normal(size=(3, 4)),
        },
        {"x": _rng.normal(size=(2, 3)), "weights": [], "g": _rng.normal(size=(2, 3))},
    ],
    mistakes=[
        Mistake(
            _slope_after_the_block, "the ReLU of a block acts on what goes into it, not on what leaves it"
        ),
        Mistake(_without_the_skip, "the gradient also comes back along the skip"),
        Mistake(_relu_on_the_skip, "the ReLU stands in the branch: the skip hands all of the gradient back"),
        Mistake(_first_block_first, "the gradient meets the last block first"),
    ],
    hint="with one block, compare each entry with a difference quotient: where is the ReLU switched off?",
)


# --- break: a skip does not promise a gradient

START = 0.5


def _judge_cancelled(attempt: Any) -> str | None:
    w = as_numbers(attempt)
    if w.shape != (3,) or not np.isfinite(w).all():
        return f"expected three finite weights, got shape {w.shape}."
    if (np.abs(w) < 0.1).any() or (np.abs(w) > 3).any():
        return "each weight should lie between 0.1 and 3 in size, so that every branch does something."
    h, slope = START, 1.0
    for one in w:
        slope *= 1 + one * (1 - np.tanh(h) ** 2)
        h = h + one * np.tanh(h)
    return None if abs(slope) <= 1e-6 else f"the slope is {slope:.2g}: not yet zero to six digits."


cancelled_slope = Exercise(
    "a residual network without a gradient",
    judge=_judge_cancelled,
    answer=[-1 / (1 - np.tanh(START) ** 2), 1.0, 1.0],
    hint=r"the slope is a product of factors $1+w_k(1-\tanh^2h)$: one of them has to be zero",
)
