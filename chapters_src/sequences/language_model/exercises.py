"""Exercises of the chapter on language models: predict, choose, find the false line, repair, implement."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from chapters_src.studio.derivation import Derivation, positive
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.false_line import FalseLine, Variant
from chapters_src.studio.questions import Choose, Option, Predict

__all__ = ["attention_share", "better_model", "continuations", "first_loss", "repaired_loss"]


# --- predict: a start that is worse than knowing nothing

first_loss = Predict(
    "1. Predict: a start that is worse than knowing nothing",
    "A new GPT has 50,257 tokens. By a slip in its initialisation the logit of the *current* token starts at "
    "12 and all others at 0. The next token is another one. What is the first loss, in nats?",
    answer=12.269,
    within=0.01,
    mistakes=[
        Mistake(10.825, "that is $\\log V$, the loss if the logit of 12 were 0 as well"),
        Mistake(12.0, "the other 50,256 tokens stand in the denominator too"),
        Mistake(0.269, "the next token is *not* the current one: its own logit is 0"),
        Mistake(17.7, "that is in bits; the question asks for nats"),
        Mistake(22.825, "the logarithm is of a sum, $e^{12}$ plus the rest, not of a product"),
    ],
    hints=[
        "The loss is $\\log\\sum_ie^{a_i}$ minus the logit of the next token.",
        "The sum has one term $e^{12}$ and 50,256 terms $e^0$.",
    ],
    why="$\\log(e^{12}+50256)-0$. Knowing nothing costs $\\log 50257=10.82$: a first loss above $\\log V$ "
    "says that the model is sure of something, and wrong.",
)


# --- choose: losses per token of two vocabularies

better_model = Choose(
    "2. Choose: which is the better model?",
    "On the same held-out text model A pays 3.2 nats per token, and its tokens have 4 characters on average. "
    "Model B pays 1.0 nat per token, and its tokens are characters. Which one predicts the text better?",
    options=[
        Option("A.", right=True, why="A pays 0.8 nats per character, B pays 1.0."),
        Option(
            "B, its loss is smaller.", why="Its loss is per character; A's is per token of four characters."
        ),
        Option(
            "B, its perplexity is $e^{1.0}=2.7$ and A's is $e^{3.2}=24.5$.",
            why="Both perplexities are per token, and the tokens are not the same.",
        ),
        Option(
            "It cannot be said, because the vocabularies differ.",
            why="Per token it cannot. Per character it can: both give the same text a probability.",
        ),
    ],
    hints=["What does each model pay for the whole text?"],
)


# --- find the false line: what share of the work is attention?


def _share() -> Derivation:
    d = Derivation("what share attention has", L=positive(), T=positive(), w=positive())
    d.start(r"\frac{4LTw}{24Lw^2+4LTw}")
    d.equals(r"\frac{4Tw}{24w^2+4Tw}", because="every term has a factor $L$")
    d.equals(r"\frac{T}{6w+T}", because="every term has a factor $4w$")
    return d.equals(r"1-\frac{6w}{6w+T}", because="add and take away $6w$ above the line")


attention_share = FalseLine(
    _share(),
    {
        3: Variant(r"\frac{T}{6w}", because="$4Tw$ over $24w^2$"),
        4: Variant(r"1-\frac{6w-T}{6w}", because="add and take away $6w$ above the line"),
    },
    name="3. Find the false line: what share attention has",
    question="Per token, attention takes $4LTw$ operations in a model of $L$ layers and width $w$, and the "
    "matrices of the layers $24Lw^2$. Which share of the two together is attention? Find the "
    "first false line.",
    why="$T/(6w)$ is attention *relative to the matrices*, and exceeds 1 for long texts. A share never does: "
    "it is $T/(6w+T)$, one half at $T=6w$.",
    hints=["Put in $T=6w$: both kinds of work are equal.", "Can the line be larger than 1?"],
)


# --- repair: a loss that falls to 0 and teaches nothing


def _log_softmax(logits: Any, axis: int) -> Any:
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def _loss(shift: bool, axis: int, reduce: Callable[[Any], Any] = np.mean) -> Callable[..., Any]:
    """The mean cost of the next tokens, with what may go wrong in it."""

    def attempt(logits: Any, tokens: Any) -> Any:
        T = len(tokens) - 1
        wanted = tokens[1:] if shift else tokens[:-1]
        return -reduce(_log_softmax(logits[:T], axis)[np.arange(T), wanted])

    return attempt


def _case(seed: int, T: int, V: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"logits": 2 * rng.normal(size=(T + 1, V)), "tokens": rng.integers(0, V, size=T + 1)}


repaired_loss = Exercise(
    "next-token loss, repaired",
    answer=_loss(shift=True, axis=1),
    cases=[_case(0, 5, 4), _case(1, 3, 7), _case(2, 8, 3)],
    mistakes=[
        Mistake(
            _loss(shift=False, axis=0),
            "two faults: which token does row $t$ predict, and over what must its probabilities sum to 1?",
        ),
        Mistake(
            _loss(shift=False, axis=1),
            "the softmax is right now; but row $t$ has read token $t$, and is asked for it again",
        ),
        Mistake(
            _loss(shift=True, axis=0),
            "the targets are right now; but each *row* is a distribution over the vocabulary",
        ),
        Mistake(_loss(shift=True, axis=1, reduce=np.sum), "the mean over positions, not their sum"),
    ],
    hint="write down for one position which token it has read last and which it must predict",
)


# --- implement: how many different tokens stood before


def _continuations(tokens: Any, V: int) -> Any:
    pairs = {(int(a), int(b)) for a, b in pairwise(tokens)}
    return np.bincount([b for _, b in pairs], minlength=V) / len(pairs)


def _by_frequency(tokens: Any, V: int) -> Any:
    return np.bincount(tokens, minlength=V) / len(tokens)


def _successors(tokens: Any, V: int) -> Any:
    pairs = {(int(a), int(b)) for a, b in pairwise(tokens)}
    return np.bincount([a for a, _ in pairs], minlength=V) / len(pairs)


def _unnormalised(tokens: Any, V: int) -> Any:
    pairs = {(int(a), int(b)) for a, b in pairwise(tokens)}
    return np.bincount([b for _, b in pairs], minlength=V).astype(float)


def _per_pair(tokens: Any, V: int) -> Any:
    return np.bincount(tokens[1:], minlength=V) / (len(tokens) - 1)


continuations = Exercise(
    "continuation probabilities",
    answer=_continuations,
    cases=[
        {"tokens": np.array([0, 1, 0, 1, 0, 1, 2, 3, 2, 0, 3]), "V": 4},
        {"tokens": np.array([2, 2, 2, 2, 1]), "V": 5},
        {"tokens": np.array([0, 1]), "V": 2},
    ],
    mistakes=[
        Mistake(_by_frequency, "that is how often each token occurs; count in how many different contexts"),
        Mistake(_per_pair, "a pair that occurs three times still counts once"),
        Mistake(_successors, "count the different tokens *before*, not those after"),
        Mistake(_unnormalised, "divide, so that the probabilities sum to 1"),
    ],
    hint="collect the different pairs of neighbours in a set first",
)
