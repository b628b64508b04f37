"""The browser check can fail: pages that ask for an outside file, throw, or miss a file must be told on."""

from __future__ import annotations

import pytest

PAGE = (
    '<!doctype html><html lang="en"><head><title>Canary</title><link rel="icon" href="data:,"></head>'
    "<body>{}</body></html>"
)


@pytest.fixture
def problems_of(tmp_path, visit):
    """What a browser visit to a page with this body complains about."""

    def look(body: str) -> list[str]:
        (tmp_path / "canary.html").write_text(PAGE.format(body), encoding="utf-8")
        with visit(f"{tmp_path.as_uri()}/canary.html", tmp_path.as_uri()) as opened:
            return opened.problems

    return look


def test_a_sound_page_passes(problems_of):
    assert problems_of("<p>Sound.</p>") == []


def test_an_outside_file_is_told_on(problems_of):
    assert problems_of('<img alt="" src="https://example.org/outside.png">') == [
        "asked for an outside file: https://example.org/outside.png"
    ]


def test_a_console_error_is_told_on(problems_of):
    assert problems_of("<script>console.error('a canary')</script>") == ["console error: a canary"]


def test_an_uncaught_error_is_told_on(problems_of):
    assert any("a canary" in one for one in problems_of("<script>throw new Error('a canary')</script>"))


def test_a_missing_file_is_told_on(problems_of):
    assert any("missing.png" in one for one in problems_of('<img alt="" src="missing.png">'))
