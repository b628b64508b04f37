"""The VAE against torch's distributions, sums over all pictures, quadrature, and probabilistic PCA."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence

from chapters_src.core import device
from chapters_src.generative.elbo import gaussian_posterior, log_evidence
from chapters_src.generative.mixtures import diagonal_gap, fit_ppca
from chapters_src.generative.vae import (
    VAE,
    ancestral_samples,
    binarise,
    elbo,
    elbo_terms,
    fit_vae,
    iwae_bound,
    kl_to_prior,
    reparameterise,
)
from chapters_src.studio.oracle import finite_difference_gradient

torch.set_num_threads(1)
seeds = st.integers(0, 2**32 - 1)


def tensor(value):
    return torch.tensor(np.asarray(value), dtype=torch.float64)


def small(likelihood="bernoulli", d=4, latent=2, hidden=(5,), seed=0, **options):
    return VAE(d, latent, hidden, likelihood=likelihood, generator=device.seed(seed), **options).double()


def coins(n, d, seed=1):
    return torch.randint(0, 2, (n, d), generator=device.seed(seed)).double()


def exact_linear(seed=0, d=6, k=2, n=40):
    """A linear VAE with the parameters of probabilistic PCA, its encoder the true posterior."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.linspace(3, 0.5, d) + 1
    model = fit_ppca(X, k)
    vae = small("gaussian", d=d, latent=k, hidden=())
    mean, covariance = gaussian_posterior(model, np.vstack([np.zeros((1, d)), np.eye(d)]))
    with torch.no_grad():
        vae.decoder[0].weight.copy_(tensor(model.W))
        vae.decoder[0].bias.copy_(tensor(model.mean))
        vae.log_variance.fill_(math.log(model.variance))
        vae.encoder[0].weight.zero_()
        vae.encoder[0].weight[:k] = tensor((mean[1:] - mean[0]).T)
        vae.encoder[0].bias[:k] = tensor(mean[0])
        vae.encoder[0].bias[k:] = tensor(np.log(np.diag(covariance)))
    return vae, tensor(X), model


class TestKl:
    def test_the_worked_number(self):
        """Σ = diag(½, 2), μ = (1, −½): 0.875, and not the 0.5 of a ½ on the trace alone."""
        kl = kl_to_prior(tensor([[1, -0.5]]), tensor([[0.5, 2]]).log())
        assert kl.sum().item() == pytest.approx(0.875, abs=1e-12)

    @given(seeds)
    def test_against_torch(self, seed):
        rng = np.random.default_rng(seed)
        mean, log_variance = tensor(rng.standard_normal((3, 2))), tensor(rng.standard_normal((3, 2)))
        theirs = kl_divergence(Normal(mean, (0.5 * log_variance).exp()), Normal(0.0, 1.0))
        torch.testing.assert_close(kl_to_prior(mean, log_variance), theirs.double())

    @given(st.floats(-5, 5), st.floats(-5, 5))
    def test_never_negative_and_zero_at_the_prior(self, mean, log_variance):
        assert kl_to_prior(tensor([[mean]]), tensor([[log_variance]])).item() >= -1e-20
        assert kl_to_prior(tensor([[0.0]]), tensor([[0.0]])).item() == 0


class TestReparameterise:
    def test_moments(self):
        z = reparameterise(
            tensor([[1.0, -2.0]] * 40_000), tensor([[0.0, math.log(4)]] * 40_000), device.seed(0)
        )
        np.testing.assert_allclose(z.mean(0), [1, -2], atol=0.03)
        np.testing.assert_allclose(z.var(0), [1, 4], rtol=0.03)

    def test_gradient_against_a_formula_and_differences(self):
        mean, log_variance = tensor([[0.3, -1.0]]), tensor([[0.7, -0.4]])

        def total(theta):
            theta = tensor(theta) if isinstance(theta, np.ndarray) else theta
            return (reparameterise(theta[:1], theta[1:], device.seed(3)) ** 3).sum()

        theta = torch.cat([mean, log_variance]).requires_grad_()
        (by_autograd,) = torch.autograd.grad(total(theta), theta)
        by_differences = finite_difference_gradient(lambda t: total(t).item(), theta.detach().numpy())
        np.testing.assert_allclose(by_autograd, by_differences, rtol=1e-8)
        z = reparameterise(mean, log_variance, device.seed(3))
        by_hand = torch.cat([3 * z**2, 3 * z**2 * 0.5 * (z - mean)])  # dz/d log σ² = ½ σ ε
        np.testing.assert_allclose(by_autograd, by_hand, rtol=1e-12)

    def test_the_generator_is_all_the_randomness(self):
        mean, log_variance = torch.zeros(2, 3), torch.zeros(2, 3)
        a, b, c = (reparameterise(mean, log_variance, device.seed(n)) for n in (1, 1, 2))
        assert torch.equal(a, b) and not torch.equal(a, c)
        assert a.dtype == torch.float32


