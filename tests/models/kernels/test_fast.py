"""The quicker machine is the same machine."""

import numpy as np
import pytest

from chapters_src.models.kernels import (
    gaussian_kernel,
    kernel_machine,
    kernel_machine_fast,
    polynomial_kernel,
)

KERNELS = {
    "polynomial": polynomial_kernel,
    "wide": lambda A, B: gaussian_kernel(A, B, 0.1),
    "narrow": lambda A, B: gaussian_kernel(A, B, 20.0),
}


@pytest.mark.parametrize("name", sorted(KERNELS))
@pytest.mark.parametrize("C", [0.5, 10.0])
def test_both_find_one_machine(name, C):
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(70, 2)), rng.normal(size=(30, 2))
    y = np.where((X**2).sum(axis=1) + 0.3 * rng.normal(size=70) < 1.4, 1.0, -1.0)
    (plain, score), (quick, score_quick) = (
        fit(KERNELS[name], X, y, C, tolerance=1e-9) for fit in (kernel_machine, kernel_machine_fast)
    )
    assert plain.converged and quick.converged
    np.testing.assert_array_equal(plain.support, quick.support)
    np.testing.assert_allclose(score(new), score_quick(new), atol=1e-7)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"^kernel_machine_fast: C must be above 0; got 0"):
        kernel_machine_fast(polynomial_kernel, np.eye(2), np.array([1.0, -1.0]), 0.0)
