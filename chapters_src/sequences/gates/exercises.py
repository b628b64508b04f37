"""Exercises of the chapter on gates: predict, choose, find the false line, implement, repair."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import (
    Choose,
    Derivation,
    Exercise,
    FalseLine,
    Mistake,
    Option,
    Predict,
    Variant,
    between,
    normal,
    uniform,
)

__all__ = ["half_after_a_hundred", "memory_weights", "one_way", "padded_loss", "through_the_output"]


# --- predict: the bias of a forget gate

half_after_a_hundred = Predict(
    "1. Predict: half after a hundred steps",
    "A forget gate gets nothing but its bias: $f=\\sigma(b)$ at every step. How large must $b$ be so that "
    "half of the memory is left after 100 steps?",
    answer=4.97,
    within=0.06,
    mistakes=[
        Mistake(between(0.98, 1.0), "that is the gate $f$; the question is for the bias that makes it"),
        Mistake(between(4.55, 4.65), "f = 0.99 keeps 37 % after 100 steps, not half"),
        Mistake(between(-5.1, -4.8), "the sign: a gate near 1 needs a positive bias"),
        Mistake(between(-0.01, 0.01), "a bias of 0 gives a gate of one half, and half is gone in one step"),
    ],
    hints=[
        "First find the gate: $f^{100}=\\frac12$.",
        "Then turn $f=\\sigma(b)$ round: $b=\\log\\frac f{1-f}$.",
    ],
    why="f = 0.5 to the power 0.01, which is 0.9931, and log(0.9931 / 0.0069) = 4.97.",
)


# --- choose: what a network that reads once from the left cannot do

one_way = Choose(
    "2. Choose: reading one way",
    "A gated network writes $y_t$ straight after it has read $x_t$. Which task can it **not** do without "
    "errors, however large it is?",
    options=[
        Option(
            "Say at each bit if the number of ones so far is even.",
            why="One state is enough: keep it at a 0, turn it round at a 1.",
        ),
        Option(
            "Mark each opening bracket that is never closed.",
            right=True,
            why="Whether it will be closed lies in the part of the sequence that has not been read.",
        ),
        Option(
            "Mark each word of a vocabulary of 50 that has occurred before.",
            why="A state for each of the 50 words, set at its first occurrence and never forgotten, does it.",
        ),
        Option(
            "Repeat at each step the symbol read three steps earlier.",
            why="Three symbols have to be kept. That takes some states, but nothing from the future.",
        ),
    ],
    hints=[
        "For each task: what must be known at step $t$?",
        "Which answer could still change at step $t+1$?",
    ],
)


# --- find the false line: from the hidden state back to the memory


def _through_the_output() -> Derivation:
    d = Derivation(
        "from what is shown back to the memory before",
        o=uniform(0.2, 0.9),
        f=uniform(0.2, 0.9),
        c=normal(),
        g=normal(),
    )
    d.start(r"\frac{\partial}{\partial c}\left(o\tanh(fc+g)\right)")
    d.equals(r"o\left(1-\tanh^2(fc+g)\right)f", because="chain rule; $\\tanh'=1-\\tanh^2$")
    d.equals(r"of\left(1-\tanh(fc+g)\right)\left(1+\tanh(fc+g)\right)", because="a difference of two squares")
    return d.equals(
        r"4of\,\sigma(2fc+2g)\left(1-\sigma(2fc+2g)\right)",
        because=r"$1+\tanh a=2\sigma(2a)$ and $1-\tanh a=2(1-\sigma(2a))$",
    )


through_the_output = FalseLine(
    _through_the_output(),
    {
        2: Variant(r"o\left(1-\tanh^2(fc+g)\right)", because="chain rule; $\\tanh'=1-\\tanh^2$"),
        3: Variant(
            r"o\left(1-\tanh(fc+g)\right)\left(1+\tanh(fc+g)\right)", because="a difference of two squares"
        ),
        4: Variant(
            r"4o\,\sigma(2fc+2g)\left(1-\sigma(2fc+2g)\right)",
            because=r"$1+\tanh a=2\sigma(2a)$ and $1-\tanh a=2(1-\sigma(2a))$",
        ),
    },
    name="3. Find the false line: from the hidden state to the memory before",
    question="An LSTM with one state shows $h=o\\tanh(fc+g)$, where $c$ is the memory before the step and "
    "$g=i\\tilde c$ what is let in. The gates are held fixed. One step does not follow, and the mistake is "
    "carried on. Which line is the first that is false?",
    why="The memory $c$ goes through the forget gate first, so the inner slope $f$ belongs in the product.",
    hints=[
        "Which factor says how $fc+g$ changes with $c$?",
        "Try $f=0$: the old memory then has no influence.",
    ],
)


# --- implement: what each step's offer counts for in the last memory


def _weights(i: Any, f: Any) -> Any:
    i, f = np.asarray(i, float), np.asarray(f, float)
    return np.array([i[t] * np.prod(f[t + 1 :]) for t in range(len(i))])


def _turned(rule: Any, hint: str) -> Mistake:
    return Mistake(lambda i, f: rule(np.asarray(i, float), np.asarray(f, float)), hint)


memory_weights = Exercise(
    "weights in the memory",
    answer=_weights,
    cases=[
        {"i": [0.5, 1.0, 0.2], "f": [0.9, 0.5, 0.1]},
        {"i": [1.0, 1.0, 1.0, 1.0], "f": [0.3, 0.8, 0.0, 0.6]},
        {"i": [0.7], "f": [0.2]},
        {"i": [0.0, 0.4, 0.9], "f": [1.0, 1.0, 1.0]},
    ],
    mistakes=[
        _turned(
            lambda i, f: i * np.cumprod(f[::-1])[::-1],
            "the offer of step t is not multiplied by its own forget gate, only by those after it",
        ),
        _turned(
            lambda i, f: i * np.cumprod(f),
            "these are the gates up to step t; what got in meets those after it",
        ),
        _turned(
            lambda i, f: np.append(np.cumprod(f[::-1])[-2::-1], 1.0),
            "the input gate decides how much gets in",
        ),
        _turned(
            lambda i, f: i * f ** np.arange(len(f))[::-1], "the forget gate may be another one at each step"
        ),
    ],
    hint="for two steps, write c₂ in terms of c̃₁ and c̃₂ and read off what stands before them",
)


# --- repair: the loss of padded sentences, moved by one place


def _padded_loss(p: Any, target: Any) -> float:
    total, count = 0.0, 0
    for row, words in zip(p, target, strict=True):
        for t in range(1, len(words)):
            if words[t] != 0:
                total -= np.log(row[t - 1][words[t]])
                count += 1
    return total / count


def _picked(p: Any, target: Any, move: int) -> tuple[Any, Any]:
    p, target = np.asarray(p, float), np.asarray(target)
    words = target[:, move:]
    surprise = -np.log(np.take_along_axis(p[:, : words.shape[1]], words[..., None], -1)[..., 0])
    return surprise, words != 0


def _distributions(shape: tuple[int, ...]) -> Any:
    a = np.random.default_rng(3).gamma(1.0, size=shape) + 0.05
    return a / a.sum(-1, keepdims=True)


def _loss_mistake(move: int, rule: Any, hint: str) -> Mistake:
    return Mistake(lambda p, target: float(rule(*_picked(p, target, move))), hint)


padded_loss = Exercise(
    "the loss of padded sentences",
    answer=_padded_loss,
    cases=[
        {"p": _distributions((2, 5, 6)), "target": np.array([[1, 4, 3, 5, 2], [1, 3, 2, 0, 0]])},
        {"p": _distributions((1, 3, 4)), "target": np.array([[1, 3, 2]])},
        {"p": _distributions((3, 4, 5)), "target": np.array([[1, 4, 4, 2], [1, 2, 0, 0], [1, 3, 2, 0]])},
    ],
    mistakes=[
        _loss_mistake(
            1, lambda loss, real: loss.mean(), "the padding is counted: its words are not to be predicted"
        ),
        _loss_mistake(
            0,
            lambda loss, real: loss[real].mean(),
            "row t was made after reading word t, so it predicts word t + 1",
        ),
        _loss_mistake(
            1,
            lambda loss, real: (loss * real).mean(),
            "the sum is right, but it is divided by all places, padding included",
        ),
        _loss_mistake(
            1,
            lambda loss, real: np.mean(
                [(row * r).sum() / r.sum() for row, r in zip(loss, real, strict=True)]
            ),
            "this is the mean over sentences of their means: a word of a short sentence counts for more",
        ),
        _loss_mistake(0, lambda loss, real: loss.mean(), "nothing was changed: there are two faults"),
    ],
    hint="write down which row of p goes with which word of target, and how many words there are to predict",
)
