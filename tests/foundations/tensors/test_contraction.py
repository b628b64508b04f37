"""The three steps of the staircase against numpy's einsum, and against sums written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.foundations.tensors import einsum, einsum_by_loops, einsum_by_matmul

STEPS = [einsum_by_loops, einsum, einsum_by_matmul]
SIZES = dict(zip("abijkn", (1, 4, 2, 3, 5, 2), strict=True))


def operands(terms, rng):
    return [rng.normal(size=[SIZES[letter] for letter in term]) for term in terms]


@st.composite
def contractions(draw):
    """One to four operands of up to three letters each, letters repeated at will, any output or none."""
    terms = draw(st.lists(st.text(alphabet=sorted(SIZES), max_size=3), min_size=1, max_size=4))
    known = sorted(set("".join(terms)))
    output = draw(
        st.permutations(known).flatmap(lambda order: st.integers(0, len(order)).map(lambda n: order[:n]))
    )
    arrow = draw(st.booleans())
    return terms, ",".join(terms) + ("->" + "".join(output) if arrow else "")


@pytest.mark.parametrize("step", STEPS)
@given(contractions(), st.integers(0, 2**32 - 1))
def test_equal_to_numpy(step, contraction, seed):
    terms, subscripts = contraction
    arrays = operands(terms, np.random.default_rng(seed))
    expected = np.einsum(subscripts, *arrays)
    found = step(subscripts, *arrays)
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("step", STEPS)
def test_worked_numbers(step):
    A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    assert step("ij,jk->ik", A, B).tolist() == [[19, 22], [43, 50]]
    assert step("ij,ij->ij", A, B).tolist() == [[5, 12], [21, 32]]
    assert step("ii->", A) == 5
    assert step("ii->i", B).tolist() == [5, 8]
    assert step("ij->ji", A).tolist() == [[1, 3], [2, 4]]
    assert step("i,j->ij", [1.0, 2.0], [3.0, 4.0]).tolist() == [[3, 4], [6, 8]]
    assert step("i j, j k -> i k", A, B).tolist() == [[19, 22], [43, 50]]


@pytest.mark.parametrize("step", STEPS)
def test_linear_in_each_operand(step):
    rng = np.random.default_rng(0)
    X, W, Y = operands(("ni", "ijk", "nj"), rng)
    other = rng.normal(size=W.shape)
    together = step("ni,ijk,nj->nk", X, 2 * W - 3 * other, Y)
    apart = 2 * step("ni,ijk,nj->nk", X, W, Y) - 3 * step("ni,ijk,nj->nk", X, other, Y)
    np.testing.assert_allclose(together, apart, atol=1e-12)


@pytest.mark.parametrize("step", STEPS)
def test_result_shares_no_memory(step):
    A = np.arange(6.0).reshape(2, 3)
    for subscripts in ("ij->ij", "ij->ji"):
        assert not np.shares_memory(step(subscripts, A), A)
    assert A.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("message", "subscripts", "shapes"),
    [
        (r"operand 2 must have length 3 along 'j'; got 4", "ij,jk->ik", [(2, 3), (4, 2)]),
        (r"operand 1 must have length 2 along 'i'; got 3", "ii->", [(2, 3)]),
        (r"operand 1 must have one axis per letter of 'ij'; got shape \(2,\)", "ij->", [(2,)]),
        (r"subscripts must have one group of letters for each of 1 operands; got 2", "i,i->", [(2,)]),
        (r"subscripts must name each axis of the result once.*; got 'ii'", "i->ii", [(2,)]),
        (r"subscripts must name each axis of the result once.*; got 'k'", "i->k", [(2,)]),
        (r"subscripts must be letters, commas and one arrow.*; got 'i1->'", "i1->", [(2, 2)]),
        (r"subscripts must be letters, commas and one arrow.*; got 'i->->'", "i->->", [(2,)]),
        (r"subscripts must be letters, commas and one arrow.*; got '...i->i'", "...i->i", [(2,)]),
    ],
)
def test_what_is_refused(step, message, subscripts, shapes):
    with pytest.raises(ValueError, match=rf"^{step.__name__}: {message}$"):
        step(subscripts, *map(np.ones, shapes))


@pytest.mark.parametrize("step", STEPS)
def test_operands_are_read(step):
    with pytest.raises(ValueError, match=r"operand 2 must be finite; got nan at \[1\]"):
        step("i,i->", [1.0, 2.0], [1.0, np.nan])
    with pytest.raises(ValueError, match="operand 1 must hold real numbers"):
        step("i->", ["a", "b"])
    with pytest.raises(ValueError, match="subscripts must be a text"):
        step(3, [1.0])
