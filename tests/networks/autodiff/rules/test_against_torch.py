"""The rules against torch: where autograd has none or is wrong, and once more where both have one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.networks.autodiff.rules.probes import agree, arguments, inputs, loss

A, M, V = (2, 3, 4), (3, 3), (4,)
MASK = np.array([[True, False, True, True], [True, True, False, True], [False, True, True, True]])
T_MASK = torch.tensor(MASK)


def t_total(x, mask):
    return torch.where(mask, x, 0.0)


def symmetric(x):
    return x + x.mT if isinstance(x, torch.Tensor) else x + np.swapaxes(x, -1, -2)


def positive(x):
    own = torch.eye(x.shape[-2]) if isinstance(x, torch.Tensor) else np.eye(x.shape[-2])
    turned = x.mT if isinstance(x, torch.Tensor) else np.swapaxes(x, -1, -2)
    return x @ turned + own


# name -> with numpy, with torch, the shapes of the arguments
CASES = {
    "times list": (lambda x: x * [1, 2, 3, 4], lambda x: x * torch.tensor([1, 2, 3, 4]), A),
    "power list": (lambda x: x ** [2, 3], lambda x: x ** torch.tensor([2, 3]), (3, 2)),
    "power array": (lambda x, y: np.exp(x) ** y, lambda x, y: torch.exp(x) ** y, A, (3, 1)),
    "float_power": (lambda x: np.float_power(x, 3), lambda x: x**3, V),
    "remainder": (lambda x, y: x % y, torch.remainder, A, V),
    "fmod": (lambda x, y: np.fmod(x, y), torch.fmod, A, V),
    "hypot": (lambda x, y: np.hypot(x, y), torch.hypot, A, (3, 1)),
    "arctan2": (lambda x, y: np.arctan2(x, y), torch.arctan2, A, (3, 1)),
    "cbrt": (lambda x: np.cbrt(1 + x * x), lambda x: (1 + x * x) ** (1 / 3), V),
    "log2": (lambda x: np.log2(1 + x * x), lambda x: torch.log2(1 + x * x), A),
    "log10": (lambda x: np.log10(1 + x * x), lambda x: torch.log10(1 + x * x), A),
    "exp2": (lambda x: np.exp2(x), torch.exp2, A),
    "arcsin": (lambda x: np.arcsin(np.tanh(x)), lambda x: torch.arcsin(torch.tanh(x)), A),
    "arccos": (lambda x: np.arccos(np.tanh(x)), lambda x: torch.arccos(torch.tanh(x)), A),
    "arccosh": (lambda x: np.arccosh(1.1 + x * x), lambda x: torch.arccosh(1.1 + x * x), A),
    "arcsinh": (lambda x: np.arcsinh(x), torch.arcsinh, A),
    "arctanh": (lambda x: np.arctanh(np.sin(x)), lambda x: torch.arctanh(torch.sin(x)), V),
    "sinc": (lambda x: np.sinc(x), torch.sinc, A),
    "sinc near zero": (lambda x: np.sinc(0.01 * x), lambda x: torch.sinc(0.01 * x), A),
    "fmax": (lambda x, y: np.fmax(x, y), torch.fmax, A, V),
    "where": (lambda x, y: np.where(MASK, x, y), lambda x, y: torch.where(T_MASK, x, y), A, V),
    "clip names": (lambda x: np.clip(x, a_min=-0.3, a_max=None), lambda x: torch.clamp(x, min=-0.3), A),
    "clip new names": (lambda x: np.clip(x, min=-0.3, max=0.4), lambda x: torch.clamp(x, -0.3, 0.4), A),
    "clip by arrays": (lambda x, y: np.clip(x, y, None), torch.maximum, A, V),
    "clip method": (lambda x: x.clip(max=0.2), lambda x: torch.clamp(x, max=0.2), A),
    "steps": (
        lambda x: x * (np.floor(x) + np.round(x, 1) + x.round() + np.trunc(x) + x // 0.3 + np.sign(x)),
        lambda x: (
            x
            * (
                x.floor()
                + x.round(decimals=1)
                + x.round()
                + x.trunc()
                + x.div(0.3, rounding_mode="floor")
                + x.sign()
            ).detach()
        ),
        A,
    ),
    "astype int": (lambda x: x * x.astype(int), lambda x: x * x.long(), A),
    "astype bool": (lambda x: x * x.astype(bool), lambda x: x, A),
    "full_like": (lambda x, y: np.full_like(x, y) * x, lambda x, y: x * y, A, ()),
    "linspace": (
        lambda x, y: np.linspace(x, y, 4, endpoint=False),
        lambda x, y: torch.stack([x + (y - x) * i / 4 for i in range(4)]),
        V,
        V,
    ),
    # shapes
    "reshape F": (lambda x: np.reshape(x, (4, 6), "F"), lambda x: x.permute(2, 1, 0).reshape(6, 4).T, A),
    "reshape names": (lambda x: np.reshape(x, shape=(4, 6), order="C"), lambda x: x.reshape(4, 6), A),
    "reshape method": (
        lambda x: x.reshape(4, -1, order="F"),
        lambda x: x.permute(2, 1, 0).reshape(6, 4).T,
        A,
    ),
    "ravel F": (lambda x: x.ravel(order="F"), lambda x: x.permute(2, 1, 0).reshape(-1), A),
    "flatten": (lambda x: x.flatten("F"), lambda x: x.permute(2, 1, 0).reshape(-1), A),
    "copy": (lambda x: x.copy() + np.copy(x), lambda x: 2 * x, A),
    "transpose": (
        lambda x: x.transpose(1, -1, 0) + x.transpose((1, 2, 0)),
        lambda x: 2 * x.permute(1, 2, 0),
        A,
    ),
    "transpose names": (lambda x: np.transpose(x, axes=[2, 0, 1]), lambda x: x.permute(2, 0, 1), A),
    "mT": (lambda x: x.mT, lambda x: x.mT, A),
    "swapaxes names": (lambda x: np.swapaxes(x, axis1=0, axis2=-1), lambda x: x.transpose(0, -1), A),
    "moveaxis": (lambda x: np.moveaxis(x, source=-1, destination=0), lambda x: torch.movedim(x, -1, 0), A),
    "broadcast_to": (lambda x: np.broadcast_to(x, (5, 3, 4)), lambda x: x.expand(5, 3, 4), (3, 1)),
    "broadcast_arrays": (
        lambda x, y: np.broadcast_arrays(x, y),
        lambda x, y: torch.broadcast_tensors(x, y),
        A,
        V,
    ),
    "expand_dims": (lambda x: np.expand_dims(x, axis=(0, -1)), lambda x: x[None, ..., None], A),
    "squeeze": (lambda x: x.squeeze(axis=(0, -1)), lambda x: x[0, :, 0], (1, 3, 1)),
    "take": (lambda x: np.take(x, [2, 0, 2], axis=1), lambda x: x[:, [2, 0, 2]], A),
    "take flat": (
        lambda x: x.take([[5, 0], [5, 1]]),
        lambda x: x.reshape(-1)[torch.tensor([[5, 0], [5, 1]])],
        A,
    ),
    "take wrap": (lambda x: np.take(x, [7, -9], mode="wrap"), lambda x: x[[3, 3]], V),
    "take_along_axis": (
        lambda x: np.take_along_axis(x, np.array([[0], [2], [2]]), 1),
        lambda x: torch.take_along_dim(x, torch.tensor([[0], [2], [2]]), 1),
        (3, 4),
    ),
    "compress": (lambda x: np.compress([True, False, True], x, axis=1), lambda x: x[:, [0, 2]], A),
    "compress method": (lambda x: x.compress([True, False, True], axis=1), lambda x: x[:, [0, 2]], A),
    "delete": (lambda x: np.delete(x, 1, axis=1), lambda x: x[:, [0, 2]], A),
    "repeat": (lambda x: np.repeat(x, [1, 0, 2], axis=1), lambda x: x[:, [0, 2, 2]], A),
    "repeat flat": (lambda x: x.repeat(2), lambda x: x.reshape(-1).repeat_interleave(2), A),
    "tile": (lambda x: np.tile(x, reps=(2, 1, 2)), lambda x: x.tile(2, 1, 2), (3, 4)),
    "roll": (lambda x: np.roll(x, (1, -2), axis=(0, 2)), lambda x: x.roll((1, -2), (0, 2)), A),
    "roll flat": (lambda x: np.roll(x, shift=5), lambda x: x.reshape(-1).roll(5).reshape(A), A),
    "flip": (lambda x: np.flip(x, axis=(0, -1)), lambda x: x.flip(0, 2), A),
    "flip all": (lambda x: np.flip(x), lambda x: x.flip(0, 1, 2), A),
    "rot90": (lambda x: np.rot90(x, axes=(1, 2)), lambda x: x.rot90(1, (1, 2)), A),
    "diag": (lambda x: np.diag(x, -2), lambda x: torch.diag(x, -2), V),
    "diag of matrix": (lambda x: np.diag(x, 1), lambda x: torch.diag(x, 1), (3, 4)),
    "diagonal": (lambda x: x.diagonal(1, 1, 2), lambda x: x.diagonal(1, 1, 2), A),
    "trace": (lambda x: np.trace(x, axis1=1, axis2=2), lambda x: x.diagonal(0, 1, 2).sum(-1), A),
    "tril": (lambda x: np.tril(x, 1), lambda x: x.tril(1), A),
    "triu": (lambda x: np.triu(x, k=-1), lambda x: x.triu(-1), A),
    "pad edge": (
        lambda x: np.pad(x, ((1, 2), (0, 1)), "edge"),
        lambda x: torch.nn.functional.pad(x[None], (0, 1, 1, 2), "replicate")[0],
        (3, 4),
    ),
    "pad reflect": (
        lambda x: np.pad(x, 2, mode="reflect"),
        lambda x: torch.nn.functional.pad(x[None], (2, 2), "reflect")[0],
        V,
    ),
    "pad constants": (
        lambda x: np.pad(x, (1, 2), constant_values=(5.0, 6.0)),
        lambda x: torch.cat([torch.tensor([5.0]), x, torch.tensor([6.0, 6.0])]),
        V,
    ),
    "diff": (lambda x: np.diff(x, n=2, axis=-2), lambda x: x.diff(2, -2), (2, 4, 3)),
    "diff ends": (
        lambda x: np.diff(x, prepend=1.0, append=x[..., :2]),
        lambda x: x.diff(prepend=torch.ones(2, 3, 1), append=x[..., :2]),
        A,
    ),
    "sort": (lambda x: np.sort(x, axis=1), lambda x: x.sort(1)[0], A),
    "sort flat": (lambda x: np.sort(x, axis=None), lambda x: x.reshape(-1).sort()[0], A),
    "stack": (lambda x, y: np.stack((x, y), axis=1), lambda x, y: torch.stack((x, y), 1), A, A),
    "concatenate flat": (
        lambda x, y: np.concatenate([x, y], axis=None),
        lambda x, y: torch.cat([x.reshape(-1), y.reshape(-1)]),
        A,
        V,
    ),
    "vstack": (lambda x, y: np.vstack([x, y]), lambda x, y: torch.vstack([x, y]), V, (2, 4)),
    "hstack": (lambda x, y: np.hstack([x, y]), lambda x, y: torch.hstack([x, y]), A, (2, 1, 4)),
    "dstack": (lambda x, y: np.dstack([x, y]), lambda x, y: torch.dstack([x, y]), V, V),
    "column_stack": (
        lambda x, y: np.column_stack([x, y]),
        lambda x, y: torch.column_stack([x, y]),
        V,
        (4, 2),
    ),
    "split": (lambda x: np.split(x, [1, 3], axis=-1), lambda x: torch.tensor_split(x, [1, 3], -1), A),
    "windows": (
        lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=1),
        lambda x: x.unfold(1, 2, 1),
        A,
    ),
    # reductions
    "sum where": (
        lambda x: np.sum(x, 0, where=MASK, initial=2.0),
        lambda x: t_total(x, T_MASK).sum(0) + 2,
        A,
    ),
    "sum positions": (lambda x: np.sum(x, 1, None, None, True), lambda x: x.sum(1, keepdim=True), A),
    "sum name": (lambda x: np.sum(a=x, axis=-1), lambda x: x.sum(-1), A),
    "sum method": (lambda x: x.sum((0, -1), keepdims=True), lambda x: x.sum((0, -1), keepdim=True), A),
    "mean where": (
        lambda x: np.mean(x, axis=1, where=MASK),
        lambda x: t_total(x, T_MASK).sum(1) / T_MASK.sum(0),
        A,
    ),
    "mean method": (lambda x: x.mean(axis=(0, 2)), lambda x: x.mean((0, 2)), A),
    "average": (
        lambda x, y: np.average(x, axis=-1, weights=np.exp(y)),
        lambda x, y: (x * y.exp()).sum(-1) / y.exp().sum(),
        A,
        V,
    ),
    "var": (lambda x: x.var(-1, ddof=1, keepdims=True), lambda x: x.var(-1, correction=1, keepdim=True), A),
    "var names": (lambda x: np.var(x, axis=(0, 1), correction=2), lambda x: x.var((0, 1), correction=2), A),
    "var where": (
        lambda x: np.var(x, 1, where=MASK),
        lambda x: (
            t_total((x - (t_total(x, T_MASK).sum(1) / T_MASK.sum(0))[:, None]) ** 2, T_MASK).sum(1)
            / T_MASK.sum(0)
        ),
        A,
    ),
    "std": (lambda x: x.std(), lambda x: x.std(correction=0), A),
    "std positions": (lambda x: np.std(x, 0, None, None, 1), lambda x: x.std(0, correction=1), A),
    "max": (lambda x: x.max(axis=(0, -1), keepdims=True), lambda x: x.amax((0, -1), keepdim=True), A),
    "max ties": (
        lambda x: np.max(np.stack([x, x, 0 * x]), 0),
        lambda x: torch.stack([x, x, 0 * x]).amax(0),
        V,
    ),
    "max start": (lambda x: np.max(x, 1, initial=0.5), lambda x: torch.clamp(x.amax(1), min=0.5), A),
    "max where": (
        lambda x: np.max(x, axis=1, where=MASK, initial=-9.0),
        lambda x: torch.where(T_MASK, x, -9.0).amax(1),
        A,
    ),
    "min": (lambda x: x.min(1), lambda x: x.amin(1), A),
    "ptp": (lambda x: np.ptp(x, axis=1), lambda x: x.amax(1) - x.amin(1), A),
    "prod": (lambda x: np.prod(x, axis=(0, 2)), lambda x: x.prod(2).prod(0), A),
    "prod all": (lambda x: x.prod(), lambda x: x.prod(), A),
    "prod kept": (lambda x: x.prod(-2, keepdims=True), lambda x: x.prod(-2, keepdim=True), A),
    "prod zero": (
        lambda x: np.prod(x * [1, 0, 1, 1], axis=-1),
        lambda x: (x * torch.tensor([1, 0, 1, 1])).prod(-1),
        A,
    ),
    "prod zeros": (
        lambda x: np.prod(x * [0, 0, 1, 1], axis=-1),
        lambda x: (lambda y: y[..., 0] * y[..., 1] * y[..., 2] * y[..., 3])(x * torch.tensor([0, 0, 1, 1])),
        A,
    ),
    "cumsum": (lambda x: x.cumsum(axis=-2), lambda x: x.cumsum(-2), A),
    "cumsum flat": (lambda x: np.cumsum(x), lambda x: x.reshape(-1).cumsum(0), A),
    "cumprod": (lambda x: np.cumprod(x, axis=-1), lambda x: x.cumprod(-1), (2, 7)),
    "cumprod zero": (
        lambda x: np.cumprod(x * [1, 0, 1, 1], 1),
        lambda x: torch.stack([(x * torch.tensor([1, 0, 1, 1]))[:, : i + 1].prod(1) for i in range(4)], 1),
        (3, 4),
    ),
    # products
    "einsum diagonal": (lambda x: np.einsum("iij->ij", x), lambda x: torch.einsum("iij->ij", x), (3, 3, 2)),
    "einsum trace": (
        lambda x, y: np.einsum("ii,jk->k", x, y),
        lambda x, y: torch.einsum("ii,jk->k", x, y),
        M,
        (2, 4),
    ),
    "einsum batches": (
        lambda x, y: np.einsum("...ij,...jk->...ik", x, y),
        lambda x, y: torch.einsum("...ij,...jk->...ik", x, y),
        (5, 1, 2, 3),
        (4, 3, 2),
    ),
    "einsum repeated": (
        lambda x, y: np.einsum("ij,ij->j", x, y),
        lambda x, y: (x * y).sum(0),
        (1, 3),
        (2, 3),
    ),
    "einsum alone": (
        lambda x, y: np.einsum("ij,kl->jl", x, y),
        lambda x, y: torch.einsum("ij,kl->jl", x, y),
        M,
        (2, 4),
    ),
    "einsum of three": (
        lambda x, y, z: np.einsum("ij,jk,kl->il", x, y, z, optimize=True),
        lambda x, y, z: x @ y @ z,
        (2, 3),
        (3, 4),
        (4, 2),
    ),
    "einsum constant": (
        lambda x: np.einsum("ij,jk->ki", np.eye(3)[:2], x),
        lambda x: (torch.eye(3, dtype=x.dtype)[:2] @ x).T,
        (3, 4),
    ),
    "tensordot": (
        lambda x, y: np.tensordot(x, y, axes=([0, -1], [1, 0])),
        lambda x, y: torch.tensordot(x, y, ([0, 2], [1, 0])),
        A,
        (4, 2, 3),
    ),
    "dot": (lambda x, y: x.dot(y), lambda x, y: x @ y, (2, 3), (3, 4)),
    "dot of many": (lambda x, y: np.dot(x, y), lambda x, y: torch.tensordot(x, y, ([2], [1])), A, (3, 4, 2)),
    "inner": (lambda x, y: np.inner(x, y), torch.inner, A, (3, 4)),
    "outer": (lambda x, y: np.outer(x, y), lambda x, y: torch.outer(x.reshape(-1), y.reshape(-1)), (2, 3), M),
    "vdot": (lambda x, y: np.vdot(x, y), lambda x, y: (x * y).sum(), M, M),
    "kron": (lambda x, y: np.kron(x, y), torch.kron, (2, 3), (4,)),
    "cross": (
        lambda x, y: np.cross(x, y, axis=1),
        lambda x, y: torch.linalg.cross(x, y, dim=1),
        (2, 3),
        (2, 3),
    ),
    # linear algebra
    "solve": (lambda x, y: np.linalg.solve(x, y), torch.linalg.solve, (2, 3, 3), (3, 2)),
    "inv": (lambda x: np.linalg.inv(x), torch.linalg.inv, (2, 3, 3)),
    "det": (lambda x: np.linalg.det(x), torch.linalg.det, (2, 3, 3)),
    "slogdet": (lambda x: np.linalg.slogdet(x).logabsdet, lambda x: torch.linalg.slogdet(x)[1], (2, 3, 3)),
    "matrix_power": (lambda x: np.linalg.matrix_power(x, 5), lambda x: torch.linalg.matrix_power(x, 5), M),
    "inverse power": (lambda x: np.linalg.matrix_power(x, -2), lambda x: torch.linalg.matrix_power(x, -2), M),
    "pinv": (lambda x: np.linalg.pinv(x), torch.linalg.pinv, (2, 4, 3)),
    "cholesky": (
        lambda x: np.linalg.cholesky(positive(x)),
        lambda x: torch.linalg.cholesky(positive(x)),
        (2, 3, 4),
    ),
    "cholesky upper": (
        lambda x: np.linalg.cholesky(positive(x), upper=True),
        lambda x: torch.linalg.cholesky(positive(x)).mT,
        M,
    ),
    "eigh": (
        lambda x: [np.linalg.eigh(symmetric(x))[0], np.linalg.eigh(symmetric(x), "U")[1] ** 2],
        lambda x: [torch.linalg.eigh(symmetric(x))[0], torch.linalg.eigh(symmetric(x))[1] ** 2],
        (2, 3, 3),
    ),
    "eigvalsh": (
        lambda x: np.linalg.eigvalsh(symmetric(x)),
        lambda x: torch.linalg.eigvalsh(symmetric(x)),
        (4, 4),
    ),
    "svd": (
        lambda x: [one**2 for one in np.linalg.svd(x, full_matrices=False)],
        lambda x: [one**2 for one in torch.linalg.svd(x, full_matrices=False)],
        (2, 4, 3),
    ),
    "svd square": (
        lambda x: [one**2 for one in np.linalg.svd(x)],
        lambda x: [one**2 for one in torch.linalg.svd(x)],
        M,
    ),
    "svdvals": (lambda x: np.linalg.svdvals(x), torch.linalg.svdvals, (2, 3, 4)),
    "matrix_norm": (lambda x: np.linalg.matrix_norm(x), torch.linalg.matrix_norm, A),
    "second names": (
        lambda x: [
            np.linalg.matmul(x, x),
            np.linalg.tensordot(x, x),
            np.linalg.trace(x, offset=1),
            np.linalg.diagonal(x),
            np.linalg.matrix_transpose(x),
            np.linalg.outer(x[0], x[1]),
            np.linalg.cross(x, x[:1]),
            np.vecdot(x, x[0]),
            np.linalg.multi_dot([x, x, x[0]]),
        ],
        lambda x: [
            x @ x,
            (x * x).sum(),
            x.diagonal(1).sum(),
            x.diagonal(),
            x.mT,
            torch.outer(x[0], x[1]),
            torch.linalg.cross(x, x[:1]),
            x @ x[0],
            x @ x @ x[0],
        ],
        M,
    ),
    "singular values": (lambda x: np.linalg.svd(x, compute_uv=False), torch.linalg.svdvals, (2, 3, 4)),
}
for order in (None, 2, 1, np.inf, -np.inf, 3, 2.5, 0):
    CASES[f"norm {order} of vectors"] = (
        lambda x, order=order: np.linalg.norm(x, order, axis=-2) * np.sum(x, 1),
        lambda x, order=order: torch.linalg.vector_norm(x, 2 if order is None else order, -2) * x.sum(1),
        A,
    )
for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
    CASES[f"norm {order} of matrices"] = (
        lambda x, order=order: np.linalg.norm(x, ord=order, axis=(0, -1), keepdims=True),
        lambda x, order=order: torch.linalg.matrix_norm(x, order or "fro", (0, -1), keepdim=True),
        A,
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_value_slope_and_curvature(case):
    ours, theirs, *shapes = case
    z, v = inputs(shapes)

    def g(z):
        found = theirs(*arguments(z, shapes))
        several = [found] if isinstance(found, torch.Tensor) else list(found)
        total = torch.zeros((), dtype=z.dtype)
        for k, y in enumerate(several):
            weights = np.cos(1.7 * np.arange(y.numel()) + k).reshape(tuple(y.shape))
            total = total + (torch.tensor(weights) * torch.sin(y + 0.3 * k)).sum()
        return total

    tensor = torch.tensor(z, requires_grad=True)
    value = g(tensor)
    (slope,) = torch.autograd.grad(value, tensor, create_graph=True)
    curvature = np.zeros_like(z)
    if slope.requires_grad:
        (found,) = torch.autograd.grad((slope * torch.tensor(v)).sum(), tensor, allow_unused=True)
        curvature = curvature if found is None else found.numpy()
    assert value.item() == pytest.approx(float(loss(np, ours(*arguments(z, shapes)))), rel=1e-12)
    agree(lambda _, *args: ours(*args), shapes, value.item(), slope.detach().numpy(), curvature)
