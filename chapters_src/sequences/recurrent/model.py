"""A model of the next character: one recurrent layer between one-hot characters and their logits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.readers import Ask, above, at_least
from chapters_src.core.shapes import Float, Int, ndarray
from chapters_src.models.softmax import sample_classes
from chapters_src.networks.backprop import cross_entropy_loss
from chapters_src.sequences.recurrent.through_time import backward_through_time
from chapters_src.sequences.recurrent.unrolling import recurrent_step, unroll

__all__ = ["CharacterModel", "bits_per_place", "character_model", "next_character_loss", "write"]


class CharacterModel(NamedTuple):
    """The weights of a recurrent layer, and W₂ and c, which turn its state into one logit per character."""

    W0: Float[ndarray, "V m"]
    W1: Float[ndarray, "m m"]
    b: Float[ndarray, "m"]
    W2: Float[ndarray, "m V"]
    c: Float[ndarray, "V"]

    def vector(self) -> Float[ndarray, "p"]:
        """All numbers in one vector θ."""
        return np.concatenate([part.ravel() for part in self])

    def shaped(self, theta: Float[ndarray, "p"]) -> CharacterModel:
        """A model of the same shapes with the numbers θ; undoes `vector`."""
        ends = np.cumsum([part.size for part in self])[:-1]
        parts = np.split(theta, ends)
        return CharacterModel(*(one.reshape(part.shape) for one, part in zip(parts, self, strict=True)))


def of_the_alphabet(ask: Ask, tokens: Any) -> Any:
    """Numbers of characters that the model knows."""
    last = len(ask.arguments["model"].c) - 1
    ask.require(
        tokens.min(initial=0) >= 0 and tokens.max(initial=0) <= last, f"be from 0 to {last}", "others"
    )
    return tokens


def state_of(ask: Ask, h: Any) -> Any:
    """One state per column of tokens, as wide as the model."""
    right = (ask.arguments["tokens"].shape[1], len(ask.arguments["model"].b))
    ask.require(h.shape == right, f"have shape {right}, a state per column of tokens", h.shape)
    return h


@checked(V=at_least(1), m=at_least(1))
def character_model(V: int, m: int, rng: np.random.Generator) -> CharacterModel:
    """A model at its start: W₁ orthogonal, so that it neither stretches nor shrinks, the rest small."""
    W0, W2 = rng.normal(0, 0.5, (V, m)), rng.normal(0, 1 / np.sqrt(m), (m, V))
    Q, R = np.linalg.qr(rng.normal(size=(m, m)))
    return CharacterModel(W0, Q * np.sign(np.diag(R)), np.zeros(m), W2, np.zeros(V))


@checked(tokens=of_the_alphabet, targets=of_the_alphabet, h=state_of)
def next_character_loss(
    model: CharacterModel, tokens: Int[ndarray, "T n"], targets: Int[ndarray, "T n"], h: Float[ndarray, "n m"]
) -> tuple[float, CharacterModel, Float[ndarray, "n m"]]:
    """The mean of −log p(next character) over a window, its gradients, and the state for the next window.

    L = −(1/nT) Σ_t Σ_i log softmax(h_{t,i}W₂ + c)_{target}         {eq}`eq-recurrent-characters`

    The state h that comes from the window before is taken as given: no gradient goes back into it.
    """
    V, m = model.W0.shape
    X = np.eye(V)[tokens]
    states = bare(unroll)(X, model.W0, model.W1, model.b, h)
    H = states.h[1:].reshape(-1, m)  # (T·n, m): every place is an example
    loss, delta = bare(cross_entropy_loss)(H @ model.W2 + model.c, targets.ravel())
    G = (delta @ model.W2.T).reshape(states.a.shape)
    inner = bare(backward_through_time)(G, X, model.W1, states)
    gradients = CharacterModel(inner.W0, inner.W1, inner.b, H.T @ delta, delta.sum(axis=0))
    return loss, gradients, states.h[-1]


@checked(tokens=of_the_alphabet)
def bits_per_place(model: CharacterModel, tokens: Int[ndarray, "T n"]) -> Float[ndarray, "_ n"]:
    """−log₂ p of each character but the first, in each column, given all of its column before it."""
    V, m = model.W0.shape
    require(
        len(tokens) > 1, "tokens", "have two rows or more, because the first is not predicted", len(tokens)
    )
    h = bare(unroll)(np.eye(V)[tokens[:-1]], model.W0, model.W1, model.b).h[1:]
    logits = h.reshape(-1, m) @ model.W2 + model.c
    logits -= logits.max(axis=1, keepdims=True)
    chosen = logits[np.arange(len(logits)), tokens[1:].ravel()]
    nats = np.log(np.exp(logits).sum(axis=1)) - chosen
    return (nats / np.log(2)).reshape(len(tokens) - 1, -1)


@checked(tokens=of_the_alphabet, count=at_least(1), temperature=above(0))
def write(
    model: CharacterModel,
    tokens: Int[ndarray, "T"],
    count: int,
    rng: np.random.Generator,
    temperature: float = 1.0,
) -> list[int]:
    """Read the tokens, then go on for ``count`` more, each drawn by the model and read by it next."""
    one_hot, h = np.eye(len(model.c)), np.zeros((1, len(model.b)))
    read, written = list(tokens), list[int]()
    while len(written) < count:
        for token in read:
            h = bare(recurrent_step)(one_hot[[token]], h, model.W0, model.W1, model.b)
        written.append(int(bare(sample_classes)(h @ model.W2 + model.c, rng, temperature)[0]))
        read = written[-1:]
    return written
