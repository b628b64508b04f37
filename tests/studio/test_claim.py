import json
from fractions import Fraction

import numpy as np
import pytest
import torch

from chapters_src.studio.claim import ClaimError, claim


def test_a_number_with_its_margin():
    held = claim("test error", 12.2398, equals=12.24, within=0.005)
    assert str(held) == "test error = 12.24  ✓ claimed 12.24 ± 0.005"
    assert repr(held) == str(held)
    with pytest.raises(ClaimError, match=r"test error = 12.2349, but claimed 12.24 ± 0.005"):
        claim("test error", 12.2349, equals=12.24, within=0.005)
    assert issubclass(ClaimError, AssertionError)


@pytest.mark.parametrize(
    ("value", "equals", "within", "text"),
    [
        (0.33333333333, 1 / 3, 1e-6, "x = 0.333333  ✓ claimed 0.333333 ± 1e-06"),
        (1e-17, 0, 1e-9, "x = 0  ✓ claimed 0 ± 1e-09"),
        (-1e-17, 0.0, 1e-9, "x = 0  ✓ claimed 0 ± 1e-09"),
        (120_000_123.4, 120_000_000, 1000, "x = 120000000  ✓ claimed 120000000 ± 1000"),
        (6.0221e23, 6.022e23, 1e20, "x = 6.022e+23  ✓ claimed 6.022e+23 ± 1e+20"),
        (3.1e-8, 3e-8, 2e-9, "x = 3.1e-08  ✓ claimed 3e-08 ± 2e-09"),
        (12, 12.2, 0.5, "x = 12  ✓ claimed 12.2 ± 0.5"),
        (np.float32(0.5), Fraction(1, 2), 1e-3, "x = 0.500  ✓ claimed 1/2 ± 0.001"),
        (torch.tensor(2.0), 2, 0.05, "x = 2.0  ✓ claimed 2.0 ± 0.05"),
    ],
)
def test_rounding_to_the_claims_precision(value, equals, within, text):
    assert str(claim("x", value, equals=equals, within=within)) == text


def test_the_margin_belongs_to_the_claim():
    claim("x", 0.3, equals=0.2, within=0.1)
    claim("x", 12.245, equals=12.24, within=0.005)
    with pytest.raises(ClaimError):
        claim("x", 0.300001, equals=0.2, within=0.1)


def test_exact_claims_need_no_margin():
    assert str(claim("coefficient", Fraction(107, 41), equals=Fraction(107, 41))).startswith(
        "coefficient = 107/41"
    )
    assert str(claim("rank", 3, equals=3)) == "rank = 3  ✓ claimed 3"
    assert str(claim("winner", "ridge", equals="ridge")) == "winner = ridge  ✓ claimed ridge"
    assert str(claim("converged", np.bool_(True), equals=True)) == "converged = True  ✓ claimed True"
    assert str(claim("counts", [1, 2], equals=np.array([1, 2]))) == "counts = [1, 2]  ✓ claimed [1, 2]"


@pytest.mark.parametrize(
    ("value", "equals"),
    [
        (Fraction(1, 3), Fraction(1, 4)),
        (3, 4),
        ("lasso", "ridge"),
        (1, "1"),
        ("1", 1),
        (1, True),
        (True, 1),
        (1.0, True),
        (False, True),
        ([1, 2, 3], [1, 2]),
        (None, 3),
    ],
)
def test_exact_claims_that_are_not_so(value, equals):
    with pytest.raises(ClaimError, match="but claimed"):
        claim("x", value, equals=equals)


def test_big_fractions_are_exact():
    with pytest.raises(ClaimError):
        claim("x", Fraction(10**20 + 1, 10**20), equals=1)


def test_arrays():
    text = str(claim("theta", np.array([1.0004, -2.0]), equals=[1, -2], within=0.005))
    assert text == "theta = [1.00, -2.00]  ✓ claimed [1.00, -2.00] ± 0.005"
    for wrong in ([1.0, -2.1], [[1.0, -2.0]], [1.0], 1.0, [1.0, np.nan]):
        with pytest.raises(ClaimError):
            claim("theta", np.array(wrong), equals=[1, -2], within=0.005)


def test_bounds():
    assert str(claim("ratio", 0.031, at_most=0.05)) == "ratio = 0.031  ✓ claimed at most 0.05"
    for tiny in (3e-16, 0.0, torch.tensor(-2e-15), [0.0, 3e-16]):
        assert str(claim("gap", tiny, at_most=1e-12)) == "gap < 1e-13  ✓ claimed at most 1e-12"
    assert str(claim("misses", 0, at_most=12)) == "misses = 0  ✓ claimed at most 12"
    assert (
        str(claim("R²", 0.4534, at_least=0.4, at_most=0.5))
        == "R² = 0.45  ✓ claimed at most 0.5 and at least 0.4"
    )
    assert str(claim("eigenvalue", 0.3421, at_least=0)) == "eigenvalue = 0.34  ✓ claimed at least 0"
    assert str(claim("zero", 0.0, at_least=0)) == "zero = 0  ✓ claimed at least 0"
    assert str(claim("entries", [1e-9, 0.2], at_most=0.2)) == "entries = [0, 0.20]  ✓ claimed at most 0.2"
    assert str(claim("error", 1.472250143e31, at_least=9)) == "error = 1.47225e+31  ✓ claimed at least 9"
    claim("entries", [0.1, 0.2], at_most=0.2, at_least=0.1)


@pytest.mark.parametrize("value", [2.1, [0.0, 2.1], np.nan, [1.0, np.nan], -np.inf, "1", None, [], 1j])
def test_bounds_that_are_broken(value):
    with pytest.raises(ClaimError, match="but claimed at most 2"):
        claim("x", value, at_most=2, at_least=-1)


