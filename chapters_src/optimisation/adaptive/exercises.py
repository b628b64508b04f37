"""Exercises on momentum and adaptive steps: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.optimisation.adaptive.optimisers import Adam
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, uniform
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above

__all__ = [
    "a_loss_times_hundred",
    "far_jump",
    "largest_stable_rate",
    "nesterov_at_its_limit",
    "repaired_adam",
]

# --- predict: where momentum begins to diverge

largest_stable_rate = Predict(
    "1. Predict: the largest stable rate",
    "With pencil and paper: a quadratic in one dimension has curvature 4, and momentum (as a sum) has "
    r"$\beta=\frac14$. Above which $\eta$ does it diverge?",
    answer=0.625,
    within=0.005,
    mistakes=[
        Mistake(0.5, "that is the limit of plain gradient descent; momentum changes it"),
        Mistake(
            0.5625,
            "there the roots become real; just above, both are still inside the unit circle",
        ),
        Mistake(0.375, "that is the limit for plain descent times $1-\\beta$, as if steps only added up"),
        Mistake(2.5, "that is $\\eta\\lambda$; divide by the curvature"),
        Mistake(above(0.63), "at this rate a root has already left the unit circle"),
    ],
    hints=[
        r"Which value of $r$ does a root of $r^2-(1+\beta-\eta\lambda)r+\beta$ pass when it leaves the "
        "unit circle? For a large rate the error changes its sign in every step.",
        r"Put $r=-1$ into the polynomial and solve for $\eta$.",
    ],
    why=r"At $r=-1$ the polynomial is $2+2\beta-\eta\lambda$, so the limit is $\eta=2(1+\beta)/\lambda="
    r"2.5/4$. Momentum widens the range of rates that do not diverge by the factor $1+\beta$.",
)

# --- choose: which method notices that the loss was summed

a_loss_times_hundred = Choose(
    "2. Choose: the loss times a hundred",
    "A colleague sums the loss over the 100 examples of each batch, where you average it, and changes no "
    r"setting ($\lambda$ included, $\varepsilon=0$). With which method does she still get your weights?",
    options=[
        Option(
            "gradient descent with momentum, no decay",
            why="Her gradients are 100 times as large, and so are her steps.",
        ),
        Option(
            r"Adam with an L2 penalty $\frac\lambda2\lVert\theta\rVert^2$ added to the loss",
            why="Adam is blind to a factor of the whole gradient. Here only the loss was multiplied and the "
            "penalty was not, so its share of the gradient is 100 times smaller for her.",
        ),
        Option(
            r"AdamW with weight decay $\lambda$",
            right=True,
            why="The ratio does not see the factor, and the decay acts outside it, with the same rate.",
        ),
        Option("none of them", why="Look at what is divided by what, and at what stands outside."),
    ],
    hints=["In which of them is every number that the factor touches also divided by it?"],
)

# --- find the false line: Nesterov's polynomial at −1


def _limit() -> Derivation:
    d = Derivation("Nesterov's polynomial at −1", beta=uniform(0.1, 0.95), x=uniform(0.1, 3.0))
    d.start(r"1+(1+\beta)(1-x)+\beta(1-x)")
    d.equals(r"1+(1+2\beta)(1-x)", because=r"take out $1-x$")
    d.equals(r"2+2\beta-(1+2\beta)x", because="multiply out")
    return d.equals(r"(1+2\beta)\left(\frac{2+2\beta}{1+2\beta}-x\right)", because=r"take out $1+2\beta$")


nesterov_at_its_limit = FalseLine(
    _limit(),
    {2: Variant(r"1+(1+\beta^2)(1-x)", because=r"take out $1-x$")},
    name="3. Find the false line: where Nesterov diverges",
    why=r"$(1+\beta)+\beta=1+2\beta$: the two terms are added, not multiplied. The last line is zero at "
    r"$x=\eta\lambda=\frac{2+2\beta}{1+2\beta}$. Above it Nesterov diverges, and for every $\beta>0$ that is "
    "earlier than plain descent, whose limit is 2.",
    hints=[
        r"With $x=\eta\lambda$ the two roots of a step of Nesterov are those of "
        r"$r^2-(1+\beta)(1-x)r+\beta(1-x)$. The first line puts in $r=-1$.",
        r"Put $x=0$ and $\beta=1$ into every line.",
    ],
)

# --- repair: Adam whose β₁ changes on the way


def _adam(
    gradients: Any,
    eta: float,
    betas: Any,
    beta2: float,
    eps: float,
    left: Callable[[Any, int], float] = lambda betas, t: float(np.prod(betas[:t])),
    keep: bool = False,
    sign: float = 1.0,
    inside: bool = False,
) -> float:
    """The last θ of Adam from 0, or what a slip makes of it; ``left``: what the start at 0 still weighs."""
    theta = m = v = 0.0
    for t, (g, beta) in enumerate(zip(gradients, betas, strict=True), start=1):
        m, v = beta * m + (1 - beta) * g, beta2 * v + (1 - beta2) * g**2
        m_hat, v_hat = m / (1 - left(betas, t)), v / (1 - beta2**t)
        m = m_hat if keep else m
        theta -= sign * eta * m_hat / ((v_hat + eps) ** 0.5 if inside else v_hat**0.5 + eps)
    return float(theta)


def _slip(hint: str, **changes: Any) -> Mistake:
    def wrong(gradients: Any, eta: float, betas: Any, beta2: float, eps: float) -> float:
        return _adam(gradients, eta, betas, beta2, eps, **changes)

    return Mistake(wrong, hint)


def _case(gradients: list[float], eta: float, betas: list[float], beta2: float, eps: float) -> dict[str, Any]:
    return {
        "gradients": np.array(gradients),
        "eta": eta,
        "betas": np.array(betas),
        "beta2": beta2,
        "eps": eps,
    }


repaired_adam = Exercise(
    "repaired Adam",
    answer=lambda gradients, eta, betas, beta2, eps: _adam(gradients, eta, betas, beta2, eps),
    cases=[
        _case([1.0, 1.0, 1.0], 0.1, [0.5, 0.9, 0.8], 0.99, 0.05),
        _case([1.0, -0.5, 2.0, 0.3], 0.1, [0.95, 0.9, 0.85, 0.9], 0.999, 1e-8),
        _case([0.01, 3.0, -2.0, 0.5, 0.5, -1.0], 0.02, [0.0, 0.5, 0.9, 0.9, 0.5, 0.2], 0.9, 1e-3),
    ],
    mistakes=[
        _slip(
            "this is the function as given: the power is right only if all steps have the same β₁",
            left=lambda betas, t: float(betas[t - 1] ** t),
        ),
        _slip("without any correction the first steps are too short", left=lambda betas, t: 0.0),
        _slip("not the first β₁ alone either: each step has its own", left=lambda betas, t: betas[0] ** t),
        _slip(
            "nor the power of a mean: ask what each step leaves of the weight of the start",
            left=lambda betas, t: float(np.mean(betas[:t]) ** t),
        ),
        _slip(
            "the last step leaves less of the start too: its β₁ belongs to the product",
            left=lambda betas, t: float(np.prod(betas[: t - 1])) if t > 1 else float(betas[0]),
        ),
        _slip("the memory keeps the corrected average, and corrects it again in the next step", keep=True),
        _slip("this walks uphill: the step is subtracted", sign=-1.0),
        _slip(r"$\varepsilon$ is added to the root, not under it", inside=True),
    ],
    hint="let all gradients be 1 and print m and m_hat: which number must m_hat be in every step?",
)

# --- break: gradients under which Adam takes a long step


def _judge_jump(attempt: Any) -> str | None:
    g = as_numbers(attempt)
    if g.ndim != 1 or not 1 <= len(g) <= 2000 or not np.isfinite(g).all():
        return f"at most 2000 finite numbers in one row, please; got shape {g.shape}."
    adam, theta = Adam(1.0), np.zeros(1)
    longest = 0.0
    for one in g:
        before, theta = theta, adam.step(theta, np.array([float(np.real(one))]))
        longest = max(longest, abs(float((theta - before)[0])))
    return None if longest > 5 else f"the longest step is {longest:.2f} times η."


far_jump = Exercise(
    "gradients that make Adam jump",
    judge=_judge_jump,
    answer=1.11 ** np.arange(1500.0),
    hint="$v$ must not have noticed yet what $m$ already has: let the gradients grow, by how much per step?",
)
