"""Slopes by differences, a linear network against exact Bayesian regression, and doubt away from the data."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from chapters_src.core.modules import mlp
from chapters_src.networks.regularisation import laplace_deviation, weight_jacobian


def network():
    return mlp([2, 3, 1], torch.Generator().manual_seed(0), nn.Tanh, dtype=torch.float64)


X = torch.tensor(np.random.default_rng(0).normal(size=(5, 2)))


def test_slopes_by_differences():
    model, columns = network(), []
    slopes = weight_jacobian(model, X)
    with torch.no_grad():
        for parameter in model.parameters():
            for k in range(parameter.numel()):
                before = parameter.view(-1)[k].item()
                ends = []
                for value in (before + 1e-6, before - 1e-6):
                    parameter.view(-1)[k] = value
                    ends.append(model(X)[:, 0].clone())
                parameter.view(-1)[k] = before
                columns.append((ends[0] - ends[1]) / 2e-6)
    np.testing.assert_allclose(slopes, torch.stack(columns, dim=1), atol=1e-8)


def test_for_a_linear_network_it_is_exact():
    model = nn.Linear(2, 1, dtype=torch.float64)
    new = torch.tensor([[0.5, -1.0], [10.0, 3.0]])
    A = np.column_stack([X.numpy(), np.ones(5)])
    B = np.column_stack([new.numpy(), np.ones(2)])
    C = np.linalg.inv(A.T @ A / 0.3 + np.eye(3) / 2.0)
    ours = laplace_deviation(model, X, new.double(), 0.3, 2.0)
    np.testing.assert_allclose(ours**2, np.diag(B @ C @ B.T), rtol=1e-9)


def test_more_data_leave_less_doubt():
    model = network()
    few = laplace_deviation(model, X[:2], X, 0.1, 1.0)
    many = laplace_deviation(model, X, X, 0.1, 1.0)
    assert (many < few).all()
    prior = laplace_deviation(model, X, X, 1e12, 4.0)  # data too noisy to say anything
    np.testing.assert_allclose(prior, 2 * np.linalg.norm(weight_jacobian(model, X), axis=1), rtol=1e-9)


def test_bad_input():
    with pytest.raises(ValueError, match="laplace_deviation: variance must be above 0"):
        laplace_deviation(network(), X, X, 0.0, 1.0)
