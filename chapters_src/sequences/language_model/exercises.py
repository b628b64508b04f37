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

__all__ = ["attention_share", "better_model", "continuations", "repaired_loss", "training_bill"]


# --- predict: how long a training takes

training_bill = Predict(
    "1. Predict: how long will it take?",
    "A GPT with 12 layers, width 768 and a vocabulary of 50,257, with one table at both ends, is to read ten "
    "billion ($10^{10}$) tokens of training text. The machine can do $10^{14}$ operations a second, and the "
    "program gets 40 % of that. How many hours does the training take? Leave out the work of attention that "
    "grows with the length of the text.",
    answer=51.5,
    within=0.5,
    unit="hours",
    mistakes=[
        Mistake(17.2, "that is the forward pass; backwards every matrix is needed twice more"),
        Mistake(35.4, "the output is a product with a matrix too, of $Vd$ numbers"),
        Mistake(20.6, "the machine is not used in full: it gives $0.4\\cdot10^{14}$ operations a second"),
        Mistake(25.7, "an entry of a matrix takes a multiplication *and* an addition"),
    ],
    hints=[
        "How many numbers do the matrices have? Layers, and the table at the output.",
        "Six operations for each of them and each token.",
    ],
    why="The matrices have $12\\cdot12\\cdot768^2+50257\\cdot768=1.24\\cdot10^8$ numbers. Six operations for "
    "each and each token make $7.4\\cdot10^{18}$, at $4\\cdot10^{13}$ a second.",
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
    share = Derivation("what share attention has", L=positive(), T=positive(), d=positive())
    share.start(r"\frac{4LTd}{24Ld^2+4LTd}")
    share.equals(r"\frac{4Td}{24d^2+4Td}", because="every term has a factor $L$")
    share.equals(r"\frac{T}{6d+T}", because="every term has a factor $4d$")
    return share.equals(r"1-\frac{6d}{6d+T}", because="add and take away $6d$ above the line")


attention_share = FalseLine(
    _share(),
    {
        3: Variant(r"\frac{T}{6d}", because="$4Td$ over $24d^2$"),
        4: Variant(r"1-\frac{6d-T}{6d}", because="add and take away $6d$ above the line"),
    },
    name="3. Find the false line: what share attention has",
    question="Per token, attention takes $4LTd$ operations in a model of $L$ layers and width $d$, and the "
    "matrices of the layers $24Ld^2$. Which share of the two together is attention? Find the "
    "first false line.",
    why="$T/(6d)$ is attention *relative to the matrices*, and exceeds 1 for long texts. A share never does: "
    "it is $T/(6d+T)$, one half at $T=6d$.",
    hints=["Put in $T=6d$: both kinds of work are equal.", "Can the line be larger than 1?"],
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
