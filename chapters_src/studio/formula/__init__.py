"""The LaTeX of a derivation's line, read and computed: the formula you read is the formula that runs."""

from __future__ import annotations

from chapters_src.studio.formula.errors import FormulaError
from chapters_src.studio.formula.formula import Formula

__all__ = ["Formula", "FormulaError"]
