"""Exercises of the chapter on deep networks: derive, implement, predict, break, build."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.core.readers import Ask
from chapters_src.networks.deep import count_pieces, folding, pieces
from chapters_src.networks.shallow import fitting_layers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "folded_often",
    "how_many",
    "merged",
    "mish_derivative",
    "most_pieces",
    "predict",
    "straight",
]


# --- derive: the derivative of a · tanh(softplus(a))


def _parts(a: Any) -> tuple[Any, Any, Any]:
    soft = np.logaddexp(0.0, a)
    return soft, np.tanh(soft), np.exp(a - soft)  # softplus, its tanh, and σ(a)


def _mish_derivative(a: Any) -> Any:
    _, t, sigma = _parts(a)
    return t + a * (1 - t**2) * sigma


def _mish_mistake(wrong: Any, hint: str) -> Mistake:
    return Mistake(lambda a: wrong(np.asarray(a), *_parts(a)), hint)


mish_derivative = Exercise(
    "derivative of Mish",
    answer=_mish_derivative,
    cases=[
        {"a": np.array([-1.0, 0.0, 2.0])},
        {"a": np.array([0.5])},
        {"a": np.linspace(-6, 6, 13)},
        {"a": np.array([[-3.0, 1.0], [0.25, -0.75]])},
    ],
    mistakes=[
        _mish_mistake(
            lambda a, soft, t, s: t, "a product has two terms: $a$ is differentiated, and so is $\\tanh$"
        ),
        _mish_mistake(
            lambda a, soft, t, s: a * (1 - t**2) * s,
            "the product rule has a first term too: $1\\cdot\\tanh(\\cdot)$",
        ),
        _mish_mistake(
            lambda a, soft, t, s: t + a * (1 - t**2),
            "the chain goes one link further: softplus has the derivative $\\sigma(a)$",
        ),
        _mish_mistake(
            lambda a, soft, t, s: t + a * s, "the derivative of $\\tanh$ is missing: $1 - \\tanh^2$"
        ),
        _mish_mistake(
            lambda a, soft, t, s: t + a * (1 - t**2) * s * (1 - s),
            "softplus is the integral of the sigmoid: its derivative is $\\sigma(a)$, not $\\sigma'(a)$",
        ),
        _mish_mistake(
            lambda a, soft, t, s: t + a * (1 - np.tanh(a) ** 2) * s,
            "$\\tanh'$ is taken where $\\tanh$ is: at softplus$(a)$, not at $a$",
        ),
        _mish_mistake(
            lambda a, soft, t, s: t + a * (1 + t**2) * s, "check the sign: $\\tanh' = 1 - \\tanh^2$"
        ),
    ],
    hint="with $t=\\tanh(\\mathrm{softplus}(a))$ it is $a\\cdot t$; product rule first, then the chain",
)


# --- implement: two touching linear maps as one, the bias as last row


def _problem(seed: int, n: int, m: int, k: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    shapes = {"V": (n, m), "c": (m,), "U": (m, k), "d": (k,)}
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


merged = Exercise(
    "two linear maps as one layer",
    answer=lambda V, c, U, d: np.vstack([V @ U, c @ U + d]),
    cases=[
        {
            "V": np.array([[1.0], [2.0], [-1.0]]),
            "c": np.array([3.0]),
            "U": np.array([[2.0, -1.0]]),
            "d": np.array([0.5, 1.0]),
        },
        _problem(1, 3, 2, 4),
        _problem(2, 2, 2, 2),
        _problem(3, 1, 5, 1),
    ],
    mistakes=[
        Mistake(
            lambda V, c, U, d: np.vstack([V @ U, c @ U]),
            "the second network has a bias of its own: where is $d$?",
        ),
        Mistake(
            lambda V, c, U, d: np.vstack([V @ U, d]),
            "the bias $c$ goes through $U$ too, like everything in $y$",
        ),
        Mistake(
            lambda V, c, U, d: np.vstack([V @ U, c.sum() + d]),
            "$c$ is part of $y$, and $y$ is multiplied by $U$: $cU + d$",
        ),
        Mistake(lambda V, c, U, d: np.vstack([V @ U, c @ U - d]), "the bias $d$ is added, not subtracted"),
    ],
    hint="put $y = hV + c$ into $yU + d$ and multiply out",
)


# --- implement: a forward pass with two hidden layers


def _network(seed: int, n: int, *widths: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    case: dict[str, Any] = {"X": rng.standard_normal((n, widths[0]))}
    for k in (1, 2, 3):
        case[f"W{k}"] = rng.standard_normal((widths[k - 1], widths[k]))
        case[f"b{k}"] = rng.standard_normal(widths[k])
    return case


def _hinge(a: Any) -> Any:
    return np.maximum(a, 0)


def _predict(X: Any, W1: Any, b1: Any, W2: Any, b2: Any, W3: Any, b3: Any) -> Any:
    return _hinge(_hinge(X @ W1 + b1) @ W2 + b2) @ W3 + b3


predict = Exercise(
    "a forward pass for a batch",
    answer=_predict,
    cases=[
        {
            "X": np.array([[1.0, -2.0], [3.0, 1.0]]),
            "W1": np.array([[1.0, -1.0, 2.0], [1.0, 1.0, -1.0]]),
            "b1": np.array([0.5, 1.0, -1.0]),
            "W2": np.array([[1.0, -1.0], [2.0, -3.0], [-1.0, 1.0]]),
            "b2": np.array([1.5, -1.0]),
            "W3": np.array([[-1.0], [2.0]]),
            "b3": np.array([-0.25]),
        },
        _network(1, 5, 3, 4, 2, 3),
        _network(2, 1, 2, 6, 5, 1),
    ],
    mistakes=[
        Mistake(
            lambda X, W1, b1, W2, b2, W3, b3: _hinge(_predict(X, W1, b1, W2, b2, W3, b3)),
            "no activation after the last layer: the output may be negative",
        ),
        Mistake(
            lambda X, W1, b1, W2, b2, W3, b3: ((X @ W1 + b1) @ W2 + b2) @ W3 + b3,
            "without an activation the three layers are one linear map: where is the hinge?",
        ),
        Mistake(
            lambda X, W1, b1, W2, b2, W3, b3: (_hinge(X @ W1 + b1) @ W2 + b2) @ W3 + b3,
            "the second hidden layer has an activation too",
        ),
        Mistake(
            lambda X, W1, b1, W2, b2, W3, b3: _hinge((X @ W1 + b1) @ W2 + b2) @ W3 + b3,
            "the first hidden layer has an activation too",
        ),
        Mistake(
            lambda X, W1, b1, W2, b2, W3, b3: _hinge(_hinge(X @ W1) @ W2) @ W3,
            "every layer has a bias, which is added to each row before the activation",
        ),
        Mistake(
            lambda X, W1, b1, W2, b2, W3, b3: (_hinge(_hinge(X @ W1) + b1) @ W2 + b2).clip(0) @ W3 + b3,
            "the bias is added before the activation, not after it",
        ),
    ],
    hint="$H_1=\\phi(XW_1+b_1)$, $H_2=\\phi(H_1W_2+b_2)$, and the output is $H_2W_3+b_3$",
)


# --- predict: parameters of 64–32–32–10

how_many = Exercise(
    "parameters of a 64–32–32–10 network",
    answer=3466,
    mistakes=[
        Mistake(3392, "those are the weights alone: every unit has a bias as well"),
        Mistake(
            3520,
            "you counted a bias for every input of a layer; it belongs to a unit, not to an input",
        ),
        Mistake(2410, "there are two hidden layers, so there is a matrix of 32 by 32 as well"),
        Mistake(3456, "the output units have biases too"),
        Mistake(3530, "the inputs have no bias: nothing is computed there"),
    ],
    hint="each unit has one weight per input and one bias: $32\\cdot(64+1)+\\dots$",
    within=1e-6,
)


# --- predict: the most pieces of a 1–2–5–1 network

most_pieces = Exercise(
    "pieces of a 1–2–5–1 network",
    answer=13,
    mistakes=[
        Mistake(
            18,
            "that is the bound; can one line in the plane of $(h_1, h_2)$ cross all three parts of the path?",
        ),
        Mistake(
            17, "count joints first: 2 from the first layer, and an even number from each unit of the second"
        ),
        Mistake(12, "twelve is the number of joints; there is one piece more than joints"),
        Mistake(8, "a unit of the second layer can cross zero more than once"),
        Mistake(
            7, "a unit of the second layer can cross zero more than once, and pieces are one more than joints"
        ),
    ],
    hint="draw the path of $(h_1(x), h_2(x))$; a unit of the second layer is a line in that plane",
    within=1e-6,
)


# --- break: a deep network that is a straight line


def _one_input(attempt: Any) -> Any:
    network = fitting_layers(Ask("layers"), attempt)
    if len(network[0].W) != 1 or network[-1].b.size != 1:
        raise ValueError("layers must take one input and give one output")
    return network


def _judge_straight(attempt: Any) -> str | None:
    try:
        network = _one_input(attempt)
    except ValueError as error:
        return f"{error}."
    widths = [layer.b.size for layer in network[:-1]]
    if len(widths) != 2 or min(widths) < 2:
        return f"two hidden layers of at least two units, please; yours have widths {widths}."
    if any((layer.W == 0).any() for layer in network):
        return "a weight is zero: that is too easy."
    found = pieces(network)
    if len(found.slope) > 1:
        joint = float(found.joints[0])
        return f"the output has {len(found.slope)} pieces; the first joint is at x = {joint:.4g}."
    if found.slope[0][0] == 0:
        return "the output is constant: every path from the input dies on the way."
    return None


straight = Exercise(
    "a deep network that is a straight line",
    judge=_judge_straight,
    answer=[
        (np.array([[2.0, -2.0]]), np.zeros(2)),
        (np.array([[1.0, -1.0], [-1.0, 1.0]]), np.zeros(2)),
        (np.array([[3.0], [-3.0]]), np.ones(1)),
    ],
    hint="$\\phi(x)-\\phi(-x)=x$ for every $x$",
)


# --- build: many pieces from few units


def _judge_folded(attempt: Any) -> str | None:
    try:
        network = _one_input(attempt)
    except ValueError as error:
        return f"{error}."
    widths = [layer.b.size for layer in network[:-1]]
    if len(widths) > 3 or sum(widths) > 10:
        return f"at most ten hidden units in at most three layers, please; yours have widths {widths}."
    count = count_pieces(network, 0.0, 1.0)
    return None if count >= 50 else f"between 0 and 1 it has {count} piece{'s' * (count > 1)}, not 50."


folded_often = Exercise(
    "fifty pieces from ten units",
    judge=_judge_folded,
    answer=folding(3, 3),
    hint="which $D$ and $K$ with $DK\\le10$ make $(D+1)^K$ large, and which network attains it?",
)
