"""One question of each kind, for the tests of Python, of widgets and of the page."""

import re

from chapters_src.studio import Choose, Mistake, Option, Order, Predict, above, between


def half(**options):
    defaults = {
        "answer": 0.25,
        "within": 0.001,
        "mistakes": [
            Mistake(0.5, "once more"),
            Mistake(above(1), "a part is smaller than $1$"),
            Mistake(between(-1, 0), "no sign has changed"),
        ],
        "hints": ["draw it", "multiply $2\\cdot2$"],
        "why": "A quarter.",
    }
    return Predict("Half of a half", "What is it?", **{**defaults, **options})


def steps(**options):
    defaults = {
        "options": [
            Option("it converges", why="No: see $\\eta$."),
            Option("it diverges", right=True, why="Each step is longer."),
            Option("it stops", why="Only where the gradient is zero."),
        ],
        "hints": ["what is the error multiplied by?"],
    }
    return Choose("Long steps", "What happens?", **{**defaults, **options})


def descent(**options):
    defaults = {
        "lines": ["start", "gradient", "rate", "step"],
        "before": [(1, 2, "a gradient is taken somewhere"), (2, 4), (3, 4, "how long is the step?")],
        "hints": ["what must exist first?"],
        "why": "Done.",
    }
    return Order("Descent", "In which order?", **{**defaults, **options})


def letters(order: Order, *lines: str) -> str:
    """The answer that puts the lines in this order, found in what the reader sees."""
    seen = dict(re.findall(r"\((\w)\) `?([^`\n]*)`?", str(order)))
    return "".join(next(letter for letter, text in seen.items() if text == line) for line in lines)
