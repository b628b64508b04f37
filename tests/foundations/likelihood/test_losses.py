"""The losses against torch's own, scipy's distributions and numbers worked by hand."""

import math
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from torch.nn import functional as F

from chapters_src.foundations.likelihood import (
    bernoulli_nll,
    beta_nll,
    categorical_nll,
    gaussian_nll,
    poisson_nll,
)

rng = np.random.default_rng(0)


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


MEAN, LOG_VARIANCE, Y = (tensor(rng.normal(size=(5, 3))) for _ in range(3))
COINS = tensor(rng.integers(0, 2, (5, 3)))
COUNTS = tensor(rng.poisson(3.0, (5, 3)))
CLASSES = torch.tensor(rng.integers(0, 3, 5))

# --- oracles that share no code


def test_gaussian_against_scipy_and_torch():
    ours = gaussian_nll(MEAN, LOG_VARIANCE, Y)
    theirs = -stats.norm(MEAN.numpy(), np.exp(LOG_VARIANCE.numpy() / 2)).logpdf(Y.numpy())
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    full = F.gaussian_nll_loss(MEAN, Y, LOG_VARIANCE.exp(), full=True, reduction="none")
    torch.testing.assert_close(ours, full)


def test_bernoulli_against_scipy_and_torch():
    ours = bernoulli_nll(MEAN, COINS)
    yes = 1 / (1 + np.exp(-MEAN.numpy()))
    np.testing.assert_allclose(ours, -stats.bernoulli(yes).logpmf(COINS.numpy()), rtol=1e-12)
    torch.testing.assert_close(
        ours, F.binary_cross_entropy_with_logits(MEAN, COINS, reduction="none"), rtol=1e-12, atol=1e-15
    )


def test_categorical_against_torch_and_fractions():
    torch.testing.assert_close(
        categorical_nll(MEAN, CLASSES), F.cross_entropy(MEAN, CLASSES, reduction="none")
    )
    p = np.exp(MEAN.numpy())
    by_hand = -np.log([row[k] / row.sum() for row, k in zip(p, CLASSES, strict=True)])
    np.testing.assert_allclose(categorical_nll(MEAN, CLASSES), by_hand, rtol=1e-12)


def test_poisson_against_scipy():
    ours = poisson_nll(MEAN, COUNTS)
    np.testing.assert_allclose(ours, -stats.poisson(np.exp(MEAN.numpy())).logpmf(COUNTS.numpy()), rtol=1e-12)


# --- worked numbers


def test_worked_numbers():
    assert categorical_nll(tensor([[1.0, 2.0, 0.5]]), torch.tensor([1])).item() == pytest.approx(
        0.464369, abs=1e-6
    )
    shares = tensor([[0.2, 0.5, 0.3]]).log()
    assert categorical_nll(shares, torch.tensor([1])).item() == pytest.approx(math.log(2))
    assert bernoulli_nll(tensor(0.0), tensor(1.0)).item() == pytest.approx(math.log(2))
    assert poisson_nll(tensor(0.0), tensor(0.0)).item() == 1.0
    assert gaussian_nll(tensor(3.0), tensor(0.0), tensor(3.0)).item() == pytest.approx(
        0.5 * math.log(2 * math.pi)
    )


def test_extreme_outputs_neither_overflow_nor_lose_their_digits():
    assert bernoulli_nll(tensor([800.0, -800.0]), tensor([0.0, 1.0])).tolist() == [800.0, 800.0]
    assert bernoulli_nll(tensor(40.0), tensor(1.0)).item() == pytest.approx(math.exp(-40.0), rel=1e-12)
    assert categorical_nll(tensor([[1000.0, 0.0]]), torch.tensor([1])).item() == 1000.0


# --- invariants


