"""The engine beside torch on a 784–256–256–10 network, beside an engine of single numbers, and its memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from benchmarks._timing import Row, against
from chapters_src.networks.autodiff import Number, adjoints, gradient, log_softmax, relu, value_and_gradient
from chapters_src.networks.jacobians import chain

TITLE = "Loss and gradient of a 784–256–256–10 network, batch 256, float32, one thread; memory of checkpoints"
SIZES = (784, 256, 256, 10)


def scalar_seconds(inputs: int, units: int, examples: int) -> float:
    """Seconds per multiply-add of a layer, forwards and backwards, one number at a time."""
    rng = np.random.default_rng(0)
    X = [[Number(v) for v in row] for row in rng.standard_normal((examples, inputs)).tolist()]
    W = [[Number(v) for v in row] for row in rng.standard_normal((units, inputs)).tolist()]
    start = time.perf_counter()
    total = Number(0.0)
    for x in X:
        for w in W:
            unit = Number(0.0)
            for x_j, w_j in zip(x, w, strict=True):
                unit = unit + x_j * w_j
            total = total + unit.tanh()
    adjoints(total)
    return (time.perf_counter() - start) / (inputs * units * examples)


def scalar_network_seconds() -> float:
    """What the whole network would take. One layer says what a multiply-add costs; all would take an hour."""
    return scalar_seconds(196, 32, 16) * sum(a * b for a, b in pairwise(SIZES)) * 256


def network() -> tuple[Callable[[], object], Callable[[], object], Callable[[], float]]:
    """Ours, torch's and the largest difference of their gradients."""
    rng = np.random.default_rng(0)
    layers = [
        (rng.standard_normal((a, b)).astype(np.float32) / np.float32(np.sqrt(a)), np.zeros(b, np.float32))
        for a, b in pairwise(SIZES)
    ]
    X, y = rng.standard_normal((256, 784)).astype(np.float32), rng.integers(0, 10, 256)

    def loss(layers: list, X: np.ndarray, y: np.ndarray) -> float:
        h = X
        for W, b in layers[:-1]:
            h = relu(h @ W + b)
        W, b = layers[-1]
        return -np.mean(log_softmax(h @ W + b)[np.arange(len(y)), y])

    tensors = [torch.tensor(a, requires_grad=True) for layer in layers for a in layer]
    tX, ty = torch.tensor(X), torch.tensor(y)

    def theirs() -> tuple:
        h = tX
        for i in range(0, len(tensors), 2):
            h = torch.addmm(tensors[i + 1], h, tensors[i])
            h = torch.relu(h) if i + 2 < len(tensors) else h
        return torch.autograd.grad(torch.nn.functional.cross_entropy(h, ty), tensors)

    both = value_and_gradient(loss)

    def gap() -> float:
        mine = [a for layer in both(layers, X, y)[1] for a in layer]
        return max(float(abs(a - b.numpy()).max()) for a, b in zip(mine, theirs(), strict=True))

    return lambda: both(layers, X, y), theirs, gap


def peak(layers: int, segment: int | None) -> float:
    """Peak memory of a gradient through so many layers, in activations."""
    X, weights = np.full((2000, 8), 0.1), [np.eye(8)] * layers
    tracemalloc.start()
    gradient(lambda X: np.sum(chain(lambda h, w: np.tanh(h @ w), X, weights, segment)))(X)
    top = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return top / X.nbytes


def rows() -> list[tuple]:
    """Return the comparisons: times against torch and single numbers, memory against keeping everything."""
    ours, theirs, gap = network()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):  # numpy's products, so that both sides have the same one core
            found = against(ours, {"torch eager": theirs}, repeats=41, warm_up=5)
    finally:
        torch.set_num_threads(threads)
    if gap() > 1e-6:
        raise AssertionError("the gradients differ")
    mine, alone = found[0].ours, scalar_network_seconds()
    single = Row("against a scalar-valued engine, by its time per multiply-add", mine, alone, alone / mine)
    table: list[tuple] = [*found, single]
    for layers in (16, 64, 256):
        kept, root = peak(layers, 1), peak(layers, None)
        what = f"peak memory in activations, {layers} layers, checkpointed against all kept"
        table.append((what, f"{root:.1f}", f"{kept:.1f}", f"{kept / root:.2f}"))
    return table
