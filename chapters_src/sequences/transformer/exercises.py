"""Exercises of the chapter on transformers: derive, implement, predict, break.

Each is named like what the reader writes: ``exercises.shift_matrix.check(shift_matrix)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "bits_of_a_model",
    "gpt_parameters",
    "layer_norm_gradient",
    "layers_to_a_thousandth",
    "nucleus",
    "packed_mask",
    "shift_matrix",
    "two_hops",
]


def _normal(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


# --- derive: the matrix that moves every row of the sinusoidal table on by k


def _blocks(k: float, d: int, base: float, sign: float = 1.0, power: float = 2.0) -> Any:
    M = np.zeros((d, d))
    for i in range(d // 2):
        a = k * base ** (-power * i / d)
        c, s = np.cos(a), sign * np.sin(a)
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
    return M


def _swapped(k: float, d: int, base: float) -> Any:
    """Cosines in the even columns."""
    order = np.arange(d).reshape(-1, 2)[:, ::-1].ravel()
    return _blocks(k, d, base)[order][:, order]


def _halves(k: float, d: int, base: float) -> Any:
    order = np.argsort(np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)]))
    return _blocks(k, d, base)[np.argsort(order)][:, np.argsort(order)]


shift_matrix = Exercise(
    "shift_matrix",
    answer=_blocks,
    cases=[
        {"k": 3, "d": 4, "base": 100.0},
        {"k": 1, "d": 2, "base": 10.0},
        {"k": -7, "d": 6, "base": 10_000.0},
        {"k": 250, "d": 16, "base": 10_000.0},
    ],
    mistakes=[
        Mistake(
            lambda k, d, base: _blocks(k, d, base, sign=-1.0),
            "that matrix moves back by $k$; a *row* of the table stands on its left",
        ),
        Mistake(
            lambda k, d, base: _blocks(k, d, base, power=1.0),
            "pair $i$ turns by $\\text{base}^{-2i/d}$ radians a step: the 2 is missing",
        ),
        Mistake(
            lambda k, d, base: _blocks(k, d, base, power=-2.0),
            "later pairs turn more slowly, so the exponent is negative",
        ),
        Mistake(
            lambda k, d, base: _blocks(1, d, base),
            "the angle is $\\omega_ik$: a step of $k$ turns $k$ times as far as a step of 1",
        ),
        Mistake(
            _halves,
            "that is for a table with all sines first; here sines and cosines alternate",
        ),
        Mistake(
            lambda k, d, base: np.eye(d) * np.cos(k * base ** (-2 * (np.arange(d) // 2) / d)),
            "cosines alone shrink a row; a turn needs the sines beside the diagonal",
        ),
    ],
    hint="two columns at a time: find $M_i$ with "
    "$[\\sin\\omega(p+k),\\cos\\omega(p+k)]=[\\sin\\omega p,\\cos\\omega p]\\,M_i$",
)


# --- implement: the gradient of layer norm with its gain


def _norm_gradient(x: Any, gain: Any, g: Any, eps: float = 0.0) -> Any:
    s = np.sqrt(x.var() + eps)
    hat, h = (x - x.mean()) / s, g * gain
    return (h - h.mean() - hat * (h * hat).mean()) / s


def _without(part: str) -> Any:
    def wrong(x: Any, gain: Any, g: Any) -> Any:
        s = x.std(ddof=1) if part == "n" else x.std()
        hat = (x - x.mean()) / s
        h = g if part == "gain" else g * gain
        mean = 0.0 if part == "mean" else h.mean()
        along = 0.0 if part == "along" else (h * hat).sum() if part == "sum" else (h * hat).mean()
        return (h - mean - hat * along) / (1.0 if part == "scale" else s)

    return wrong


layer_norm_gradient = Exercise(
    "layer_norm_gradient",
    answer=_norm_gradient,
    cases=[
        {
            "x": np.array([1.0, 3.0, -2.0]),
            "gain": np.array([1.0, 2.0, 0.5]),
            "g": np.array([0.5, -1.0, 2.0]),
        },
        {"x": _normal(0, 6), "gain": np.ones(6), "g": _normal(1, 6)},
        {"x": 10 + 3 * _normal(2, 8), "gain": _normal(3, 8), "g": _normal(4, 8)},
    ],
    mistakes=[
        Mistake(
            _without("gain"),
            "the gradient that arrives at $\\hat x$ is $g\\odot\\gamma$: the gain comes first",
        ),
        Mistake(_without("mean"), "moving all of $x$ changes nothing, so the gradient must sum to 0"),
        Mistake(
            _without("along"),
            "stretching $x$ changes nothing, so the gradient must have no part along $\\hat x$",
        ),
        Mistake(_without("scale"), "divide by $s$: a token twice as large gets half the gradient"),
        Mistake(_without("sum"), "the part along $\\hat x$ is taken off with a mean over coordinates"),
        Mistake(_without("n"), "layer norm divides by $d$ in its variance, not by $d-1$"),
    ],
    hint="chain rule: first through the gain, then the formula of the chapter for $\\hat x$",
)


# --- predict: how deep until the straight path carries a thousandth

layers_to_a_thousandth = Exercise(
    "layers_to_a_thousandth",
    answer=10,
    mistakes=[
        Mistake(20, "that counts sub-layers; a layer has two of them"),
        Mistake(5, "each norm divides by $\\sqrt2$, two of them by 2, not by 4"),
        Mistake(1, "pre-norm would keep all of it; here each norm divides by $\\sqrt2$"),
        Mistake(9, "$2^{-9}$ is a little more than a thousandth"),
        Mistake(1000, "the factors multiply: they are a power, not a sum"),
        Mistake(7, "that is $e^{-L}$; the factor for a layer is $\\frac12$"),
    ],
    hint="one norm divides the old signal by $\\sqrt2$; how many norms are there in a layer?",
)


# --- implement: several documents in one row


def _packed(documents: Any, past: str = "<=", same: bool = True) -> Any:
    names = np.asarray(documents)
    i, j = np.arange(len(names))[:, None], np.arange(len(names))
    allowed = {"<=": j <= i, "<": j < i, ">=": j >= i, "all": i == i + 0 * j}[past]
    return allowed & (names[:, None] == names) if same else allowed


packed_mask = Exercise(
    "packed_mask",
    answer=_packed,
    cases=[
        {"documents": np.array([0, 0, 1])},
        {"documents": np.array([0, 0, 0, 1, 1, 2, 2, 2])},
        {"documents": np.array([4])},
        {"documents": np.array([3, 3, 1, 1, 1, 3])},
    ],
    mistakes=[
        Mistake(
            lambda documents: _packed(documents, same=False),
            "a token may look into the document before its own: that is a leak between documents",
        ),
        Mistake(
            lambda documents: _packed(documents, "all"),
            "within a document a token may still not look at what comes later",
        ),
        Mistake(
            lambda documents: _packed(documents, "<"),
            "a token may look at itself; the first of a document would otherwise look nowhere",
        ),
        Mistake(
            lambda documents: _packed(documents, ">="),
            "that is the future: a row is a query, a column a key, and the key must not be later",
        ),
        Mistake(
            lambda documents: ~_packed(documents),
            "True means *may look*; it is the other way round",
        ),
        Mistake(
            lambda documents: (
                np.tri(len(documents), dtype=bool) | (np.asarray(documents)[:, None] == documents)
            ),
            "both conditions must hold: combine them with & and not with |",
        ),
    ],
    hint="two conditions, joined by &: the same document, and not later",
)


# --- break: no direct look at the next token, and yet it gets through


def _judge_two_hops(attempt: Any) -> str | None:
    mask = as_numbers(attempt)
    if mask.shape != (5, 5):
        return f"give a mask of shape (5, 5); got shape {mask.shape}."
    if not np.isin(mask, (0, 1)).all():
        return "a mask holds True and False alone."
    look = mask.astype(bool)
    if not look.diagonal().all():
        return "every token must be allowed to look at itself: the diagonal must be True."
    direct = [i for i in range(4) if look[i, i + 1]]
    if direct:
        return f"token {direct[0]} looks straight at token {direct[0] + 1}, its answer: found at once."
    if not np.triu(look, 1).any():
        return (
            "no token looks at a later one, so nothing can ever get through: that mask is safe at any depth."
        )
    after_two = look.astype(int) @ look.astype(int) > 0
    if not any(after_two[i, i + 1] for i in range(4)):
        return (
            "after two layers no token has heard of the next one. It needs a go-between: "
            "somebody token $i$ may look at, who may look at $i+1$."
        )
    return None


two_hops = Exercise(
    "two_hops",
    judge=_judge_two_hops,
    hint="what token 2 knows after the first layer, token 0 can read in the second",
)


# --- count: the parameters of a GPT, to the last bias


def _parameters(V: int, d: int, L: int, hidden: int) -> int:
    return V * d + L * (4 * d * d + 4 * d + 2 * d * hidden + hidden + d + 4 * d) + 2 * d


gpt_parameters = Exercise(
    "gpt_parameters",
    answer=_parameters,
    cases=[
        {"V": 11, "d": 4, "L": 2, "hidden": 6},
        {"V": 756, "d": 128, "L": 4, "hidden": 512},
        {"V": 50_257, "d": 768, "L": 12, "hidden": 3072},
    ],
    mistakes=[
        Mistake(
            lambda V, d, L, hidden: _parameters(V, d, L, hidden) + V * d,
            "the output uses the table of embeddings again: it is counted once",
        ),
        Mistake(
            lambda V, d, L, hidden: V * d + L * (4 * d * d + 2 * d * hidden),
            "biases and norms are numbers too: ten vectors in a layer, and the last norm",
        ),
        Mistake(
            lambda V, d, L, hidden: _parameters(V, d, L, hidden) - 2 * d,
            "after the last layer there is one more norm",
        ),
        Mistake(
            lambda V, d, L, hidden: _parameters(V, d, L, 4 * d),
            "the network's width is given; it need not be $4d$",
        ),
        Mistake(
            lambda V, d, L, hidden: _parameters(V, d, L, hidden) - L * (d * d + d),
            "attention has four matrices: queries, keys, values and the one that mixes the heads",
        ),
        Mistake(
            lambda V, d, L, hidden: _parameters(V, d, L, hidden) - L * 2 * d,
            "each layer has two norms, each with a gain and a bias",
        ),
        Mistake(
            lambda V, d, L, hidden: _parameters(V, d, L, hidden) - V * d,
            "the table of embeddings has $V$ rows of $d$ numbers",
        ),
    ],
    hint="list the matrices of one layer with their biases, then the norms, then what is there only once",
)


# --- implement: top-p


def _nucleus(q: Any, p: float, rule: str = "before") -> Any:
    order = np.argsort(-q, kind="stable")
    together = np.cumsum(q[order])
    keep = {
        "before": together - q[order] < p - 1e-12,
        "strict": together <= p + 1e-12,
        "tail": together - q[order] >= p - 1e-12,
    }[rule]
    keep[0] = True if rule == "strict" else keep[0]
    kept = np.zeros_like(q)
    kept[order[keep]] = q[order[keep]]
    return kept


def _threshold(q: Any, p: float) -> Any:
    kept = np.where(q >= p * q.max(), q, 0.0)
    return kept / kept.sum()


def _in_place(q: Any, p: float) -> Any:
    keep = np.cumsum(q) - q < p - 1e-12
    return np.where(keep, q, 0.0) / q[keep].sum()


nucleus = Exercise(
    "nucleus",
    answer=lambda q, p: _nucleus(q, p) / _nucleus(q, p).sum(),
    cases=[
        {"q": np.array([0.1, 0.4, 0.15, 0.3, 0.05]), "p": 0.8},
        {"q": np.array([0.05, 0.9, 0.05]), "p": 0.5},
        {"q": np.array([0.25, 0.35, 0.4]), "p": 1.0},
        {"q": np.array([0.02, 0.08, 0.1, 0.2, 0.25, 0.35]), "p": 0.92},
    ],
    mistakes=[
        Mistake(_nucleus, "what is left must sum to 1 again"),
        Mistake(
            lambda q, p: _nucleus(q, p, "strict") / _nucleus(q, p, "strict").sum(),
            "the token that carries the sum past $p$ belongs to the set; without it you have less than $p$",
        ),
        Mistake(_in_place, "sort first: the likeliest come in first, wherever they stand"),
        Mistake(
            lambda q, p: _nucleus(q, p, "tail") / _nucleus(q, p, "tail").sum(),
            "that keeps the tail and throws the likeliest away",
        ),
        Mistake(_threshold, "$p$ is how much probability is kept together, not a threshold for each token"),
        Mistake(
            lambda q, p: np.sort(_nucleus(q, p) / _nucleus(q, p).sum())[::-1],
            "put the probabilities back where their tokens stand",
        ),
    ],
    hint="sort, add up, keep a token while those before it have less than $p$; normalise, undo the sorting",
)


# --- predict: two models, two vocabularies

bits_of_a_model = Exercise(
    "bits_of_a_model",
    answer=3.0 / (2.5 * np.log(2)),
    within=2e-3,
    mistakes=[
        Mistake(3.0 / 2.5, "those are nats per character; a bit is $\\log2$ nats"),
        Mistake(3.0 / np.log(2), "those are bits per token; a token has 2.5 characters"),
        Mistake(3.0 * 2.5 / np.log(2), "a longer token spreads its bits over more characters: divide"),
        Mistake(3.0 * np.log(2) / 2.5, "one nat is *more* than one bit: divide by $\\log2=0.693$"),
        Mistake(np.exp(3.0) / 2.5, "perplexity is not additive; stay with logarithms"),
    ],
    hint="nats per token to bits per token, then spread over the characters of a token",
)
