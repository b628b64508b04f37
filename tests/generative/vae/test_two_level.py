"""Two levels against a linear model with a known evidence, quadrature, and torch's distributions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal
from torch.distributions import Bernoulli, Normal, kl_divergence

from chapters_src.core import device
from chapters_src.generative.vae import (
    VAE,
    elbo,
    fit_two_level,
    fit_vae,
    two_level_samples,
    two_level_terms,
)
from chapters_src.studio.oracle import finite_difference_gradient

torch.set_num_threads(1)


def pair(d=4, lower=2, upper=1, seed=0):
    low = VAE(d, lower, (5,), generator=device.seed(seed)).double()
    up = VAE(lower, upper, (3,), likelihood="gaussian", generator=device.seed(seed + 1)).double()
    return low, up


def coins(n, d, seed=1):
    return torch.randint(0, 2, (n, d), generator=device.seed(seed)).double()


def exact_linear():
    """z₂ ~ N(0, 1), z₁ = ½z₂ + noise(0.3), x = 2z₁ + 1 + noise(0.7), with exact posteriors as encoders."""
    low = VAE(1, 1, likelihood="gaussian", variance=0.7, generator=device.seed(0)).double()
    up = VAE(1, 1, likelihood="gaussian", variance=0.3, generator=device.seed(1)).double()
    prior = 0.25 + 0.3  # the variance of z₁
    gain, below = 2 * prior / (4 * prior + 0.7), prior * 0.7 / (4 * prior + 0.7)
    with torch.no_grad():
        for net, (w, b) in zip((low.decoder, up.decoder), ((2.0, 1.0), (0.5, 0.0)), strict=True):
            net[0].weight.fill_(w), net[0].bias.fill_(b)
        for model, slope, offset, variance in (
            (low, gain, -gain, below),
            (up, 0.5 / prior, 0.0, 0.3 / prior),
        ):
            model.encoder[0].weight.copy_(torch.tensor([[slope], [0.0]]))
            model.encoder[0].bias.copy_(torch.tensor([offset, math.log(variance)]))
        low.log_variance.fill_(math.log(0.7)), up.log_variance.fill_(math.log(0.3))
    return low, up, multivariate_normal(1.0, 4 * prior + 0.7)


def test_with_the_exact_posteriors_the_bound_is_the_evidence():
    low, up, evidence = exact_linear()
    X = torch.linspace(-3, 4, 5, dtype=torch.float64)[:, None]
    terms = two_level_terms(low, up, X.repeat(20_000, 1), device.seed(3))
    bound = terms.elbo.detach().reshape(20_000, 5).mean(0)
    np.testing.assert_allclose(bound, evidence.logpdf(X[:, 0]), atol=0.03)


def test_below_the_evidence_by_quadrature_over_both_codes():
    """One number per level: p(x) of all 16 pictures by a double sum; it adds up to 1."""
    low, up = pair(lower=1)
    every = torch.tensor(list(itertools.product([0.0, 1.0], repeat=4)), dtype=torch.float64)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = torch.tensor(np.outer(weights, weights).ravel() / weights.sum() ** 2)
    e1, e2 = (torch.tensor(part.ravel())[:, None] for part in np.meshgrid(nodes, nodes))
    z1 = up.decode(e2) + (0.5 * up.log_variance).exp() * e1
    p = torch.stack([low.log_likelihood(x.expand(len(z1), 4), z1).exp() @ weights for x in every])
    assert p.sum().item() == pytest.approx(1, abs=1e-6)
    bound = two_level_terms(low, up, every.repeat(4000, 1), device.seed(2)).elbo.reshape(4000, 16).mean(0)
    assert (bound < p.log() + 0.02).all()
    assert (p.log() - bound).mean().item() > 0.01


def test_terms_are_the_definition():
    """With the same noise: every density from torch's distributions."""
    (low, up), X = pair(), coins(6, 4)
    terms = two_level_terms(low, up, X, device.seed(9))
    g = device.seed(9)
    q1 = Normal(*_mean_and_spread(low, X))
    z1 = q1.mean + q1.stddev * torch.randn(6, 2, generator=g, dtype=torch.float64)
    q2 = Normal(*_mean_and_spread(up, z1))
    z2 = q2.mean + q2.stddev * torch.randn(6, 1, generator=g, dtype=torch.float64)
    below = Normal(up.decoder(z2), (0.5 * up.log_variance).exp())
    torch.testing.assert_close(terms.reconstruction, Bernoulli(logits=low.decoder(z1)).log_prob(X).sum(1))
    torch.testing.assert_close(terms.lower, (q1.log_prob(z1) - below.log_prob(z1)).sum(1))
    torch.testing.assert_close(terms.upper, kl_divergence(q2, Normal(0.0, 1.0)).sum(1).double())
    torch.testing.assert_close(terms.elbo, terms.reconstruction - terms.lower - terms.upper)