class TestLikelihoods:
    def test_bernoulli_against_torch(self):
        model, X = small(), coins(6, 4)
        z = torch.randn(6, 2, generator=device.seed(2), dtype=torch.float64)
        theirs = Independent(Bernoulli(logits=model.decoder(z)), 1).log_prob(X)
        torch.testing.assert_close(model.log_likelihood(X, z), theirs)
        torch.testing.assert_close(model.decode(z), torch.sigmoid(model.decoder(z)))

    def test_bernoulli_sums_to_one_over_all_pictures(self):
        model = small()
        every = tensor(list(itertools.product([0, 1], repeat=4)))
        z = torch.randn(1, 2, generator=device.seed(2), dtype=torch.float64).expand(16, 2)
        assert model.log_likelihood(every, z).exp().sum().item() == pytest.approx(1, abs=1e-12)

    def test_bernoulli_of_extreme_logits_stays_finite(self):
        model = small(d=2, latent=1, hidden=())
        with torch.no_grad():
            model.decoder[0].bias.copy_(tensor([2000.0, -2000.0]))
        value = model.log_likelihood(tensor([[0.0, 0.0]]), tensor([[0.0]]))
        assert value.item() == pytest.approx(-2000, abs=1e-9)

    def test_gaussian_against_torch(self):
        model = small("gaussian", variance=0.3)
        X, z = (torch.randn(5, k, generator=device.seed(k), dtype=torch.float64) for k in (4, 2))
        theirs = Independent(Normal(model.decoder(z), 0.3**0.5), 1).log_prob(X)
        torch.testing.assert_close(model.log_likelihood(X, z), theirs, rtol=1e-6, atol=1e-6)

    def test_the_decoder_can_start_at_the_average(self):
        p = torch.tensor([0.2, 0.5, 0.9, 0.0])
        model = VAE(4, 2, average=p, generator=device.seed(0))
        start = torch.sigmoid(model.decoder[-1].bias)
        torch.testing.assert_close(start, torch.tensor([0.2, 0.5, 0.9, 0.005]), rtol=1e-4, atol=1e-6)
        gaussian = VAE(4, 2, likelihood="gaussian", average=3 * p, generator=device.seed(0))
        torch.testing.assert_close(gaussian.decoder[-1].bias, 3 * p)

    def test_the_decoder_mirrors_the_encoder(self):
        model = small(d=7, latent=2, hidden=(5, 3))
        widths = [
            [part.in_features for part in net if hasattr(part, "in_features")]
            for net in (model.encoder, model.decoder)
        ]
        assert widths == [[7, 5, 3], [2, 3, 5]]

    def test_only_an_unstated_variance_is_learned(self):
        assert small("gaussian").log_variance.requires_grad
        assert not small("gaussian", variance=2.0).log_variance.requires_grad
        assert not small().log_variance.requires_grad


