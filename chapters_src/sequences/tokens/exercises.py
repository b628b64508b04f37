"""Exercises of the chapter on tokens: predict, choose, find the false line, repair, break."""

from __future__ import annotations

from typing import Any

from chapters_src.sequences.tokens.byte_pairs import fit_byte_pairs
from chapters_src.studio import Choose, Derivation, FalseLine, Option, Predict, Variant, integers, normal
from chapters_src.studio.exercise import Exercise, Mistake

__all__ = [
    "repaired_encoder",
    "safe_prompt",
    "tied_table",
    "tokeniser",
    "tokens_left",
    "two_texts",
]

# --- predict: a rule of 23 dashes after three merges

tokens_left = Predict(
    "1. Predict: a rule of dashes",
    "A text is a rule of 23 dashes and nothing else. How many tokens are left after three merges?",
    answer=5,
    within=0.1,
    mistakes=[
        Mistake(3, "23 is not a multiple of eight: what is left over at each merge stays"),
        Mistake(2, "the two tokens of eight dashes are not all: what became of the other seven?"),
        Mistake(7, "that is after two merges"),
        Mistake(12, "that is after one merge"),
        Mistake(20, "a merge joins its pair everywhere, not once"),
        Mistake(4, "after the first merge a single dash is left over, and it stays to the end"),
    ],
    hints=[
        "Join by hand: 23 dashes make 11 pairs and one dash.",
        "After the second merge: five fours, a pair and a dash.",
    ],
    why="23 → 11 twos and a one → 5 fours, a two and a one → 2 eights, a four, a two and a one.",
)


# --- choose: how to put a user's words into a prompt

safe_prompt = Choose(
    "2. Choose: a stranger's words in your prompt",
    "`<|end|>` is a special token of your model. `words` comes from a user. Which of these gives the model "
    "the signs you want and no others?",
    options=[
        Option(
            '`encode("<|user|>" + words + "<|end|>", allow_special=True)`',
            why="Whatever special name the user typed becomes a sign too.",
        ),
        Option(
            'first `words = words.replace("<|end|>", "")`, the same for every other special name, and then '
            "the line above",
            why="A user who types `<|e<|end|>nd|>` gets `<|end|>` back, because removing the inner name "
            "joins the outer one.",
        ),
        Option(
            '`[special("<|user|>")] + encode(words) + [special("<|end|>")]`',
            right=True,
            why="Names in the user's words stay characters, and the signs come from your program alone, as "
            "numbers.",
        ),
        Option(
            '`encode("<|user|>" + words + "<|end|>")`',
            why="Safe, but now your own signs are characters as well, and the model has never seen them so.",
        ),
    ],
    hints=[
        "Who decides in each case which characters become a sign?",
        "What remains of `<|e<|end|>nd|>` when `<|end|>` is removed once?",
    ],
)


# --- find the false line: one table for the look-up and for the scores


def _tied() -> Derivation:
    d = Derivation(
        "one table, twice",
        where={
            "z_u": r"= \sum_{k=1}^3E_{uk}E_{\tau k}",
            r"\pi_u": r"= \frac{\exp(z_u)}{\sum_{i=1}^4\exp(z_i)}",
        },
        E=normal(4, 3),
        tau=integers(1, 5),
        y=integers(1, 5),
        v=integers(1, 5),
        j=integers(1, 4),
    )
    d.start(r"\frac{\partial}{\partial E_{vj}}\left(\log\sum_{u=1}^4\exp(z_u)-z_y\right)")
    d.equals(
        r"\sum_{u=1}^4\left(\pi_u-\mathbf 1[u=y]\right)\frac{\partial z_u}{\partial E_{vj}}",
        because=r"chain rule; the derivative of the logarithm by $z_u$ is $\pi_u$, the softmax",
    )
    d.equals(
        r"\sum_{u=1}^4\left(\pi_u-\mathbf 1[u=y]\right)"
        r"\left(\mathbf 1[u=v]E_{\tau j}+\mathbf 1[\tau=v]E_{uj}\right)",
        because=r"product rule for $z_u=\sum_kE_{uk}E_{\tau k}$",
        broken=r"\sum_{u=1}^4\left(\pi_u-\mathbf 1[u=y]\right)\mathbf 1[\tau=v]E_{uj}",
    )
    return d.equals(
        r"\left(\pi_v-\mathbf 1[v=y]\right)E_{\tau j}"
        r"+\mathbf 1[\tau=v]\sum_{u=1}^4\left(\pi_u-\mathbf 1[u=y]\right)E_{uj}",
        because=r"$\mathbf 1[u=v]$ leaves one term of the sum, the one with $u=v$",
    )


