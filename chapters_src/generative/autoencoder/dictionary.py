"""Sparse autoencoders: many features, few of them on, and directions of length one."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from chapters_src.core.contract import checked
from chapters_src.core.device import Device
from chapters_src.core.modules import linear, normal_weights
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, Tensor, ndarray
from chapters_src.generative.autoencoder.rows import of_model
from chapters_src.generative.autoencoder.training_by_epochs import fit_epochs

__all__ = ["SparseAutoencoder", "fit_sparse"]


class SparseAutoencoder(nn.Module):
    """``features`` directions of length one, of which each row is a sum with few weights z ≥ 0.

    z = ReLU((x − b)W + c),  x̂ = b + Σⱼ zⱼvⱼ/‖vⱼ‖                       {eq}`eq-autoencoder-dictionary`

    The directions are divided by their lengths, because otherwise long directions would make a penalty on
    z worthless. The encoder starts as the transpose of the dictionary.
    """

    @checked(d=at_least(1), features=at_least(1))
    def __init__(self, d: int, features: int, *, generator: torch.Generator, device: Device = None) -> None:
        super().__init__()
        self.d, self.features = d, features
        self.V = nn.Parameter(normal_weights((features, d), 1.0, generator, device))
        self.b = nn.Parameter(torch.zeros(d, device=torch.device(device or "cpu")))
        self.encoder = linear(d, features, generator, device=device)
        with torch.no_grad():
            self.encoder.weight.copy_(self.dictionary())

    def dictionary(self) -> Tensor:
        """The directions, one row each, of length one."""
        return nn.functional.normalize(self.V, dim=1)

    @checked(X=of_model)
    def encode(self, X: Float[Tensor, "n {self.d}"]) -> Float[Tensor, "n features"]:
        """How strongly each feature is on."""
        return self._encoded(X)

    def _encoded(self, X: Tensor) -> Tensor:
        return torch.relu(self.encoder(X - self.b))

    @checked(z=of_model)
    def decode(self, z: Float[Tensor, "n {self.features}"]) -> Float[Tensor, "n d"]:
        """The sum of the directions, each as strong as its feature is on."""
        return z @ self.dictionary() + self.b

    @checked(X=of_model, sparsity=at_least(0))
    def penalised_error(self, X: Float[Tensor, "n {self.d}"], sparsity: float) -> Float[Tensor, "n"]:
        """‖x − x̂‖² + λ‖z‖₁ of each row, with λ = ``sparsity`` = 2σ²κ   {eq}`eq-autoencoder-sparse`."""
        return self._penalised_error(X, sparsity)

    def _penalised_error(self, X: Tensor, sparsity: float) -> Tensor:
        z = self._encoded(X)
        return ((z @ self.dictionary() + self.b - X) ** 2).sum(dim=1) + sparsity * z.sum(dim=1)


@checked(X=of_model, epochs=at_least(1), sparsity=at_least(0))
def fit_sparse(
    model: SparseAutoencoder,
    X: Float[Tensor, "n {model.d}"],
    epochs: int,
    *,
    sparsity: float,
    generator: torch.Generator,
    **options: Any,
) -> Float[ndarray, "{epochs}"]:
    """Minimise the mean of `SparseAutoencoder.penalised_error`; see `fit_epochs` for the options."""
    loss = lambda rows: model._penalised_error(rows, sparsity)  # noqa: E731
    return fit_epochs(model, X, loss, epochs, generator=generator, **options)
