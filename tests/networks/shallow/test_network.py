"""Shallow networks against torch, and their joints against slopes found by other means."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters_src.networks.shallow.network import (
    Network,
    active,
    relu,
    side_by_side,
    steps,
)
from chapters_src.networks.shallow.parameters import parameter_count
from chapters_src.networks.shallow.pieces import linear_pieces
from chapters_src.studio.oracle import autograd_gradient, finite_difference_gradient

seeds = st.integers(0, 2**32 - 1)


def random_network(seed, D_i=1, D_h=3, D_o=1):
    rng = np.random.default_rng(seed)
    return Network(*(rng.standard_normal(shape) for shape in ((D_i, D_h), D_h, (D_h, D_o), D_o)))


def torch_twin(network):
    """The same network made of torch's own layers, which keep their weights the other way round."""
    D_i, D_h, D_o = network.sizes
    first, last = (torch.nn.Linear(a, b, dtype=torch.float64) for a, b in ((D_i, D_h), (D_h, D_o)))
    with torch.no_grad():
        for layer, W, b in ((first, network.W1, network.b1), (last, network.W2, network.b2)):
            layer.weight.copy_(torch.tensor(W.T.copy()))
            layer.bias.copy_(torch.tensor(b.copy()))
    return torch.nn.Sequential(first, torch.nn.ReLU(), last)


class TestNetwork:
    @settings(max_examples=30)
    @given(seeds, st.integers(1, 4), st.integers(1, 6), st.integers(1, 3))
    def test_agrees_with_torch(self, seed, D_i, D_h, D_o):
        network = random_network(seed, D_i, D_h, D_o)
        X = np.random.default_rng(seed).standard_normal((7, D_i))
        twin = torch_twin(network)
        np.testing.assert_allclose(network(X), twin(torch.tensor(X)).detach().numpy(), atol=1e-12)
        assert parameter_count(network.sizes) == sum(p.numel() for p in twin.parameters())

    def test_the_ten_parameters_one_by_one(self):
        """ŷ = c + Σ_d v_d φ(w_d x + b_d), with numbers that can be done by hand."""
        network = Network([[1.0, -1.0, 2.0]], [0.0, 1.0, -3.0], [[1.0], [2.0], [-0.5]], [0.25])
        a, h, y_hat = steps(network, [[2.0]])
        np.testing.assert_array_equal(a, [[2.0, -1.0, 1.0]])
        np.testing.assert_array_equal(h, [[2.0, 0.0, 1.0]])
        np.testing.assert_array_equal(y_hat, [[0.25 + 2.0 - 0.5]])
        np.testing.assert_array_equal(active(network, [[2.0]]), [[True, False, True]])
        assert network.sizes == (1, 3, 1)

    @pytest.mark.parametrize("D", [1, 2, 3, 10])
    def test_three_parameters_a_unit_and_one_more(self, D):
        assert parameter_count([1, D, 1]) == 3 * D + 1
        network = random_network(0, 1, D, 1)
        assert sum(one.size for one in (network.W1, network.b1, network.W2, network.b2)) == 3 * D + 1

    def test_relu(self):
        a = np.array([[-2.0, 0.0], [3.0, -0.0]])
        np.testing.assert_array_equal(relu(a), torch.relu(torch.tensor(a)).numpy())

    def test_what_it_learned_belongs_to_it(self):
        W1 = np.ones((1, 2))
        network = Network(W1, [0.0, 0.0], [[1.0], [1.0]], [0.0])
        W1[:] = 7
        assert network([[1.0]])[0, 0] == 2.0
        with pytest.raises(ValueError, match="read-only"):
            network.W1[0, 0] = 3.0

    @settings(max_examples=40)
    @given(seeds, st.integers(0, 3), st.floats(0.1, 5))
    def test_symmetries(self, seed, shift, scale):
        """Units may change places, and a factor may move from a unit's inner to its outer weights."""
        network = random_network(seed, 2, 4, 2)
        order = np.roll(np.arange(4), shift)
        moved = Network(
            scale * network.W1[:, order],
            scale * network.b1[order],
            network.W2[order] / scale,
            network.b2,
        )
        X = np.random.default_rng(seed).standard_normal((9, 2))
        np.testing.assert_allclose(moved(X), network(X), atol=1e-11)

    def test_side_by_side_is_the_weighted_sum(self):
        one, two = random_network(1, 2, 3, 2), random_network(2, 2, 5, 2)
        X = np.random.default_rng(0).standard_normal((6, 2))
        both = side_by_side([one, two], [2.0, -0.5])
        np.testing.assert_allclose(both(X), 2 * one(X) - 0.5 * two(X), atol=1e-12)
        np.testing.assert_allclose(side_by_side([one, two])(X), one(X) + two(X), atol=1e-12)
        assert both.sizes == (2, 8, 2)

    @settings(max_examples=30)
    @given(seeds)
    def test_affine_within_a_region(self, seed):
        network = random_network(seed, 3, 5, 2)
        x = np.random.default_rng(seed).standard_normal((1, 3))
        on = active(network, x)[0]
        A, c = (network.W1 * on) @ network.W2, (network.b1 * on) @ network.W2 + network.b2
        np.testing.assert_allclose(x @ A + c, network(x), atol=1e-12)
        twin = torch_twin(network)
        for k in range(2):
            slope = autograd_gradient(lambda t, k=k: twin(t)[0, k], x)
            np.testing.assert_allclose(A[:, [k]], slope.T, atol=1e-12)