tied_table = FalseLine(
    _tied(),
    {
        3: Variant(
            r"\sum_{u=1}^4\left(\pi_u-\mathbf 1[u=y]\right)\mathbf 1[u=v]E_{\tau j}",
            because=r"product rule for $z_u=\sum_kE_{uk}E_{\tau k}$",
        ),
        4: Variant(
            r"\left(\pi_v-\mathbf 1[v=y]\right)E_{\tau j}",
            because=r"$\mathbf 1[u=v]$ leaves one term of the sum, the one with $u=v$",
        ),
    },
    name="3. Find the false line: one table, twice",
    question="After token $\\tau$ a model gives token $u$ the score $z_u=\\sum_kE_{uk}E_{\\tau k}$, with one "
    "table for both; $\\pi$ is the softmax of $z$, and $y$ comes next. Here is the gradient of the loss. One "
    "step does not follow, and the mistake is carried on. Which line is the first that is false?",
    why="Row τ is in every score as well, because it was looked up. The gradient of a tied table is the sum "
    "of both roles.",
    hints=["In how many places does the table stand in $z_u$?", "Let $v=\\tau$."],
)


# --- repair: an encoder that joins whatever comes first


def _passes(tokens: list[int], merges: Any, new: Any = None, backwards: bool = False) -> list[int]:
    tokens = list(tokens)
    for i, (a, b) in enumerate(merges):
        if backwards:
            tokens, a, b = tokens[::-1], b, a
        joined: list[int] = []
        for token in tokens:
            if joined and (joined[-1], token) == (a, b):
                joined[-1] = 256 + i if new is None else new(i)
            else:
                joined.append(token)
        tokens = joined[::-1] if backwards else joined
    return tokens


def _encode(tokens: Any, merges: Any) -> list[int]:
    return _passes(tokens, merges)


def _joined_once(tokens: Any, merges: Any) -> list[int]:
    """Every merge, but only at its first place."""
    tokens = list(tokens)
    for i, (a, b) in enumerate(merges):
        at = next((t for t in range(len(tokens) - 1) if (tokens[t], tokens[t + 1]) == (a, b)), None)
        if at is not None:
            tokens[at : at + 2] = [256 + i]
    return tokens


def _any_order(tokens: Any, merges: Any) -> list[int]:
    """Whatever pair comes first in the text, at the number of its merge."""
    rank, tokens = {tuple(pair): i for i, pair in enumerate(merges)}, list(tokens)
    while True:
        at = next((t for t in range(len(tokens) - 1) if (tokens[t], tokens[t + 1]) in rank), None)
        if at is None:
            return tokens
        tokens[at : at + 2] = [256 + rank[tokens[at], tokens[at + 1]]]


def _case(text: str, merges: list[tuple[int, int]]) -> dict[str, Any]:
    return {"tokens": list(text.encode()), "merges": merges}


a, b, c = b"abc"
repaired_encoder = Exercise(
    "repaired encoder",
    answer=_encode,
    cases=[
        _case("aab abb bbb", [(a, b), (b, b), (a, a)]),  # every mistake below gives other tokens
        _case("abab", [(a, b)]),
        _case("aaa", [(a, a)]),
        _case("abc cab", [(a, b), (b, c), (c, a)]),
        _case("abcabcab", [(a, b), (256, c), (257, 256)]),
        _case("ccc", [(a, b)]),
        _case("aaaaaaa", [(a, a), (256, 256), (257, 256)]),
    ],
    mistakes=[
        Mistake(_any_order, "an earlier merge goes first, wherever in the text its pair stands"),
        Mistake(_joined_once, "a merge joins its pair everywhere in the text, not only at the first place"),
        Mistake(
            lambda tokens, merges: _passes(tokens, merges, backwards=True),
            "pairs are joined from left to right: of $aaa$ the first two are joined",
        ),
        Mistake(
            lambda tokens, merges: _passes(tokens, merges[:1]),
            "there is more than one merge; each works on what the one before has made",
        ),
        Mistake(
            lambda tokens, merges: _passes(tokens, merges[::-1], lambda i: 255 + len(merges) - i),
            "apply the merges in the order in which they were learned",
        ),
        Mistake(
            lambda tokens, merges: _passes(tokens, merges, lambda i: 257 + i),
            "the first merge makes token 256, because the bytes are 0 to 255",
        ),
    ],
    hint="one pass over the tokens for each merge; compare the last token kept with the next one",
)


# --- break: more text, fewer tokens

tokeniser = fit_byte_pairs(
    "how much wood would a woodchuck chuck if a woodchuck could chuck wood? "
    "he would chuck, he would, as much as he could, and chuck as much wood as a woodchuck would "
    "if a woodchuck could chuck wood. ",
    40,
)


def _shrinks(attempt: Any) -> str | None:
    if not isinstance(attempt, (tuple, list)) or len(attempt) != 2:
        return "give a pair of texts, a and b."
    if not all(isinstance(text, str) for text in attempt):
        return "both must be strings."
    a, b = attempt
    if not a or not b:
        return "neither text may be empty."
    alone, together = len(tokeniser.encode(a)), len(tokeniser.encode(a + b))
    if together < alone:
        return None
    return f"a has {alone} tokens and a + b has {together}."


two_texts = Exercise(
    "more text, fewer tokens",
    judge=_shrinks,
    hint=(
        "look at a long entry of `tokeniser.vocabulary` and find one whose beginning, without its last "
        "letter, is left in several pieces"
    ),
)
