"""What keeps a network from learning its data by heart."""

from chapters_src.networks.regularisation.implicit import descended, flowed, modified_gradient
from chapters_src.networks.regularisation.laplace import laplace_deviation, weight_jacobian
from chapters_src.networks.regularisation.noise import dropout, mixed, shifted
from chapters_src.networks.regularisation.recipes import (
    Part,
    Regularisers,
    Splits,
    draw_splits,
    errors_of,
    fit_recipe,
)
from chapters_src.networks.regularisation.stopping import (
    Stop,
    kept_by_penalty,
    kept_by_stopping,
    matching_penalty,
    stop_early,
)

__all__ = [
    "Part",
    "Regularisers",
    "Splits",
    "Stop",
    "descended",
    "draw_splits",
    "dropout",
    "errors_of",
    "fit_recipe",
    "flowed",
    "kept_by_penalty",
    "kept_by_stopping",
    "laplace_deviation",
    "matching_penalty",
    "mixed",
    "modified_gradient",
    "shifted",
    "stop_early",
    "weight_jacobian",
]
