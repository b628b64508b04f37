"""Speculation: the exact distribution by enumeration, and the draws against it."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from chapters_src.sequences.decoding import residual, speculate, verified
from chapters_src.sequences.language_model import GPT, Config

torch.set_num_threads(1)


def seeded(n):
    return torch.Generator().manual_seed(n)


def gpt(seed, vocabulary=3, context=8, layers=1):
    return GPT(Config(vocabulary, context, 8, 2, layers), seeded(seed), dtype=torch.float64)


@cache  # the same few prefixes come again and again
def after(model, words):
    with torch.no_grad():
        return model(torch.tensor([words]))[0, -1].softmax(-1).numpy()


def exact(model, draft, start, count, ahead):
    """The distribution of speculative texts: all drafts, all rejections, all redraws, no random number."""
    found = {}

    def write(words, chance):
        if len(words) == len(start) + count:
            found[words] = found.get(words, 0.0) + chance
            return
        k = min(ahead, len(start) + count - len(words) - 1)
        for drafts in product(range(3), repeat=k):
            made = chance
            for i, x in enumerate(drafts):
                made *= after(draft, words + drafts[:i])[x]
            going = made
            for i, x in enumerate(drafts):
                p, q = after(model, words + drafts[:i]), after(draft, words + drafts[:i])
                stays = min(1.0, p[x] / q[x])
                again = residual(torch.tensor(p), torch.tensor(q)).numpy()
                for y in range(3):
                    write((*words, *drafts[:i], y), going * (1 - stays) * again[y])
                going *= stays
            for y, bonus in enumerate(after(model, words + drafts)):
                write((*words, *drafts, y), going * bonus)

    write(tuple(start), 1.0)
    return found


@pytest.mark.parametrize("ahead", [1, 2])
def test_exact_by_enumeration(ahead):
    model, draft, start = gpt(0), gpt(7), (1, 2)
    found = exact(model, draft, start, 3, ahead)
    assert sum(found.values()) == pytest.approx(1)
    for words, chance in found.items():
        own = np.prod([after(model, words[:t])[words[t]] for t in range(2, 5)])
        assert chance == pytest.approx(own, abs=1e-12)


def test_draws_follow_the_large_model():
    """400 texts of two tokens, against the nine probabilities; and the draft alone would be told apart."""
    model, draft, start = gpt(0), gpt(7), (1, 2)
    pairs = list(product(range(3), repeat=2))
    law = lambda one: np.array([after(one, start)[a] * after(one, (*start, a))[b] for a, b in pairs])  # noqa: E731
    counts, generator = np.zeros(9), seeded(3)
    for _ in range(400):
        text = speculate(model, draft, torch.tensor(start), 2, generator, ahead=2).tokens.tolist()
        counts[pairs.index(tuple(text[2:]))] += 1
    assert chisquare(counts, 400 * law(model)).pvalue > 0.01
    assert chisquare(counts, 400 * law(draft)).pvalue < 1e-6


def test_acceptance_is_one_minus_total_variation():
    p, q = torch.tensor([[0.5, 0.3, 0.2]] * 2).double(), torch.tensor([[0.2, 0.2, 0.6]]).double()
    generator, kept = seeded(0), 0
    drafts = torch.multinomial(q[0], 1000, True, generator=seeded(1))
    for x in drafts:
        kept += len(verified(p, q, x[None], generator)) - 1
    expected = 1 - 0.5 * (p[0] - q[0]).abs().sum().item()
    assert expected == pytest.approx(0.6)
    assert abs(kept / 1000 - expected) < 4 * np.sqrt(0.24 / 1000)


def test_the_same_model_accepts_everything():
    model = gpt(0, context=16)
    run = speculate(model, model, torch.tensor([1]), 10, seeded(0), ahead=4)
    assert run.accepted == run.checked == 8 and run.passes == 2 and len(run.tokens) == 11


def test_residual_worked():
    p, q = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.2, 0.2, 0.6])
    assert torch.allclose(residual(p, q), torch.tensor([0.75, 0.25, 0.0]))
    assert torch.equal(residual(p, p), p)


def test_bad_input():
    model, words = gpt(0), torch.tensor([1, 2])
    with pytest.raises(
        ValueError, match="speculate: count must fit with the tokens into the context, 8; got 7"
    ):
        speculate(model, model, words, 7, seeded(0))
    with pytest.raises(ValueError, match="speculate: draft must have the vocabulary of the model; got 4"):
        speculate(model, gpt(0, vocabulary=4), words, 2, seeded(0))
    p = torch.full((2, 3), 1 / 3)
    with pytest.raises(ValueError, match="verified: p must have 3 rows, one more than q; got 2"):
        verified(p, p, torch.tensor([0, 1]), seeded(0))
