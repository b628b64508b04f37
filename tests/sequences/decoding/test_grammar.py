"""Grammars: against a regular expression, and a model that cannot leave one."""

from __future__ import annotations

import re
from itertools import product

import pytest
import torch

from chapters_src.sequences.decoding import constrained, list_grammar, token_rules
from chapters_src.sequences.language_model import GPT, Config

torch.set_num_threads(1)
PIECES = ["[", "]", ", ", ",", " ", "1", "12", "0", "07", "2]", "[3", "x", ""]


def seeded(n):
    return torch.Generator().manual_seed(n)


def accepted(text, most):
    number = r"(0|[1-9][0-9]?)"
    return re.fullmatch(rf"\[{number}(, {number}){{0,{most - 1}}}\]", text) is not None


@pytest.mark.parametrize("most", [1, 2])
def test_the_grammar_is_the_regular_expression(most):
    rules = token_rules(list_grammar(most), ["[", "]", ",", " ", "1", "0"])
    end = len(rules) - 1
    for n in range(1, 8):
        for word in product(range(6), repeat=n) if n < 6 else [(0, 4, 2, 3, 5, 1), (0, 4, 5, 2, 3, 4, 1)]:
            state = 0
            for w in word:
                state = int(rules[state, w]) if state >= 0 else -1
            assert (state == end) == accepted("".join("[], 10"[w] for w in word), most)


def test_tokens_of_several_characters():
    rules = token_rules(list_grammar(2), PIECES)
    assert [PIECES[i] for i in (rules[0] >= 0).nonzero()[:, 0]] == ["[", "[3"]
    after = [PIECES[i] for i in (rules[1] >= 0).nonzero()[:, 0]]
    assert after == ["1", "12", "0", "2]"]  # no number begins with 0 but 0
    assert (rules[:, PIECES.index("")] == -1).all()
    one_by_one = int(rules[int(rules[1, PIECES.index("1")]), PIECES.index("]")])
    assert one_by_one == int(rules[1, PIECES.index("2]")]) == len(rules) - 1


def test_the_model_stays_inside():
    model = GPT(Config(len(PIECES), 32, 8, 2, 1), seeded(0))
    rules, start = token_rules(list_grammar(3), PIECES), torch.tensor([11, 11])
    texts = {
        "".join(PIECES[i] for i in constrained(model, start, rules, seeded(n)).tolist()) for n in range(30)
    }
    assert all(accepted(text, 3) for text in texts) and len(texts) > 5


def test_each_draw_is_the_model_cut_to_what_is_allowed():
    model = GPT(Config(len(PIECES), 32, 8, 2, 1), seeded(0), dtype=torch.float64)
    rules, start = token_rules(list_grammar(1), PIECES), torch.tensor([11])
    with torch.no_grad():
        chances = model(start[None])[0, -1].softmax(-1)
    allowed = chances[[0, 10]] / chances[[0, 10]].sum()
    first = [int(constrained(model, start, rules, seeded(n), 1)[0]) for n in range(200)]
    assert set(first) == {0, 10}
    assert abs(first.count(0) / 200 - allowed[0]) < 4 * (0.25 / 200) ** 0.5


def test_bad_input():
    model, words = GPT(Config(4, 6, 8, 2, 1), seeded(0)), torch.tensor([1])
    with pytest.raises(ValueError, match="constrained: rules must have 4 columns"):
        constrained(model, words, torch.zeros(2, 3, dtype=torch.long), seeded(0), 2)
    with pytest.raises(ValueError, match="constrained: count must fit"):
        constrained(model, words, torch.zeros(2, 4, dtype=torch.long), seeded(0), 20)
    with pytest.raises(ValueError, match="token_rules: grammar must be a dictionary"):
        token_rules({0: {"a": 5}}, ["a"])
    with pytest.raises(ValueError, match="list_grammar: most must be at least 1; got 0"):
        list_grammar(0)
