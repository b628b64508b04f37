"""The buttons of a page, with and without a repository's address; the browser for the browser tests."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace

import pytest
import yaml

from tools import browser
from tools.chapters import ROOT
from tools.name_repository import with_repository


@pytest.fixture(scope="module")
def extension():
    spec = importlib.util.spec_from_file_location("every_line", ROOT / "book/_ext/every_line.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def buttons(extension, url, page="models/least_squares", source="models/least_squares.ipynb"):
    env = SimpleNamespace(found_docs={page}, doc2path=lambda name: f"book/{source}")
    config = SimpleNamespace(html_theme_options={"repository_url": url})
    theirs = [{"label": "download-buttons"}, {"label": "kept"}]
    context = {"header_buttons": theirs, "pathto": lambda path, _: f"../{path}"}
    extension.set_buttons(SimpleNamespace(env=env, config=config), page, "", context, None)
    return {one["label"]: one.get("url") for one in context["header_buttons"]}


def test_without_a_repository_there_is_the_standalone_notebook_and_no_colab(extension):
    assert buttons(extension, "") == {
        "standalone-button": "../standalone/models/least_squares.ipynb",
        "kept": None,
    }


def test_with_a_repository_colab_opens_the_published_notebook(extension):
    named = buttons(extension, "https://github.com/owner/book")
    assert named["colab-button"] == (
        "https://colab.research.google.com/github/owner/book/blob/gh-pages/standalone/models/least_squares.ipynb"
    )
    assert named["source-button"] == "https://github.com/owner/book/blob/main/book/models/least_squares.ipynb"
    assert "colab-button" not in buttons(extension, "https://gitlab.com/owner/book"), (
        "Colab opens GitHub only"
    )


def test_a_page_of_text_has_neither(extension):
    assert buttons(extension, "https://github.com/o/b", "notation", "notation.md") == {"kept": None}


def test_the_repository_is_named_in_one_place():
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    named = with_repository(config, "https://github.com/owner/book")
    assert yaml.safe_load(named)["repository"]["url"] == "https://github.com/owner/book"
    with pytest.raises(ValueError, match=r"one repository.url"):
        with_repository("title: x\n", "https://github.com/owner/book")


def test_a_browser_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    assert browser.find_chromium() is None
    (tmp_path / "chromium").write_text("#!/bin/sh\n")
    (tmp_path / "chromium").chmod(0o755)
    assert browser.find_chromium() == str(tmp_path / "chromium")
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "absent"))
    assert browser.find_chromium() is None
