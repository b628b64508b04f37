"""Exercises on variational autoencoders: predict, choose, find the false line, repair, implement."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, probabilities
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["bound_of_a_batch", "silent_beta", "silent_dimensions", "two_parts", "weighted_bound"]


def _normal(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


# --- predict: the β of two means

silent_beta = Predict(
    "1. Predict: a silent β",
    "Somebody averages *both* terms over their own dimensions: the reconstruction over 784 pixels, the KL "
    "over 16 latent numbers. Which $\\beta$ is that, for a bound written with sums?",
    answer=49.0,
    within=0.01,
    mistakes=[
        Mistake(784.0, "the KL has been divided as well, by 16"),
        Mistake(16 / 784, "upside down: dividing the reconstruction by more makes the KL weigh more"),
        Mistake(1.0, "the two terms are divided by different numbers, so their balance changes"),
        Mistake(784.0 * 16, "the KL is divided by 16, which makes it weigh less, not more"),
        Mistake(1 / 16, "the reconstruction has been divided too"),
    ],
    hints=[
        "Bring $R/784-\\mathrm{KL}/16$ into the form $c\\,(R-\\beta\\,\\mathrm{KL})$.",
        "Take $c=\\frac1{784}$ out of both terms.",
    ],
    why="R/784 − KL/16 is (R − (784/16)·KL)/784, and a common factor moves no maximum: β = 49.",
)


# --- choose: dimensions that carry nothing

silent_dimensions = Choose(
    "2. Choose: silent dimensions",
    "After training with $\\beta=1$, five of sixteen latent dimensions carry 0.00 nats on every test digit. "
    "When you draw new digits, you set these five to 0 instead of drawing them from the prior. What happens?",
    options=[
        Option(
            "the digits vary less, because five sources of variation are gone",
            why="What did the decoder see in these dimensions during training, and could it gain by "
            "listening?",
        ),
        Option(
            "hardly anything",
            right=True,
            why="With 0 nats the encoder's q is the prior for every picture, so in training the decoder was "
            "given pure noise there. Noise that says nothing about the picture can only hurt the "
            "reconstruction, so the decoder has learned to ignore it.",
        ),
        Option(
            "the digits become noise, because the decoder never saw zeros there",
            why="A network that reacts to a dimension would have had its reconstructions disturbed by it.",
        ),
        Option(
            "the held-out bound falls by the nats of five dimensions",
            why="They carry 0 nats; and drawing new digits does not change the bound of old ones.",
        ),
    ],
    hints=["KL = 0 in a dimension says that $q(z_j\\mid x)$ is the prior, whatever $x$ is."],
)


# --- find the false line: what the KL term is made of


def _two_parts() -> Derivation:
    names = {"n": "rows of Q", "K": "columns of Q", r"\bar q": r"= \frac1n\sum_{i=1}^nQ_{i}"}
    d = Derivation("what the KL term is made of", where=names, Q=probabilities(4, 3), p=probabilities(3))
    d.start(r"\frac1n\sum_{i=1}^n\sum_{k=1}^KQ_{ik}\log\frac{Q_{ik}}{p_k}")
    d.equals(
        r"\frac1n\sum_{i=1}^n\sum_{k=1}^KQ_{ik}\log\frac{Q_{ik}}{\bar q_k}"
        r"+\frac1n\sum_{i=1}^n\sum_{k=1}^KQ_{ik}\log\frac{\bar q_k}{p_k}",
        because=r"$\frac{Q_{ik}}{p_k}=\frac{Q_{ik}}{\bar q_k}\cdot\frac{\bar q_k}{p_k}$, with the mean "
        r"$\bar q$ of all rows of $Q$",
    )
    d.equals(
        r"\frac1n\sum_{i=1}^n\sum_{k=1}^KQ_{ik}\log\frac{Q_{ik}}{\bar q_k}"
        r"+\sum_{k=1}^K\bar q_k\log\frac{\bar q_k}{p_k}",
        because="in the second sum only $Q_{ik}$ depends on $i$",
    )
    return d.at_least(
        r"\sum_{k=1}^K\bar q_k\log\frac{\bar q_k}{p_k}",
        because="the first part is a mean of divergences",
        tight={"Q": lambda: np.tile([0.5, 0.3, 0.2], (4, 1))},
    )


two_parts = FalseLine(
    _two_parts(),
    {
        3: Variant(
            r"\frac1n\sum_{i=1}^n\sum_{k=1}^KQ_{ik}\log\frac{Q_{ik}}{\bar q_k}"
            r"+\sum_{k=1}^Kp_k\log\frac{\bar q_k}{p_k}",
            because="in the second sum only $Q_{ik}$ depends on $i$",
        ),
        4: Variant(
            r"\sum_{k=1}^Kp_k\log\frac{\bar q_k}{p_k}", because="the first part is a mean of divergences"
        ),
    },
    name="3. Find the false line: what the KL term is made of",
    why="The mean of $Q_{ik}$ over the pictures is $\\bar q_k$, not the prior. Done rightly, the KL term is "
    "the mutual information of picture and code plus the divergence from the *average* code distribution "
    "to the prior, so it is small where codes say little and, taken together, fill the prior.",
    hints=["Which distribution is the average of the rows of $Q$?", "Try a single picture, $n=1$."],
)


# --- repair: a bound with two faults


def _kl(mu: Any, log_var: Any) -> Any:
    return 0.5 * (mu**2 + np.exp(log_var) - 1 - log_var).sum(axis=1)


def _with(spread: Any, total: Any) -> Any:
    """The bound with a given spread of the noise and a given way to put pixels together."""

    def bound(x: Any, mu: Any, log_var: Any, eps: Any, W: Any, b: Any) -> Any:
        a = (mu + spread(log_var) * eps) @ W + b
        return total(x * a - np.logaddexp(0, a)) - _kl(mu, log_var)

    return bound


def _batch(seed: int, n: int, k: int, d: int) -> dict[str, Any]:
    x = (_normal(seed, n, d) > 0).astype(float)
    mu, log_var, eps = (_normal(seed + step, n, k) for step in (1, 2, 3))
    return {
        "x": x,
        "mu": mu,
        "log_var": log_var,
        "eps": eps,
        "W": _normal(seed + 4, k, d),
        "b": _normal(seed + 5, d),
    }


_SUM, _MEAN, _ALL = (lambda t: t.sum(axis=1)), (lambda t: t.mean(axis=1)), (lambda t: t.mean())
_STD, _VARIANCE = (lambda v: np.exp(0.5 * v)), np.exp

bound_of_a_batch = Exercise(
    "bound_of_a_batch",
    answer=_with(_STD, _SUM),
    cases=[_batch(0, 3, 2, 4), _batch(10, 5, 3, 6), _batch(20, 1, 1, 2)],
    mistakes=[
        Mistake(_with(_VARIANCE, _MEAN), "that is the function as it was given"),
        Mistake(_with(_VARIANCE, _SUM), "the pixels are right; now look at what multiplies the noise"),
        Mistake(
            _with(_STD, _MEAN), "the noise is right; what does a mean over the pixels do to the balance?"
        ),
        Mistake(_with(_STD, _ALL), "a bound per example is asked for: sum over pixels, not over examples"),
        Mistake(
            lambda x, mu, log_var, eps, W, b: _with(_STD, _SUM)(x, mu, log_var, eps, W, b).mean(),
            "that is the mean over the batch; return one number per example",
        ),
        Mistake(
            _with(lambda v: np.sqrt(np.abs(v)), _SUM),
            "`log_var` is a logarithm: take its exponential before the root",
        ),
    ],
    hint="there are two faults: one in the spread of the noise, one in the balance of the two terms",
)


# --- implement: the importance-weighted bound from log-weights


def _log_mean(log_w: Any) -> Any:
    top = log_w.max(axis=0)
    return top + np.log(np.mean(np.exp(log_w - top), axis=0))


weighted_bound = Exercise(
    "weighted_bound",
    answer=_log_mean,
    cases=[
        {"log_w": np.array([[-1.0, -2.0], [0.5, -3.0], [-2.0, 1.0]])},
        {"log_w": 3 * _normal(6, 5, 4)},
        {"log_w": -800 + 5 * _normal(7, 6, 3)},
        {"log_w": np.array([[-1200.0, 900.0]])},
    ],
    mistakes=[
        Mistake(
            lambda log_w: log_w.mean(axis=0),
            "a mean of logarithms is the ELBO; average the weights, then take the logarithm",
        ),
        Mistake(lambda log_w: np.log(len(log_w)) + _log_mean(log_w), "a mean, not a sum: subtract $\\log K$"),
        Mistake(
            lambda log_w: _log_mean(log_w.T),
            "draws are rows: average over the rows, so that one number per example is left",
        ),
        Mistake(lambda log_w: log_w.max(axis=0), "that is the largest weight alone"),
        Mistake(lambda log_w: _log_mean(log_w).mean(), "one bound per example is asked for, not their mean"),
        Mistake(lambda log_w: np.mean(np.exp(log_w), axis=0), "the logarithm is missing"),
    ],
    hint="$\\log\\frac1K\\sum_kw_k$; take the largest log-weight out of the sum first, or every weight is 0",
)
