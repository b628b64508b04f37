"""The rules by which numpy's functions are differentiated; to import them is to have them."""

from chapters_src.networks.autodiff.forms import kept, linear, unbroadcast
from chapters_src.networks.autodiff.rules import elementwise, linalg, methods, products, reductions, spectra
from chapters_src.networks.autodiff.rules.networks import (
    log_softmax,
    logsumexp,
    relu,
    sigmoid,
    softmax,
    softplus,
)
from chapters_src.networks.autodiff.rules.shapes import scatter

__all__ = [
    "elementwise",
    "kept",
    "linalg",
    "linear",
    "log_softmax",
    "logsumexp",
    "methods",
    "products",
    "reductions",
    "relu",
    "scatter",
    "sigmoid",
    "softmax",
    "softplus",
    "spectra",
    "unbroadcast",
]
