"""Stairs of sigmoids against torch, and random cones against averages over all directions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from chapters_src.networks.approximation.sums import cone_variance, mean_hinge, random_cone, stairs

seeds = st.integers(0, 2**32 - 1)


class TestStairs:
    def test_it_is_a_layer_of_sigmoids(self):
        rng = np.random.default_rng(0)
        edges, heights, x = np.array([0.0, 0.3, 0.9]), rng.standard_normal(3), rng.uniform(-1, 2, 50)
        hidden = torch.sigmoid(40.0 * (torch.tensor(x)[:, None] - torch.tensor(edges)))
        outer = torch.tensor([heights[0], heights[1] - heights[0], heights[2] - heights[1]])
        np.testing.assert_allclose(stairs(edges, heights, 40.0, x).sum(axis=1), (hidden @ outer).numpy())

    @settings(max_examples=40)
    @given(seeds, st.integers(1, 9))
    def test_steep_ones_are_a_step_function(self, seed, m):
        rng = np.random.default_rng(seed)
        heights = rng.standard_normal(m)
        edges = np.arange(float(m))
        x = rng.uniform(0.1, 0.9, 30) + rng.integers(0, m, 30)  # a tenth away from every edge
        off = np.abs(stairs(edges, heights, 500.0, x).sum(axis=1) - heights[np.floor(x).astype(int)])
        assert off.max() <= np.abs(np.diff(heights, prepend=0.0)).sum() * np.exp(-50.0) + 1e-12

    def test_half_way_up_at_the_edge(self):
        np.testing.assert_allclose(stairs([0.0, 1.0], [2.0, 3.0], 1e6, [0.0, 1.0]), [[1.0, 0.0], [2.0, 0.5]])
        assert np.isfinite(stairs([0.0], [1.0], 1e300, [-1e300, 1e300])).all()

    def test_edges_rise(self):
        with pytest.raises(ValueError, match=r"^stairs: edges must be in rising order"):
            stairs([1.0, 0.0], [1.0, 2.0], 1.0, [0.5])


class TestCone:
    @pytest.mark.parametrize("d", [2, 3, 7, 30])
    def test_moments_by_quadrature(self, d):
        """One coordinate of a random direction has the density ∝ (1 − s²)^((d−3)/2)."""
        density = stats.beta(0.5, (d - 1) / 2)  # of its square
        mean = integrate.quad(lambda q: np.sqrt(q) / 2 * density.pdf(q), 0, 1)[0]
        square = integrate.quad(lambda q: q / 2 * density.pdf(q), 0, 1)[0]
        assert mean_hinge(d) == pytest.approx(mean, rel=1e-6)
        assert cone_variance(d) == pytest.approx(square / mean**2 - 1, rel=1e-5)

    def test_known_dimensions(self):
        assert mean_hinge(1) == pytest.approx(0.5)
        assert mean_hinge(2) == pytest.approx(1 / np.pi)
        assert mean_hinge(3) == pytest.approx(0.25)
        assert cone_variance(1) == pytest.approx(1.0)
        assert cone_variance(3) == pytest.approx(5 / 3)

    def test_the_variance_rises_to_a_limit(self):
        variances = [cone_variance(d) for d in (1, 2, 5, 10, 100, 10_000)]
        assert (np.diff(variances) > 0).all()
        assert variances[-1] < np.pi - 1
        assert variances[-1] == pytest.approx(np.pi - 1, abs=1e-3)

    @pytest.mark.parametrize("d", [1, 2, 50])
    def test_many_draws_have_that_mean_and_variance(self, d):
        x = np.random.default_rng(d).standard_normal((1, d))
        network = random_cone(d, 80_000, np.random.default_rng(d + 1))
        parts = 80_000 * network.W2[:, 0] * np.maximum(x @ network.W1, 0)[0] / np.linalg.norm(x)
        ratios = parts.reshape(4000, 20).mean(axis=1)  # 4000 networks of 20 units each
        assert ratios.mean() == pytest.approx(1.0, abs=4 * ratios.std() / np.sqrt(4000))
        assert ratios.var() * 20 == pytest.approx(cone_variance(d), rel=0.12)

    @settings(max_examples=20)
    @given(seeds, st.floats(0.01, 100))
    def test_it_grows_in_proportion(self, seed, scale):
        network = random_cone(4, 9, np.random.default_rng(seed))
        X = np.random.default_rng(seed + 1).standard_normal((5, 4))
        np.testing.assert_allclose(network(scale * X), scale * network(X), rtol=1e-9)
        assert network.sizes == (4, 9, 1)
