"""Rules over kinds against every rule written out, and against a decision tree."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from chapters_src import data
from chapters_src.foundations.risk import largest_gap, majority_rule, rule_risk

seeds = st.integers(0, 2**32 - 1)


def tables(seed, kinds=4):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 6, (kinds, 2)) + 1e-9, rng.integers(1, 9, (kinds, 2)).astype(float)


def risk_by_counting(counts, rule):
    examples = [(k, y) for k, row in enumerate(counts) for y in (0, 1) for _ in range(round(row[y]))]
    return np.mean([rule[k] != y for k, y in examples])


@settings(max_examples=40)
@given(seeds)
def test_every_rule_written_out(seed):
    _, counts = tables(seed)
    sample = np.random.default_rng(seed).permutation(counts)
    risks = {rule: risk_by_counting(counts, rule) for rule in product((0, 1), repeat=4)}
    for rule, risk in risks.items():
        assert rule_risk(counts, np.array(rule)) == pytest.approx(risk)
    assert rule_risk(counts, majority_rule(counts)) == pytest.approx(min(risks.values()))
    gaps = [abs(risk_by_counting(sample, rule) - risk) for rule, risk in risks.items()]
    assert largest_gap(sample, counts) == pytest.approx(max(gaps), abs=1e-12)


def test_a_draw_is_a_death():
    assert majority_rule([[2, 2], [0, 1], [0, 0]]).tolist() == [0, 1, 0]


def test_the_titanic_against_a_tree():
    table = data.titanic()
    kinds, which = np.unique(table.X, axis=0, return_inverse=True)
    counts = np.zeros((len(kinds), 2))
    np.add.at(counts, (which, table.y), 1)
    tree = DecisionTreeClassifier(random_state=0).fit(table.X, table.y)
    np.testing.assert_array_equal(majority_rule(counts), tree.predict(kinds))
    assert rule_risk(counts, majority_rule(counts)) == pytest.approx(461 / 2201)
    assert 1 - tree.score(table.X, table.y) == pytest.approx(461 / 2201)


def test_no_gap_to_itself():
    counts = np.array([[3.0, 1.0], [0.0, 2.0]])
    assert largest_gap(counts, 10 * counts) == pytest.approx(0, abs=1e-15)
    assert largest_gap([[1, 0]], [[0, 1]]) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rule_risk([[1, 1]], [2]), "rule_risk: rule must hold verdicts of 0 and 1 alone; got 2"),
        (lambda: rule_risk([[0, 0]], [1]), "rule_risk: counts must hold an example or more; got none"),
        (lambda: majority_rule([[-1, 2]]), "majority_rule: counts must hold counts of at least 0; got -1"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        call()
