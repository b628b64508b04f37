"""The sounds and what is played."""

import base64
import io
import re
import wave

import numpy as np

from chapters_src.generative.components import Sound, plucked_tune, siren


def test_sounds_are_standardised_and_unlike():
    tune, tone = plucked_tune(), siren()
    for sound in (tune, tone):
        assert len(sound) == 8000
        np.testing.assert_allclose([sound.mean(), sound.std()], [0, 1], atol=1e-12)
    assert abs(tune @ tone) / 8000 < 0.02
    assert np.mean(tune**4) > 4 > 3 > 2 > np.mean(tone**4)


def test_what_is_played_is_the_sound():
    sound = Sound(siren(), "a <siren>")
    shown = sound._repr_mimebundle_()
    assert shown["text/plain"] == "[sound: a <siren>, 1 s]"
    assert 'aria-label="a &lt;siren&gt;"' in shown["text/html"]
    played = base64.b64decode(re.search(r"base64,([^\"]+)\"", shown["text/html"]).group(1))
    assert len(played) < 10_000
    with wave.open(io.BytesIO(played)) as file:
        assert file.getframerate() == 8000
        heard = np.frombuffer(file.readframes(8000), dtype=np.uint8).astype(float) - 128
    assert np.corrcoef(heard, siren())[0, 1] > 0.999
    assert np.abs(heard).max() == 120


def test_silence_can_be_played():
    assert len(Sound(np.zeros(8000), "silence").wav()) == 8044
