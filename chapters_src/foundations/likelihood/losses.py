"""Minus the logarithm of the probability, or density, that a model gave to what happened, in nats.

Each function takes raw outputs of a model, which may be any real numbers, and returns a loss per example.
"""

from __future__ import annotations

from typing import Any

import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import Ask, between
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.tensor_readers import like
from chapters_src.foundations.information import LOG_2PI

__all__ = ["bernoulli_nll", "beta_nll", "categorical_nll", "gaussian_nll", "poisson_nll"]


def _zero_or_one(ask: Ask, y: Any) -> Any:
    if y.device.type == "cpu" and not ((y == 0) | (y == 1)).all():
        ask.fail("hold only 0 and 1", f"{y[(y != 0) & (y != 1)].flatten()[0]:g}")
    return y


def _counts(ask: Ask, y: Any) -> Any:
    if y.device.type == "cpu" and not ((y >= 0) & (y == y.round())).all():
        ask.fail("hold counts 0, 1, 2, …", f"{y[(y < 0) | (y != y.round())].flatten()[0]:g}")
    return y


def _classes(ask: Ask, y: Any) -> Any:
    K = ask.arguments["logits"].shape[-1]
    if y.device.type == "cpu" and not ((y >= 0) & (y < K)).all():
        ask.fail(f"hold classes from 0 to {K - 1}", f"{y[(y < 0) | (y >= K)].flatten()[0]}")
    return y


@checked(y=like("mean"), log_variance=like("mean"))
def gaussian_nll(
    mean: Float[Tensor, "*shape"], log_variance: Float[Tensor, "*shape"], y: Float[Tensor, "*shape"]
) -> Float[Tensor, "*shape"]:
    """The loss of real numbers y whose distribution is N(μ, σ²), with s = log σ².

    ℓ = ½ [log 2π + s + (y − μ)² e⁻ˢ]                 {eq}`eq-likelihood-gaussian`
    """
    return 0.5 * (LOG_2PI + log_variance + (y - mean) ** 2 * torch.exp(-log_variance))


@checked(y=_zero_or_one)
def bernoulli_nll(logit: Float[Tensor, "*shape"], y: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The loss of labels y, 0 or 1, where 1 has the probability σ(a).

    ℓ = log(1 + e⁽¹⁻²ʸ⁾ᵃ)                             {eq}`eq-likelihood-bernoulli`
    """
    return torch.logaddexp(torch.zeros_like(logit), (1 - 2 * y) * logit)


@checked(y=_classes)
def categorical_nll(logits: Float[Tensor, "n K"], y: Int[Tensor, "n"]) -> Float[Tensor, "n"]:
    """The loss of classes y from 0 to K − 1, where class k has the probability softmax(a)ₖ.

    ℓ = log Σₖ e^{aₖ} − a_y                           {eq}`eq-likelihood-categorical`
    """
    own = logits.gather(-1, y[:, None])[:, 0]
    return torch.logsumexp(logits, -1) - own


@checked(y=_counts)
def poisson_nll(log_rate: Float[Tensor, "*shape"], y: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The loss of counts y whose distribution is Poisson with the rate eᵃ.

    ℓ = eᵃ − ya + log y!                              {eq}`eq-likelihood-poisson`
    """
    return torch.exp(log_rate) - y * log_rate + torch.lgamma(y + 1)


@checked(y=like("mean"), log_variance=like("mean"), beta=between(0, 1))
def beta_nll(
    mean: Float[Tensor, "*shape"],
    log_variance: Float[Tensor, "*shape"],
    y: Float[Tensor, "*shape"],
    beta: float,
) -> Float[Tensor, "*shape"]:
    """The Gaussian loss with each example weighted by σ²ᵝ, a weight that is not differentiated.

    ℓ_β = ⌊σ²ᵝ⌋ ℓ                                     {eq}`eq-likelihood-beta`

    β = 0 is `gaussian_nll`; with β = 1 the mean gets the gradient of half the squared error.
    """
    weight = torch.exp(beta * log_variance).detach()
    return weight * gaussian_nll(mean, log_variance, y)
