"""Exercises of the chapter on normalisation: predict, choose, find the false line, implement, repair."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, normal
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "bias_before_the_norm",
    "folded_layer",
    "one_against_four",
    "repaired_image_norm",
    "rms_backward",
]

# --- predict: one example against four that agree

one_against_four = Predict(
    "1. Predict: one against four",
    "In a batch of five, a unit has the value 3.1 for four examples and 3.6 for the fifth. Batch norm with "
    "gain 2, shift 1 and ε = 0 follows. What comes out for the fifth example?",
    answer=5.0,
    within=0.01,
    mistakes=[
        Mistake(2.0, r"that is $\hat a$ alone: stretch it by the gain, then add the shift"),
        Mistake(4.0, "the gain is in, the shift is missing"),
        Mistake(0.0, "that is what comes out for the other four"),
        Mistake(1 + 8 / 5**0.5, r"you divided by $n-1$ under the root; batch norm divides by $n$"),
        Mistake(1.8, "you subtracted the mean and did not divide by the standard deviation"),
        Mistake(21.0, "you divided by the variance: take its root"),
        Mistake(
            3.0, r"$\hat a=1$ is right for a batch of two; how far is the fifth value from the mean here?"
        ),
    ],
    hints=[
        "Four equal values and one other: where is the mean, and how far from it is each?",
        "The mean is 3.2, so the squared deviations are 0.01 four times and 0.16 once.",
    ],
    why=r"$\hat a=0.4/0.2=2$, and $2\cdot2+1=5$. The other four agree, so the fifth stands at the wall "
    r"$\sqrt{n-1}=2$. It would stand there with 90 in place of 3.6 too.",
)


# --- choose: a bias that batch norm takes away again

bias_before_the_norm = Choose(
    "2. Choose: a bias before the norm",
    r"A layer computes $a=XW+\mathbf 1b^\top$, and batch norm follows. In training mode, what does plain "
    r"gradient descent do to the bias $b$?",
    options=[
        Option(
            "It learns to undo the batch means, so that less is left for the norm to do.",
            why="The output is the same for every bias. Nothing rewards the layer for a smaller mean.",
        ),
        Option(
            r"Its gradient is the gradient of the shift $\beta$ times $\gamma/s$.",
            why="It would be, if the mean were a constant. But the mean of the batch moves along with $b$.",
        ),
        Option(
            "Nothing: its gradient is zero.",
            right=True,
            why=r"The gradient of $b$ is the sum of the rows of $\partial L/\partial a$, and batch "
            r"norm makes that sum zero. Such layers are usually built without a bias; $\beta$ does its work.",
        ),
        Option(
            "It grows at every step, as the length of the weights does.",
            why=r"The weights grow because their gradient is at right angles to them and not zero. "
            "This one is zero.",
        ),
    ],
    hints=[
        r"What happens to $a-\mu$ when the same number is added to a whole column of $a$?",
        r"The gradient of $b$ is the sum of $\partial L/\partial a$ over the examples.",
    ],
)


# --- find the false line: the backward pass of the RMS norm


def _rms() -> Derivation:
    d = Derivation(
        "backwards through the RMS norm",
        where={
            "d": "length of x",
            r"\Delta": "g",
            "r": r"=\sqrt{\frac1d\sum_ix_i^2}",
            "c": r"=\sum_i\Delta_ix_i",
            r"\hat x": r"=\frac xr",
        },
        x=normal(5),
        g=normal(5),
    )
    d.start(r"\nabla_x\sum_i\Delta_i\frac{x_i}r")
    d.equals(r"\frac\Delta r-\frac c{r^2}\nabla_xr", because=r"quotient rule, with $c=\sum_i\Delta_ix_i$")
    d.equals(r"\frac\Delta r-\frac c{r^2}\frac x{dr}", because=r"the slope of $r=\sqrt{\frac1d\sum_ix_i^2}$")
    return d.equals(r"\frac1r\left(\Delta-\frac{\hat x^\top\Delta}d\hat x\right)", because=r"$\hat x=x/r$")


rms_backward = FalseLine(
    _rms(),
    {
        3: Variant(
            r"\frac\Delta r-\frac c{r^2}\frac xr", because=r"the slope of $r=\sqrt{\frac1d\sum_ix_i^2}$"
        ),
        4: Variant(r"\frac1r\left(\Delta-(\hat x^\top\Delta)\hat x\right)", because=r"$\hat x=x/r$"),
    },
    name="3. Find the false line: backwards through the RMS norm",
    why=r"$r^2=\frac1d\sum_ix_i^2$ gives $2r\,\nabla r=\frac2dx$, so the slope of $r$ is $x/(dr)$. "
    r"The false one is the slope of the length $\lVert x\rVert$.",
    hints=[
        "The root mean square is not the length. By which factor do they differ?",
        r"Differentiate $r^2$ on both sides of $r^2=\frac1d\sum_ix_i^2$.",
    ],
)


# --- implement: a linear layer and the batch norm behind it as one linear layer


def _fold(W: Any, b: Any, gain: Any, shift: Any, mean: Any, variance: Any, eps: float) -> Any:
    factor = gain / np.sqrt(variance + eps)
    return W * factor, (b - mean) * factor + shift


def _fold_case(inputs: int, units: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "W": rng.normal(size=(inputs, units)),
        "b": rng.normal(size=units),
        "gain": rng.normal(size=units),
        "shift": rng.normal(size=units),
        "mean": rng.normal(size=units),
        "variance": rng.uniform(0.3, 3.0, units),
        "eps": 0.1,
    }


folded_layer = Exercise(
    "a norm that costs nothing",
    answer=_fold,
    cases=[_fold_case(2, 2, 0), _fold_case(3, 4, 1), _fold_case(5, 1, 2)],
    mistakes=[
        Mistake(
            lambda W, b, gain, shift, mean, variance, eps: (
                W * (gain / np.sqrt(variance + eps)),
                b + shift - mean * gain / np.sqrt(variance + eps),
            ),
            "the bias is part of what is normalised: it is divided and stretched too",
        ),
        Mistake(
            lambda W, b, gain, shift, mean, variance, eps: (
                W * (gain / np.sqrt(variance + eps)),
                b * gain / np.sqrt(variance + eps) + shift,
            ),
            "the stored mean is to be subtracted; where did it go?",
        ),
        Mistake(
            lambda W, b, gain, shift, mean, variance, eps: (
                (factor := gain / (variance + eps)) * W,
                (b - mean) * factor + shift,
            ),
            "divide by the standard deviation, not by the variance",
        ),
        Mistake(
            lambda W, b, gain, shift, mean, variance, eps: (
                (factor := gain / (np.sqrt(variance) + eps)) * W,
                (b - mean) * factor + shift,
            ),
            "ε stands under the root",
        ),
        Mistake(
            lambda W, b, gain, shift, mean, variance, eps: (
                (W.T * (factor := gain / np.sqrt(variance + eps))).T,
                (b - mean) * factor + shift,
            ),
            "a unit is a column of W: the factor belongs to columns, not to rows",
        ),
    ],
    hint=r"write out $\gamma\,(xW+b-\mu)/\sqrt{\sigma^2+\varepsilon}+\beta$ and collect what multiplies $x$",
)


# --- repair: batch norm for images whose broadcasting goes wrong in silence


def _image_norm(x: Any, gain: Any, shift: Any, eps: float) -> Any:
    mean = x.mean(axis=(0, 2, 3), keepdims=True)
    variance = x.var(axis=(0, 2, 3), keepdims=True)
    return gain[:, None, None] * (x - mean) / np.sqrt(variance + eps) + shift[:, None, None]


def _image_mistake(axes: tuple[int, ...], by_channel: bool, hint: str) -> Mistake:
    """Means over other axes, or the gain laid along the columns of the image."""

    def wrong(x: Any, gain: Any, shift: Any, eps: float) -> Any:
        standardised = (x - x.mean(axis=axes, keepdims=True)) / np.sqrt(x.var(axis=axes, keepdims=True) + eps)
        if by_channel:
            return gain[:, None, None] * standardised + shift[:, None, None]
        return gain * standardised + shift

    return Mistake(wrong, hint)


def _image_case(shape: tuple[int, int, int, int], seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    channels = shape[1]
    return {
        "x": rng.normal(1.0, 2.0, size=shape),
        "gain": rng.uniform(0.5, 2.0, channels),
        "shift": rng.normal(size=channels),
        "eps": 0.01,
    }


repaired_image_norm = Exercise(
    "batch norm for images",
    answer=_image_norm,
    cases=[_image_case((3, 2, 2, 2), 0), _image_case((4, 3, 2, 3), 1), _image_case((2, 2, 5, 4), 2)],
    mistakes=[
        _image_mistake((0,), False, "this is still the broken one: which entries share a mean?"),
        _image_mistake(
            (0,), True, "gain and shift are right now, but every position still has a mean of its own"
        ),
        _image_mistake(
            (0, 2, 3), False, "the means are right; now gain and shift lie along the columns of the image"
        ),
        _image_mistake((2, 3), True, "the mean goes over the examples too: this is instance norm"),
        _image_mistake((1, 2, 3), True, "this is layer norm: channels must not share a mean"),
        _image_mistake((0, 1, 2, 3), True, "one mean for the whole block: each channel needs its own"),
    ],
    hint="the axes are examples, channels, rows, columns; numpy lines up shapes from the right",
)
