"""Derivatives by machine: an engine of single numbers, and numpy code differentiated in reverse mode."""

from chapters_src.foundations.calculus import (
    central_difference,
    difference_gradient,
    forward_difference,
)
from chapters_src.networks.autodiff.array_rules import kept, linear, scatter, unbroadcast
from chapters_src.networks.autodiff.cost import Counted, count_operations
from chapters_src.networks.autodiff.elementwise_rules import (
    log_softmax,
    logsumexp,
    relu,
    sigmoid,
    softmax,
    softplus,
)
from chapters_src.networks.autodiff.leaves import leaf, leaves_of, like, unit_arrays
from chapters_src.networks.autodiff.reverse import (
    Node,
    Traced,
    backward,
    gradient,
    jacobian,
    value_and_gradient,
    vjp,
)
from chapters_src.networks.autodiff.scalar import Number, adjoints, topological_order
from chapters_src.networks.autodiff.tracing import (
    CONSTANT,
    DERIVATIVES,
    REWRITES,
    Rule,
    Tensor,
    clock,
    level_of_its_own,
    plain,
    primitive,
    shape_of,
)

__all__ = [
    "CONSTANT",
    "DERIVATIVES",
    "REWRITES",
    "Counted",
    "Node",
    "Number",
    "Rule",
    "Tensor",
    "Traced",
    "adjoints",
    "backward",
    "central_difference",
    "clock",
    "count_operations",
    "difference_gradient",
    "forward_difference",
    "gradient",
    "jacobian",
    "kept",
    "leaf",
    "leaves_of",
    "level_of_its_own",
    "like",
    "linear",
    "log_softmax",
    "logsumexp",
    "plain",
    "primitive",
    "relu",
    "scatter",
    "shape_of",
    "sigmoid",
    "softmax",
    "softplus",
    "topological_order",
    "unbroadcast",
    "unit_arrays",
    "value_and_gradient",
    "vjp",
]