class TestBounds:
    def test_terms_are_the_definition(self):
        """With the same ε: reconstruction and KL from torch's distributions."""
        model, X = small(), coins(6, 4)
        terms = elbo_terms(model, X, device.seed(9), samples=3)
        mean, log_variance = model.encode(X)
        q, g = Normal(mean, (0.5 * log_variance).exp()), device.seed(9)
        eps = [torch.randn(6, 2, generator=g, dtype=torch.float64) for _ in range(3)]
        logs = [Bernoulli(logits=model.decoder(q.mean + q.stddev * e)).log_prob(X).sum(1) for e in eps]
        torch.testing.assert_close(terms.reconstruction, sum(logs) / 3)
        torch.testing.assert_close(terms.kl, kl_divergence(q, Normal(0.0, 1.0)).sum(1).double())
        for beta in (0.0, 1.0, 4.0):
            expected = terms.reconstruction - beta * terms.kl
            torch.testing.assert_close(elbo(model, X, device.seed(9), samples=3, beta=beta), expected)

    def test_below_the_evidence_which_sums_to_one(self):
        """One latent dimension: log p(x) by quadrature for all 16 pictures."""
        model = small(latent=1)
        every = tensor(list(itertools.product([0, 1], repeat=4)))
        nodes, weights = np.polynomial.hermite_e.hermegauss(90)
        z = tensor(nodes)[:, None]
        p = torch.stack([model.log_likelihood(every, node.expand(16, 1)) for node in z]).exp()  # (90, 16)
        evidence = torch.log(tensor(weights / weights.sum()) @ p)
        assert evidence.exp().sum().item() == pytest.approx(1, abs=1e-6)
        bounds = [
            iwae_bound(model, every, device.seed(3), 1500).mean().item(),
            iwae_bound(model, every.repeat(2000, 1), device.seed(5), 4).mean().item(),
            elbo(model, every.repeat(2000, 1), device.seed(4)).mean().item(),
        ]
        top = evidence.mean().item()
        assert bounds[0] == pytest.approx(top, abs=5e-3)
        assert top > bounds[1] > bounds[2]

    def test_one_sample_is_an_estimate_of_the_elbo(self):
        model, X = small(), coins(3, 4)
        many = X.repeat(4000, 1)
        singles = iwae_bound(model, many, device.seed(0), 1).reshape(4000, 3).mean(0)
        bounds = elbo(model, many, device.seed(1)).reshape(4000, 3).mean(0)
        torch.testing.assert_close(singles, bounds, atol=0.05, rtol=0)

    def test_with_the_true_posterior_every_weight_is_the_evidence(self):
        """p(x|z)p(z)/q(z|x) = p(x) whatever z, so a single sample suffices and nothing is random."""
        vae, X, model = exact_linear()
        evidence = tensor(log_evidence(model, X.numpy()))
        for samples in (1, 7):
            torch.testing.assert_close(iwae_bound(vae, X, device.seed(samples), samples), evidence)
        many = elbo(vae, X, device.seed(0), samples=1000)
        torch.testing.assert_close(many, evidence, atol=0.25, rtol=0)

    def test_turned_columns_cost_the_diagonal_gap(self):
        """The best diagonal q of a turned model: exact means, variances s²/Mᵢᵢ."""
        vae, X, model = exact_linear(k=2)
        c, s = math.cos(0.6), math.sin(0.6)
        R = np.array([[c, -s], [s, c]])
        turned = model._replace(W=model.W @ R)
        mean, _ = gaussian_posterior(turned, np.vstack([np.zeros((1, 6)), np.eye(6)]))
        M = turned.W.T @ turned.W + turned.variance * np.eye(2)
        with torch.no_grad():
            vae.decoder[0].weight.copy_(tensor(turned.W))
            vae.encoder[0].weight[:2] = tensor((mean[1:] - mean[0]).T)
            vae.encoder[0].bias[:2] = tensor(mean[0])
            vae.encoder[0].bias[2:] = tensor(np.log(turned.variance / np.diag(M)))
        gap = log_evidence(model, X.numpy()).mean() - elbo(vae, X, device.seed(0), 1500).mean().item()
        assert gap == pytest.approx(diagonal_gap(turned), abs=0.02)
        assert gap > 0.04

    def test_gradient_of_the_elbo_against_differences(self):
        model, X = small(d=3, hidden=(3,)), coins(4, 3)
        parameters = list(model.parameters())[1:]  # the first is the fixed log-variance
        sizes = [p.numel() for p in parameters]

        def value(theta):
            with torch.no_grad():
                for p, part in zip(parameters, tensor(theta).split(sizes), strict=True):
                    p.copy_(part.reshape(p.shape))
            return elbo(model, X, device.seed(5)).mean()

        theta = torch.cat([p.detach().flatten() for p in parameters]).numpy()
        value(theta).backward()
        by_autograd = torch.cat([p.grad.flatten() for p in parameters]).numpy()
        by_differences = finite_difference_gradient(lambda t: value(t).item(), theta, step=2.0**-9)
        np.testing.assert_allclose(by_autograd, by_differences, rtol=1e-5, atol=1e-7)


