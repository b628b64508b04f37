"""The inputs on which a derivation is checked: random ones, variations, and those where a bound is tight."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from chapters_src.studio.checks import fail, integer
from chapters_src.studio.relations import Inputs
from chapters_src.studio.samplers import Sampler

__all__ = ["Trials"]

FRESH = 12  # values of a variable for which a proportionality is looked at, in each trial


class Trials:
    """What is put in: samplers are drawn anew in each trial, fixed values stay."""

    def __init__(self, inputs: Inputs, trials: int, seed: int) -> None:
        integer("Derivation", "trials", trials, at_least=1)
        self.inputs = inputs
        self.seed = integer("Derivation", "seed", seed, at_least=0)
        self.random = any(isinstance(value, Sampler) for value in inputs.values())
        count = trials if self.random else 1
        self.draws = [self._draw(np.random.default_rng([seed, trial])) for trial in range(count)]

    def fresh(self, caller: str, argument: str, name: str, turn: int) -> list[list[Inputs]]:
        """For each draw many values of one input, the others held: the drawn one first."""
        sampler = self.inputs.get(name)
        if not isinstance(sampler, Sampler):
            fail(f"Derivation.{caller}", argument, "name an input that is drawn at random", repr(name))
        rng = np.random.default_rng([self.seed, turn])
        values = [sampler(rng) for _ in range(FRESH - 1)]
        for inputs in self.draws:
            if all(np.array_equal(value, inputs[name]) for value in values):
                fail("Derivation", name, "vary", f"{sampler}, which is always the same")
        return [[inputs, *({**inputs, name: value} for value in values)] for inputs in self.draws]

    def tight(self, given: Mapping[str, Any]) -> list[Inputs]:
        """Each draw with some inputs replaced, by a value or by a function of the other inputs."""
        for name in given:
            if name not in self.inputs:
                fail("Derivation", "tight", f"name inputs ({', '.join(self.inputs)})", name)
        cases = []
        for draw in self.draws:
            case = dict(draw)
            for name, value in given.items():
                case[name] = _given(value, case, name)
            cases.append(case)
        return cases

    def unlike(self, turn: int) -> Inputs:
        """Inputs of other sizes, signs and scales, as far as the samplers allow; the first only redrawn."""
        rng = np.random.default_rng([self.seed, 10**6 + turn])
        shapes = [value.shape for value in self.inputs.values() if isinstance(value, Sampler)]
        sizes = {side: side + turn % 3 for shape in shapes for side in shape if side > 1}
        return {
            name: value.unlike(rng, sizes, turn) if isinstance(value, Sampler) else copy.deepcopy(value)
            for name, value in self.inputs.items()
        }

    def _draw(self, rng: np.random.Generator) -> Inputs:
        return {
            name: value(rng) if isinstance(value, Sampler) else copy.deepcopy(value)
            for name, value in self.inputs.items()
        }


def _given(value: Any, case: Inputs, name: str) -> Any:
    """The value; a function is called with the inputs it names, and one number fills an array."""
    if callable(value):
        names = [argument for argument in inspect.signature(value).parameters if argument in case]
        value = value(**{argument: copy.deepcopy(case[argument]) for argument in names})
    if np.ndim(value) == 0 and np.ndim(case[name]) > 0:
        value = np.full(np.shape(case[name]), value, dtype=float)
    return value
