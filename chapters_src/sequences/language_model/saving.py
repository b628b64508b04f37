"""Saving a run and taking it up again as if nothing had happened, and reading weights in GPT-2's layout."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from chapters_src.core.checkpoints import file_path, read_whole, write_whole
from chapters_src.core.contract import checked, refuse
from chapters_src.core.device import Device, pick, seed
from chapters_src.core.readers import Refusal, at_least
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


@checked(path=file_path)
def save(path: Any, run: Run) -> Path:
    """Write all that decides how a run goes on: weights, AdamW's moments, steps, generator, settings, record.

    Whoever pulls the plug finds the old checkpoint or the new one, and never half of one.
    """
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
    return write_whole(path, content)


@checked(path=file_path)
def resume(path: Any, device: Device = None) -> Run:
    """The run that `save` wrote, on a device (the cpu unless said), ready to train on."""
    place = torch.device("cpu") if device is None else pick(device)
    content = read_whole(path, FORMAT, place)
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
    try:
        given = {name.removeprefix("transformer."): value for name, value in state.items()}
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
    except Refusal:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        refuse("state", "be a state dict in GPT-2's names", str(error).splitlines()[0][:80])
    return model
