"""Generated sentences in English and in Spanish, which has another order of words and endings that agree."""

from __future__ import annotations

from typing import NamedTuple

import torch

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.readers import at_least, one_of
from chapters_src.core.shapes import Int, Tensor

__all__ = [
    "BOS",
    "ENGLISH",
    "EOS",
    "PAD",
    "SPANISH",
    "SentencePairs",
    "sentence_pairs",
    "translated",
    "words_of",
]

# Gender decides the article and the ending of the adjective: la casa roja, el perro rojo.
FEMININE = {"house": "casa", "table": "mesa", "door": "puerta", "star": "estrella", "hen": "gallina"}
MASCULINE = {"dog": "perro", "cat": "gato", "tree": "árbol", "book": "libro", "boat": "barco"}
ADJECTIVES = {"red": "roj", "white": "blanc", "old": "viej", "small": "pequeñ", "new": "nuev", "tall": "alt"}
VERBS = {"sees": "ve", "wants": "quiere", "finds": "encuentra", "paints": "pinta", "draws": "dibuja"}
NOUNS = {**FEMININE, **MASCULINE}

SPECIAL = ("<pad>", "<bos>", "<eos>")
PAD, BOS, EOS = 0, 1, 2
ENGLISH = (*SPECIAL, "the", "and", *NOUNS, *ADJECTIVES, *VERBS)
SPANISH = (
    *SPECIAL,
    *("el", "la", "y"),
    *NOUNS.values(),
    *(stem + ending for stem in ADJECTIVES.values() for ending in "oa"),
    *VERBS.values(),
)
LANGUAGES = {"English": ENGLISH, "Spanish": SPANISH}


class SentencePairs(NamedTuple):
    """Rows of tokens filled up with PAD: the source ends with EOS, the target has BOS and EOS round it."""

    source: Int[Tensor, "n s"]
    target: Int[Tensor, "n t"]


@checked
def translated(english: str) -> str:
    """The Spanish of a sentence of this small language: noun before adjective, and endings that agree."""
    written: list[str] = []
    adjective = None
    for word in english.split():
        if word in NOUNS:
            feminine = word in FEMININE
            written += ["la" if feminine else "el", NOUNS[word]]
            written += [] if adjective is None else [ADJECTIVES[adjective] + "oa"[feminine]]
            adjective = None
        elif word in ADJECTIVES:
            adjective = word
        elif word in VERBS or word == "and":
            written.append(VERBS.get(word, "y"))
        elif word != "the":
            refuse("english", "consist of words of ENGLISH", repr(word))
    return " ".join(written)


@checked(n=at_least(1), phrases=at_least(1))
def sentence_pairs(n: int, phrases: int, generator: torch.Generator) -> SentencePairs:
    """``n`` random sentences of ``phrases`` nouns each, and their translations.

    One noun in three comes without an adjective. A verb and "and" take turns between the nouns.
    """
    pick = lambda high: torch.randint(high, (n, phrases), generator=generator).tolist()  # noqa: E731
    nouns, adjectives, verbs = pick(len(NOUNS)), pick(len(ADJECTIVES) * 3 // 2), pick(len(VERBS))
    names = [[*table] for table in (NOUNS, ADJECTIVES, VERBS)]
    english = []
    for row in range(n):
        words: list[str] = []
        for k in range(phrases):
            if k:
                words.append("and" if k % 2 == 0 else names[2][verbs[row][k]])
            kind = adjectives[row][k]
            words += ["the", *names[1][kind : kind + 1], names[0][nouns[row][k]]]
        english.append(" ".join(words))
    number = {name: {word: i for i, word in enumerate(words)} for name, words in LANGUAGES.items()}
    source = [[number["English"][word] for word in one.split()] + [EOS] for one in english]
    target = [[BOS, *(number["Spanish"][word] for word in translated(one).split()), EOS] for one in english]
    return SentencePairs(_filled(source), _filled(target))


@checked(language=one_of(LANGUAGES))
def words_of(tokens: Int[Tensor, "t"], language: str) -> str:
    """The words of one row of tokens, up to its end and without what fills it up."""
    words, known = [], len(LANGUAGES[language])
    worst = next((token for token in tokens.tolist() if not 0 <= token < known), None)
    require(worst is None, "tokens", f"be words of {language}, from 0 to {known - 1}", worst)
    for token in tokens.tolist():
        if token == EOS:
            break
        if token not in (PAD, BOS):
            words.append(LANGUAGES[language][token])
    return " ".join(words)


def _filled(rows: list[list[int]]) -> Tensor:
    """Rows of different lengths as one tensor, PAD after their ends."""
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, PAD)
