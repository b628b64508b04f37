"""A bar for long loops: shown to somebody who waits, silent where output is stored or read by a machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from chapters_src.core.contract import checked
from chapters_src.core.readers import at_least

__all__ = ["bar", "is_live"]

Item = TypeVar("Item")

# Set where nobody watches: the site build, the refreshing of stored notebooks, CI, pytest and its kernels.
QUIET = ("EVERY_LINE_SITE", "EVERY_LINE_QUIET", "CI", "PYTEST_VERSION", "PYTEST_CURRENT_TEST")


def is_live() -> bool:
    """True where somebody may be watching: in a kernel or at a terminal, and not in a build or a test."""
    if any(os.environ.get(name, "").lower() not in ("", "0", "false") for name in QUIET):
        return False
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is not None:
        return True
    return sys.stderr is not None and sys.stderr.isatty()


@checked(total=at_least(0))
def bar(
    items: Iterable[Item], label: str = "", *, total: int | None = None, show: bool | None = None
) -> Iterator[Item]:
    """The same items, one by one, with a bar that counts them and goes away when they are done.

    ``show`` is decided by `is_live` unless given. ``total`` is the length of ``items``, if they have one.
    """
    return _bar(items, label, total) if (is_live() if show is None else show) else iter(items)


def _bar(items: Iterable[Item], label: str, total: int | None) -> Iterator[Item]:
    from tqdm.auto import tqdm  # late, because most readers of a page never wait

    yield from tqdm(items, desc=label or None, total=total, leave=False, dynamic_ncols=True)
