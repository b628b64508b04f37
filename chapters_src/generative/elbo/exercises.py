"""Exercises of the chapter on the evidence bound: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    probabilities,
    uniform,
)
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["equal_shares", "from_a_batch", "prior_as_guess", "two_bounds", "up_and_down"]


# --- predict: the best member of a small family

equal_shares = Predict(
    "1. Predict: equal shares",
    "A hidden $z$ has three values, and for the $x$ that was seen $p(x,z)=(0.3,\\,0.2,\\,0.01)$. In your "
    "family $q$ has equal weights on one, on two or on all three of the values, and none on the others. How "
    "large is the gap of the best member, in nats?",
    answer=float(np.log(0.51 / (2 * np.sqrt(0.06)))),
    within=0.001,
    mistakes=[
        Mistake(
            float(np.log(0.51 / (3 * 0.0006 ** (1 / 3)))),
            "that is the gap with all three values; what does the rare third one cost?",
        ),
        Mistake(
            float(np.log(0.51 / 0.3)), "that is the gap with the first value alone; what of the entropy?"
        ),
        Mistake(
            float(-np.log(2 * np.sqrt(0.06))), "that is minus the best bound; how far below $\\log p(x)$?"
        ),
        Mistake(float(-np.log(0.51)), "that is minus the log evidence; where is the bound?"),
        Mistake(
            float(np.log(2 * np.sqrt(0.06) / 0.51)),
            "a gap is how far the bound lies *below*: it is not negative",
        ),
    ],
    hints=[
        "With $1/k$ on $k$ values, the bound is the mean of $\\log p(x,z)$ over them, plus $\\log k$.",
        "There are three candidates: the most probable value, the two most probable ones, and all three.",
    ],
    why="The two probable values give the bound $\\frac12(\\log0.3+\\log0.2)+\\log2=-0.714$, and "
    "$\\log0.51=-0.673$, so the gap is 0.040. With the first value alone it is 0.531, and with all three "
    "0.701: a third of $q$ would lie where the posterior has 2 %.",
)


# --- choose: two models and their bounds

two_bounds = Choose(
    "2. Choose: two models and their bounds",
    "Model A reaches a bound of $-100$ nats on a data set, with independent Gaussians as $q$. Model B "
    "reaches $-98$ nats on the same data, with a richer family. What follows?",
    options=[
        Option(
            "the log evidence of B is larger",
            why="A may have a log evidence of −90 and a gap of 10. The bounds do not tell the gaps.",
        ),
        Option(
            "the log evidence of B is at least −98",
            right=True,
            why="A lower bound says this and no more. About the order of A and B it says nothing.",
        ),
        Option(
            "the guess of B is nearer to its posterior",
            why="Nearness is the gap, log evidence minus bound, and the evidences are unknown.",
        ),
        Option(
            "the log evidence of A is at most −98",
            why="A lower bound on A, or on B, puts no upper limit on A.",
        ),
    ],
    hints=["Write each log evidence as bound plus gap. What is known about the gaps?"],
)


# --- find the false line: the prior as the guess


def _prior_as_guess() -> Derivation:
    d = Derivation(
        "the prior as the guess",
        where={"e": r"=\sum_kp_k\ell_k", "r_k": r"=p_k\ell_k/e"},
        p=probabilities(4),
        ell=uniform(0.05, 0.95, 4),
    )
    d.start(r"\log\sum_kp_k\ell_k")
    d.at_least(
        r"\sum_kp_k\log\ell_k",
        because=r"Jensen: the bound with $q=p$; $\ell_k=p(x\mid z=k)$",
        tight={"ell": 0.3 * np.ones(4)},
    )
    d.equals(r"\sum_kp_k\log\frac{r_k}{p_k}+\log e", because=r"Bayes' rule, with the posterior $r_k$")
    return d.equals(r"\log e-\sum_kp_k\log\frac{p_k}{r_k}", because="turn the fraction over")


prior_as_guess = FalseLine(
    _prior_as_guess(),
    {
        3: Variant(r"\sum_kp_k\log r_k+\log e", because=r"Bayes' rule, with the posterior $r_k$"),
        4: Variant(r"\log e-\sum_kp_k\log\frac1{r_k}", because="turn the fraction over"),
    },
    name="3. Find the false line: the prior as the guess",
    why="Bayes' rule is $r_k=p_k\\ell_k/e$, so $\\ell_k=r_k\\,e/p_k$; the prior was lost. The right lines "
    "say that a guess which ignores $x$ misses $\\mathrm{KL}(p\\Vert r)$, from the prior to the posterior.",
    hints=[
        "Try two values with $p=(\\frac12,\\frac12)$ and $\\ell=(\\frac12,\\frac12)$.",
        "Solve Bayes' rule for $\\ell_k$.",
    ],
)


# --- repair: the bound from a batch


def _parts(x: Any, n: int, m: float, s2: float) -> tuple[float, float]:
    """The likelihood of the batch under q, and the KL to the prior, for x ~ N(z, 1) and z ~ N(0, 1)."""
    fit = -0.5 * np.sum(np.log(2 * np.pi) + (x - m) ** 2 + s2)
    return float(fit), float(0.5 * (s2 + m**2 - 1 - np.log(s2)))


def _from_a_batch(x: Any, n: int, m: float, s2: float) -> Any:
    fit, kl = _parts(x, n, m, s2)
    return n / len(x) * fit - kl


def _scaled(fit: Any, kl: Any) -> Any:
    """The bound with other factors before its two terms."""

    def wrong(x: Any, n: int, m: float, s2: float) -> Any:
        likelihood, divergence = _parts(x, n, m, s2)
        return fit(n, len(x)) * likelihood - kl(n, len(x)) * divergence

    return wrong


from_a_batch = Exercise(
    "the bound from a batch",
    answer=_from_a_batch,
    cases=[
        {"x": np.array([0.4, 1.9]), "n": 10, "m": 0.8, "s2": 0.2},
        {"x": np.array([0.4, 1.9, -0.3]), "n": 3, "m": 0.5, "s2": 0.25},
        {"x": np.array([2.0]), "n": 50, "m": 1.5, "s2": 0.02},
    ],
    mistakes=[
        Mistake(
            _scaled(lambda n, b: n / b, lambda n, b: n / b),
            "there is one $z$ for all examples, so its KL is paid once, not once per batch",
        ),
        Mistake(
            _scaled(lambda n, b: 1, lambda n, b: 1),
            "that is the bound of the batch alone; the batch stands for all $n$ examples",
        ),
        Mistake(
            _scaled(lambda n, b: n / b, lambda n, b: n),
            "the KL is counted $n$ times; $z$ is shared, so once is enough",
        ),
        Mistake(
            _scaled(lambda n, b: 1 / b, lambda n, b: 1 / b),
            "that is per example of the batch; asked for is the bound of all the data",
        ),
        Mistake(
            _scaled(lambda n, b: n / b, lambda n, b: -1),
            "the KL is subtracted",
        ),
        Mistake(
            lambda x, n, m, s2: _from_a_batch(x, n, m, s2) + 0.5 * n * s2,
            "the mean of $(x-z)^2$ under $q$ has the spread of $q$ in it as well",
        ),
    ],
    hint="which of the two terms is a sum over examples?",
)


# --- break: the bound rises and the likelihood falls


def _bound(joint: Any, q: Any) -> float:
    return float(np.sum(q * np.log(joint / q)))


def _judge_up_and_down(attempt: Any) -> str | None:
    if not isinstance(attempt, tuple) or len(attempt) != 3:
        return "give `(before, after, q)`, please: three pairs of numbers."
    before, after, q = (as_numbers(part) for part in attempt)
    if any(part.shape != (2,) or not np.isfinite(part).all() for part in (before, after, q)):
        return "each of `before`, `after` and `q` is a pair of finite numbers."
    if (q <= 0).any() or abs(q.sum() - 1) > 1e-6:
        return "`q` must have two positive entries with the sum 1."
    if any((joint <= 0).any() or joint.sum() > 1 for joint in (before, after)):
        return "$p(x,z)$ for the two values of $z$: positive, with a sum $p(x)$ of at most 1."
    rise = _bound(after, q) - _bound(before, q)
    fall = float(np.log(before.sum()) - np.log(after.sum()))
    if rise >= 0.5 and fall >= 0.5:
        return None
    return f"the bound changes by {rise:+.3f} nats and $\\log p(x)$ by {-fall:+.3f}."


up_and_down = Exercise(
    "up and down",
    judge=_judge_up_and_down,
    answer=((0.6, 0.001), (0.15, 0.15), (0.5, 0.5)),
    hint="begin with a $q$ far from the posterior, and end with a model whose posterior is that $q$",
)
