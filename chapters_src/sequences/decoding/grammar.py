"""A grammar over characters, what it says about tokens, and a model that writes inside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, above, at_least
from chapters_src.core.shapes import Int, Tensor
from chapters_src.core.tensor_readers import tokens_below
from chapters_src.sequences.decoding.generation import draw, next_distribution
from chapters_src.sequences.language_model import GPT

__all__ = ["constrained", "list_grammar", "token_rules"]


@checked(most=at_least(1))
def list_grammar(most: int) -> dict[int, dict[str, int]]:
    """Lists of 1 to ``most`` numbers of one or two digits, "[7, 12]": state → character → next state.

    State 0 is the start. Of the others, a number has four: its first digit is due, its second may come, the
    number is full, and a space is due after the comma. From the last state nothing leads on.
    """
    digits, end = "0123456789", 1 + 4 * most
    rules: dict[int, dict[str, int]] = {0: {"[": 1}, end: {}}
    for i in range(most):
        first, second, full, space = range(1 + 4 * i, 5 + 4 * i)
        after = {"]": end} | ({",": space} if i + 1 < most else {})
        rules[first] = {"0": full} | dict.fromkeys(digits[1:], second)  # 07 is no number
        rules[second] = after | dict.fromkeys(digits, full)
        rules[full] = after
        rules[space] = {" ": first + 4} if i + 1 < most else {}
    return rules


def automaton(ask: Ask, value: Any) -> dict[int, dict[str, int]]:
    """States numbered from 0, each with the characters that may come and the states they lead to."""
    good = isinstance(value, dict) and set(value) == set(range(len(value))) and len(value) > 0
    good = good and all(isinstance(row, dict) and set(row.values()) <= set(value) for row in value.values())
    ask.require(good, "be a dictionary of states 0, 1, … with a dictionary of next states each", type(value))
    return value


@checked(grammar=automaton)
def token_rules(grammar: dict[int, dict[str, int]], pieces: Sequence[str]) -> Int[Tensor, "s v"]:
    """rules[s, w]: the state after all characters of token w, from state s; −1 if the grammar forbids one."""
    rules = torch.full((len(grammar), len(pieces)), -1)
    for start in grammar:
        for w, piece in enumerate(pieces):
            state = start if piece else -1
            for character in piece:
                state = grammar.get(state, {}).get(character, -1)
            rules[start, w] = state
    return rules


@torch.no_grad()
@checked(tokens=tokens_below("{model.config.vocabulary}"), temperature=above(0), count=at_least(1))
def constrained(
    model: GPT,
    tokens: Int[Tensor, "t"],
    rules: Int[Tensor, "s v"],
    generator: torch.Generator,
    count: int = 20,
    temperature: float = 1.0,
) -> Int[Tensor, "n"]:
    """Tokens drawn after the given ones, each from those that the grammar allows, until nothing may follow.

    At each step p is cut to the allowed tokens and normalised, which is not p given the grammar:
    {eq}`eq-decoding-masked`
    """
    known, room = model.config.vocabulary, model.config.context
    require(rules.shape[1] == known, "rules", f"have {known} columns", tuple(rules.shape))
    require(len(tokens) + count <= room, "count", f"fit with the tokens into the context, {room}", count)
    text, state = tokens.long(), 0
    for _ in range(count):
        allowed = rules[state] >= 0
        if not allowed.any():
            break
        logits = model(text[None])[0, -1].masked_fill(~allowed, -torch.inf)
        word = draw(next_distribution(logits, temperature)[None], generator)
        text, state = torch.cat([text, word]), int(rules[state, word])
    return text[len(tokens) :]
