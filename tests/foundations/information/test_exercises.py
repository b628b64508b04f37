"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest

from chapters_src.foundations.information import discrete_kl, entropy, exercises, huffman_code
from tests.verdicts import rejected

# --- an unfair coin


def tosses(heads):
    k = np.arange(1, 400)
    p = heads * (1 - heads) ** (k - 1)
    return float(entropy(p / p.sum())) / np.log(2)


def test_unfair_coin_by_summing():
    assert tosses(0.5) == pytest.approx(2)
    assert exercises.unfair_coin.check(tosses(0.25)).accepted
    assert exercises.unfair_coin.check("3.25").accepted
    assert not exercises.unfair_coin.check(3.2).accepted


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        ("more undecided", tosses(0.5)),
        ("one toss", float(entropy([0.25, 0.75])) / np.log(2)),
        ("mean number of tosses", 4),
        ("in nats", tosses(0.25) * np.log(2)),
        ("three tosses of four show tails", 8),
        ("each toss until heads", 1.7),
    ],
)
def test_unfair_coin_wrong(hint, value):
    assert "3.2" not in rejected(exercises.unfair_coin, value, hint).message


# --- the text twice


def bits(text):
    symbols = sorted(set(text))
    counts = np.array([text.count(symbol) for symbol in symbols])
    return counts @ [len(word) for word in huffman_code(counts / len(text))]


def test_twice_the_text():
    text = "the cat sat on the mat and then that cat ran"
    assert bits(text + text) == 2 * bits(text)
    assert exercises.twice_the_text.check("a").accepted


@pytest.mark.parametrize(
    ("letter", "why"), [("b", "never looks back"), ("c", "shares matter"), ("d", "boundary")]
)
def test_twice_the_text_wrong(letter, why):
    rejected(exercises.twice_the_text, letter, why)


# --- the entropy of a pair


def test_chain_rule():
    assert exercises.chain_rule.false == 3
    assert "probability" in exercises.chain_rule.check("3").message


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("2", "logarithm of a product"), ("4", "is not needed")],
)
def test_chain_rule_wrong(line, why):
    rejected(exercises.chain_rule, line, why)


# --- KL from draws


def test_estimated_kl():
    def by_differences(draws, p, q):
        return float(sum(np.log(p[i]) - np.log(q[i]) for i in draws)) / len(draws)

    assert exercises.estimated_kl.check(by_differences).message == "Accepted: 3 cases."


def test_the_broken_one_does_not_get_better_with_more_draws():
    p, q = exercises.THREE, exercises.OTHER
    draws = np.random.default_rng(0).choice(3, 200_000, p=p)
    assert np.mean(np.log(p[draws] / q[draws])) == pytest.approx(discrete_kl(p, q), abs=0.01)
    assert np.mean(p[draws] * np.log(p[draws] / q[draws])) < discrete_kl(p, q) - 0.05


ESTIMATES_WRONG = {
    "must not weigh them again": lambda draws, p, q: np.mean(p[draws] * np.log(p[draws] / q[draws])),
    "draws are not used": lambda draws, p, q: discrete_kl(p, q),
    "a mean, not a sum": lambda draws, p, q: np.log(p[draws] / q[draws]).sum(),
    "upside down": lambda draws, p, q: np.log(q[draws]).mean() - np.log(p[draws]).mean(),
    "not bits": lambda draws, p, q: np.log2(p[draws] / q[draws]).mean(),
    "may be negative": lambda draws, p, q: np.abs(np.log(p[draws] / q[draws])).mean(),
    "plain mean": lambda draws, p, q: 0.0,
}


@pytest.mark.parametrize("hint", ESTIMATES_WRONG)
def test_estimated_kl_wrong(hint):
    rejected(exercises.estimated_kl, ESTIMATES_WRONG[hint], hint)


# --- a source that Huffman wastes bits on


@pytest.mark.parametrize("p", [[0.999, 0.001], [0.001, 0.001, 0.998]])
def test_wasteful_source(p):
    assert exercises.wasteful_source.check(p).message == "Accepted."


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("1 times as much", [0.5, 0.5]),
        ("times as much", [0.9, 0.1]),
        ("two symbols or more", [1.0]),
        ("above 0", [1.0, 0.0]),
        ("a sum of 1.5", [0.5, 1.0]),
        ("could not be checked", "rare"),
    ],
)
def test_wasteful_source_wrong(hint, attempt):
    rejected(exercises.wasteful_source, attempt, hint)
