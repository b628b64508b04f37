"""What is said of an argument that cannot be used."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, NoReturn

__all__ = ["Ask", "Refusal", "refuse", "require"]


class Refusal(ValueError):
    """An argument that cannot be used, with the rule it breaks and what came."""

    def __init__(self, name: str, rule: str, got: object, function: str = "") -> None:
        self.name, self.rule, self.got, self.function = name, rule, got, function
        super().__init__(f"{function}: {name} must {rule}; got {got}".removeprefix(": "))

    def __reduce__(self) -> tuple[Any, ...]:
        return Refusal, (self.name, self.rule, self.got, self.function)


def refuse(name: str, rule: str, got: object) -> NoReturn:
    """Refuse an argument; the public function it came to adds its own name."""
    raise Refusal(name, rule, got)


def require(holds: Any, name: str, rule: str, got: object) -> None:
    """Refuse an argument unless the rule holds."""
    if not holds:
        refuse(name, rule, got)


@dataclass
class Ask:
    """What a reader may look at: the argument's name, those read before it, and the lengths bound so far."""

    name: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    given: dict[str, Any] = field(default_factory=dict)  # the arguments as they came
    in_own_precision: Collection[str] = ()  # the arrays of which float32 stays float32

    def fail(self, rule: str, got: object) -> NoReturn:
        refuse(self.name, rule, got)

    def require(self, holds: Any, rule: str, got: object) -> None:
        """Fail unless the rule holds."""
        if not holds:
            self.fail(rule, got)
