"""The one error of formulas, which names the piece of LaTeX that it is about."""

from __future__ import annotations


class FormulaError(ValueError):
    """A formula that cannot be read or computed, and the piece that is the reason."""

    def __init__(self, piece: str, complaint: str, latex: str = "") -> None:
        self.piece, self.complaint, self.latex = piece, complaint, latex
        where = f", in {latex}" if latex and latex != piece else ""
        super().__init__(f"formula: {piece} {complaint}{where}")
