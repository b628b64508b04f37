"""Break the formula and the code behind every line of the book, and count the breaks that nobody notices."""

from __future__ import annotations

import json
import os
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chapters_src.studio.breaks import Verdict, breaks_of, judge
from tools.chapters import ROOT, Page, select
from tools.derivations import Written, derivations

BOUNDS = ("≤", "≥")


@dataclass(frozen=True)
class Survivor:
    """A break that nobody noticed, and where it was made."""

    cell: int
    line: int
    latex: str
    kind: str
    what: str
    by_bound: bool
