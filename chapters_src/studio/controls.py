"""What a reader can move in an explorer: a slider or a choice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal


def digits(value: float) -> str:
    """Return a number with three significant digits, as one would write it: 0.0316, −2.5, 1000, 3.2×10⁷."""
    text = f"{value:.3g}".replace("inf", "∞")
    if "e" not in text:
        return text.replace("-", "−")
    lead, power = text.split("e")
    if 0 <= int(power) < 6:
        return f"{float(text):.0f}".replace("-", "−")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{lead}×10{raised}".replace("-", "−")


def _check_label(kind: str, label: object) -> None:
    if not isinstance(label, str) or not label.strip():
        raise ValueError(f"{kind}: label must be the words a reader sees and hears; got {label!r}")


@dataclass(frozen=True)
class Slider:
    """A number to move between ``low`` and ``high``.

    On the site the slider has ``points`` positions, ``value`` among them. In a kernel every value can be had,
    but of whole numbers, of which an author may make a table, the same positions.
    """

    low: float
    high: float
    value: float
    label: str
    scale: Literal["linear", "log", "integer"] = "linear"
    points: int = 25
    play: bool = False

    def __post_init__(self) -> None:
        _check_label("Slider", self.label)
        if not (all(map(math.isfinite, (self.low, self.high))) and self.low < self.high):
            raise ValueError(f"Slider: low must be below high; got {self.low} and {self.high}")
        if not self.low <= self.value <= self.high:
            raise ValueError(f"Slider: value must lie in [{self.low}, {self.high}]; got {self.value}")
        if self.scale not in ("linear", "log", "integer"):
            raise ValueError(f"Slider: scale must be 'linear', 'log' or 'integer'; got {self.scale!r}")
        if self.scale == "log" and self.low <= 0:
            raise ValueError(f"Slider: low must be positive on a log scale; got {self.low}")
        if self.scale == "integer" and any(v != int(v) for v in (self.low, self.high, self.value)):
            raise ValueError(
                "Slider: low, high and value must be whole numbers; "
                f"got {self.low}, {self.high}, {self.value}"
            )
        if self.points < 2:
            raise ValueError(f"Slider: points must be at least 2; got {self.points}")
        if self.play and self.scale != "integer":
            raise ValueError(
                f"Slider: play must go with scale='integer', where time is counted; got {self.scale!r}"
            )

    def grid(self) -> list[float]:
        """Return the positions the site offers, rounded to what is shown, ``value`` exactly among them."""
        if self.scale == "integer":
            step = math.ceil((self.high - self.low) / (self.points - 1))
            return sorted({*range(int(self.low), int(self.high), step), int(self.high), int(self.value)})
        shares = [i / (self.points - 1) for i in range(self.points)]
        if self.scale == "log":
            raw = [self.low * (self.high / self.low) ** s for s in shares]
        else:
            wide = self.high - self.low
            raw = [self.low + wide * s for s in shares]
            raw = [0.0 if abs(v) < 1e-12 * wide else v for v in raw]  # rounding beside 0 would be shown
        # Ends stay as they are; the inner point nearest to the default gives way to it.
        inner = [v for v in (float(f"{v:.3g}") for v in raw[1:-1]) if self.low < v < self.high]
        values = [self.low, *inner, self.high]
        if self.value not in values:
            nearest = min(range(len(values)), key=lambda i: abs(values[i] - self.value))
            place = min(max(nearest, 1), len(values) - 2)
            values[place : place + (len(values) > 2)] = [self.value]
        return sorted(set(values))

    def text(self, value: float) -> str:
        """Return a value as it is shown."""
        return digits(value) if self.scale != "integer" else f"{value:.0f}".replace("-", "−")

    def widgets(self) -> tuple[Any, list[Any]]:
        """Return the ipywidget that holds the value, and all widgets to lay out."""
        import ipywidgets

        look = {
            "description": self.label,
            "style": {"description_width": "initial"},
            "layout": ipywidgets.Layout(width="26em"),
        }
        slider: Any
        grid = self.grid()
        if self.scale == "integer":
            slider = ipywidgets.SelectionSlider(value=int(self.value), options=grid, **look)
        elif self.scale == "log":
            low, high = math.log10(self.low), math.log10(self.high)
            slider = ipywidgets.FloatLogSlider(
                value=self.value, min=low, max=high, step=(high - low) / 400, readout_format=".3g", **look
            )
        else:
            step = (self.high - self.low) / 400
            slider = ipywidgets.FloatSlider(
                value=self.value, min=self.low, max=self.high, step=step, readout_format=".3g", **look
            )
        if not self.play:
            return slider, [slider]
        play = ipywidgets.Play(value=slider.index, min=0, max=len(grid) - 1, interval=200)
        ipywidgets.jslink((play, "value"), (slider, "index"))
        return slider, [slider, play]


@dataclass(frozen=True)
class Choice:
    """One of a few named options."""

    options: Sequence[str]
    value: str
    label: str
    play: Literal[False] = False

    def __post_init__(self) -> None:
        _check_label("Choice", self.label)
        object.__setattr__(self, "options", tuple(self.options))
        if len(self.options) < 2 or not all(isinstance(option, str) for option in self.options):
            raise ValueError(f"Choice: options must be two or more texts; got {self.options!r}")
        if len(set(self.options)) < len(self.options):
            raise ValueError(f"Choice: options must differ from one another; got {self.options!r}")
        if self.value not in self.options:
            raise ValueError(f"Choice: value must be one of {self.options!r}; got {self.value!r}")

    def grid(self) -> list[str]:
        """Return the options."""
        return list(self.options)

    def text(self, value: str) -> str:
        """Return an option as it is shown."""
        return value

    def widgets(self) -> tuple[Any, list[Any]]:
        """Return the ipywidget that holds the value, and all widgets to lay out."""
        import ipywidgets

        choice = ipywidgets.Dropdown(
            options=list(self.options),
            value=self.value,
            description=self.label,
            style={"description_width": "initial"},
            layout=ipywidgets.Layout(width="26em"),
        )
        return choice, [choice]
