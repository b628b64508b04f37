"""A number as people type it: 0.25, 1/4, 25 %, 2.5e-1, 2.5 × 10⁻¹."""

from __future__ import annotations

import math
import re

__all__ = ["decimals_of", "read_number"]

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
POWER = re.compile(r"(?<![\d.,×x*·\s])10(?=[⁻⁺]?[⁰¹²³⁴-⁹])")  # 10²⁰ is no 1020
GROUPED = re.compile(r"\d{1,3}(,\d{3})+(?!\d)")
DECIMAL = re.compile(
    r"(?P<digits>[+-]?(?:\d+\.?\d*|\.\d+))"
    r"(?:[eE](?P<e>[+-]?\d+)|[×x*·]10\^?[({]?(?P<power>[+-]?\d+)[)}]?)?"
)

EXACT = 15  # a fraction is told exactly


def read_number(text: str, unit: str = "") -> float | None:
    """The number that was typed, with or without its unit; None if it cannot be read. See questions.js."""
    text = POWER.sub("1×10", text.strip())
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


def decimals_of(text: str) -> int:
    """To how many decimals a typed number is told: 2 for 0.25 and for 25 %, −9 for 1.6 × 10¹⁰."""
    value, digits = read_number(text), re.search(r"\d[\d,\s]*(?:\.\d+)?", text)
    if not value or digits is None:
        return 0
    if "/" in text:
        return EXACT
    leading = re.sub(r"[,\s]", "", digits[0])
    return len(leading.partition(".")[2]) - round(math.log10(abs(value) / float(leading)))
