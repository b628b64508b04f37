"""Normalising flows: noise bent into data by maps that can be undone, with an exact density."""

from chapters_src.generative.flows.bits import bits_per_dimension, dequantised, line_to_unit, unit_to_line
from chapters_src.generative.flows.curves import planar, planar_inverse, spline, spline_inverse
from chapters_src.generative.flows.flow import Flow, coupling_flow, standard_normal_log_density
from chapters_src.generative.flows.layers import Autoregressive, Coupling, Mixing
from chapters_src.generative.flows.matching import VelocityNetwork, matching_loss, straight_velocity
from chapters_src.generative.flows.solvers import (
    divergence,
    estimated_divergence,
    ode_log_density,
    trajectory,
)

__all__ = [
    "Autoregressive",
    "Coupling",
    "Flow",
    "Mixing",
    "VelocityNetwork",
    "bits_per_dimension",
    "coupling_flow",
    "dequantised",
    "divergence",
    "estimated_divergence",
    "line_to_unit",
    "matching_loss",
    "ode_log_density",
    "planar",
    "planar_inverse",
    "spline",
    "spline_inverse",
    "standard_normal_log_density",
    "straight_velocity",
    "trajectory",
    "unit_to_line",
]
