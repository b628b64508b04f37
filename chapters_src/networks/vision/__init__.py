"""From hand-made features to learned ones: classifying images."""

from chapters_src.networks.vision.augmentation import affine_images, randomly_moved
from chapters_src.networks.vision.gradients import edge_directions, oriented_gradients
from chapters_src.networks.vision.pooling import pool_gradient, power_pool
from chapters_src.networks.vision.saliency import input_gradient, occlusion_map, sign_attack
from chapters_src.networks.vision.stacks import (
    ALEXNET,
    DIGITS,
    LENET,
    Conv,
    Dense,
    Drop,
    LayerSize,
    Pool,
    layer_sizes,
    network,
)
from chapters_src.networks.vision.training import (
    ClassifierPlan,
    class_probabilities,
    fit_classifier,
    logits_of,
)

__all__ = [
    "ALEXNET",
    "DIGITS",
    "LENET",
    "ClassifierPlan",
    "Conv",
    "Dense",
    "Drop",
    "LayerSize",
    "Pool",
    "affine_images",
    "class_probabilities",
    "edge_directions",
    "fit_classifier",
    "input_gradient",
    "layer_sizes",
    "logits_of",
    "network",
    "occlusion_map",
    "oriented_gradients",
    "pool_gradient",
    "power_pool",
    "randomly_moved",
    "sign_attack",
]
