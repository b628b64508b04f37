"""Optimisers against torch.optim step for step, closed forms, and numbers worked out by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.optimisation.adaptive import Adagrad, Adam, AdamW, Momentum, RMSprop, adam_step_bound
from chapters_src.optimisation.stochastic import walk

H = np.diag([1.0, 25.0])
KINDS = [Momentum, Adagrad, RMSprop, Adam, AdamW]


def product(**options):
    return [dict(zip(options, values, strict=True)) for values in itertools.product(*options.values())]


PAIRS = (
    [
        (
            Momentum,
            torch.optim.SGD,
            ours,
            {
                "lr": ours["learning_rate"],
                "momentum": ours["beta"],
                **{k: ours[k] for k in ("nesterov", "weight_decay")},
            },
        )
        for ours in product(
            learning_rate=[0.02], beta=[0.0, 0.5, 0.9], nesterov=[False, True], weight_decay=[0.0, 0.1]
        )
        if ours["beta"] or not ours["nesterov"]  # torch refuses Nesterov without momentum
    ]
    + [
        (
            Adagrad,
            torch.optim.Adagrad,
            ours,
            {"lr": ours["learning_rate"], **{k: ours[k] for k in ("eps", "weight_decay")}},
        )
        for ours in product(learning_rate=[0.1], eps=[1e-10, 1e-3], weight_decay=[0.0, 0.1])
    ]
    + [
        (
            RMSprop,
            torch.optim.RMSprop,
            ours,
            {
                "lr": ours["learning_rate"],
                "alpha": ours["beta"],
                "centered": ours["centred"],
                **{k: ours[k] for k in ("eps", "momentum", "weight_decay")},
            },
        )
        for ours in product(
            learning_rate=[0.01],
            beta=[0.9, 0.99],
            eps=[1e-8, 1e-3],
            momentum=[0.0, 0.9],
            centred=[False, True],
            weight_decay=[0.0, 0.1],
        )
    ]
    + [
        (
            kind,
            theirs,
            ours,
            {
                "lr": ours["learning_rate"],
                "betas": (ours["beta1"], ours["beta2"]),
                **{k: ours[k] for k in ("eps", "weight_decay", "amsgrad")},
            },
        )
        for kind, theirs in ((Adam, torch.optim.Adam), (AdamW, torch.optim.AdamW))
        for ours in product(
            learning_rate=[0.01],
            beta1=[0.0, 0.9],
            beta2=[0.9, 0.999],
            eps=[1e-8, 1e-3],
            weight_decay=[0.0, 0.1],
            amsgrad=[False, True],
        )
    ]
)


def named(pair):
    kind, _, ours, _ = pair
    return kind.__name__ + "-" + "-".join(f"{v:g}" for v in ours.values())


@pytest.mark.parametrize(("kind", "theirs", "ours", "options"), PAIRS, ids=map(named, PAIRS))
def test_step_for_step_as_torch(kind, theirs, ours, options):
    """A hundred steps on a noisy quartic, each from the gradient at one's own θ, in float64."""
    rng = np.random.default_rng(0)
    theta, noise = rng.normal(size=(3, 4)), rng.normal(size=(100, 3, 4))
    point = torch.tensor(theta, requires_grad=True)
    mine, other = kind(**ours), theirs([point], **options)
    for shake in noise:
        theta = mine.step(theta, theta**3 - 2 * theta + shake)
        point.grad = (point**3 - 2 * point + torch.tensor(shake)).detach()
        other.step()
        np.testing.assert_allclose(theta, point.detach().numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_schedule_acts_as_in_torch(kind):
    rates = np.random.default_rng(1).uniform(0.001, 0.1, 50)
    theta = np.array([1.0, -2.0])
    point = torch.tensor(theta, requires_grad=True)
    mine = kind(0.5)
    name = "SGD" if kind is Momentum else kind.__name__
    more = {"momentum": 0.9} if kind is Momentum else {}
    other = getattr(torch.optim, name)([point], lr=1.0, **more)
    for eta in rates:
        theta = mine.step(theta, H @ theta, eta)
        point.grad = (torch.tensor(H) @ point).detach()
        other.param_groups[0]["lr"] = eta
        other.step()
    # torch's sum of momentum holds gradients, not steps, as ours does: a new rate acts on all of it at once
    np.testing.assert_allclose(theta, point.detach().numpy(), rtol=1e-12)


class TestAdagrad:
    def test_a_constant_gradient_gives_steps_that_die_out(self):
        path = walk(lambda t: np.full(1, 3.7), np.zeros(1), Adagrad(0.1, eps=0.0), 20)
        np.testing.assert_allclose(np.diff(path[:, 0]), -0.1 / np.sqrt(np.arange(1, 21)), rtol=1e-12)


class TestAdam:
    @pytest.mark.parametrize("beta2", [0.1, 0.999])
    @pytest.mark.parametrize("amsgrad", [False, True])
    def test_the_sequence_of_reddi(self, beta2, amsgrad):
        """Gradients 4, −1, −1, …: down is left. A short memory goes right; a long one or AMSGrad does not."""
        adam, theta = Adam(0.01, 0.0, beta2, amsgrad=amsgrad), np.zeros(1)
        for t in range(3000):
            theta = adam.step(theta, np.array([4.0 if t % 3 == 0 else -1.0]))
        assert (theta[0] > 0) == (beta2 == 0.1 and not amsgrad)

    def test_constant_gradient_gives_steps_of_the_rate(self):
        path = walk(lambda t: np.full(1, 3.7), np.zeros(1), Adam(0.1, eps=0.0), 20)
        np.testing.assert_allclose(np.diff(path[:, 0]), -0.1, rtol=1e-12)

    def test_epsilon_is_outside_the_root(self):
        step = -walk(lambda t: np.full(1, 1e-6), np.zeros(1), Adam(1.0), 1)[1, 0]
        assert step == pytest.approx(0.990099, abs=5e-7)

    @pytest.mark.parametrize("kind", [Adagrad, RMSprop, Adam])
    @given(exponent=st.floats(-3, 3), seed=st.integers(0, 1000))
    @settings(max_examples=20, deadline=None)
    def test_units_of_the_loss_do_not_matter(self, kind, exponent, seed):
        """Neither its unit nor, coordinate by coordinate, that of its slopes."""
        g = np.random.default_rng(seed).normal(size=(12, 3))
        scale = 10.0 ** (exponent * np.array([1, -1, 0.5]))
        ours, scaled = kind(0.1, eps=0.0), kind(0.1, eps=0.0)
        a = b = np.zeros(3)
        for one in g:
            a, b = ours.step(a, one), scaled.step(b, scale * one)
        np.testing.assert_allclose(a, b, rtol=1e-9)

    @given(seed=st.integers(0, 10_000), beta1=st.floats(0, 0.95), beta2=st.floats(0.95, 0.9995))
    @settings(max_examples=60, deadline=None)
    def test_no_gradient_breaks_the_bound(self, seed, beta1, beta2):
        rng = np.random.default_rng(seed)
        mine, theta = Adam(1.0, beta1, beta2, eps=0.0), np.zeros(4)
        most = 0.0
        for _ in range(60):
            g = rng.normal(size=4) * 10.0 ** rng.uniform(-6, 6, 4)
            before, theta = theta, mine.step(theta, g)
            most = max(most, np.abs(theta - before).max())
        assert most <= max(1.0, adam_step_bound(beta1, beta2)) * (1 + 1e-9)

    def test_the_bound_is_reached(self):
        """By gradients that grow by β₂/β₁ a step."""
        mine, theta = Adam(1.0, 0.9, 0.99, eps=0.0), np.zeros(1)
        for k in range(700):
            before, theta = theta, mine.step(theta, [(0.99 / 0.9) ** k])
        assert np.abs(theta - before)[0] == pytest.approx(adam_step_bound(0.9, 0.99), rel=2e-3)
        assert adam_step_bound(0.9, 0.999) == pytest.approx(7.27, abs=0.005)

    def test_decoupled_decay_shrinks_all_alike(self):
        theta = np.array([1.0, 1.0])
        after = AdamW(0.1, weight_decay=0.5).step(theta, np.zeros(2))
        np.testing.assert_allclose(after, 0.95, rtol=1e-15)

    def test_penalty_in_the_gradient_is_normalised_away(self):
        """The first step is η whatever λ: Adam with an L2 penalty moves big and small weights alike."""
        after = Adam(0.1, weight_decay=0.5, eps=0.0).step(np.array([1.0, 100.0]), np.zeros(2))
        np.testing.assert_allclose(after, [0.9, 99.9], rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
class TestEveryOptimiser:
    def make(self, kind, **options):
        return kind(0.1, **options)

    def test_arguments_are_not_changed(self, kind):
        theta, g = np.ones(3), np.arange(3.0)
        mine = self.make(kind)
        first = mine.step(theta, g)
        kept = first.copy()
        mine.step(first, g)
        np.testing.assert_array_equal(theta, 1)
        np.testing.assert_array_equal(g, np.arange(3.0))
        np.testing.assert_array_equal(first, kept)

    def test_no_gradient_no_step_even_without_epsilon(self, kind):
        options = {} if kind is Momentum else {"eps": 0.0}
        if kind is AdamW:
            options["weight_decay"] = 0.0
        np.testing.assert_array_equal(self.make(kind, **options).step(np.ones(2), np.zeros(2)), 1)

    def test_goes_down_a_bowl(self, kind):
        mine = {Momentum: Momentum(0.02, 0.5), Adagrad: Adagrad(0.3)}.get(kind) or kind(0.01)
        path = walk(lambda t: H @ t, np.array([1.0, -1.0]), mine, 1000)
        assert np.linalg.norm(path[-1]) < 0.02

    def test_bad_input_is_named(self, kind):
        name = kind.__name__
        with pytest.raises(ValueError, match=f"^{name}: learning_rate must be at least 0; got -1"):
            kind(-1.0)
        with pytest.raises(ValueError, match=f"^{name}: weight_decay must be a number at least 0; got 'x'"):
            kind(0.1, weight_decay="x")
        mine = self.make(kind)
        with pytest.raises(
            ValueError, match=r"^step: gradient must have shape \(3,\), the shape of theta; got \(1,\)"
        ):
            mine.step(np.ones(3), np.ones(1))
        with pytest.raises(ValueError, match=r"^step: gradient must be finite; got nan"):
            mine.step(np.ones(3), [0, np.nan, 0])
        with pytest.raises(ValueError, match=r"^step: learning_rate must be at least 0"):
            mine.step(np.ones(3), np.ones(3), -0.1)
        mine.step(np.ones(3), np.ones(3))
        with pytest.raises(ValueError, match=r"^step: theta must have 3 entries"):
            mine.step(np.ones(4), np.ones(4))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Momentum(0.1, 1.0), "Momentum: beta must be at least 0 and below 1; got 1"),
        (lambda: Momentum(0.1, convention="mean"), "Momentum: convention must be one of 'sum', 'average'"),
        (lambda: Adagrad(eps=-1), "Adagrad: eps must be"),
        (lambda: RMSprop(beta=1.0), "RMSprop: beta must be"),
        (lambda: RMSprop(eps=-1), "RMSprop: eps must be"),
        (lambda: RMSprop(momentum=2), "RMSprop: momentum must be"),
        (lambda: Adam(beta1=1.0), "Adam: beta1 must be"),
        (lambda: AdamW(beta2=-0.1), "AdamW: beta2 must be"),
        (lambda: Adam(eps=np.nan), "Adam: eps must be"),
        (lambda: adam_step_bound(0.99, 0.5), "adam_step_bound: beta1 must have a square below beta2"),
        (lambda: adam_step_bound(0.9, 1.0), "adam_step_bound: beta2 must be"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
