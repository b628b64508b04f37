"""Tensors that go with another argument, as public functions and methods declare them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Bool, Float, Int, Tensor
from chapters_src.core.tensor_readers import beside, like, tokens_below


class Reader:
    d = 4
    vocabulary = 7

    @checked(tokens=tokens_below("{self.vocabulary}"))
    def forward(self, tokens: Int[Tensor, "B t"]) -> Tensor:
        return tokens

    @checked
    def width(self, x: Float[Tensor, "B t {self.d}"], mask: Bool[Tensor, "#B #t t"] | None = None) -> int:
        return x.shape[1]


class Heir(Reader):
    vocabulary = 3


@checked(K=like("Q"), mask=beside("Q"))
def look(Q: Float[Tensor, "... t d"], K: Float[Tensor, "... s d"], mask: Bool[Tensor, "..."] | None = None):
    return Q.shape, K.shape


@checked(n=at_least(1))
@dataclass(frozen=True)
class Plan:
    n: int
    name: str = "plan"


def test_what_fits_is_taken():
    assert Reader().forward(torch.tensor([[0, 6]])).tolist() == [[0, 6]]
    assert Reader().forward(torch.tensor([[9]], device="meta")).device.type == "meta"  # nothing to look at
    for mask in ((2, 3, 3), (1, 3, 3), (2, 1, 3), (1, 1, 3)):
        assert Reader().width(torch.zeros(2, 3, 4), torch.ones(mask, dtype=torch.bool)) == 3
    shapes = look(torch.zeros(5, 1, 2, 3), torch.zeros(6, 4, 3))  # an ellipsis is not tied to another
    assert shapes == ((5, 1, 2, 3), (6, 4, 3))
    assert Plan(n=2) == Plan(2, "plan")


x, Q = torch.zeros(2, 3, 4), torch.zeros(2, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Reader().forward(torch.tensor([[0, 7]])),
            "Reader: tokens must hold tokens from 0 to 6; got 0 to 7",
        ),
        (
            lambda: Reader().forward(torch.tensor([[-1, 2]])),
            "tokens must hold tokens from 0 to 6; got -1 to 2",
        ),
        (
            lambda: Heir().forward(torch.tensor([[0, 3]])),
            "Reader: tokens must hold tokens from 0 to 2; got 0 to 3",
        ),
        (
            lambda: Reader().forward(torch.tensor([0])),
            r"tokens must have two axes, shape \(B, t\); got shape \(1,\)",
        ),
        (
            lambda: Reader().forward(torch.zeros(1, 1)),
            r"tokens must be a tensor of whole numbers, shape \(B, t\); got",
        ),
        (
            lambda: Heir().width(torch.zeros(2, 3, 5)),
            r"width: x must have shape \(B, t, 4\); got \(2, 3, 5\)",
        ),
        (
            lambda: Reader().width(x, torch.ones(2, 3, 2, dtype=torch.bool)),
            r"mask must have shape \(2, 3, 3\)",
        ),
        (
            lambda: Reader().width(x, torch.ones(3, 3, 3, dtype=torch.bool)),
            r"mask must have shape \(2, 3, 3\)",
        ),
        (
            lambda: Reader().width(x, torch.ones(2, 3, 3)),
            r"mask must be a tensor of truths, shape \(2, 3, 3\)",
        ),
        (lambda: look(Q, torch.zeros(4, 2)), r"look: K must have shape \(…, s, 3\)"),
        (lambda: look(Q, Q.double()), "K must be torch.float32 on cpu, as Q is; got torch.float64 on cpu"),
        (
            lambda: look(Q, Q, torch.ones(2, 2, dtype=torch.bool, device="meta")),
            "mask must be on cpu, as Q is; got meta",
        ),
        (lambda: Plan(0), "Plan: n must be at least 1; got 0"),
        (lambda: Plan(n=1, name=3), "Plan: name must be a text; got 3"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
