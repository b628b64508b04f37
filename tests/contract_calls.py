"""Valid calls of public functions, made from what they declare."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import chapters_src
from chapters_src.core.contract import Contract, contract_of
from chapters_src.core.readers import ANY, Limits

PARTS = (
    "foundations",
    "models",
    "evaluation",
    "optimisation",
    "networks",
    "sequences",
    "generative",
    "scale",
)


def public() -> dict[str, Any]:
    """Everything in the ``__all__`` of a chapter: what others may import, by chapter and name."""
    found = {}
    for info in pkgutil.walk_packages(chapters_src.__path__, "chapters_src."):
        parts = info.name.split(".")
        if len(parts) == 3 and parts[1] in PARTS:
            module = importlib.import_module(info.name)
            for name in module.__all__:
                found[f"{parts[1]}.{parts[2]}.{name}"] = getattr(module, name)
    return found


def contract(thing: Any) -> Contract | None:
    """The contract of a function, or of a class's constructor."""
    return contract_of(thing.__init__ if inspect.isclass(thing) else thing)


def makers() -> dict[str, Callable[[], Any]]:
    """How to make what no annotation describes, by annotation or by ``function.argument``."""
    found: dict[str, Callable[[], Any]] = {}
    import tests.makers

    for info in pkgutil.iter_modules(tests.makers.__path__):
        found.update(importlib.import_module(f"tests.makers.{info.name}").MAKERS)
    return found


class Valid:
    """One valid value per argument, lengths agreed upon."""

    def __init__(self, contract: Contract, owner: Any = None) -> None:
        self.contract, self.owner = contract, owner
        self.made = makers()
        self.lengths: dict[str, int] = {}
        self.rng = np.random.default_rng(0)

    def arguments(self) -> dict[str, Any]:
        values = {}
        for name, parameter in self.contract.parameters.items():
            if name in ("self", "cls") or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            annotation = self.contract.annotations.get(name, "Any")
            default_will_do = parameter.default is not parameter.empty and not self._plain(annotation)
            if default_will_do and self._maker(name) is None:
                values[name] = parameter.default
            else:
                values[name] = self.of_its_annotation(name)
        return values

    def example(self, name: str, value: Any) -> Any:
        """What can be spoiled: where None was the value, one of what is declared beside it."""
        if value is not None:
            return value
        try:
            return self.of_its_annotation(name)
        except LookupError:
            return None

    def is_class(self, name: str) -> bool:
        """Whether an argument is declared by the name of a class, or of a kind of function."""
        annotation = self.contract.annotations.get(name, "Any").removesuffix(" | None")
        try:
            kind = eval(annotation, vars(inspect.getmodule(inspect.unwrap(self.contract.function))))
        except (NameError, TypeError, SyntaxError):
            return False
        plain = isinstance(kind, type) and not getattr(kind, "_is_protocol", False) and kind is not object
        return plain or typing.get_origin(kind) is Callable

    def of_its_annotation(self, name: str) -> Any:
        """A value of what is declared, also where None or another default would do."""
        maker = self._maker(name)
        if maker is not None:
            return maker()
        annotation = self.contract.annotations.get(name, "Any")
        return self._make(ast.parse(annotation, mode="eval").body, name, f"{self.contract.name}.{name}")

    def _maker(self, name: str) -> Callable[[], Any] | None:
        """What makes this argument of this function; a method may share its name with a function."""
        a_method = self.owner is not None and self.contract.name != type(self.owner).__name__
        return None if a_method else self.made.get(f"{self.contract.name}.{name}")

    def _plain(self, annotation: str) -> bool:
        return annotation in ("int", "float", "bool", "np.random.Generator", "torch.Generator")

    def _make(self, node: ast.expr, name: str, key: str) -> Any:
        text = ast.unparse(node)
        if text in self.made:
            return self.made[text]()
        if isinstance(node, ast.BinOp):
            return self._make(node.left, name, key)
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("Float", "Int", "Bool", "Num"):
            return self._array(node, name)
        limits = self.limits(name)
        number = {"int": self._whole, "float": self._real}.get(text)
        if number is not None:
            default = self.contract.parameters[name].default
            return number(limits) if default in (inspect.Parameter.empty, None) else default
        plain = {
            "bool": True,
            "np.random.Generator": self.rng,
            "torch.Generator": torch.Generator().manual_seed(0),
        }
        if text in plain:
            return plain[text]
        raise LookupError(f"no maker for {key}: {text}; add one to tests/makers")

    def limits(self, name: str) -> Limits:
        rule = self.contract.limits.get(name)
        return rule if rule is not None else ANY

    def _whole(self, limits: Limits) -> int:
        low = (
            limits.at_least
            if limits.at_least is not None
            else 1
            if limits.above is None
            else limits.above + 1
        )
        return int(max(low, min(3, limits.at_most if limits.at_most is not None else 3)))

    def _real(self, limits: Limits) -> float:
        low = next((one for one in (limits.above, limits.at_least) if one is not None), None)
        high = next((one for one in (limits.below, limits.at_most) if one is not None), None)
        if low is not None and high is not None:
            return (low + high) / 2
        return low + 0.5 if low is not None else 0.5 if high is None else high - 0.5

    def _array(self, node: ast.Subscript, name: str) -> Any:
        kind = ast.unparse(node.value)
        library, axes = node.slice.elts
        shape = []
        for axis in ast.literal_eval(axes).format(self=self.owner).split():
            if axis.startswith("*") or axis == "...":
                continue
            if axis.isidentifier():
                # Different letters have different lengths, so that a mix-up of axes is noticed.
                self.lengths.setdefault(axis, 30 if axis == "n" else 2 + len(self.lengths) % 3)
                shape.append(self.lengths[axis])
            else:
                shape.append(int(eval(axis, {}, self.lengths)))
        values = self.rng.uniform(0.2, 0.8, shape) if kind == "Float" else self.rng.integers(0, 2, shape)
        if not ast.unparse(library).endswith("Tensor"):
            return values
        return torch.tensor(values, dtype=torch.get_default_dtype() if kind == "Float" else None)
