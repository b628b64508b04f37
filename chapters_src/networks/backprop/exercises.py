"""Exercises of the chapter on backpropagation: derive, implement, predict, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "backward_share",
    "binary_delta",
    "kink",
    "layer_backward",
    "momentary_death",
    "steady_weight",
]


# --- derive: the gradient of the binary cross-entropy with respect to the logits


def _sigmoid(a: Any) -> Any:
    return 1 / (1 + np.exp(-a))


def _binary(seed: int, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"a": rng.normal(size=n) * 2, "y": rng.integers(0, 2, n).astype(float)}


binary_delta = Exercise(
    "the adjoint of the binary cross-entropy",
    answer=lambda a, y: (_sigmoid(a) - y) / len(y),
    cases=[
        {"a": np.array([2.0, -1.0, 0.5]), "y": np.array([1.0, 0.0, 0.0])},
        _binary(1, 5),
        _binary(2, 1),
        _binary(3, 8),
    ],
    mistakes=[
        Mistake(lambda a, y: _sigmoid(a) - y, "$L$ is a mean over $n$ examples: where did $1/n$ go?"),
        Mistake(
            lambda a, y: (y - _sigmoid(a)) / len(y), "check the sign: a logit above its label must come down"
        ),
        Mistake(
            lambda a, y: (_sigmoid(a) - y) * _sigmoid(a) * (1 - _sigmoid(a)) / len(y),
            "the slope of the sigmoid cancels against the denominator $p(1-p)$ of the logarithms",
        ),
        Mistake(
            lambda a, y: (_sigmoid(a) - y) / (_sigmoid(a) * (1 - _sigmoid(a))) / len(y),
            "that is the derivative by the probability; one more step of the chain rule leads to the logit",
        ),
        Mistake(lambda a, y: (a - y) / len(y), "the prediction is $\\sigma(a)$, not $a$"),
        Mistake(
            lambda a, y: 2 * (_sigmoid(a) - y) / len(y),
            "the factor 2 belongs to the squared error; a logarithm brings none",
        ),
    ],
    hint="write $\\ell=\\log(1+e^a)-ya$ and differentiate by $a$",
)


# --- implement: one layer of the backward pass


def _layer(seed: int, n: int, d: int, k: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    draw = rng.normal
    return {"a": draw(size=(n, d)), "W": draw(size=(d, k)), "delta": draw(size=(n, k))}


def _layer_backward(a: Any, W: Any, delta: Any) -> Any:
    h = np.tanh(a)
    return h.T @ delta, delta.sum(axis=0), (delta @ W.T) * (1 - h**2)


def _layer_mistake(change: Any, hint: str) -> Mistake:
    """The right answer with one of its three parts changed."""

    def wrong(a: Any, W: Any, delta: Any) -> Any:
        return change(*_layer_backward(a, W, delta), a, W, delta)

    return Mistake(wrong, hint)


layer_backward = Exercise(
    "one layer of the backward pass",
    answer=_layer_backward,
    cases=[_layer(0, 3, 2, 2), _layer(1, 4, 3, 2), _layer(2, 1, 5, 4), _layer(3, 6, 2, 1)],
    mistakes=[
        _layer_mistake(
            lambda gW, gb, d, a, W, delta: (gW, gb, delta @ W.T),
            "the adjoint still has to pass the tanh: multiply by its slope",
        ),
        _layer_mistake(
            lambda gW, gb, d, a, W, delta: (gW, gb, (delta @ W.T) * (1 - a**2)),
            "the slope of tanh at $a$ is $1-\\tanh^2a$, and not $1-a^2$",
        ),
        _layer_mistake(
            lambda gW, gb, d, a, W, delta: (gW, gb, (delta @ W) * (1 - np.tanh(a) ** 2)),
            "going back, the weights are transposed: unit $j$ sent its output out through row $j$ of $W$",
        ),
        _layer_mistake(
            lambda gW, gb, d, a, W, delta: (gW, delta.mean(axis=0), d),
            "every example adds to the gradient of the bias: sum, because $1/n$ is in $\\Delta$ already",
        ),
        _layer_mistake(
            lambda gW, gb, d, a, W, delta: (gW / len(a), gb / len(a), d),
            "$1/n$ is in $\\Delta$ already; here it comes in twice",
        ),
        _layer_mistake(
            lambda gW, gb, d, a, W, delta: (a.T @ delta, gb, d),
            "the weights multiplied $h=\\tanh a$ in the forward pass, and not $a$",
        ),
        _layer_mistake(
            lambda gW, gb, d, a, W, delta: (gW.T, gb, d),
            "a gradient has the shape of what it belongs to: the gradient of $W$ is $h^\\top\\Delta$",
        ),
    ],
    hint="three products with $\\Delta$: $h^\\top$ or ones from the left, and $W^\\top$ from the right",
)


# --- predict: what the backward pass costs


backward_share = Exercise(
    "multiplications, backward over forward",
    answer=2 - 784 * 256 / (784 * 256 + 256 * 256 + 256 * 10),
    mistakes=[
        Mistake(
            2.0, "nobody asks for the gradient with respect to the pixels: the first layer saves one product"
        ),
        Mistake(1.0, "every later layer needs two products: one for its weights, one to pass the adjoint on"),
        Mistake(
            3 - 784 * 256 / (784 * 256 + 256 * 256 + 256 * 10),
            "that counts the forward pass as well; asked for is the backward pass alone",
        ),
        Mistake(
            2 - 256 * 10 / (784 * 256 + 256 * 256 + 256 * 10),
            "it is the first layer that saves a product, and not the last",
        ),
    ],
    hint="a layer costs $n\\,d_{l-1}d_l$ forward, and each of its two products backward costs the same",
    within=1e-3,
)


# --- predict: a chain of sigmoids that neither shrinks nor grows


steady_weight = Exercise(
    "a weight that keeps the gradient",
    answer=4.0,
    mistakes=[
        Mistake(1.0, "a weight of 1 leaves the slope of the sigmoid, and it is below 1 everywhere"),
        Mistake(0.25, "that is the slope of the sigmoid; the weight has to make up for it"),
        Mistake(2.0, "the output of $\\sigma(0)$ is ½, but its slope is not"),
        Mistake(4.0**10, "this is for ten layers at once; each layer has a weight of its own"),
    ],
    hint="a layer multiplies the adjoint by $w\\,\\sigma'(a)$; what is $\\sigma'(0)$?",
)


# --- break: a gradient check that fails although the gradient is right


STEP = 1e-4


def _judge_kink(attempt: Any) -> str | None:
    a = as_numbers(attempt)
    if a.ndim or not np.isfinite(a):
        return f"give one finite number; got shape {a.shape}."
    point = float(a)
    numeric = (max(point + STEP, 0.0) - max(point - STEP, 0.0)) / (2 * STEP)
    slope = float(point > 0)
    if abs(numeric - slope) > 0.1:
        return None
    side = "to the right of the kink" if point > 0 else "to the left of the kink"
    return f"at {point:g} both give {slope:g}: the two points {point:g} ± 0.0001 lie {side}, or nearly so."


kink = Exercise(
    "a right gradient that fails its check",
    judge=_judge_kink,
    answer=2e-5,
    hint="the two points of the difference have to lie on different sides of the kink",
)


# --- break: units that are dead on a batch, with no weight negative


CORNERS = np.array([[1.0, 1.0], [1.0, 3.0], [2.0, 0.5], [3.0, 2.0]])


def _judge_death(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair (W, b)."
    W, b = (as_numbers(part) for part in attempt)
    if W.shape != (2, 3) or b.shape != (3,):
        return f"W has to have shape (2, 3) and b shape (3,); got {W.shape} and {b.shape}."
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        return "finite numbers, please."
    if (W <= 0).any():
        return "every weight has to be positive here."
    alive = (CORNERS @ W + b > 0).any(axis=0)
    if alive.any():
        first = int(np.argmax(alive))
        return f"unit {first} fires on {int((CORNERS @ W + b > 0)[:, first].sum())} of the four points."
    return None


momentary_death = Exercise(
    "dead units with positive weights",
    judge=_judge_death,
    answer=(np.ones((2, 3)), -10 * np.ones(3)),
    hint="a unit is dead if $w^\\top x+b\\le0$ on every point; the weights are only half of that",
)
