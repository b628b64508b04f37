"""Exercises of the chapter on autoencoders: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapters_src.studio import (
    Choose,
    Derivation,
    FalseLine,
    Option,
    Predict,
    Variant,
    covariance,
    normal,
    uniform,
)
from chapters_src.studio.comparison import as_numbers
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = ["a_hole", "linear_denoiser", "same_loss", "shrunk", "unit_features"]


# --- predict: the best that a straight line can do against noise

shrunk = Predict(
    "1. Predict: how much noise is left",
    "Numbers $x$ have mean 0 and variance 4. Noise of variance 1, independent of $x$, is added, and a linear "
    "denoising autoencoder answers $a\\tilde x$ with a single weight $a$. What is the smallest mean squared "
    "error that it can reach?",
    answer=0.8,
    within=0.005,
    mistakes=[
        Mistake(1, "that is the error of $a=1$, which hands the noise on; a little less weight is better"),
        Mistake(4, "that is the error of answering 0 always"),
        Mistake(0, "no weight removes the noise without also shrinking $x$"),
        Mistake(0.2, "that is by how much the best weight falls short of 1; what is the error there?"),
        Mistake(0.64, "that is what the noise contributes; the shrunk $x$ contributes too"),
        Mistake(0.16, "that is what shrinking $x$ contributes; the noise contributes too"),
    ],
    hints=["The error is $4(1-a)^2+a^2$.", "The best $a$ is 4/5."],
    why="4(1 − a)² + a² is smallest at a = 4/5, and there it is 0.16 + 0.64 = 0.8. The best answer shrinks: "
    "part of what is seen is noise, and the share of x in the variance of what is seen is 4/5.",
)


# --- choose: what the loss cannot see

same_loss = Choose(
    "2. Choose: the same loss, other drawings",
    "An autoencoder is trained. Which change leaves its loss exactly as it is on all data, and changes what "
    "it draws for codes from $\\mathcal N(0,I)$?",
    options=[
        Option(
            "Multiply all weights and biases of the decoder's last layer by 2.",
            why="Every reconstruction is doubled, so the loss changes.",
        ),
        Option(
            "Multiply the encoder's last layer, weights and biases, by 10 and divide the weights of the "
            "decoder's first layer by 10.",
            right=True,
            why="The codes are ten times as long and the decoder undoes it before it adds its bias. Codes "
            "from $\\mathcal N(0,I)$ are decoded as codes a tenth as long were before.",
        ),
        Option(
            "Turn the order of two training digits round.",
            why="The loss is the same, but so is the decoder, and with it every drawing.",
        ),
        Option(
            "Replace the encoder by one that gives every picture the mean code.",
            why="Then all reconstructions are alike, and the loss rises to about the variance of the data.",
        ),
    ],
    hints=["What has to happen to the decoder if the codes are stretched?"],
)


# --- find the false line: the best linear denoiser


def _best_linear() -> Derivation:
    d = Derivation(
        "the best linear denoiser",
        where={r"\sigma^2": "v"},
        A=normal(3, 3),
        S=covariance(3),
        v=uniform(0.3, 2.0),
    )
    d.start(
        r"\nabla_A\left(\operatorname{tr}\left((I-A)S(I-A)^\top\right)+\sigma^2\operatorname{tr}(AA^\top)\right)"
    )
    d.equals(r"-2(I-A)S+2\sigma^2A", because="$S$ is symmetric")
    d.equals(r"2A(S+\sigma^2I)-2S", because="collect what multiplies $A$")
    return d.equals(
        r"2\left(A-S(S+\sigma^2I)^{-1}\right)(S+\sigma^2I)",
        because="take out the last factor, so that the gradient is zero where the bracket is",
    )


linear_denoiser = FalseLine(
    _best_linear(),
    {
        3: Variant(r"2A(S-\sigma^2I)-2S", because="collect what multiplies $A$"),
        4: Variant(
            r"2\left(A-S(S-\sigma^2I)^{-1}\right)(S-\sigma^2I)",
            because="take out the last factor, so that the gradient is zero where the bracket is",
        ),
    },
    name="3. Find the false line: the best linear denoiser",
    question="Centred data have covariance $S$, noise has covariance $\\sigma^2I$, and $A\\tilde x$ is the "
    "answer. The derivation sets out to find the best $A$. Which is the first false line?",
    why="Both terms with $A$ come with a plus sign: $2AS+2\\sigma^2A$. So the best map is "
    "$S(S+\\sigma^2I)^{-1}$: along a principal direction of variance $\\lambda$ it keeps the share "
    "$\\lambda/(\\lambda+\\sigma^2)$, below one always, while the false one stretches or changes the sign.",
    hints=["Try one dimension: what are the terms with $A$?", "Should a denoiser stretch or shrink?"],
)


# --- repair: features of length one, and the same pictures


def _unit(z: Any, D: Any) -> Any:
    lengths = np.linalg.norm(D, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    return z * lengths, D / lengths[:, None]


def _columns(z: Any, D: Any) -> Any:
    return z, D / np.linalg.norm(D, axis=0)


def _codes_kept(z: Any, D: Any) -> Any:
    return z, _unit(z, D)[1]


def _codes_divided(z: Any, D: Any) -> Any:
    long, D_new = _unit(z, D)
    return z * z / np.where(long == 0, 1.0, long), D_new


def _squared(z: Any, D: Any) -> Any:
    lengths = np.maximum((D**2).sum(axis=1), 1e-300)
    return z * lengths, D / lengths[:, None]


def _one_length(z: Any, D: Any) -> Any:
    return z * np.linalg.norm(D), D / np.linalg.norm(D)


def _coded(seed: int, n: int, k: int, d: int, dead: bool) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    z, D = np.abs(rng.normal(size=(n, k))), rng.normal(size=(k, d)) * np.arange(1, k + 1)[:, None]
    if dead:
        D[1] = 0.0
    return {"z": z, "D": D}


unit_features = Exercise(
    "features of length one",
    answer=_unit,
    cases=[_coded(0, 4, 3, 3, False), _coded(1, 5, 4, 2, False), _coded(2, 3, 3, 4, True)],
    mistakes=[
        Mistake(_columns, "a feature is a row of D, and axis=0 measures the columns"),
        Mistake(_codes_kept, "the features are right, but the pictures z @ D have changed"),
        Mistake(_codes_divided, "a shorter feature needs a larger code, not a smaller one"),
        Mistake(_squared, "the length is the root of the sum of squares"),
        Mistake(_one_length, "each feature has a length of its own"),
    ],
    hint="compare z @ D before and after, and mind a feature of length zero",
)


# --- break: no loss, and a hole between any two codes

FINE = 200_001


def _judge_hole(attempt: Any) -> str | None:
    if not isinstance(attempt, (list, tuple)) or len(attempt) != 2 or not all(map(callable, attempt)):
        return "give two functions, [encode, decode]."
    encode, decode = attempt
    x = np.arange(4.0)
    z = as_numbers(encode(x))
    if z is None or z.shape != (4,) or not np.isfinite(z).all():
        return "encode must turn four numbers into four finite codes."
    rebuilt = as_numbers(decode(z))
    if rebuilt is None or rebuilt.shape != (4,) or np.abs(rebuilt - x).max() > 1e-6:
        return "the loss on 0, 1, 2 and 3 is not zero: decode(encode(x)) must give x back."
    ordered = np.sort(z)
    path = as_numbers(decode(np.linspace(ordered[0], ordered[-1], FINE)))
    if path is None or path.shape != (FINE,) or not np.isfinite(path).all():
        return "decode must give a finite number for every code between the training codes."
    if np.abs(np.diff(path)).max() > 0.5:
        return "the decoder jumps; join the pieces."
    halfway = np.asarray(decode((ordered[1:] + ordered[:-1]) / 2))
    nearest = np.abs(halfway[:, None] - x).min(axis=1)
    if nearest.min() < 10:
        return f"a code halfway decodes to something only {nearest.min():.3g} away from the data."
    return None


a_hole = Exercise(
    "a perfect autoencoder with holes",
    judge=_judge_hole,
    answer=[lambda x: x, lambda z: z + 20 * np.sin(np.pi * z) ** 2],
    hint="add something to a good decoder that is zero at all training codes",
)
