"""The same small template at every place: convolution, pooling, and their transposes."""

from chapters_src.networks.convolution.adjoint import convolution_matrix, transposed_convolution
from chapters_src.networks.convolution.columns import col2im, convolution, convolution_gradients, im2col
from chapters_src.networks.convolution.loops import convolution_by_loops, sliding_dot_product
from chapters_src.networks.convolution.pooling import pool
from chapters_src.networks.convolution.relatives import graph_convolution, sliding_dot_product_by_fft
from chapters_src.networks.convolution.sizes import (
    Window,
    convolution_parameters,
    output_size,
    receptive_field,
    transposed_size,
)

__all__ = [
    "Window",
    "col2im",
    "convolution",
    "convolution_by_loops",
    "convolution_gradients",
    "convolution_matrix",
    "convolution_parameters",
    "graph_convolution",
    "im2col",
    "output_size",
    "pool",
    "receptive_field",
    "sliding_dot_product",
    "sliding_dot_product_by_fft",
    "transposed_convolution",
    "transposed_size",
]
