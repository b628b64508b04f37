"""Lines of the notebook that once could not fail, or left something unchecked: their breaks raise."""

from __future__ import annotations

import linecache

import pytest

from chapters_src.studio.derivation import DerivationError, watched
from tools.chapters import read, select

SETUP = ("Imports", "Imports: the machinery of the book", "What every cell below uses")
VALUES = "Derivation: the gradient at the values"
QUERIES = "Derivation: the gradient at the queries"
KEYS = "Derivation: the gradient at the keys"
STAGE = "Derivation, the stage: a random permutation"
ORDER = "Derivation: permutation equivariance"
PASSED = "Derivation: what can pass a softmax at most"
JOINED = "Derivation: joined heads are a sum"
WEIGHTS = "Derivation: what a head's weights depend on"
BREAKS = {
    "the product is not linear in V": ([VALUES], r"A^\top G,\,V\rangle", r"A^\top G,\,V\odot V\rangle"),
    "the sign at the values": ([VALUES], r'r"A^\top G"', r'r"-A^\top G"'),
    "the root at the queries": ([VALUES, QUERIES], r"\frac1{\sqrt d}\,DK", r"\frac1d\,DK"),
    "the mean wish forgotten": ([VALUES, QUERIES], r"b_{ij}-\sum_la_{il}b_{il}", r"b_{ij}"),
    "the root at the keys": ([VALUES, QUERIES, KEYS], r"\frac1{\sqrt d}\,D^\top Q", r"\frac1d\,D^\top Q"),
    "queries of another row": ([VALUES, QUERIES, KEYS], r"\sum_iD_{ij}\,q_i^\top", r"\sum_iD_{ij}\,q_1^\top"),
    "no permutation": ([STAGE, ORDER], "rng.permutation(size[0])", "rng.integers(0, 2, size[0])"),
    "an order that is lost": (
        [STAGE, ORDER],
        r'r"P\operatorname{softmax}(S)\,P',
        r'r"\operatorname{softmax}(S)\,P',
    ),
    "squares for what passes": ([PASSED], r"1-\sum_ja_j^2", r"\sum_ja_j^2"),
    "the biases of values dropped": ([JOINED], r"+\mathbf 1\left(b_1^\top U_1+b_2^\top U_2\right)", ""),
    "the bias of queries dropped": ([WEIGHTS], r"+\mathbf 1(XW_Kb_Q)^\top\right)", r"\right)"),
}


@pytest.fixture(scope="module")
def cells() -> dict[str, str]:
    sources = [cell.source for cell in read(select(["sequences/attention"])[0]).cells]
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


def broken(cells: dict[str, str], titles: list[str], right: str, wrong: str) -> list[str]:
    sources = [cells[title] for title in (*SETUP, *titles)]
    assert any(right in source for source in sources)
    return [source.replace(right, wrong) for source in sources]


def test_the_cells_keep_the_rules(cells: dict[str, str]):
    titles = (*SETUP, VALUES, QUERIES, KEYS, STAGE, ORDER, PASSED, JOINED, WEIGHTS)
    found = run([cells[title] for title in titles])
    assert len(found) == 7
    assert [derivation.problems for derivation in found] == [[]] * 7


@pytest.mark.parametrize("case", BREAKS)
def test_a_break_raises(case: str, cells: dict[str, str]):
    with pytest.raises(DerivationError, match="does not follow"):
        run(broken(cells, *BREAKS[case]))
