"""The tasks follow their rules, and the models see what they may see and nothing else."""

import torch

from chapters_src.core.device import seed
from chapters_src.sequences.gates import (
    FORECAST_WORDS,
    FORECASTS,
    REVIEW_WORDS,
    TAGGED_WORDS,
    TAGS,
    Forecaster,
    ReviewReader,
    Tagger,
    forecasts,
    reviews,
    tagged_sentences,
)


def test_reviews_by_reading_them():
    tokens, labels = reviews(200, 3, seed(0))
    praise, blame = {"good", "great", "fun"}, {"bad", "dull", "long"}
    for row, label in zip(tokens.tolist(), labels.tolist(), strict=True):
        words = [REVIEW_WORDS[i] for i in row]
        votes = 0
        for k in range(0, 12, 4):
            *before, opinion = words[k : k + 4]
            assert opinion in praise | blame and not (praise | blame) & set(before)
            assert before.count("not") <= 1
            votes += (1 if opinion in praise else -1) * (-1 if "not" in before else 1)
        assert label == (votes > 0)
    assert 0.4 < labels.double().mean() < 0.6


def test_forecasts_are_those_of_the_month():
    month, words = forecasts(300, seed(1))
    seen = {
        (int(k), " ".join(FORECAST_WORDS[i] for i in row))
        for k, row in zip(month, words.tolist(), strict=True)
    }
    assert seen == {(k, one) for k, both in enumerate(FORECASTS) for one in both}


def test_tags_by_the_fourth_word():
    words, tags = tagged_sentences(400, seed(2))
    long = 0
    for row, tag in zip(words.tolist(), tags.tolist(), strict=True):
        names = [TAGS[k] for k in tag]
        if TAGGED_WORDS[row[3]] == "the":
            assert names == ["article", "noun", "verb", "article", "adjective", "noun"]
        else:
            assert names == ["article", "adjective", "noun", "verb", "article", "noun"]
            long += 1
    assert abs(long / 400 - 0.6) < 0.1


def test_a_review_is_read_to_its_last_word():
    model, tokens = ReviewReader(5, seed(0)), reviews(4, 1, seed(1))[0]
    other = tokens.clone()
    other[:, 0] = (other[:, 0] + 1) % len(REVIEW_WORDS)
    assert not torch.equal(model(tokens), model(other))


def test_a_forecaster_sees_words_before_and_the_month():
    words = forecasts(3, seed(0))[1]
    month, changed = torch.zeros(3, dtype=torch.long), words.clone()
    changed[:, 1] = 7
    model = Forecaster(5, seed(1))
    same = (model(month, words) - model(month, changed)).abs().amax((0, 2)) < 1e-6
    assert same.tolist() == [True, True, False]
    assert not torch.equal(model(month, words), model(1 - month, words))
    blind = Forecaster(5, seed(1), autoregressive=False)
    torch.testing.assert_close(blind(month, words), blind(month, changed))


def test_writing_follows_the_probabilities():
    model = Forecaster(5, seed(1))
    month = torch.zeros(4000, dtype=torch.long)
    words = model.write(month, 2, seed(2))
    p = model(month[:1], words[:1])[0, 0].softmax(-1)
    seen = torch.bincount(words[:, 0], minlength=len(p)) / 4000
    assert (seen - p).abs().max() < 0.04


def test_a_tagger_that_reads_one_way_does_not_see_ahead():
    words = tagged_sentences(6, seed(3))[0]
    changed = words.clone()
    changed[:, 3] = (changed[:, 3] + 1) % len(TAGGED_WORDS)
    for both in (False, True):
        model = Tagger(5, seed(4), both)
        same = (model(words) - model(changed)).abs().amax((0, 2)) < 1e-6
        assert same.tolist() == ([False] * 6 if both else [True] * 3 + [False] * 3)
