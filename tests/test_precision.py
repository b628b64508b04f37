"""What every network does with numbers of another precision than its weights: it says so in one sentence."""

from __future__ import annotations

import inspect

import pytest
import torch

from chapters_src.core.contract import contract_of
from tests.contract_calls import Valid, contract, makers, public

KINDS = {
    name: thing
    for name, thing in public().items()
    if inspect.isclass(thing) and issubclass(thing, torch.nn.Module)
}


def made(kind: type) -> torch.nn.Module:
    """A small network of this kind, with weights in float32."""
    maker = makers().get(kind.__name__)
    return maker() if maker else kind(**Valid(contract(kind)).arguments())


def floats(method) -> list[str]:
    """The arguments of a method that are tensors of floats, and must be what the weights are."""
    annotations = contract_of(method).annotations
    return [name for name in annotations if name != "return" and annotations[name].startswith("Float[Tensor")]


CALLS = [
    (name, called)
    for name, kind in sorted(KINDS.items())
    for called, method in inspect.getmembers(kind, inspect.isfunction)
    if called != "__init__" and contract_of(method) and floats(method)
]


@pytest.mark.parametrize("name", sorted(KINDS))
def test_what_a_network_computes_with_is_declared(name):
    forward = inspect.unwrap(KINDS[name].forward)
    if forward.__module__.startswith("chapters_src"):
        assert contract_of(KINDS[name].forward), f"{name}.forward"


@pytest.mark.parametrize(("name", "called"), CALLS)
def test_a_network_refuses_numbers_of_another_precision(name, called):
    network = made(KINDS[name])
    method = getattr(KINDS[name], called)
    valid = Valid(contract_of(method), network)
    good = valid.arguments()
    good |= {argument: valid.of_its_annotation(argument).float() for argument in floats(method)}
    getattr(network, called)(**good)
    if not list(network.parameters()):
        return  # without weights any precision will do
    for argument in floats(method):
        refusal = rf"^\w+: {argument} must be torch\.float32 on cpu, as .+ is; got"
        with pytest.raises(ValueError, match=refusal):
            getattr(network, called)(**{**good, argument: good[argument].double()})
