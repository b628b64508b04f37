"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

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


# --- the width of a gate


def test_gate_solution():
    assert exercises.gated_width.check(2048).accepted
    assert exercises.gated_width.check(2 * 768 * 3072 / (3 * 768)).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("half as many weights again", 3072),
        ("that halves the width", 1536),
        ("a third of the width", 1024),
        ("the width must fall", 4608),
        ("have to share", 6144),
        ("Count the weights", 2000),
    ],
)
def test_gate_wrong(hint, value):
    rejected(exercises.gated_width, value, hint)


# --- one side turned


def test_choice_solution():
    assert exercises.one_side_turned.check("a").accepted


@pytest.mark.parametrize(("hint", "value"), [("meeting", "b"), ("one of them", "c"), ("nowhere", "d")])
def test_choice_wrong(hint, value):
    rejected(exercises.one_side_turned, value, hint)


# --- the false line


def test_false_line_solution():
    assert exercises.gate_slope.check("2").accepted


@pytest.mark.parametrize("line", ["1", "3", "4"])
def test_false_line_wrong(line):
    assert not exercises.gate_slope.check(line).accepted


# --- the block


def standardised(x, axis=1):
    centred = x - np.mean(x, axis=axis, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=axis, keepdims=True) + 1e-5)


def block_of(axis=1, forget=False):
    def block(x, A, V, W_1, W_2):
        y = standardised(x + A @ (x @ V), axis)
        return standardised((x if forget else y) + (y @ W_1).clip(0) @ W_2, axis)

    return block


def pre_norm(x, A, V, W_1, W_2):
    y = x + A @ (standardised(x) @ V)
    return y + (standardised(y) @ W_1).clip(0) @ W_2


def test_block_solution():
    def with_torch(x, A, V, W_1, W_2):
        x, A, V, W_1, W_2 = (torch.tensor(z) for z in (x, A, V, W_1, W_2))
        norm = torch.nn.LayerNorm(x.shape[1], dtype=torch.float64)
        y = norm(x + A @ x @ V)
        return norm(y + torch.relu(y @ W_1) @ W_2).detach().numpy()

    assert exercises.repaired_block.check(block_of()).message == "Accepted: 3 cases."
    assert exercises.repaired_block.check(with_torch).accepted


BLOCK_WRONG = {
    "as it stands": block_of(axis=0, forget=True),
    "the short cuts are right": block_of(axis=0),
    "the norm is right": block_of(forget=True),
    "that is a pre-norm block": pre_norm,
    "there are two faults": lambda x, A, V, W_1, W_2: standardised(x),
}


@pytest.mark.parametrize("hint", BLOCK_WRONG)
def test_block_wrong(hint):
    rejected(exercises.repaired_block, BLOCK_WRONG[hint], hint)


@pytest.mark.parametrize("name", ["shift_matrix", "repaired_block"])
def test_stubs_are_not_attempted(name):
    verdict = getattr(exercises, name).check(lambda *args, **kwargs: ...)
    assert not verdict.accepted and "Not attempted" in verdict.message
