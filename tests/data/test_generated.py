"""The generated data sets follow their formulas."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src import data


class TestGenerated:
    def test_line(self):
        points = data.line(20_000, slope=2.0, intercept=-1.0, noise=0.5, rng=np.random.default_rng(1))
        np.testing.assert_allclose(points.truth, 2.0 * points.x - 1.0)
        assert len(points) == 20_000
        assert (points.x.min() >= -1, points.x.max() <= 1) == (True, True)
        assert np.std(points.y - points.truth) == pytest.approx(0.5, rel=0.03)
        assert abs(points.x.mean()) < 0.02

    def test_wave(self):
        points = data.wave(20_000, noise=0.2, rng=np.random.default_rng(2))
        np.testing.assert_allclose(points.truth, np.sin(2 * np.pi * points.x))
        assert (points.x.min() >= 0, points.x.max() <= 1) == (True, True)
        assert np.std(points.y - points.truth) == pytest.approx(0.2, rel=0.03)

    def test_moons_without_noise_lie_on_two_half_circles(self):
        table = data.moons(101, noise=0.0, rng=np.random.default_rng(3))
        centre = np.where(table.y[:, None] == 0, [0.0, 0.0], [1.0, 0.5])
        np.testing.assert_allclose(np.linalg.norm(table.X - centre, axis=1), 1.0)
        assert (table.X[table.y == 0, 1] >= 0).all()
        assert (table.X[table.y == 1, 1] <= 0.5).all()
        assert np.bincount(table.y).tolist() == [51, 50]

    def test_moons_noise(self):
        clean = data.moons(5000, noise=0.0, rng=np.random.default_rng(4))
        noisy = data.moons(5000, noise=0.3, rng=np.random.default_rng(4))
        assert np.std(noisy.X - clean.X) == pytest.approx(0.3, rel=0.05)

    def test_disc_without_noise_is_divided_by_the_unit_circle(self):
        table = data.disc(20_000, noise=0.0, rng=np.random.default_rng(7))
        radius = np.linalg.norm(table.X, axis=1)
        np.testing.assert_array_equal(table.y, radius < 1)
        assert radius.max() <= np.sqrt(2)
        assert table.y.mean() == pytest.approx(0.5, abs=0.02)
        # Evenly spread: half of the inner points lie within 1/√2, a quarter of all in each quadrant.
        assert np.mean(radius[table.y == 1] < np.sqrt(0.5)) == pytest.approx(0.5, abs=0.02)
        assert np.mean((table.X > 0).all(axis=1)) == pytest.approx(0.25, abs=0.02)
        assert (table.classes, table.y.dtype) == (("outside", "inside"), np.int64)

    def test_disc_noise_moves_points_and_not_labels(self):
        clean = data.disc(5000, noise=0.0, rng=np.random.default_rng(8))
        noisy = data.disc(5000, noise=0.2, rng=np.random.default_rng(8))
        np.testing.assert_array_equal(clean.y, noisy.y)
        assert np.std(noisy.X - clean.X) == pytest.approx(0.2, rel=0.05)

    @pytest.mark.parametrize(("arms", "turns"), [(2, 1.0), (3, 0.75), (5, -0.5)])
    def test_spiral_without_noise_unwinds_to_its_arms(self, arms, turns):
        table = data.spiral(103, noise=0.0, rng=np.random.default_rng(7), arms=arms, turns=turns)
        r = np.linalg.norm(table.X, axis=1)
        assert r.min() >= 0.1 and r.max() <= 1
        back = 2 * np.pi * turns * r  # turn every point back by as much as its distance wound it
        straight = (table.X[:, 0] + 1j * table.X[:, 1]) * np.exp(-1j * back) / r
        np.testing.assert_allclose(straight, np.exp(2j * np.pi * table.y / arms), atol=1e-12)
        counts = np.bincount(table.y, minlength=arms)
        assert counts.max() - counts.min() <= 1
        assert len(table.classes) == arms

    def test_spiral_noise_and_bad_arms(self):
        clean = data.spiral(5000, noise=0.0, rng=np.random.default_rng(4))
        noisy = data.spiral(5000, noise=0.1, rng=np.random.default_rng(4))
        assert np.std(noisy.X - clean.X) == pytest.approx(0.1, rel=0.05)
        for bad in (1, 2.0, None):
            with pytest.raises(ValueError, match=r"^spiral: arms must be "):
                data.spiral(9, 0.1, np.random.default_rng(0), arms=bad)
        with pytest.raises(ValueError, match=r"^spiral: turns must be a finite number; got inf"):
            data.spiral(9, 0.1, np.random.default_rng(0), turns=np.inf)

    def test_swiss_roll_without_noise_is_a_spiral(self):
        table = data.swiss_roll(3000, noise=0.0, rng=np.random.default_rng(5))
        np.testing.assert_allclose(np.linalg.norm(table.X, axis=1), table.y / 7)
        angle = np.arctan2(table.X[:, 1], table.X[:, 0])
        np.testing.assert_allclose(np.cos(angle - table.y), 1.0)
        assert (table.y.min() >= 1.5 * np.pi, table.y.max() <= 4.5 * np.pi) == (True, True)
        np.testing.assert_allclose(table.X.std(axis=0), 1.0, atol=0.1)
        assert table.target == "angle" and table.classes == ()

    def test_swiss_roll_noise(self):
        clean, noisy = (data.swiss_roll(5000, noise, np.random.default_rng(6)) for noise in (0.0, 0.2))
        assert np.std(noisy.X - clean.X) == pytest.approx(0.2, rel=0.05)

    @pytest.mark.parametrize(
        "make",
        [
            lambda rng: data.line(9, 1.0, 2.0, 0.3, rng).y,
            lambda rng: data.wave(9, 0.3, rng).y,
            lambda rng: data.moons(9, 0.3, rng).X,
            lambda rng: data.disc(9, 0.3, rng).X,
            lambda rng: data.spiral(9, 0.3, rng).X,
            lambda rng: data.swiss_roll(9, 0.3, rng).X,
        ],
    )
    def test_the_generator_decides_everything(self, make):
        np.testing.assert_array_equal(make(np.random.default_rng(5)), make(np.random.default_rng(5)))
        assert not np.array_equal(make(np.random.default_rng(5)), make(np.random.default_rng(6)))

    @pytest.mark.parametrize("bad", [0, -3, 2.5, True, None, "9"])
    def test_a_count_is_a_positive_whole_number(self, bad):
        rng = np.random.default_rng(0)
        for name, make in (
            ("line", lambda n: data.line(n, 1.0, 0.0, 0.1, rng)),
            ("wave", lambda n: data.wave(n, 0.1, rng)),
            ("moons", lambda n: data.moons(n, 0.1, rng)),
            ("disc", lambda n: data.disc(n, 0.1, rng)),
            ("spiral", lambda n: data.spiral(n, 0.1, rng)),
            ("swiss_roll", lambda n: data.swiss_roll(n, 0.1, rng)),
        ):
            with pytest.raises(ValueError, match=rf"^{name}: n must be "):
                make(bad)

    @pytest.mark.parametrize("bad", [-0.1, np.nan, np.inf, None, "1", True, [0.1]])
    def test_noise_is_a_standard_deviation(self, bad):
        rng = np.random.default_rng(0)
        for name, make in (
            ("line", lambda noise: data.line(5, 1.0, 0.0, noise, rng)),
            ("wave", lambda noise: data.wave(5, noise, rng)),
            ("moons", lambda noise: data.moons(5, noise, rng)),
            ("disc", lambda noise: data.disc(5, noise, rng)),
            ("spiral", lambda noise: data.spiral(5, noise, rng)),
            ("swiss_roll", lambda noise: data.swiss_roll(5, noise, rng)),
        ):
            with pytest.raises(ValueError, match=rf"^{name}: noise must be "):
                make(bad)

    def test_a_seed_is_no_generator(self):
        with pytest.raises(ValueError, match=r"^wave: rng must be a numpy\.random\.Generator"):
            data.wave(5, 0.1, 0)
        with pytest.raises(ValueError, match=r"^disc: rng must be a numpy\.random\.Generator"):
            data.disc(5, 0.1, 0)
        with pytest.raises(ValueError, match=r"^line: slope must be a finite number; got nan"):
            data.line(5, np.nan, 0.0, 0.1, np.random.default_rng(0))
        with pytest.raises(ValueError, match=r"^line: intercept must be a number; got None"):
            data.line(5, 1.0, None, 0.1, np.random.default_rng(0))
