"""Look-ups against products and torch's own embedding, gradients against autograd and differences, units."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from chapters_src.sequences.tokens.vectors import bits_per_byte, look_up, look_up_gradient
from chapters_src.studio.oracle import finite_difference_gradient
from tests.bad_input import bad_numbers

torch.set_num_threads(1)
V, d = 7, 3
E = torch.randn(V, d, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
tokens = torch.tensor([[2, 2, 5], [0, 2, 6]])
token_lists = st.lists(st.integers(0, V - 1), min_size=1, max_size=12)


@given(token_lists)
def test_a_look_up_is_the_product(values):
    at = torch.tensor(values)
    assert torch.equal(look_up(at, E), F.one_hot(at, V).double() @ E)
    assert torch.equal(look_up(at, E), F.embedding(at, E))


def test_a_look_up_keeps_the_leading_axes():
    assert look_up(tokens, E).shape == (2, 3, d)
    assert torch.equal(look_up(tokens, E)[1, 0], E[0])
    assert look_up(tokens.to(torch.int32), E.float()).dtype == torch.float32


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@given(token_lists, st.integers(0, 99))
def test_gradient_against_autograd_and_the_product(dtype, values, seed):
    at = torch.tensor(values)
    G = torch.randn(len(at), d, generator=torch.Generator().manual_seed(seed), dtype=dtype)
    table = E.to(dtype).clone().requires_grad_()
    (F.embedding(at, table) * G).sum().backward()
    mine = look_up_gradient(at, G, V)
    tight = 1e-12 if dtype == torch.float64 else 1e-5
    for expected in (table.grad, F.one_hot(at, V).to(dtype).T @ G):
        torch.testing.assert_close(mine, expected, rtol=tight, atol=tight)


def test_gradient_against_differences():
    G = torch.arange(18.0, dtype=torch.float64).reshape(2, 3, d)

    def loss(table):
        return float((look_up(tokens, torch.tensor(table)) * G).sum() ** 2)

    through = 2 * (look_up(tokens, E) * G).sum() * G
    np.testing.assert_allclose(
        look_up_gradient(tokens, through, V), finite_difference_gradient(loss, E.numpy()), rtol=1e-8
    )


def test_rows_that_do_not_occur_get_nothing():
    grad = look_up_gradient(tokens, torch.ones(2, 3, d), V)
    assert grad[:, 0].tolist() == [1, 0, 3, 0, 0, 1, 1]


def test_meta_device():
    there = tokens.to("meta")
    assert look_up(there, E.to("meta")).shape == (2, 3, d)
    assert look_up_gradient(there, torch.ones(2, 3, d, device="meta"), V).shape == (V, d)


def test_bits_of_a_uniform_byte():
    assert bits_per_byte(math.log(256), 1000, 1000) == pytest.approx(8)
    assert bits_per_byte(math.log(65536), 500, 1000) == pytest.approx(8)


@given(st.floats(0, 20), st.integers(1, 999), st.integers(1, 999), st.integers(1, 9))
def test_bits_per_byte_do_not_depend_on_the_cut(total, n, size, parts):
    """The same total, spread over more tokens."""
    assert bits_per_byte(total / parts, n * parts, size) == pytest.approx(bits_per_byte(total, n, size))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: look_up(torch.tensor([True]), E),
            r"look_up: tokens must be a tensor of whole numbers, shape \(…\); got shape \(1,\), torch.bool",
        ),
        (lambda: look_up(torch.tensor([-1]), E), "look_up: tokens must be from 0 to 6; got -1"),
        (lambda: look_up(torch.tensor([7]), E), "look_up: tokens must be from 0 to 6; got 7"),
        (lambda: look_up(tokens, E[0]), r"look_up: E must have two axes, shape \(V, d\); got shape \(3,\)"),
        (
            lambda: look_up(tokens, E.long()),
            r"look_up: E must be a tensor of floats, shape \(V, d\); got shape \(7, 3\), torch.int64",
        ),
        (
            lambda: look_up_gradient(tokens, E, V),
            r"look_up_gradient: G must have shape \(2, 3, d\); got \(7, 3\)",
        ),
        (
            lambda: look_up_gradient(torch.tensor(1), torch.tensor(1.0), V),
            "look_up_gradient: G must have shape",
        ),
        (lambda: bits_per_byte(1.0, 0, 5), "bits_per_byte: tokens must be at least 1; got 0"),
        (lambda: bits_per_byte(1.0, 5, 1.5), "bits_per_byte: bytes must be a whole number"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(bad_numbers)
def test_a_loss_that_is_none_is_refused(bad):
    with pytest.raises(ValueError, match=r"^bits_per_byte: nats_per_token must .+; got "):
        bits_per_byte(bad, 3, 5)


@given(
    st.one_of(
        st.none(), st.text(max_size=3), st.floats(), st.just([1]), st.just(np.ones(2)), st.builds(object)
    )
)
def test_anything_but_a_tensor_is_refused(bad):
    for call in (lambda: look_up(bad, E), lambda: look_up_gradient(bad, E, 3)):
        with pytest.raises(ValueError, match=r"tokens must be a tensor of whole numbers, shape .+; got "):
            call()
    with pytest.raises(ValueError, match=r"must be a tensor of floats, shape .+; got "):
        look_up(tokens, bad)