def test_nan_never_passes():
    with pytest.raises(ClaimError, match="x = nan"):
        claim("x", np.nan, equals=1.0, within=np.float64(10))
    with pytest.raises(ClaimError):
        claim("x", float("nan"), at_least=0)
    with pytest.raises(ValueError, match="equals must be finite"):
        claim("x", np.nan, equals=np.nan, within=1)


def test_units():
    held = claim("cholesterol", 5.17, equals=5.2, within=0.05, unit="mmol/L")
    assert str(held) == "cholesterol = 5.2 mmol/L  ✓ claimed 5.2 ± 0.05 mmol/L"
    with pytest.raises(ClaimError, match="6 mmol/L, but claimed at most 5 mmol/L"):
        claim("cholesterol", 6.0, at_most=5, unit="mmol/L")


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({}, "got neither"),
        ({"equals": 1, "at_most": 2}, "got both"),
        ({"equals": 1.0}, "within must say how closely"),
        ({"equals": 1}, "within must say how closely"),
        ({"equals": Fraction(1)}, "within must say how closely"),
        ({"equals": [1.0]}, "within must say how closely"),
        ({"equals": 1.0, "within": 0}, "within must be above 0"),
        ({"equals": 1.0, "within": -1}, "within must be above 0"),
        ({"equals": 1.0, "within": float("nan")}, "within must be a finite number"),
        ({"equals": "a", "within": 1}, "within must go with a number"),
        ({"at_most": 1, "within": 1}, "within must go with equals"),
        ({"at_most": float("nan")}, "at most must be a finite number"),
    ],
)
def test_claims_that_say_too_little(options, rule):
    with pytest.raises(ValueError, match=rule):
        claim("x", 1.0, **options)


def test_forms(monkeypatch):
    held = claim("a < b", 0.5, equals=0.5, within=0.05)
    assert held._repr_mimebundle_() == {"text/plain": "a < b = 0.5  ✓ claimed 0.5 ± 0.05"}
    monkeypatch.setenv("EVERY_LINE_SITE", "1")
    html = held._repr_mimebundle_()["text/html"]
    assert html.startswith('<p class="studio-claim" ')
    assert "a &lt; b" in html
    assert "✓" in html


def prose(**options):
    return json.loads(claim("x", **options).prose)


def test_no_more_digits_than_a_sentence_needs():
    exact = claim("θ", 488 / 19, equals=488 / 19, within=1e-9)
    assert str(exact) == "θ = 25.6842  ✓ claimed 25.6842 ± 1e-09"
    told = claim("θ", 488 / 19, equals=488 / 19, within=1e-9, written="25.68")
    assert str(told) == "θ = 25.68  ✓ claimed 25.6842 ± 1e-09"
    for almost in (10 - 1e-12, 10 + 1e-12):  # as the last bit falls on different machines
        assert str(claim("θ", 10.0, equals=almost, within=1e-9)) == "θ = 10.0000  ✓ claimed 10.0000 ± 1e-09"
    pair = claim("θ", [488 / 19, 89 / 95], equals=[488 / 19, 89 / 95], within=1e-9)
    assert str(pair).startswith("θ = [25.6842, 0.9368]")
    assert claim("share", 0.5234, at_least=0.4, written="52 %").value == "0.52"
    assert claim("cost", 1.6004e10, equals=1.6e10, within=1e8, written="1.6 × 10¹⁰").value == "1.6e+10"


def test_what_is_written_must_be_so():
    with pytest.raises(ClaimError, match=r"x = 0.52, but written 0.58"):
        claim("x", 0.52, equals=0.52, within=0.01, written="0.58")
    claim("x", 0.031, at_most=0.05, written="0.05")
    claim("x", 10.2, equals=10, within=0.5, written="ten times")
    with pytest.raises(ClaimError, match="but written 2/3"):
        claim("x", 0.66, equals=0.66, within=0.001, written="2/3")


def test_what_the_site_looks_for():
    assert prose(value=2, equals=2) == {"targets": [[2.0, 0.0]], "otherwise": [], "written": []}
    assert prose(value=[1.0, 1.0], equals=[1, 1], within=0.1)["targets"] == [[1.0, 0.1]]
    assert prose(value=0.031, at_most=0.05) == {
        "targets": [[0.031, 0.0005]],
        "otherwise": [0.05],
        "written": [],
    }
    assert prose(value="ridge", equals="ridge")["written"] == ["ridge"]
    assert prose(value=True, equals=True, written="never") == {
        "targets": [],
        "otherwise": [],
        "written": ["never"],
    }
    assert prose(value=[1, 2], equals=[1, 2], written=["one", "two"])["written"] == ["one", "two"]


def test_more_digits_than_the_margin_leaves():
    assert str(claim("bits", 3.5523, equals=3.55, within=0.06)) == "bits = 3.6  ✓ claimed 3.55 ± 0.06"
    assert (
        str(claim("bits", 3.5523, equals=3.55, within=0.06, shown=2)) == "bits = 3.55  ✓ claimed 3.55 ± 0.06"
    )


def test_fewer_digits_than_the_margin_leaves_are_refused():
    with pytest.raises(
        ValueError, match=r"^claim: shown must be more decimals than the margin leaves; got 1$"
    ):
        claim("bits", 3.5523, equals=3.55, within=0.005, shown=1)


def test_nothing_is_compared_with_other_data():
    said = claim("bits", 1.25, equals=3.5, within=0.1, unit="bits", given=False)
    assert str(said) == "bits = 1.25 bits  not compared, because the data are others"
    assert "studio-claim" not in str(said._repr_mimebundle_())
    with pytest.raises(ClaimError):
        claim("bits", 1.25, equals=3.5, within=0.1, given=True)
