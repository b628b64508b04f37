"""Softmax, sampling and cross-entropy against torch, scipy, exact values and their own limits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.foundations.information import entropy
from chapters_src.models.logistic import binary_cross_entropy
from chapters_src.models.softmax import (
    cross_entropy,
    cross_entropy_gradient,
    logsumexp,
    one_hot,
    sample_classes,
    smoothed_cross_entropy,
    smoothed_targets,
    softmax,
)

seeds = st.integers(0, 2**32 - 1)


def logits(seed, n=7, K=4, scale=3.0):
    rng = np.random.default_rng(seed)
    return scale * rng.standard_normal((n, K)), rng.integers(0, K, n)


class TestSoftmax:
    @given(seed=seeds, tau=st.floats(0.05, 20))
    @settings(deadline=None)
    def test_against_torch_and_scipy(self, seed, tau):
        a, _ = logits(seed)
        theirs = torch.softmax(torch.tensor(a) / tau, dim=-1).numpy()
        np.testing.assert_allclose(softmax(a, tau), theirs, rtol=1e-10, atol=1e-300)
        np.testing.assert_allclose(logsumexp(a), scipy.special.logsumexp(a, axis=-1), rtol=1e-13)

    @given(seed=seeds, shift=st.floats(-1e6, 1e6))
    def test_only_differences_matter(self, seed, shift):
        a, _ = logits(seed)
        np.testing.assert_allclose(softmax(a + shift), softmax(a), rtol=1e-8)
        np.testing.assert_allclose(logsumexp(a + shift), logsumexp(a) + shift, rtol=1e-12, atol=1e-9)

    @given(seed=seeds, tau=st.floats(0.05, 20))
    def test_rows_lie_on_the_simplex_and_keep_the_order(self, seed, tau):
        a, _ = logits(seed)
        pi = softmax(a, tau)
        np.testing.assert_allclose(pi.sum(axis=-1), 1, rtol=1e-14)
        assert (pi >= 0).all()
        assert (pi.argmax(axis=-1) == a.argmax(axis=-1)).all()

    def test_worked_temperatures(self):
        a = np.array([1.0, 2.0, 4.0])
        for tau, expected in [
            (1, [0.042, 0.114, 0.844]),
            (10, [0.289, 0.320, 0.391]),
            (100, [0.329, 0.332, 0.339]),
            (0.01, [0, 0, 1]),
        ]:
            np.testing.assert_allclose(softmax(a, tau), expected, atol=5e-4)

    def test_numbers_that_do_not_add_up_to_one(self):
        scores = np.array([0.2, 0.3, 0.4])
        np.testing.assert_allclose(softmax(scores), [0.3006, 0.3322, 0.3672], atol=5e-5)

    def test_the_limits(self):
        a = np.array([1.0, 3.0, 3.0])
        with np.errstate(all="raise", under="ignore"):
            np.testing.assert_allclose(softmax(a, 1e-300), [0, 0.5, 0.5])
            np.testing.assert_allclose(softmax(a, 1e300), [1 / 3] * 3)
            np.testing.assert_allclose(softmax(np.array([1e308, -1e308, 0])), [1, 0, 0])

    def test_worked_logsumexp(self):
        assert float(logsumexp(np.array([1000.0, 1001.0, 999.0]))) == pytest.approx(1001.407606, abs=5e-7)
        with np.errstate(all="raise"):
            assert float(logsumexp(np.array([1e308, -1e308]))) == 1e308

    @given(seed=seeds, low=st.floats(0.05, 10), ratio=st.floats(1.01, 5))
    def test_entropy_rises_with_temperature(self, seed, low, ratio):
        a, _ = logits(seed)
        cold, hot = entropy(softmax(a, low)), entropy(softmax(a, low * ratio))
        assert (hot >= cold - 1e-12).all()
        assert (hot <= np.log(4) + 1e-12).all()


class TestSampling:
    @given(seed=seeds, tau=st.sampled_from([0.3, 1.0, 4.0]))
    @settings(deadline=None, max_examples=20)
    def test_frequencies(self, seed, tau):
        """Counts of 20,000 draws lie within five standard deviations of what torch's softmax expects."""
        rng = np.random.default_rng(seed)
        a = rng.normal(size=4)
        drawn = sample_classes(np.tile(a, (20_000, 1)), rng, tau)
        p = torch.softmax(torch.tensor(a) / tau, 0).numpy()
        off = np.bincount(drawn, minlength=4) - 20_000 * p
        assert (np.abs(off) < 5 * np.sqrt(20_000 * p * (1 - p)) + 1).all()

    def test_each_row_has_its_own_distribution(self):
        a = np.where(np.eye(5), 0.0, -1e6)
        np.testing.assert_array_equal(sample_classes(a, np.random.default_rng(0)), range(5))

    def test_probability_zero_is_never_drawn(self):
        class Ends:
            """Stands for the extreme numbers that a generator may return."""

            def random(self, shape):
                return np.array([[0.0], [1 - 2**-53]])

        drawn = sample_classes.__wrapped__(np.array([[-1e6, 0.0, -1e6]] * 2), Ends())
        np.testing.assert_array_equal(drawn, [1, 1])

    def test_is_reproducible(self):
        a, _ = logits(3, n=50)
        first, second = (sample_classes(a, np.random.default_rng(1)) for _ in range(2))
        np.testing.assert_array_equal(first, second)


