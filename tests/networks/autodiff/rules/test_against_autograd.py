"""Every function that HIPS/autograd differentiates: the same derivatives from us, or a refusal in words."""

from __future__ import annotations

import autograd.core
import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad

from chapters_src.networks.autodiff import gradient
from chapters_src.networks.jacobians import jvp
from tests.networks.autodiff.rules.probes import agree, arguments, inputs, loss

A, M, V = (2, 3, 4), (3, 3), (4,)
MASK = np.array([[True, False, True, True], [True, True, False, True], [False, True, True, True]])

# name of the function at autograd -> calls with numpy as n, and the shapes of their arguments
CALLS = {
    "__getitem__": [
        (lambda n, x: x[1, ::2, None], A),
        (lambda n, x: x[[0, 1, 1], :, [3, 3, 0]], A),
        (lambda n, x: x[..., MASK], (2, 3, 4)),
        (lambda n, x: x[-1], V),
    ],
    "absolute": [(lambda n, x: n.abs(x), A), (lambda n, x: abs(x), A)],
    "add": [(lambda n, x, y: x + y, A, V), (lambda n, x, y: n.add(x, y), (3, 1), V)],
    "amax": [(lambda n, x: n.amax(x, axis=-1), A)],
    "amin": [(lambda n, x: n.amin(x, 1, keepdims=True), A)],
    "angle": [(lambda n, x: x * n.angle(x), V)],
    "arccos": [(lambda n, x: n.arccos(n.tanh(x)), A)],
    "arccosh": [(lambda n, x: n.arccosh(1.5 + x * x), A)],
    "arcsin": [(lambda n, x: n.arcsin(n.tanh(x)), A)],
    "arcsinh": [(lambda n, x: n.arcsinh(x), A)],
    "arctan": [(lambda n, x: n.arctan(x), A)],
    "arctan2": [(lambda n, x, y: n.arctan2(x, y), A, V), (lambda n, x: n.arctan2(x, -0.4), V)],
    "arctanh": [(lambda n, x: n.arctanh(0.9 * n.tanh(x)), A)],
    "array_split": [(lambda n, x: n.array_split(x, 3, axis=2), A)],
    "astype": [(lambda n, x: x.astype(np.float64), V)],
    "atleast_1d": [(lambda n, x: n.atleast_1d(x), ()), (lambda n, x: n.atleast_1d(x), V)],
    "atleast_2d": [(lambda n, x: n.atleast_2d(x), V)],
    "atleast_3d": [(lambda n, x: n.atleast_3d(x), (3, 4)), (lambda n, x: n.atleast_3d(x), V)],
    "broadcast_to": [
        (lambda n, x: n.broadcast_to(x, (5, 3, 4)), (1, 3, 4)),
        (lambda n, x: n.broadcast_to(x, A), A),
    ],
    "cholesky": [
        (lambda n, x: n.linalg.cholesky(x @ x.T + n.eye(3)), M),
        (lambda n, x: n.linalg.cholesky(x @ n.swapaxes(x, 1, 2) + n.eye(3)), (2, 3, 4)),
    ],
    "clip": [(lambda n, x: n.clip(x, -0.4, 0.6), A), (lambda n, x: x.clip(-0.4, 0.6), A)],
    "concatenate_args": [
        (lambda n, x, y: n.concatenate([x, y], axis=1), (2, 3), (2, 2)),
        (lambda n, x, y: n.concatenate((x, y)), V, (2,)),
        (lambda n, x: n.concatenate([x, np.ones((1, 4))]), (3, 4)),
        (lambda n, x, y: n.stack([x, y], axis=-1), V, V),
        (lambda n, x, y: n.vstack([x, y]), V, (2, 4)),
        (lambda n, x, y: n.hstack([x, y]), V, (2,)),
        (lambda n, x, y: n.hstack([x, y]), (2, 3), (2, 2)),
        (lambda n, x, y: n.column_stack([x, y]), V, (4, 2)),
        (lambda n, x, y: n.append(x, y), (2, 3), V),
        (lambda n, x, y: n.append(x, y, axis=0), (2, 3), (1, 3)),
    ],
    "conjugate": [(lambda n, x: n.conj(x), V)],
    "cos": [(lambda n, x: n.cos(x), A)],
    "cosh": [(lambda n, x: n.cosh(x), A)],
    "cross": [
        (lambda n, x, y: n.cross(x, y), (2, 3), (2, 3)),
        (lambda n, x, y: n.cross(x, y, axis=0), (3, 2), (3, 2)),
        (lambda n, x, y: n.cross(x, y, 0, 1, 0), (3, 2), (2, 3)),
    ],
    "cumsum": [
        (lambda n, x: n.cumsum(x), A),
        (lambda n, x: n.cumsum(x, axis=-2), A),
        (lambda n, x: x.cumsum(0), A),
    ],
    "deg2rad": [(lambda n, x: n.deg2rad(x), V)],
    "degrees": [(lambda n, x: n.degrees(x), V)],
    "det": [(lambda n, x: n.linalg.det(x), M), (lambda n, x: n.linalg.det(x), (2, 3, 3))],
    "diag": [(lambda n, x: n.diag(x), V), (lambda n, x: n.diag(x, k=-1), V), (lambda n, x: n.diag(x, 1), M)],
    "diagonal": [
        (lambda n, x: n.diagonal(x, axis1=-1, axis2=-2), (2, 3, 3)),
        (lambda n, x: n.diagonal(x, 0, -1, -2), (2, 4, 4)),
    ],
    "diff": [(lambda n, x: n.diff(x), A), (lambda n, x: n.diff(x, 2, axis=1), A)],
    "divide": [(lambda n, x, y: x / (2 + y * y), A, V), (lambda n, x: 1 / x, V)],
    "dot": [
        (lambda n, x, y: n.dot(x, y), (3,), (3,)),
        (lambda n, x, y: n.dot(x, y), A, V),
        (lambda n, x, y: n.dot(x, y), (2, 3), (4, 3, 2)),
        (lambda n, x, y: n.dot(x, y), A, (4, 2)),
        (lambda n, x, y: n.dot(x, y), (), (2, 3)),
        (lambda n, x, y: n.dot(x, y), (3,), (2, 3, 2)),
    ],
    "dsplit": [(lambda n, x: n.dsplit(x, 2), A)],
    "eigh": [
        (lambda n, x: n.linalg.eigh(x + x.T)[0], M),
        (lambda n, x: n.linalg.eigh(n.transpose(x, (0, 2, 1)) + x)[0], (2, 3, 3)),
        (lambda n, x: n.linalg.eigh(x + x.T)[1] ** 2, (4, 4)),
    ],
    "einsum": [
        (lambda n, x, y: n.einsum("ij,jk->ik", x, y), (2, 3), (3, 4)),
        (lambda n, x, y: n.einsum("ij,jk", x, y), (2, 3), (3, 4)),
        (lambda n, x, y: n.einsum("...j,...j->...", x, y), A, V),
        (lambda n, x, y: n.einsum("ijk,lk->il", x, y), A, (5, 4)),
        (lambda n, x: n.einsum("ijk->k", x), A),
        (lambda n, x: n.einsum("i...->...", x), A),
        (lambda n, x, y, z: n.einsum("i,j,k->kij", x, y, z), (2,), (3,), V),
        (lambda n, x, y: n.einsum(x, [0, 1], y, [1, 2], [2, 0]), (2, 3), (3, 4)),
        (lambda n, x, y: n.einsum("ij,ij->", x, y), (2, 3), (2, 3)),
    ],
    "exp": [(lambda n, x: n.exp(x), A)],
    "exp2": [(lambda n, x: n.exp2(x), A)],
    "expand_dims": [(lambda n, x: n.expand_dims(x, -2), A), (lambda n, x: n.expand_dims(x, axis=(0, 2)), V)],
    "expm1": [(lambda n, x: n.expm1(x), A)],
    "fabs": [(lambda n, x: n.fabs(x), A)],
    "fftshift": [(lambda n, x: n.fft.fftshift(x), A), (lambda n, x: n.fft.fftshift(x, axes=1), A)],
    "fliplr": [(lambda n, x: n.fliplr(x), A)],
    "flipud": [(lambda n, x: n.flipud(x), A)],
    "fmax": [(lambda n, x, y: n.fmax(x, y), A, V)],
    "fmin": [(lambda n, x, y: n.fmin(x, y), A, V)],
    "hsplit": [(lambda n, x: n.hsplit(x, [1, 2]), A)],
    "hypot": [(lambda n, x, y: n.hypot(x, y), A, V)],
    "ifftshift": [(lambda n, x: n.fft.ifftshift(x), A)],
    "imag": [(lambda n, x: x + n.imag(x), V)],
    "inner": [
        (lambda n, x, y: n.inner(x, y), V, V),
        (lambda n, x, y: n.inner(x, y), A, (5, 4)),
        (lambda n, x, y: n.inner(x, y), (), V),
    ],
    "inv": [(lambda n, x: n.linalg.inv(x), M), (lambda n, x: n.linalg.inv(x), (2, 3, 3))],
    "kron": [(lambda n, x, y: n.kron(x, y), (2, 3), (3, 2)), (lambda n, x, y: n.kron(x, y), (2,), (3,))],
    "linspace": [(lambda n, x, y: n.linspace(x, y, 5), (), ())],
    "log": [(lambda n, x: n.log(x * x + 0.2), A)],
    "log10": [(lambda n, x: n.log10(x * x + 0.2), A)],
    "log1p": [(lambda n, x: n.log1p(x * x), A)],
    "log2": [(lambda n, x: n.log2(x * x + 0.2), A)],
    "logaddexp": [(lambda n, x, y: n.logaddexp(x, y), A, V)],
    "logaddexp2": [(lambda n, x, y: n.logaddexp2(x, y), A, V)],
    "matmul": [
        (lambda n, x, y: x @ y, A, (4, 2)),
        (lambda n, x, y: n.matmul(x, y), A, (2, 4, 2)),
        (lambda n, x, y: x @ y, V, V),
        (lambda n, x, y: x @ y, V, (2, 4, 3)),
    ],
    "max": [(lambda n, x: n.max(x), A), (lambda n, x: n.max(x, axis=(0, 2)), A), (lambda n, x: x.max(1), A)],
    "maximum": [(lambda n, x, y: n.maximum(x, y), A, V), (lambda n, x: n.maximum(x, 0.1), V)],
    "mean": [
        (lambda n, x: n.mean(x), A),
        (lambda n, x: n.mean(x, axis=(0, -1)), A),
        (lambda n, x: x.mean(1, keepdims=True), A),
    ],
    "min": [(lambda n, x: n.min(x, axis=-1), A), (lambda n, x: x.min(), A)],
    "minimum": [(lambda n, x, y: n.minimum(x, y), A, V)],
    "moveaxis": [(lambda n, x: n.moveaxis(x, 0, -1), A), (lambda n, x: n.moveaxis(x, (0, 1), (2, 0)), A)],
    "multiply": [(lambda n, x, y: x * y, A, V), (lambda n, x: x * [1.0, 2.0, 3.0, 4.0], V)],
    "nan_to_num": [(lambda n, x: n.nan_to_num(x), A)],
    "negative": [(lambda n, x: -x, A)],
    "norm": [
        (lambda n, x: n.linalg.norm(x), A),
        (lambda n, x: n.linalg.norm(x, axis=1), A),
        (lambda n, x: n.linalg.norm(x, 3, 0), A),
        (lambda n, x: n.linalg.norm(x, ord="fro", axis=(0, 1)), A),
        (lambda n, x: n.linalg.norm(x, "nuc"), (3, 4)),
    ],
    "outer": [(lambda n, x, y: n.outer(x, y), (3,), V)],
    "pad": [
        (lambda n, x: n.pad(x, ((1, 2), (0, 1), (2, 0)), "constant"), A),
        (lambda n, x: n.pad(x, 2, mode="constant", constant_values=0.7), V),
    ],
    "pinv": [(lambda n, x: n.linalg.pinv(x), (3, 4)), (lambda n, x: n.linalg.pinv(x), (4, 2))],
    "power": [
        (lambda n, x: x**3, A),
        (lambda n, x, y: (x * x + 0.5) ** y, A, V),
        (lambda n, x: 2.0**x, V),
        (lambda n, x: n.power(x, np.array([0, 1, 2, 3])), V),
    ],
    "prod": [
        (lambda n, x: n.prod(x), (2, 3)),
        (lambda n, x: n.prod(x, axis=1), (2, 3)),
        (lambda n, x: x.prod(axis=0, keepdims=True), (3, 2)),
    ],
    "rad2deg": [(lambda n, x: n.rad2deg(0.1 * x), V)],
    "radians": [(lambda n, x: n.radians(x), V)],
    "ravel": [
        (lambda n, x: n.ravel(x), A),
        (lambda n, x: n.ravel(x, order="F"), A),
        (lambda n, x: x.ravel(), A),
    ],
    "real": [(lambda n, x: n.real(x), V)],
    "real_if_close": [(lambda n, x: n.real_if_close(x), V)],
    "reciprocal": [(lambda n, x: n.reciprocal(x), V)],
    "remainder": [(lambda n, x, y: n.remainder(x, y), A, V), (lambda n, x: x % 0.3, A)],
    "repeat": [
        (lambda n, x: n.repeat(x, 2), A),
        (lambda n, x: n.repeat(x, 3, axis=1), A),
        (lambda n, x: x.repeat(2, 0), A),
    ],
    "reshape": [
        (lambda n, x: n.reshape(x, (4, -1), order="F"), A),
        (lambda n, x: x.reshape(4, 6), A),
        (lambda n, x: x.reshape((4, 6)), A),
    ],
    "roll": [(lambda n, x: n.roll(x, 2), A), (lambda n, x: n.roll(x, -1, axis=1), A)],
    "rollaxis": [(lambda n, x: n.rollaxis(x, 2, 1), A)],
    "rot90": [(lambda n, x: n.rot90(x), (3, 4)), (lambda n, x: n.rot90(x, 3), A)],
    "sin": [(lambda n, x: n.sin(x), A)],
    "sinc": [(lambda n, x: n.sinc(x), A)],
    "sinh": [(lambda n, x: n.sinh(x), A)],
    "slogdet": [(lambda n, x: n.linalg.slogdet(x)[1], M), (lambda n, x: n.linalg.slogdet(x)[1], (2, 3, 3))],
    "solve": [
        (lambda n, x, y: n.linalg.solve(x, y), M, (3,)),
        (lambda n, x, y: n.linalg.solve(x, y), M, (3, 2)),
        (lambda n, x, y: n.linalg.solve(x, y), (2, 3, 3), (2, 3, 4)),
    ],
    "sort": [(lambda n, x: n.sort(x), V)],
    "split": [(lambda n, x: n.split(x, 3, 1), A), (lambda n, x: n.split(x, [1, 3], axis=-1), A)],
    "sqrt": [(lambda n, x: n.sqrt(x * x + 0.1), A)],
    "square": [(lambda n, x: n.square(x), A)],
    "squeeze": [(lambda n, x: n.squeeze(x), (1, 3, 1)), (lambda n, x: n.squeeze(x, axis=0), (1, 3, 1))],
    "std": [(lambda n, x: n.std(x), A), (lambda n, x: n.std(x, axis=(0, 1), ddof=1, keepdims=True), A)],
    "subtract": [(lambda n, x, y: x - y, V, A), (lambda n, x: 1 - x, V)],
    "sum": [
        (lambda n, x: n.sum(x), A),
        (lambda n, x: n.sum(x, axis=(0, -1), keepdims=True), A),
        (lambda n, x: x.sum(-1), A),
    ],
    "svd": [
        (lambda n, x: n.linalg.svd(x, full_matrices=False)[1], (3, 4)),
        (lambda n, x: n.linalg.svd(x, compute_uv=False), (4, 3)),
        (lambda n, x: [n.linalg.svd(x, full_matrices=False)[i] ** 2 for i in range(3)], (4, 3)),
        (lambda n, x: [n.linalg.svd(x, full_matrices=False)[i] ** 2 for i in range(3)], (2, 2, 3)),
    ],
    "swapaxes": [(lambda n, x: n.swapaxes(x, 0, -1), A), (lambda n, x: x.swapaxes(1, 2), A)],
    "tan": [(lambda n, x: n.tan(0.3 * x), A)],
    "tanh": [(lambda n, x: n.tanh(x), A)],
    "tensordot": [
        (lambda n, x, y: n.tensordot(x, y), A, (3, 4, 2)),
        (lambda n, x, y: n.tensordot(x, y, axes=1), A, (4, 2)),
        (lambda n, x, y: n.tensordot(x, y, ((2, 0), (0, 1))), A, (4, 2, 3)),
        (lambda n, x, y: n.tensordot(x, y, axes=0), (2, 3), V),
    ],
    "tile": [(lambda n, x: n.tile(x, (2, 1, 3)), A), (lambda n, x: n.tile(x, 2), V)],
    "trace": [(lambda n, x: n.trace(x), (3, 4)), (lambda n, x: x.trace(offset=1), (3, 3))],
    "transpose": [
        (lambda n, x: n.transpose(x), A),
        (lambda n, x: n.transpose(x, (1, 2, 0)), A),
        (lambda n, x: x.T, A),
    ],
    "tril": [(lambda n, x: n.tril(x), A), (lambda n, x: n.tril(x, k=-1), M)],
    "triu": [(lambda n, x: n.triu(x, 1), A)],
    "var": [(lambda n, x: n.var(x), A), (lambda n, x: x.var(axis=1), A)],
    "vsplit": [(lambda n, x: n.vsplit(x, 2), A)],
    "where": [
        (lambda n, x, y: n.where(MASK, x, y), (3, 4), (3, 4)),
        (lambda n, x: n.where(x > 0, x, x**2), A),
    ],
}

