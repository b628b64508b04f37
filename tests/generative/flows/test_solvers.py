"""Solvers, traces and densities along a velocity: against linear equations with exact solutions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.stats import multivariate_normal

from chapters_src.core.device import seed
from chapters_src.generative.flows import (
    VelocityNetwork,
    divergence,
    estimated_divergence,
    matching_loss,
    ode_log_density,
    straight_velocity,
    trajectory,
)

torch.set_num_threads(1)
A = torch.tensor([[0.3, -1.2, 0.4], [0.9, -0.5, 0.0], [0.2, 0.1, 0.6]], dtype=torch.float64)


def turning(x, t):
    return x @ A.T * (1 + t)  # the solution from 0 to 1 is expm(1.5 A)


def bent(x, t):
    return torch.sin(2 * x.roll(1, dims=1) + t) + 0.3 * x * t


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("midpoint", 2), ("runge-kutta", 4)])
def test_order_of_the_solvers(method, order):
    x = torch.randn(4, 3, generator=seed(0), dtype=torch.float64)
    exact = x @ torch.tensor(expm(1.5 * A.numpy())).T
    off = [(trajectory(turning, x, n, method)[-1] - exact).norm().item() for n in (20, 40)]
    assert np.log2(off[0] / off[1]) == pytest.approx(order, abs=0.15)


def test_against_scipy_and_back():
    x = torch.randn(3, 2, generator=seed(1), dtype=torch.float64)
    path = trajectory(bent, x, 100, "runge-kutta")
    assert path.shape == (101, 3, 2) and torch.equal(path[0], x)
    for row, end in zip(x, path[-1], strict=True):
        f = lambda t, y: bent(torch.tensor(y)[None], t)[0].numpy()  # noqa: E731
        np.testing.assert_allclose(
            end, solve_ivp(f, (0, 1), row.numpy(), rtol=1e-10, atol=1e-12).y[:, -1], atol=1e-7
        )
    back = trajectory(bent, path[-1], 100, "runge-kutta", 1.0, 0.0)[-1]
    np.testing.assert_allclose(back, x, atol=1e-6)


def test_a_step_by_hand():
    x = torch.tensor([[2.0]])
    v = lambda x, t: x + t  # noqa: E731
    assert trajectory(v, x, 1, "euler")[-1].item() == 4
    assert trajectory(v, x, 1, "midpoint")[-1].item() == 2 + (3 + 0.5)


def test_divergence():
    x = torch.randn(5, 3, generator=seed(2), dtype=torch.float64)
    np.testing.assert_allclose(divergence(turning, x, 0.5), 1.5 * A.trace().expand(5))
    J = [torch.autograd.functional.jacobian(lambda one: bent(one[None], 0.3)[0], row) for row in x]
    np.testing.assert_allclose(divergence(bent, x, 0.3), [one.trace() for one in J], atol=1e-12)


def test_hutchinson_is_unbiased_and_has_the_known_variance():
    """Var εᵀAε = ½ Σ_{i≠j} (Aᵢⱼ + Aⱼᵢ)² for random signs."""
    x = torch.zeros(20_000, 3, dtype=torch.float64)
    guesses = estimated_divergence(turning, x, 0.0, seed(3))
    S = A + A.T
    variance = 0.5 * (S**2).sum() - 0.5 * (S.diagonal() ** 2).sum()
    assert guesses.var().item() == pytest.approx(variance.item(), rel=0.03)
    assert guesses.mean().item() == pytest.approx(A.trace().item(), abs=4 * (variance / 20_000).sqrt().item())
    fewer = estimated_divergence(turning, x, 0.0, seed(4), probes=4).var()
    assert fewer.item() == pytest.approx(variance.item() / 4, rel=0.05)


def test_log_density_of_a_linear_flow():
    x = torch.randn(6, 3, generator=seed(5), dtype=torch.float64)
    E = expm(1.5 * A.numpy())
    exact = multivariate_normal(np.zeros(3), E @ E.T).logpdf(x)
    np.testing.assert_allclose(ode_log_density(turning, x, 40), exact, atol=1e-6)
    guess = lambda v, x, t: estimated_divergence(v, x, t, seed(6), probes=2)  # noqa: E731
    many = x[:1].expand(4000, 3)
    found = ode_log_density(turning, many, 5, "midpoint", guess)
    assert found.mean().item() == pytest.approx(exact[0], abs=0.1)


def test_carried_density_integrates_to_one():
    side = torch.linspace(-8, 8, 200, dtype=torch.float64)
    total = ode_log_density(bent, torch.cartesian_prod(side, side), 10).exp().sum() * (16 / 199) ** 2
    assert total.item() == pytest.approx(1, abs=1e-3)


def test_unknown_solvers_are_refused():
    with pytest.raises(
        ValueError, match=r"^trajectory: method must be one of 'euler', 'midpoint', 'runge-kutta'"
    ):
        trajectory(turning, torch.zeros(1, 3), 3, "leapfrog")


@pytest.mark.parametrize(("argument", "time"), [("start", 1e300), ("start", -1e300), ("end", 1e300)])
def test_times_without_end_are_refused(argument, time):
    with pytest.raises(
        ValueError, match=rf"^trajectory: {argument} must be at least -1e\+06 and at most 1e\+06; got "
    ):
        trajectory(bent, torch.zeros(1, 2), 3, **{argument: time})


# --- flow matching


def test_straight_velocity_is_the_best_by_regression():
    """Among velocities at one place and time, the mean over pairs that pass near it: by brute force."""
    centres = torch.tensor([[-2.0], [1.0], [1.5]], dtype=torch.float64)
    z = torch.randn(3_000_000, generator=seed(0), dtype=torch.float64)
    x, t = centres[torch.randint(3, (3_000_000,), generator=seed(1)), 0], 0.4
    near = ((1 - t) * z + t * x - 0.3).abs() < 0.01
    passing = (x - z)[near]
    found = straight_velocity(centres)(torch.tensor([[0.3]], dtype=torch.float64), t).item()
    assert found == pytest.approx(
        passing.mean().item(), abs=4 * passing.std().item() / len(passing) ** 0.5 + 0.01
    )


def test_one_euler_step_of_the_best_velocity_ends_at_the_mean():
    centres = torch.randn(7, 2, generator=seed(0), dtype=torch.float64)
    z = torch.randn(9, 2, generator=seed(1), dtype=torch.float64)
    landed = trajectory(straight_velocity(centres), z, 1, "euler")[-1]
    np.testing.assert_allclose(landed, centres.mean(dim=0).expand(9, 2), atol=1e-12)


def test_paths_end_on_the_data():
    centres = torch.tensor([[-2.0], [2.0]], dtype=torch.float64)
    z = torch.randn(50, 1, generator=seed(1), dtype=torch.float64)
    ends = trajectory(straight_velocity(centres), z, 400, "runge-kutta", 0.0, 0.999)[-1]
    assert torch.cdist(ends, centres).min(dim=1).values.max() < 0.02
    assert torch.equal(ends.sign(), z.sign())


def test_matching_loss_of_known_velocities():
    x = torch.full((40_000, 2), 3.0, dtype=torch.float64)
    exact = straight_velocity(x[:1])

    def per_row(place, t):
        return (x[:1] - place) / (1 - t)

    assert matching_loss(per_row, x, seed(0)).max().item() < 1e-12
    still = matching_loss(lambda place, t: torch.zeros_like(place), x, seed(0))
    assert still.mean().item() == pytest.approx(2 * (9 + 1), rel=0.01)
    np.testing.assert_allclose(exact(x[:2] * 0, 0.5), 2 * x[:2])


def test_velocity_network():
    model = VelocityNetwork(2, [8], seed(0), dtype=torch.float64)
    x = torch.randn(5, 2, generator=seed(1), dtype=torch.float64)
    by_rows = model(x, torch.full((5, 1), 0.3, dtype=torch.float64))
    assert torch.equal(model(x, 0.3), by_rows)
    first, last = model.network[0], model.network[-1]
    a = torch.cat([x, torch.full((5, 1), 0.3, dtype=torch.float64)], 1) @ first.weight.T + first.bias
    np.testing.assert_allclose(
        by_rows.detach(), ((a * a.sigmoid()) @ last.weight.T + last.bias).detach(), rtol=1e-12
    )
    loss = matching_loss(model, x, seed(3)).sum()
    loss.backward()
    weight = last.weight
    kept = weight.data[0, 0].item()
    values = []
    for step in (1e-6, -1e-6):
        weight.data[0, 0] = kept + step
        values.append(matching_loss(model, x, seed(3)).sum().item())
    assert (values[0] - values[1]) / 2e-6 == pytest.approx(weight.grad[0, 0].item(), rel=1e-6)
