"""Optimisers against torch.optim step for step, closed forms, and numbers worked out by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.optimisation.adaptive import Adam, AdamW, RMSprop, adam_step_bound
from chapters_src.optimisation.stochastic.optimisers import SGD, Optimiser, clipped, walk

H = np.diag([1.0, 25.0])


def product(**options):
    return [dict(zip(options, values, strict=True)) for values in itertools.product(*options.values())]


PAIRS = (
    [
        (SGD, torch.optim.SGD, ours, {"lr": ours["learning_rate"], **{k: ours[k] for k in list(ours)[1:]}})
        for ours in product(
            learning_rate=[0.02], momentum=[0.0, 0.5, 0.9], nesterov=[False, True], weight_decay=[0.0, 0.1]
        )
        if ours["momentum"] or not ours["nesterov"]
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


@pytest.mark.parametrize("kind", [SGD, RMSprop, Adam, AdamW])
def test_a_schedule_acts_as_in_torch(kind):
    rates = np.random.default_rng(1).uniform(0.001, 0.1, 50)
    theta = np.array([1.0, -2.0])
    point = torch.tensor(theta, requires_grad=True)
    mine = kind(0.5, 0.9) if kind is SGD else kind()
    name = "SGD" if kind is SGD else kind.__name__
    more = {"momentum": 0.9} if kind is SGD else {}
    other = getattr(torch.optim, name)([point], lr=1.0, **more)
    for eta in rates:
        theta = mine.step(theta, H @ theta, eta)
        point.grad = (torch.tensor(H) @ point).detach()
        other.param_groups[0]["lr"] = eta
        other.step()
    # torch's sum of momentum holds gradients, not steps, as ours does: a new rate acts on all of it at once
    np.testing.assert_allclose(theta, point.detach().numpy(), rtol=1e-12)


class TestMomentum:
    def test_conventions_differ_by_a_factor_in_the_rate(self):
        for nesterov in (False, True):
            total = walk(lambda t: H @ t, np.ones(2), SGD(0.01, 0.9, nesterov), 60)
            mean = walk(lambda t: H @ t, np.ones(2), SGD(0.1, 0.9, nesterov, convention="average"), 60)
            np.testing.assert_allclose(total, mean, rtol=1e-11)

    @pytest.mark.parametrize(("convention", "limit"), [("sum", 10.0), ("average", 1.0)])
    def test_constant_gradient(self, convention, limit):
        path = walk(lambda t: np.ones(1), np.zeros(1), SGD(1.0, 0.9, convention=convention), 400)
        assert path[-2, 0] - path[-1, 0] == pytest.approx(limit, rel=1e-12)

    def test_unrolled(self):
        g, beta = np.random.default_rng(2).normal(size=8), 0.7
        mine, theta = SGD(1.0, beta), np.zeros(1)
        for one in g:
            before, theta = theta, mine.step(theta, [one])
        assert (before - theta)[0] == pytest.approx(sum(beta ** (7 - k) * g[k] for k in range(8)), rel=1e-12)

    def test_nesterov_is_the_look_ahead(self):
        """The textbook's θ with the gradient at θ − ηβu, mapped to the point looked ahead to."""
        eta, beta = 0.03, 0.9
        theta, u, ahead = np.ones(2), np.zeros(2), []
        for _ in range(41):
            ahead.append(theta - eta * beta * u)
            u = beta * u + H @ ahead[-1]
            theta = theta - eta * u
        ours = walk(lambda t: H @ t, np.ones(2), SGD(eta, beta, nesterov=True), 40)
        np.testing.assert_allclose(ours, ahead, rtol=1e-10, atol=1e-14)

    def test_rate_on_a_quadratic(self):
        """With the best η and β the error falls by (√κ−1)/(√κ+1) a step, known from the 2×2 step matrix."""
        root = 5.0  # √κ
        eta, beta = (2 / (1 + root)) ** 2, ((root - 1) / (root + 1)) ** 2
        path = walk(lambda t: H @ t, np.ones(2), SGD(eta, beta), 300)
        norms = np.linalg.norm(path, axis=1)
        assert (norms[300] / norms[200]) ** (1 / 100) == pytest.approx(np.sqrt(beta), abs=0.01)

    def test_worked_numbers(self):
        """γ = 0.9, η = 0.035, curvatures 1 and 25, a hundred steps from (1, 1)."""

        def run(**options):
            return walk(lambda t: H @ t, np.ones(2), SGD(0.035, 0.9, **options), 100)

        theta = run()[-1]
        assert theta @ H @ theta / 2 == pytest.approx(4.2e-4, abs=5e-6)
        ahead = run(nesterov=True)
        u = np.zeros(2)
        for point in ahead[:-1]:
            u = 0.9 * u + H @ point
        theta = ahead[-1] + 0.035 * 0.9 * u  # back from the point looked ahead to
        assert theta @ H @ theta / 2 == pytest.approx(9.96e-8, abs=5e-11)