class TestPieces:
    @settings(max_examples=60)
    @given(seeds, st.integers(1, 8), st.integers(1, 2))
    def test_pieces_are_the_network(self, seed, D, D_o):
        network = random_network(seed, 1, D, D_o)
        pieces = linear_pieces(network)
        x = np.linspace(-6, 6, 301)
        where = np.searchsorted(pieces.joints, x)
        by_pieces = pieces.slopes[where] * x[:, None] + pieces.intercepts[where]
        np.testing.assert_allclose(by_pieces, network(x[:, None]), atol=1e-10)

    @settings(max_examples=40)
    @given(seeds, st.integers(1, 6))
    def test_general_networks_have_a_joint_a_unit(self, seed, D):
        pieces = linear_pieces(random_network(seed, 1, D, 1))
        assert len(pieces.joints) == D
        assert pieces.regions == D + 1
        assert (np.diff(pieces.joints) > 0).all()

    @settings(max_examples=30)
    @given(seeds)
    def test_slopes_against_two_references(self, seed):
        network = random_network(seed, 1, 4, 1)
        pieces, twin = linear_pieces(network), torch_twin(network)
        ends = [pieces.joints[0] - 1, *pieces.joints, pieces.joints[-1] + 1]
        for low, high, slope in zip(ends, ends[1:], pieces.slopes[:, 0], strict=False):
            middle, room = (low + high) / 2, (high - low) / 2
            if room < 1e-6:
                continue
            assert slope == pytest.approx(autograd_gradient(lambda t: twin(t).sum(), [[middle]])[0, 0])
            numeric = finite_difference_gradient(
                lambda t: network([[t.item()]])[0, 0], middle, step=room / (8 * max(1, abs(middle)))
            )
            assert slope == pytest.approx(float(numeric), rel=1e-6, abs=1e-6)

    def test_the_jump_is_the_same_for_units_that_face_left_and_right(self):
        for w in (2.0, -2.0):
            pieces = linear_pieces(Network([[w]], [1.0], [[3.0]], [0.0]))
            assert np.diff(pieces.slopes[:, 0]) == pytest.approx([6.0])
            assert pieces.joints == pytest.approx([-1.0 / w])

    def test_joints_that_are_none_and_joints_that_are_shared(self):
        # a unit that never bends, one that is not listened to, two that cancel, and a shared joint
        flat_on = Network([[0.0, 1.0]], [2.0, 0.0], [[3.0], [1.0]], [1.0])
        pieces = linear_pieces(flat_on)
        assert (pieces.regions, pieces.intercepts[0, 0]) == (2, 7.0)
        assert linear_pieces(Network([[0.0]], [-2.0], [[3.0]], [1.0])).regions == 1
        assert linear_pieces(Network([[1.0, 1.0]], [0.0, -1.0], [[0.0], [1.0]], [0.0])).regions == 2
        # φ(x) − φ(−x) = x: a straight line with no joint at all
        line = linear_pieces(Network([[1.0, -1.0]], [0.0, 0.0], [[1.0], [-1.0]], [0.0]))
        assert (line.regions, line.slopes[0, 0]) == (1, 1.0)
        # |x| = φ(x) + φ(−x): two units, one joint
        assert linear_pieces(Network([[1.0, -1.0]], [0.0, 0.0], [[1.0], [1.0]], [0.0])).regions == 2

    def test_sharing_is_judged_without_rounding(self):
        third = Fraction(1, 3)
        one = Network([[3.0, 0.3]], [-1.0, -0.1], [[1.0], [-10.0]], [0.0])
        # −b/w is 1/3 for the first unit but not quite for the second: 0.1 and 0.3 are not tenths in binary.
        exact = {Fraction(1.0) / Fraction(3.0), Fraction(0.1) / Fraction(0.3)}
        assert third in exact
        assert linear_pieces(one).regions == 1 + len(exact)

    def test_outputs_share_joints(self):
        network = random_network(3, 1, 4, 3)
        pieces = linear_pieces(network)
        assert pieces.slopes.shape == (5, 3)
        for k in range(3):
            alone = linear_pieces(Network(network.W1, network.b1, network.W2[:, [k]], network.b2[[k]]))
            np.testing.assert_allclose(alone.joints, pieces.joints)
            np.testing.assert_allclose(alone.slopes[:, 0], pieces.slopes[:, k])

    @settings(max_examples=40)
    @given(seeds, st.integers(1, 6))
    def test_the_first_slope_is_what_some_jumps_will_undo(self, seed, D):
        """Units that face left are on at −∞ and switch off, so the first slope is minus a sum of jumps."""
        network = random_network(seed, 1, D, 1)
        jumps = np.abs(network.W1[0]) * network.W2[:, 0]
        expected = -jumps[network.W1[0] < 0].sum()
        assert linear_pieces(network).slopes[0, 0] == pytest.approx(expected, abs=1e-12)
