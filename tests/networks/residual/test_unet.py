"""The U-Net: shapes, counts, what the skips carry, and learning."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from chapters_src.networks.residual import UNet


def seeded(n=0):
    return torch.Generator().manual_seed(n)


def test_against_the_same_layers_by_hand():
    """Bilinear, pooling and nearest enlargement written with other functions of torch."""
    net, x = UNet(2, seeded(), dtype=torch.float64), torch.randn(3, 1, 8, 12, generator=seeded(1)).double()
    half, double = nn.AvgPool2d(2), nn.Upsample(scale_factor=2, mode="nearest")
    fine = F.relu(net.fine(x))
    middle = F.relu(net.middle(half(fine)))
    coarse = F.relu(net.coarse(half(middle)))
    up = F.relu(net.to_middle(torch.cat([double(coarse), middle], 1)))
    torch.testing.assert_close(net(x), net.out(F.relu(net.to_fine(torch.cat([double(up), fine], 1)))))


def test_both_have_the_same_parameters():
    """Weights 9·(c + 2c² + 8c² + 12c² + 3c² + c) and biases 10c + 1."""
    for c in (2, 6):
        count = 9 * (2 * c + 25 * c**2) + 10 * c + 1
        for skips in (True, False):
            net = UNet(c, seeded(), skips)
            assert sum(p.numel() for p in net.parameters()) == count


def test_without_skips_fine_detail_passes_through_the_pooling_only():
    """Two inputs with the same averages, seen by first layers that are the identity."""
    net = UNet(4, seeded(), skips=False)
    for layer in (net.fine, net.middle):
        layer.weight.data.zero_()
        layer.weight.data[:, 0, 1, 1] = 1.0
    pattern = torch.tensor([[1.0, 3.0], [3.0, 1.0]]).repeat(4, 4)[None, None]
    flat = torch.full_like(pattern, 2.0)
    torch.testing.assert_close(net(pattern), net(flat))
    net.skips = True
    assert (net(pattern) - net(flat)).abs().max() > 1e-3


def test_on_meta():
    assert UNet(3, seeded(), device="meta")(torch.empty(2, 1, 16, 16, device="meta")).shape == (2, 1, 16, 16)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: UNet(0, seeded()), "UNet: channels must be at least 1; got 0"),
        (
            lambda: UNet(2, seeded())(torch.zeros(1, 1, 6, 8)),
            r"x must have sides divisible by 4; got \(6, 8\)",
        ),
        (lambda: UNet(2, seeded())(torch.zeros(1, 2, 8, 8)), "x must have shape"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
