"""Shapes are checked while the suite runs, and cost nothing where jaxtyping or torch is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import shape_checking
from jaxtyping import TypeCheckError, jaxtyped

from chapters_src.core import readers
from chapters_src.core.shapes import Float, Int, Tensor, ndarray

ROOT = Path(__file__).parents[1]
checked = jaxtyped(typechecker=shape_checking.check)


class Fit(NamedTuple):
    theta: Float[ndarray, "d"]
    losses: Float[ndarray, "t"]


@checked
def predict(X: Float[ndarray, "n d"], theta: Float[ndarray, "d"]) -> Float[ndarray, "n"]:
    return np.asarray(X, dtype=float) @ np.asarray(theta, dtype=float)


@checked
def strict(X: Float[ndarray, "n d"], y: Float[ndarray, "n"] | Float[ndarray, "n k"]) -> Float[ndarray, "d"]:
    if len(X) != len(y):
        raise ValueError(f"strict: y must have shape ({len(X)},), one per row of X; got {np.shape(y)}")
    return X[0]


def test_the_suite_imports_the_package_with_its_shapes_checked():
    assert hasattr(readers.numeric_array, "__wrapped__")


def test_right_shapes_pass_and_so_does_anything_array_like():
    assert predict(np.ones((3, 2)), np.ones(2)).shape == (3,)
    assert predict([[1, 2], [3, 4]], (1, 1)).tolist() == [3.0, 7.0]


def test_a_wrong_shape_taken_without_a_word_fails_the_test():
    with pytest.raises(TypeCheckError) as caught:
        predict(np.ones((3, 2)), np.ones((2, 1)))
    assert "argument theta is ndarray of shape (2, 1)" in str(caught.value.__cause__)


def test_a_function_that_refuses_a_wrong_shape_speaks_for_itself():
    with pytest.raises(ValueError, match=r"^strict: y must have shape \(3,\), one per row of X; got \(2,\)$"):
        strict(np.ones((3, 2)), np.ones(2))


def test_unions_accept_each_of_their_shapes_and_no_other():
    @checked
    def loose(y: Float[ndarray, "n"] | Float[ndarray, "n k"] | None) -> None:
        return None

    for good in (None, np.ones(3), np.ones((3, 2))):
        loose(good)
    with pytest.raises(TypeCheckError):
        loose(np.ones((1, 1, 1)))


def test_results_are_checked_inside_tuples_too():
    @checked
    def pair(x: Float[ndarray, "n"]) -> tuple[Float[ndarray, "n"], Float[ndarray, "n n"]]:
        return x, x

    @checked
    def fit(x: Float[ndarray, "d"]) -> Fit:
        return Fit(x, x[None])

    @checked
    def count(x: Float[ndarray, "n"]) -> Int[ndarray, "n"]:
        return x

    for function in (pair, fit, count):
        with pytest.raises(TypeCheckError):
            function(np.ones(2))


def test_every_one_of_several_arguments_is_checked():
    @checked
    def rows(*arrays: Float[ndarray, "n ..."]) -> int:
        return len(arrays[0])

    assert rows(np.ones(3), np.ones((3, 2))) == 3
    with pytest.raises(TypeCheckError):
        rows(np.ones(3), np.ones((2, 3)))


def test_tensors_have_shapes_too():
    import torch

    @checked
    def double(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return 2 * x

    assert double(torch.ones(3)).shape == (3,)
    with pytest.raises(TypeCheckError):
        double(torch.ones(3, 3))


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_without_jaxtyping_an_annotation_is_just_that():
    code = (
        "import sys; sys.modules['jaxtyping'] = None\n"
        "from chapters_src.core.shapes import Float, ndarray\n"
        "def f(x: Float[ndarray, 'n d']) -> float: return 1.0\n"
        "print(Float[ndarray, 'n d'].__origin__ is ndarray, f('no check'))"
    )
    assert run(code) == "True 1.0"


def test_torch_is_not_imported_until_asked_for():
    assert run("import sys, chapters_src.core.shapes; print('torch' in sys.modules)") == "False"


def test_unknown_names_are_refused():
    import chapters_src.core.shapes

    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        chapters_src.core.shapes.Nothing  # noqa: B018
