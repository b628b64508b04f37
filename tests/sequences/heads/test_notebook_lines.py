"""Lines of the notebook that once could not fail, or left something unchecked: their breaks raise."""

from __future__ import annotations

import linecache

import pytest

from chapters_src.studio.derivation import DerivationError, watched
from tools.chapters import read, select

SETUP = ("Imports", "Imports: this chapter's package", "Imports: the machinery of the book")
JOINED = "Derivation: joined heads are a sum"
WEIGHTS = "Derivation: what a head's weights depend on"
MISSED = "Derivation: one head, several look-ups"
MASK = "Derivation: what a mask does"
ONLINE = "Derivation: the online softmax"
VALUES = "Derivation: the gradient at the values"
QUERIES = "Derivation: the gradient at the queries"
KEYS = "Derivation: the gradient at the keys"
MEAN = "Derivation: the mean without the row"
BREAKS = {
    "the biases of values dropped": ([JOINED], r"+\mathbf 1\left(b_1^\top U_1+b_2^\top U_2\right)", ""),
    "the bias of queries dropped": ([WEIGHTS], r"+\mathbf 1(XW_Kb_Q)^\top\right)", r"\right)"),
    "one value lost too few": ([MISSED], 'r"n-1"', 'r"n-2"'),
    "zeros and no new sum": ([MASK], r"\frac{M_{ij}\,a_{ij}}{\sum_lM_{il}\,a_{il}}", r"M_{ij}\,a_{ij}"),
    "old units kept": ([ONLINE], r"e^{m-m'}\,o+", "o+"),
    "the product is not linear in V": ([VALUES], r"A^\top G,\,V\rangle", r"A^\top G,\,V\odot V\rangle"),
    "the sign at the values": ([VALUES], r'r"A^\top G"', r'r"-A^\top G"'),
    "the root at the queries": ([VALUES, QUERIES], r"\frac1{\sqrt d}\,DK", r"\frac1d\,DK"),
    "the mean forgotten": ([VALUES, QUERIES], r"b_{ij}-\sum_la_{il}b_{il}", r"b_{ij}"),
    "the root at the keys": ([VALUES, QUERIES, KEYS], r"\frac1{\sqrt d}\,D^\top Q", r"\frac1d\,D^\top Q"),
    "queries of another row": ([VALUES, QUERIES, KEYS], r"\sum_iD_{ij}\,q_i^\top", r"\sum_iD_{ij}\,q_1^\top"),
    "another vector than the output": ([MEAN], r'r"g^\top o"', r'r"o^\top o"'),
}


@pytest.fixture(scope="module")
def cells() -> dict[str, str]:
    sources = [cell.source for cell in read(select(["sequences/heads"])[0]).cells]
    titled = [source for source in sources if source.startswith("# @title ")]
    return {source.splitlines()[0].removeprefix("# @title "): source for source in titled}


def run(sources: list[str]) -> list:
    names: dict = {}
    with watched() as found:
        for at, source in enumerate(sources):
            name = f"<cell {at}>"
            linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
            exec(compile(source, name, "exec"), names)
    return found


def test_the_cells_keep_the_rules(cells: dict[str, str]):
    titles = (*SETUP, JOINED, WEIGHTS, MISSED, MASK, ONLINE, VALUES, QUERIES, KEYS, MEAN)
    found = run([cells[title] for title in titles])
    own = [derivation for derivation in found if derivation.title != "two heads that look alike"]
    assert [derivation.problems for derivation in own] == [[]] * 9  # that one belongs to an exercise


@pytest.mark.parametrize("case", BREAKS)
def test_a_break_raises(case: str, cells: dict[str, str]):
    titles, right, wrong = BREAKS[case]
    sources = [cells[title] for title in (*SETUP, *titles)]
    assert any(right in source for source in sources)
    with pytest.raises(DerivationError, match="does not follow"):
        run([source.replace(right, wrong) for source in sources])
