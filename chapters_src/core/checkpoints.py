"""Checkpoints that are whole or not there: written in one move, and read only if undamaged."""

from __future__ import annotations

import glob
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import torch

from chapters_src.core.contract import refuse, require
from chapters_src.core.readers import Ask, described

__all__ = ["file_path"]


def file_path(ask: Ask, value: Any) -> Path:
    """The path of a file."""
    ask.require(
        isinstance(value, (str, os.PathLike)) and str(value), "be the path of a file", described(value)
    )
    return Path(value)


def write_whole(path: Path, content: dict[str, Any]) -> Path:
    """Write to a temporary file beside the target, which then takes the target's name in one move.

    Whoever pulls the plug finds the old checkpoint or the new one, and never half of one.
    """
    require(path.parent.is_dir(), "path", "be in a folder that is there", repr(str(path)))
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def clear_halves(path: Path) -> None:
    """Remove what a process that was ended while it wrote this checkpoint has left beside it."""
    for half in path.parent.glob(f".{glob.escape(path.name)}.*"):
        half.unlink(missing_ok=True)


def read_whole(path: Path, form: str, place: torch.device) -> dict[str, Any]:
    """What `write_whole` wrote, if it is undamaged and its ``format`` is this one.

    ``weights_only=True`` reads numbers and plain containers alone. An ordinary pickle may run any code when
    it is read; a file from elsewhere that wants to is refused here.
    """
    rule = "be a checkpoint that save wrote"
    require(path.is_file(), "path", "name a file that is there", repr(str(path)))
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()  # every part against its checksum
        require(damaged is None, "path", f"{rule}, undamaged", f"{path!s} (damage in {damaged})")
        content = torch.load(path, map_location=place, weights_only=True)
    except ValueError:
        raise
    except Exception as error:  # a damaged file makes unpicklers and zip readers raise almost anything
        reason = (str(error).splitlines() or [type(error).__name__])[0][:80]
        refuse("path", rule, f"{path!s} ({reason})")
    require(
        isinstance(content, dict) and content.get("format") == form,
        "path",
        rule,
        f"{path!s}, which holds something else",
    )
    return content
