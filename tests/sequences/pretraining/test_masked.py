"""The masked model: what is hidden, who sees whom, the loss by hand, and that pre-training pays."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.sequences.gates import fit_with_adam
from chapters_src.sequences.pretraining import small_language as language
from chapters_src.sequences.pretraining.classifiers import TextClassifier, TokenClassifier
from chapters_src.sequences.pretraining.masked import MaskedModel, hide, masked_loss
from tests.bad_input import bad_numbers, refused

torch.set_num_threads(1)
double = torch.float64


def seeded(n):
    return torch.Generator().manual_seed(n)


def small(dtype=double, device=None):
    return MaskedModel(9, 6, 8, 2, 2, seeded(0), device=device, dtype=dtype)


def text(*shape, seed=1):
    return torch.randint(2, 9, shape, generator=seeded(seed))


def test_shares_of_what_is_shown():
    tokens = torch.full((400, 100), 5)
    shown, chosen = hide(tokens, 1, 9, seeded(0), share=0.2)
    assert torch.equal(shown[~chosen], tokens[~chosen])
    assert float(chosen.double().mean()) == pytest.approx(0.2, abs=0.01)
    hidden = shown[chosen]
    # 80 % masked and a ninth of the 10 % random ones; 10 % kept and a ninth likewise.
    assert float((hidden == 1).double().mean()) == pytest.approx(0.8 + 0.1 / 9, abs=0.015)
    assert float((hidden == 5).double().mean()) == pytest.approx(0.1 + 0.1 / 9, abs=0.015)
    assert len(hidden.unique()) == 9
    plain, chosen = hide(tokens, 1, 9, seeded(0), share=0.2, kept=0.0, swapped=0.0)
    assert (plain[chosen] == 1).all()


@settings(max_examples=30)
@given(seed=st.integers(0, 99), lengths=st.lists(st.integers(0, 6), min_size=2, max_size=2))
def test_padding_is_never_hidden(seed, lengths):
    tokens = text(2, 6)
    shown, chosen = hide(tokens, 1, 9, seeded(seed), torch.tensor(lengths), share=1.0)
    for row, length in enumerate(lengths):
        assert chosen[row, :length].all() and not chosen[row, length:].any()
        assert torch.equal(shown[row, length:], tokens[row, length:])


def test_both_sides_are_seen_and_padding_is_not():
    model, tokens, lengths = small(), text(2, 6), torch.tensor([6, 3])
    out = model(tokens, lengths)
    changed = tokens.clone()
    changed[:, 4] = 2 + (changed[:, 4] - 1) % 7
    again = model(changed, lengths)
    assert (out[0, 0] - again[0, 0]).abs().max() > 1e-8  # the first word sees the fifth
    assert torch.equal(out[1, :3], again[1, :3])  # and not where it is padding
    assert torch.allclose(out[1, :3], model(tokens[1:, :3])[0], atol=1e-12)


def test_loss_is_the_mean_over_the_hidden():
    model, tokens = small(), text(3, 6)
    shown, chosen = hide(tokens, 1, 9, seeded(3), share=0.4)
    logs = model(shown).log_softmax(-1)
    each = [-logs[i, j, tokens[i, j]] for i, j in chosen.nonzero().tolist()]
    assert torch.allclose(masked_loss(model, shown, chosen, tokens), torch.stack(each).mean(), atol=1e-12)
    assert masked_loss(model, tokens, torch.zeros_like(chosen), tokens).item() == 0


def test_shares_that_make_a_whole():
    """In floating point 1 − 0.9 is a little less than 0.1; together they are 1 all the same."""
    tokens = text(4, 6) % 8 + 1
    shown, chosen = hide(tokens, 0, 9, seeded(0), share=1.0, kept=0.9, swapped=0.1)
    assert chosen.all() and (shown == tokens).any()
    with pytest.raises(ValueError, match=r"^hide: swapped must be at most 1 together with kept; got 1.2$"):
        hide(tokens, 0, 9, seeded(0), kept=0.6, swapped=0.6)


def test_nothing_but_padding_costs_nothing():
    tags = torch.zeros(2, 6, dtype=torch.long)
    nothing = TokenClassifier(small(), 3, seeded(0)).loss(text(2, 6), tags, torch.tensor([0, 0]))
    assert nothing.item() == 0


def test_heads_by_their_formulas():
    model, tokens, lengths = small(), text(2, 6), torch.tensor([6, 3])
    h = model.encode(tokens, lengths)
    sentence, word = TextClassifier(model, seeded(1)), TokenClassifier(model, 3, seeded(1))
    means = torch.stack([h[0].mean(0), h[1, :3].mean(0)])
    logits = (means @ sentence.head.weight.T + sentence.head.bias)[:, 0]
    assert torch.allclose(sentence(tokens, lengths), logits, atol=1e-12)
    assert torch.allclose(sentence(tokens), (model.encode(tokens).mean(1) @ sentence.head.weight.T)[:, 0])
    y, p = torch.tensor([1, 0]), logits.sigmoid()
    assert torch.allclose(sentence.loss(tokens, y, lengths), -(p[0].log() + (1 - p[1]).log()) / 2)
    tags, logs = torch.randint(3, (2, 6), generator=seeded(2)), word(tokens, lengths).log_softmax(-1)
    each = -logs.gather(-1, tags[..., None])[..., 0]
    assert torch.allclose(word.loss(tokens, tags, lengths), (each[0].sum() + each[1, :3].sum()) / 9)
    assert torch.allclose(
        word.loss(tokens, tags), -word(tokens).log_softmax(-1).gather(-1, tags[..., None]).mean()
    )


def test_pre_training_finds_the_classes_of_words():
    """Eight labelled sentences and a linear head: after pre-training it finds nearly all names."""
    rng = np.random.default_rng(0)
    free, few, test = language.sentences(1000, rng), language.sentences(8, rng), language.sentences(100, rng)
    V, found = len(language.WORDS), []
    for steps in (2, 150):
        body, g = MaskedModel(V, free.tokens.shape[1], 24, 2, 1, seeded(0)), seeded(1)

        def loss(body, _, g=g):
            at = torch.randint(1000, (64,), generator=g)
            tokens, lengths = free.tokens[at], free.lengths[at]
            return masked_loss(body, *hide(tokens, language.MASK, V, g, lengths, share=0.25), tokens, lengths)

        losses = fit_with_adam(body, loss, itertools.repeat(None), steps, 1e-2).losses
        tagger = TokenClassifier(body, 3, seeded(2))
        fit_with_adam(
            tagger,
            lambda tagger, batch: tagger.loss(*batch),
            itertools.repeat((few.tokens, few.tags, few.lengths)),
            40,
            0.03,
            list(tagger.head.parameters()),
        )
        right = tagger(test.tokens, test.lengths).argmax(-1) == test.tags
        found.append(float(right[test.tags > 0].double().mean()))
    assert losses[-10:].mean() < losses[:3].mean() - 2
    assert found[0] < 0.7 and found[1] > 0.9


def test_fit_learns_what_it_is_given_and_nothing_else():
    model = small()
    head = TextClassifier(model, seeded(1))
    before = {k: v.clone() for k, v in head.state_dict().items()}
    batches = itertools.repeat((text(4, 5), torch.tensor([0, 1, 0, 1])))
    learns = list(head.head.parameters())
    losses = fit_with_adam(head, lambda head, batch: head.loss(*batch), batches, 20, 0.05, learns).losses
    assert losses[-1] < losses[0]
    for name, value in head.state_dict().items():
        assert torch.equal(value, before[name]) != name.startswith("head"), name


def test_meta_device():
    model = small(torch.float32, device="meta")
    tokens = torch.ones(2, 5, dtype=torch.long, device="meta")
    lengths = torch.ones(2, dtype=torch.long, device="meta")
    shown = tokens
    chosen = torch.ones(2, 5, dtype=torch.bool, device="meta")
    assert masked_loss(model, shown, chosen, tokens, lengths).device.type == "meta"
    assert TextClassifier(model, seeded(0)).loss(tokens, lengths, lengths).device.type == "meta"
    assert TokenClassifier(model, 3, seeded(0)).loss(tokens, tokens, lengths).device.type == "meta"


model, tokens = small(), text(2, 5)


@pytest.mark.parametrize("lengths", [torch.tensor([5]), torch.tensor([5, 5, 5]), torch.tensor([[5, 5]])])
def test_hide_wants_one_length_per_row(lengths):
    with pytest.raises(ValueError, match=r"^hide: lengths must have .*shape \((2|B),\).*; got "):
        hide(tokens, 1, 9, seeded(0), lengths)
    with pytest.raises(ValueError, match=r"^hide: lengths must be from 0 to 5"):
        hide(tokens, 1, 9, seeded(0), torch.tensor([5, 6]))


@settings(max_examples=25)
@given(bad_numbers)
def test_bad_numbers_are_refused(bad):
    fine = {"tokens": tokens, "mask_token": 1, "vocabulary": 9, "generator": seeded(0)}
    for argument in ("mask_token", "vocabulary", "share", "kept", "swapped"):
        refused("hide", hide, fine, argument, bad)
    shape = {"vocabulary": 9, "context": 6, "d": 8, "heads": 2, "layers": 1, "generator": seeded(0)}
    for argument in ("vocabulary", "context", "d", "layers"):
        refused("MaskedModel", MaskedModel, shape, argument, bad)
    good = {"model": model, "loss": len, "batches": [], "steps": 2}
    refused("fit_with_adam", fit_with_adam, good, "steps", bad)
    refused("fit_with_adam", fit_with_adam, good, "learning_rate", bad)
    refused("TokenClassifier", TokenClassifier, {"body": model, "generator": seeded(0)}, "classes", bad)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: model(text(2, 7)), "encode: tokens must be at most 6 long, the context; got 7"),
        (lambda: model(text(2, 5) + 5), "MaskedModel: tokens must hold tokens from 0 to 8"),
        (lambda: model(tokens, torch.tensor([9, 1])), "lengths must be from 0 to 5"),
        (lambda: hide(tokens, 9, 9, seeded(0)), "hide: mask_token must be at least 0 and at most 8; got 9"),
        (lambda: hide(tokens, 1, 9, None), "hide: generator must be a torch.Generator"),
        (lambda: hide(tokens, 1, 9, seeded(0), kept=0.6, swapped=0.6), "hide: swapped must be"),
        (lambda: hide(tokens + 9, 1, 9, seeded(0)), "hide: tokens must hold tokens from 0 to 8"),
        (
            lambda: masked_loss(model, tokens, tokens, tokens),
            r"masked_loss: chosen must be a tensor of truths, shape \(2, 5\); got shape",
        ),
        (
            lambda: masked_loss(model, tokens, torch.tensor([[True]]), tokens),
            r"masked_loss: chosen must have shape \(2, 5\), the shape of shown; got \(1, 1\)",
        ),
        (
            lambda: masked_loss(model, tokens, tokens > 0, tokens - 100),
            "masked_loss: tokens must hold tokens from 0 to 8",
        ),
        (lambda: masked_loss(None, tokens, tokens > 0, tokens), "masked_loss: model must be a MaskedModel"),
        (
            lambda: TextClassifier(model, seeded(0)).loss(tokens, torch.tensor([2, 0])),
            "loss: targets must hold tokens from 0 to 1; got 0 to 2",
        ),
        (
            lambda: TokenClassifier(model, 3, seeded(0)).loss(tokens, torch.full((2, 5), -100)),
            "loss: targets must hold tokens from 0 to 2; got -100 to -100",
        ),
        (
            lambda: TokenClassifier(model, 3, seeded(0)).loss(tokens, torch.zeros(2, 4).long()),
            r"loss: targets must have shape \(2, 5\), the shape of tokens; got \(2, 4\)",
        ),
        (
            lambda: fit_with_adam(model, len, [], 2, parameters=[3]),
            "fit_with_adam: parameters must be a Parameter; got 3",
        ),
        (lambda: TextClassifier(None, seeded(0)), "TextClassifier: body must be a MaskedModel"),
        (lambda: TokenClassifier(model, 1, seeded(0)), "TokenClassifier: classes must be at least 2"),
        (lambda: fit_with_adam(model, 3, [], 2), "fit_with_adam: loss must be a function; got 3"),
        (
            lambda: fit_with_adam(model, len, [], 2, parameters=[]),
            "fit_with_adam: parameters must be a list of parameters to learn; got 0 things",
        ),
        (lambda: fit_with_adam(None, len, [], 2), "fit_with_adam: model must be a Module; got None"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        (torch.tensor([9, 1]), r"^hide: lengths must be from 0 to 5, the columns of tokens; got \[9, 1\]"),
        (torch.tensor([-1, 1]), "^hide: lengths must be from 0 to 5"),
        (
            torch.tensor([1, 2, 3]),
            r"^hide: lengths must have shape \(2,\), one per row of tokens; got",
        ),
        (torch.tensor([1.0, 2.0]), "^hide: lengths must be a tensor of whole numbers"),
    ],
)
def test_lengths_that_do_not_fit(lengths, message):
    with pytest.raises(ValueError, match=message):
        hide(tokens, 1, 9, seeded(0), lengths)


def test_float64_is_no_text():
    with pytest.raises(ValueError, match=r"^hide: tokens must be a tensor of whole numbers.*float64"):
        hide(tokens.double(), 1, 9, seeded(0))


@settings(max_examples=25)
@given(st.one_of(st.none(), st.text(max_size=3), st.floats(), st.just([[1]]), st.just(np.ones((1, 2), int))))
def test_anything_but_tokens_is_refused(bad):
    chosen = torch.ones(2, 5, dtype=torch.bool)
    calls = [
        lambda: model(bad),
        lambda: model.encode(bad),
        lambda: hide(bad, 1, 9, seeded(0)),
        lambda: masked_loss(model, bad, chosen, tokens),
        lambda: masked_loss(model, tokens, chosen, bad),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="must be a tensor of whole numbers"):
            call()
