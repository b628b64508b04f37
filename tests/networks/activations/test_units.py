"""Dead units against torch's gradients and against all corners of a box."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chapters_src.networks.activations import highest_preactivation, is_dead

NUMBERS = st.floats(-5, 5)


def test_worked_example():
    a = np.array([[-1.0, 0.0, 2.0, -3.0], [-2.0, -1.0, -1.0, 1e-300]])
    np.testing.assert_array_equal(is_dead(a), [True, True, False, False])


@given(hnp.arrays(np.float64, (5, 3), elements=st.floats(-1, 0.2)))
def test_dead_units_are_those_without_a_gradient(a):
    tensor = torch.tensor(a, requires_grad=True)
    torch.relu(tensor).sum().backward()
    np.testing.assert_array_equal(is_dead(a), ~tensor.grad.numpy().any(axis=0))


@given(
    hnp.arrays(np.float64, (3, 2), elements=NUMBERS),
    hnp.arrays(np.float64, 2, elements=NUMBERS),
    st.floats(-2, 1),
    st.floats(0.1, 2),
)
def test_the_highest_pre_activation_is_that_of_a_corner(W, b, low, width):
    corners = np.array(list(product([low, low + width], repeat=3)))
    np.testing.assert_allclose(
        highest_preactivation(W, b, low, low + width), (corners @ W + b).max(axis=0), atol=1e-12
    )


def test_the_default_box_is_that_of_pixels():
    np.testing.assert_allclose(highest_preactivation([[2.0], [-1.0], [3.0]], [-4.0]), [1.0])


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"^highest_preactivation: high must be above 1; got 0"):
        highest_preactivation([[1.0]], [0.0], 1.0, 0.0)
    with pytest.raises(ValueError, match=r"^is_dead: a must "):
        is_dead([1.0, 2.0])
