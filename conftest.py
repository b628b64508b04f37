"""How the book's tests are run: notebooks leave what the site needs, and work is spread over the cores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from nbval.plugin import IPyNbCell
from xdist.scheduler import LoadScopeScheduling

from tools import records
from tools.chapters import cpu_seconds
from tools.running import kernel_environment

# Longest first, and the site last: it is made of what the notebooks leave behind.
ORDER = ("book/", "tests/site/test_standalone", "tests/", "tests/site/")


def chapter_of(item: pytest.Item) -> str | None:
    """The name of the chapter that a cell of nbval's belongs to."""
    if not isinstance(item, IPyNbCell):
        return None
    book = item.config.rootpath / "book"
    if not item.path.is_relative_to(book):
        return None
    return item.path.relative_to(book).with_suffix("").as_posix()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """The kernel of a chapter starts with its first cell, in the environment in which it was stored."""
    name = chapter_of(item)
    if name is None or item.parent.kernel is not None:
        return (yield)
    root, before = item.config.rootpath, dict(os.environ)
    mark = records.mark_of(item.parent.nb, root)
    told = kernel_environment() | records.begin(name, mark, root)
    os.environ.clear()
    os.environ.update(told)
    try:
        return (yield)
    finally:
        os.environ.clear()
        os.environ.update(before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    """What a chapter left for the site is not used if one of its outputs is not the stored one."""
    report = yield
    name = chapter_of(item)
    if name is not None and report.failed:
        records.discard(name, item.config.rootpath)
    return report


def place(item: pytest.Item) -> tuple[int, float]:
    """Where the item stands in the order; a larger chapter before a smaller one."""
    file = item.nodeid.split("::")[0]
    stage = max(
        (at for at, start in enumerate(ORDER) if file.startswith(start)),
        default=0,
        key=lambda at: len(ORDER[at]),
    )
    chapter = chapter_of(item) or (item.callspec.id if stage == 1 and hasattr(item, "callspec") else "")
    return stage, -cpu_seconds().get(chapter, 0)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=place)


def unit_of_work(nodeid: str) -> str:
    """What one worker takes at a time: a file, or one page of a file of site tests."""
    file, _, test = nodeid.partition("::")
    given = test.partition("[")[2].rstrip("]").split("-")
    return "::".join([file, *(part for part in given if "/" in part and file.startswith("tests/site/"))])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    config.option.loadscopereorder = False  # the order above stands
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = unit_of_work  # type: ignore[method-assign]
    return scheduler
