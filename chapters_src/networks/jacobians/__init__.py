"""Jacobians and beyond: forward mode, products with Hessians, traces of a computation, and checkpoints."""

from chapters_src.networks.jacobians.evaluation import Row, evaluation_trace
from chapters_src.networks.jacobians.forward_mode import (
    Dual,
    forward_jacobian,
    hessian,
    hessian_vector_product,
    jvp,
)
from chapters_src.networks.jacobians.recompute import chain, checkpoint

__all__ = [
    "Dual",
    "Row",
    "chain",
    "checkpoint",
    "evaluation_trace",
    "forward_jacobian",
    "hessian",
    "hessian_vector_product",
    "jvp",
]
