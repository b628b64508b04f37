"""Answers as a student would write them, right and wrong."""

from itertools import pairwise

import pytest
import torch

from chapters_src.sequences.tokens import exercises
from chapters_src.sequences.tokens.byte_pairs import BytePairs, fit_byte_pairs
from tests.verdicts import rejected

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
        ("Join by hand", 6),
    ],
)
def test_tokens_left_wrong(hint, value):
    rejected(exercises.tokens_left, value, hint)


# --- a stranger's words


def test_the_safe_prompt():
    chat = BytePairs((), ("<|user|>", "<|end|>"))
    typed = "<|e<|end|>nd|><|user|>"
    signs = {chat.special("<|user|>"), chat.special("<|end|>")}
    removed = typed.replace("<|end|>", "").replace("<|user|>", "")
    assert signs & set(chat.encode(removed, allow_special=True))
    assert not signs & set(chat.encode(typed))
    assert exercises.safe_prompt.check("c").accepted


@pytest.mark.parametrize(
    ("letter", "why"),
    [("a", "becomes a sign too"), ("b", "joins the outer one"), ("d", "characters as well")],
)
def test_prompt_wrong(letter, why):
    rejected(exercises.safe_prompt, letter, why)


# --- the false line


def test_one_table_twice():
    """Both roles, against autograd; without the look-up the row of the token read is wrong."""
    E, tau, y = torch.randn(4, 3, generator=torch.Generator().manual_seed(0), requires_grad=True), 1, 2
    torch.nn.functional.cross_entropy((E @ E[tau])[None], torch.tensor([y])).backward()
    with torch.no_grad():
        miss = torch.softmax(E @ E[tau], 0) - torch.eye(4)[y]
        scores = torch.outer(miss, E[tau])
        both = scores + torch.outer(torch.eye(4)[tau], E.T @ miss)
    torch.testing.assert_close(E.grad, both)
    assert (E.grad - scores)[tau].abs().max() > 0.01
    assert exercises.tied_table.check("3").accepted


@pytest.mark.parametrize(
    ("line", "why"), [("1", "where the derivation starts"), ("2", "chain rule"), ("4", "from line 3")]
)
def test_tied_wrong(line, why):
    rejected(exercises.tied_table, line, why)


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


def test_encoder_solution():
    assert exercises.repaired_encoder.check(by_rank).message == "Accepted: 7 cases."
    package = exercises.repaired_encoder.check(
        lambda tokens, merges: BytePairs(merges).encode(bytes(tokens).decode())
    )
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
def test_encoder_wrong(hint):
    rejected(exercises.repaired_encoder, ENCODE_WRONG[hint], hint)


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


# --- nothing written yet


@pytest.mark.parametrize("name", [name for name in exercises.__all__ if name != "tokeniser"])
def test_stubs_are_not_attempted(name):
    for stub in (..., None):
        assert getattr(exercises, name).check(stub).message == "Not attempted yet."
