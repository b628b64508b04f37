"""Exercises of the chapter on shallow networks: predict, choose, find the false line, implement, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.networks.shallow.network import Network
from chapters_src.networks.shallow.pieces import linear_pieces
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.questions import above, below

__all__ = ["five_lines", "jointless", "larger_of_two", "turned_unit", "unit_speed"]

# --- predict: a square and its diagonal

five_lines = Predict(
    "1. Predict: five lines in the plane",
    r"A network with two inputs has five hidden units. Their joints are the lines $x_1=0$, $x_1=1$, $x_2=0$, "
    r"$x_2=1$ and $x_1=x_2$. Into how many regions do they cut the plane?",
    answer=12,
    within=1e-9,
    mistakes=[
        Mistake(16, "that is the most five lines can make; here some are parallel, and some meet in threes"),
        Mistake(14, "the two parallel pairs are counted; now look at the corners $(0,0)$ and $(1,1)$"),
        Mistake(13, "three lines meet in $(0,0)$, and three in $(1,1)$ as well"),
        Mistake(9, "those are the regions of the first four lines; the diagonal adds some"),
        Mistake(10, "the diagonal passes through more than one region"),
        Mistake(11, "follow the diagonal from end to end: the corners cut it into more than two pieces"),
        Mistake(32, "$2^5$ counts all patterns of on and off; in the plane most of them do not occur"),
        Mistake(6, "$m+1$ is for one input, where joints are points"),
        Mistake(above(16), "five lines make at most 16 regions"),
        Mistake(below(6), "even five parallel lines make 6"),
    ],
    hints=[
        "Draw the first four lines and count.",
        "A new line adds as many regions as the lines before it cut it into pieces.",
        "The diagonal meets the other four in two points only.",
    ],
    why=r"Four lines make a grid of 9. The diagonal meets them in $(0,0)$ and $(1,1)$, so it is cut into 3 "
    "pieces, and each piece divides one region in two: 12. In general position there would be 16.",
)

# --- choose: all signs of one unit turned round

turned_unit = Choose(
    "2. Choose: all signs of one unit",
    r"In a network with one input and ReLU units somebody turns the sign of $w_j$, $b_j$ and $v_j$ of one "
    "unit, none of which is 0. What happens?",
    options=[
        Option(
            "Nothing: the signs cancel, since minus times minus is plus.",
            why=r"They would for an odd activation such as $\tanh$; the ReLU is not odd.",
        ),
        Option(
            "The joint moves to the other side of zero.",
            why=r"The joint is at $-b_j/w_j$, and a quotient keeps its value when both signs turn.",
        ),
        Option(
            "The joint stays where it is, and the bend there changes its sign.",
            right=True,
            why=r"The unit is now on where it was off, and $\lvert w_j\rvert v_j$ has turned its sign. The "
            r"output changes by $-v_j\lvert w_jx+b_j\rvert$.",
        ),
        Option(
            "The joint stays, and so does the bend; the unit is on at the other side.",
            why=r"That needs $w_j$ and $b_j$ turned alone: the bend has the sign of $v_j$.",
        ),
    ],
    hints=["Where is the joint, and how large is the bend there?", "Try $w=1$, $b=0$, $v=1$ and draw both."],
)

# --- find the false line: the larger of two numbers


def _larger() -> Derivation:
    d = Derivation("the larger of two numbers", p=normal(), q=normal())
    d.start(r"\max(p,q)")
    d.equals(r"q+\max(0,p-q)", because="take $q$ out of both")
    d.equals(
        r"q+\frac12\left(p-q+\lvert p-q\rvert\right)",
        because=r"$\max(0,a)=\frac12(a+\lvert a\rvert)$",
        broken=r"q+\frac12\lvert p-q\rvert",
    )
    return d.equals(r"\frac12\left(p+q+\lvert p-q\rvert\right)", because="collect")


larger_of_two = FalseLine(
    _larger(),
    {
        3: Variant(r"q+\frac12\lvert p-q\rvert", because=r"$\max(0,a)$ is half of $\lvert a\rvert$"),
    },
    name="3. Find the false line: the larger of two numbers",
    why=r"For positive $a$ half of $\lvert a\rvert$ is $\frac12a$, not $a$: the straight half is "
    "missing. The second line is a network with one hidden unit and the output $q+h$.",
    hints=["Put in numbers.", "Try $p=3$, $q=1$, and then the other way round."],
)

# --- implement: every unit with the inner weight 1 or −1

Units = tuple[Any, Any, Any, Any]


def _unit_speed(w: Any, b: Any, v: Any, c: float) -> Units:
    bends = w != 0
    size = np.abs(w[bends])
    constant = v[~bends] @ np.maximum(b[~bends], 0)
    return w[bends] / size, b[bends] / size, v[bends] * size, c + constant


def _case(w: Any, b: Any, v: Any, c: float) -> dict[str, Any]:
    return {"w": np.array(w), "b": np.array(b), "v": np.array(v), "c": c}


def _without(change: Any) -> Any:
    """A wrong answer: what `change` makes of the right one and the network that was asked about."""
    return lambda w, b, v, c: change(_unit_speed(w, b, v, c), w, b, v, c)


unit_speed = Exercise(
    "4. units of one slope",
    answer=_unit_speed,
    cases=[
        _case([2.0, -4.0, 0.0, 0.0, 0.5], [1.0, 2.0, 3.0, -1.0, -1.0], [1.0, 0.5, 2.0, 7.0, -6.0], -0.5),
        _case([1.5, -1.0, 1.2], [1.5, 0.2, -1.2], [0.8, 1.5, -2.0], -0.5),
        _case([0.0, -3.0], [-2.0, 1.0], [4.0, 1.0], 1.0),
        _case([-0.1], [0.3], [10.0], 0.0),
    ],
    mistakes=[
        Mistake(
            _without(lambda r, w, b, v, c: (np.abs(r[0]), r[1], r[2], r[3])),
            "a unit that faces left has to go on facing left: keep the sign of $w$",
        ),
        Mistake(
            _without(lambda r, w, b, v, c: (r[0], b[w != 0], r[2], r[3])),
            "the joints have moved: divide $b$ as well",
        ),
        Mistake(
            _without(lambda r, w, b, v, c: (r[0], r[1], v[w != 0], r[3])),
            "what was divided out inside has to be multiplied outside",
        ),
        Mistake(
            _without(lambda r, w, b, v, c: (r[0], r[1], v[w != 0] / np.abs(w[w != 0]), r[3])),
            "inside you divide, so outside you multiply",
        ),
        Mistake(
            _without(lambda r, w, b, v, c: (r[0], r[1], v[w != 0] * w[w != 0], r[3])),
            r"only a positive factor passes through $\max(0,\cdot)$: take the size of $w$, not $w$",
        ),
        Mistake(
            _without(lambda r, w, b, v, c: (*r[:3], c)),
            "a unit with $w=0$ has no joint, but it may be on everywhere: then it adds a constant",
        ),
        Mistake(
            _without(lambda r, w, b, v, c: (*r[:3], c + v[w == 0] @ b[w == 0])),
            "a unit with $w=0$ and $b<0$ is off everywhere and adds nothing",
        ),
    ],
    hint=r"$k\max(0,a)=\max(0,ka)$ for $k>0$; choose $k=\lvert w\rvert$, and think about $w=0$ on its own",
)

# --- break: four units without a joint


def _judge_jointless(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 4:
        return "give four things: w, b, v, c."
    w, b, v, c = (as_numbers(part) for part in attempt)
    if not (w.shape == b.shape == v.shape == (4,) and c.shape == ()):
        shapes = ", ".join(str(part.shape) for part in (w, b, v, c))
        return f"w, b and v must have shape (4,) and c be a number; got {shapes}."
    if not all(np.isfinite(part).all() for part in (w, b, v, c)):
        return "all numbers must be finite."
    if not w.all() or not v.all():
        return "every w and every v must differ from zero: such a unit has no joint to hide."
    if len({(w_j, b_j) for w_j, b_j in zip(w.tolist(), b.tolist(), strict=True)}) < 4:
        return "two of the units are alike, and could be one."
    pieces = linear_pieces(Network(w[None], b, v[:, None], c[None]))
    if len(pieces.joints):
        bend = np.diff(pieces.slopes[:, 0])[0]
        return f"there is a joint at {pieces.joints[0]:.4g}, where the slope changes by {bend:.3g}."
    if pieces.slopes[0, 0] == 0:
        return "the network is constant; let it rise or fall."
    return None


jointless = Exercise(
    "5. four units without a joint",
    judge=_judge_jointless,
    answer=(
        np.array([1.0, -1.0, 2.0, -2.0]),
        np.array([1.0, -1.0, 0.0, 0.0]),
        np.array([3.0, -3.0, 1.0, -1.0]),
        0.0,
    ),
    hint=r"a unit bends by $\lvert w\rvert v$ at $-b/w$; two units at one place, facing apart, can cancel",
)