def _mean_and_spread(model, X):
    mean, log_variance = model.encode(X)
    return mean, (0.5 * log_variance).exp()


def test_gradient_against_differences():
    """Both networks of both levels, the pixels' and the codes'."""
    (low, up), X = pair(d=3), coins(4, 3)
    parameters = [p for model in (low, up) for p in model.parameters() if p.requires_grad]
    sizes = [p.numel() for p in parameters]

    def value(theta):
        with torch.no_grad():
            for p, part in zip(parameters, torch.tensor(theta).split(sizes), strict=True):
                p.copy_(part.reshape(p.shape))
        return two_level_terms(low, up, X, device.seed(5)).elbo.mean()

    theta = torch.cat([p.detach().flatten() for p in parameters]).numpy()
    value(theta).backward()
    by_autograd = torch.cat([p.grad.flatten() for p in parameters]).numpy()
    by_differences = finite_difference_gradient(lambda t: value(t).item(), theta, step=2.0**-9)
    np.testing.assert_allclose(by_autograd, by_differences, rtol=1e-5, atol=1e-6)


def test_two_levels_beat_one_on_a_code_that_is_not_gaussian():
    """Three groups of pictures: a prior made of a second VAE can have three humps."""
    rng = np.random.default_rng(0)
    groups = np.eye(3)[rng.integers(0, 3, 600)].repeat(4, axis=1)
    X = torch.tensor(np.abs(groups - (rng.random(groups.shape) < 0.02)), dtype=torch.float32)
    options = {"learning_rate": 2e-2, "batch_size": 100}
    one = VAE(12, 2, (16,), generator=device.seed(0))
    fit_vae(one, X, 60, generator=device.seed(1), **options)
    low = VAE(12, 2, (16,), generator=device.seed(0))
    up = VAE(2, 2, (16,), likelihood="gaussian", generator=device.seed(2))
    curve = fit_two_level(low, up, X, 60, generator=device.seed(1), **options)
    assert curve.shape == (60,) and curve[-1] > curve[0]
    single = elbo(one, X, device.seed(3), samples=20).mean().item()
    double = np.mean([two_level_terms(low, up, X, device.seed(k)).elbo.mean().item() for k in range(20)])
    assert double > single


def test_samples_come_from_the_top_down():
    low, up, evidence = exact_linear()
    x = two_level_samples(low, up, 20_000, device.seed(0), m=2)
    assert x.shape == (20_000, 2, 1) and not x.requires_grad
    np.testing.assert_allclose(x.mean().item(), evidence.mean[0], atol=0.03)
    centred = x[..., 0] - 1
    np.testing.assert_allclose((centred**2).mean().item(), 4 * 0.55, rtol=0.03)  # E[x|z₁] has no pixel noise
    np.testing.assert_allclose((centred[:, 0] * centred[:, 1]).mean().item(), 4 * 0.25, rtol=0.05)


def test_on_the_meta_device():
    low = VAE(6, 2, [4], generator=device.seed(0), device="meta")
    up = VAE(2, 1, likelihood="gaussian", generator=device.seed(0), device="meta")
    X, g = torch.empty(3, 6, device="meta"), device.seed(0, "meta")
    assert two_level_terms(low, up, X, g).elbo.device.type == "meta"
    assert two_level_samples(low, up, 2, g, m=3).shape == (2, 3, 6)


g = device.seed(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: two_level_terms(pair()[0], VAE(2, 1, generator=g), coins(2, 4), g),
            r"^two_level_terms: upper must have a gaussian likelihood; got 'bernoulli'$",
        ),
        (
            lambda: two_level_terms(pair()[0], pair(lower=3)[1], coins(2, 4), g),
            r"^two_level_terms: upper must be a VAE of 2 numbers, the code of model; got 3$",
        ),
        (
            lambda: two_level_terms(pair()[0], pair()[1].float(), coins(2, 4), g),
            r"^two_level_terms: upper must be torch.float64 on cpu, as model is; got torch.float32 on cpu$",
        ),
        (
            lambda: two_level_terms(*pair(), coins(2, 4).float(), g),
            r"^two_level_terms: X must be torch.float64 on cpu, as the model is; got torch.float32 on cpu$",
        ),
        (
            lambda: two_level_terms(*pair(), 0.5 * coins(2, 4) + 0.25, g),
            r"^two_level_terms: X must hold 0 and 1 alone",
        ),
        (
            lambda: fit_two_level(*pair(), 300 * coins(2, 4), 1, generator=g),
            r"^binarise: X must hold grey values from 0 to 1",
        ),
        (
            lambda: fit_two_level(*pair(), coins(2, 4), 0, generator=g),
            r"^fit_two_level: epochs must be at least 1; got 0$",
        ),
        (
            lambda: two_level_samples(*pair(), 0, g),
            r"^two_level_samples: n must be at least 1; got 0$",
        ),
        (
            lambda: two_level_samples(pair()[0], None, 1, g),
            r"^two_level_samples: upper must be a VAE; got None$",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
