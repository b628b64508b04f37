"""A number as people type it: 0.25, 1/4, 25 %, 2.5e-1, 2.5 × 10⁻¹."""

from __future__ import annotations

import math
import re

__all__ = ["read_number"]

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
GROUPED = re.compile(r"\d{1,3}(,\d{3})+(?!\d)")
DECIMAL = re.compile(
    r"(?P<digits>[+-]?(?:\d+\.?\d*|\.\d+))"
    r"(?:[eE](?P<e>[+-]?\d+)|[×x*·]10\^?[({]?(?P<power>[+-]?\d+)[)}]?)?"
)


def read_number(text: str, unit: str = "") -> float | None:
    """The number that was typed, with or without its unit; None if it cannot be read (``questions.js`` too)."""
    compact = re.sub(r"\s", "", text.translate(RAISED).replace("−", "-"))
    unit = re.sub(r"\s", "", unit)
    if unit and compact.endswith(unit):
        compact = compact[: -len(unit)]
    percent = compact.endswith("%")
    compact = GROUPED.sub(lambda found: found[0].replace(",", ""), compact.removesuffix("%"))
    parts = [_decimal(part) for part in compact.split("/")]
    if len(parts) > 2 or any(part is None for part in parts) or (len(parts) == 2 and not parts[1]):
        return None
    value = parts[0] if len(parts) == 1 else parts[0] / parts[1]  # type: ignore[operator]
    value = value / 100 if percent else value  # type: ignore[operator]
    return value if value is not None and math.isfinite(value) else None


def _decimal(text: str) -> float | None:
    found = DECIMAL.fullmatch(text)
    if not found:
        return None
    return float(f"{found['digits']}e{found['e'] or found['power'] or 0}")
