"""Our fully connected layer beside torch's, on the meta device, and with bad input."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.core.device import seed
from chapters_src.networks.deep.fully_connected import FullyConnectedLayer, fully_connected_network
from chapters_src.networks.deep.network import forward
from chapters_src.networks.shallow import Layer

torch.set_num_threads(1)


@pytest.mark.parametrize("phi", [torch.relu, torch.tanh, None])
def test_it_is_linear_and_an_activation(phi):
    ours, theirs = FullyConnectedLayer(10, 4, phi, generator=seed(0)), torch.nn.Linear(10, 4)
    with torch.no_grad():
        ours.b.copy_(torch.linspace(-1, 1, 4))
        theirs.weight.copy_(ours.W.T)
        theirs.bias.copy_(ours.b)
    X = torch.randn(7, 10, generator=seed(1))
    expected = theirs(X) if phi is None else phi(theirs(X))
    torch.testing.assert_close(ours(X), expected)
    for a, b in zip(
        torch.autograd.grad(ours(X).sum(), (ours.W, ours.b)),
        torch.autograd.grad(expected.sum(), (theirs.weight, theirs.bias)),
        strict=True,
    ):
        torch.testing.assert_close(a.T if a.ndim == 2 else a, b)


def test_its_parameters_are_those_of_torch():
    count = sum(p.numel() for p in FullyConnectedLayer(10, 4, generator=seed(0)).parameters())
    assert count == 44 == sum(p.numel() for p in torch.nn.Linear(10, 4).parameters())


def test_a_network_is_the_numpy_one():
    model = fully_connected_network([3, 5, 4, 2], generator=seed(0))
    layers = [Layer(part.W.detach().numpy(), part.b.detach().numpy()) for part in model]
    X = np.random.default_rng(0).standard_normal((6, 3))
    ours = model(torch.tensor(X, dtype=torch.float32)).detach().numpy()
    np.testing.assert_allclose(ours, forward(layers, X), rtol=1e-5, atol=1e-6)


def test_the_same_seed_gives_the_same_weights_of_the_right_size():
    one, two = (FullyConnectedLayer(400, 300, generator=seed(3)) for _ in range(2))
    assert torch.equal(one.W, two.W) and not one.b.any()
    assert float(one.W.detach().std()) == pytest.approx((2 / 400) ** 0.5, rel=0.02)


def test_nothing_is_left_behind_on_the_cpu():
    model = fully_connected_network([3, 5, 2], generator=seed(0, "meta"), device="meta")
    out = model(torch.empty(7, 3, device="meta"))
    assert out.shape == (7, 2) and out.device.type == "meta"
    out.sum().backward()
    assert all(p.grad is not None and p.grad.device.type == "meta" for p in model.parameters())


BAD_SIZES = [0, -1, 2.0, "3", None, True, [3]]


@given(
    argument=st.sampled_from(["inputs", "units", "activation", "generator"]), size=st.sampled_from(BAD_SIZES)
)
@settings(max_examples=40)
def test_bad_input_is_named(argument, size):
    good = {"inputs": 3, "units": 2, "activation": torch.relu, "generator": seed(0)}
    bad = "relu" if argument == "activation" else 0 if argument == "generator" else size
    with pytest.raises(ValueError, match=rf"^FullyConnectedLayer: {argument} must .+; got "):
        FullyConnectedLayer(**{**good, argument: bad})


@given(widths=st.sampled_from([[], [3], None, 5, [3, 0, 2], [3, 1.5, 2], "32"]))
def test_bad_widths_are_named(widths):
    with pytest.raises(ValueError, match=r"^fully_connected_network: widths must .+; got "):
        fully_connected_network(widths, generator=seed(0))


def test_a_batch_of_the_wrong_shape_is_named():
    layer = FullyConnectedLayer(3, 2, generator=seed(0))
    for shape in [(4, 2), (3,), (2, 4, 3)]:
        with pytest.raises(ValueError, match=r"^FullyConnectedLayer: X must have shape \(n, 3\); got \("):
            layer(torch.ones(shape))
