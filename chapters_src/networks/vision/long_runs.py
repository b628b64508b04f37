"""Five splits fixed beforehand: the record of what each plan misses on digits that it has not seen.

``python -m chapters_src.networks.vision.long_runs`` trains every plan on every split and writes the record.
"""

from __future__ import annotations

import datetime
import os
import platform
import time
from dataclasses import replace

import numpy as np
import torch
from torch import nn

from chapters_src.core.contract import bare, checked
from chapters_src.core.device import Device, seed
from chapters_src.core.readers import between
from chapters_src.core.shapes import Int, ndarray
from chapters_src.data import mnist
from chapters_src.data.records import write_record
from chapters_src.networks.vision.gradients import oriented_gradients
from chapters_src.networks.vision.stacks import LENET, Conv, Dense, Pool
from chapters_src.networks.vision.training import ClassifierPlan, fit_classifier, logits_of

__all__ = ["ABLATION", "LONG", "LONG_UNMOVED", "fifth", "missed_digits"]

LONG = ClassifierPlan(epochs=30)
LONG_UNMOVED = replace(LONG, augment=False)
HALF = (Conv(8, 5, padding=2), Pool(2, 2), Conv(16, 5, padding=2), Pool(2, 2), Dense(64), Dense(10))
SHORT = ClassifierPlan(layers=HALF, epochs=8)  # half the filters, because there are many of them
STRIDED = (Conv(8, 5, stride=2, padding=2), Conv(16, 5, stride=2, padding=2), Dense(64), Dense(10))


def _pooled(layers: tuple[Conv | Pool | Dense, ...], pooling: Pool) -> tuple[Conv | Pool | Dense, ...]:
    return tuple(pooling if isinstance(one, Pool) else one for one in layers)


ABLATION = {
    "all ideas": SHORT,
    "no augmentation": replace(SHORT, augment=False),
    "no batch normalisation": replace(SHORT, norm=False),
    "no dropout": replace(SHORT, drop=0.0),
    "tanh for ReLU": replace(SHORT, activation=nn.Tanh),
    "mean pooling": replace(SHORT, layers=_pooled(HALF, Pool(2, 2, "mean"))),
    "overlapping windows": replace(SHORT, layers=_pooled(HALF, Pool(3, 2))),
    "strides, no pooling": replace(SHORT, layers=STRIDED),
    "no convolution": replace(SHORT, layers=(Dense(64), Dense(64), Dense(10)), norm=False),
    "LeNet of 1998": ClassifierPlan(
        _pooled(LENET, Pool(2, 2, "mean")), nn.Tanh, norm=False, drop=0.0, augment=False, epochs=8
    ),
}


@checked(fold=between(0, 4))
def fifth(fold: int) -> tuple[Int[ndarray, "train"], Int[ndarray, "test"]]:
    """The digits to train on and the thousand to test on; each of the 5,000 is tested in one fold."""
    parts = np.random.default_rng(2026).permutation(5000).reshape(5, 1000)
    return np.concatenate([parts[k] for k in range(5) if k != fold]), parts[fold]


@checked(fold=between(0, 4))
def missed_digits(
    plan: ClassifierPlan, fold: int, device: Device = None, progress: bool | None = None
) -> Int[ndarray, "missed"]:
    """The test digits of a fold that the plan's network, trained on the other four, takes for others."""
    digits, (train, test) = mnist(), bare(fifth)(fold)
    X = torch.tensor(digits.images[:, None], dtype=torch.float32)
    y = torch.tensor(digits.labels)
    model = fit_classifier(plan, X[train], y[train], seed(fold), device, progress)
    return test[(logits_of(model, X[test]).argmax(dim=1) != y[test]).numpy()]


def _missed_by_hand(fold: int) -> ndarray:
    from sklearn.svm import SVC

    digits, (train, test) = mnist(), bare(fifth)(fold)
    f = oriented_gradients(digits.images).reshape(5000, -1)
    machine = SVC(C=5).fit(f[train], digits.labels[train])
    return test[machine.predict(f[test]) != digits.labels[test]]


def _main() -> None:
    torch.set_num_threads(1)
    long, ablation = [], {}
    for fold in range(5):
        begun = time.process_time()
        missed = missed_digits(LONG, fold, progress=False)
        long.append({"missed": sorted(missed.tolist()), "cpu_seconds": round(time.process_time() - begun)})
    unmoved = [len(missed_digits(LONG_UNMOVED, fold, progress=False)) for fold in range(5)]
    for name, plan in ABLATION.items():
        ablation[name] = [len(missed_digits(plan, fold, progress=False)) for fold in range(5)]
    by_hand = [sorted(_missed_by_hand(fold).tolist()) for fold in range(5)]
    record = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, one thread, no GPU",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "runs": {"long": long, "long_unmoved": unmoved, "by_hand": by_hand, "ablation": ablation},
    }
    write_record("vision", record)


if __name__ == "__main__":
    _main()
