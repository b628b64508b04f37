"""Gibbs sampling against distributions that are known."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.generative.variational.diagnostics import autocorrelation
from chapters_src.generative.variational.gibbs import gibbs_sampler


def gaussian(rho):
    def given(other):
        return lambda z, rng: rho * z[:, other] + np.sqrt(1 - rho**2) * rng.standard_normal(len(z))

    return [given(1), given(0)]


def test_a_correlated_gaussian_comes_out():
    chain = gibbs_sampler(gaussian(0.7), np.zeros((50, 2)), 1000, np.random.default_rng(0))
    draws = chain.samples[50:].reshape(-1, 2)
    np.testing.assert_allclose(np.cov(draws.T), [[1, 0.7], [0.7, 1]], atol=0.03)
    assert chain.acceptance == 1
    assert chain.evaluations == 1000 * 100


def test_a_sweep_keeps_the_square_of_the_correlation():
    chain = gibbs_sampler(gaussian(0.9), np.zeros((1, 2)), 40_000, np.random.default_rng(1))
    assert autocorrelation(chain.samples[:, 0, 0])[1] == pytest.approx(0.81, abs=0.015)


def test_a_table():
    """Two coins whose joint table is known: the shares visited are its entries."""
    table = np.array([[0.1, 0.2], [0.3, 0.4]])

    def first(z, rng):
        column = table[:, z[:, 1].astype(int)]
        return (rng.random(len(z)) < column[1] / column.sum(axis=0)).astype(float)

    def second(z, rng):
        row = table[z[:, 0].astype(int)]
        return (rng.random(len(z)) < row[:, 1] / row.sum(axis=1)).astype(float)

    chain = gibbs_sampler([first, second], np.zeros((200, 2)), 400, np.random.default_rng(2))
    z = chain.samples[20:].reshape(-1, 2).astype(int)
    shares = np.bincount(2 * z[:, 0] + z[:, 1], minlength=4) / len(z)
    np.testing.assert_allclose(shares, table.ravel(), atol=0.01)


def test_later_coordinates_see_earlier_ones():
    copy = [lambda z, rng: z[:, 1] + 1, lambda z, rng: 10 * z[:, 0]]
    chain = gibbs_sampler(copy, np.zeros((1, 2)), 2, np.random.default_rng(0))
    np.testing.assert_array_equal(chain.samples[:, 0], [[1, 10], [11, 110]])


def test_complaints_name_the_argument():
    with pytest.raises(ValueError, match="conditionals must be one per column of start, 2; got 1"):
        gibbs_sampler(gaussian(0.5)[:1], np.zeros((1, 2)), 5, np.random.default_rng(0))
