"""Exercises of the chapter on convolution: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.networks.convolution import pool
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, integers, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "gradient_with_stride",
    "repaired_gradient",
    "restless_signal",
    "seen_by_one",
    "what_a_shift_keeps",
]


# --- predict: the receptive field of convolution, pooling, convolution

seen_by_one = Predict(
    "1. Predict: how far does it see?",
    "A 5×5 convolution, then 2×2 pooling with stride 2, then a 3×3 convolution with dilation 2. How many "
    "pixels wide is the square of the image that one number of the last map depends on?",
    answer=14,
    within=0.1,
    mistakes=[
        Mistake(10, "for the last layer both count: taps two apart, and steps of two pixels"),
        Mistake(8, "for the last layer both count: taps two apart, and steps of two pixels"),
        Mistake(13, "the pooling window adds a pixel of its own"),
        Mistake(15, "the stride of the pooling counts for the layers after it, not for its own window"),
    ],
    hints=[
        "Go from the image upwards and keep two numbers: the field, and how many pixels one step is.",
        "After the 5×5 convolution the field is 5; the pooling adds 1 and makes a step two pixels.",
        "The last kernel has its outer taps four steps apart.",
    ],
    why="1 + 4·1 + 1·1 + 2·(3 − 1)·2 = 14.",
)


# --- choose: which operation commutes with every shift of a signal on a ring

what_a_shift_keeps = Choose(
    "2. Choose: what keeps step with a shift?",
    "A signal lies on a ring, so that nothing is lost at an end. Which of these does **not** shift its "
    "output by one place whenever the input is shifted by one place?",
    options=[
        Option(
            "A convolution with dilation 3, padded round the ring.",
            why="Every place still does the same with its neighbours, only with more distant ones.",
        ),
        Option(
            "ReLU, applied to each number.",
            why="It does the same at each place and looks at no neighbour, so it keeps step.",
        ),
        Option(
            "The largest of each number and its right neighbour.",
            why="This is max pooling with stride 1: not linear, but the same rule at every place.",
        ),
        Option(
            "A convolution with stride 2, its output doubled in length by repeating each number.",
            right=True,
            why="After a shift by one the windows start at the other half of the places. Only shifts by an "
            "even number of places come out as shifts.",
        ),
    ],
    hints=["Is the same rule used at *every* place?", "Try the signal (1, 0, 0, 0) and its shifts."],
)


# --- find the false line: the gradient by the input of a convolution with stride 2


def _gradient() -> Derivation:
    d = Derivation("back to the input", w=normal(3), x=normal(9), g=normal(4), j=integers(1, 9))
    d.start(r"\frac{\partial}{\partial x_j}\sum_{i=1}^4g_i\sum_{k=1}^3w_kx_{2(i-1)+k}")
    d.equals(
        r"\sum_{i=1}^4\sum_{k=1}^3g_iw_k\mathbf 1[2(i-1)+k=j]",
        because="keep the terms that contain $x_j$",
        broken=r"\sum_{i=1}^4\sum_{k=1}^3g_iw_k",
    )
    d.equals(
        r"\sum_{i=1}^4g_i\sum_{k=1}^3w_k\mathbf 1[k=j-2i+2]",
        because="solve for $k$",
        broken=r"\sum_{i=1}^4g_i\sum_{k=1}^3w_k\mathbf 1[k=j-2i]",
    )
    return d.equals(
        r"\sum_{k=1}^3w_k\sum_{i=1}^4g_i\mathbf 1[2i=j-k+2]",
        because="sum over the windows first",
        broken=r"\sum_{k=1}^3w_k\sum_{i=1}^4g_i\mathbf 1[2i=j-k]",
    )


gradient_with_stride = FalseLine(
    _gradient(),
    {
        2: Variant(
            r"\sum_{i=1}^4\sum_{k=1}^3g_iw_k\mathbf 1[i+k-1=j]", because="keep the terms that contain $x_j$"
        ),
        3: Variant(r"\sum_{i=1}^4g_i\sum_{k=1}^3w_k\mathbf 1[k=j-i+1]", because="solve for $k$"),
        4: Variant(r"\sum_{k=1}^3w_k\sum_{i=1}^4g_i\mathbf 1[i=j-k+1]", because="sum over the windows first"),
    },
    name="3. Find the false line: back through a stride of 2",
    why="Windows start two places apart: tap $k$ of window $i$ lies on place $2(i-1)+k$, not on $i+k-1$.",
    hints=["Which inputs does the second window read?", "Put $i=2$ and $k=1$ into the first line."],
)


# --- repair: the gradient by the input that forgets the stride and the dilation


def _by_input(w: Any, g: Any, size: int, stride: int, dilation: int) -> Any:
    out = np.zeros(size)
    for i, signal in enumerate(g):
        for k, weight in enumerate(w):
            out[i * stride + k * dilation] += signal * weight
    return out


def _scattered(place: Any, hint: str, add: bool = True) -> Mistake:
    """The same loop with another place or an assignment in place of the sum."""

    def wrong(w: Any, g: Any, size: int, stride: int, dilation: int) -> Any:
        out = np.zeros(size)
        for i, signal in enumerate(g):
            for k, weight in enumerate(w):
                at = place(i, k, stride, dilation, len(w))
                if 0 <= at < size:
                    out[at] = signal * weight + (out[at] if add else 0)
        return out

    return Mistake(wrong, hint)


repaired_gradient = Exercise(
    "repaired gradient",
    answer=_by_input,
    cases=[
        {"w": [1.0, 2.0, 4.0], "g": [1.0, 10.0, 100.0], "size": 13, "stride": 4, "dilation": 2},
        {"w": [1.0, 2.0, 4.0], "g": [1.0, 10.0, 100.0], "size": 5, "stride": 1, "dilation": 1},
        {"w": [1.0, -1.0], "g": [3.0, 5.0], "size": 6, "stride": 2, "dilation": 3},
        {"w": [2.0], "g": [1.0, 2.0, 3.0], "size": 6, "stride": 2, "dilation": 1},
    ],
    mistakes=[
        _scattered(lambda i, k, s, d, n: i + k, "neither the stride nor the dilation is used"),
        _scattered(lambda i, k, s, d, n: i * s + k, "the taps of a window lie a dilation apart"),
        _scattered(lambda i, k, s, d, n: i + k * d, "the windows start a stride apart"),
        _scattered(
            lambda i, k, s, d, n: i * s + k * d,
            "an input that lies in two windows hears from both",
            add=False,
        ),
        _scattered(
            lambda i, k, s, d, n: i * s + (n - 1 - k) * d,
            "tap k met this very input on the way forwards: nothing is flipped in this loop",
        ),
    ],
    hint="write down which input tap k of window i has read, and add its share there",
)


# --- break: a signal that max pooling does not hide a shift of


def _judge_restless(attempt: Any) -> str | None:
    x = as_numbers(attempt)
    if x.shape != (8,) or not np.isfinite(x).all():
        return f"give eight finite numbers, please; got shape {x.shape}."
    pooled = [_pooled(one) for one in (x, np.roll(x, 1))]
    kept = int(np.sum(np.abs(pooled[0] - pooled[1]) <= 1e-9))
    if kept == 0:
        return None
    verb = "is" if kept == 1 else "are"
    return f"{kept} of the four pooled numbers {verb} the same after the shift: {pooled[0]} and {pooled[1]}."


def _pooled(x: Any) -> Any:
    return pool(np.tile(x, (2, 1))[None, None], 2)[0, 0, 0]


restless_signal = Exercise(
    "a signal that pooling cannot calm",
    judge=_judge_restless,
    answer=np.arange(8.0),
    hint="write down which pairs are compared before and after the shift, place by place",
)
