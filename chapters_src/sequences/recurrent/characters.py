"""A text as numbers, one per character; windows of it in order; and a small task about memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chapters_src.core.contract import checked, require
from chapters_src.core.readers import Ask, at_least
from chapters_src.core.shapes import Float, Int, ndarray

__all__ = ["Characters", "parallel_windows", "recall_task", "ten_characters", "train_held_out"]


@checked
@dataclass(frozen=True)
class Characters:
    """A token for every character of an alphabet."""

    alphabet: str

    def __len__(self) -> int:
        return len(self.alphabet)

    @checked
    def encode(self, text: str) -> list[int]:
        """The number of each character."""
        number = {c: i for i, c in enumerate(self.alphabet)}
        unknown = set(text) - set(number)
        require(not unknown, "text", "hold characters of the alphabet", f"{len(unknown)} others")
        return [number[c] for c in text]

    @checked
    def decode(self, tokens: Sequence[int]) -> str:
        """The character of each number."""
        last = len(self) - 1
        require(not any(not 0 <= i <= last for i in tokens), "tokens", f"be from 0 to {last}", "others")
        return "".join(self.alphabet[i] for i in tokens)


def ten_characters(ask: Ask, value: str) -> str:
    """A text that has a tenth."""
    ask.require(len(value) >= 10, "be a text of ten characters or more", f"{len(value)} of them")
    return value


@checked(text=ten_characters)
def train_held_out(text: str) -> tuple[str, str]:
    """What is trained on, and the last tenth, which is held out."""
    cut = len(text) - len(text) // 10
    return text[:cut], text[cut:]


@checked(streams=at_least(1), length=at_least(1))
def parallel_windows(
    tokens: Int[ndarray, "n"], streams: int, length: int
) -> Iterator[tuple[Int[ndarray, "{length} {streams}"], Int[ndarray, "{length} {streams}"]]]:
    """Windows (inputs, and the next token at each place) of a text that is read at several places at once.

    The text is cut into ``streams`` long pieces, one per column. Each pair goes on where the one before it
    stopped, so that the last state of a window is the right first state for the next; then all over again.
    """
    columns = len(tokens) // streams
    require(columns > length, "length", f"leave a window in {columns} tokens per stream", length)
    text = tokens[: columns * streams].reshape(streams, columns).T  # time first, as in `unroll`

    def windows() -> Iterator[tuple[Int[ndarray, "..."], Int[ndarray, "..."]]]:
        while True:
            for at in range(0, columns - length, length):
                yield text[at : at + length], text[at + 1 : at + length + 1]

    return windows()


@checked(n=at_least(1), gap=at_least(0), kinds=at_least(2))
def recall_task(
    n: int, gap: int, kinds: int, rng: np.random.Generator
) -> tuple[Float[ndarray, "_ {n} _"], Int[ndarray, "{n}"]]:
    """Sequences whose class is their first symbol: X of shape (gap + 1, n, 2·kinds), one-hot, and the class.

    After the first symbol come ``gap`` symbols of another alphabet, drawn at random, which say nothing.
    """
    y = rng.integers(kinds, size=n)
    symbols = np.vstack([y, kinds + rng.integers(kinds, size=(gap, n))])
    return np.eye(2 * kinds)[symbols], y
