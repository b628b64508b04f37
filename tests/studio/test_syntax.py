import numpy as np
import pytest

from chapters_src.studio.syntax import names_read, node_of, normal_form, same_code


def square(v):
    """A helper."""
    w = v
    return w * v


def shifted(v, by=1):
    return v + by


def loop(x):
    total = 0
    for value in x:
        total += value
    return total


def power(k):
    return lambda x: x**k


SAME = {
    "itself": (lambda x: x + 1, lambda x: x + 1),
    "brackets": (lambda x: x + 1, lambda x: x + 1),
    "a helper": (lambda x: square(x) + 1, lambda x: x * x + 1),
    "a helper in a helper": (lambda x: shifted(square(x), by=2), lambda x: x * x + 2),
    "a default": (lambda x: shifted(x), lambda x: x + 1),
    "names of bound variables": (lambda x: [i * x for i in (1, 2)], lambda x: [j * x for j in (1, 2)]),
    "inner functions": (
        lambda x: np.vectorize(lambda a: a + x)(x),
        lambda x: np.vectorize(lambda b: b + x)(x),
    ),
    "a helper as a value": (lambda x: np.vectorize(square)(x), lambda x: np.vectorize(lambda u: u * u)(x)),
    "closures": (power(2), power(2)),
    "loops": (loop, loop),
}
DIFFERENT = {
    "another operator": (lambda x: x + 1, lambda x: x - 1),
    "another order": (lambda x: x @ x.T, lambda x: x.T @ x),
    "another input": (lambda x, y: x, lambda x, y: y),
    "another closure": (power(2), power(3)),
    "another default": (lambda x, k=1: x * k, lambda x, k=2: x * k),
    "library functions": (lambda x: np.sum(x), lambda x: np.mean(x)),
    "shadowed": (lambda x, square: square(x), lambda x, square: x * x),
}


@pytest.mark.parametrize("case", SAME)
def test_the_same_code(case):
    assert same_code(*SAME[case])


@pytest.mark.parametrize("case", DIFFERENT)
def test_different_code(case):
    first, second = DIFFERENT[case]
    assert normal_form(first) is not None
    assert not same_code(first, second)


def test_two_functions_in_one_line_are_told_apart():
    pair = [lambda x: x + 1, lambda x: x - 1]  # one line, on purpose
    assert "Add" in normal_form(pair[0])
    assert "Sub" in normal_form(pair[1])


def test_names_that_are_read():
    assert names_read(lambda x, y: square(x)) >= {"x"}
    assert "y" not in names_read(lambda x, y: square(x))
    assert "y" in names_read(lambda x, y: shifted(x, by=y))
    assert "x" in names_read(loop)


def test_without_source_nothing_is_known():
    made = eval("lambda x: x + 1")
    assert node_of(made) is None
    assert normal_form(made) is None
    assert names_read(np.sum) is None
    assert not same_code(made, made)
    assert not same_code(None, square)
