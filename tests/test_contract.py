"""What every public function does with bad input: it names itself, the argument, the rule and what came.

Valid calls are made from the declarations, so that a public function without one fails here: there is no list
to forget.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import warnings

import numpy as np
import pytest

from chapters_src.core.contract import checked, refuse
from chapters_src.core.readers import at_least
from chapters_src.core.shapes import Float, ndarray
from tests.bad_arguments import spoiled, too_short
from tests.contract_calls import Valid, contract, public

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


def says_all(contract):
    """Whether a call can be made from a declaration: it reads something, and collects no arguments."""
    collected = any(one.kind == one.VAR_POSITIONAL for one in contract.parameters.values())
    return bool(contract.readers or contract.rules) and not collected


@pytest.mark.parametrize("name", sorted(name for name, thing in PUBLIC.items() if needs_declaration(thing)))
def test_every_public_function_declares_what_it_accepts(name):
    assert name in DECLARED


@pytest.mark.parametrize("name", FAST)
def test_bad_input_is_named_in_one_sentence(name):
    thing = PUBLIC[name]
    valid = Valid(contract(thing))
    good = valid.arguments()
    called = name.rpartition(".")[2]
    for argument, value in good.items():
        reader = contract(thing).readers.get(argument) or contract(thing).rules.get(argument)
        if reader is None:
            continue
        annotation = str(contract(thing).annotations[argument])
        may_be_none = "None" in annotation or contract(thing).parameters[argument].default is None
        example = valid.example(argument, value)
        for wrong in spoiled(example, annotation, valid.limits(argument), valid.is_class(argument)):
            if wrong is None and may_be_none:
                continue
            if isinstance(wrong, list) and "Sequence" in annotation:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with pytest.raises(ValueError, match=rf"^{called}: \w+ must .+; got ") as caught:
                    thing(**{**good, argument: wrong})
            assert "\n" not in str(caught.value)
            assert re.match(rf"^{called}: {argument} must", str(caught.value)), str(caught.value)


@pytest.mark.parametrize("name", [name for name in FAST if says_all(contract(PUBLIC[name]))])
def test_a_call_made_from_the_declaration_is_answered(name, monkeypatch):
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0, ""))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        PUBLIC[name](**Valid(contract(PUBLIC[name])).arguments())


@pytest.mark.parametrize("name", FAST)
def test_a_length_that_two_arguments_share_is_one(name):
    thing = PUBLIC[name]
    good = Valid(contract(thing)).arguments()
    for argument, wrong in too_short(good, contract(thing).annotations).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(ValueError, match=rf"^{name.rpartition('.')[2]}: \w+ must .+; got "):
                thing(**{**good, argument: wrong})


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
