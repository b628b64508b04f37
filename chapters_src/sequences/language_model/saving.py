"""Saving a run and taking it up again, so that nobody can tell from the numbers that it was interrupted."""

from __future__ import annotations

import os
import tempfile
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from chapters_src.core import checks, tensors
from chapters_src.core import device as devices
from chapters_src.sequences.language_model.gpt import GPT, Config
from chapters_src.sequences.language_model.training import Recipe, Run

__all__ = ["resume", "save"]

FORMAT = "every-line-runs/gpt/1"


def save(path: str | os.PathLike[str], run: Run) -> Path:
    """Write all that decides how a run goes on: weights, AdamW's moments, steps, generator, settings, record.

    It goes to a temporary file beside the target, which then takes the target's name in one move: whoever
    pulls the plug finds the old checkpoint or the new one, and never half of one.
    """
    if not isinstance(run, Run):
        checks.fail("save", "run", "be a Run", tensors.outline(run))
    target = _path("save", path)
    if not target.parent.is_dir():
        checks.fail("save", "path", "be in a folder that is there", repr(str(path)))
    content = {
        "format": FORMAT,
        "config": asdict(run.model.config),
        "recipe": asdict(run.recipe),
        "model": run.model.state_dict(),
        "optimiser": run.optimiser.state_dict(),
        "generator": run.generator.get_state(),
        "queue": run.queue.clone(),
        "step": run.step,
        "seconds": run.seconds,
        "losses": run.losses,
        "evaluations": [list(one) for one in run.evaluations],
    }
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return target


def resume(path: str | os.PathLike[str], device: str | torch.device | None = None) -> Run:
    """The run that `save` wrote, on a device (the cpu unless said), ready to train on.

    ``weights_only=True`` reads numbers and plain containers alone. An ordinary pickle may run any code when
    it is read; a file from elsewhere that wants to is refused here.
    """
    place = torch.device("cpu") if device is None else devices.pick(device)
    content = _content(_path("resume", path), place)
    try:
        recipe, config = Recipe(**content["recipe"]), Config(**content["config"])
        dtype = dict(content["model"])["embedding"].dtype
        model = GPT(config, devices.seed(0, place), device=place, dtype=dtype)
        model.load_state_dict(content["model"])
        generator = devices.seed(0, place)
        generator.set_state(content["generator"].cpu())
        run = Run(model, recipe, generator)
        run.optimiser.load_state_dict(content["optimiser"])
        run.queue = content["queue"].cpu()
        if run.queue.dtype != torch.long or run.queue.ndim != 1:
            raise TypeError("the places of the windows are no whole numbers")
        run.step, run.seconds = int(content["step"]), float(content["seconds"])
        run.losses.copy_(content["losses"])
        run.evaluations = [(int(step), float(s), float(value)) for step, s, value in content["evaluations"]]
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        reason = str(error).splitlines()[0][:80]
        checks.fail("resume", "path", "be a checkpoint with all its parts", f"{path!s} ({reason})")
    return run


def _content(path: Path, place: torch.device) -> dict[str, Any]:
    rule = "be a checkpoint that save wrote"
    if not path.is_file():
        checks.fail("resume", "path", "name a file that is there", repr(str(path)))
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()  # every part against its checksum
        if damaged is not None:
            checks.fail("resume", "path", f"{rule}, undamaged", f"{path!s} (damage in {damaged})")
        content = torch.load(path, map_location=place, weights_only=True)
    except ValueError:
        raise
    except Exception as error:  # a damaged file makes unpicklers and zip readers raise almost anything
        reason = (str(error).splitlines() or [type(error).__name__])[0][:80]
        checks.fail("resume", "path", rule, f"{path!s} ({reason})")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        checks.fail("resume", "path", rule, f"{path!s}, which holds something else")
    return content


def _path(function: str, path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        checks.fail(function, "path", "be the path of a file", tensors.outline(path))
    return Path(path)
