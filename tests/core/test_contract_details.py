"""Details of the contract: order of reading, precision, counts, the bare function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from chapters_src.core.contract import bare, checked, contract_of, refuse, unread
from chapters_src.core.readers import beyond, counts, own_precision
from chapters_src.core.shapes import Float, ndarray


class Model:
    """A class that a function may ask for."""


@checked
def fitted(model: Model, X: Float[ndarray, "n d"], y: Float[ndarray, "n"]) -> float:
    """A function of a model and data."""
    return float(X.sum() + y.sum())


@checked(a=own_precision)
def doubled(a: Float[ndarray, "*shape"]) -> Float[ndarray, "*shape"]:
    """Twice a."""
    return 2 * a


@checked(widths=counts("list two widths or more", least=2))
def total(widths: object) -> int:
    """Their sum."""
    return sum(widths)


def test_keywords_are_read_in_the_order_of_the_signature():
    with pytest.raises(ValueError, match=r"^fitted: y must have shape \(3,\), one per row of X; got \(2,\)$"):
        fitted(y=np.ones(2), X=np.ones((3, 1)), model=Model())


def test_an_unknown_keyword_is_pythons_own_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        fitted(Model(), X=np.ones((3, 1)), y=np.ones(3), z=1)


def test_a_missing_argument_is_pythons_own_error():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'model'"):
        fitted(X=np.ones((3, 1)), y=np.ones(3))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'low'"):
        height([5])


def test_an_instance_is_asked_for_by_name():
    with pytest.raises(ValueError, match=r"^fitted: model must be a Model; got 3$"):
        fitted(3, np.ones((3, 1)), np.ones(3))


def test_own_precision_keeps_float32_and_nothing_else():
    assert doubled(np.ones(2, np.float32)).dtype == np.float32
    assert doubled(np.ones(2, np.float16)).dtype == doubled([1, 2]).dtype == np.float64


@pytest.mark.parametrize("bad", [3, "12", [1], None, {1, 2}])
def test_counts_say_their_rule(bad):
    with pytest.raises(ValueError, match=r"^total: widths must list two widths or more; got "):
        total(bad)


def test_counts_are_whole_numbers_from_one_on():
    assert total((1, np.int64(2))) == total(np.array([1, 2])) == 3
    with pytest.raises(ValueError, match=r"^total: widths must be at least 1; got 0$"):
        total([1, 0])
    with pytest.raises(ValueError, match=r"^total: widths must be a whole number at least 1; got 2.0$"):
        total([1, 2.0])


def test_the_bare_function_reads_nothing():
    assert bare(total)([0, 0.5]) == 0.5
    assert bare(np.sum) is np.sum  # what has no contract stays as it is


@checked
def scaled(factor: float):
    """A function that multiplies, and what it was made with."""

    def times(x: float) -> float:
        if x < 0:
            refuse("x", "be at least 0", x)
        return factor * x

    return times, factor


def test_what_a_made_function_refuses_is_said_in_the_name_of_its_maker():
    times, factor = scaled(3)
    assert times(2) == 6 and factor == 3
    with pytest.raises(ValueError, match=r"^scaled: x must be at least 0; got -1$"):
        times(-1)


def test_an_unread_function_is_declared_and_left_as_it_is():
    def anything(value):
        return value

    assert unread(anything) is anything and contract_of(anything).readers == {}


@checked(high=beyond("low"))
def height(high: float, low: float) -> float:
    """How far apart two ends are that must both be given."""
    return high - low


@checked(high=beyond("low"))
def width(high: float | None = None, low: float = 0.0) -> float:
    """How far apart two ends are."""
    return 1.0 if high is None else high - low


def test_a_number_beyond_another_argument():
    assert width() == 1.0 and width(3, 1) == 2.0
    with pytest.raises(ValueError, match=r"^width: high must be above 4; got 3"):
        width(3, 4)


def test_what_overflows_in_python_is_refused_as_in_numpy():
    @checked
    def squared(x: float) -> float:
        return x**2

    with pytest.raises(
        ValueError, match=r"^squared: x must be of a size that .*; got 1e\+200, which gives NaN$"
    ):
        squared(1e200)


@checked
def balanced(W: Float[ndarray, "n n"], tall: Float[ndarray, "_ _"] | None = None) -> float:
    """A function of a square matrix."""
    return float(np.linalg.det(W))


def test_a_letter_that_comes_twice_in_one_shape_is_one_length():
    assert balanced(np.eye(2), np.ones((3, 2))) == 1.0
    with pytest.raises(
        ValueError, match=r"^balanced: W must have two axes, shape \(n, n\); got shape \(3, 2\)$"
    ):
        balanced(np.ones((3, 2)))


@checked
def inverse(X: Float[ndarray, "n n"], scale: float = 1.0) -> Float[ndarray, "n n"]:
    """A function whose library refuses what has no inverse."""
    return np.linalg.inv(X @ X.T / scale)


@pytest.mark.parametrize(
    ("size", "name", "number"), [(1e160, "X", r"1e\+160"), (1e-200, "X", "1e-200"), (1.0, "scale", "1e-310")]
)
def test_numbers_too_large_or_too_small_for_a_library_are_refused_by_name(size, name, number):
    scale = 1e-310 if name == "scale" else 1.0
    rule = rf"^inverse: {name} must be of a size that the computation can bear; got {number}, which "
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=rule):
        inverse(size * np.ones((2, 2)), scale)


def unlucky():
    raise RuntimeError("no number in sight")


def test_an_error_that_size_does_not_explain_stays_as_it_is():
    with pytest.raises(np.linalg.LinAlgError, match=r"^Singular matrix$"):
        inverse(np.zeros((2, 2)))

    @checked
    def asked(f: Callable[[float], float], x: float) -> float:
        return f(x)

    @checked
    def called(f: Callable[[], float]) -> float:
        return f()

    with pytest.raises(RuntimeError, match=r"^no number in sight$"):
        called(unlucky)
    with pytest.raises(ValueError, match=r"^height: high must be above 4; got 1e-200$"):
        asked(lambda x: height(x, 4), 1e-200)
