"""What counts as a check, and how much of the package does nothing else."""

from __future__ import annotations

import ast
import json

import pytest

from tools.report import FIRST_VERSION, TARGET, is_check, measure, typed_names

MOST = 0.08


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        ("refuse('x', 'be even', x)", True),
        ("require(x > 0, 'x', 'be positive', x)", True),
        ("ask.fail('be even', x)", True),
        ("if x % 2:\n    refuse('x', 'be even', x)", True),
        ("raise ValueError('x must be even')", True),
        ("if x % 2:\n    x += 1", False),
        ("if x % 2:\n    refuse('x', 'be even', x)\nelse:\n    x = 1", False),
        ("raise", False),
        ("raise NotImplementedError", False),
        ("y = f(x)", False),
    ],
)
def test_a_check_is_told_from_other_statements(source, counts):
    (statement,) = ast.parse(source).body
    assert is_check(statement) is counts


def test_a_name_that_is_typed_is_found():
    tree = ast.parse("def f(x):\n    fail('f', 'x', 'be even', x)\n\ndef g(x):\n    fail('f', 'x', x)")
    assert typed_names(tree) == 1
    assert typed_names(ast.parse("def f(x):\n    return load('f', x)")) == 0


def test_few_statements_of_the_package_only_check_and_none_types_its_function():
    found = measure()
    assert found["share"] <= MOST and found["typed names"] == 0


def test_the_stored_counts_are_todays():
    stored = json.loads(TARGET.read_text(encoding="utf-8"))
    assert stored.pop("first version") == FIRST_VERSION
    assert stored == pytest.approx(measure(), rel=0.02)