class TestAdam:
    def test_constant_gradient_gives_steps_of_the_rate(self):
        path = walk(lambda t: np.full(1, 3.7), np.zeros(1), Adam(0.1, eps=0.0), 20)
        np.testing.assert_allclose(np.diff(path[:, 0]), -0.1, rtol=1e-12)

    def test_epsilon_is_outside_the_root(self):
        step = -walk(lambda t: np.full(1, 1e-6), np.zeros(1), Adam(1.0), 1)[1, 0]
        assert step == pytest.approx(0.990099, abs=5e-7)

    @pytest.mark.parametrize("kind", [Adam, RMSprop])
    @given(scale=st.floats(1e-3, 1e3), seed=st.integers(0, 1000))
    @settings(max_examples=20, deadline=None)
    def test_units_of_the_loss_do_not_matter(self, kind, scale, seed):
        g = np.random.default_rng(seed).normal(size=(12, 3))
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


@pytest.mark.parametrize("kind", [SGD, RMSprop, Adam, AdamW])
class TestEveryOptimiser:
    def make(self, kind, **options):
        return kind(0.1, 0.9, **options) if kind is SGD else kind(0.1, **options)

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
        options = {} if kind is SGD else {"eps": 0.0}
        if kind is AdamW:
            options["weight_decay"] = 0.0
        np.testing.assert_array_equal(self.make(kind, **options).step(np.ones(2), np.zeros(2)), 1)

    def test_goes_down_a_bowl(self, kind):
        mine = SGD(0.02, 0.5) if kind is SGD else kind(0.01)
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
        (lambda: SGD(0.1, 1.0), "SGD: momentum must be at least 0 and below 1; got 1"),
        (lambda: SGD(0.1, nesterov=True), "SGD: momentum must be above 0 for Nesterov"),
        (lambda: SGD(0.1, convention="mean"), "SGD: convention must be one of 'sum', 'average'; got 'mean'"),
        (lambda: RMSprop(beta=1.0), "RMSprop: beta must be"),
        (lambda: RMSprop(eps=-1), "RMSprop: eps must be"),
        (lambda: RMSprop(momentum=2), "RMSprop: momentum must be"),
        (lambda: Adam(beta1=1.0), "Adam: beta1 must be"),
        (lambda: AdamW(beta2=-0.1), "AdamW: beta2 must be"),
        (lambda: Adam(eps=np.nan), "Adam: eps must be"),
        (lambda: adam_step_bound(0.99, 0.5), "adam_step_bound: beta1 must have a square below beta2"),
        (lambda: adam_step_bound(0.9, 1.0), "adam_step_bound: beta2 must be"),
        (lambda: clipped([1.0], 0), "clipped: largest must be above 0; got 0"),
        (lambda: clipped([np.inf], 1), "clipped: gradient must be finite"),
        (lambda: walk(lambda t: t, [[1.0]], SGD(0.1), 3), "walk: theta must have one axis"),
        (lambda: walk(lambda t: t, [1.0], SGD(0.1), 0), "walk: steps must be at least 1"),
        (lambda: walk(lambda t: t, [1.0], "SGD", 3), "walk: optimiser must be an Optimiser"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_base_class_does_not_move():
    with pytest.raises(NotImplementedError):
        Optimiser(0.1, 0.0, 0).step([1.0], [1.0])


@given(st.integers(0, 1000), st.floats(0.01, 10))
@settings(max_examples=30, deadline=None)
def test_clipping_as_torch(seed, largest):
    g = np.random.default_rng(seed).normal(size=(3, 2))
    point = torch.zeros(3, 2, dtype=torch.float64, requires_grad=True)
    point.grad = torch.tensor(g)
    torch.nn.utils.clip_grad_norm_([point], largest)
    ours = clipped(g, largest)
    np.testing.assert_allclose(ours, point.grad.numpy(), rtol=1e-4)  # torch adds 1e-6 to the norm
    assert np.linalg.norm(ours) <= max(largest, 0) * (1 + 1e-12) or np.array_equal(ours, g)
    assert not np.shares_memory(ours, g)


def test_clipping_leaves_zero_alone():
    np.testing.assert_array_equal(clipped(np.zeros(2), 1.0), 0)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_clipping_keeps_the_direction_of_any_gradient(size):
    """The square of 10³⁰⁰ is no float, and a norm that overflows would clip to nothing."""
    g = size * np.array([3.0, 4.0])
    np.testing.assert_allclose(clipped(g, 1.0), g if size < 1 else [0.6, 0.8], rtol=1e-12)


def test_walk_ends_where_numbers_do():
    path = walk(lambda t: 2 * t, np.ones(1), SGD(1.1), 20)
    assert abs(path[-1, 0]) == pytest.approx(38.3376, abs=5e-5)
    with np.errstate(all="ignore"):
        path = walk(lambda t: t**3, np.array([10.0]), SGD(1.0), 50)
    assert len(path) < 51
    assert np.isfinite(path).all()


def test_walk_hands_the_schedule_its_step():
    seen = []
    walk(lambda t: t, np.ones(1), SGD(9.0), 4, schedule=lambda t: seen.append(t) or 0.1)
    assert seen == [0, 1, 2, 3]