@pytest.mark.parametrize(
    ("loss", "outputs", "y", "mean"),
    [
        (lambda a, y: gaussian_nll(a, torch.zeros_like(a), y), MEAN, Y, lambda a: a),
        (bernoulli_nll, MEAN, COINS, torch.sigmoid),
        (poisson_nll, MEAN, COUNTS, torch.exp),
    ],
)
def test_the_slope_is_the_predicted_mean_minus_what_happened(loss, outputs, y, mean):
    a = outputs.clone().requires_grad_()
    loss(a, y).sum().backward()
    torch.testing.assert_close(a.grad, mean(outputs) - y)


def test_the_slope_of_the_categorical_loss_and_by_differences():
    a = MEAN.clone().requires_grad_()
    categorical_nll(a, CLASSES).sum().backward()
    torch.testing.assert_close(a.grad, torch.softmax(MEAN, -1) - F.one_hot(CLASSES, 3))
    assert torch.autograd.gradcheck(lambda logits: categorical_nll(logits, CLASSES), a)


@given(
    shift=st.floats(-50, 50),
    logits=st.lists(st.floats(-20, 20), min_size=2, max_size=6),
)
def test_a_constant_added_to_all_logits_changes_nothing(shift, logits):
    a, y = tensor([logits]), torch.tensor([0])
    assert categorical_nll(a + shift, y).item() == pytest.approx(categorical_nll(a, y).item(), abs=1e-11)


@given(a=st.floats(-30, 30), rate=st.floats(-3, 3))
def test_probabilities_add_up_to_one(a, rate):
    both = bernoulli_nll(tensor([a, a]), tensor([0.0, 1.0]))
    assert torch.exp(-both).sum().item() == pytest.approx(1.0, rel=1e-12)
    counts = torch.arange(120, dtype=torch.float64)
    assert torch.exp(-poisson_nll(torch.full_like(counts, rate), counts)).sum().item() == pytest.approx(1.0)


# --- the weighted loss


def gradients(beta):
    mean, s = MEAN.clone().requires_grad_(), LOG_VARIANCE.clone().requires_grad_()
    beta_nll(mean, s, Y, beta).sum().backward()
    return mean.grad, s.grad


@pytest.mark.parametrize("beta", [0.0, 0.3, 0.5, 1.0])
def test_the_weight_multiplies_both_slopes_and_is_not_differentiated(beta):
    weight, variance = torch.exp(beta * LOG_VARIANCE), LOG_VARIANCE.exp()
    by_mean, by_log_variance = gradients(beta)
    torch.testing.assert_close(by_mean, weight * (MEAN - Y) / variance)
    torch.testing.assert_close(by_log_variance, weight * 0.5 * (1 - (Y - MEAN) ** 2 / variance))


def test_its_ends_are_the_likelihood_and_half_the_squared_error():
    torch.testing.assert_close(beta_nll(MEAN, LOG_VARIANCE, Y, 0.0), gaussian_nll(MEAN, LOG_VARIANCE, Y))
    torch.testing.assert_close(gradients(1.0)[0], MEAN - Y)


# --- messages


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bernoulli_nll(MEAN, COINS + 0.5), "bernoulli_nll: y must hold only 0 and 1; got "),
        (lambda: poisson_nll(MEAN, COUNTS - 9), "poisson_nll: y must hold counts 0, 1, 2, …; got -"),
        (lambda: poisson_nll(MEAN, COUNTS + 0.5), "poisson_nll: y must hold counts"),
        (
            lambda: categorical_nll(MEAN, CLASSES + 3),
            "categorical_nll: y must hold classes from 0 to 2; got ",
        ),
        (
            lambda: categorical_nll(MEAN, CLASSES - 3),
            "categorical_nll: y must hold classes from 0 to 2; got -",
        ),
        (lambda: gaussian_nll(MEAN, LOG_VARIANCE, Y[:, :1]), "gaussian_nll: y must have shape"),
        (lambda: gaussian_nll(MEAN, LOG_VARIANCE.float(), Y), "gaussian_nll: log_variance must be"),
        (lambda: beta_nll(MEAN, LOG_VARIANCE, Y, 1.5), "beta_nll: beta must be at least 0 and at most 1"),
    ],
)
def test_messages(call, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call()
