"""The machinery chapters are written in: derivations, explorers, exercises, claims, the look of figures."""

from chapters_src.studio.claim import ClaimError, claim
from chapters_src.studio.controls import Choice, Slider, digits
from chapters_src.studio.derivation import (
    Derivation,
    DerivationError,
    covariance,
    integers,
    normal,
    positive,
    probabilities,
    uniform,
)
from chapters_src.studio.exercise import Exercise, Mistake
from chapters_src.studio.explorer import Explorer, ExplorerError
from chapters_src.studio.false_line import FalseLine, Variant
from chapters_src.studio.ordering import Order
from chapters_src.studio.questions import Choose, Option, Predict, above, below, between
from chapters_src.studio.source import source
from chapters_src.studio.style import figure, mosaic, show
from chapters_src.studio.touch import Handle, Pick
from chapters_src.studio.trail import Trail

__all__ = [
    "Choice",
    "Choose",
    "ClaimError",
    "Derivation",
    "DerivationError",
    "Exercise",
    "Explorer",
    "ExplorerError",
    "FalseLine",
    "Handle",
    "Mistake",
    "Option",
    "Order",
    "Pick",
    "Predict",
    "Slider",
    "Trail",
    "Variant",
    "above",
    "below",
    "between",
    "claim",
    "covariance",
    "digits",
    "figure",
    "integers",
    "mosaic",
    "normal",
    "positive",
    "probabilities",
    "show",
    "source",
    "uniform",
]
