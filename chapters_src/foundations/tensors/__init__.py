"""Arrays and what is done with them: contraction, broadcasting, hyperplanes, statistics of a stream."""

from chapters_src.foundations.tensors.broadcasting import broadcast_shape
from chapters_src.foundations.tensors.contraction import einsum, einsum_by_loops
from chapters_src.foundations.tensors.fast import einsum_by_matmul, running_moments_by_blocks
from chapters_src.foundations.tensors.hyperplanes import project, signed_distance
from chapters_src.foundations.tensors.streams import RunningMoments, naive_variance, running_moments

__all__ = [
    "RunningMoments",
    "broadcast_shape",
    "einsum",
    "einsum_by_loops",
    "einsum_by_matmul",
    "naive_variance",
    "project",
    "running_moments",
    "running_moments_by_blocks",
    "signed_distance",
]
