"""The rules on tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters_src.foundations import probability as law


def test_the_screening_example_by_counting_people():
    # of 100,000 women: 1,000 sick, 900 of them found; 99,000 healthy, 8,910 of them alarmed
    assert law.posterior([0.01, 0.99], [0.9, 0.09])[0] == pytest.approx(900 / (900 + 8910), rel=1e-14)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5))
def test_joint_and_conditional_undo_each_other(seed, K, m):
    rng = np.random.default_rng(seed)
    prior, likelihood = rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(m), K)
    together = law.joint(prior, likelihood)
    assert together.sum() == pytest.approx(1)
    np.testing.assert_allclose(together.sum(axis=1), prior)
    back = law.conditional(together)
    np.testing.assert_allclose(back * together.sum(axis=0), together)
    for x in range(m):
        np.testing.assert_allclose(back[:, x], law.posterior(prior, likelihood[:, x]))


def test_two_observations_in_either_order():
    prior, one, two = np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.7, 0.4]), np.array([0.9, 0.2, 0.3])
    first = law.posterior(law.posterior(prior, one), two)
    np.testing.assert_allclose(first, law.posterior(law.posterior(prior, two), one))
    np.testing.assert_allclose(first, law.posterior(prior, one * two))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: law.posterior([0.5, 0.4], [1, 1]), r"^posterior: prior must be at least 0 and sum to 1"),
        (
            lambda: law.posterior([1.0, 0.0], [0.0, 1.0]),
            r"^posterior: likelihood must be above 0 for a cause",
        ),
        (
            lambda: law.posterior([0.5, 0.5], [-1.0, 1.0]),
            r"^posterior: likelihood must be at least 0; got -1$",
        ),
        (
            lambda: law.joint([0.5, 0.5], [[1.0], [0.5]]),
            r"^joint: likelihood must be at least 0 and sum to 1",
        ),
        (lambda: law.conditional([[0.0, 1.0]]), r"^conditional: joint must have no column of zeros"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
