"""Exercises of the chapter on information: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from chapters_src.foundations.information.codes import huffman_code
from chapters_src.foundations.information.entropies import entropy
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, probabilities
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["chain_rule", "estimated_kl", "twice_the_text", "unfair_coin", "wasteful_source"]


# --- predict: the entropy of the number of tosses until heads, when heads has probability 1/4

_BITS_PER_TOSS = -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))

unfair_coin = Predict(
    "1. Predict: an unfair coin",
    r"A fair coin is tossed until it shows heads, and the number of tosses has an entropy of 2 bits. Now "
    r"heads has probability $\frac14$. What is the entropy of the number of tosses, in bits? Two decimals.",
    answer=4 * _BITS_PER_TOSS,
    within=0.01,
    unit="bits",
    mistakes=[
        Mistake(2, "the number of tosses spreads out when heads is rarer, so it is more undecided"),
        Mistake(_BITS_PER_TOSS, "that is the entropy of one toss; how many tosses are there on average?"),
        Mistake(4, "that is the mean number of tosses; a toss of this coin is worth less than a bit"),
        Mistake(4 * _BITS_PER_TOSS * np.log(2), "that is in nats; divide by log 2"),
        Mistake(8, "only heads has a surprise of 2 bits; three tosses of four show tails, which is likely"),
    ],
    hints=[
        "Reporting the number of tosses is the same as reporting each toss until heads.",
        r"$-\log_2p(k)=-\log_2\frac14-(k-1)\log_2\frac34$, and the mean of $k$ is 4.",
        "One toss has an entropy of 0.811 bits.",
    ],
    why="The tosses are independent, each is worth 0.811 bits, and there are 4 on average: 3.25 bits.",
)


# --- choose: a file that is appended to itself

twice_the_text = Choose(
    "2. Choose: the text twice",
    "You append a long file to itself and give every character its Huffman word for the shares in the new "
    "file. What happens to the number of bits?",
    options=[
        Option(
            "It doubles.",
            right=True,
            why="The shares of the characters stay, so the code stays, and there are twice as many "
            "characters. The second half is no news at all, but a code that sees one character at a time "
            "cannot know.",
        ),
        Option(
            "It stays as it was, because the second half brings no information.",
            why="Given the first half the second brings none. But this code never looks back.",
        ),
        Option(
            "It less than doubles, because the counts are larger.",
            why="Only the shares matter to the code, and they are the same.",
        ),
        Option(
            "It more than doubles, because entropies of two parts add up and the boundary costs extra.",
            why="Entropies add for independent parts; nothing is stored at the boundary.",
        ),
    ],
    hints=[
        "What decides the code: counts or shares?",
        "Which of the two halves could tell you that the other is its copy, one character at a time?",
    ],
)


# --- find the false line: the entropy of a pair


def _chain() -> Derivation:
    d = Derivation(
        "the entropy of a pair",
        where={"r_j": r"=\sum_ip_iW_{ij}"},
        p=probabilities(3),
        W=probabilities(3, 4),
    )
    d.start(r"-\sum_{i,j}p_iW_{ij}\log(p_iW_{ij})")
    d.equals(
        r"-\sum_{i,j}p_iW_{ij}(\log p_i+\log W_{ij})",
        because="the logarithm of a product",
    )
    d.equals(
        r"-\sum_ip_i\log p_i-\sum_ip_i\sum_jW_{ij}\log W_{ij}",
        because=r"the rows of $W$ sum to 1; take $p_i$ out",
    )
    return d.at_most(
        r"-\sum_ip_i\log p_i-\sum_jr_j\log r_j",
        because=r"Jensen: $-x\log x$ is concave, and $r$ is the mean of the rows of $W$",
        tight={"W": np.tile([0.1, 0.2, 0.3, 0.4], (3, 1))},
    )


chain_rule = FalseLine(
    _chain(),
    {
        3: Variant(
            r"-\sum_ip_i\log p_i-\sum_i\sum_jW_{ij}\log W_{ij}",
            because=r"the rows of $W$ sum to 1; $p_i$ sums to 1",
        )
    },
    name="3. Find the false line: the entropy of a pair",
    question=r"$X$ has probabilities $p_i$, and row $i$ of $W$ has those of $Y$ once $X=i$ is known. One "
    r"line has been changed, and it no longer agrees with the others. Which one?",
    why=r"The entropy of row $i$ counts with the probability $p_i$ that the row is used.",
    hints=[
        r"Let $X$ be nearly always 1. Which rows of $W$ can then matter?",
        r"In $\sum_{i,j}p_iW_{ij}\log p_i$ the sum of $W_{ij}$ over $j$ is 1; what about the other term?",
    ],
)


# --- repair: KL(p‖q) from draws of p, weighted by p once too often


def _estimate(draws: Any, p: Any, q: Any) -> Any:
    return np.mean(np.log(p[draws] / q[draws]))


def _weighted_twice(draws: Any, p: Any, q: Any) -> Any:
    return np.mean(p[draws] * np.log(p[draws] / q[draws]))


def _over_all_values(draws: Any, p: Any, q: Any) -> Any:
    return np.sum(p * np.log(p / q))


THREE: ndarray = np.array([0.5, 0.3, 0.2])
OTHER: ndarray = np.array([0.2, 0.3, 0.5])

estimated_kl = Exercise(
    "KL from draws",
    answer=_estimate,
    cases=[
        {"draws": np.array([0, 0, 1, 2, 0]), "p": THREE, "q": OTHER},
        {"draws": np.array([2, 2, 2, 1]), "p": THREE, "q": OTHER},
        {"draws": np.array([1, 0]), "p": np.array([0.9, 0.1]), "q": np.array([0.5, 0.5])},
    ],
    mistakes=[
        Mistake(
            _weighted_twice,
            "the draws come from p already: likely values are met more often, so p must not weigh them again",
        ),
        Mistake(_over_all_values, "that is the exact KL; the draws are not used"),
        Mistake(lambda draws, p, q: np.sum(np.log(p[draws] / q[draws])), "a mean, not a sum, over the draws"),
        Mistake(lambda draws, p, q: np.mean(np.log(q[draws] / p[draws])), "the ratio is upside down"),
        Mistake(lambda draws, p, q: np.mean(np.log2(p[draws] / q[draws])), "nats are asked for, not bits"),
        Mistake(
            lambda draws, p, q: np.mean(np.abs(np.log(p[draws] / q[draws]))),
            "a single log-ratio may be negative; only its mean under p cannot be",
        ),
    ],
    hint="an expectation under p is the plain mean over draws from p",
)


# --- break: a source on which Huffman's code needs ten times the entropy


def _judge_wasteful(attempt: Any) -> str | None:
    p = as_numbers(attempt)
    if p.ndim != 1 or len(p) < 2:
        return f"give the probabilities of two symbols or more; got shape {p.shape}."
    if not ((p > 0).all() and abs(p.sum() - 1) < 1e-9):
        return f"probabilities are above 0 and sum to 1; got a sum of {p.sum():g}."
    needed = float(entropy(p)) / np.log(2)
    used = sum(share * len(word) for share, word in zip(p, huffman_code(p), strict=True))
    if used >= 10 * needed:
        return None
    return (
        f"Huffman needs {used:.3g} bits and the entropy is {needed:.3g}: {used / needed:.3g} times as much."
    )


wasteful_source = Exercise(
    "a source that Huffman wastes bits on",
    judge=_judge_wasteful,
    answer=np.array([0.995, 0.005]),
    hint="a word has at least one bit, even for a symbol that comes as no surprise",
)
