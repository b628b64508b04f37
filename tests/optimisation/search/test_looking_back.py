"""The expected improvement against simulation and quadrature, the process against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from chapters_src.optimisation.search import (
    expected_improvement,
    gaussian_process_search,
    process_log_evidence,
    random_configurations,
    surrogate,
)

SPACE = {"eta": (1e-3, 1e2), "lam": (1e-7, 1e-2)}
some = st.floats(-3, 3)


def one(mean, deviation, best):
    return expected_improvement(np.array([mean]), np.array([deviation]), best)[0]


class TestImprovement:
    @given(mean=some, best=some, deviation=st.floats(0.05, 3))
    def test_is_the_integral(self, mean, best, deviation):
        density = stats.norm(mean, deviation).pdf
        low = min(mean, best) - 12 * deviation
        points = [mean] if low < mean < best else None
        area = quad(lambda f: (best - f) * density(f), low, best, points=points, epsabs=1e-12)[0]
        assert one(mean, deviation, best) == pytest.approx(area, abs=1e-8)

    def test_by_simulation(self):
        f = np.random.default_rng(0).normal(0.3, 0.5, 400_000)
        assert one(0.3, 0.5, 0.1) == pytest.approx(np.maximum(0.1 - f, 0).mean(), abs=0.001)

    def test_worked_number(self):
        assert one(1.0, 2.0, 1.0) == pytest.approx(2 / np.sqrt(2 * np.pi))

    def test_without_doubt_it_is_the_gain(self):
        assert one(0.2, 0.0, 1.0) == pytest.approx(0.8)
        assert one(1.2, 0.0, 1.0) == 0
        assert one(1.0, 0.0, 1.0) == 0

    @given(mean=some, best=some, deviation=st.floats(0.05, 3), more=st.floats(0.01, 2))
    def test_doubt_and_a_low_mean_are_worth_something(self, mean, best, deviation, more):
        base = one(mean, deviation, best)
        assert one(mean, deviation + more, best) >= base - 1e-12 and base >= max(best - mean, 0) - 1e-12
        assert one(mean - more, deviation, best) >= base


class TestSurrogate:
    def test_evidence_and_posterior_as_in_scikit_learn(self):
        rng = np.random.default_rng(1)
        U, new = rng.random((12, 2)), rng.random((30, 2))
        y = stats.zscore(np.sin(6 * U[:, 0]) + 0.1 * U[:, 1])
        band, gammas = surrogate(U, y, new, noise=1e-3)
        kernel = RBF(1 / np.sqrt(2 * gammas))
        theirs = GaussianProcessRegressor(kernel, alpha=1e-3, optimizer=None).fit(U, y)
        mean, deviation = theirs.predict(new, return_std=True)
        np.testing.assert_allclose(band.mean, mean, atol=1e-8)
        np.testing.assert_allclose(np.sqrt(band.variance), deviation, atol=1e-6)
        evidence = process_log_evidence(kernel(U), y, 1e-3)
        assert evidence == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-9)
        assert evidence == pytest.approx(
            stats.multivariate_normal(np.zeros(12), kernel(U) + 1e-3 * np.eye(12)).logpdf(y), rel=1e-9
        )

    @pytest.mark.parametrize("axis", [0, 1])
    def test_finds_out_which_axis_matters(self, axis):
        U = np.random.default_rng(2).random((25, 2))
        _, gammas = surrogate(U, stats.zscore(np.sin(8 * U[:, axis])), U[:1])
        assert gammas[axis] > 10 * gammas[1 - axis]

    def test_no_other_sharpness_has_more_evidence(self):
        rng = np.random.default_rng(3)
        U, y = rng.random((10, 1)), rng.normal(size=10)
        _, gammas = surrogate(U, y, U)
        evidence = {
            g: process_log_evidence(RBF(1 / np.sqrt(2 * g))(U), y, 1e-3) for g in (0.1, 1.0, 4.0, 16.0, 64.0)
        }
        assert gammas[0] == max(evidence, key=evidence.get)


class TestSearch:
    def valley(self, eta, lam):
        return (np.log10(eta) - 0.5) ** 2 + 0.01 * (np.log10(lam) + 5) ** 2

    def test_beats_random_search_in_a_smooth_valley(self):
        ours, theirs = [], []
        for seed in range(12):
            rng = np.random.default_rng(seed)
            ours.append(min(t.loss for t in gaussian_process_search(self.valley, SPACE, 18, rng)))
            theirs.append(min(self.valley(**one) for one in random_configurations(SPACE, 18, rng)))
        assert np.mean(ours) < np.mean(theirs) / 3

    def test_starts_at_random_and_stays_inside(self):
        rng = np.random.default_rng(0)
        tried = gaussian_process_search(self.valley, SPACE, 9, rng, start=4)
        assert len(tried) == 9
        for name, (low, high) in SPACE.items():
            assert all(low <= t.configuration[name] <= high for t in tried)
        assert all(t.loss == self.valley(**t.configuration) for t in tried)
        first = gaussian_process_search(self.valley, SPACE, 4, np.random.default_rng(0), start=4)
        assert tried[:4] == first

    def test_tries_the_candidate_of_the_largest_improvement_on_the_lowest_loss(self):
        for seed in range(6):
            tried = gaussian_process_search(self.valley, SPACE, 7, np.random.default_rng(seed), 6, 40)
            rng = np.random.default_rng(seed)
            *starts, candidates = (rng.random((40, 2)) for _ in range(7))
            losses = np.array([one.loss for one in tried[:6]])
            y = (losses - losses.mean()) / losses.std()
            guess, _ = surrogate(np.array([drawn[0] for drawn in starts]), y, candidates)
            draws = np.random.default_rng(0).normal(size=(200_000, 1))
            gains = np.maximum(y.min() - (guess.mean + np.sqrt(guess.variance) * draws), 0).mean(axis=0)
            low, high = np.log(list(SPACE.values())).T
            expected = np.exp(low + (high - low) * candidates[gains.argmax()])
            assert np.allclose(list(tried[6].configuration.values()), expected)

    def test_what_diverges_does_not_stop_it(self):
        def wild(eta, lam):
            return np.inf if eta > 1 else self.valley(eta, lam)

        shares = []
        for seed in range(4):
            tried = gaussian_process_search(wild, SPACE, 20, np.random.default_rng(seed))
            shares.append(np.mean([np.isfinite(t.loss) for t in tried[5:]]))
        assert np.mean(shares) > 0.8  # at random it would be 0.6
        lost = gaussian_process_search(lambda eta, lam: np.nan, SPACE, 7, np.random.default_rng(4))
        assert all(t.loss == np.inf for t in lost)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: one(0.0, -1.0, 0.0), "expected_improvement: deviation must"),
        (
            lambda: process_log_evidence(np.eye(2), np.ones(2), 0.0),
            "process_log_evidence: noise must be above 0",
        ),
        (
            lambda: gaussian_process_search(max, {"eta": (1, 0.1)}, 3, np.random.default_rng(0)),
            "gaussian_process_search: space must give eta two positive ends",
        ),
        (
            lambda: gaussian_process_search(max, SPACE, 3, np.random.default_rng(0), start=1),
            "gaussian_process_search: start must be at least 2",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
