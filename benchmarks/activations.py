"""Activations and the forward pass of a network beside torch, in the same precision and on one thread.

The checks of the contract read the input once and the result once, which takes about as long as three or four
ReLUs of torch. The rows without them say what the formulas themselves cost.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from benchmarks._timing import Row, against
from chapters_src.core.contract import bare
from chapters_src.networks.activations import ACTIVATIONS, quick_gelu, quick_relu, quick_sigmoid, quick_silu
from chapters_src.networks.deep import forward, random_network

TITLE = "Activations of a batch of 256 by 256 in float32, and a 784–256–256–10 network in float64, one thread"


QUICK = {"relu": quick_relu, "sigmoid": quick_sigmoid, "silu": quick_silu, "gelu": quick_gelu}


def rows() -> list[Row]:
    """Return one row for each activation and one for a forward pass; values have to agree."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [*_activations(), *_forward()]
    finally:
        torch.set_num_threads(threads)


def _activations() -> list[Row]:
    a = np.random.default_rng(0).standard_normal((256, 256)).astype(np.float32)
    tensor = torch.tensor(a)
    found = []
    for name in ("relu", "sigmoid", "silu", "gelu", "tanh", "softplus", "elu"):
        theirs = getattr(torch if name in ("relu", "tanh", "sigmoid") else torch.nn.functional, name)
        ours = {name: ACTIVATIONS[name].value}
        if name in QUICK:
            ours |= {f"quick {name}": QUICK[name], f"quick {name} without its contract": bare(QUICK[name])}
        for what, phi in ours.items():
            if np.abs(phi(a) - theirs(tensor).numpy()).max() > 2e-6:
                raise AssertionError(f"{what} differs from torch")
            (row,) = against(partial(phi, a), {"torch": partial(theirs, tensor)}, repeats=201)
            found.append(row._replace(what=f"{what}, against torch"))
    return found


def _forward() -> list[Row]:
    rng = np.random.default_rng(0)
    layers, X = random_network([784, 256, 256, 10], rng), rng.standard_normal((256, 784))
    parts: list[torch.nn.Module] = []
    for W, b in layers:
        linear = torch.nn.Linear(W.shape[0], W.shape[1], dtype=torch.float64)
        linear.weight.data, linear.bias.data = torch.tensor(W.T), torch.tensor(b)
        parts += [linear, torch.nn.ReLU()]
    model, batch = torch.nn.Sequential(*parts[:-1]), torch.tensor(X)

    def theirs() -> torch.Tensor:
        with torch.no_grad():
            return model(batch)

    if np.abs(forward(layers, X) - theirs().numpy()).max() > 1e-9:
        raise AssertionError("the outputs differ from torch")
    (row,) = against(lambda: forward(layers, X), {"torch": theirs}, repeats=51)
    return [row._replace(what="forward pass, against torch")]
