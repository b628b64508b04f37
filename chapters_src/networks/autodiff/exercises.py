"""Exercises of the chapter on autodiff: predict, put in order, find the false line, repair, break."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chapters_src.foundations.calculus import central_difference
from chapters_src.networks.autodiff import gradient
from chapters_src.studio import Derivation, FalseLine, Order, Predict, Variant, normal
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["misled_engine", "one_adjoint", "passing_on", "repaired_sweep", "scaled_columns"]


# --- predict: a = x·x, c = a + x, ℓ = a·c at x = 2

one_adjoint = Predict(
    "1. Predict: one adjoint",
    r"With pencil and paper: $x=2$, $a=x\cdot x$, $c=a+x$ and $\ell=a\cdot c$. What is the adjoint of $a$?",
    answer=10,
    within=1e-6,
    mistakes=[
        Mistake(6, r"that is what $\ell$ reports to $a$; $c$ uses $a$ as well"),
        Mistake(4, r"that is what $c$ reports to $a$; the product $\ell$ uses $a$ as well"),
        Mistake(24, "the reports of two uses are added, not multiplied"),
        Mistake(44, r"that is the adjoint of $x$: one step too far back"),
        Mistake(7, r"$c$ passes on its adjoint times the slope 1, and its adjoint is not 1"),
    ],
    hints=[
        r"$a$ is used twice: by $c$ and by $\ell$.",
        r"The adjoint of $c$ is the slope of the product $a\cdot c$ in $c$.",
        r"$\ell$ reports the value of $c$, and $c$ reports its own adjoint times 1.",
    ],
    why=r"$\ell$ reports $c=6$; $c$ has the adjoint $a=4$ and reports $4\cdot1$; together 10. "
    r"(Going on, $\bar x=10\cdot2x+4=44$, the slope of $x^4+x^3$ at 2.)",
)


# --- put in order: which number may pass its adjoint on

passing_on = Order(
    "2. Order: who passes on first",
    r"$s=u+v$, $p=u\cdot s$, $q=\tanh s$ and $\ell=p\cdot q$. In which order may these numbers pass their "
    r"adjoints on to their parents? Any order that gives the right slopes is accepted.",
    lines=[r"$\ell$", r"$p=u\cdot s$", r"$q=\tanh s$", r"$s=u+v$"],
    before=[
        (1, 2, r"$p$ is used by $\ell$ and has to wait for it"),
        (1, 3, r"$q$ is used by $\ell$ and has to wait for it"),
        (2, 4, r"$s$ is used by $p$: its adjoint is not complete before $p$ has reported"),
        (3, 4, r"$s$ is used by $q$: its adjoint is not complete before $q$ has reported"),
    ],
    hints=[
        "A number may pass its adjoint on when everything that uses it has reported.",
        r"$s$ is used twice.",
    ],
    why=r"$\ell$ comes first and $s$ last. $p$ and $q$ do not use each other, so either may go first.",
)


# --- find the false line: the adjoints of scales that multiply the columns of X


def _scaled() -> Derivation:
    d = Derivation(
        "the adjoint of column scales",
        where={"n": "rows of X"},
        X=normal(4, 3),
        s=normal(3),
        G=normal(4, 3),
    )
    d.start(r"\nabla_s\operatorname{tr}\left(G^\top X\operatorname{diag}(s)\right)")
    d.equals(r"\nabla_s\sum_i\sum_jG_{ij}X_{ij}s_j", because="column $j$ is scaled by $s_j$")
    d.equals(r"\sum_{i=1}^nG_{i,:}\odot X_{i,:}", because="$s_j$ is used once in each row $i$")
    return d.equals(r"(G\odot X)^\top\mathbf 1", because="a sum over the rows")


scaled_columns = FalseLine(
    _scaled(),
    {
        3: Variant(r"\frac1n\sum_{i=1}^nG_{i,:}\odot X_{i,:}", because="$s_j$ is used once in each row $i$"),
        4: Variant(r"\frac1n(G\odot X)^\top\mathbf 1", because="a sum over the rows"),
    },
    name="3. Find the false line: scaled columns",
    why=r"The reports of all uses are added. A mean would be right only if a $\frac1n$ stood in the loss, "
    r"and then it would already be in $G$.",
    hints=[
        "How often is one scale used, and what happens to the reports of several uses?",
        "Try $n=2$ with all entries 1.",
    ],
)


# --- repair: a sweep over a graph whose nodes have arbitrary numbers


def _sweep(parents: Any, slopes: Any, output: int) -> Any:
    order: list[int] = []

    def visit(node: int) -> None:
        if node not in order:
            for parent in parents[node]:
                visit(parent)
            order.append(node)

    visit(output)
    adjoint = np.zeros(len(parents))
    adjoint[output] = 1.0
    for node in reversed(order):
        for parent, slope in zip(parents[node], slopes[node], strict=True):
            adjoint[parent] += slope * adjoint[node]
    return adjoint


def _wrong_sweep(add: bool, order_of: Callable[[Any, int], list[int]]) -> Any:
    def wrong(parents: Any, slopes: Any, output: int) -> Any:
        adjoint = np.zeros(len(parents))
        adjoint[output] = 1.0
        for node in order_of(parents, output):
            for parent, slope in zip(parents[node], slopes[node], strict=True):
                adjoint[parent] = (adjoint[parent] if add else 0.0) + slope * adjoint[node]
        return adjoint

    return wrong


def _as_reached(parents: Any, output: int) -> list[int]:
    reached = [output]
    for node in reached:
        reached += [parent for parent in dict.fromkeys(parents[node]) if parent not in reached]
    return reached


def _by_number(parents: Any, output: int) -> list[int]:
    return list(range(len(parents)))[::-1]


# x = 1 as node 3; a = 2x as node 1; b = a·a as node 2; y = a·b as node 0
CUBE = {
    "parents": [(1, 2), (3,), (1, 1), ()],
    "slopes": [(4.0, 2.0), (2.0,), (2.0, 2.0), ()],
    "output": 0,
}
SQUARE = {"parents": [(), (0, 0)], "slopes": [(), (3.0, 3.0)], "output": 1}
# u, v, s = u + v, q = tanh s, p = u·s, ℓ = p·q: nodes 3, 5, 0, 2, 4, 1, with u = 2 and v = −1
TWO_WAYS = {
    "parents": [(3, 5), (4, 2), (0,), (), (3, 0), ()],
    "slopes": [(1.0, 1.0), (0.75, 2.0), (0.42,), (), (1.0, 2.0), ()],
    "output": 1,
}

repaired_sweep = Exercise(
    "repaired sweep",
    answer=_sweep,
    cases=[CUBE, SQUARE, TWO_WAYS, {"parents": [(), (0,)], "slopes": [(), (5.0,)], "output": 1}],
    mistakes=[
        Mistake(
            _wrong_sweep(True, _as_reached),
            "adjoints are added now, but one is still passed on before all uses have reported",
        ),
        Mistake(_wrong_sweep(False, _as_reached), "this is the function you were given"),
        Mistake(_wrong_sweep(True, _by_number), "the numbers of the nodes say nothing about their order"),
        Mistake(
            lambda parents, slopes, output: (
                _sweep(parents, slopes, output) * (np.arange(len(parents)) != output)
            ),
            "the adjoint of the output itself is 1",
        ),
    ],
    hint="two faults: a report must be added to what is there, and a node must wait for all that use it",
)


# --- break: a smooth function whose slope the engine gives the wrong sign


def _judge_misled(attempt: Any) -> str | None:
    if not (isinstance(attempt, tuple) and len(attempt) == 2 and callable(attempt[0])):
        return "give a pair, a function of one number and the number: f, x."
    f, x = attempt
    try:
        x = float(x)
        slopes = [float(central_difference(lambda t: np.float64(f(t)), x, h)) for h in (1e-3, 1e-4, 1e-5)]
        values = [float(f(np.float64(x + h))) for h in (-1e-4, 0.0, 1e-4)]
    except Exception as error:
        return f"the function has to give a number around x, and raised {type(error).__name__}: use numpy."
    scale = max(1.0, abs(slopes[1]))
    if not np.isfinite(slopes).all() or not np.isfinite(values).all():
        return "the function is not finite around that point: only its slope may go wrong."
    if abs(values[0] - 2 * values[1] + values[2]) > 1e-6 * scale or np.ptp(slopes) > 1e-2 * scale:
        return "the function has no slope there, as difference quotients disagree: it has to be smooth."
    try:
        with np.errstate(all="ignore"):
            found = float(gradient(lambda t: f(t) + 0 * t)(x))
    except ValueError as error:
        return f"the engine refuses this function, which is honest of it: let it run. ({str(error)[:60]})"
    if not np.isfinite(found):
        return f"the engine says {found}, which anybody would notice: make it a number with the wrong sign."
    if abs(found - slopes[1]) < 1e-3 * scale:
        return f"the engine says {found:.4g} and so do differences: where does it treat a single point apart?"
    if found * slopes[1] >= 0:
        return f"the engine says {found:.4g} and differences {slopes[1]:.4g}: wrong, but not yet in its sign."
    return None


misled_engine = Exercise(
    "a slope with the wrong sign",
    judge=_judge_misled,
    hint="the engine differentiates the line that ran: give one point a line of its own, right only in value",
)
