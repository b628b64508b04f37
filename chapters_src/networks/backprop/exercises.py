"""Exercises of the chapter on back-propagation: predict, find the false line, order, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import Derivation, FalseLine, Order, Predict, Variant, normal
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "blind_batch",
    "last_layer_alone",
    "one_step",
    "repaired_gradients",
    "same_weights_twice",
]


# --- predict: what is left of the backward pass if only the last layer is trained

FIRST, SECOND, LAST = 784 * 256, 256 * 256, 256 * 10
ONCE = FIRST + SECOND + LAST

last_layer_alone = Predict(
    "1. Predict: only the last layer is trained",
    "A 784–256–256–10 network comes trained from elsewhere. You keep its first two layers as they are "
    "and train the last one alone. Counting multiplications in matrix products, what is the backward pass "
    "of one step divided by the forward pass? Give three decimals or more.",
    answer=LAST / ONCE,
    within=5e-4,
    mistakes=[
        Mistake(
            2 * LAST / ONCE, "the second product would carry the adjoint on to layers that nobody trains"
        ),
        Mistake(2 - FIRST / ONCE, "that is the whole backward pass; most of it is not needed here"),
        Mistake(1 / 3, "one layer of three, but the layers differ in size: count their weights"),
        Mistake(1.0, "the forward pass still goes through all three layers; the backward pass does not"),
        Mistake(LAST / FIRST, "the forward pass consists of all three products"),
    ],
    hints=[
        "Which products does the backward pass need at the last layer, and for whom?",
        r"$\nabla W_3=h_2^\top\Delta_3$ is one product. Who would use $\Delta_3W_3^\top$?",
    ],
    why="One product of 256 × 10 per example is left, out of 268,800 multiplications in the forward pass: "
    "about one per cent. This is why it is cheap to train a new last layer on top of a fixed network.",
)


# --- find the false line: weights that are used in two layers


def _twice() -> Derivation:
    d = Derivation(
        "the same weights in two layers",
        where={
            "h": r"=\tanh(XW)",
            r"\Delta_2": r"=\cos(hW)",
            "S": r"=1-h\odot h",
            r"\Delta_1": r"=(\Delta_2W^\top)\odot S",
        },
        X=normal(4, 3),
        W=normal(3, 3),
    )
    d.start(r"\nabla_W\sum_i\sum_k\sin((hW)_{ik})")
    d.equals(
        r"h^\top\Delta_2+X^\top\Delta_1",
        because=r"$W$ is used twice, in $h=\tanh(XW)$ and in $hW$: add up both gradients",
    )
    d.equals(
        r"h^\top\Delta_2+X^\top((\Delta_2W^\top)\odot S)",
        because=r"back through $W$ and $\tanh$ with its slope $S$",
        broken=r"h^\top\Delta_2+X^\top(\Delta_2W^\top)",
    )
    return d.equals(
        r"h^\top\Delta_2+X^\top((\Delta_2W^\top)\odot(1-h\odot h))",
        because=r"the slope of $\tanh$ is $1-\tanh^2$",
        broken=r"h^\top\Delta_2+X^\top((\Delta_2W^\top)\odot(1-h))",
    )


same_weights_twice = FalseLine(
    _twice(),
    {
        3: Variant(
            r"h^\top\Delta_2+X^\top((\Delta_2W)\odot S)",
            because=r"back through $W$ and $\tanh$ with its slope $S$",
        ),
        4: Variant(
            r"h^\top\Delta_2+X^\top((\Delta_2W)\odot(1-h\odot h))",
            because=r"the slope of $\tanh$ is $1-\tanh^2$",
        ),
    },
    name="2. Find the false line: the same weights in two layers",
    why=r"Going back, the weights are transposed. $W$ is square here, so $\Delta_2W$ has the right shape and "
    "nothing complains.",
    hints=[
        "Shapes will not help: $W$ has three rows and three columns.",
        r"Entry $(i,j)$ adds up the ways back from unit $k$ to unit $j$: $\sum_k\Delta_{ik}W_{jk}$.",
    ],
)


# --- order: one step that changes the weights in place

one_step = Order(
    "3. Order: one step of training",
    "One training step of a network with a hidden layer of ReLUs, without biases. The weights are changed "
    "in place. Put the lines in an order that does what the mathematics says.",
    lines=[
        "a1 = X @ W1",
        "h1 = np.maximum(a1, 0)",
        "a2 = h1 @ W2",
        "delta2 = (softmax(a2, axis=1) - Y) / len(X)",
        "delta1 = (delta2 @ W2.T) * (a1 > 0)",
        "W2 -= eta * h1.T @ delta2",
        "W1 -= eta * X.T @ delta1",
    ],
    before=[
        (1, 2, "the hidden units need their pre-activations"),
        (2, 3, "the second layer reads what the first one puts out"),
        (3, 4, "the backward pass starts from the output"),
        (4, 5, "the adjoint of the hidden layer comes from that of the output"),
        (5, 6, "delta1 needs the weights that the forward pass used; here they have changed already"),
        (5, 7, "the gradient of W1 is made from delta1"),
    ],
    code=True,
    hints=["Everything that the backward pass reads must be as the forward pass left it."],
    why="The two updates may come in either order, but both come after delta1: it is made with the weights "
    "that the forward pass used.",
)


# --- repair: two transposes that are missing and go unnoticed while all layers have one width


def _gradients(X: Any, Y: Any, W1: Any, W2: Any) -> Any:
    a1 = X @ W1
    h1 = np.maximum(a1, 0)
    delta2 = 2 / len(X) * (h1 @ W2 - Y)
    delta1 = (delta2 @ W2.T) * (a1 > 0)
    return X.T @ delta1, h1.T @ delta2


def _wrong(change: Any, hint: str) -> Mistake:
    """The right answer with one thing changed."""

    def attempt(X: Any, Y: Any, W1: Any, W2: Any) -> Any:
        a1 = X @ W1
        h1 = np.maximum(a1, 0)
        return change(X, Y, W2, a1, h1, 2 / len(X) * (h1 @ W2 - Y))

    return Mistake(attempt, hint)


def _case(seed: int, n: int, d: int, units: int, outputs: int) -> dict[str, Any]:
    draw = np.random.default_rng(seed).normal
    X, Y = draw(size=(n, d)), draw(size=(n, outputs))
    return {"X": X, "Y": Y, "W1": draw(size=(d, units)), "W2": draw(size=(units, outputs))}


repaired_gradients = Exercise(
    "gradients of a network that need not be square",
    answer=_gradients,
    cases=[_case(0, 5, 3, 3, 3), _case(1, 4, 2, 5, 3), _case(2, 1, 4, 2, 1), _case(3, 6, 3, 4, 2)],
    mistakes=[
        _wrong(
            lambda X, Y, W2, a1, h1, d: (X.T @ ((d @ W2) * (a1 > 0)), d.T @ h1),
            "both mistakes are still there: write down all shapes for 2 inputs, 5 units and 3 outputs",
        ),
        _wrong(
            lambda X, Y, W2, a1, h1, d: (X.T @ ((d @ W2.T) * (a1 > 0)), d.T @ h1),
            "the second gradient has not the shape of $W_2$: a gradient has the shape of what it belongs to",
        ),
        _wrong(
            lambda X, Y, W2, a1, h1, d: (X.T @ ((d @ W2) * (a1 > 0)), h1.T @ d),
            "the adjoint goes back through the transposed weights",
        ),
        _wrong(
            lambda X, Y, W2, a1, h1, d: (X.T @ (d @ W2.T), h1.T @ d),
            "the mask of the ReLU was right: keep it",
        ),
        _wrong(
            lambda X, Y, W2, a1, h1, d: (X.T @ ((d @ W2.T) * (a1 > 0)) / len(X), h1.T @ d / len(X)),
            "$1/n$ is in $\\Delta_2$ already; here it comes in twice",
        ),
    ],
    hint="try it with 2 inputs, 5 hidden units and 3 outputs: numpy will point at the first mistake",
)


# --- break: a batch on which a gradient check cannot see that the mask is missing

W1 = np.array([[1.0, -1.0, 0.5], [0.0, 1.0, -1.0]])
b1 = np.array([0.0, 0.5, 1.0])
W2 = np.array([[1.0], [-2.0], [1.0]])


def _judge_batch(attempt: Any) -> str | None:
    X = as_numbers(attempt)
    if X.ndim != 2 or X.shape[1] != 2 or not 2 <= len(X) <= 6:
        return f"give a batch of two to six rows and two columns; got shape {X.shape}."
    if not np.isfinite(X).all():
        return "finite numbers, please."
    if len(np.unique(X, axis=0)) < len(X):
        return "two rows are equal: give different examples."
    a1 = X @ W1 + b1
    back = 2 / len(X) * (np.maximum(a1, 0) @ W2) @ W2.T
    right, wrong = X.T @ (back * (a1 > 0)), X.T @ back
    if not np.abs(wrong).max() > 1e-6:
        return "all outputs are right, so every gradient is zero and shows nothing."
    apart = np.abs(right - wrong)
    if apart.max() <= 1e-12 * np.abs(wrong).max():
        return None
    unit = int(apart.max(axis=0).argmax())
    row = np.flatnonzero(a1[:, unit] <= 0)[0]
    return (
        f"unit {unit + 1} is off for row {row + 1}, and there the mask matters: "
        f"the two gradients of W1 differ by {apart.max():.3g}."
    )


blind_batch = Exercise(
    "a batch on which the mistake does not show",
    judge=_judge_batch,
    answer=np.array([[1.0, 1.0], [0.5, 0.5]]),
    hint="where every unit is on, the mask multiplies by 1",
)
