"""Exercises of the chapter on pre-training: predict, choose, find the false line, repair, implement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.studio.derivation import Derivation, normal
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.false_line import FalseLine, Variant
from chapters_src.studio.questions import Choose, Option, Predict

__all__ = ["adapters", "combined", "nothing_masked", "other_side", "repaired_loss"]


# --- predict: how many numbers the adapters of a large model have

adapters = Predict(
    "1. Predict: the adapters of a large model",
    "A model has 32 layers of width 4096. In each layer the matrices of the queries and of the values, both "
    "4096 × 4096, get an adapter of rank 8. How many millions of numbers are learned?",
    answer=4.194,
    within=0.05,
    mistakes=[
        Mistake(2.097, "that is one matrix per layer; queries *and* values are adapted"),
        Mistake(1073.74, "those are the frozen matrices themselves"),
        Mistake(0.131, "that is one layer; there are 32"),
        Mistake(4194304, "in millions, please"),
        Mistake(8.389, "two matrices per layer have an adapter, not four"),
    ],
    hints=["How many numbers have the two thin matrices together?", "One adapter has 8 · (4096 + 4096)."],
    why="32 layers, 2 adapters in each, 8 · (4096 + 4096) numbers per adapter: 4.19 million. The adapted "
    "matrices themselves have 1,074 million.",
)


# --- choose: what is learned if every chosen word is shown

nothing_masked = Choose(
    "2. Choose: nothing is masked",
    "Somebody trains a masked model with kept = 1: the chosen words are shown as they are, and the model has "
    "to name them. What happens?",
    options=[
        Option(
            "The loss goes to 0, and the model has learned to copy.",
            right=True,
            why="The answer stands at the place of the question. The other words are not needed.",
        ),
        Option(
            "It learns the language faster, because it sees more.",
            why="It sees the answer too. Then the words around it are not needed.",
        ),
        Option(
            "It becomes a model that predicts the next word.",
            why="Nothing hides the word itself. A causal model never sees the word that it has to predict.",
        ),
        Option(
            "The loss stays at the logarithm of the size of the vocabulary.",
            why="That is the price of knowing nothing; here the answer is in the input.",
        ),
    ],
    hints=["Put $k=1$, $s=0$ into the formula for a word that is shown."],
)


# --- find the false line: the gradient of the other thin matrix


def _other_side() -> Derivation:
    d = Derivation(
        "the gradient of A",
        X=normal(6, 4),
        Y=normal(6, 3),
        W=normal(3, 4),
        B=normal(3, 2),
        A=normal(2, 4),
        where={"R": r"= X(W+BA)^\top-Y"},
    )
    d.start(r"\nabla_A\lVert Y-X(W+BA)^\top\rVert_F^2")
    d.equals(r"2B^\top R^\top X", because="chain rule, with $R=X(W+BA)^\\top-Y$")
    d.equals(r"2B^\top\left((W+BA)X^\top-Y^\top\right)X", because=r"$R^\top=(W+BA)X^\top-Y^\top$")
    return d.equals(r"2B^\top(W+BA)X^\top X-2B^\top Y^\top X", because="multiply out")


other_side = FalseLine(
    _other_side(),
    {
        2: Variant(r"B^\top R^\top X", because="chain rule, with $R=X(W+BA)^\\top-Y$"),
        3: Variant(r"B^\top\left((W+BA)X^\top-Y^\top\right)X", because=r"$R^\top=(W+BA)X^\top-Y^\top$"),
        4: Variant(r"B^\top(W+BA)X^\top X-B^\top Y^\top X", because="multiply out"),
    },
    name="3. Find the false line: the gradient of A",
    question="The chapter derives the gradient of $B$ for LoRA's matrix $W+BA$ and a squared error. Here is "
    "that of $A$. Which is the first false line?",
    why="A square has the slope $2r$: the factor 2 is missing from line 2 on.",
    hints=["All shapes fit, so look at the factors.", "Try numbers: one row, one column, $B=X=1$, $W=Y=0$."],
)


# --- repair: the loss of a masked model


def _loss(logits: Any, tokens: Any, chosen: Any) -> Any:
    rows = []
    for scores, token, hidden in zip(logits, tokens, chosen, strict=True):
        if hidden:
            top = scores.max()
            rows.append(top + np.log(np.exp(scores - top).sum()) - scores[token])
    return float(np.mean(rows))


def _as_written(over: str, following: bool = False) -> Callable[..., Any]:
    """The function of the exercise with some of its faults repaired."""

    def attempt(logits: Any, tokens: Any, chosen: Any) -> Any:
        p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        each = -np.log(p[np.arange(len(tokens)), tokens])
        if following:
            each = -np.log(p[np.arange(len(tokens) - 1), tokens[1:]])
        places = {"all": slice(None), "chosen": chosen[: len(each)], "seen": ~chosen}
        return float(each[chosen[1:] if over == "before" else places[over]].mean())

    return attempt


def _masked(seed: int, t: int, v: int, hidden: list[int], shift: float = 0.0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    chosen = np.zeros(t, dtype=bool)
    chosen[hidden] = True
    logits = rng.normal(size=(t, v)) + shift
    return {"logits": logits, "tokens": rng.integers(0, v, t), "chosen": chosen}


repaired_loss = Exercise(
    "the masked loss, repaired",
    answer=_loss,
    cases=[_masked(0, 6, 4, [1, 3]), _masked(1, 6, 3, [0]), _masked(2, 4, 5, [0, 1, 2, 3])],
    mistakes=[
        Mistake(
            _as_written("all", following=True),
            "nothing is repaired yet: which word is to be guessed at place $i$, and which places count?",
        ),
        Mistake(_as_written("all"), "the words are right; now the mean: which places are asked for?"),
        Mistake(
            _as_written("chosen", following=True),
            "the mean is right; now the word: at place $i$ the one that was hidden there, not the next",
        ),
        Mistake(
            _as_written("before", following=True),
            "a hidden word is guessed at its own place, not at the one before: the encoder sees both sides",
        ),
        Mistake(_as_written("seen"), "those are the places that were *not* hidden"),
        Mistake(
            lambda logits, tokens, chosen: _loss(logits, tokens, chosen) * chosen.sum() / len(tokens),
            "divide by the number of hidden places, not by the length",
        ),
    ],
    hint="there are two faults: one in the words to be guessed, one in the mean",
)


# --- implement: two adapters as one


def _combined(A1: Any, B1: Any, A2: Any, B2: Any, share: float) -> Any:
    return np.vstack([A1, A2]), np.hstack([share * B1, (1 - share) * B2])


def _two(seed: int, m: int, n: int, r: int, q: int, share: float) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    shapes = {"A1": (r, n), "B1": (m, r), "A2": (q, n), "B2": (m, q)}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()} | {"share": share}


combined = Exercise(
    "two adapters as one",
    answer=_combined,
    cases=[_two(0, 3, 4, 2, 2, 0.3), _two(1, 4, 3, 1, 1, 0.5), _two(2, 5, 6, 2, 2, 1.0)],
    mistakes=[
        Mistake(
            lambda A1, B1, A2, B2, share: (share * A1 + (1 - share) * A2, share * B1 + (1 - share) * B2),
            "the product of two sums has cross terms $B_1A_2$ and $B_2A_1$",
        ),
        Mistake(
            lambda A1, B1, A2, B2, share: (np.vstack([A1, A2]), np.hstack([B1, B2])),
            "that is the sum with weights 1 and 1",
        ),
        Mistake(
            lambda A1, B1, A2, B2, share: (
                np.vstack([share * A1, (1 - share) * A2]),
                np.hstack([share * B1, (1 - share) * B2]),
            ),
            "the share went into both matrices, so it counts twice",
        ),
        Mistake(
            lambda A1, B1, A2, B2, share: (np.vstack([A2, A1]), np.hstack([share * B1, (1 - share) * B2])),
            "each column of $B$ must meet the row of $A$ that belongs to it",
        ),
        Mistake(
            lambda A1, B1, A2, B2, share: (np.vstack([share * A1, (1 - share) * A2]), np.hstack([B1, B2])),
            "the product is right; the task asks for the share in $B$, so that $A$ stays as it was",
        ),
    ],
    hint="a sum of two products is one product of wider matrices: which blocks stand beside each other?",
)
