"""Evaluation traces against known numbers."""

from __future__ import annotations

import numpy as np
import pytest

from chapters_src.networks.jacobians.evaluation import evaluation_trace


class TestTrace:
    def test_the_usual_example(self):
        def f(a, b):
            return np.log(a) + a * b - np.sin(b)

        rows = evaluation_trace(f, (2.0, 5.0), (1.0, 0.0))
        assert [r.name for r in rows] == ["input", "input", "log", "multiply", "add", "sin", "subtract"]
        assert [r.parents for r in rows][2:] == [(0,), (0, 1), (2, 3), (1,), (4, 5)]
        np.testing.assert_allclose(rows[-1].value, np.log(2) + 10 - np.sin(5))
        np.testing.assert_allclose([r.tangent for r in rows], [1, 0, 0.5, 5, 5.5, 0, 5.5])
        np.testing.assert_allclose([r.adjoint for r in rows], [5.5, 2 - np.cos(5), 1, 1, 1, -1, 1])

    def test_messages(self):
        with pytest.raises(ValueError, match=r"^evaluation_trace: tangents must be 1 arrays"):
            evaluation_trace(np.sin, (1.0,), ())
        with pytest.raises(ValueError, match=r"^evaluation_trace: a tangent must have shape \(2,\)"):
            evaluation_trace(np.sum, (np.ones(2),), (1.0,))
        with pytest.raises(ValueError, match=r"^evaluation_trace: what f returns must be one number that"):
            evaluation_trace(np.sin, (np.ones(2),), (np.ones(2),))
        with pytest.raises(ValueError, match=r"^evaluation_trace: f must be a function"):
            evaluation_trace(3, (1.0,), (1.0,))
