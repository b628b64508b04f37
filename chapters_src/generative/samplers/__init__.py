"""From noise to data: ancestral sampling, and deterministic walks of any number of steps."""

from chapters_src.generative.samplers.sampling import (
    Path,
    generalised_step,
    sample,
    sample_ancestral,
    timesteps,
    walk_back,
)

__all__ = ["Path", "generalised_step", "sample", "sample_ancestral", "timesteps", "walk_back"]
