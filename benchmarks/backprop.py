"""Forward and backward of a 784–256–256–10 network by hand beside torch eager, float32, one thread each."""

from __future__ import annotations

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from benchmarks._timing import Row, against
from benchmarks.autodiff import scalar_network_seconds
from chapters_src.networks.backprop import (
    backward,
    cross_entropy_loss,
    forward,
    initialise,
    loss_and_gradients_into,
)

TITLE = "Forward and backward of a 784–256–256–10 network, batch of 256, float32, one thread"

SIZES, BATCH = (784, 256, 256, 10), 256


def as_module(layers: list) -> torch.nn.Sequential:
    """The same network from torch.nn's own layers."""
    parts: list[torch.nn.Module] = []
    for W, b in layers:
        linear = torch.nn.Linear(*W.shape)
        with torch.no_grad():
            linear.weight.copy_(torch.tensor(W.T))
            linear.bias.copy_(torch.tensor(b))
        parts += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*parts[:-1])


def rows(repeats: int = 101) -> list[Row]:
    """Return the comparison; both have to find the same gradients."""
    rng = np.random.default_rng(0)
    X, y = rng.random((BATCH, SIZES[0]), dtype=np.float32), rng.integers(0, SIZES[-1], BATCH)
    layers = initialise(SIZES, rng, dtype=np.float32)
    buffers = [(np.empty_like(W), np.empty_like(b)) for W, b in layers]
    module, inputs, labels = as_module(layers), torch.tensor(X), torch.tensor(y)

    trace = forward(layers, X)
    delta = cross_entropy_loss(trace.a[-1], y).delta

    def by_hand() -> None:
        loss_and_gradients_into(buffers, layers, X, y)

    def eager() -> None:
        module.zero_grad()  # as torch does it by default: quicker than to fill the old arrays
        torch.nn.functional.cross_entropy(module(inputs), labels).backward()

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(limits=1):
            found = against(by_hand, {"torch eager": eager}, repeats=repeats, warm_up=10)
            (passes,) = against(
                lambda: forward(layers, X),
                {"its backward pass": lambda: backward(trace, layers, delta)},
                repeats=repeats,
            )
    finally:
        torch.set_num_threads(threads)
    for (W, b), linear in zip(buffers, list(module)[::2], strict=True):
        np.testing.assert_allclose(W, linear.weight.grad.numpy().T, rtol=1e-3, atol=1e-6)
        np.testing.assert_allclose(b, linear.bias.grad.numpy(), rtol=1e-3, atol=1e-6)
    mine, alone = found[0].ours, scalar_network_seconds()
    return [
        *found,
        passes._replace(what="the forward pass against its backward pass (by multiplications 1.25)"),
        Row("against a scalar-valued engine, by its time per multiply-add", mine, alone, alone / mine),
    ]
