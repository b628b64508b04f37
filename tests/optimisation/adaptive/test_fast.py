"""Adam by blocks takes the steps of Adam."""

import numpy as np
import pytest

from chapters_src.optimisation.adaptive import Adam, AdamByBlocks, fast


@pytest.mark.parametrize("options", [{}, {"weight_decay": 0.1}, {"beta1": 0.0, "beta2": 0.5}])
def test_the_same_steps(options, monkeypatch):
    monkeypatch.setattr(fast, "BLOCK", 3)
    rng = np.random.default_rng(0)
    slow, quick = Adam(0.01, **options), AdamByBlocks(0.01, **options)
    here = there = rng.standard_normal((4, 2))
    for _ in range(20):
        g = rng.standard_normal((4, 2))
        here, there = slow.step(here, g), quick.step(there, g)
    np.testing.assert_allclose(there, here, rtol=1e-12)


def test_what_it_lacks_is_refused():
    with pytest.raises(TypeError, match="amsgrad"):
        AdamByBlocks(0.01, amsgrad=True)
    with pytest.raises(ValueError, match="AdamByBlocks: eps must be above 0; got 0"):
        AdamByBlocks(0.01, eps=0.0)
