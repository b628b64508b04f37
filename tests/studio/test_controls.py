"""Sliders and choices: what the site offers, what is shown, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.studio import Choice, Slider, digits

finite = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.031623, "0.0316"),
        (-2.5, "−2.5"),
        (1000.0, "1000"),
        (123456, "123000"),
        (3.2e7, "3.2×10⁷"),
        (1.5e-9, "1.5×10⁻⁹"),
        (-4e12, "−4×10¹²"),
        (0, "0"),
        (float("inf"), "∞"),
    ],
)
def test_numbers_are_written_as_a_reader_would(value, text):
    assert digits(value) == text


@given(finite, finite, st.floats(0, 1), st.integers(2, 60))
def test_a_linear_grid_has_its_ends_and_its_default(a, b, share, points):
    low, high = sorted((a, b))
    if high - low < 1e-3 * max(abs(low), abs(high), 1):
        return
    value = min(max(low + share * (high - low), low), high)
    grid = Slider(low, high, value, "a", points=points).grid()
    assert grid[0] == low and grid[-1] == high and value in grid
    assert grid == sorted(set(grid))
    assert len(grid) <= points + 1


@given(st.floats(1e-6, 1e3), st.floats(1.5, 1e6), st.floats(0, 1), st.integers(3, 60))
def test_a_log_grid_has_its_ends_and_its_default(low, factor, share, points):
    high = low * factor
    value = min(max(low * factor**share, low), high)
    grid = Slider(low, high, value, "a", scale="log", points=points).grid()
    assert grid[0] == low and grid[-1] == high and value in grid and grid == sorted(set(grid))


def test_log_steps_are_equal_factors():
    assert Slider(0.01, 100, 1, "τ", scale="log", points=5).grid() == [0.01, 0.1, 1, 10, 100]


@given(st.integers(-50, 50), st.integers(1, 200), st.integers(0, 200), st.integers(2, 40))
def test_an_integer_grid_is_whole_and_small(low, length, at, points):
    grid = Slider(low, low + length, low + min(at, length), "t", scale="integer", points=points).grid()
    assert all(isinstance(v, int) for v in grid)
    assert grid[0] == low and grid[-1] == low + length and low + min(at, length) in grid
    assert len(grid) <= points + 1


def test_a_choice_offers_its_options_in_order():
    choice = Choice(["squared", "Huber"], "Huber", "loss")
    assert choice.grid() == ["squared", "Huber"]


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ((1, 1, 1, "a"), "low must be below high"),
        ((0, float("nan"), 0, "a"), "low must be below high"),
        ((0, 1, 2, "a"), r"value must lie in \[0, 1\]; got 2"),
        ((0, 1, 0.5, ""), "label must be the words"),
        ((0, 1, 0.5, "a", "cubic"), "scale must be 'linear', 'log' or 'integer'; got 'cubic'"),
        ((0, 1, 0.5, "a", "log"), "low must be positive on a log scale; got 0"),
        ((0, 1.5, 1, "a", "integer"), "must be whole numbers"),
        ((0, 1, 0.5, "a", "linear", 1), "points must be at least 2; got 1"),
        ((0, 1, 0.5, "a", "linear", 5, True), "play must go with scale='integer'"),
    ],
)
def test_a_slider_that_makes_no_sense_is_refused(arguments, rule):
    with pytest.raises(ValueError, match=rule):
        Slider(*arguments)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ((["a"], "a", "x"), "two or more texts"),
        (([1, 2], 1, "x"), "two or more texts"),
        ((["a", "a"], "a", "x"), "differ from one another"),
        ((["a", "b"], "c", "x"), "value must be one of"),
        ((["a", "b"], "a", " "), "label must be the words"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused(arguments, rule):
    with pytest.raises(ValueError, match=rule):
        Choice(*arguments)


def test_a_grid_across_zero_shows_zero():
    grid = Slider(-0.9, 2.4, 0.3, "x", points=12).grid()
    assert grid[3] == 0.0
    assert len(grid) == 12
