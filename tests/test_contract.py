"""What every public function does with bad input: it names itself, the argument, the rule and what came.

Valid calls are made from the declarations, so that a public function without one fails here: there is no list
to forget.
"""

from __future__ import annotations

import inspect
import re
import warnings

import numpy as np
import pytest

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray
from tests.contract_calls import Valid, contract, public, spoiled

PUBLIC = public()
DECLARED = {name: thing for name, thing in PUBLIC.items() if contract(thing) is not None}
FAST = sorted(DECLARED)


def needs_declaration(thing) -> bool:
    """Functions, and classes with a constructor of their own; results, tables and readers take no input."""
    if inspect.isclass(thing):
        made = thing.__dict__.get("__init__")
        plain = (
            issubclass(thing, tuple) or hasattr(thing, "__dataclass_fields__") or issubclass(thing, Exception)
        )
        return made is not None and not plain
    if not inspect.isfunction(thing):
        return False
    first = next(iter(inspect.signature(thing).parameters.values()), None)
    return first is not None and first.annotation not in ("Ask", inspect.Parameter.empty)


@pytest.mark.parametrize("name", sorted(name for name, thing in PUBLIC.items() if needs_declaration(thing)))
def test_every_public_function_declares_what_it_accepts(name):
    assert name in DECLARED


@pytest.mark.parametrize("name", FAST)
def test_bad_input_is_named_in_one_sentence(name):
    thing = PUBLIC[name]
    good = Valid(contract(thing)).arguments()
    called = name.rpartition(".")[2]
    for argument, value in good.items():
        reader = contract(thing).readers.get(argument) or contract(thing).rules.get(argument)
        if reader is None:
            continue
        for wrong in spoiled(value):
            if wrong is None and "None" in str(contract(thing).annotations[argument]):
                continue
            if isinstance(wrong, list) and "Sequence" in contract(thing).annotations[argument]:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with pytest.raises(ValueError, match=rf"^{called}: \w+ must .+; got ") as caught:
                    thing(**{**good, argument: wrong})
            assert "\n" not in str(caught.value)
            assert re.match(rf"^{called}: {argument} must", str(caught.value)), str(caught.value)


def test_the_check_can_fail():
    @checked(k=at_least(1))
    def half(x: Float[ndarray, "n"], k: int = 2) -> float:
        if k == 7:
            refuse("k", "not be seven", k)
        return float(x.sum()) / k

    assert half([1.0, 3.0]) == 2.0
    with pytest.raises(ValueError, match=r"^half: x must have one axis, shape \(n,\); got shape \(1, 1\)$"):
        half([[1.0]])
    with pytest.raises(ValueError, match=r"^half: k must be at least 1; got 0$"):
        half([1.0], 0)
    with pytest.raises(ValueError, match=r"^half: k must not be seven; got 7$"):
        half([1.0], k=7)
    with pytest.raises(TypeError, match="has no argument j"):
        checked(j=at_least(0))(half.__wrapped__)


def test_a_result_that_is_no_number_is_refused():
    @checked
    def difference(x: Float[ndarray, "n"]) -> float:
        with np.errstate(all="ignore"):
            return float(x[0] * 1e300 - x[1] * 1e300)

    with pytest.raises(
        ValueError, match=r"^difference: x must be of a size .*; got 1e\+10, which gives NaN$"
    ):
        difference([1e10, 1e10])