class TestLosses:
    @given(seed=seeds, scale=st.sampled_from([1.0, 30.0, 1000.0]))
    @settings(deadline=None)
    def test_cross_entropy_against_torch(self, seed, scale):
        a, y = logits(seed, scale=scale)
        t = torch.tensor(a, requires_grad=True)
        theirs = torch.nn.functional.cross_entropy(t, torch.tensor(y))
        theirs.backward()
        assert cross_entropy(a, y) == pytest.approx(theirs.item(), rel=1e-10, abs=1e-12)
        np.testing.assert_allclose(cross_entropy_gradient(a, y), t.grad.numpy(), rtol=1e-10, atol=1e-12)

    @given(seed=seeds)
    def test_gradient_against_differences(self, seed):
        a, y = logits(seed, n=3, K=3, scale=1.0)
        h, gradient = 1e-5, cross_entropy_gradient(a, y)
        for place in np.ndindex(a.shape):
            up, down = a.copy(), a.copy()
            up[place] += h
            down[place] -= h
            slope = (cross_entropy(up, y) - cross_entropy(down, y)) / (2 * h)
            assert gradient[place] == pytest.approx(slope, abs=1e-9)
        np.testing.assert_allclose(gradient.sum(axis=1), 0, atol=1e-15)

    def test_worked_numbers(self):
        assert cross_entropy(np.array([[1.0, 2.0, 0.5]]), [1]) == pytest.approx(0.464369, abs=5e-7)
        assert cross_entropy(np.log([[0.2, 0.5, 0.3]]), [1]) == pytest.approx(np.log(2))
        assert cross_entropy(np.zeros((3, 10)), [0, 4, 9]) == pytest.approx(np.log(10))
        gradient = cross_entropy_gradient(np.array([[0.2, -1.0, 0.5]]), [2])
        np.testing.assert_allclose(gradient, [[0.3772, 0.1136, -0.4908]], atol=5e-5)

    @given(seed=seeds)
    def test_mistakes_are_bounded_by_the_loss(self, seed):
        a, y = logits(seed, n=30)
        assert np.mean(a.argmax(axis=1) != y) <= cross_entropy(a, y) / np.log(2)

    @given(seed=seeds)
    def test_two_classes_are_one_logit(self, seed):
        a, y = logits(seed, K=2)
        binary = binary_cross_entropy(a[:, 1] - a[:, 0], y.astype(float))
        assert cross_entropy(a, y) == pytest.approx(binary, rel=1e-12)


class TestSmoothing:
    @given(seed=seeds, alpha=st.floats(0, 1), scale=st.sampled_from([1.0, 100.0]))
    @settings(deadline=None)
    def test_against_torch(self, seed, alpha, scale):
        a, y = logits(seed, scale=scale)
        theirs = torch.nn.functional.cross_entropy(
            torch.tensor(a), torch.tensor(y), label_smoothing=alpha
        ).item()
        assert smoothed_cross_entropy(a, y, alpha) == pytest.approx(theirs, rel=1e-10, abs=1e-12)

    @given(seed=seeds)
    def test_without_smoothing_it_is_the_cross_entropy(self, seed):
        a, y = logits(seed)
        assert smoothed_cross_entropy(a, y, 0.0) == pytest.approx(cross_entropy(a, y), rel=1e-12)

    def test_least_where_the_probabilities_are_the_targets(self):
        y = np.array([0, 2])
        t = smoothed_targets(y, 3, 0.1)
        np.testing.assert_allclose(t, [[0.9333, 0.0333, 0.0333], [0.0333, 0.0333, 0.9333]], atol=5e-5)
        least = smoothed_cross_entropy(np.log(t), y, 0.1)
        assert least == pytest.approx(scipy.stats.entropy(t[0]))
        rng = np.random.default_rng(0)
        assert all(
            smoothed_cross_entropy(np.log(t) + rng.normal(size=(2, 3)), y, 0.1) > least for _ in range(50)
        )


def test_one_hot_classes_are_equally_far_apart():
    Y = one_hot(np.array([0, 1, 2, 1]), 3)
    np.testing.assert_array_equal(Y, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]])
    assert np.linalg.norm(Y[0] - Y[1]) == np.linalg.norm(Y[0] - Y[2]) == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: logsumexp(3.0), "logsumexp: a must have shape (…, K); got ()"),
        (lambda: softmax([1.0, 2.0], 0), "softmax: temperature must be above 0; got 0"),
        (lambda: softmax([[]]), "softmax: a must not be empty"),
        (lambda: one_hot([0, 3], 3), "one_hot: labels must hold class numbers from 0 to 2; got 3"),
        (lambda: one_hot([0, 0.5], 3), "one_hot: labels must hold whole numbers; got 0.5"),
        (lambda: one_hot([0], 0), "one_hot: K must be at least 1; got 0"),
        (lambda: cross_entropy([1.0, 2.0], [1]), "cross_entropy: a must have two axes"),
        (lambda: cross_entropy([[1.0, 2.0]], [2]), "y must hold class numbers from 0 to 1; got 2"),
        (lambda: cross_entropy_gradient([[1.0, 2.0]], [-1]), "y must hold class numbers from 0 to 1; got -1"),
        (lambda: smoothed_targets([0], 2, 1.5), "smoothing must be at least 0 and at most 1; got 1.5"),
        (lambda: smoothed_cross_entropy([[1.0, 2.0]], [2], 0.1), "y must hold class numbers from 0 to 1"),
        (lambda: sample_classes([[1.0]], 3), "sample_classes: rng must be"),
        (lambda: sample_classes([[1.0]], np.random.default_rng(0), 0), "temperature must be above 0; got 0"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        call()
    assert message in str(caught.value)


def test_arguments_are_left_alone():
    a, y = logits(0)
    before = a.copy(), y.copy()
    softmax(a, 0.5), logsumexp(a), cross_entropy(a, y), cross_entropy_gradient(a, y)
    smoothed_cross_entropy(a, y, 0.1), sample_classes(a, np.random.default_rng(0), 0.5)
    np.testing.assert_array_equal(a, before[0])
    np.testing.assert_array_equal(y, before[1])
