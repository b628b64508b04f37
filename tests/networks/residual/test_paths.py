"""The sum over paths against a list of all paths."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.networks.residual import by_path_length


def listed(jacobians, length):
    """Every product of so many of them, in their order, added up."""
    total = np.zeros(jacobians.shape[1:])
    for chosen in combinations(range(len(jacobians)), length):
        product = np.eye(jacobians.shape[1])
        for k in chosen:
            product = jacobians[k] @ product
        total += product
    return total


@given(st.integers(1, 6), st.integers(1, 3), st.integers(0, 99))
def test_against_a_list_of_paths(blocks, d, seed):
    jacobians = np.random.default_rng(seed).normal(size=(blocks, d, d))
    ours = by_path_length(jacobians)
    assert ours.shape == (blocks + 1, d, d)
    for length in range(blocks + 1):
        np.testing.assert_allclose(ours[length], listed(jacobians, length), atol=1e-10)


def test_they_add_up_to_the_jacobian_of_the_stack():
    jacobians = np.random.default_rng(0).normal(0, 0.2, size=(30, 4, 4))
    whole = np.eye(4)
    for J in jacobians:
        whole = (np.eye(4) + J) @ whole
    np.testing.assert_allclose(by_path_length(jacobians).sum(axis=0), whole, rtol=1e-10)


def test_scalars_are_counted_by_binomials():
    found = by_path_length(np.full((10, 1, 1), 0.5)).ravel()
    np.testing.assert_allclose(found, [comb(10, k) * 0.5**k for k in range(11)])


def test_errors():
    with pytest.raises(ValueError, match="by_path_length: jacobians must be square"):
        by_path_length(np.ones((3, 2, 4)))
