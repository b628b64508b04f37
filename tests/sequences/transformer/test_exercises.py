"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.core import device
from chapters_src.sequences.decoding.generation import top_p
from chapters_src.sequences.heads.masks import causal
from chapters_src.sequences.language_model.gpt import GPT, Config
from chapters_src.sequences.transformer import exercises
from chapters_src.sequences.transformer.positions import sinusoidal
from tests.verdicts import rejected

# --- the shift matrix


def by_least_squares(k, d, base):
    """The matrix that moves the rows of the book's own table."""
    table = sinusoidal(600, d, base, dtype=torch.float64).numpy()
    return np.linalg.lstsq(table[300:340], table[300 + k : 340 + k], rcond=None)[0]


def test_shift_solution():
    def shift_matrix(k, d, base):
        M = np.zeros((d, d))
        for i in range(0, d, 2):
            turn = k / base ** (i / d)
            M[i, i] = M[i + 1, i + 1] = np.cos(turn)
            M[i, i + 1], M[i + 1, i] = -np.sin(turn), np.sin(turn)
        return M

    assert exercises.shift_matrix.check(shift_matrix).message == "Accepted: 4 cases."


@pytest.mark.parametrize("k", [1, -4, 30])
def test_shift_answer_moves_the_table(k):
    table = sinusoidal(200, 8, dtype=torch.float64).numpy()
    moved = table[50:150] @ exercises.shift_matrix.answer(k, 8, 10_000.0)
    np.testing.assert_allclose(moved, table[50 + k : 150 + k], atol=1e-12)
    np.testing.assert_allclose(
        by_least_squares(k, 4, 100.0), exercises.shift_matrix.answer(k, 4, 100.0), atol=1e-8
    )


def turned(k, d, base, rate=lambda i, d, base: base ** (-2 * i / d), sign=1):
    M = np.zeros((d, d))
    for i in range(d // 2):
        c, s = np.cos(k * rate(i, d, base)), sign * np.sin(k * rate(i, d, base))
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
    return M


def sines_first(k, d, base):
    i = np.arange(d // 2)
    c, s = (np.diag(f(k * base ** (-2 * i / d))) for f in (np.cos, np.sin))
    return np.block([[c, -s], [s, c]])


SHIFT_WRONG = {
    "moves back by k": lambda k, d, base: turned(k, d, base).T,
    "the 2 is missing": lambda k, d, base: turned(k, d, base, lambda i, d, b: b ** (-i / d)),
    "more slowly": lambda k, d, base: turned(k, d, base, lambda i, d, b: b ** (2 * i / d)),
    "k times as far": lambda k, d, base: turned(1, d, base),
    "sines and cosines alternate": sines_first,
    "sines beside the diagonal": lambda k, d, base: np.diag(np.diag(turned(k, d, base))),
    "got shape (2, 2)": lambda k, d, base: turned(k, 2, base),
    "two columns at a time": lambda k, d, base: np.eye(d),
}


@pytest.mark.parametrize("hint", SHIFT_WRONG)
def test_shift_wrong(hint):
    rejected(exercises.shift_matrix, SHIFT_WRONG[hint], hint)


# --- the gradient of layer norm


def test_layer_norm_solution():
    def by_autograd(x, gain, g):
        point = torch.tensor(x, requires_grad=True)
        out = torch.nn.functional.layer_norm(point, (len(x),), torch.tensor(gain), eps=0.0)
        out.backward(torch.tensor(g))
        return point.grad.numpy()

    def by_projection(x, gain, g):
        n, h = len(x), g * gain
        c = x - x.mean()
        s = np.sqrt(c @ c / n)
        h = h - h.sum() / n
        return h / s - c * (h @ c) / (n * s**3)

    assert exercises.layer_norm_gradient.check(by_autograd).accepted
    assert exercises.layer_norm_gradient.check(by_projection).message == "Accepted: 3 cases."


def norm_parts(x, gain, g, ddof=0):
    s = x.std(ddof=ddof)
    return g * gain, (x - x.mean()) / s, s


def without_gain(x, gain, g):
    h, hat, s = norm_parts(x, np.ones_like(x), g)
    return (h - h.mean() - hat * np.mean(h * hat)) / s


def without_mean(x, gain, g):
    h, hat, s = norm_parts(x, gain, g)
    return (h - hat * np.mean(h * hat)) / s


def without_the_part_along(x, gain, g):
    h, _, s = norm_parts(x, gain, g)
    return (h - h.mean()) / s


def without_the_scale(x, gain, g):
    h, hat, _ = norm_parts(x, gain, g)
    return h - h.mean() - hat * np.mean(h * hat)


def with_a_sum(x, gain, g):
    h, hat, s = norm_parts(x, gain, g)
    return (h - h.mean() - hat * (h @ hat)) / s


def with_n_minus_one(x, gain, g):
    h, hat, s = norm_parts(x, gain, g, ddof=1)
    return (h - h.mean() - hat * np.mean(h * hat)) / s


NORM_WRONG = {
    "the gain comes first": without_gain,
    "must sum to 0": without_mean,
    "no part along": without_the_part_along,
    "half the gradient": without_the_scale,
    "with a mean over coordinates": with_a_sum,
    "not by d-1": with_n_minus_one,
    "chain rule": lambda x, gain, g: g * gain / x.std(),
}


@pytest.mark.parametrize("hint", NORM_WRONG)
def test_layer_norm_wrong(hint):
    rejected(exercises.layer_norm_gradient, NORM_WRONG[hint], hint)


# --- how deep


def test_depth_solution():
    assert exercises.layers_to_a_thousandth.check(10).message == "Accepted."
    assert exercises.layers_to_a_thousandth.check(int(np.ceil(np.log2(1000)))).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("counts sub-layers", 20),
        ("not by 4", 5),
        ("pre-norm would", 1),
        ("a little more", 9),
        ("a power", 1000),
        (r"that is e^{-L}", 7),
        ("how many norms", 12),
        ("how many norms", "ten"),
    ],
)
def test_depth_wrong(hint, value):
    rejected(exercises.layers_to_a_thousandth, value, hint)


