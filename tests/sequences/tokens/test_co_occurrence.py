"""Counts against a double loop, mutual information against its mean, vectors against what they must keep."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import mutual_info_score
from sklearn.metrics.pairwise import cosine_similarity

from chapters_src.sequences.tokens.co_occurrence import (
    analogy,
    co_occurrences,
    nearest,
    pointwise_mutual_information,
    word_vectors,
)
from tests.bad_input import bad_arrays, read_only, refused

rng = np.random.default_rng(0)
COUNTS = rng.integers(1, 9, (5, 4)).astype(float)


@given(st.lists(st.integers(-1, 4), min_size=1, max_size=20), st.integers(1, 6))
def test_counts_are_those_of_a_double_loop(tokens, window):
    expected = np.zeros((5, 5))
    for s, i in enumerate(tokens):
        for t, j in enumerate(tokens):
            if 0 < abs(s - t) <= window and i >= 0 and j >= 0:
                expected[i, j] += 1
    np.testing.assert_array_equal(co_occurrences(tokens, 5, window), expected)


def test_a_sentence_by_hand():
    """a b a: with a window of 1, a meets b twice; with 2, the two a meet as well."""
    assert co_occurrences([0, 1, 0], 2, 1).tolist() == [[0, 2], [2, 0]]
    assert co_occurrences([0, 1, 0], 2, 2).tolist() == [[2, 2], [2, 0]]


def test_its_mean_is_the_mutual_information():
    p = COUNTS / COUNTS.sum()
    mean = (p * pointwise_mutual_information(COUNTS, positive=False)).sum()
    assert mean == pytest.approx(mutual_info_score(None, None, contingency=COUNTS), rel=1e-12)


def test_independence_gives_zero():
    C = np.outer([1.0, 2.0, 3.0], [4.0, 5.0])
    np.testing.assert_allclose(pointwise_mutual_information(C, positive=False), 0, atol=1e-15)


def test_what_never_met():
    C = np.array([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    pmi = pointwise_mutual_information(C, positive=False)
    assert pmi[0, 1] == -np.inf and (pmi[2] == -np.inf).all() and (pmi[:, 2] == -np.inf).all()
    assert pmi[0, 0] == pytest.approx(np.log(4 / 3))
    assert pointwise_mutual_information(C).min() == 0


def test_smoothing_lowers_rare_contexts():
    C = np.array([[90.0, 1.0], [90.0, 3.0]])
    plain, smooth = (pointwise_mutual_information(C, False, a) for a in (1.0, 0.75))
    assert (smooth[:, 1] < plain[:, 1]).all() and (smooth[:, 0] > plain[:, 0]).all()
    expected = np.log(1 / 91 / (4**0.75 / (4**0.75 + 180**0.75)))
    assert smooth[0, 1] == pytest.approx(expected)


def test_vectors_are_the_best_of_their_rank():
    M = rng.normal(size=(9, 6))
    E = word_vectors(M, 3)
    theirs = TruncatedSVD(3, algorithm="arpack", random_state=0).fit_transform(M)
    lengths = np.linalg.norm(theirs, axis=0) ** 0.5
    np.testing.assert_allclose(E @ E.T, (theirs / lengths) @ (theirs / lengths).T, atol=1e-10)
    full = word_vectors(M, 6)
    U, s, _ = np.linalg.svd(M, full_matrices=False)
    np.testing.assert_allclose(full @ full.T, U * s @ U.T, atol=1e-10)
    assert (E[np.abs(E).argmax(axis=0), range(3)] > 0).all()


def test_vectors_of_a_symmetric_matrix_keep_its_products():
    A = rng.normal(size=(6, 2))
    E = word_vectors(A @ A.T, 2)
    np.testing.assert_allclose(E @ E.T, A @ A.T, atol=1e-10)


def test_nearest_is_sklearns():
    E = rng.normal(size=(20, 4))
    order = np.argsort(-cosine_similarity(E[3:4], E)[0])
    assert nearest(E, E[3], 5).tolist() == order[:5].tolist()
    assert nearest(E, 7 * E[3], 5, exclude=[3]).tolist() == order[1:6].tolist()


def test_a_zero_vector_is_near_to_nothing():
    E = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    assert nearest(E, E[1], 3).tolist() == [1, 0, 2]


def test_a_parallelogram():
    E = np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 1.0], [3.0, 0.0, 1.0], [3.0, 2.0, 1.0], [-1.0, -1.0, -1.0]])
    assert analogy(E, 0, 1, 2).tolist() == [3]
    assert analogy(E, 3, 2, 1).tolist() == [0]


def test_analogies_by_sorting_all_words():
    """Direction and exclusion, by scikit-learn's cosines of everybody with b − a + c."""
    E = np.random.default_rng(4).normal(size=(9, 3))
    for a, b, c in ((0, 1, 2), (5, 3, 8), (7, 0, 4), (2, 6, 2)):
        cosines = cosine_similarity(E, [E[b] - E[a] + E[c]])[:, 0]
        expected = [i for i in np.argsort(-cosines) if i not in (a, b, c)]
        assert analogy(E, a, b, c, k=len(expected)).tolist() == expected
    small_step = np.array([[1, 0, 0], [1, 0.1, 0], [0, 0, 1], [0, -1, 1], [0, 1, 1]])
    assert nearest(small_step, small_step[1] - small_step[0] + small_step[2], 1).tolist() == [2]
    assert analogy(small_step, 0, 1, 2, k=2).tolist() == [4, 3]  # c itself is nearest, and left out


