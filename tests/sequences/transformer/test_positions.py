"""Positions: the tables against the formulas, the rotations against complex numbers and matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.sequences.transformer.positions import (
    LearnedPositions,
    LinearBias,
    RelativeBias,
    RelativeVectors,
    frequencies,
    rotate,
    sinusoidal,
    wavelengths,
)
from tests.bad_input import bad_numbers, refused

torch.set_num_threads(1)
halves = st.integers(1, 8)
bases = st.floats(1.5, 1e6)


def seeded(n):
    return torch.Generator().manual_seed(n)


def randn(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=seeded(seed), dtype=dtype)


# --- sinusoids


def test_the_second_row_at_width_eight():
    row = sinusoidal(2, 8, dtype=torch.float64)[1].tolist()
    assert row == pytest.approx([0.8415, 0.5403, 0.0998, 0.9950, 0.0100, 1, 0.0010, 1], abs=5e-5)


def test_the_table_entry_by_entry():
    """Written out with Python's own sine, the way the original paper prints it."""
    t, d, base = 7, 6, 10_000.0
    table = sinusoidal(t, d, dtype=torch.float64)
    for p in range(t):
        for column in range(d):
            angle = p / base ** (2 * (column // 2) / d)
            expected = math.cos(angle) if column % 2 else math.sin(angle)
            assert table[p, column].item() == pytest.approx(expected, abs=1e-14)


@given(t=st.integers(1, 40), half=halves, base=bases)
def test_rows_have_one_length_and_begin_at_zero(t, half, base):
    table = sinusoidal(t, 2 * half, base, dtype=torch.float64)
    assert table.shape == (t, 2 * half) and table.abs().max() <= 1
    np.testing.assert_allclose((table**2).sum(1), half, rtol=1e-12)
    np.testing.assert_array_equal(table[0], [0.0, 1.0] * half)


@given(half=halves, base=bases, p=st.integers(0, 50), q=st.integers(0, 50), shift=st.integers(1, 50))
def test_similarity_depends_on_distance_alone(half, base, p, q, shift):
    table = sinusoidal(120, 2 * half, base, dtype=torch.float64)
    moved = table[p + shift] @ table[q + shift]
    assert (table[p] @ table[q]).item() == pytest.approx(moved.item(), abs=1e-10)
    expected = torch.cos((p - q) * frequencies(2 * half, base)).sum()
    assert moved.item() == pytest.approx(expected.item(), abs=1e-10)


def test_a_shift_is_one_matrix_for_all_positions():
    """Found by least squares from some rows, it moves the others too."""
    table = sinusoidal(60, 8, dtype=torch.float64).numpy()
    shift = np.linalg.lstsq(table[:30], table[5:35], rcond=None)[0]
    np.testing.assert_allclose(table[30:55] @ shift, table[35:60], atol=1e-7)


def test_wavelengths_bring_a_wave_back():
    lengths = wavelengths(8)
    assert lengths[0].item() == pytest.approx(2 * math.pi)
    ratios = (lengths[1:] / lengths[:-1]).numpy()
    np.testing.assert_allclose(ratios, 10.0, rtol=1e-12)
    np.testing.assert_allclose(torch.sin(frequencies(8) * lengths), 0, atol=1e-12)


# --- rotary


@given(half=halves, base=bases, start=st.integers(0, 2000))
def test_rotation_is_multiplication_by_a_complex_number(half, base, start):
    x, positions = randn(2, 5, 2 * half), torch.arange(start, start + 5)
    pairs = torch.view_as_complex(x.reshape(2, 5, half, 2).contiguous())
    omega = torch.tensor([base ** (-2 * i / (2 * half)) for i in range(half)], dtype=torch.float64)
    turned = pairs * torch.polar(torch.ones(5, half, dtype=torch.float64), positions[:, None] * omega)
    expected = torch.view_as_real(turned).reshape(2, 5, 2 * half)
    np.testing.assert_allclose(rotate(x, positions, base), expected, atol=1e-9)


@given(p=st.integers(0, 100), q=st.integers(0, 100), shift=st.integers(1, 1000))
def test_inner_products_depend_on_the_offset_alone(p, q, shift):
    rows = randn(2, 8, seed=1)
    here = rotate(rows, torch.tensor([p, q]))
    there = rotate(rows, torch.tensor([p + shift, q + shift]))
    assert (here[0] @ here[1]).item() == pytest.approx((there[0] @ there[1]).item(), abs=1e-9)
    np.testing.assert_allclose(here.norm(dim=1), rows.norm(dim=1), rtol=1e-12)


def test_position_zero_is_left_alone_and_turns_add_up():
    x = randn(3, 4, 6)
    assert torch.equal(rotate(x, torch.zeros(4, dtype=torch.long)), x)
    twice = rotate(rotate(x, torch.arange(4)), torch.tensor([5, 5, 5, 5]))
    np.testing.assert_allclose(twice, rotate(x, torch.arange(5, 9)), atol=1e-12)


def test_a_row_is_turned_alike_alone_and_among_others():
    """What a cache of turned keys relies on."""
    x = randn(2, 9, 8)
    every = rotate(x, torch.arange(9))
    assert torch.equal(every[:, 6:7], rotate(x[:, 6:7], torch.tensor([6])))


def test_any_layout_of_memory_will_do():
    """Transposed, strided, or beginning at an odd place: the pairs need not lie side by side."""
    x = randn(3, 4, 6)
    expected = rotate(x, torch.arange(4))
    wide, odd = torch.zeros(3, 4, 12, dtype=x.dtype), torch.zeros(1 + x.numel(), dtype=x.dtype)
    wide[..., ::2], odd[1:] = x, x.flatten()
    for same in (wide[..., ::2], odd[1:].view(3, 4, 6), x.permute(2, 1, 0).contiguous().permute(2, 1, 0)):
        assert torch.equal(same, x)
        assert torch.equal(rotate(same, torch.arange(4)), expected)


def test_gradient_is_the_turn_back():
    """Two references: the inverse rotation, and differences."""
    x, g = randn(3, 4).requires_grad_(), randn(3, 4, seed=2)
    positions = torch.tensor([3, 8, 40])
    (gradient,) = torch.autograd.grad((rotate(x, positions) * g).sum(), x)
    np.testing.assert_allclose(gradient, rotate(g, -positions), atol=1e-12)
    assert torch.autograd.gradcheck(lambda x: rotate(x, positions), (x,))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_dtypes(dtype):
    x = randn(2, 3, 4).to(dtype)
    turned = rotate(x, torch.arange(3))
    assert turned.dtype == dtype and turned.shape == x.shape
    exact = rotate(x.double(), torch.arange(3))
    assert (turned.double() - exact).abs().max() <= 4 * torch.finfo(dtype).eps
    assert sinusoidal(3, 4, dtype=dtype).dtype == dtype
    assert LearnedPositions(3, 4, seeded(0), dtype=dtype).table.dtype == dtype
    assert RelativeBias(2, 3, dtype=dtype).table.dtype == dtype


# --- learned


def test_learned_rows_are_the_tables_rows():
    learned = LearnedPositions(6, 4, seeded(0))
    assert torch.equal(learned(torch.tensor([5, 0, 5])), learned.table[[5, 0, 5]])
    assert torch.equal(learned.table, LearnedPositions(6, 4, seeded(0)).table)
    learned(torch.tensor([1, 1])).sum().backward()
    np.testing.assert_array_equal(learned.table.grad.sum(1), [0, 8, 0, 0, 0, 0])


def test_learned_positions_end():
    learned = LearnedPositions(6, 4, seeded(0))
    for outside in (6, -1):
        with pytest.raises(ValueError, match="LearnedPositions: positions must be from 0 to 5"):
            learned(torch.tensor([0, outside]))


# --- relative


@given(q=st.integers(1, 8), k=st.integers(1, 8), reach=st.integers(1, 5), start=st.integers(0, 9))
def test_bias_by_a_double_loop(q, k, reach, start):
    bias = RelativeBias(2, reach)
    with torch.no_grad():
        bias.table.normal_(generator=seeded(3))
    queries, keys = torch.arange(start, start + q), torch.arange(k)
    found = bias(queries, keys)
    assert found.shape == (2, q, k)
    for h in range(2):
        for i in range(q):
            for j in range(k):
                offset = max(-reach, min(reach, j - (start + i)))
                assert found[h, i, j] == bias.table[h, reach + offset]


def test_bias_starts_silent_and_is_the_same_along_diagonals():
    bias = RelativeBias(3, 4)
    assert bias(torch.arange(5), torch.arange(5)).abs().max() == 0
    with torch.no_grad():
        bias.table.normal_(generator=seeded(4))
    found = bias(torch.arange(9), torch.arange(9))
    assert torch.equal(found[:, 1:, 1:], found[:, :-1, :-1])  # Toeplitz
    assert torch.equal(found, bias(torch.arange(70, 79), torch.arange(70, 79)))


def test_gradient_of_the_bias_counts_uses():
    bias = RelativeBias(1, 2)
    bias(torch.arange(3), torch.arange(3)).sum().backward()
    np.testing.assert_array_equal(bias.table.grad[0], [1, 2, 3, 2, 1])


# --- by distance, and by vectors


@given(heads=st.integers(1, 8), q=st.integers(1, 6), k=st.integers(1, 6), start=st.integers(0, 9))
def test_linear_bias_by_a_loop(heads, q, k, start):
    found = LinearBias(heads, dtype=torch.float64)(torch.arange(start, start + q), torch.arange(k))
    assert found.shape == (heads, q, k)
    for h in range(heads):
        for i in range(q):
            for j in range(k):
                expected = -abs(start + i - j) / 2 ** (8 * (h + 1) / heads)
                assert found[h, i, j].item() == pytest.approx(expected, rel=1e-14)


def test_slopes_of_eight_heads_are_the_published_ones():
    slopes = LinearBias(8, dtype=torch.float64).slopes
    np.testing.assert_allclose(slopes, [1 / 2**h for h in range(1, 9)], rtol=1e-15)


def test_linear_bias_learns_nothing_and_is_not_saved():
    assert not list(LinearBias(4).parameters()) and not LinearBias(4).state_dict()


@given(start=st.integers(0, 9), reach=st.integers(1, 4))
def test_vectors_are_as_if_every_key_had_moved(start, reach):
    Q, K = randn(2, 3, 4), randn(2, 5, 4, seed=1)
    vectors = RelativeVectors(4, reach, seeded(2), dtype=torch.float64)
    queries, keys = torch.arange(start, start + 3), torch.arange(5)
    found = Q @ K.mT / 2 + vectors(Q, queries, keys)
    for i in range(3):
        for j in range(5):
            row = max(-reach, min(reach, j - start - i)) + reach
            moved = (Q[:, i] * (K[:, j] + vectors.table[row])).sum(-1) / 2
            np.testing.assert_allclose(found[:, i, j].detach(), moved.detach(), atol=1e-12)


def test_gradient_of_the_vectors():
    """Two references: differences, and the sum of the queries that look by each offset."""
    vectors, Q, at = RelativeVectors(4, 2, seeded(0), dtype=torch.float64), randn(3, 4), torch.arange(3)
    vectors(Q, at, at).sum().backward()
    offsets = torch.arange(-2, 3)
    expected = sum((offsets == j - i)[:, None] * Q[i] / 2 for i in range(3) for j in range(3))
    np.testing.assert_allclose(vectors.table.grad, expected, atol=1e-12)
    assert torch.autograd.gradcheck(lambda Q: vectors(Q, at, at), (Q.requires_grad_(),))


# --- everywhere


def test_meta_device():
    t = torch.arange(5, device="meta")
    assert sinusoidal(5, 4, device="meta").device.type == "meta"
    assert rotate(torch.ones(2, 5, 4, device="meta"), t).device.type == "meta"
    assert LearnedPositions(5, 4, seeded(0), device="meta")(t).shape == (5, 4)
    assert RelativeBias(2, 3, device="meta")(t, t).shape == (2, 5, 5)
    assert LinearBias(2, device="meta")(t, t).device.type == "meta"
    vectors = RelativeVectors(4, 2, seeded(0), device="meta")
    assert vectors(torch.ones(5, 4, device="meta"), t, t).shape == (5, 5)
    with pytest.raises(ValueError, match="rotate: positions must be on cpu, as x is; got meta"):
        rotate(torch.ones(5, 4), t)


GOOD = {
    "frequencies": (frequencies, {"d": 4, "base": 100.0}),
    "wavelengths": (wavelengths, {"d": 4, "base": 100.0}),
    "sinusoidal": (sinusoidal, {"t": 3, "d": 4, "base": 100.0, "dtype": torch.float64}),
    "rotate": (rotate, {"x": torch.ones(3, 4), "positions": torch.arange(3), "base": 100.0}),
    "LearnedPositions": (
        LearnedPositions,
        {"t": 3, "d": 4, "generator": seeded(0), "scale": 0.1, "dtype": None},
    ),
    "RelativeBias": (RelativeBias, {"heads": 2, "reach": 3, "dtype": None}),
    "LinearBias": (LinearBias, {"heads": 2, "dtype": None}),
    "RelativeVectors": (
        RelativeVectors,
        {"d": 4, "reach": 3, "generator": seeded(0), "dtype": None},
    ),
}
bad_counts = st.one_of(bad_numbers, st.sampled_from([0, 2.0, 1.5]))
bad_scales = bad_numbers
bad_bases = st.one_of(bad_numbers.filter(lambda v: v is not None), st.sampled_from([0, 0.5, 1, 1.0]))
bad_tensors = st.sampled_from(
    [None, 1, "x", [1, 2, 3], np.ones(3), torch.ones(3, 3, 3).bool(), torch.tensor(1.0), object()]
)
BAD = {
    "t": bad_counts,
    "d": st.one_of(bad_counts, st.sampled_from([1])),
    "base": bad_bases,
    "dtype": st.sampled_from([1, torch.int64, "float32", float]),
    "x": st.one_of(bad_tensors, st.sampled_from([torch.ones(4), torch.ones(3, 5), torch.ones(3, 4).long()])),
    "positions": st.one_of(
        bad_tensors, st.sampled_from([torch.arange(2), torch.ones(3).bool(), torch.ones(3, 1)])
    ),
    "generator": st.sampled_from([None, 0, np.random.default_rng(0)]),
    "scale": bad_scales,
    "heads": bad_counts,
    "reach": bad_counts,
}


@pytest.mark.parametrize(("name", "argument"), [(n, a) for n, (_, good) in GOOD.items() for a in good])
@given(data=st.data())
def test_bad_input_is_refused(name, argument, data):
    function, good = GOOD[name]
    kinds = BAD[argument]
    if argument == "d" and name in ("LearnedPositions", "RelativeVectors"):
        kinds = bad_counts  # a table may have one column
    refused(name, function, good, argument, data.draw(kinds))


@given(bad=st.one_of(bad_tensors, st.sampled_from([torch.ones(3), torch.ones(2, 2).long()])))
def test_modules_refuse_bad_positions(bad):
    learned, bias, good = LearnedPositions(3, 4, seeded(0)), RelativeBias(2, 3), torch.arange(3)
    for name, argument, call in (
        ("LearnedPositions", "positions", lambda: learned(bad)),
        ("RelativeBias", "queries", lambda: bias(bad, good)),
        ("RelativeBias", "keys", lambda: bias(good, bad)),
    ):
        with pytest.raises(
            ValueError, match=f"^{name}: {argument} must (be a tensor of whole numbers|have one axis)"
        ):
            call()


def test_odd_widths_are_refused():
    with pytest.raises(ValueError, match="sinusoidal: d must be even, for pairs of sine and cosine; got 5"):
        sinusoidal(3, 5)


def test_far_positions_are_turned_exactly():
    """At position 100,000 float32 has an angle to 6e-3; computed in float64 and rounded once it is right."""
    x = torch.randn(3, 8, generator=torch.Generator().manual_seed(0))
    positions = torch.tensor([0, 99_999, 1_000_000])
    assert (rotate(x, positions) - rotate(x.double(), positions)).abs().max() < 1e-6
