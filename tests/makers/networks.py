"""What the functions of the networks part take that no annotation describes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from chapters_src.core.side_by_side import SideBySide
from chapters_src.data import Images
from chapters_src.networks.activations import start_together
from chapters_src.networks.autodiff import Number
from chapters_src.networks.backprop import cross_entropy_loss, forward, initialise
from chapters_src.networks.convolution import Window
from chapters_src.networks.detection import Detections, GridTargets, Scene
from chapters_src.networks.regularisation import Regularisers, Splits, draw_splits
from chapters_src.networks.shallow import Network
from chapters_src.networks.vision import ClassifierPlan, Conv, Dense, Pool
from chapters_src.optimisation.stochastic import SGD

WIDTHS = (3, 4, 2)
X = np.random.default_rng(0).uniform(0.2, 0.8, (6, 3))
CLASSES = np.arange(6) % 2
IMAGES, FILTERS = np.full((2, 3, 6, 7), 0.5), np.full((4, 3, 3, 3), 0.5)


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


def two_networks() -> SideBySide:
    """Two networks of one shape."""
    return start_together(WIDTHS, [torch.Generator().manual_seed(seed) for seed in range(2)])


def splits() -> Splits:
    """Two divisions of the same six examples."""
    return draw_splits(X, CLASSES, trials=2, n=2)


STACK = (Conv(2, 3), Pool(2, 2), Dense(2))


def scene() -> Scene:
    """A picture of 8 by 8 pixels with one digit of each of three classes."""
    corners = np.array([[0.0, 0, 3, 4], [4, 0, 8, 3], [2, 4, 6, 8]])
    return Scene(np.zeros((8, 8)), np.zeros((8, 8), int), corners, np.arange(3))


def found() -> Detections:
    """Two of the three digits of the scene."""
    return Detections(scene().boxes[:2], np.array([0.9, 0.8]), np.arange(2))


MAKERS: dict[str, Callable[[], Any]] = {
    "layer_sizes.layers": lambda: STACK,
    "layer_sizes.size": lambda: 6,
    "network.layers": lambda: STACK,
    "network.size": lambda: 6,
    "fit_classifier.plan": lambda: ClassifierPlan(STACK, batch=2, epochs=1),
    "fit_classifier.images": lambda: torch.full((4, 1, 6, 6), 0.5),
    "fit_classifier.labels": lambda: torch.tensor([0, 1, 0, 1]),
    "Images": lambda: Images(np.full((4, 8, 8), 0.5), np.arange(4) % 2, ("0", "1")),
    "Sequence[Scene]": lambda: [scene()],
    "Sequence[Detections]": lambda: [found()],
    "draw_scenes.side": lambda: 16,
    "average_precision_of.y": lambda: np.arange(30) % 2.0,
    "average_precision_of.objects": lambda: 20,
    "iou.A": lambda: scene().boxes,
    "iou.B": lambda: scene().boxes,
    "hits.boxes": lambda: scene().boxes,
    "hits.truth": lambda: scene().boxes,
    "hits.scores": lambda: np.array([0.9, 0.8, 0.7]),
    "non_maximum_suppression.boxes": lambda: scene().boxes,
    "non_maximum_suppression.scores": lambda: np.array([0.9, 0.8, 0.7]),
    "decode.answers": lambda: torch.zeros(8, 2, 2),
    "detector_loss.answers": lambda: torch.zeros(2, 8, 2, 2),
    "detector_loss.targets": lambda: GridTargets(
        torch.zeros(2, 2, 2), torch.zeros(2, 4, 2, 2), torch.zeros(2, 2, 2, dtype=torch.int64)
    ),
    "Network": network,
    "Layers": layers,
    "Trace": trace,
    "Number": lambda: Number(2.0) * 3.0,
    "steps.X": lambda: X,
    "active.X": lambda: X,
    "predict_in_blocks.X": lambda: X,
    "prelu.a": lambda: X,
    "prelu.slope": lambda: np.full(3, 0.25),
    "prelu_derivative.a": lambda: X,
    "prelu_derivative.slope": lambda: np.full(3, 0.25),
    "start_together.widths": lambda: WIDTHS,
    "start_together.generators": lambda: [torch.Generator().manual_seed(0)],
    "train_together.X": lambda: torch.ones(2, 6, 3),
    "train_together.y": lambda: torch.zeros(2, 6, dtype=torch.int64),
    "train_together.rates": lambda: [0.1, 0.2],
    "train_together.epochs": lambda: 1,
    "train_together.batch_size": lambda: 3,
    "train_together.momentum": lambda: 0.5,
    "squared_error.theta": lambda: torch.linspace(0.2, 0.8, 26),
    "squared_error.X": lambda: torch.tensor(X).float(),
    "squared_error.Y": lambda: torch.tensor(X[:, :2]).float(),
    "squared_error.sizes": lambda: WIDTHS,
    "linear_pieces.network": lambda: network(1),
    "along.network": lambda: network(1),
    "side_by_side.networks": lambda: [network(), network()],
    "side_by_side.scales": lambda: np.array([1.0, 2.0]),
    "Splits": splits,
    "fit_recipe.recipe": lambda: Regularisers(batch=1),
    "SideBySide": two_networks,
    "errors_of.part": lambda: splits().test,
    "descended.gradient": lambda: lambda theta: theta,
    "flowed.gradient": lambda: lambda theta: theta,
    "modified_gradient.gradient": lambda: lambda theta: theta,
    "modified_gradient.hessian": lambda: lambda theta: np.eye(len(theta)),
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
    "stairs.edges": lambda: np.array([0.0, 0.5, 1.0]),
    "stairs.heights": lambda: np.array([1.0, 2.0, 0.5]),
    "cells.W1": lambda: X[:2, :3],
    "cells.b1": lambda: np.array([0.1, -0.2, 0.3]),
    "forward.X": lambda: X,
    "hidden.X": lambda: X,
    "hidden.layers": layers,
    "compose.first": lambda: layers(3, 4, 2),
    "compose.second": lambda: layers(2, 4, 1),
    "exact_pieces.layers": lambda: layers(1, 3, 1),
    "count_pieces.layers": lambda: layers(1, 3, 1),
    "deep_lower_bound.inputs": lambda: 2,
    "deep_lower_bound.widths": lambda: (4, 4),
    "tiling.widths": lambda: (4, 4),
    "width_within.budget": lambda: 100,
    "forward_cost.widths": lambda: WIDTHS,
    "random_network.widths": lambda: WIDTHS,
    "hinges_side_by_side.widths": lambda: WIDTHS,
    "fully_connected_network.widths": lambda: WIDTHS,
    "initialise.widths": lambda: WIDTHS,
    "initialise_orthogonal.widths": lambda: WIDTHS,
    "gaussian_mean.f": lambda: np.tanh,
    "gaussian_pair_mean.f": lambda: np.tanh,
    "next_size.phi": lambda: "tanh",
    "slope_factor.phi": lambda: "tanh",
    "size_path.phi": lambda: "tanh",
    "edge_of_chaos.phi": lambda: "tanh",
    "next_correlation.phi": lambda: "tanh",
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
    "block_norm.norm": lambda: "batch",
    "sharing_entries.shape": lambda: (3, 4, 2, 2),
    "sharing_entries.entry": lambda: (1, 2, 0, 1),
    "sharing_entries.norm": lambda: "batch",
    "normalised_mlp.widths": lambda: WIDTHS,
    "normalised_mlp.norm": lambda: torch.nn.LayerNorm,
    "mean_squares.norm": lambda: torch.nn.LayerNorm,
    "longest_falling_step.model": lambda: torch.nn.Linear(3, 2),
    "longest_falling_step.loss": lambda: lambda model, batch: model(batch).square().mean(),
    "longest_falling_step.batch": lambda: torch.ones(4, 3),
    "longest_falling_step.rates": lambda: [0.1, 0.2],
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
    "convolution.X": lambda: IMAGES,
    "convolution.W": lambda: FILTERS,
    "convolution_by_loops.X": lambda: IMAGES,
    "convolution_by_loops.W": lambda: FILTERS,
    "convolution_gradients.X": lambda: IMAGES,
    "convolution_gradients.W": lambda: FILTERS,
    "convolution_gradients.G": lambda: np.full((2, 4, 4, 5), 0.5),
    "im2col.X": lambda: IMAGES,
    "col2im.cols": lambda: np.full((2, 9, 9), 0.5),
    "col2im.height": lambda: 5,
    "col2im.width": lambda: 5,
    "pool.X": lambda: IMAGES,
    "receptive_field.layers": lambda: [Window(3), Window(3, 2)],
    "sliding_dot_product.x": lambda: X[:, 0],
    "sliding_dot_product.W": lambda: X[:3, 1],
    "sliding_dot_product_by_fft.x": lambda: X[:, 0],
    "sliding_dot_product_by_fft.W": lambda: X[:3, 1],
    "convolution_matrix.size": lambda: 6,
    "transposed_convolution.Y": lambda: np.full((2, 4, 4, 5), 0.5),
    "transposed_convolution.W": lambda: FILTERS,
    "slopes_by_depth.depths": lambda: (1, 2),
    "autocorrelation.values": lambda: np.arange(6.0),
    "autocorrelation.lags": lambda: (0, 1),
    "by_path_length.jacobians": lambda: np.ones((4, 3, 3)),
    "euler_path.f": lambda: np.sin,
    **{f"{name}.x": lambda: torch.ones(2, 1, 8, 8) for name in ("GridDetector", "Segmenter", "UNet")},
    "max_pool_with_places.X": lambda: np.arange(36.0).reshape(6, 6),
    "draw_splits.n": lambda: 1,
    "draw_splits.X": lambda: X,
    "draw_splits.labels": lambda: CLASSES,
    "flowed.duration": lambda: 0.5,
    **{f"{name}.model": lambda: torch.nn.Linear(3, 1) for name in ("laplace_deviation", "weight_jacobian")},
    "cells.layers": lambda: layers(2, 4, 1),
    **{
        f"{name}.model": lambda: torch.nn.Sequential(torch.nn.Flatten(), torch.nn.LazyLinear(2))
        for name in ("class_probabilities", "input_gradient", "logits_of", "occlusion_map", "sign_attack")
    },
    "oriented_gradients.images": lambda: np.full((2, 8, 8), 0.5),
    "pool_gradient.X": lambda: np.arange(36.0).reshape(1, 1, 6, 6),
    "pool_gradient.G": lambda: np.ones((1, 1, 2, 2)),
    "power_pool.X": lambda: np.arange(36.0).reshape(1, 1, 6, 6),
}