class TestTraining:
    def test_a_linear_one_reaches_the_evidence_of_probabilistic_pca(self):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((400, 3)) * [1, 0.7, 0.5] @ rng.standard_normal((3, 6)) / 2
        X = X + 0.3 * rng.standard_normal((400, 6))
        best = log_evidence(fit_ppca(X, 2), X).mean()
        vae = VAE(6, 2, likelihood="gaussian", generator=device.seed(0))
        data = torch.tensor(X, dtype=torch.float32)
        bounds = fit_vae(vae, data, 100, generator=device.seed(1), learning_rate=4e-2, batch_size=50)
        reached = elbo(vae, data, device.seed(2), samples=50).mean().item()
        assert bounds[-1] > bounds[0], "higher is better"
        assert best - 0.01 * abs(best) <= reached <= best + 0.001 * abs(best)

    def test_grey_pictures_are_binarised_anew(self):
        """Pixels of probability ½ cannot be predicted: the bound is −d log 2 however long one trains."""
        model = VAE(5, 1, (4,), generator=device.seed(0))
        bounds = fit_vae(model, torch.full((400, 5), 0.5), 12, generator=device.seed(1), learning_rate=1e-2)
        assert bounds[-1] == pytest.approx(-5 * math.log(2), abs=0.1)

    def test_training_sees_zeros_and_ones_and_new_ones_each_time(self):
        seen = []

        class Watched(VAE):
            def log_likelihood(self, X, z):
                seen.append(X.clone())
                return super().log_likelihood(X, z)

        model = Watched(5, 1, generator=device.seed(0))
        fit_vae(model, torch.full((30, 5), 0.5), 2, generator=device.seed(1), batch_size=30)
        assert len(seen) == 2 and not torch.equal(*seen)
        assert all(set(X.unique().tolist()) == {0.0, 1.0} for X in seen)

    def test_a_large_beta_collapses(self):
        X = coins(200, 1).expand(200, 4).float().contiguous()  # four copies of one coin: one bit to carry
        kls = []
        for beta in (0.2, 20.0):
            model = VAE(4, 1, (8,), generator=device.seed(0))
            fit_vae(model, X, 60, generator=device.seed(1), beta=beta, learning_rate=4e-2, batch_size=100)
            kls.append(elbo_terms(model, X, device.seed(2)).kl.mean().item())
        assert kls[0] > 0.5 and kls[1] < 0.01

    def test_a_bound_in_float32_and_reproducible(self):
        X = torch.rand(40, 4, generator=device.seed(0))
        first, second = (
            fit_vae(VAE(4, 2, (3,), generator=device.seed(0)), X, 2, generator=device.seed(1)) for _ in "ab"
        )
        np.testing.assert_array_equal(first, second)


class TestSamples:
    def test_moments_of_a_linear_model(self):
        vae, _, model = exact_linear()
        x = ancestral_samples(vae, 60_000, device.seed(0)).numpy()
        C = model.W @ model.W.T + model.variance * np.eye(6)
        np.testing.assert_allclose(x.mean(0), model.mean, atol=0.06)
        np.testing.assert_allclose(np.cov(x.T), C, atol=0.15)
        means = ancestral_samples(vae, 60_000, device.seed(0), noise=False).numpy()
        np.testing.assert_allclose(np.cov(means.T), model.W @ model.W.T, atol=0.15)

    def test_bernoulli_draws_and_their_probabilities(self):
        model = small()
        p = ancestral_samples(model, 50, device.seed(0), noise=False)
        x = ancestral_samples(model, 50, device.seed(0))
        assert ((p > 0) & (p < 1)).all() and set(x.unique().tolist()) == {0.0, 1.0}
        assert not x.requires_grad

    def test_binarise(self):
        X = torch.tensor([[0.0, 0.25, 1.0]]).expand(20_000, 3)
        np.testing.assert_allclose(binarise(X, device.seed(0)).mean(0), [0, 0.25, 1], atol=0.01)


@pytest.mark.parametrize("likelihood", ["bernoulli", "gaussian"])
def test_on_the_meta_device(likelihood):
    model = VAE(6, 2, [4], likelihood=likelihood, generator=device.seed(0), device="meta")
    X, g = torch.empty(3, 6, device="meta"), device.seed(0, "meta")
    values = elbo(model, X, g, samples=2)
    values.mean().backward()
    assert values.device.type == "meta" and values.shape == (3,)
    assert all(p.grad is not None for p in model.encoder.parameters())
    assert iwae_bound(model, X, g, 3).device.type == "meta"
    assert ancestral_samples(model, 4, g).device.type == "meta"
    assert binarise(X, g).device.type == "meta"


