"""Sentences by hand, an encoder and decoder that sees what it may, and a short training."""

import pytest
import torch

from chapters_src.core.device import seed
from chapters_src.sequences.gates import (
    BOS,
    ENGLISH,
    EOS,
    PAD,
    SPANISH,
    Translator,
    accuracy_by_phrases,
    examples,
    fit_translator,
    sentence_pairs,
    translated,
    translation_loss,
    translations,
    words_of,
)


@pytest.mark.parametrize(
    ("english", "spanish"),
    [
        ("the dog", "el perro"),
        ("the red house", "la casa roja"),
        ("the old cat sees the white star and the table", "el gato viejo ve la estrella blanca y la mesa"),
    ],
)
def test_translated(english, spanish):
    assert translated(english) == spanish


def test_pairs_are_sentences_and_their_translations():
    source, target = sentence_pairs(60, 3, seed(0))
    for one, other in zip(source, target, strict=True):
        assert words_of(other, "Spanish") == translated(words_of(one, "English"))
        assert other[0] == BOS and (one == EOS).sum() == (other == EOS).sum() == 1
        assert words_of(one, "English").count("and") == 1
    assert (source == PAD).any() and source.max() < len(ENGLISH) and target.max() < len(SPANISH)


def test_every_word_occurs():
    source, target = sentence_pairs(400, 3, seed(1))
    assert set(source.unique().tolist()) == set(range(len(ENGLISH))) - {BOS}
    assert set(target.unique().tolist()) == set(range(len(SPANISH)))


def test_padding_changes_nothing():
    model, (source, target) = Translator(6, seed(0)), sentence_pairs(4, 2, seed(1))
    wider = torch.nn.functional.pad(source, (0, 3), value=PAD)
    torch.testing.assert_close(model(source, target), model(wider, target))
    longer = torch.nn.functional.pad(target, (0, 5), value=PAD)
    torch.testing.assert_close(
        translation_loss(model, source, target), translation_loss(model, source, longer)
    )


def test_a_word_is_predicted_from_those_before_it():
    model, (source, target) = Translator(6, seed(0)), sentence_pairs(4, 1, seed(1))
    changed = target.clone()
    changed[:, 2] = (changed[:, 2] + 1) % len(SPANISH)
    same = (model(source, target) - model(source, changed)).abs().amax((0, 2)) < 1e-6
    assert same[:2].all() and not same[2:].any()


def test_the_loss_by_hand():
    model, (source, target) = Translator(6, seed(0)), sentence_pairs(5, 2, seed(1))
    logits, total, count = model(source, target), 0.0, 0
    for b in range(5):
        for t in range(1, target.shape[1]):
            if target[b, t] != PAD:
                total -= float(logits[b, t - 1].log_softmax(-1)[target[b, t]].detach())
                count += 1
    assert float(translation_loss(model, source, target).detach()) == pytest.approx(total / count, rel=1e-5)


def test_gradients_against_differences():
    model, (source, target) = Translator(3, seed(0), 2, dtype=torch.float64), sentence_pairs(2, 1, seed(1))
    (slope,) = torch.autograd.grad(translation_loss(model, source, target), model.encoder.W1)
    with torch.no_grad():
        for i, j in ((0, 0), (2, 5), (1, 8)):
            model.encoder.W1[i, j] += 1e-6
            up = translation_loss(model, source, target)
            model.encoder.W1[i, j] -= 2e-6
            down = translation_loss(model, source, target)
            model.encoder.W1[i, j] += 1e-6
            assert float((up - down) / 2e-6) == pytest.approx(float(slope[i, j]), abs=1e-7)


def test_what_is_written_is_the_likeliest_word_each_time():
    model, (source, _) = Translator(6, seed(3)), sentence_pairs(7, 2, seed(1))
    written = translations(model, source, 6)
    before = torch.cat([torch.full((7, 1), BOS), written], dim=1)
    best = model(source, before[:, :-1]).argmax(-1)
    for row, likely in zip(written, best, strict=True):
        end = (row == EOS).nonzero()
        stop = int(end[0]) + 1 if len(end) else 6
        assert torch.equal(row[:stop], likely[:stop]) and (row[stop:] == PAD).all()


class Told(Translator):
    """A subclass that puts something else where the context comes from."""

    def context(self, state, encoded, mask):
        return torch.zeros_like(state)


def test_the_context_can_be_replaced():
    pair = sentence_pairs(4, 2, seed(1))
    plain, told = Translator(6, seed(0)), Told(6, seed(0))
    assert not torch.allclose(plain(*pair), told(*pair))
    assert translations(told, pair[0], 3).shape == (4, 3)


def test_training_learns_short_sentences():
    g = seed(0)
    model = Translator(32, g)
    before = accuracy_by_phrases(model, 50, 1, seed(9))
    run = fit_translator(model, g, phrases=1, steps=150, batch_size=32, learning_rate=0.02, progress=False)
    assert run.losses[-10:].mean() < 0.2 * run.losses[:10].mean()
    assert before[0] < 0.1 and accuracy_by_phrases(model, 50, 1, seed(9))[0] > 0.8


def test_examples_go_on():
    batches = examples(sentence_pairs, 2, seed(0), 3)
    first, second = next(batches), next(batches)
    assert len(first[0]) == len(second[1]) == 3 and not torch.equal(first[0], second[0])


def test_on_a_device_without_values():
    model = Translator(6, seed(0), device="meta")
    source, target = (one.to("meta") for one in sentence_pairs(4, 2, seed(1)))
    assert model(source, target).shape == (4, target.shape[1], len(SPANISH))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: translated("the purple dog"),
            "translated: english must consist of words of ENGLISH; got 'purple'",
        ),
        (
            lambda: words_of(torch.tensor([30]), "English"),
            "words_of: tokens must be words of English, from 0 to 25; got 30",
        ),
        (lambda: sentence_pairs(3, 0, seed(0)), "sentence_pairs: phrases must be at least 1; got 0"),
        (
            lambda: Translator(3, seed(0)).encode(torch.tensor([[40]])),
            "encode: source must hold tokens from 0 to 25; got 40 to 40",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(ValueError, match=message):
        call()
