"""From noise to data in few steps: deterministic walks, solvers of the flow, and guidance by a label."""

from chapters_src.generative.samplers.guidance import guided
from chapters_src.generative.samplers.sampling import Path, generalised_step, sample, timesteps, walk_back
from chapters_src.generative.samplers.solvers import dpm_step, heun_step, solve

__all__ = [
    "Path",
    "dpm_step",
    "generalised_step",
    "guided",
    "heun_step",
    "sample",
    "solve",
    "timesteps",
    "walk_back",
]
