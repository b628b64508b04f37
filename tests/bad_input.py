"""What a function may be handed instead of an array or a number, for the property tests of several parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import strategies as st


@st.composite
def bad_arrays(draw, good, any_shape, fixed_rows):
    """A good array with something wrong with it."""
    at = tuple(draw(st.integers(0, side - 1)) for side in good.shape)
    spoiled = good.copy()
    spoiled[at] = draw(st.sampled_from([np.nan, np.inf, -np.inf]))
    mixed = good.astype(object)
    mixed[at] = draw(st.sampled_from([None, "x", 1j]))
    wrong = [
        spoiled,
        mixed,
        good.astype(complex),
        good.astype(str),
        torch.tensor(good, requires_grad=True),
        [[1.0, 2.0], [3.0]],
        [],
        np.ones((0, 2)),
        "numbers",
        {"a": 1.0},
        object(),
    ]
    if not any_shape:
        wrong += [good[None, None], 1.0, np.float64(2.0), good.reshape(1, 1, -1)]
        if fixed_rows:
            wrong += [good[1:], np.concatenate([good, good[:1]])]
    return wrong[draw(st.integers(0, len(wrong) - 1))]


bad_numbers = st.one_of(
    st.sampled_from(
        [-1, -0.5, np.nan, np.inf, -np.inf, None, "1", True, False, 1j, [1.0], np.ones(2), object()]
    ),
    st.floats(max_value=-1e-300),
)


def refused(name: str, function: Callable, good: dict[str, Any], argument: str, value: Any) -> None:
    """A bad value of one argument is named in one sentence."""
    with pytest.raises(ValueError, match=rf"^{name}: {argument} must .+; got ") as caught:
        function(**{**good, argument: value})
    assert "\n" not in str(caught.value)


def read_only(good: dict[str, Any]) -> dict[str, Any]:
    """The arguments, with every array a copy that cannot be written to."""
    copies = {key: np.copy(value) if isinstance(value, np.ndarray) else value for key, value in good.items()}
    for value in copies.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return copies
