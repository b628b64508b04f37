"""Exercises of the chapter on diffusion: predict, choose, find the false line, implement, repair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    above,
    integers,
    normal,
    uniform,
)
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["a_loss_that_stays", "data_from_v", "fewer_steps", "jump_between", "repaired_step"]


# --- predict: the same end in a quarter of the steps

fewer_steps = Predict(
    "1. Predict: fewer steps",
    "The published line has $T=1000$, $\\beta_1=10^{-4}$ and $\\beta_T=0.02$. You can afford $T=250$, keep "
    "$\\beta_1$ and the straight line, and want to end with about the same $\\bar\\alpha_T$. Which "
    "$\\beta_T$ do you take? (Two digits.)",
    answer=0.0787,
    within=0.004,
    mistakes=[
        Mistake(0.02, "with the same ends and fewer steps the β add up to a quarter of what they did"),
        Mistake(0.005, "fewer steps have to add more noise each, not less"),
        Mistake(0.04, "the sum of the β must stay: what does a quarter of the steps do to it?"),
        Mistake(0.32, "the number of steps enters the sum once, not squared"),
        Mistake(above(0.5), "that would be a step of almost pure noise; compare the sums of the β"),
    ],
    hints=[
        "What is left at the end depends on the sum of the β.",
        "The sum is about $T\\beta_T/2$, as $\\beta_1$ is negligible: $250\\,\\beta_T/2\\approx10$.",
    ],
    why="The sum of the β has to stay about 10, so four times fewer steps need a β_T about four times "
    "larger, 0.08; a little less will do, because log(1 − β) is below −β.",
)


# --- choose: a loss that stops falling

a_loss_that_stays = Choose(
    "2. Choose: a loss that stays",
    "Training on the spiral, the loss has stayed at 0.23 for a long time. A network twice as wide, and one "
    "trained for twice as long, stay at 0.23 as well, on held-out points too. What is the most likely "
    "explanation?",
    options=[
        Option(
            "the learning rate is too small",
            why="Then the network that was trained for twice as long would have come lower.",
        ),
        Option(
            "the network overfits",
            why="Then the loss on held-out points would be above that on the training points.",
        ),
        Option(
            "the rest of the noise cannot be known from the noisy point",
            right=True,
            why="Many pairs of data and noise lead to the same noisy point. The best guess is their mean, "
            "and the spread around it stays, however good the network.",
        ),
        Option(
            "the schedule does not end in noise",
            why="Then samples would be wrong, but the loss does not notice: it only asks for the noise at "
            "each step.",
        ),
    ],
    hints=["At $t=1$ the point is almost clean. Can anybody tell the noise in it?"],
)


# --- find the false line: the data from v


def _data_from_v() -> Derivation:
    names = {
        "x_0": "x0",
        r"\varepsilon": "e",
        r"\bar\alpha_t": r"= \prod_{s=1}^t\alpha_s",
        "x_t": r"= \sqrt{\bar\alpha_t}x_0+\sqrt{1-\bar\alpha_t}\varepsilon",
        "v": r"= \sqrt{\bar\alpha_t}\varepsilon-\sqrt{1-\bar\alpha_t}x_0",
    }
    d = Derivation(
        "the data from v",
        where=names,
        x0=normal(2),
        e=normal(2),
        alpha=uniform(0.3, 0.99, 4),
        t=integers(1, 5),
    )
    d.start(r"\sqrt{\bar\alpha_t}x_t-\sqrt{1-\bar\alpha_t}v")
    d.equals(
        r"\bar\alpha_tx_0+\sqrt{\bar\alpha_t(1-\bar\alpha_t)}\varepsilon"
        r"-\sqrt{\bar\alpha_t(1-\bar\alpha_t)}\varepsilon+(1-\bar\alpha_t)x_0",
        because="put in $x_t$ and $v$, and multiply out",
    )
    d.equals(r"\bar\alpha_tx_0+(1-\bar\alpha_t)x_0", because="the noise cancels")
    return d.equals(r"x_0", because="collect")


data_from_v = FalseLine(
    _data_from_v(),
    {
        3: Variant(r"\bar\alpha_tx_0-(1-\bar\alpha_t)x_0", because="the noise cancels"),
        4: Variant(r"(2\bar\alpha_t-1)x_0", because="collect"),
    },
    name="3. Find the false line: the data from v",
    question="A network guesses $v=\\sqrt{\\bar\\alpha_t}\\,\\varepsilon-\\sqrt{1-\\bar\\alpha_t}\\,x_0$. "
    "Somebody wants the data back from $x_t$ and $v$. Which is the first false line?",
    why="$-\\sqrt{1-\\bar\\alpha_t}$ meets $-\\sqrt{1-\\bar\\alpha_t}\\,x_0$ and gives "
    "$+(1-\\bar\\alpha_t)x_0$. With the right sign both parts add up to $x_0$ at every noise level, and "
    "nothing is divided by a small number.",
    hints=[
        "Put $\\varepsilon=0$ and follow the signs of $x_0$.",
        "What should come out at $\\bar\\alpha_t=0$?",
    ],
)


# --- implement: from step s to step t in one jump


def _jump(beta: Any, s: int, t: int) -> Any:
    kept = np.prod(1 - np.asarray(beta)[s + 1 : t + 1])
    return np.sqrt(kept), 1 - kept


def _jump_mistake(pair: Callable[[float, float], Any], hint: str) -> Mistake:
    """Another pair made of ᾱₛ and ᾱₜ."""

    def wrong(beta: Any, s: int, t: int) -> Any:
        bar = np.cumprod(1 - np.asarray(beta))
        return pair(bar[s], bar[t])

    return Mistake(wrong, hint)


def _other_steps(first: int, last: int, hint: str) -> Mistake:
    """The product over other steps than s + 1, …, t."""

    def wrong(beta: Any, s: int, t: int) -> Any:
        kept = np.prod(1 - np.asarray(beta)[s + first : t + last])
        return np.sqrt(kept), 1 - kept

    return Mistake(wrong, hint)


SHORT = np.array([0.0, 0.1, 0.2, 0.5, 0.25])

jump_between = Exercise(
    "from step s to step t",
    answer=_jump,
    cases=[
        {"beta": SHORT, "s": 2, "t": 4},
        {"beta": SHORT, "s": 0, "t": 4},
        {"beta": SHORT, "s": 1, "t": 3},
        {"beta": np.concatenate([[0.0], np.linspace(1e-4, 0.02, 1000)]), "s": 300, "t": 700},
    ],
    mistakes=[
        _jump_mistake(
            lambda s, t: (np.sqrt(t), 1 - t), "that jumps from $x_0$; divide out the steps up to $s$"
        ),
        _jump_mistake(
            lambda s, t: (t / s, 1 - t / s),
            "every step multiplies by $\\sqrt{\\alpha}$, so the factor has a root",
        ),
        _jump_mistake(
            lambda s, t: (np.sqrt(t / s), np.sqrt(1 - t / s)),
            "the variance is asked for, not the standard deviation",
        ),
        _jump_mistake(
            lambda s, t: (np.sqrt(t / s), s - t),
            "noise that is already in $x_s$ shrinks too: the variances do not add up like that",
        ),
        _other_steps(0, 0, "from $s$ to $t$ the steps $s+1,\\dots,t$ are taken; you took $s,\\dots,t-1$"),
        _other_steps(0, 1, "step $s$ has been taken already: begin with $s+1$"),
        Mistake(
            lambda beta, s, t: (
                np.sqrt(np.prod(1 - np.asarray(beta)[s + 1 : t + 1])),
                np.sum(np.asarray(beta)[s + 1 : t + 1]),
            ),
            "the $\\beta$ do not add up to the variance: each step shrinks the noise of the one before",
        ),
    ],
    hint="the derivation of the jump works from any start: only the steps after $s$ count",
)


# --- repair: an ancestral step that blurs


def _step(x_t: Any, eps: Any, z: Any, beta: Any, t: Any, power: float = 0.5, last: bool = False) -> Any:
    bar = np.cumprod(1 - beta)
    mean = (x_t - beta[t] / np.sqrt(1 - bar[t]) * eps) / np.sqrt(1 - beta[t])
    return mean + np.where((t > 1) | last, beta[t] ** power, 0) * z


def _other_step(hint: str, **changes: Any) -> Mistake:
    return Mistake(lambda x_t, eps, z, beta, t: _step(x_t, eps, z, beta, t, **changes), hint)


def _particles(seed: int, n: int, beta: Any) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x_t, eps, z = rng.standard_normal((3, n))
    steps = rng.permutation(np.arange(n) % (len(beta) - 1) + 1)
    return {"x_t": x_t, "eps": eps, "z": z, "beta": beta, "t": steps}


repaired_step = Exercise(
    "an ancestral step that blurs",
    answer=_step,
    cases=[
        _particles(1, 4, SHORT),
        _particles(2, 9, SHORT),
        _particles(3, 12, np.concatenate([[0.0], np.linspace(1e-4, 0.02, 1000)])),
    ],
    mistakes=[
        _other_step(
            "two things are wrong, and both are still there: which number multiplies $z$, and when?",
            power=0.25,
            last=True,
        ),
        _other_step("the last step must end without noise: where $t$ is 1, add nothing", last=True),
        _other_step(
            "the last step is right now; $\\beta_t$ is a variance, and $z$ needs its root", power=0.25
        ),
        _other_step("$z$ is multiplied by the standard deviation, the root of $\\beta_t$", power=1.0),
        _other_step("the root is missing, and the last step must end without noise", power=1.0, last=True),
        Mistake(
            lambda x_t, eps, z, beta, t: _step(x_t, eps, 0 * z, beta, t),
            "steps before the last one do draw noise",
        ),
    ],
    hint="which standard deviation has a noise of variance $\\beta_t$, and what is the step before $x_1$?",
)
