"""The data sets are what their docstrings say, and the generated ones follow their formulas."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src import data


class TestCholesterol:
    def test_rows_of_the_worked_example(self):
        split = data.cholesterol()
        train = np.column_stack([split.train.X, split.train.y])
        test = np.column_stack([split.test.X, split.test.y])
        np.testing.assert_array_equal(
            train, [[25, 22.5, 180], [35, 26.5, 210], [45, 29.5, 240], [55, 31.5, 260], [65, 33.5, 280]]
        )
        np.testing.assert_array_equal(
            test, [[30, 24, 190], [40, 28, 220], [50, 30, 250], [60, 32, 270], [70, 34, 290]]
        )
        assert (split.train.columns, split.train.target) == (("age", "bmi"), "cholesterol")

    def test_halves_make_the_whole(self):
        split = data.cholesterol()
        assert (len(split.train), len(split.test), len(split.every)) == (5, 5, 10)
        np.testing.assert_array_equal(split.every.X[1::2], split.test.X)
        np.testing.assert_array_equal(split.every.y[::2], split.train.y)
        assert np.corrcoef(split.every.X.T)[0, 1] == pytest.approx(0.984, abs=5e-4)

    def test_each_call_gives_fresh_arrays(self):
        first = data.cholesterol()
        first.every.X[:] = 0
        assert first.train.X[0, 0] == 25
        assert data.cholesterol().every.X[0, 0] == 25


class TestRealData:
    @pytest.mark.parametrize(
        ("load", "shape", "classes", "first_column", "first_entry"),
        [
            (data.diabetes, (442, 10), 0, "age", 59.0),
            (data.breast_cancer, (569, 30), 2, "mean radius", 17.99),
            (data.wine, (178, 13), 3, "alcohol", 14.23),
        ],
    )
    def test_tables(self, load, shape, classes, first_column, first_entry):
        table = load()
        assert table.X.shape == shape
        assert table.y.shape == shape[:1]
        assert len(table) == shape[0]
        assert len(table.columns) == shape[1]
        assert table.columns[0] == first_column
        assert table.X[0, 0] == first_entry
        assert len(table.classes) == classes
        if classes:
            assert set(table.y) == set(range(classes))
            assert table.y.dtype == np.int64
        assert str(shape[0]) in load.__doc__

    def test_diabetes_in_its_own_units_and_scaled(self):
        raw, scaled = data.diabetes(), data.diabetes(scaled=True)
        assert raw.columns == ("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6")
        assert set(raw.X[:, 1]) == {1.0, 2.0}
        assert (raw.y.min(), raw.y.max()) == (25, 346)
        centred = raw.X - raw.X.mean(axis=0)
        np.testing.assert_allclose(scaled.X, centred / np.linalg.norm(centred, axis=0), atol=1e-7)
        np.testing.assert_array_equal(raw.y, scaled.y)

    def test_tumours_are_mostly_benign(self):
        table = data.breast_cancer()
        assert table.classes == ("malignant", "benign")
        assert np.bincount(table.y).tolist() == [212, 357]

    @pytest.mark.parametrize(
        ("load", "shape", "levels"), [(data.digits, (1797, 8, 8), 16), (data.mnist, (5000, 28, 28), 255)]
    )
    def test_images(self, load, shape, levels):
        pictures = load()
        assert pictures.images.shape == shape
        assert len(pictures) == shape[0]
        assert pictures.X.shape == (shape[0], shape[1] * shape[2])
        assert (pictures.images.min(), pictures.images.max()) == (0.0, 1.0)
        np.testing.assert_allclose(pictures.images * levels, np.round(pictures.images * levels), atol=1e-12)
        assert set(pictures.labels) == set(range(10))
        assert pictures.classes[3] == "3"
        # A mean zero looks like a ring: ink around, less in the middle.
        zero = pictures.images[pictures.labels == 0].mean(axis=0)
        middle = shape[1] // 2
        assert zero[middle - 1 : middle + 1, middle - 1 : middle + 1].mean() < 0.2 < zero.max()

    def test_mnist_has_500_of_each(self):
        assert np.bincount(data.mnist().labels).tolist() == [500] * 10

    def test_language_reference(self):
        text = data.language_reference()
        assert text == data.language_reference()
        assert 300_000 < len(text) < 800_000
        assert text.endswith("\n")
        assert text.count(" the ") > 3_000

    def test_records_are_frozen(self):
        for record, field in ((data.cholesterol().train, "y"), (data.digits(), "labels")):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(record, field, None)


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


class TestSplit:
    @settings(max_examples=60)
    @given(st.integers(2, 60), st.floats(0.01, 0.99), st.integers(0, 2**32 - 1))
    def test_parts_are_a_partition_and_rows_stay_together(self, n, fraction, seed):
        X = np.arange(2.0 * n).reshape(n, 2)
        y = np.arange(n)
        rng = np.random.default_rng(seed)
        X_train, X_test, y_train, y_test = data.train_test_split(X, y, test_fraction=fraction, rng=rng)
        assert sorted([*y_train, *y_test]) == list(range(n))
        np.testing.assert_array_equal(X[y_train], X_train)
        np.testing.assert_array_equal(X[y_test], X_test)
        assert len(y_test) == min(max(round(n * fraction), 1), n - 1)

    def test_it_shuffles_and_copies(self):
        y = np.arange(100)
        train, test = data.train_test_split(y, test_fraction=0.2, rng=np.random.default_rng(0))
        assert list(train) != sorted(train)
        test[:] = -1
        assert y.min() == 0

    @pytest.mark.parametrize(
        ("arrays", "fraction", "message"),
        [
            ((), 0.5, "train_test_split: arrays must be one array or more; got none"),
            (([1.0],), 0.5, "train_test_split: arrays must have two rows or more; got shape (1,)"),
            ((3.0,), 0.5, "train_test_split: arrays must have two rows or more; got shape ()"),
            (([1.0, 2.0], [1.0]), 0.5, "train_test_split: arrays must all have 2 rows; got shape (1,)"),
            (([1.0, 2.0],), 0, "train_test_split: test_fraction must be above 0 and below 1; got 0"),
            (([1.0, 2.0],), 1.0, "train_test_split: test_fraction must be above 0 and below 1; got 1.0"),
        ],
    )
    def test_refuses(self, arrays, fraction, message):
        with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
            data.train_test_split(*arrays, test_fraction=fraction, rng=np.random.default_rng(0))


class TestSprint:
    def test_the_published_extrapolation_comes_out(self):
        """Tatem and others (2004): in 2156, after the crossing, women run 8.079 s and men 8.098 s."""
        lines = {}
        for who in ("men", "women"):
            table = data.sprint(who)
            lines[who] = np.polynomial.Polynomial.fit(table.X[:, 0], table.y, 1).convert()
        assert lines["women"](2156) == pytest.approx(8.079, abs=5e-4)
        assert lines["men"](2156) == pytest.approx(8.098, abs=5e-4)
        assert 2152 < (lines["men"] - lines["women"]).roots()[0] < 2156

    def test_games_are_those_that_were_held(self):
        men, women = data.sprint("men").X[:, 0], data.sprint("women").X[:, 0]
        held = [year for year in range(1900, 2005, 4) if year not in (1916, 1940, 1944)]
        np.testing.assert_array_equal(men, held)
        np.testing.assert_array_equal(women, [year for year in held if year >= 1928])

    def test_nobody_else_ran(self):
        with pytest.raises(ValueError, match="sprint: who must be 'men' or 'women'; got 'horses'"):
            data.sprint("horses")
