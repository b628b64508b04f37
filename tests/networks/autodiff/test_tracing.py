"""How tensors behave towards numpy and towards those who use them wrongly."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.networks.autodiff.reverse import gradient
from chapters_src.networks.jacobians.forward_mode import jvp

X = np.arange(6.0).reshape(2, 3)


def both_modes(f, x=X):
    """Run f on tensors of reverse mode and of forward mode."""
    gradient(lambda x: np.sum(f(x)))(x)
    jvp(f, (x,), (np.ones_like(x),))


def assigned(x):
    x[0] = 1.0
    return x


def added(x):
    x += 1
    return x


def filled(x):
    result = np.zeros(x.shape)
    result[0] = x[0]
    return result


def summed_into(x):
    result = np.zeros(x.shape)
    result += x
    return result


class TestMisuse:
    @pytest.mark.parametrize(
        ("f", "message"),
        [
            (assigned, r"^tensor: a tensor must not be changed in place: np\.where"),
            (added, r"^add: a tensor must not be changed in place: write x = x \+ y; got x \+= y"),
            (filled, r"^numpy: a tensor must stay one"),
            (summed_into, r"^add: a tensor must not be changed in place"),
            (lambda x: np.array(x), r"^numpy: a tensor must stay one"),
            (lambda x: float(x[0, 0]), r"^float: a tensor must stay one"),
            (lambda x: np.fft.fft(x), r"^fft: a function of tensors must have a rule in .* got none"),
            (lambda x: np.add.reduce(x), r"^add: a function of tensors must have a rule"),
            (lambda x: x + np.ones(4), r"^add: arguments must fit; got shape \(2, 3\): operands"),
            (lambda x: x @ x, r"^matmul: arguments must fit; got shape \(2, 3\) and \(2, 3\): "),
            (lambda x: x[7], r"^getitem: arguments must fit; got shape \(2, 3\): index 7 is out"),
            (lambda x: x.reshape(5), r"^reshape: arguments must fit; .*: cannot reshape"),
            (
                lambda x: np.concatenate([x, x[0]]),
                r"^join: arguments must fit; got shape \(2, 3\) and \(3,\)",
            ),
            (
                lambda x: np.where(x, 1.0, 2.0),
                r"^where: argument 0 must be an array, as it has no derivative",
            ),
            (lambda x: np.exp(x, dtype=np.float64), r"^exp: keywords must be left out, .* got dtype$"),
        ],
    )
    def test_says_what_is_wrong(self, f, message):
        with pytest.raises(ValueError, match=message):
            both_modes(f)

    def test_the_message_is_not_repeated_by_outer_derivatives(self):
        with pytest.raises(ValueError, match=r"^matmul: arguments must fit; got shape") as caught:
            gradient(lambda x: np.sum(gradient(lambda y: np.sum(y @ y))(x)))(X)
        assert str(caught.value).count("matmul") <= 2  # our name for it, and numpy's


class TestManners:
    def test_looks_like_an_array(self):
        def f(x):
            assert (x.shape, x.ndim, x.size, len(x), x.dtype) == ((2, 3), 2, 6, 2, np.float64)
            assert x.T.shape == (3, 2)
            assert [row.shape for row in x] == [(3,), (3,)]
            assert x.transpose(1, 0).reshape(2, 3).shape == x.reshape((2, 3)).shape
            assert bool(x[0, 1] > 0) and not bool(x[0, 0]) and bool(x[1, 1])
            assert "array" in repr(x)
            assert isinstance(hash(x), int)
            np.testing.assert_array_equal(np.argmax(x, axis=1), [2, 2])
            np.testing.assert_array_equal(np.zeros_like(x), np.zeros((2, 3)))
            return x.sum(axis=0).mean() + x.max() + x.astype(np.float32).sum()

        both_modes(f)

    def test_an_array_on_the_left(self):
        for f in (
            lambda x: X + x,
            lambda x: X - x,
            lambda x: X * x,
            lambda x: X @ x.T,
            lambda x: 2 / (1 + x),
        ):
            both_modes(f)
        np.testing.assert_array_equal(gradient(lambda x: np.sum(X * x))(X), X)

    def test_comparisons_give_plain_arrays(self):
        def f(x):
            for mask in (x > 1, x >= 1, x < 1, x <= 1, x == 1, x != 1):
                assert isinstance(mask, np.ndarray) and mask.dtype == bool
            return x

        both_modes(f)
