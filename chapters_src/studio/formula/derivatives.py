"""Functions and derivatives in a formula: torch differentiates what the tree computes, in float64."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from chapters_src.studio.formula import arrays, functions, tree
from chapters_src.studio.formula.arrays import Flexible, Misfit, shape, torch_library
from chapters_src.studio.formula.tree import Node

if TYPE_CHECKING:
    from chapters_src.studio.formula.evaluate import Evaluator


def applied(evaluator: Evaluator, node: tree.Apply) -> Any:
    """A function of its arguments: declared, defined in the line, or built in."""
    if node.function == "log" and isinstance(inside := node.arguments[0], tree.Apply):
        if inside.function == "normal_density":
            return functions.log_normal_density(
                [evaluator.value(a) for a in inside.arguments], evaluator.library
            )
        if inside.function == "det" and not isinstance(
            value := evaluator.value(inside.arguments[0]), Flexible
        ):
            sign, logarithm = evaluator.library.xp.linalg.slogdet(value)
            if not bool(sign > 0):
                raise Misfit("is the logarithm of a determinant that is not positive")
            return logarithm
    arguments = [evaluator.value(argument) for argument in node.arguments]
    return _derived(evaluator, node.function, arguments, node.primes)


def _derived(evaluator: Evaluator, name: str, arguments: list[Any], primes: int) -> Any:
    """The function, or its derivative entry by entry."""
    if primes == 0:
        return _called(evaluator, name, arguments)
    if len(arguments) != 1:
        raise Misfit(f"is the derivative of {name}, which has several arguments")
    library = torch_library()
    inner = evaluator.within(library, {})
    point = library.array(arguments[0])
    point = point if point.requires_grad else point.detach().clone().requires_grad_()
    value = _derived(inner, name, [point], primes - 1)
    if value.shape != point.shape:
        raise Misfit(f"is the derivative of {name}, which does not work entry by entry")
    return _back(evaluator, _gradient(value.sum(), point))


def _called(evaluator: Evaluator, name: str, arguments: list[Any]) -> Any:
    definition = evaluator.definitions.get(name)
    if definition is not None:
        if len(arguments) != len(definition.parameters):
            raise Misfit(f"has {len(arguments)} arguments; {name} takes {len(definition.parameters)}")
        bound = dict(zip(definition.parameters, arguments, strict=True))
        return evaluator.within(evaluator.library, bound).value(definition.body)
    if name not in evaluator.names.functions:
        return functions.call(name, arguments, evaluator.library)
    for argument in arguments:
        shape(argument)
    return _outside(evaluator, name, arguments)


def _outside(evaluator: Evaluator, name: str, arguments: list[Any]) -> Any:
    """A Python function: with tensors only where it is differentiated."""
    function, traced = (
        evaluator.names.functions[name],
        any(getattr(a, "requires_grad", False) for a in arguments),
    )
    given = arguments if traced else [_plain(argument) for argument in arguments]
    try:
        value = function(*given)
    except Exception as error:
        reason = " (it is differentiated, so it was called with torch tensors)" if traced else ""
        raise Misfit(f"raised {type(error).__name__}: {error}{reason}") from error
    if traced and not hasattr(value, "requires_grad"):
        raise Misfit(f"cannot be differentiated: {name} does not return a torch tensor")
    return value.double() if traced else evaluator.library.array(value)


def _plain(value: Any) -> Any:
    """A float or an ndarray, as Python functions expect."""
    array = np.asarray(value.detach() if hasattr(value, "detach") else value)
    return array if array.ndim else float(array)


def derivative(evaluator: Evaluator, node: tree.Derivative) -> Any:
    """∇, ∇² or ∂/∂x of the factors; a gradient has the shape of what it is taken with respect to."""
    library = torch_library()
    base = node.variable.base if isinstance(node.variable, tree.Entry) else node.variable
    assert isinstance(base, tree.Symbol)
    outside = evaluator.within(library, {})
    point = outside.lookup(base.name)
    point = point if point.requires_grad else point.detach().clone().requires_grad_()
    inner = evaluator.within(library, {base.name: point})
    value, rest = _operand(inner, node)
    shape(value)
    if node.style == "hessian":
        result = _hessian(value, point)
    elif value.ndim == 0:
        result = _gradient(value, point)
    else:
        result = _jacobian(value, point, isinstance(node.variable, tree.Entry))
    if isinstance(node.variable, tree.Entry):
        result = _entry(evaluator, node.variable, result, value.ndim)
    result = reduce(arrays.multiply, [outside.value(factor) for factor in rest], result)
    return _back(evaluator, result)


def gradient_at(evaluator: Evaluator, node: tree.GradientAt) -> Any:
    """∇f or ∇²f at a point."""
    library = torch_library()
    point = library.array(evaluator.value(node.argument))
    point = point if point.requires_grad else point.detach().clone().requires_grad_()
    value = _called(evaluator.within(library, {}), node.function, [point])
    if shape(value):
        raise Misfit("is the gradient of something that is no number")
    result = _gradient(value, point) if node.order == 1 else _hessian(value, point)
    return _back(evaluator, result)


def _operand(inner: Evaluator, node: tree.Derivative) -> tuple[Any, tuple[Node, ...]]:
    """What is differentiated: the whole term or, if that is no number, its longest start that is one."""
    for end in range(len(node.factors), 0, -1):
        value = reduce(arrays.multiply, [inner.value(factor) for factor in node.factors[:end]])
        if node.style == "partial" or not shape(value):
            return value, node.factors[end:]
    raise Misfit("is the gradient of something that is no number")


def _gradient(value: Any, point: Any) -> Any:
    import torch

    if not value.requires_grad:
        return torch.zeros_like(point)
    found = torch.autograd.grad(value, point, create_graph=True, allow_unused=True)[0]
    return torch.zeros_like(point) if found is None else found


def _hessian(value: Any, point: Any) -> Any:
    if point.ndim > 1:
        raise Misfit("is a second derivative by a matrix")
    return _each(_gradient(value, point), point)


def _jacobian(value: Any, point: Any, entry: bool) -> Any:
    if (point.ndim > 1 and not entry) or (value.ndim > 1 and point.ndim and not entry):
        raise Misfit(f"is the derivative of shape {tuple(value.shape)} by shape {tuple(point.shape)}")
    return _each(value, point)


def _each(value: Any, point: Any) -> Any:
    import torch

    rows = [_gradient(entry, point) for entry in value.reshape(-1)]
    return torch.stack(rows).reshape(*value.shape, *point.shape)


def _entry(evaluator: Evaluator, variable: tree.Entry, result: Any, skipped: int) -> Any:
    places = tuple(evaluator.integer(index) - 1 for index in variable.indices)
    if min(places) < 0 or any(p >= n for p, n in zip(places, result.shape[skipped:], strict=False)):
        raise Misfit(f"differentiates by an entry outside shape {tuple(result.shape[skipped:])}")
    return result[(slice(None),) * skipped + places]


def _back(evaluator: Evaluator, result: Any) -> Any:
    """A tensor for torch, an ndarray for numpy."""
    return result if evaluator.library is torch_library() else result.detach().numpy()