# --- packed documents


def test_packed_solution():
    def by_loops(documents):
        n = len(documents)
        mask = np.zeros((n, n), dtype=bool)
        for i in range(n):
            for j in range(i + 1):
                mask[i, j] = documents[i] == documents[j]
        return mask

    def with_the_books_mask(documents):
        names = torch.as_tensor(documents)
        return causal(len(names)) & (names[:, None] == names)

    assert exercises.packed_mask.check(by_loops).message == "Accepted: 4 cases."
    assert exercises.packed_mask.check(with_the_books_mask).accepted


def same(documents):
    return np.asarray(documents)[:, None] == np.asarray(documents)[None]


PACKED_WRONG = {
    "leak between documents": lambda documents: np.tril(np.ones((len(documents),) * 2)),
    "what comes later": same,
    "look nowhere": lambda documents: np.tril(same(documents), -1),
    "that is the future": lambda documents: np.triu(same(documents)),
    "the other way round": lambda documents: ~np.tril(same(documents)),
    "not with |": lambda documents: same(documents) | np.tri(len(documents), dtype=bool),
    "got shape (3,)": lambda documents: np.ones(len(documents)),
    "two conditions": lambda documents: np.eye(len(documents)),
}


@pytest.mark.parametrize("hint", PACKED_WRONG)
def test_packed_wrong(hint):
    rejected(exercises.packed_mask, PACKED_WRONG[hint], hint)


# --- two hops


def test_two_hops_solution():
    mask = np.tri(5, dtype=bool)
    mask[0, 2] = True
    assert exercises.two_hops.check(mask).message == "Accepted."
    everything = np.ones((5, 5), dtype=bool)
    everything[np.arange(4), np.arange(1, 5)] = False
    assert exercises.two_hops.check(torch.tensor(everything)).accepted


def test_the_leak_is_real():
    """Two layers with such a mask let the next token through; one layer does not."""
    from chapters_src.sequences.transformer.blocks import EncoderBlock

    mask = np.tri(5, dtype=bool)
    mask[0, 2] = True
    allowed = torch.tensor(mask)[None]
    blocks = [EncoderBlock(8, 2, 16, device.seed(n), dtype=torch.float64) for n in (0, 1)]
    x = torch.randn(1, 5, 8, generator=device.seed(2), dtype=torch.float64)
    other = x.clone()
    other[0, 1, 0] += 1.0  # one number: layer norm would not see a shift of all
    one = [blocks[0](v, allowed) for v in (x, other)]
    two = [blocks[1](v, allowed) for v in one]
    assert torch.equal(one[0][0, 0], one[1][0, 0])
    assert (two[0][0, 0] - two[1][0, 0]).abs().max() > 1e-4


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("shape (5, 5)", np.tri(4)),
        ("safe at any depth", np.tri(5)),
        ("looks straight at token 1", np.ones((5, 5))),
        ("the diagonal must be True", np.triu(np.ones((5, 5)), 2)),
        ("True and False alone", np.tri(5) * 2),
        ("needs a go-between", np.eye(5) + np.eye(5, k=2)),
        ("could not be checked", "mask"),
    ],
)
def test_two_hops_wrong(hint, attempt):
    verdict = exercises.two_hops.check(attempt)
    assert not verdict.accepted and hint in verdict.message, verdict.message