def test_arguments_are_not_changed():
    good = read_only({"C": COUNTS})
    E = word_vectors(pointwise_mutual_information(good["C"]), 2)
    frozen = read_only({"E": E, "v": E[0]})
    nearest(frozen["E"], frozen["v"], 2, [0])
    analogy(frozen["E"], 0, 1, 2)


GOOD = {
    "pointwise_mutual_information": (pointwise_mutual_information, {"C": COUNTS}, "C", False),
    "word_vectors": (word_vectors, {"M": COUNTS, "d": 2}, "M", False),
    "nearest": (nearest, {"E": COUNTS, "v": np.ones(4), "k": 2}, "E", False),
    "analogy": (analogy, {"E": COUNTS, "a": 0, "b": 1, "c": 2}, "E", False),
}


@pytest.mark.parametrize("name", GOOD)
@given(st.data())
def test_bad_arrays_are_refused(name, data):
    function, good, argument, any_shape = GOOD[name]
    bad = data.draw(bad_arrays(good[argument], any_shape, False))
    refused(name, function, good, argument, bad)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: co_occurrences([0, 5], 5, 1), "co_occurrences: tokens must be whole numbers below 5; got 5"),
        (lambda: co_occurrences([0.5], 5, 1), "co_occurrences: tokens must hold whole numbers; got 0.5"),
        (lambda: co_occurrences([], 5, 1), "co_occurrences: tokens must not be empty"),
        (lambda: co_occurrences([0], 0, 1), "co_occurrences: V must be at least 1; got 0"),
        (lambda: co_occurrences([0], 5, 0), "co_occurrences: window must be at least 1; got 0"),
        (
            lambda: pointwise_mutual_information(-COUNTS),
            "pointwise_mutual_information: C must be at least 0; got -7",
        ),
        (
            lambda: pointwise_mutual_information(0 * COUNTS),
            "C must hold counts, none below 0 and not all 0; got 0",
        ),
        (lambda: pointwise_mutual_information(COUNTS, 1), "positive must be True or False; got 1"),
        (lambda: pointwise_mutual_information(COUNTS, True, 1.5), "smoothing must be above 0 and at most 1"),
        (lambda: word_vectors(COUNTS, 5), "word_vectors: d must be at least 1 and at most 4; got 5"),
        (lambda: nearest(COUNTS, np.ones(3), 1), r"nearest: v must have shape \(4,\), one per column of E"),
        (lambda: nearest(COUNTS, np.ones(4), 5, [0]), "nearest: k must be at least 1 and at most 4; got 5"),
        (
            lambda: nearest(COUNTS, np.ones(4), 1, [9]),
            "nearest: exclude must be at least 0 and at most 4; got 9",
        ),
        (lambda: analogy(COUNTS, 0, 9, 2), "analogy: b must be at least 0 and at most 4; got 9"),
        (lambda: analogy(COUNTS, 0, 1, 2, 3), "analogy: k must be at least 1 and at most 2; got 3"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
