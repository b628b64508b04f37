"""Saving a run and taking it up again as if nothing had happened, and reading weights in GPT-2's layout."""

from __future__ import annotations

import math
import os
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from chapters_src.core.contract import checked, refuse, require
from chapters_src.core.device import Device, pick, seed
from chapters_src.core.readers import Ask, at_least, described
from chapters_src.core.training import unwrapped
from chapters_src.sequences.language_model.gpt import GPT, Config
from chapters_src.sequences.language_model.training import Recipe, Run

__all__ = ["from_gpt2", "resume", "save"]

FORMAT = "every-line-runs/gpt/2"
GPT2_NAMES = {
    "attention_norm": "ln_1",
    "attention.qkv": "attn.c_attn",
    "attention.out": "attn.c_proj",
    "network_norm": "ln_2",
    "feed_forward.wide": "mlp.c_fc",
    "feed_forward.back": "mlp.c_proj",
}


def file_path(ask: Ask, value: Any) -> Path:
    """The path of a file."""
    ask.require(
        isinstance(value, (str, os.PathLike)) and str(value), "be the path of a file", described(value)
    )
    return Path(value)


@checked(path=file_path)
def save(path: Any, run: Run) -> Path:
    """Write all that decides how a run goes on: weights, AdamW's moments, steps, generator, settings, record.

    It goes to a temporary file beside the target, which then takes the target's name in one move: whoever
    pulls the plug finds the old checkpoint or the new one, and never half of one.
    """
    require(path.parent.is_dir(), "path", "be in a folder that is there", repr(str(path)))
    model: Any = unwrapped(run.model)
    content = {
        "format": FORMAT,
        "config": asdict(model.config),
        "recipe": asdict(run.recipe),
        "model": model.state_dict(),
        "record": run.record.state_dict(),
        "generator": run.generator.get_state(),
        "queue": run.queue.clone(),
        "evaluations": [list(one) for one in run.evaluations],
    }
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


@checked(path=file_path)
def resume(path: Any, device: Device = None) -> Run:
    """The run that `save` wrote, on a device (the cpu unless said), ready to train on.

    ``weights_only=True`` reads numbers and plain containers alone. An ordinary pickle may run any code when
    it is read; a file from elsewhere that wants to is refused here.
    """
    place = torch.device("cpu") if device is None else pick(device)
    content = _content(path, place)
    try:
        recipe, config = Recipe(**content["recipe"]), Config(**content["config"])
        dtype = dict(content["model"])["embedding"].dtype
        model = GPT(config, seed(0, place), device=place, dtype=dtype)
        model.load_state_dict(content["model"])
        generator = seed(0, place)
        generator.set_state(content["generator"].cpu())
        run = Run(model, recipe, generator)
        run.record.load_state_dict(content["record"])
        run.queue = content["queue"].cpu()
        if run.queue.dtype != torch.long or run.queue.ndim != 1:
            raise TypeError("the places of the windows are no whole numbers")
        run.evaluations = [(int(step), float(s), float(value)) for step, s, value in content["evaluations"]]
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        reason = str(error).splitlines()[0][:80]
        refuse("path", "be a checkpoint with all its parts", f"{path!s} ({reason})")
    return run


@checked(heads=at_least(1))
def from_gpt2(state: Mapping[str, Any], heads: int, device: Device = None) -> GPT:
    """A GPT with the weights of a state dict in GPT-2's names, ``wte.weight``, ``h.0.attn.c_attn.weight``, ….

    GPT-2 keeps its matrices as d_in × d_out, where torch's layers have d_out × d_in: they are transposed. It
    adds embeddings as they are and has no factor √d: so E is divided by it, and the last norm multiplied.
    """
    given = {name.removeprefix("transformer."): value for name, value in state.items()}
    try:
        (V, d), (context, _), hidden = (
            given["wte.weight"].shape,
            given["wpe.weight"].shape,
            given["h.0.mlp.c_fc.bias"].shape[0],
        )
        layers = len({name.split(".")[1] for name in given if name.startswith("h.")})
        config = Config(V, context, d, heads, layers, hidden, "learned", "pre", "tanh gelu")
        weights = {"embedding": given["wte.weight"] / math.sqrt(d), "positions": given["wpe.weight"]}
        for kind in ("weight", "bias"):
            weights[f"last.{kind}"] = given[f"ln_f.{kind}"] * math.sqrt(d)
            for i in range(layers):
                for ours, theirs in GPT2_NAMES.items():
                    value = given[f"h.{i}.{theirs}.{kind}"]
                    weights[f"blocks.{i}.{ours}.{kind}"] = value.T if value.ndim == 2 else value
        model = GPT(config, seed(0, device), device=device, dtype=weights["embedding"].dtype)
        model.load_state_dict(weights)
    except (LookupError, TypeError, AttributeError, RuntimeError) as error:
        refuse("state", "be a state dict in GPT-2's names", str(error).splitlines()[0][:80])
    return model


def _content(path: Path, place: torch.device) -> dict[str, Any]:
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
        isinstance(content, dict) and content.get("format") == FORMAT,
        "path",
        rule,
        f"{path!s}, which holds something else",
    )
    return content
