"""Answers as a student would write them, right and wrong."""

import numpy as np
import pytest
import torch

from chapters_src.networks.convolution import Window, exercises, receptive_field
from tests.verdicts import rejected

# --- how far it sees


def test_field_by_gradient():
    conv = torch.nn.functional.conv1d
    x = torch.arange(60.0).requires_grad_()
    z = conv(x[None, None], torch.ones(1, 1, 5))
    z = torch.nn.functional.avg_pool1d(z, 2)
    z = conv(z, torch.ones(1, 1, 3), dilation=2)
    z[0, 0, 5].backward()
    assert exercises.seen_by_one.check(int((x.grad != 0).sum())).accepted


@pytest.mark.parametrize(
    ("hint", "layers"),
    [
        ("both count", [Window(5), Window(2), Window(3, 1, 2)]),
        ("both count", [Window(5), Window(2, 2), Window(3)]),
        ("both count", [Window(5), Window(2), Window(3)]),
        ("pixel of its own", [Window(5), Window(1, 2), Window(3, 1, 2)]),
        ("layers after it", [Window(5, 2), Window(2, 1), Window(3, 1, 2)]),
    ],
)
def test_field_wrong(hint, layers):
    rejected(exercises.seen_by_one, receptive_field(layers), hint)


# --- what keeps step with a shift


def test_strides_do_not_keep_step():
    x = np.array([1.0, 0.0, 0.0, 0.0])
    by_twos = [np.repeat(one[::2], 2) for one in (x, np.roll(x, 1))]
    assert not np.array_equal(by_twos[1], np.roll(by_twos[0], 1))
    assert exercises.what_a_shift_keeps.check("d").accepted
    for f in (
        lambda x: x + np.roll(x, 3),
        lambda x: np.maximum(x, 0),
        lambda x: np.maximum(x, np.roll(x, -1)),
    ):
        np.testing.assert_array_equal(f(np.roll(x, 1)), np.roll(f(x), 1))


@pytest.mark.parametrize(("letter", "why"), [("a", "more distant"), ("b", "no neighbour"), ("c", "stride 1")])
def test_shift_wrong(letter, why):
    rejected(exercises.what_a_shift_keeps, letter, why)


# --- the false line


def test_false_line():
    assert exercises.gradient_with_stride.check("2").accepted


@pytest.mark.parametrize(
    ("line", "why"),
    [("1", "where the derivation starts"), ("3", "solve for"), ("4", "from line 3")],
)
def test_false_line_wrong(line, why):
    rejected(exercises.gradient_with_stride, line, why)


# --- the repaired gradient


def by_torch(w, g, size, stride, dilation):
    x = torch.zeros(1, 1, size, dtype=torch.float64, requires_grad=True)
    a = torch.nn.functional.conv1d(
        x, torch.tensor(w, dtype=x.dtype)[None, None], stride=stride, dilation=dilation
    )
    a[0, 0, : len(g)].backward(torch.tensor(g, dtype=x.dtype))
    return x.grad[0, 0].numpy()


def by_slices(w, g, size, stride, dilation):
    back = np.zeros(size)
    for i, signal in enumerate(g):
        back[i * stride : i * stride + dilation * (len(w) - 1) + 1 : dilation] += signal * np.asarray(w)
    return back


@pytest.mark.parametrize("answer", [by_torch, by_slices])
def test_gradient_solutions(answer):
    assert exercises.repaired_gradient.check(answer).accepted


def test_gradient_stub():
    assert not exercises.repaired_gradient.check(lambda w, g, size, stride, dilation: ...).attempted


def scatter(at, put=np.add):
    def attempt(w, g, size, stride, dilation):
        back = np.zeros(size)
        for i in range(len(g)):
            for k in range(len(w)):
                j = at(i, k, stride, dilation, len(w))
                back[j] = put(back[j], g[i] * w[k])
        return back

    return attempt


@pytest.mark.parametrize(
    ("hint", "attempt"),
    [
        ("neither the stride nor the dilation", scatter(lambda i, k, s, d, n: i + k)),
        ("a dilation apart", scatter(lambda i, k, s, d, n: i * s + k)),
        ("a stride apart", scatter(lambda i, k, s, d, n: i + k * d)),
        ("hears from both", scatter(lambda i, k, s, d, n: i * s + k * d, lambda old, new: new)),
        ("nothing is flipped", scatter(lambda i, k, s, d, n: i * s + (n - 1 - k) * d)),
    ],
)
def test_gradient_wrong(hint, attempt):
    rejected(exercises.repaired_gradient, attempt, hint)


# --- a signal that pooling cannot calm


@pytest.mark.parametrize("signal", [np.arange(8.0), np.arange(8.0) ** 2, [1, 5, 2, 6, 3, 7, 4, 8]])
def test_restless_signals(signal):
    assert exercises.restless_signal.check(signal).accepted


@pytest.mark.parametrize(
    ("signal", "message"),
    [
        (-np.arange(8.0), "1 of the four pooled numbers is the same"),
        (np.zeros(8), "4 of the four pooled numbers are the same"),
        ([0, 0, 5, 1, 0, 0, 2, 0], "3 of the four pooled numbers are"),
        (np.arange(7.0), "eight finite numbers"),
        (np.append(np.arange(7.0), np.inf), "eight finite numbers"),
    ],
)
def test_restless_wrong(signal, message):
    rejected(exercises.restless_signal, signal, message)


def test_restless_stub():
    assert not exercises.restless_signal.check(...).attempted
