"""Points carried along by a velocity, and what happens to their density on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least, between, one_of
from chapters_src.core.shapes import Float, Tensor
from chapters_src.generative.flows.flow import standard_normal_log_density

__all__ = ["divergence", "estimated_divergence", "ode_log_density", "trajectory"]

Velocity = Callable[[Any, float], Any]


def _euler(v: Velocity, x: Tensor, t: float, h: float) -> Tensor:
    return x + h * v(x, t)


def _midpoint(v: Velocity, x: Tensor, t: float, h: float) -> Tensor:
    return x + h * v(x + h / 2 * v(x, t), t + h / 2)


def _runge_kutta(v: Velocity, x: Tensor, t: float, h: float) -> Tensor:
    k1 = v(x, t)
    k2 = v(x + h / 2 * k1, t + h / 2)
    k3 = v(x + h / 2 * k2, t + h / 2)
    k4 = v(x + h * k3, t + h)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


METHODS = {"euler": _euler, "midpoint": _midpoint, "runge-kutta": _runge_kutta}
TIMES = between(-1e6, 1e6)


@checked(steps=at_least(1), method=one_of(METHODS), start=TIMES, end=TIMES)
def trajectory(
    velocity: Callable[[Any, float], Any],
    x: Float[Tensor, "n d"],
    steps: int,
    method: str = "midpoint",
    start: float = 0.0,
    end: float = 1.0,
) -> Float[Tensor, "t n d"]:
    """The points after 0, 1, …, ``steps`` equal steps along dx/dt = v(x, t); backwards if end < start.

    euler:  x + h·v(x, t);   midpoint:  x + h·v(x + ½h·v(x, t), t + ½h)     {eq}`eq-flows-solvers`
    """
    h, path = (end - start) / steps, [x]
    for k in range(steps):
        path.append(METHODS[method](velocity, path[-1], start + k * h, h))
    return torch.stack(path)


@checked
def divergence(
    velocity: Callable[[Any, float], Any], x: Float[Tensor, "n d"], t: float
) -> Float[Tensor, "n"]:
    """tr ∂v/∂x of each row, exactly: a backward pass for every coordinate."""
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        v = velocity(x, t)
        rows = [torch.autograd.grad(v[:, i].sum(), x, retain_graph=True)[0][:, i] for i in range(x.shape[1])]
    return torch.stack(rows).sum(dim=0)


@checked(probes=at_least(1))
def estimated_divergence(
    velocity: Callable[[Any, float], Any],
    x: Float[Tensor, "n d"],
    t: float,
    generator: torch.Generator,
    probes: int = 1,
) -> Float[Tensor, "n"]:
    """Hutchinson's estimate of tr ∂v/∂x: one backward pass for every probe ε of random signs.

    mean over probes of εᵀ(∂v/∂x)ε                    {eq}`eq-flows-hutchinson`
    """
    total = x.new_zeros(len(x))
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        v = velocity(x, t)
        for _ in range(probes):
            draw = torch.randint(0, 2, x.shape, generator=generator, device=generator.device)
            eps = (2 * draw - 1).to(x)
            total = total + (torch.autograd.grad(v, x, eps, retain_graph=True)[0] * eps).sum(dim=1)
    return total / probes


@checked(steps=at_least(1), method=one_of(METHODS))
def ode_log_density(
    velocity: Callable[[Any, float], Any],
    x: Float[Tensor, "n d"],
    steps: int,
    method: str = "runge-kutta",
    trace: Callable[[Any, Any, float], Any] = divergence,
) -> Float[Tensor, "n"]:
    """log p(x) at t = 1 of standard normal points carried along: back to the noise, adding up the stretching.

    log p(x) = log N(z; 0, I) − ∫₀¹ tr ∂v/∂x dt       {eq}`eq-flows-instantaneous`
    """

    def both(state: Tensor, t: float) -> Tensor:
        place = state[:, :-1]
        return torch.cat([velocity(place, t).detach(), trace(velocity, place, t)[:, None]], dim=1)

    there = torch.cat([x, x.new_zeros(len(x), 1)], dim=1)
    back = trajectory(both, there, steps, method, 1.0, 0.0)[-1]
    return standard_normal_log_density(back[:, :-1]) + back[:, -1]
