"""Answers as a student would write them, right and wrong."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from chapters_src.sequences.tokens import exercises
from chapters_src.sequences.tokens.byte_pairs import BytePairs, fit_byte_pairs
from tests.verdicts import rejected

# --- the gradient of the table


def test_table_gradient_solution():
    def by_machine(tokens, E, w):
        table = torch.tensor(E, requires_grad=True)
        (table[torch.tensor(tokens)].mean(0) @ torch.tensor(w)).backward()
        return table.grad.numpy()

    assert exercises.table_gradient.check(by_machine).message == "Accepted: 3 cases."

    def by_adding(tokens, E, w):
        grad = np.zeros_like(E)
        for token in tokens:
            grad[token] += w / len(tokens)
        return grad

    assert exercises.table_gradient.check(by_adding).accepted


def assigned(tokens, E, w):
    grad = np.zeros(E.shape)
    grad[tokens] = w / tokens.size
    return grad


TABLE_WRONG = {
    "add, do not assign": assigned,
    "where did 1/n go": lambda tokens, E, w: np.eye(len(E))[tokens].T.sum(axis=1)[:, None] * w,
    "not over the vocabulary": lambda tokens, E, w: (
        np.eye(len(E))[tokens].T.sum(axis=1)[:, None] * w / len(E)
    ),
    "have gradient 0": lambda tokens, E, w: np.zeros_like(E) + w / len(tokens),
    "how often is row v looked up": lambda tokens, E, w: np.zeros_like(E) + w,
    "expected shape (3, 2), got shape (2,)": lambda tokens, E, w: w / len(tokens),
}


@pytest.mark.parametrize("hint", TABLE_WRONG)
def test_table_gradient_wrong(hint):
    rejected(exercises.table_gradient, TABLE_WRONG[hint], hint)


# --- encode


def by_rank(tokens, merges):
    rank = {tuple(pair): i for i, pair in enumerate(merges)}
    while True:
        known = [pair for pair in pairwise(tokens) if pair in rank]
        if not known:
            return tokens
        best = min(known, key=rank.get)
        out, i = [], 0
        while i < len(tokens):
            if tuple(tokens[i : i + 2]) == best:
                out.append(256 + rank[best])
                i += 2
            else:
                out.append(tokens[i])
                i += 1
        tokens = out


def test_encode_solution():
    assert exercises.encode.check(by_rank).message == "Accepted: 7 cases."
    package = exercises.encode.check(lambda tokens, merges: BytePairs(merges).encode(bytes(tokens).decode()))
    assert package.accepted


def replaced_once(tokens, merges):
    tokens = list(tokens)
    for new, pair in enumerate(merges, 256):
        for i in range(len(tokens) - 1):
            if tuple(tokens[i : i + 2]) == tuple(pair):
                tokens[i : i + 2] = [new]
                break
    return tokens


def from_the_right(tokens, merges):
    tokens = list(tokens)
    for new, (a, b) in enumerate(merges, 256):
        i = len(tokens) - 2
        while i >= 0:
            if tokens[i] == a and tokens[i + 1] == b:
                tokens[i : i + 2] = [new]
                i -= 1
            i -= 1
    return tokens


def first_found(tokens, merges):
    merges, tokens, i = [tuple(pair) for pair in merges], list(tokens), 0
    while i < len(tokens) - 1:
        pair = tokens[i], tokens[i + 1]
        if pair in merges:
            tokens[i : i + 2] = [256 + merges.index(pair)]
            i = 0
        else:
            i += 1
    return tokens


def offset(tokens, merges):
    return [token if token < 256 else token + 1 for token in by_rank(tokens, merges)]


def last_first(tokens, merges):
    for new in reversed(range(len(merges))):
        tokens = [256 + new if t == 256 else t for t in by_rank(tokens, [merges[new]])]
    return tokens


ENCODE_WRONG = {
    "not only at the first place": replaced_once,
    "from left to right": from_the_right,
    "an earlier merge goes first": first_found,
    "because the bytes are 0 to 255": offset,
    "in the order in which they were learned": last_first,
    "more than one merge": lambda tokens, merges: by_rank(tokens, merges[:1]),
    "compare the last token kept": lambda tokens, merges: [0] * len(by_rank(tokens, merges)),
    "got shape (11,)": lambda tokens, merges: tokens,
}


@pytest.mark.parametrize("hint", ENCODE_WRONG)
def test_encode_wrong(hint):
    rejected(exercises.encode, ENCODE_WRONG[hint], hint)


# --- a rule of dashes


def test_tokens_left_solution_by_training():
    dashes = "-" * 23
    assert exercises.tokens_left.check(len(fit_byte_pairs(dashes, 3).encode(dashes))).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("not a multiple of eight", -(-23 // 8)),
        ("not all", 23 // 8),
        ("after two merges", len(fit_byte_pairs("-" * 23, 2).encode("-" * 23))),
        ("after one merge", len(fit_byte_pairs("-" * 23, 1).encode("-" * 23))),
        ("everywhere, not once", 23 - 3),
        ("stays to the end", 4),
        ("write 23 in binary", 6),
    ],
)
def test_tokens_left_wrong(hint, value):
    rejected(exercises.tokens_left, value, hint)


# --- bits per byte


def test_bits_solution():
    def bits(losses, sizes):
        return -np.log2(np.prod(np.exp(-losses))) / sum(sizes)

    assert exercises.text_bits_per_byte.check(bits).message == "Accepted: 3 cases."


BITS_WRONG = {
    "not the ratio of sums": lambda losses, sizes: np.mean(losses / np.log(2) / sizes),
    "nats per byte": lambda losses, sizes: losses.sum() / sizes.sum(),
    "divide by \\log2": lambda losses, sizes: np.log(2) * losses.sum() / sizes.sum(),
    "bits per token": lambda losses, sizes: losses.mean() / np.log(2),
    "not their mean": lambda losses, sizes: losses.mean() / np.log(2) / sizes.sum(),
    "how many nats does it cost": lambda losses, sizes: sizes.sum() / losses.sum(),
}


@pytest.mark.parametrize("hint", BITS_WRONG)
def test_bits_wrong(hint):
    rejected(exercises.text_bits_per_byte, BITS_WRONG[hint], hint)


# --- more text, fewer tokens


def test_two_texts_solution():
    known = [entry.decode() for entry in exercises.tokeniser.vocabulary[256:]]
    found = [
        (entry[:i], entry[i:])
        for entry in known
        for i in range(1, len(entry))
        if len(exercises.tokeniser.encode(entry[:i])) > 1
    ]
    assert found
    assert exercises.two_texts.check(found[0]).message == "Accepted."
    assert exercises.two_texts.check(list(found[-1])).accepted


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("A has 1 tokens and a + b has 2", ("a", "!")),
        ("neither text may be empty", ("wood", "")),
        ("give a pair", "wood "),
        ("give a pair", ("a", "b", "c")),
        ("both must be strings", (b"wood", b" ")),
        ("look at a long entry", ("x", "y")),
    ],
)
def test_two_texts_wrong(hint, attempt):
    verdict = exercises.two_texts.check(attempt)
    assert not verdict.accepted
    assert hint.lower() in verdict.message.lower()


# --- the company of two words


def test_company_solution():
    def company(C, x, y):
        p_row, p_column = C.sum(axis=1) / C.sum(), C.sum(axis=0) / C.sum()
        pmi = np.log(C / C.sum() / np.outer(p_row, p_column))
        u, v = C[x] / np.linalg.norm(C[x]), C[y] / np.linalg.norm(C[y])
        return u @ v, np.sqrt(np.sum((pmi[x] - pmi[y]) ** 2))

    assert exercises.company_of_two.check(company).message == "Accepted: 3 cases."
    assert company(exercises.COUNTS, 0, 1) == pytest.approx((1, 0))


def right(C, x, y):
    return exercises.company_of_two.answer(C, x, y)


COMPANY_WRONG = {
    "divided by both lengths": lambda C, x, y: (C[x] @ C[y], right(C, x, y)[1]),
    "not further away for it": lambda C, x, y: (
        right(C, x, y)[0],
        np.linalg.norm(np.log(C[x] / C.sum(axis=0)) - np.log(C[y] / C.sum(axis=0))),
    ),
    "not its square": lambda C, x, y: (right(C, x, y)[0], right(C, x, y)[1] ** 2),
    "first the cosine": lambda C, x, y: (right(C, x, y)[1], right(C, x, y)[0]),
    "with sums of rows and columns": lambda C, x, y: (0.5, 0.5),
    "expected 2 values": lambda C, x, y: right(C, x, y)[0],
}


@pytest.mark.parametrize("hint", COMPANY_WRONG)
def test_company_wrong(hint):
    rejected(exercises.company_of_two, COMPANY_WRONG[hint], hint)
