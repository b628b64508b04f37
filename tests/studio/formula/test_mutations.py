"""Broken variants of formulas: which there are, and that they are really broken."""

import numpy as np
import pytest

from chapters_src.studio.formula import Formula, FormulaError

rng = np.random.default_rng(2)
v = {
    "X": rng.normal(size=(6, 3)), "y": rng.normal(size=6), "z": rng.normal(size=6),
    "theta": rng.normal(size=3), "A": rng.normal(size=(3, 3)), "lam": 0.7,
}  # fmt: skip


def outcomes(latex, inputs=v):
    """What becomes of each variant: its value, or None if it is refused."""
    f = Formula(latex, v)
    for description, variant in f.mutations(inputs):
        try:
            yield description, variant.value(v)
        except FormulaError:
            yield description, None


def test_every_kind_of_break_is_there():
    latex = r"\tfrac12\sum_{i=1}^n(y_i-z_i-\theta^\top Ax_i)^2+\lambda\sum_{j\ne1}A_{j1}"
    kinds = {description.split(":")[0] for description, _ in outcomes(latex)}
    assert kinds >= {
        "operator", "constant", "transpose dropped", "transpose added", "index", "dropped term",
        "dropped factor", "swapped symbol",
    }  # fmt: skip


@pytest.mark.parametrize(
    "latex",
    [
        r"\lVert y-X\theta\rVert^2+\lambda\lVert\theta\rVert^2",
        r"2X^\top(X\theta-y)",
        r"\sum_{i=1}^n(y_i-\theta^\top x_i)z_i",
        r"\theta^\top A^\top\theta-\theta^\top A\theta+\theta^\top(A+\lambda I)^{-1}A\theta",
    ],
)
def test_few_breaks_leave_the_value_as_it_was(latex):
    right = Formula(latex, v).value(v)
    found = list(outcomes(latex))
    values = {d: value for d, value in found if np.shape(value) == np.shape(right) and value is not None}
    same = [d for d, value in values.items() if np.allclose(value, right)]
    assert len(found) >= 8
    # a quadratic form does not see a transpose, and (a - b)² does not see a sign
    assert len(same) <= 0.2 * len(found), same


def test_variants_differ_from_the_formula_and_from_each_other():
    f = Formula(r"\sum_ix_i^\top\theta-\lambda y_1", v)
    trees = [variant.tree for _, variant in f.mutations()]
    assert f.tree not in trees and len(set(trees)) == len(trees)


def test_with_inputs_only_like_shapes_are_swapped():
    swaps = {d for d, _ in outcomes(r"y^\top z+\lambda\theta^\top\theta") if d.startswith("swapped")}
    assert swaps == {"swapped symbol: y to z", "swapped symbol: z to y"}


def test_a_variant_reads_back_from_its_latex():
    where = {"n": "rows of X"}
    f = Formula(r"\tfrac1n\sum_{i=1}^n(y_i-z_i)^2-\lambda\theta^\top A\theta", v, where)
    for description, variant in f.mutations(v):
        try:
            value = variant.value(v)
        except FormulaError:
            continue
        np.testing.assert_allclose(Formula(variant.latex, v, where).value(v), value, err_msg=description)
