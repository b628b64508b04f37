"""Training: losses by their formulas and slopes, one round by hand, and a game that must be won."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chapters_src.core.device import seed
from chapters_src.generative.gan import GAN, critic_loss, fit_gan, game, generator_loss, real_penalty

REAL = torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64)
FAKE = torch.tensor([-0.7, 0.4], dtype=torch.float64)


def small(s=0):
    return GAN(2, 2, (8,), generator=seed(s), dtype=torch.float64)


def rows(n=40):
    return torch.randn(n, 2, generator=seed(1), dtype=torch.float64) + 2


def test_losses_by_formula():
    D, D_fake = torch.sigmoid(REAL), torch.sigmoid(FAKE)
    plain = -(D.log().mean() + (1 - D_fake).log().mean())
    for name in ("saturating", "non-saturating"):
        assert critic_loss(name, REAL, FAKE).item() == pytest.approx(plain.item(), rel=1e-12)
    assert critic_loss("wasserstein", REAL, FAKE).item() == pytest.approx((FAKE.mean() - REAL.mean()).item())
    assert generator_loss("saturating", FAKE).item() == pytest.approx((1 - D_fake).log().mean().item())
    assert generator_loss("non-saturating", FAKE).item() == pytest.approx(-D_fake.log().mean().item())
    assert generator_loss("wasserstein", FAKE).item() == pytest.approx(-FAKE.mean().item())


@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("saturating", lambda s: -torch.sigmoid(s)),
        ("non-saturating", lambda s: torch.sigmoid(s) - 1),
        ("wasserstein", lambda s: -torch.ones_like(s)),
    ],
)
def test_slopes_in_the_logit(name, slope):
    s = torch.linspace(-6, 6, 13, dtype=torch.float64, requires_grad=True)
    by_torch = torch.autograd.grad(13 * generator_loss(name, s), s)[0]
    h = 1e-6
    by_differences = [
        13 * (generator_loss(name, s + e) - generator_loss(name, s - e)).item() / (2 * h)
        for e in h * torch.eye(13, dtype=torch.float64)
    ]
    assert by_torch.numpy() == pytest.approx(slope(s.detach()).numpy(), abs=1e-12)
    assert by_torch.numpy() == pytest.approx(by_differences, abs=1e-8)


def test_huge_logits_stay_finite():
    huge = torch.tensor([-1e4, 1e4], dtype=torch.float64)
    for name in ("saturating", "non-saturating", "wasserstein"):
        assert torch.isfinite(critic_loss(name, huge, huge)) and torch.isfinite(generator_loss(name, huge))


def test_a_round_by_hand():
    """Two steps of D with the penalty at true points, then two of G, with plain torch."""
    X, by_hand, noise = rows(), small(), seed(7)
    adam_D, adam_G = (
        torch.optim.Adam(net.parameters(), lr=0.01, betas=(0.3, 0.9)) for net in (by_hand.D, by_hand.G)
    )
    for _ in range(2):
        real = X[torch.randint(40, (16,), generator=noise)]
        fake = by_hand.draw(16, noise).detach()
        loss_D = (
            -torch.sigmoid(by_hand.D(real)).log().mean() - (1 - torch.sigmoid(by_hand.D(fake))).log().mean()
        )
        loss_D = loss_D + 0.4 * real_penalty(by_hand.D, real)
        adam_D.zero_grad()
        loss_D.backward()
        adam_D.step()
    for _ in range(2):
        loss_G = -torch.sigmoid(by_hand.D(by_hand.draw(16, noise))).log().mean()
        adam_G.zero_grad()
        loss_G.backward()
        adam_G.step()
    model = small()
    rules = game(penalty="real", weight=0.4, steps_D=2, steps_G=2)
    losses = fit_gan(model, X, 1, rules, generator=seed(7), batch_size=16, learning_rate=0.01, momentum=0.3)
    assert losses[0] == pytest.approx([loss_D.item(), loss_G.item()], rel=1e-10)
    for one, other in zip(model.parameters(), by_hand.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-10)


@pytest.mark.parametrize("loss", ["saturating", "non-saturating", "wasserstein"])
def test_a_shifted_gaussian_is_found(loss):
    """Data around (2, 2); before training the generator is around 0."""
    X = 0.3 * torch.randn(400, 2, generator=seed(3), dtype=torch.float64) + 2
    model = GAN(2, 2, (16,), generator=seed(0), dtype=torch.float64)
    rules = game(loss, "between", 1.0, 2) if loss == "wasserstein" else game(loss)
    seen = []
    losses = fit_gan(
        model, X, 250, rules, generator=seed(1), batch_size=64, learning_rate=5e-3, after=seen.append
    )
    assert losses.shape == (250, 2) and np.isfinite(losses).all() and seen == list(range(1, 251))
    with torch.no_grad():
        assert (model.draw(500, seed(2)).mean(dim=0) - 2).norm() < 0.6


def test_the_same_seeds_give_the_same_game():
    first, second = (fit_gan(small(), rows(), 3, game(), generator=seed(1)) for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: game("hinge"), "game: loss must be one of 'saturating'"),
        (lambda: game(penalty="everywhere"), "game: penalty must be one of"),
        (lambda: game(weight=-1.0), "game: weight must be at least 0"),
        (lambda: game(steps_G=0), "game: steps_G must be at least 1"),
        (
            lambda: fit_gan(small(), rows().float(), 1, game(), generator=seed(0)),
            "fit_gan: X must be torch.float64",
        ),
        (
            lambda: fit_gan(small(), rows(), 1, game(), generator=seed(0), momentum=1.0),
            "fit_gan: momentum must be",
        ),
        (
            lambda: fit_gan(small(), rows(), 0, game(), generator=seed(0)),
            "fit_gan: rounds must be at least 1",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