g, GREY = device.seed(0), torch.full((2, 4), 0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: VAE(4, 2, likelihood="poisson", generator=g),
            r"^VAE: likelihood must be one of 'bernoulli', 'gaussian'; got 'poisson'$",
        ),
        (lambda: VAE(4, 2, variance=1.0, generator=g), r"^VAE: variance must go with a gaussian likelihood"),
        (
            lambda: VAE(4, 2, average=torch.ones(3), generator=g),
            r"^VAE: average must have shape \(4,\); got \(3,\)$",
        ),
        (
            lambda: VAE(4, 2, average=0.5, generator=g),
            r"^VAE: average must be a tensor of floats, shape \(4,\); got a float$",
        ),
        (
            lambda: VAE(2, 2, average=torch.tensor([0.5, 1.5]), generator=g),
            r"^VAE: average must hold grey values from 0 to 1; got 0.5 to 1.5$",
        ),
        (
            lambda: small().encode(tensor([[math.nan] * 4])),
            r"^encode: X must be finite; got NaN or inf$",
        ),
        (
            lambda: small().encode(coins(2, 3)),
            r"^encode: X must have shape \(n, 4\); got \(2, 3\)$",
        ),
        (
            lambda: VAE(4, 2, likelihood="gaussian", variance=0, generator=g),
            r"^VAE: variance must be above 0; got 0$",
        ),
        (
            lambda: elbo(small(), GREY.double(), g),
            r"^elbo: X must hold 0 and 1 alone, because a Bernoulli gives grey values no probability",
        ),
        (
            lambda: elbo(small().float(), coins(2, 4), g),
            r"^elbo: X must be torch.float32 on cpu, as the model is; got torch.float64 on cpu$",
        ),
        (
            lambda: fit_vae(small().float(), coins(2, 4), 1, generator=g),
            r"^fit_vae: X must be torch.float32 on cpu, as the model is; got torch.float64 on cpu$",
        ),
        (lambda: elbo(small(), coins(2, 3), g), r"^elbo: X must have shape \(n, 4\)"),
        (lambda: elbo(small(), coins(2, 4), g, samples=0), r"^elbo: samples must be at least 1; got 0$"),
        (lambda: elbo(small(), coins(2, 4), g, beta=-1), r"^elbo: beta must be at least 0; got -1$"),
        (lambda: elbo(None, coins(2, 4), g), r"^elbo: model must be a VAE; got None$"),
        (
            lambda: iwae_bound(small(), coins(2, 4), None, 3),
            r"^iwae_bound: generator must be a torch.Generator",
        ),
        (
            lambda: kl_to_prior(torch.ones(2, 3), torch.ones(3, 2)),
            r"^kl_to_prior: log_variance must have shape \(2, 3\), the shape of mean; got \(3, 2\)$",
        ),
        (
            lambda: reparameterise([1.0], torch.ones(1), g),
            r"^reparameterise: mean must be a tensor of floats, shape \(n, k\); got a list$",
        ),
        (
            lambda: fit_vae(small(), 255 * GREY.double(), 1, generator=g),
            r"^binarise: X must hold grey values from 0 to 1; got 127.5 to 127.5$",
        ),
        (
            lambda: fit_vae(small(), GREY, 1, generator=None),
            r"^fit_vae: generator must be a torch.Generator",
        ),
        (lambda: ancestral_samples(small(), 0, g), r"^ancestral_samples: n must be at least 1; got 0$"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


bad = st.one_of(st.none(), st.text(max_size=3), st.booleans(), st.integers(max_value=-1), st.just(math.nan))


@settings(max_examples=30)
@given(bad)
def test_nonsense_is_refused(value):
    model, X = small(), coins(2, 4)
    for call in (
        lambda: VAE(value, 2, generator=g),
        lambda: VAE(2, value, generator=g),
        lambda: VAE(2, 2, generator=value),
        lambda: VAE(2, 2, likelihood=value, generator=g),
        lambda: elbo(value, X, g),
        lambda: elbo(model, value, g),
        lambda: elbo(model, X, value),
        lambda: elbo(model, X, g, value),
        lambda: elbo(model, X, g, 1, value),
        lambda: elbo_terms(model, value, g),
        lambda: iwae_bound(model, X, g, value),
        lambda: kl_to_prior(value, X),
        lambda: reparameterise(X, value, g),
        lambda: binarise(value, g),
        lambda: fit_vae(value, X, 1, generator=g),
        lambda: fit_vae(model, X, value, generator=g),
        lambda: ancestral_samples(model, value, g),
        lambda: model.decode(value),
        lambda: model.encode(value),
    ):
        with pytest.raises(ValueError, match=r"^\w+: \w+ must "):
            call()
