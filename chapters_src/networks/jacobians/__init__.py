"""What other chapters may import from here."""

from chapters_src.networks.jacobians.forward_mode import (
    Dual,
    forward_jacobian,
    hessian,
    hessian_vector_product,
    jvp,
)
from chapters_src.networks.jacobians.recompute import chain, checkpoint

__all__ = ["Dual", "chain", "checkpoint", "forward_jacobian", "hessian", "hessian_vector_product", "jvp"]
