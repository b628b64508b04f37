"""Steps that use curvature, and line searches."""

from chapters_src.optimisation.newton.directions import downhill_newton, newton
from chapters_src.optimisation.newton.line_search import exact, golden_section

__all__ = ["downhill_newton", "exact", "golden_section", "newton"]
