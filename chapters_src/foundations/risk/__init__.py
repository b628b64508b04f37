"""What it costs to be wrong: losses, risk on a sample and in the population, splits, labels that spread."""

from chapters_src.foundations.risk.bounds import examples_needed, finite_class_margin, hoeffding_tail
from chapters_src.foundations.risk.losses import (
    best_constant,
    hinge_loss,
    huber_loss,
    power_loss,
    zero_one_loss,
)
from chapters_src.foundations.risk.rules import largest_gap, majority_rule, rule_risk
from chapters_src.foundations.risk.self_training import spread_labels
from chapters_src.foundations.risk.splits import grouped_split, output_intervals, stratified_split

__all__ = [
    "best_constant",
    "examples_needed",
    "finite_class_margin",
    "grouped_split",
    "hinge_loss",
    "hoeffding_tail",
    "huber_loss",
    "largest_gap",
    "majority_rule",
    "output_intervals",
    "power_loss",
    "rule_risk",
    "spread_labels",
    "stratified_split",
    "zero_one_loss",
]
