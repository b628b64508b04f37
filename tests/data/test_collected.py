"""The collected data sets are what their docstrings say."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

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


class TestTitanic:
    def test_the_sums_that_the_inquiry_published(self):
        table = data.titanic()
        place, female, child = table.X.T
        assert (len(table), table.y.sum()) == (2201, 711)
        assert [np.sum(place == k) for k in (1, 2, 3, 0)] == [325, 285, 706, 885]
        assert [table.y[place == k].sum() for k in (1, 2, 3, 0)] == [203, 118, 178, 212]
        assert (female.sum(), table.y[female == 1].sum()) == (470, 344)
        assert (child.sum(), table.y[child == 1].sum()) == (109, 57)
        assert not np.any((place == 0) & (child == 1))


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
        with pytest.raises(ValueError, match="sprint: who must be one of 'men', 'women'; got 'horses'"):
            data.sprint("horses")


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
