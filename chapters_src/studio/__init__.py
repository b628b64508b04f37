"""The machinery chapters are written in: derivations, explorers, exercises, claims and the look of figures."""

from chapters_src.studio.controls import Choice, Slider
from chapters_src.studio.explorer import Explorer, ExplorerError
from chapters_src.studio.style import figure, show

__all__ = ["Choice", "Explorer", "ExplorerError", "Slider", "figure", "show"]
