"""Kernels: linear methods in spaces of features that nobody writes down."""

from chapters_src.models.kernels.fast import kernel_machine_fast
from chapters_src.models.kernels.machines import kernel_machine
from chapters_src.models.kernels.regression import Band, gaussian_process, kernel_ridge
from chapters_src.models.kernels.similarities import (
    gaussian_kernel,
    polynomial_kernel,
    quadratic_features,
    spectrum_kernel,
)

__all__ = [
    "Band",
    "gaussian_kernel",
    "gaussian_process",
    "kernel_machine",
    "kernel_machine_fast",
    "kernel_ridge",
    "polynomial_kernel",
    "quadratic_features",
    "spectrum_kernel",
]
