"""What the functions of the networks part take that no annotation describes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from chapters_src.networks.autodiff import Number
from chapters_src.networks.backprop import cross_entropy_loss, forward, initialise
from chapters_src.networks.shallow import Network
from chapters_src.optimisation.stochastic import SGD

WIDTHS = (3, 4, 2)
X = np.random.default_rng(0).uniform(0.2, 0.8, (6, 3))
CLASSES = np.arange(6) % 2


def layers(*widths: int) -> Any:
    """Layers of these widths, the same each time."""
    return initialise(widths or WIDTHS, np.random.default_rng(1))


def network(inputs: int = 3) -> Network:
    """A shallow network with four hidden units and two outputs."""
    return Network(*layers(inputs, 4, 2)[0], *layers(inputs, 4, 2)[1])


def trace() -> Any:
    """What a forward pass leaves."""
    return forward(layers(), X)


def total(x: Any) -> Any:
    """A function to differentiate."""
    return np.sum(np.square(x))


MAKERS: dict[str, Callable[[], Any]] = {
    "Network": network,
    "Layers": layers,
    "Trace": trace,
    "Number": lambda: Number(2.0) * 3.0,
    "steps.X": lambda: X,
    "active.X": lambda: X,
    "predict_in_blocks.X": lambda: X,
    "affine_on.pattern": lambda: np.array([True, False, True, False]),
    "prelu.a": lambda: X,
    "prelu.slope": lambda: np.full(3, 0.25),
    "prelu_derivative.a": lambda: X,
    "prelu_derivative.slope": lambda: np.full(3, 0.25),
    "squared_error.theta": lambda: torch.linspace(0.2, 0.8, 26),
    "squared_error.X": lambda: torch.tensor(X),
    "squared_error.Y": lambda: torch.tensor(X[:, :2]),
    "squared_error.sizes": lambda: WIDTHS,
    "linear_pieces.network": lambda: network(1),
    "along.network": lambda: network(1),
    "side_by_side.networks": lambda: [network(), network()],
    "side_by_side.scales": lambda: np.array([1.0, 2.0]),
    "parameter_count.widths": lambda: WIDTHS,
    "layers_from.widths": lambda: WIDTHS,
    "layers_from.theta": lambda: np.linspace(0.2, 0.8, 26),
    "network_from.sizes": lambda: WIDTHS,
    "network_from.theta": lambda: np.linspace(0.2, 0.8, 26),
    "start.sizes": lambda: WIDTHS,
    "interpolate.knots": lambda: np.array([0.1, 0.4, 0.9]),
    "interpolate.values": lambda: np.array([1.0, 2.0, 0.5]),
    "approximate.f": lambda: np.sin,
    "approximate.low": lambda: 0.0,
    "approximate.high": lambda: 1.0,
    "approximate.curvature": lambda: 1.0,
    "units_needed.curvature": lambda: 1.0,
    "bernstein.f": lambda: np.sin,
    "polynomial_through.nodes": lambda: np.array([0.0, 0.5, 1.0]),
    "polynomial_through.values": lambda: np.array([1.0, 2.0, 0.5]),
    "lifted.X": lambda: X[:, :2],
    "disc_decision.X": lambda: X[:, :2],
    "cells.W1": lambda: X[:2, :3],
    "cells.b1": lambda: np.array([0.1, -0.2, 0.3]),
    "forward.X": lambda: X,
    "hidden.X": lambda: X,
    "hidden.layers": layers,
    "compose.first": lambda: layers(3, 4, 2),
    "compose.second": lambda: layers(2, 4, 1),
    "pieces.layers": lambda: layers(1, 3, 1),
    "count_pieces.layers": lambda: layers(1, 3, 1),
    "polygons.layers": lambda: layers(2, 3, 1),
    "deep_lower_bound.inputs": lambda: 2,
    "deep_lower_bound.widths": lambda: (4, 4),
    "tiling.widths": lambda: (4, 4),
    "width_within.budget": lambda: 100,
    "forward_cost.widths": lambda: WIDTHS,
    "random_network.widths": lambda: WIDTHS,
    "fully_connected_network.widths": lambda: WIDTHS,
    "initialise.widths": lambda: WIDTHS,
    "backward.delta": lambda: cross_entropy_loss(trace().a[-1], CLASSES).delta,
    "cross_entropy_loss.y": lambda: np.zeros(30, int),
    "loss_and_gradients.X": lambda: X,
    "loss_and_gradients.y": lambda: CLASSES,
    "loss_and_gradients_into.out": layers,
    "loss_and_gradients_into.X": lambda: X,
    "loss_and_gradients_into.y": lambda: CLASSES,
    "fit.X": lambda: X,
    "fit.y": lambda: CLASSES,
    "fit.optimiser": lambda: SGD(0.1),
    "fit.epochs": lambda: 1,
    "fit.batch_size": lambda: 2,
    "objective.X": lambda: X,
    "objective.y": lambda: CLASSES,
    "objective.Y": lambda: X[:, :2],
    "objective.widths": lambda: WIDTHS,
    "objective.sizes": lambda: WIDTHS,
    "predicted_classes.X": lambda: X,
    "gradient_check.X": lambda: X,
    "gradient_check.y": lambda: CLASSES,
    "gradient_check.gradients": layers,
    "signal_sizes.X": lambda: X,
    "signal_sizes.y": lambda: CLASSES,
    "vjp.f": lambda: total,
    "gradient.f": lambda: total,
    "value_and_gradient.f": lambda: total,
    "gradient.wrt": lambda: (0,),
    "value_and_gradient.wrt": lambda: (0,),
    "jacobian.f": lambda: total,
    "count_operations.f": lambda: lambda: 0.0,
    "hessian.f": lambda: total,
    "forward_jacobian.f": lambda: total,
    "checkpoint.f": lambda: total,
    "chain.f": lambda: np.multiply,
    "chain.h": lambda: 1.0,
    "chain.weights": lambda: [1.0, 2.0],
    "jvp.f": lambda: total,
    "jvp.args": lambda: (np.ones(3),),
    "jvp.tangents": lambda: (np.ones(3),),
    "evaluation_trace.f": lambda: total,
    "evaluation_trace.args": lambda: (np.ones(3),),
    "evaluation_trace.tangents": lambda: (np.ones(3),),
    "hessian_vector_product.f": lambda: total,
    "hessian_vector_product.args": lambda: (np.ones(3),),
    "hessian_vector_product.v": lambda: np.ones(3),
}
