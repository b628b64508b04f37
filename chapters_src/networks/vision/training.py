"""A plan for training a small image classifier, and the training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.device import Device
from chapters_src.core.readers import Ask
from chapters_src.core.row_batches import row_batches
from chapters_src.core.shapes import Float, Int, Tensor
from chapters_src.core.training import train
from chapters_src.networks.vision.augmentation import randomly_moved
from chapters_src.networks.vision.stacks import DIGITS, Conv, Dense, Pool, network
from chapters_src.optimisation.search import warm_up_cosine_rate

__all__ = ["ClassifierPlan", "class_probabilities", "fit_classifier", "logits_of"]

Batch = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class ClassifierPlan:
    """All that decides how a classifier is trained, but for the data and the random numbers."""

    layers: tuple[Conv | Pool | Dense, ...] = DIGITS
    activation: type[nn.Module] = nn.ReLU
    norm: bool = True
    drop: float = 0.3
    augment: bool = True
    epochs: int = 5
    batch: int = 50
    rate: float = 0.006
    decay: float = 0.01


def _classes(ask: Ask, labels: torch.Tensor) -> torch.Tensor:
    ask.require(labels.numel() == 0 or int(labels.min()) >= 0, "be classes from 0 up", int(labels.min()))
    return labels


def _as_the_network(ask: Ask, images: torch.Tensor) -> torch.Tensor:
    made = torch.get_default_dtype()
    ask.require(images.dtype == made, f"be {made}, as the network is", images.dtype)
    return images


@checked(images=_as_the_network, labels=_classes)
def fit_classifier(
    plan: ClassifierPlan,
    images: Float[Tensor, "n c h h"],
    labels: Int[Tensor, "n"],
    generator: torch.Generator,
    device: Device = None,
    progress: bool | None = None,
) -> nn.Sequential:
    """The plan's network, trained on these images by AdamW with warm-up and a cosine; ready to be used."""
    require(len(images) >= plan.batch, "images", f"fill a batch of {plan.batch}", len(images))
    last = plan.layers[-1]
    fits = isinstance(last, Dense) and int(labels.max()) < last.units
    require(fits, "labels", "have a unit each in the last layer", int(labels.max()))
    c, h = images.shape[1:3]
    model = network(plan.layers, c, h, generator, plan.activation, plan.norm, plan.drop, device)
    steps = plan.epochs * (len(images) // plan.batch)
    rate = lambda step: warm_up_cosine_rate(step + 1, plan.rate, max(1, steps // 8), steps + 1)  # noqa: E731
    adam = torch.optim.AdamW(model.parameters(), weight_decay=plan.decay)
    batches = _batches(plan, images.to(device or "cpu"), labels.to(device or "cpu", torch.long), generator)
    train(model, _loss, batches, adam, steps, rate, progress=progress)
    return model.eval()


def _loss(model: nn.Module, batch: Batch) -> torch.Tensor:
    return functional.cross_entropy(model(batch[0]), batch[1])


def _batches(
    plan: ClassifierPlan, images: Tensor, labels: Tensor, generator: torch.Generator
) -> Iterator[Batch]:
    """Every epoch in a new order; each image moved a little each time it is shown, if the plan says so."""
    for rows in row_batches(len(images), plan.batch, generator, full=True, device=images.device):
        shown = bare(randomly_moved)(images[rows], generator) if plan.augment else images[rows]
        yield shown, labels[rows]


@checked
def logits_of(model: nn.Module, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n K"]:
    """The model's logits in evaluation mode, without gradients, in blocks that fit into memory."""
    was, place = model.training, next(model.parameters()).device
    model.eval()
    with torch.no_grad():
        found = torch.cat([model(block.to(place)) for block in images.split(500)])
    model.train(was)
    return found.cpu()


@checked
def class_probabilities(model: nn.Module, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n K"]:
    """softmax of the logits, for each image."""
    return bare(logits_of)(model, images).softmax(dim=1)
