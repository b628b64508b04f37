"""The formulas of the chapter, as it prints them, run on numbers that are worked out in another way."""

import math

import pytest
import torch

from chapters_src.networks.residual import exercises
from chapters_src.studio import Derivation, normal
from chapters_src.studio.formula import Formula
from tools.chapters import read, select

WEIGHTS = {"w_0": 0.7, "w_1": -1.3, "w_2": 0.9}
AT = WEIGHTS | {"x": 1.5, "y": 0.2}


def derivation(label):
    """The derivation of the chapter that has this label."""
    (page,) = select(["networks/residual"])
    (source,) = [cell.source for cell in read(page).cells if f'label="{label}"' in cell.source]
    names = {"Derivation": Derivation, "normal": normal}
    exec(source, names)
    return names["d"]


def test_gradients_of_the_smallest_network_with_a_skip():
    weights = [torch.tensor(w, dtype=torch.float64, requires_grad=True) for w in WEIGHTS.values()]
    w_0, w_1, w_2 = weights
    h_1 = torch.sigmoid(w_0 * AT["x"])
    h_2 = torch.sigmoid(w_1 * h_1) + h_1
    by_torch = torch.autograd.grad((w_2 * h_2 - AT["y"]) ** 2, weights)
    first = derivation("eq-residual-plus-one").lines[-1](AT)
    middle = exercises.middle_weight.derivation.lines[-1](AT)
    assert [first, middle] == pytest.approx([slope.item() for slope in by_torch[:2]])
    assert [first, middle] == pytest.approx([0.274483, 0.190718], abs=5e-7)


def test_three_blocks_written_out():
    blocks = {
        "f_1(u)": (r"=\sin(u)+0.3", lambda u: math.sin(u) + 0.3),
        "f_2(u)": (r"=0.1u^2-0.2", lambda u: 0.1 * u**2 - 0.2),
        "f_3(u)": (r"=\cos(2u)", lambda u: math.cos(2 * u)),
    }
    x = h = 0.9
    for _, f in blocks.values():
        h += f(h)
    assert h == pytest.approx(1.825330, abs=5e-7)
    where = {name: formula for name, (formula, _) in blocks.items()}
    written = derivation("eq-residual-unrolled").lines[-1]
    assert Formula(written.latex, ["x"], where).value({"x": x}) == pytest.approx(h)
    # the slip leaves out what the first block added
    assert Formula(written.broken.latex, ["x"], where).value({"x": x}) == pytest.approx(1.598975, abs=5e-7)
