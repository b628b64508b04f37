"""A chapter that the text names is a link. That links lead somewhere is Sphinx's to check, with -W."""

from __future__ import annotations

import re

import pytest

from tools.chapters import Page, chapters, read

CHAPTERS = chapters()
LINK = re.compile(r"\[[^\]]*\]\([^)]*\)|\{(?:doc|ref|term)\}`[^`]*`")
NO_PROSE = re.compile(r"^(`{3,}).*?^\1|\$\$.*?\$\$|`[^`\n]*`|\$[^$\n]*\$|^#+ [^\n]*$", re.S | re.M)
LINKED = "⟦⟧"


def title_of(page: Page) -> str:
    return read(page).cells[0].source.splitlines()[0].removeprefix("# ")


TITLES = [title_of(page) for page in CHAPTERS]


def unlinked(text: str, titles: list[str]) -> list[str]:
    """The places where prose names a chapter and does not link to it."""
    prose = LINK.sub(LINKED, NO_PROSE.sub("", text))
    names = "|".join(re.escape(title) for title in titles)
    patterns = (
        rf"\bchapters? (?:on|about) (?!{LINKED})[\w ]+",
        r"\b(?:next|last|previous) chapter",
        rf"\bthe (?:{names}) chapter",
        rf"(?<!\*)\*(?-i:{names})\*(?!\*)",
    )
    return [found[0] for pattern in patterns for found in re.finditer(pattern, prose, re.I)]


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.name)
def test_a_chapter_that_is_named_is_linked(page: Page):
    text = "\n\n".join(cell.source for cell in read(page).cells if cell.cell_type == "markdown")
    others = [title for title in TITLES if title != title_of(page)]
    assert unlinked(text, others) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("as the chapter on descent says", ["chapter on descent says"]),
        ("as the chapter on [descent](../optimisation/descent.ipynb) says", []),
        ("see the next chapter", ["next chapter"]),
        ("see the [next chapter](descent.ipynb)", []),
        ("- *Descent* takes steps", ["*Descent*"]),
        ("the descent chapter", ["the descent chapter"]),
        ("`chapter on descent` and a descent", []),
    ],
)
def test_a_mention_without_a_link_is_found(text: str, found: list[str]):
    assert unlinked(text, ["Descent"]) == found
