"""Paths as SVG text, read back by a reader of their own."""

import re

import numpy as np
import pytest
from matplotlib.path import Path

from chapters_src.studio.paths import circle_radius, path_data


def absolute_points(d: str) -> np.ndarray:
    """Replay a path's ``d`` attribute with an independent little reader and return the corners it visits."""
    here, points = np.zeros(2, dtype=int), []
    for letter, rest in re.findall(r"([Mlqcz])([^Mlqcz]*)", d):
        numbers = np.array(rest.split(), dtype=int).reshape(-1, 2)
        if letter == "M":
            here = numbers[0]
            points.append(here)
        elif letter in "lqc":
            step = {"l": 1, "q": 2, "c": 3}[letter]
            for group in numbers.reshape(-1, step, 2):
                here = here + group[-1]
                points.append(here)
    return np.array(points)


def test_path_data_visits_the_vertices_of_a_polyline():
    vertices = np.random.default_rng(0).normal(0, 1000, (50, 2))
    points = absolute_points(path_data(Path(vertices)))
    assert np.array_equal(points, np.rint(vertices).astype(int))


def test_path_data_does_not_drift_along_curves():
    circle = Path.circle((0, 0), 1234.4)
    ends = absolute_points(path_data(circle))
    assert np.abs(np.hypot(*ends.T) - 1234.4).max() < 1.0  # a unit is a tenth of a point


@pytest.mark.parametrize("radius", [0.5, 3.0])
def test_a_circle_about_0_is_known_by_its_radius(radius):
    assert circle_radius(Path.circle((0, 0), radius)) == pytest.approx(radius)


@pytest.mark.parametrize("path", [Path.unit_rectangle(), Path.circle((1, 0), 1.0)])
def test_nothing_else_has_a_radius(path):
    assert circle_radius(path) is None
