"""Rings, splits, pipelines and bytes against plain numpy, published formulas and each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares, minimize_scalar

from chapters_src.scale.parallel import (
    FITS,
    SCHEDULES,
    SHARDED,
    TwoTermLaw,
    all_reduce_bytes,
    best_size,
    bubble,
    by_columns,
    by_heads,
    by_rows,
    bytes_per_device,
    fit_law,
    predicted_loss,
    ring_all_reduce,
    ring_rounds,
    schedule,
    share,
    split_network,
)

seeds = st.integers(0, 2**32 - 1)


class TestRing:
    @given(seeds, st.integers(1, 7), st.integers(1, 12))
    def test_everybody_ends_with_the_sum(self, seed, p, n):
        X = np.random.default_rng(seed).normal(size=(p, n))
        before = X.copy()
        held, sent = ring_all_reduce(X)
        np.testing.assert_allclose(held, np.tile(X.sum(axis=0), (p, 1)), atol=1e-12)
        np.testing.assert_array_equal(X, before)
        assert sent.sum() == 2 * (p - 1) * n
        if n % p == 0:
            assert sent == pytest.approx(all_reduce_bytes(n, p))

    def test_three_workers_by_hand(self):
        rounds = list(ring_rounds(np.array([[1.0, 2, 3], [10, 20, 30], [100, 200, 300]])))
        assert [r.phase for r in rounds] == ["add", "add", "pass on", "pass on"]
        np.testing.assert_array_equal(rounds[0].held, [[1, 2, 303], [11, 20, 30], [100, 220, 300]])
        np.testing.assert_array_equal(rounds[1].held, [[1, 222, 303], [11, 20, 333], [111, 220, 300]])
        np.testing.assert_array_equal(rounds[2].held, [[111, 222, 303], [11, 222, 333], [111, 220, 333]])
        np.testing.assert_array_equal(rounds[3].held, np.tile([111, 222, 333], (3, 1)))

    def test_every_link_carries_the_same(self):
        for step in ring_rounds(np.ones((4, 8))):
            assert step.sent == (2, 2, 2, 2)


class TestShare:
    @given(seeds, st.integers(1, 5), st.integers(0, 9))
    def test_weighted_means_of_shares_are_the_mean_of_all(self, seed, count, extra):
        rows = torch.randn(count + extra, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        parts = [share(rows, rank, count) for rank in range(count)]
        assert torch.equal(torch.cat([part for part, _ in parts]), rows)
        mean = sum(weight * part.mean() for part, weight in parts) / count
        assert float(mean) == pytest.approx(float(rows.mean()), abs=1e-12)

    def test_without_weights_unequal_shares_are_wrong(self):
        rows = torch.tensor([0.0, 0.0, 3.0])
        means = [share(rows, rank, 2)[0].mean() for rank in range(2)]
        assert float(sum(means)) / 2 == 1.5
        assert float(rows.mean()) == 1.0


class TestSplits:
    @given(seeds, st.integers(1, 4))
    def test_a_network_in_pieces(self, seed, pieces):
        rng = np.random.default_rng(seed)
        X, V, W = rng.normal(size=(5, 3)), rng.normal(size=(3, 8)), rng.normal(size=(8, 4))
        np.testing.assert_allclose(np.hstack([X @ part for part in by_columns(V, pieces)]), X @ V)
        whole = np.tanh(X @ V) @ W
        np.testing.assert_allclose(sum(split_network(X, V, W, np.tanh, pieces)), whole, atol=1e-12)
        assert sum(len(part) for part in by_rows(W, pieces)) == 8

    def test_attention_by_heads_against_torch(self):
        torch.manual_seed(0)
        layer = torch.nn.MultiheadAttention(8, 4, bias=False, batch_first=True, dtype=torch.float64)
        x = torch.randn(2, 5, 8, dtype=torch.float64)
        expected, _ = layer(x, x, x, need_weights=False)
        Q, K, V = layer.in_proj_weight.chunk(3)
        total = torch.zeros_like(expected)
        for part in by_heads(4, 8, 2):
            q, k, v = (
                (x @ M[part].T).reshape(2, 5, 2, 2).transpose(1, 2) for M in (Q, K, V)
            )  # two heads here
            mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v)
            total = total + mixed.transpose(1, 2).reshape(2, 5, 4) @ layer.out_proj.weight[:, part].T
        assert torch.allclose(total, expected, atol=1e-12)


class TestPipeline:
    @given(st.integers(1, 6), st.integers(1, 9), st.sampled_from(SCHEDULES), st.integers(1, 3))
    def test_waiting_is_the_formula(self, p, m, order, backward):
        played = schedule(p, m, order, backward)
        assert played.waiting == pytest.approx(bubble(p, m))
        assert played.kept == (m if order == SCHEDULES[0] else min(p, m))
        assert (played.table > 0).sum() == p * m
        assert (played.table < 0).sum() == p * m * backward

    @given(st.integers(1, 6), st.integers(1, 9), st.sampled_from(SCHEDULES))
    def test_nothing_is_used_before_it_has_come(self, p, m, order):
        table = schedule(p, m, order).table
        for k in range(1, m + 1):
            begin = [np.flatnonzero(row == k)[0] for row in table]
            back = [np.flatnonzero(row == -k) for row in table]
            assert all(a < b for a, b in itertools.pairwise(begin))
            assert begin[-1] < back[-1][0]
            assert all(first[0] > second[-1] for first, second in itertools.pairwise(back))

    def test_the_second_order_keeps_fewer_activations(self):
        assert [schedule(4, 12, order).kept for order in SCHEDULES] == [12, 4]


class TestBytes:
    def test_a_model_of_seven_and_a_half_billion_on_64_devices(self):
        """The worked example of the paper on sharded optimisers, in gigabytes."""
        found = [bytes_per_device(7.5e9, 64, cut).total / 1e9 for cut in SHARDED]
        assert found == pytest.approx([120, 31.4, 16.6, 1.9], abs=0.06)

    def test_one_device_has_nothing_to_cut(self):
        assert {bytes_per_device(1e6, 1, cut).total for cut in SHARDED} == {16e6}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: by_heads(4, 10, 2), r"^by_heads: heads must divide d = 10; got 4$"),
        (lambda: by_heads(4, 8, 3), r"^by_heads: pieces must divide the 4 heads; got 3$"),
        (lambda: bubble(0, 3), r"^bubble: devices must be at least 1; got 0$"),
        (lambda: schedule(2, 3, "backwards first"), r"^schedule: order must be one of"),
        (lambda: bytes_per_device(1.0, 2, "all"), r"^bytes_per_device: sharded must be one of"),
        (lambda: share(torch.ones(3), 2, 2), r"^share: rank must be at least 0 and at most 1; got 2$"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


class TestBudget:
    @pytest.mark.parametrize("name", FITS)
    def test_no_other_size_is_better(self, name):
        C = 5.76e23
        N, D = best_size(FITS[name], C)
        found = minimize_scalar(
            lambda log_N: predicted_loss(FITS[name], np.exp(log_N), C / 6 / np.exp(log_N)),
            bounds=(15, 35),
            method="bounded",
            options={"xatol": 1e-9},
        )
        assert np.log(N) == pytest.approx(found.x, abs=1e-5)
        assert pytest.approx(C) == 6 * N * D

    def test_a_law_without_noise_is_found_again(self):
        law = FITS["fitted again in 2024"]
        N, D = (grid.ravel() for grid in np.meshgrid(np.geomspace(1e6, 1e9, 6), np.geomspace(1e8, 1e11, 6)))
        found = fit_law(N, D, predicted_loss(law, N, D))
        assert predicted_loss(found, N, D) == pytest.approx(predicted_loss(law, N, D), rel=1e-5)
        assert found[3:] == pytest.approx(law[3:], abs=0.01)

    def test_a_search_over_all_five_numbers_finds_no_smaller_error(self):
        rng = np.random.default_rng(0)
        N, D = np.exp(rng.uniform(9, 12, 30)), np.exp(rng.uniform(10, 15, 30))
        losses = 1.5 + 30 / N**0.35 + 60 / D**0.4 + 0.02 * rng.normal(size=30)

        def away(logs):
            return predicted_loss(TwoTermLaw(*np.exp(logs)), N, D) - losses

        starts = [np.log([E, 30, 60, power, power]) for E in (0.5, 1.5) for power in (0.2, 0.4)]
        other = min(2 * least_squares(away, start).cost for start in starts)
        found = ((predicted_loss(fit_law(N, D, losses), N, D) - losses) ** 2).sum()
        assert found == pytest.approx(other, rel=1e-4)
