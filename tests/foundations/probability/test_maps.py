"""Maps: the ring and its density, and normal numbers from uniform ones."""

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from chapters_src.foundations import probability as law


@pytest.mark.parametrize("alpha", [0.5, 1.0, 6.0])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_ring_density_against_a_jacobian_by_torch(alpha, d):
    z = np.random.default_rng(0).normal(size=(20, d))
    x = law.ring(z, alpha)
    for row, image in zip(z, x, strict=True):
        J = torch.autograd.functional.jacobian(lambda t: t / alpha + t / t.norm(), torch.tensor(row)).numpy()
        wanted = stats.norm.logpdf(row).sum() - np.linalg.slogdet(J)[1]
        assert law.ring_log_density(image[None], alpha)[0] == pytest.approx(wanted, rel=1e-9)


def test_ring_density_integrates_to_one():
    def radial(r):
        return 2 * np.pi * r * np.exp(law.ring_log_density([[r, 0.0]], 3.0)[0])

    assert integrate.quad(radial, 1, 10)[0] == pytest.approx(1, abs=1e-8)
    assert (law.ring_log_density([[0.5, 0.0], [0.0, 1.0], [0.0, 0.0]], 3.0) == -np.inf).all()


def test_ring_by_hand():
    np.testing.assert_allclose(law.ring([[3.0, 4.0]], 10.0), [[0.3 + 0.6, 0.4 + 0.8]])


def test_box_muller():
    z = law.box_muller(20_000, np.random.default_rng(0))
    assert z.shape == (20_000, 2)
    for column in z.T:
        assert stats.kstest(column, "norm").pvalue > 1e-3
    assert abs(np.corrcoef(z.T)[0, 1]) < 0.03
    assert stats.kstest((z**2).sum(axis=1), stats.chi2(2).cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: law.ring([[0.0, 0.0]], 1.0), r"^ring: z must have no row of zeros"),
        (lambda: law.ring([[1.0, 0.0]], 0.0), r"^ring: alpha must be above 0; got 0.0$"),
        (lambda: law.ring_log_density([[2.0]], -1.0), r"^ring_log_density: alpha must be above 0"),
        (lambda: law.box_muller(0, np.random.default_rng(0)), r"^box_muller: n must be at least 1"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
