"""A section called Deeper is folded, whole, and no other."""

from __future__ import annotations

import importlib
import sys

import pytest
from docutils import nodes

from tools.chapters import ROOT


@pytest.fixture
def deeper():
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    yield importlib.import_module("deeper")
    sys.path.remove(str(ROOT / "book" / "_ext"))


def page(title: str) -> tuple[nodes.document, nodes.section]:
    from docutils.utils import new_document

    document = new_document("page")
    inner = nodes.section("", nodes.title("", title), nodes.paragraph("", "proof"))
    document += nodes.section("", nodes.title("", "Least squares"), inner, nodes.paragraph("", "after"))
    return document, inner


def test_a_deeper_section_is_folded(deeper):
    document, section = page("Deeper: a proof")
    deeper.fold_deeper(None, document)
    kinds = [type(child).__name__ for child in section.children]
    assert kinds == ["title", "raw", "paragraph", "raw"]
    assert section[1].astext().startswith('<details class="deeper"><summary>')
    assert section[3].astext() == "</details>"
    assert len(list(document.findall(nodes.raw))) == 2


def test_another_section_is_not(deeper):
    document, _ = page("How it fails, deeper")
    deeper.fold_deeper(None, document)
    assert not list(document.findall(nodes.raw))