REFUSED = {
    "array_from_args": lambda x: np.array([x, x]),
    "eig": lambda x: np.linalg.eig(x),
    "full": lambda x: np.full((2, 3, 3), x),
    "gradient": lambda x: np.gradient(x),
    "partition": lambda x: np.partition(x, 1),
} | {
    name: lambda x, name=name: getattr(np.fft, name)(x)
    for name in [f"{kind}{axes}" for kind in ("fft", "ifft", "rfft", "irfft") for axes in ("", "2", "n")]
}

# Parts of autograd's own machinery, which have no name in numpy.
MACHINERY = {
    "_array_from_scalar_or_array",
    "_make_dict",
    "container_take",
    "container_untake",
    "covector",
    "dot_adjoint_0",
    "dot_adjoint_1",
    "inner_prod",
    "make_diagonal",
    "make_sequence",
    "mut_add",
    "scalar_mul",
    "sequence_extend_left",
    "sequence_extend_right",
    "sparse_add",
    "tensordot_adjoint_0",
    "tensordot_adjoint_1",
    "truncate_pad",
    "untake",
}


def test_nothing_that_autograd_differentiates_is_left_out():
    theirs = {function.__name__ for function in autograd.core.primitive_vjps} - MACHINERY
    assert theirs == CALLS.keys() | REFUSED.keys()
    assert not CALLS.keys() & REFUSED.keys()
    assert len(CALLS) > 2 / 3 * len(theirs)


@pytest.mark.parametrize(
    ("f", "shapes"),
    [
        pytest.param(f, shapes, id=f"{name}-{i}")
        for name, calls in CALLS.items()
        for i, (f, *shapes) in enumerate(calls)
    ],
)
def test_value_slope_and_curvature(f, shapes):
    z, v = inputs(shapes)

    def theirs(z):
        return loss(anp, f(anp, *arguments(z, shapes)))

    slope = grad(theirs)
    curvature = grad(lambda z: anp.sum(slope(z) * v))(z)
    agree(f, shapes, loss(np, f(np, *arguments(z, shapes))), slope(z), curvature)


@pytest.mark.parametrize("name", REFUSED)
def test_the_rest_is_refused_in_words(name):
    x = np.arange(9.0).reshape(3, 3) + np.eye(3)
    for run in (
        lambda: gradient(lambda x: np.sum(REFUSED[name](x)))(x),
        lambda: jvp(REFUSED[name], (x,), (x,)),
    ):
        with pytest.raises(ValueError, match=r"^\w+: a (function of tensors|tensor) must .*; got "):
            run()
