"""Masks beside torch's own and beside their definitions, entry by entry."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.sequences.attention.weighted_mean import attention, attention_weights
from chapters_src.sequences.heads.masks import causal, padding, window


def test_causal_by_hand():
    assert causal(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert causal(2, 4).tolist() == [[True, True, True, False], [True, True, True, True]]
    assert causal(1, 5).all()


def test_causal_against_torch():
    Q, K, V = torch.randn(3, 6, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    theirs = F.scaled_dot_product_attention(Q, K, V, is_causal=True)
    torch.testing.assert_close(attention(Q, K, V, causal(6)), theirs, rtol=0, atol=1e-12)


@given(st.integers(1, 9), st.integers(1, 12))
def test_window_is_a_band(t, width):
    i, j = np.indices((t, t))
    np.testing.assert_array_equal(window(t, width), abs(i - j) < width)
    both = causal(t) & window(t, width)
    assert both.sum(1).tolist() == [min(i + 1, width) for i in range(t)]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5))
def test_padding_hides_what_fills_up(lengths):
    mask = padding(lengths, 6)
    assert mask.shape == (len(lengths), 1, 6)
    assert mask.sum(-1).flatten().tolist() == lengths
    assert torch.equal(mask, padding(torch.tensor(lengths), 6))


def test_padded_rows_are_as_if_alone():
    """A batch of sequences of different lengths gives what each gives by itself."""
    generator = torch.Generator().manual_seed(0)
    X = torch.randn(3, 6, 4, generator=generator, dtype=torch.float64)
    lengths = [6, 2, 4]
    out = attention(X, X, X, causal(6) & padding(lengths, 6))
    for row, x, length in zip(out, X, lengths, strict=True):
        alone = attention(x[:length], x[:length], x[:length], causal(length))
        torch.testing.assert_close(row[:length], alone)


def test_nothing_leaks_from_the_future():
    """Change what comes after position 3: nothing up to it moves; without a mask all of it does."""
    X = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    other = torch.cat([X[:4], -X[4:]])
    torch.testing.assert_close(
        attention(X, X, X, causal(6))[:4], attention(other, other, other, causal(6))[:4]
    )
    assert (attention(X, X, X)[:4] != attention(other, other, other)[:4]).any(-1).all()
    assert (attention_weights(X, X, causal(6)).triu(1) == 0).all()


def test_meta_device():
    assert causal(4, device="meta").device.type == "meta"
    assert window(4, 2, device="meta").shape == (4, 4)
    assert padding(torch.ones(3, dtype=torch.long, device="meta"), 5).shape == (3, 1, 5)
    assert padding([1, 2], 5, device="meta").device.type == "meta"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: causal(0), "causal: t must be at least 1; got 0"),
        (lambda: causal(3.0), "causal: t must be a whole number at least 1; got 3.0"),
        (lambda: causal(3, 2), "causal: s must be at least 3; got 2"),
        (lambda: causal(3, device="tpu?"), r"causal: device must name a device, such as cpu; got 'tpu\?'"),
        (lambda: window(0, 1), "window: t must be at least 1"),
        (lambda: window(3, 0), "window: width must be at least 1; got 0"),
        (
            lambda: padding([1, 7], 6),
            r"padding: lengths must be from 0 to 6, one or more of them; got \[1, 7\]",
        ),
        (
            lambda: padding(torch.tensor([1, 7]), 6),
            r"padding: lengths must be from 0 to 6, one or more of them; got \[1, 7\]",
        ),
        (lambda: padding([], 6), r"padding: lengths must be from 0 to 6, one or more of them; got \[\]"),
        (lambda: padding(torch.ones(2), 6), "padding: lengths must be a whole number; got 1.0"),
        (
            lambda: padding(torch.ones(2, 2, dtype=torch.long), 6),
            r"padding: lengths must be a whole number; got \[1, 1\]",
        ),
        (lambda: padding([1], -1), "padding: t must be at least 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


bad = st.one_of(
    st.none(),
    st.text(min_size=1, max_size=3),
    st.floats(),
    st.integers(max_value=-1),
    st.booleans(),
    st.builds(object),
)


@given(bad)
def test_bad_sizes(value):
    """Every argument that is a number, and everything that is none."""
    calls = {
        "causal: t": lambda: causal(value),
        "window: t": lambda: window(value, 2),
        "window: width": lambda: window(3, value),
        "padding: t": lambda: padding([1], value),
        "padding: lengths": lambda: padding([0, value], 4),
    }
    for start, call in calls.items():
        with pytest.raises(ValueError, match=f"^{start} must .+; got "):
            call()
    with pytest.raises(ValueError, match=r"^padding: lengths must .+; got "):
        padding(value, 4)
