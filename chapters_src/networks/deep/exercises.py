"""Exercises of the chapter on deep networks: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.readers import Ask
from chapters_src.networks.deep.network import random_network
from chapters_src.networks.shallow import Layer, exact_pieces, fitting_layers
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, uniform
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above, below

__all__ = ["most_pieces", "product_of_squares", "repaired_forward", "straight", "twice_as_large"]

# --- predict: the most pieces of a 1–2–5–1 network

most_pieces = Predict(
    "1. Predict: two hinges, then five",
    "A network has one input, two hinges, then five hinges, and one output. What is the largest number of "
    "linear pieces that it can have?",
    answer=13,
    within=0.1,
    mistakes=[
        Mistake(
            18,
            "that is the ceiling $3\\cdot6$; can one line in the plane of $(h_1, h_2)$ cross all three parts "
            "of the path?",
        ),
        Mistake(17, "each unit of the second layer adds at most two joints; count again"),
        Mistake(12, "twelve is the number of joints; there is one piece more than joints"),
        Mistake(11, "the two joints of the first layer count as well"),
        Mistake(10, "those are the joints of the second layer; the first has some too"),
        Mistake(8, "a unit of the second layer can cross zero more than once"),
        Mistake(7, "a unit of the second layer can cross zero more than once"),
        Mistake(above(18), "more than $(2+1)\\cdot(5+1)$ is not possible"),
        Mistake(below(7), "seven hinges side by side make more"),
    ],
    hints=[
        "As $x$ grows, the point $(h_1(x), h_2(x))$ walks along a path of three straight parts.",
        "A unit of the second layer has its joint where that path crosses a certain straight line.",
        "The path turns in one direction only. How often can a straight line cross it?",
    ],
    why="Each second-layer unit is zero on a line in the plane of $(h_1,h_2)$. The path there is part of the "
    "border of a convex set, so a line crosses it twice at most: $2+5\\cdot2=12$ joints, 13 pieces. With "
    "$h=(\\phi(x),\\phi(1-x))$ and units $\\phi(c_j-h_1-h_2)$, each $c_j>1$ gives its two joints.",
)

# --- choose: twice as deep or twice as wide

twice_as_large = Choose(
    "2. Choose: twice as deep or twice as wide",
    "A network has one input, one output and four hidden layers of eight hinges. You may double the number "
    "of layers, or double the width of all of them. Which statement is right?",
    options=[
        Option(
            "Twice as many layers give a higher ceiling on the pieces, and cost fewer parameters.",
            right=True,
            why="The ceiling $9^4$ becomes $9^8$, its square, with 529 parameters; twice as wide it becomes "
            "$17^4$ with 865. It is a ceiling: nothing says that training comes near it.",
        ),
        Option(
            "Twice as many layers give a higher ceiling on the pieces, but cost more parameters.",
            why="Parameters grow linearly in depth and with the square of the width: 529 against 865.",
        ),
        Option(
            "The ceiling is the same: there are 64 hinges either way.",
            why="Hinges one after another multiply their pieces, hinges side by side add theirs.",
        ),
        Option(
            "With twice as many layers the trained network will have the square of the pieces it has now.",
            why="The square is what the *ceiling* becomes. Random networks have about one piece per "
            "hinge or fewer, and trained ones have been found to stay far below the ceiling too.",
        ),
    ],
    hints=[
        r"The ceiling is $(m+1)^K$.",
        r"Count the parameters of both with $3m+1+(K-1)m(m+1)$.",
    ],
)

# --- find the false line: a product out of squares


def _product() -> Derivation:
    part = uniform(0.0, 1.0)
    error = uniform(0.0, 0.1)
    d = Derivation(
        "a product out of three squares",
        where={"p": r"=\frac12(u+v)", r"\epsilon": r"=\max(e, f, g)"},
        u=part,
        v=part,
        e=error,
        f=error,
        g=error,
    )
    d.start(r"2(p^2+e)-\frac12(u^2+f)-\frac12(v^2+g)")
    d.equals(r"\frac12(u+v)^2-\frac12u^2-\frac12v^2+2e-\frac12f-\frac12g", because=r"$p=\frac12(u+v)$")
    d.equals(r"uv+2e-\frac12(f+g)", because="multiply out")
    return d.at_most(
        r"uv+2\epsilon",
        because=r"$e\le\epsilon$, and $f,g\ge0$ only help",
        tight={"e": 0.1, "f": 0.0, "g": 0.0},
    )


product_of_squares = FalseLine(
    _product(),
    {2: Variant(r"(u+v)^2-\frac12u^2-\frac12v^2+2e-\frac12f-\frac12g", because=r"$p=\frac12(u+v)$")},
    name="3. Find the false line: a product out of three squares",
    why=r"$2p^2=2\cdot\frac14(u+v)^2=\frac12(u+v)^2$. The true result says that three squaring networks, "
    r"each too large by at most $\epsilon$, multiply two numbers of $[0,1]$ to within $2\epsilon$.",
    hints=["Set the three errors to zero: every line should then be $uv$.", "Try $u=v=1$."],
)

# --- repair: a forward pass that runs and is wrong


def _forward(layers: Any, X: Any, late_bias: bool = False, clipped: bool = False, bent: bool = True) -> Any:
    """The forward pass of columns, or what a known slip makes of it."""
    H = X
    for k, (W, b) in enumerate(layers):
        last = k == len(layers) - 1
        hinge = (lambda a: np.maximum(a, 0)) if bent and (clipped or not last) else (lambda a: a)
        H = hinge(W.T @ H) + b[:, None] if late_bias else hinge(W.T @ H + b[:, None])
    return H


def _slip(hint: str, **slips: bool) -> Mistake:
    return Mistake(lambda layers, X: _forward(layers, X, **slips), hint)


def _case(seed: int, n: int, *widths: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"layers": random_network(widths, rng, 1.5, 1.0), "X": rng.standard_normal((widths[0], n))}


repaired_forward = Exercise(
    "repaired forward pass",
    answer=_forward,
    cases=[_case(0, 6, 3, 4, 3, 2), _case(1, 4, 2, 2, 2, 2), _case(2, 3, 3, 1), _case(3, 5, 1, 6, 5, 4, 1)],
    mistakes=[
        _slip(
            "two things are wrong: where the bias is added, and the last layer", late_bias=True, clipped=True
        ),
        _slip("the bias belongs inside: it moves the crease of a unit away from the origin", late_bias=True),
        _slip("an output may be negative: no hinge after the last layer", clipped=True),
        _slip("without hinges between them the layers are one linear map", bent=False),
    ],
    hint="follow one column through by hand: a linear map, then the hinge, and at the end only a linear map",
)

# --- break: a deep network that is a straight line


def _judge_straight(attempt: Any) -> str | None:
    try:
        network = fitting_layers(Ask("layers"), attempt)
    except ValueError as error:
        return f"{error}."
    if len(network[0].W) != 1 or network[-1].b.size != 1:
        return "the network should take one input and give one output."
    widths = [layer.b.size for layer in network[:-1]]
    if len(widths) != 2 or min(widths) < 2:
        return f"two hidden layers of at least two units, please; yours have widths {widths}."
    if any((layer.W == 0).any() for layer in network):
        return "a weight is zero: that is too easy."
    found = exact_pieces(network)
    if len(found.slope) > 1:
        joint = float(found.joints[0])
        return f"the output has {len(found.slope)} pieces; the first joint is at x = {joint:.4g}."
    if found.slope[0][0] == 0:
        return "the output is constant: no path from the input reaches it."
    if len(exact_pieces(network, merge=False).slope) == 1:
        return "no unit ever switches: put at least one joint into the hidden layers."
    return None


straight = Exercise(
    "a deep network that is a straight line",
    judge=_judge_straight,
    answer=[
        Layer(np.array([[2.0, -2.0]]), np.zeros(2)),
        Layer(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.zeros(2)),
        Layer(np.array([[3.0], [-3.0]]), np.ones(1)),
    ],
    hint="$\\phi(x)-\\phi(-x)=x$ for every $x$",
)
