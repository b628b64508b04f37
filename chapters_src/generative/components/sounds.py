"""Two short sounds to mix, and a player for the page."""

from __future__ import annotations

import base64
import html
import io
import wave
from dataclasses import dataclass
from typing import Any

import numpy as np

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray

__all__ = ["RATE", "Sound", "plucked_tune", "siren"]

RATE = 8000  # samples per second
NOTES = (262.0, 330.0, 392.0, 523.0)  # c, e, g, c in hertz
OVERTONES = ((1, 1.0), (2, 0.5), (3, 0.25))


@checked(samples=at_least(8))
def plucked_tune(samples: int = RATE) -> Float[ndarray, "n"]:
    """Four plucked notes that fade, one after the other, with mean 0 and variance 1."""
    t = np.arange(samples) / RATE
    sound = np.zeros(samples)
    for number, note in enumerate(NOTES):
        since = t - number * samples / RATE / len(NOTES)
        tone = sum(size * np.sin(2 * np.pi * k * note * since) for k, size in OVERTONES)
        sound += np.where(since >= 0, np.exp(-9 * np.maximum(since, 0)) * tone, 0)
    return (sound - sound.mean()) / sound.std()


@checked(samples=at_least(8))
def siren(samples: int = RATE) -> Float[ndarray, "n"]:
    """A rough tone that rises and falls twice per second, with mean 0 and variance 1."""
    t = np.arange(samples) / RATE
    hertz = 1100 + 200 * np.sin(4 * np.pi * t)
    sound = np.tanh(2 * np.sin(2 * np.pi * np.cumsum(hertz) / RATE))
    return (sound - sound.mean()) / sound.std()


@dataclass(frozen=True)
class Sound:
    """A sound that can be played where it is displayed: 8,000 samples per second, 8 bits each."""

    samples: Float[ndarray, "n"]
    title: str

    def wav(self) -> bytes:
        """The bytes of a wave file, as loud as it can be."""
        loud = np.asarray(self.samples, dtype=float)
        levels = np.round(128 + 120 * loud / max(float(np.abs(loud).max()), 1e-12)).astype(np.uint8)
        file = io.BytesIO()
        with wave.open(file, "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(1)
            out.setframerate(RATE)
            out.writeframes(levels.tobytes())
        return file.getvalue()

    def __repr__(self) -> str:
        return f"[sound: {self.title}, {len(self.samples) / RATE:g} s]"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        title = html.escape(self.title)
        played = base64.b64encode(self.wav()).decode()
        player = (
            f'<p><span>{title}</span><br><audio controls preload="metadata" aria-label="{title}" '
            f'src="data:audio/wav;base64,{played}"></audio></p>'
        )
        return {"text/plain": repr(self), "text/html": player}
