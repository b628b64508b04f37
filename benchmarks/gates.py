"""An LSTM by hand beside torch's, forwards and backwards, float32, one thread; CPU seconds per time step."""

from __future__ import annotations

import time

import torch

from benchmarks._timing import Row, against
from chapters_src.core.device import seed
from chapters_src.sequences.gates import lstm_states

TITLE = "An LSTM written out beside `torch.nn.LSTM`, CPU seconds per time step, float32, one thread"

SIZES = {  # sequences, steps, inputs, states
    "32 sequences, 16 inputs, 32 states": (32, 50, 16, 32),
    "64 sequences, 64 inputs, 128 states": (64, 50, 64, 128),
    "64 sequences, 128 inputs, 256 states": (64, 50, 128, 256),
}


def weights(layer: torch.nn.LSTM) -> list[torch.Tensor]:
    """Our weights from torch's: the blocks i, f, c̃, o in the order i, f, o, c̃, and one bias for two."""
    m = layer.hidden_size
    order = torch.cat([torch.arange(0, 2 * m), torch.arange(3 * m, 4 * m), torch.arange(2 * m, 3 * m)])
    bias = layer.bias_ih_l0 + layer.bias_hh_l0
    ours = (layer.weight_ih_l0[order].T, layer.weight_hh_l0[order].T, bias[order])
    return [one.detach().clone().requires_grad_() for one in ours]


def compared(what: str, repeats: int) -> list[Row]:
    """One size, forwards alone and with the gradients; both have to find the same states."""
    B, T, d, m = SIZES[what]
    layer = torch.nn.LSTM(d, m, batch_first=True)
    X, zeros = torch.randn(B, T, d, generator=seed(0)), torch.zeros(B, m)
    mine, theirs = weights(layer), list(layer.parameters())

    def by_hand() -> torch.Tensor:
        return lstm_states(X, zeros, zeros, *mine)

    def by_torch() -> torch.Tensor:
        return layer(X)[0]

    torch.testing.assert_close(by_hand(), by_torch(), rtol=1e-4, atol=1e-5)
    with torch.no_grad():
        (forwards,) = against(
            by_hand, {"torch": by_torch}, repeats=repeats, warm_up=3, clock=time.process_time
        )
    (both,) = against(
        lambda: torch.autograd.grad(by_hand().square().mean(), mine),
        {"torch": lambda: torch.autograd.grad(by_torch().square().mean(), theirs)},
        repeats=repeats,
        warm_up=3,
        clock=time.process_time,
    )
    names = (f"{what}, forwards", f"{what}, forwards and backwards")
    return [
        Row(name, row.ours / T, row.theirs / T, row.ratio)
        for name, row in zip(names, (forwards, both), strict=True)
    ]


def rows(repeats: int = 41) -> list[Row]:
    """Return the comparison of each size."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [row for what in SIZES for row in compared(what, repeats)]
    finally:
        torch.set_num_threads(threads)
