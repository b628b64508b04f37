"""What is said to bad tensors."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.core import tensors

shapes = st.lists(st.integers(0, 3), max_size=4).map(tuple)


@given(
    found=shapes,
    wanted=st.lists(st.integers(1, 3) | st.sampled_from("td"), min_size=1, max_size=4),
    more=st.booleans(),
)
def test_floats_fit_by_definition(found, wanted, more):
    """Letters fit any side but 0, numbers their own; an ellipsis in front takes any number of axes."""
    shape = ("…", *wanted) if more else tuple(wanted)
    tail = found[len(found) - len(wanted) :] if more and len(found) >= len(wanted) else found
    fits = len(tail) == len(wanted) and all(
        side > 0 and (isinstance(want, str) or side == want) for side, want in zip(tail, wanted, strict=True)
    )
    x = torch.zeros(found)
    if fits:
        assert tensors.floats("f", "x", x, shape) is x
    else:
        with pytest.raises(ValueError, match=r"^f: x must be a tensor of floats, shape \(.+\); got shape \("):
            tensors.floats("f", "x", x, shape)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_tokens(dtype):
    x = torch.tensor([0, 4, 2], dtype=dtype)
    assert tensors.tokens("f", "x", x, 1, 5) is x
    with pytest.raises(ValueError, match="f: x must hold tokens from 0 to 3; got 0 to 4"):
        tensors.tokens("f", "x", x, 1, 4)
    with pytest.raises(ValueError, match=r"f: x must be a tensor of tokens, whole numbers of shape \(B, t\)"):
        tensors.tokens("f", "x", x, 2)
    with pytest.raises(ValueError, match="hold tokens from 0 to 9; got -1 to 1"):
        tensors.tokens("f", "x", torch.tensor([-1, 1]), 1, 10)


@pytest.mark.parametrize(
    "bad", [None, 3, "x", torch.ones(2), torch.ones(2, dtype=torch.bool), torch.zeros(0).long()]
)
def test_no_tokens(bad):
    with pytest.raises(ValueError, match="f: x must be a tensor of tokens"):
        tensors.tokens("f", "x", bad, 1)


def test_masks():
    like, mask = torch.zeros(1), torch.ones(1, 3, 4, dtype=torch.bool)
    assert tensors.mask("f", "mask", None, like, (2, 3, 4)) is None
    assert tensors.mask("f", "mask", mask, like, (2, 3, 4)) is mask
    for bad in (mask[0], mask.float(), mask[:, :2], "mask", torch.ones(3, 3, 4, dtype=torch.bool)):
        with pytest.raises(ValueError, match="f: mask must be a boolean tensor"):
            tensors.mask("f", "mask", bad, like, (2, 3, 4))
    with pytest.raises(ValueError, match="f: mask must be on meta; got cpu"):
        tensors.mask("f", "mask", mask, like.to("meta"), (2, 3, 4))


def test_names_and_generators():
    assert tensors.one_of("f", "kind", "a", ("a", "b")) == "a"
    with pytest.raises(ValueError, match="f: kind must be one of 'a', 'b'; got 'c'"):
        tensors.one_of("f", "kind", "c", ("a", "b"))
    with pytest.raises(ValueError, match="f: kind must be one of 'a', 'b'; got a list"):
        tensors.one_of("f", "kind", [], ("a", "b"))
    with pytest.raises(
        ValueError, match=r"f: noise must be a torch.Generator, as from device.seed\(0\); got a int"
    ):
        tensors.generator("f", 3, "noise")
