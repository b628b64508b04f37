"""Searches: beam against all sequences and against a second implementation that keeps its own books."""

from __future__ import annotations

import heapq
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.sequences.attention import AttentiveTranslator
from chapters_src.sequences.decoding import beam_search, exhaustive_search, translator_steps
from chapters_src.sequences.gates import BOS, EOS, Translator, sentence_pairs, translations

torch.set_num_threads(1)


def seeded(n):
    return torch.Generator().manual_seed(n)


def chain(seed, V):
    """A language where the next word depends on the last two: log p by table, and the same as a step."""
    rng = np.random.default_rng(seed)
    table = np.log(rng.dirichlet(np.ones(V), (V + 1, V)))  # the last but one, the last

    def step(words, state):
        return torch.tensor(table[state[:, 0].numpy(), words.numpy()]), words[:, None]

    return table, step, torch.full((1, 1), V)


def score(table, first, words):
    before, last, total = table.shape[0] - 1, first, 0.0
    for word in words:
        total += table[before, last, word]
        before, last = last, word
    return total


def plain_beam(table, first, width, length, end, alpha):
    """Written with a heap and whole prefixes, in plain Python."""
    live, found = [()], []
    for t in range(1, length + 1):
        longer = [(*words, w) for words in live for w in range(table.shape[1])]
        top = heapq.nlargest(width, longer, key=lambda words: score(table, first, words))
        found += [words for words in top if words[-1] == end or t == length]
        live = [words for words in top if words[-1] != end and t < length]
        if not live:
            break
    return max(found, key=lambda words: score(table, first, words) / len(words) ** alpha)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 6), st.sampled_from([None, 0]), st.sampled_from([0.0, 0.6, 1.0]))
def test_beam_against_plain_python(seed, width, end, alpha):
    table, step, state = chain(seed, 4)
    found = beam_search(step, state, 1, width, 5, end, alpha)
    expected = plain_beam(table, 1, width, 5, end, alpha)
    assert found[0].tokens == expected
    assert found[0].log_p == pytest.approx(score(table, 1, expected))
    assert found[0].score == pytest.approx(found[0].log_p / len(expected) ** alpha)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([None, 2]), st.sampled_from([0.0, 1.0]))
def test_a_full_beam_is_exhaustive(seed, end, alpha):
    _, step, state = chain(seed, 3)
    full, every = (
        beam_search(step, state, 0, 3**4, 4, end, alpha),
        exhaustive_search(step, state, 0, 4, end, alpha),
    )
    assert full[0].tokens == every[0].tokens and full[0].score == pytest.approx(every[0].score)


def test_exhaustive_counts_and_sums_to_one():
    _, step, state = chain(0, 3)
    every = exhaustive_search(step, state, 0, 4)
    assert len(every) == 3**4 and len({one.tokens for one in every}) == 3**4
    assert sum(math.exp(one.log_p) for one in every) == pytest.approx(1)
    ended = exhaustive_search(step, state, 0, 4, end=1)
    assert len(ended) == 1 + 2 + 4 + 8 * 3  # "1", two words, three words, four words
    assert sum(math.exp(one.log_p) for one in ended) == pytest.approx(1)


def test_worked_example():
    """Greedy 0.068, a beam of two 0.1764, which is the best of all 27."""
    second = [[0.34, 0.33, 0.33], [0.46, 0.45, 0.09], [1.0, 0.0, 0.0]]

    def step(words, state):
        if state.shape[1] == 0:
            rows = [[0.5, 0.4, 0.1]] * len(words)
        elif state.shape[1] == 1:
            rows = [second[w] for w in words.tolist()]
        else:
            both = zip(state[:, 1].tolist(), words.tolist(), strict=True)
            rows = [[0.98, 0.01, 0.01] if pair == (1, 1) else [0.4, 0.3, 0.3] for pair in both]
        return torch.tensor(rows, dtype=torch.float64).log(), torch.cat([state, words[:, None]], dim=1)

    start = torch.zeros(1, 0, dtype=torch.long)
    found = {width: beam_search(step, start, 0, width, 3)[0] for width in (1, 2, 27)}
    assert found[1].tokens == (0, 0, 0) and math.exp(found[1].log_p) == pytest.approx(0.068)
    assert found[2].tokens == (1, 1, 0) and math.exp(found[2].log_p) == pytest.approx(0.1764)
    assert found[27].tokens == found[2].tokens == exhaustive_search(step, start, 0, 3)[0].tokens


@pytest.mark.parametrize("kind", [Translator, AttentiveTranslator])
def test_a_beam_of_one_is_greedy_and_scores_are_the_models(kind):
    model = kind(8, seeded(0))
    source, _ = sentence_pairs(5, 2, seeded(1))
    for row, greedy in zip(source, translations(model, source, 12), strict=True):
        row = row[row != 0][None]
        step, state = translator_steps(model, row)
        one = beam_search(step, state, BOS, 1, 12, EOS)[0]
        assert list(one.tokens) == translations(model, row, 12)[0][: len(one.tokens)].tolist()
        wide = beam_search(step, state, BOS, 5, 12, EOS)[0]
        with torch.no_grad():
            given_words = torch.tensor([[BOS, *wide.tokens[:-1]]])
            logs = model(row, given_words).log_softmax(-1)[0]
        expected = logs[range(len(wide.tokens)), list(wide.tokens)].sum().item()
        assert wide.log_p == pytest.approx(expected, abs=1e-4)
        assert len(greedy) == 12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 0}, "beam_search: width must be at least 1; got 0"),
        ({"length": 0}, "beam_search: length must be at least 1; got 0"),
        ({"alpha": -1.0}, "beam_search: alpha must be at least 0"),
        ({"step": None}, "beam_search: step must be"),
    ],
)
def test_bad_input(change, message):
    _, step, state = chain(0, 3)
    good = {"step": step, "state": state, "first": 0, "width": 2, "length": 3}
    with pytest.raises(ValueError, match=message):
        beam_search(**{**good, **change})


def test_one_sentence_at_a_time():
    source, _ = sentence_pairs(2, 1, seeded(0))
    with pytest.raises(ValueError, match="translator_steps: source must have one row"):
        translator_steps(Translator(4, seeded(0)), source)
