"""What the functions of the two optimisation chapters do with bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.optimisation.descent import landscapes
from chapters_src.optimisation.descent import walks as descent
from chapters_src.optimisation.search import schedules
from chapters_src.optimisation.stochastic import batches
from chapters_src.optimisation.stochastic import optimisers as stochastic
from tests.bad_input import bad_arrays, bad_numbers, refused

H = np.array([[2.0, 0.5], [0.5, 1.0]])
X = np.random.default_rng(0).standard_normal((30, 2))
y = (X[:, 0] > 0).astype(float)

# Arguments that may not be negative, or arrays; the first array sets the sizes that the others have to fit.
GOOD = {
    batches.minibatch_variance: {"gradients": X, "batch_size": 4},
    descent.rate_bound: {"H": H},
    descent.best_rate: {"H": H},
    descent.convergence_factor: {"H": H, "learning_rate": 0.1},
    landscapes.quadratic: {"H": H, "b": np.ones(2)},
    landscapes.bowl: {"condition": 10.0},
    landscapes.rosenbrock: {"steepness": 100.0},
    landscapes.logistic_loss: {"X": X, "y": y, "ridge": 0.1},
    schedules.step_rate: {"t": 3, "high": 0.1, "every": 2, "factor": 0.5},
    schedules.cosine_rate: {"t": 3, "high": 0.1, "steps": 9, "low": 0.01},
    schedules.warm_up_rate: {"t": 3, "high": 0.1, "steps": 9, "start": 0.01},
    schedules.warm_up_cosine_rate: {"t": 3, "high": 0.1, "warm_up": 2, "steps": 9, "low": 0.01},
    schedules.one_cycle_rate: {"t": 3, "high": 0.1, "steps": 9, "rise": 0.3},
    stochastic.SGD: {"learning_rate": 0.1, "momentum": 0.9, "weight_decay": 0.1},
    stochastic.RMSprop: {"learning_rate": 0.1, "beta": 0.9, "eps": 1e-8, "momentum": 0.9},
    stochastic.Adam: {"learning_rate": 0.1, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8},
    stochastic.AdamW: {"learning_rate": 0.1, "beta1": 0.9, "beta2": 0.999, "weight_decay": 0.1},
    stochastic.adam_step_bound: {"beta1": 0.9, "beta2": 0.999},
    stochastic.clipped: {"gradient": X, "largest": 1.0},
}


@st.composite
def bad_calls(draw):
    function = draw(st.sampled_from(list(GOOD)))
    good = GOOD[function]
    argument = draw(st.sampled_from(sorted(good)))
    value = good[argument]
    if not isinstance(value, np.ndarray):
        return function, argument, draw(bad_numbers)
    any_shape, fixed = function is stochastic.clipped, argument in ("y", "b")
    return function, argument, draw(bad_arrays(value, any_shape, fixed))


@settings(max_examples=600)
@given(bad_calls())
def test_bad_input_is_named_in_one_sentence(call):
    function, argument, value = call
    refused(function.__name__, function, GOOD[function], argument, value)


@pytest.mark.parametrize("function", GOOD, ids=lambda function: function.__name__)
def test_good_input_is_taken(function):
    function(**GOOD[function])
