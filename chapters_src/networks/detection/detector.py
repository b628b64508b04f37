"""A detector in one pass: each cell of a grid says whether an object is centred in it, its box, its class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from chapters_src.core.contract import bare, checked, require
from chapters_src.core.device import Device, Dtype
from chapters_src.core.modules import conv2d
from chapters_src.core.readers import Ask, above, at_least, between
from chapters_src.core.shapes import Float, Int, Tensor, ndarray
from chapters_src.core.tensor_readers import like, like_weights
from chapters_src.networks.detection.boxes import non_maximum_suppression
from chapters_src.networks.detection.judging import Detections
from chapters_src.networks.detection.scenes import Scene

__all__ = ["CELL", "GridDetector", "GridTargets", "decode", "detector_loss", "grid_targets", "trunk"]

CELL = 4  # pixels: two halvings


def trunk(
    channels: Sequence[int], generator: torch.Generator, device: Device = None, dtype: Dtype = None
) -> nn.Sequential:
    """Convolutions of 3×3, each with batch norm and ReLU; the first two halve the picture after it."""
    layers: list[nn.Module] = []
    for number, (inputs, outputs) in enumerate(zip((1, *channels[:-1]), channels, strict=True)):
        layers.append(
            conv2d(inputs, outputs, 3, generator, padding=1, bias=False, device=device, dtype=dtype)
        )
        layers += [nn.BatchNorm2d(outputs, device=device, dtype=dtype), nn.ReLU()]
        layers += [nn.MaxPool2d(2)] if number < 2 else []
    return nn.Sequential(*layers)


class GridDetector(nn.Module):
    """One picture in; for every cell of 4×4 pixels 1 logit, 4 numbers of a box, and a logit per class."""

    @checked(classes=at_least(1), width=at_least(1))
    def __init__(
        self,
        classes: int,
        generator: torch.Generator,
        width: int = 16,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        channels = (width, 2 * width, 3 * width, 3 * width)
        self.trunk = trunk(channels, generator, device, dtype)
        self.head = conv2d(3 * width, 5 + classes, 1, generator, scale=0.3, device=device, dtype=dtype)
        with torch.no_grad():
            self.head.bias[0] = -3.0  # type: ignore[index]  # at first, few cells hold an object

    @checked(x=like_weights)
    def forward(self, x: Float[Tensor, "n 1 h w"]) -> Float[Tensor, "n k p q"]:
        """The answers of all cells, (n, 5 + classes, h/4, w/4)."""
        require(x.shape[2] % CELL == x.shape[3] % CELL == 0, "x", "have sides divisible by 4", tuple(x.shape))
        return self.head(self.trunk(x))


class GridTargets(NamedTuple):
    """What the cells should answer: is an object centred here, its box, its class (0 where there is none)."""

    here: Float[Tensor, "_ _ _"]
    box: Float[Tensor, "_ 4 _ _"]
    label: Int[Tensor, "_ _ _"]

    def rows(self, which: Tensor) -> GridTargets:
        """The targets of these pictures."""
        return GridTargets(self.here[which], self.box[which], self.label[which])


@checked
def grid_targets(scenes: Sequence[Scene], device: Device = None) -> GridTargets:
    """Each object given to the cell that holds its centre; of two in one cell the later one stays.

    t = (x/s − j − ½, y/s − i − ½, log(w/s), log(h/s))   {eq}`eq-detection-encoding`
    """
    require(len(scenes) > 0, "scenes", "be at least one", 0)
    height, width = (side // CELL for side in scenes[0].image.shape)
    here, box = np.zeros((len(scenes), height, width)), np.zeros((len(scenes), 4, height, width))
    label = np.zeros(here.shape, dtype=np.int64)
    for n, scene in enumerate(scenes):
        for (left, top, right, bottom), kind in zip(scene.boxes / CELL, scene.labels, strict=True):
            x, y = (left + right) / 2, (top + bottom) / 2
            i, j = int(y), int(x)
            here[n, i, j], label[n, i, j] = 1.0, kind
            box[n, :, i, j] = x - j - 0.5, y - i - 0.5, np.log(right - left), np.log(bottom - top)
    return GridTargets(
        torch.tensor(here, dtype=torch.float32, device=device),
        torch.tensor(box, dtype=torch.float32, device=device),
        torch.tensor(label, device=device),
    )


def _of_these_cells(ask: Ask, targets: GridTargets) -> GridTargets:
    """What the cells of the answers should say, in their precision."""
    n, k, p, q = ask.arguments["answers"].shape
    for part, shape in (("here", (n, p, q)), ("box", (n, 4, p, q)), ("label", (n, p, q))):
        found = getattr(targets, part)
        rule = f"have {part} of shape {shape}, as the cells of answers"
        ask.require(tuple(found.shape) == shape, rule, tuple(found.shape))
        if part != "label":
            like("answers")(ask, found)
    largest = int(targets.label.max()) if targets.label.device.type == "cpu" else 0
    ask.require(largest < k - 5, f"have classes below {k - 5}", largest)
    return targets


@checked(targets=_of_these_cells, weight=above(0))
def detector_loss(
    answers: Float[Tensor, "n k p q"], targets: GridTargets, weight: float = 5.0
) -> Float[Tensor, ""]:
    """The negative log-likelihood of all cells of a picture, averaged over pictures, without its constant.

    Σ_cells BCE(o, p) + o·(λ‖t − t̂‖² − log ŷ_c)   {eq}`eq-detection-loss`
    """
    held = targets.here > 0
    per_cell = answers.permute(0, 2, 3, 1)[held]  # (objects, 5 + classes)
    objectness = binary_cross_entropy_with_logits(answers[:, 0], targets.here, reduction="sum")
    boxes = (per_cell[:, 1:5] - targets.box.permute(0, 2, 3, 1)[held]).square().sum()
    classes = cross_entropy(per_cell[:, 5:], targets.label[held], reduction="sum")
    return (objectness + weight * boxes + classes) / len(answers)


@checked(least=between(0, 1), overlap=between(0, 1))
def decode(
    answers: Float[Tensor, "k p q"], least: float = 0.02, overlap: float = 0.4, named: bool = True
) -> Detections:
    """The boxes of one picture, best first, from cells that are at least this sure of an object.

    x = (j + ½ + t₁)s,  y = (i + ½ + t₂)s,  w = s·exp t₃,  h = s·exp t₄   {eq}`eq-detection-encoding`

    The score is the probability of an object, times that of its likeliest class if ``named``.
    """
    sure = torch.sigmoid(answers[0])
    i, j = (one.cpu().numpy() for one in torch.nonzero(sure >= least, as_tuple=True))
    found = answers[:, sure >= least].detach().cpu().double()
    classes = torch.softmax(found[5:], dim=0).numpy()
    t = found[1:5].numpy()
    centre = CELL * (np.stack([j, i]) + 0.5 + t[:2])
    half = CELL * np.exp(t[2:]) / 2
    boxes = np.concatenate([centre - half, centre + half]).T
    scores = torch.sigmoid(found[0]).numpy() * (classes.max(axis=0) if named and len(j) else 1.0)
    kept = bare(non_maximum_suppression)(boxes, scores, overlap)
    labels: ndarray = classes.argmax(axis=0)
    return Detections(boxes[kept], scores[kept], labels[kept])