# --- parameters


def test_parameters_solution():
    def built(V, d, L, hidden):
        config = Config(V, context=8, d=d, heads=2, layers=L, hidden=hidden)
        return sum(p.numel() for p in GPT(config, device.seed(0), device="meta").parameters())

    assert exercises.gpt_parameters.check(built).message == "Accepted: 3 cases."


def layer_of(d, hidden):
    return 4 * (d * d + d) + (d * hidden + hidden) + (hidden * d + d) + 2 * 2 * d


PARAMETERS_WRONG = {
    "counted once": lambda V, d, L, hidden: 2 * V * d + L * layer_of(d, hidden) + 2 * d,
    "are numbers too": lambda V, d, L, hidden: V * d + L * 2 * d * (2 * d + hidden),
    "one more norm": lambda V, d, L, hidden: V * d + L * layer_of(d, hidden),
    "need not be 4d": lambda V, d, L, hidden: V * d + L * layer_of(d, 4 * d) + 2 * d,
    "the one that mixes": lambda V, d, L, hidden: V * d + L * (layer_of(d, hidden) - d * d - d) + 2 * d,
    "a gain and a bias": lambda V, d, L, hidden: V * d + L * (layer_of(d, hidden) - 2 * d) + 2 * d,
    "rows of d numbers": lambda V, d, L, hidden: L * layer_of(d, hidden) + 2 * d,
    "list the matrices": lambda V, d, L, hidden: 12 * L * d * d + V * d,
}


@pytest.mark.parametrize("hint", PARAMETERS_WRONG)
def test_parameters_wrong(hint):
    rejected(exercises.gpt_parameters, PARAMETERS_WRONG[hint], hint)


# --- top-p


def test_nucleus_solution():
    def nucleus(q, p):
        order = sorted(range(len(q)), key=lambda i: -q[i])
        kept, mass = np.zeros(len(q)), 0.0
        for i in order:
            if mass >= p - 1e-12:
                break
            kept[i] = q[i]
            mass += q[i]
        return kept / kept.sum()

    assert exercises.nucleus.check(nucleus).message == "Accepted: 4 cases."


def test_nucleus_answer_is_the_packages():
    for case in exercises.nucleus.cases:
        theirs = top_p(torch.tensor(case["q"]).log(), case["p"]).softmax(-1)
        np.testing.assert_allclose(exercises.nucleus.answer(**case), theirs, atol=1e-12)


def up_to(q, p, strict):
    order = np.argsort(q)[::-1]
    sums = np.cumsum(q[order])
    count = max(1, int((sums <= p + 1e-12).sum())) if strict else int((sums - q[order] < p - 1e-12).sum())
    kept = np.zeros_like(q)
    kept[order[:count]] = q[order[:count]]
    return kept


NUCLEUS_WRONG = {
    "must sum to 1": lambda q, p: up_to(q, p, strict=False),
    "belongs to the set": lambda q, p: up_to(q, p, strict=True) / up_to(q, p, strict=True).sum(),
    "sort first": lambda q, p: (lambda keep: q * keep / (q * keep).sum())(np.cumsum(q) - q < p - 1e-12),
    "keeps the tail": lambda q, p: (lambda rest: rest / rest.sum())(q - up_to(q, p, strict=False)),
    "not a threshold": lambda q, p: (lambda kept: kept / kept.sum())(q * (q >= p * max(q))),
    "where their tokens stand": lambda q, p: (lambda kept: np.sort(kept / kept.sum())[::-1])(
        up_to(q, p, strict=False)
    ),
    "undo the sorting": lambda q, p: q,
}


@pytest.mark.parametrize("hint", NUCLEUS_WRONG)
def test_nucleus_wrong(hint):
    rejected(exercises.nucleus, NUCLEUS_WRONG[hint], hint)


# --- bits


def test_bits_solution():
    assert exercises.bits_of_a_model.check(1.7312).accepted
    assert exercises.bits_of_a_model.check(np.log2(np.e) * 3 / 2.5).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("nats per character", 1.2),
        ("bits per token", 4.328),
        ("spreads its bits", 10.82),
        ("more", 0.8318),
        ("not additive", 8.034),
        ("then spread", 3.0),
    ],
)
def test_bits_wrong(hint, value):
    rejected(exercises.bits_of_a_model, value, hint)
