"""Exercises of the chapter on Bayesian learning: predict, choose, find the false line, repair, implement."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal, uniform
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["log_posterior", "one_more_row", "ten_times_the_data", "two_in_a_row", "weighted_draws"]


# --- predict: E[θ²] after three good reviews and a flat prior

two_in_a_row = Predict(
    "1. Predict: two in a row",
    "A café has three reviews, all good, and you start from the flat prior. What is the probability that "
    "the next two reviews are both good?",
    answer=2 / 3,
    within=2e-3,
    mistakes=[
        Mistake(1.0, "that is what maximum likelihood says after three out of three"),
        Mistake(0.64, r"you squared $\frac45$. If the fourth is good, what is the probability of the fifth?"),
        Mistake(0.8, "that is the probability of one more good review; the question asks for two"),
        Mistake(
            9 / 16,
            "the rule of succession adds one to the good reviews and two to all of them, not one to each",
        ),
        Mistake(0.5, "that is the flat prior's answer for one review, before any was read"),
    ],
    hints=[
        "Take the reviews one at a time, and update after the first.",
        r"The fourth is good with probability $\frac45$. Given that, the counts are four good and none bad.",
        r"The fifth is then good with probability $\frac56$. Multiply.",
    ],
    why=r"$\frac45\cdot\frac56=\frac23$, which is $\mathbb E[\theta^2]$. Squaring $\frac45$ gives less: a "
    "good fourth review is also a reason to expect a good fifth one. Given the data so far, the two are not "
    r"independent; they are so only given $\theta$.",
)


# --- choose: the penalty on a mean when the data grow

ten_times_the_data = Choose(
    "2. Choose: ten times the data",
    r"You fit a regression by making the mean squared error plus $\lambda\lVert\theta\rVert^2$ small, with "
    r"the $\lambda$ that expresses your prior. Then you get ten times as many examples, as noisy as before. "
    r"Your prior has not changed. What should happen to $\lambda$?",
    options=[
        Option(
            "It stays: the prior has not changed.",
            why=r"It would stay if the loss were the sum, where $\lambda=\sigma^2/\tau^2$. Divide that sum "
            r"and its penalty by $n$, and see what stands before $\lVert\theta\rVert^2$.",
        ),
        Option(
            "It grows tenfold, to keep up with the data.",
            why="For the sum of squares the penalty would then be a hundred times as strong, with ten times "
            "the data: the prior would gain weight. A fixed prior counts as a fixed number of examples.",
        ),
        Option(
            "It becomes a tenth.",
            right=True,
            why=r"For the mean $\lambda=\sigma^2/(n\tau^2)$: one prior is weighed against $n$ examples. "
            r"Keeping $\lambda$ would mean a prior that becomes ten times as precise with the data.",
        ),
        Option(
            "It becomes zero: with much data no prior is needed.",
            why=r"The prior matters less and less, but $\sigma^2/(n\tau^2)$ is zero for no $n$.",
        ),
    ],
    hints=[
        "Write down minus the log posterior: how many terms come from the data, and how many from the prior?",
        r"It is $\frac1{2\sigma^2}\lVert y-X\theta\rVert^2+\frac1{2\tau^2}\lVert\theta\rVert^2$. "
        "Turn the first term into a mean.",
    ],
)


# --- find the false line: the prior counted once per example


def _log_posterior() -> Derivation:
    d = Derivation(
        "a log posterior",
        where={"n": "rows of X", "d": "columns of X"},
        X=normal(6, 3),
        y=normal(6),
        theta=normal(3),
        sigma2=uniform(0.5, 2.0),
        tau2=uniform(0.5, 2.0),
    )
    d.start(
        r"\log\left[\left(\prod_i\mathcal N(y_i\mid\theta^\top x_i,\sigma^2)\right)"
        r"\mathcal N(\theta\mid0,\tau^2I)\right]"
    )
    d.equals(
        r"\sum_i\log\mathcal N(y_i\mid\theta^\top x_i,\sigma^2)+\log\mathcal N(\theta\mid0,\tau^2I)",
        because="the logarithm of a product",
    )
    d.equals(
        r"-\frac1{2\sigma^2}\lVert y-X\theta\rVert^2-\frac1{2\tau^2}\lVert\theta\rVert^2"
        r"-\frac n2\log(2\pi\sigma^2)-\frac d2\log(2\pi\tau^2)",
        because="the logarithms of Gaussian densities",
    )
    return d.equals(
        r"-\frac1{2\sigma^2}\left(\lVert y-X\theta\rVert^2+\frac{\sigma^2}{\tau^2}\lVert\theta\rVert^2\right)"
        r"-\frac n2\log(2\pi\sigma^2)-\frac d2\log(2\pi\tau^2)",
        because=r"take out $\frac1{2\sigma^2}$",
    )


log_posterior = FalseLine(
    _log_posterior(),
    {
        2: Variant(
            r"\sum_i\left(\log\mathcal N(y_i\mid\theta^\top x_i,\sigma^2)"
            r"+\log\mathcal N(\theta\mid0,\tau^2I)\right)",
            because="the logarithm of a product",
        ),
        3: Variant(
            r"-\frac1{2\sigma^2}\lVert y-X\theta\rVert^2-\frac n{2\tau^2}\lVert\theta\rVert^2"
            r"-\frac n2\log(2\pi\sigma^2)-\frac{nd}2\log(2\pi\tau^2)",
            because="the logarithms of Gaussian densities",
        ),
        4: Variant(
            r"-\frac1{2\sigma^2}\left(\lVert y-X\theta\rVert^2"
            r"+\frac{n\sigma^2}{\tau^2}\lVert\theta\rVert^2\right)"
            r"-\frac n2\log(2\pi\sigma^2)-\frac{nd}2\log(2\pi\tau^2)",
            because=r"take out $\frac1{2\sigma^2}$",
        ),
    },
    name="3. Find the false line: a penalty that grows",
    why=r"The prior is one factor, outside the product over examples, so its logarithm is added once. Inside "
    r"the sum it is counted $n$ times, and the penalty becomes $n$ times too strong.",
    hints=[
        "Count how often the density of the prior occurs in each line.",
        r"$\log(\prod_ia_i\cdot b)=\sum_i\log a_i+\log b$.",
    ],
)


# --- repair: draws from the prior need the likelihood as a weight


def _weighted(log_likelihood: Any, probabilities: Any, drawn: Any) -> Any:
    seen = np.asarray(log_likelihood)[drawn]
    return np.average(np.asarray(probabilities)[drawn], axis=0, weights=np.exp(seen - seen.max()))


def _not_divided(log_likelihood: Any, probabilities: Any, drawn: Any) -> Any:
    likelihood = np.exp(np.asarray(log_likelihood)[drawn])
    return likelihood @ np.asarray(probabilities)[drawn] / len(drawn)


def _each_once(log_likelihood: Any, probabilities: Any, drawn: Any) -> Any:
    log_likelihood = np.asarray(log_likelihood)
    weights = np.exp(log_likelihood - log_likelihood.max())
    return np.average(probabilities, axis=0, weights=weights)


weighted_draws = Exercise(
    "draws from the prior",
    answer=_weighted,
    cases=[
        {
            "log_likelihood": np.log([0.5, 0.02]),
            "probabilities": np.array([[0.8, 0.2], [0.3, 0.7]]),
            "drawn": np.array([0, 1, 1, 0, 1]),
        },
        {
            "log_likelihood": np.array([-3.0, -1.0, -2.0]),
            "probabilities": np.array([[0.1, 0.9], [0.6, 0.4], [1.0, 0.0]]),
            "drawn": np.array([1, 1, 2, 0, 1, 2, 2, 1, 0, 1]),
        },
        {
            "log_likelihood": np.array([-2000.0, -2001.0]),
            "probabilities": np.array([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]]),
            "drawn": np.array([1, 0, 1]),
        },
    ],
    mistakes=[
        Mistake(
            lambda log_likelihood, probabilities, drawn: np.mean(np.asarray(probabilities)[drawn], axis=0),
            "the plain mean predicts from the prior alone: the data have not been used",
        ),
        Mistake(_not_divided, "the answer does not add up to 1: divide by the sum of the weights"),
        Mistake(
            lambda log_likelihood, probabilities, drawn: np.average(
                np.asarray(probabilities)[drawn], axis=0, weights=np.asarray(log_likelihood)[drawn]
            ),
            "these weights are logarithms of likelihoods, so the least likely candidate weighs most",
        ),
        Mistake(_each_once, "each candidate counts once here, but the prior says how often: use the draws"),
    ],
    hint="posterior is prior times likelihood, and the draws take care of one of the two. If you get nan, "
    "subtract the largest logarithm first: a common factor of all weights cancels",
)


# --- implement: the posterior after one more example


def _one_more_row(mean: Any, covariance: Any, x: Any, y: Any, variance: Any) -> Any:
    gain = covariance @ x / (x @ covariance @ x + variance)
    return mean + gain * (y - x @ mean), covariance - np.outer(gain, x @ covariance)


def _forgets(what: str) -> Any:
    """One more row with one thing left out."""

    def wrong(mean: Any, covariance: Any, x: Any, y: Any, variance: Any) -> Any:
        noise = 0.0 if what == "noise" else variance
        gain = covariance @ x / (x @ covariance @ x + noise)
        miss = y if what == "prediction" else y - x @ mean
        less = np.outer(gain, x @ covariance)
        narrower = {"covariance": covariance, "sign": covariance + less}.get(what, covariance - less)
        return mean + gain * miss, narrower

    return wrong


def _prior_at_zero(mean: Any, covariance: Any, x: Any, y: Any, variance: Any) -> Any:
    narrower = np.linalg.inv(np.linalg.inv(covariance) + np.outer(x, x) / variance)
    return narrower @ x * y / variance, narrower


one_more_row = Exercise(
    "one more row",
    answer=_one_more_row,
    cases=[
        {"mean": np.array(m), "covariance": C, "x": np.array(x), "y": y, "variance": variance}
        for m, C, x, y, variance in (
            ([1.0, 0.0], np.eye(2), [1.0, 2.0], 4.0, 1.0),
            ([0.5, -1.0], np.array([[2.0, 0.5], [0.5, 1.0]]), [1.0, -1.0], -2.0, 0.25),
            ([0.0, 1.0, 2.0], np.diag([1.0, 4.0, 0.5]), [1.0, 0.5, 0.25], 3.0, 2.0),
        )
    ],
    mistakes=[
        Mistake(_forgets("noise"), "the output has noise too: where is the variance $\\sigma^2$?"),
        Mistake(_forgets("covariance"), "the mean is right, but a new example makes the belief narrower"),
        Mistake(_forgets("sign"), "the covariance grew: data make a belief narrower"),
        Mistake(_forgets("prediction"), "the belief moves by its surprise, $y-x^\\top m$, not by $y$"),
        Mistake(_prior_at_zero, "this forgets the old mean: the prior is centred at it, not at zero"),
    ],
    hint="precisions add, $C_\\text{new}^{-1}=C^{-1}+xx^\\top/\\sigma^2$, "
    "and so do the vectors $C^{-1}m$ and $xy/\\sigma^2$",
)
