"""Checkpoints: a run that was stopped and taken up again is the run that was not, bit for bit."""

from __future__ import annotations

import os
import pickle

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chapters_src.sequences.language_model import saving as checkpoint
from chapters_src.sequences.language_model.evaluation import total_nats
from chapters_src.sequences.language_model.gpt import GPT, Config
from chapters_src.sequences.language_model.saving import resume, save
from chapters_src.sequences.language_model.training import Recipe, Run

torch.set_num_threads(1)


def seeded(n):
    return torch.Generator().manual_seed(n)


tokens = torch.randint(7, (300,), generator=seeded(1))


def start(dtype=torch.float32, **options):
    shape = {"vocabulary": 7, "context": 6, "d": 8, "heads": 2, "layers": 2, "dropout": 0.2}
    config = Config(**{**shape, **options})
    return Run(GPT(config, seeded(0), dtype=dtype), Recipe(20, 4, 6, 1e-2, 3), seeded(2))


def same(one, other):
    """All that decides how the runs go on, and what they noted."""
    for a, b in zip(one.model.state_dict().values(), other.model.state_dict().values(), strict=True):
        assert torch.equal(a, b)
    for a, b in zip(one.record.optimiser.state.values(), other.record.optimiser.state.values(), strict=True):
        assert all(torch.equal(a[key], b[key]) for key in ("step", "exp_avg", "exp_avg_sq"))
    assert torch.equal(one.generator.get_state(), other.generator.get_state())
    assert torch.equal(one.losses, other.losses) and torch.equal(one.queue, other.queue)
    assert (one.step, one.recipe, one.model.config) == (other.step, other.recipe, other.model.config)
    return True


def measure(model):
    return total_nats(model, tokens[:40])


@pytest.mark.parametrize("options", [{}, {"position": "relative"}, {"position": "learned", "tied": False}])
@pytest.mark.parametrize("stop", [0, 1, 7, 20])
def test_stopped_and_resumed_equals_not_stopped(tmp_path, stop, options):
    whole = start(**options).train(tokens, every=5, evaluate=measure)
    first = start(**options).train(tokens, stop, every=5, evaluate=measure)
    path = save(tmp_path / "run.pt", first)
    second = resume(path)
    assert same(first, second) and second.evaluations == first.evaluations
    second.train(tokens, every=5, evaluate=measure)
    assert same(whole, second)
    assert [(s, v) for s, _, v in second.evaluations] == [(s, v) for s, _, v in whole.evaluations]


def test_double_precision_stays(tmp_path):
    run = start(torch.float64).train(tokens, 5)
    assert same(run.train(tokens, 5), resume(save(tmp_path / "run.pt", run)))
    assert resume(tmp_path / "run.pt").model.embedding.dtype == torch.float64


def test_saving_is_atomic(tmp_path, monkeypatch):
    """A crash while writing, or while moving, leaves the old checkpoint and nothing else."""
    run, path = start(), tmp_path / "run.pt"
    save(path, run)
    before = path.read_bytes()
    run.train(tokens, 3)

    def half(content, file):
        file.write(b"half of it")
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(torch, "save", half)
        with pytest.raises(OSError, match="full"):
            save(path, run)
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.Path, "replace", lambda self, target: (_ for _ in ()).throw(OSError("gone")))
        with pytest.raises(OSError, match="gone"):
            save(path, run)
    assert path.read_bytes() == before and [one.name for one in tmp_path.iterdir()] == ["run.pt"]
    save(path, run)
    assert resume(path).step == 3 and [one.name for one in tmp_path.iterdir()] == ["run.pt"]


class Trap:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return (os.system, ("exit 1",))


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"PK\x03\x04 no archive"),
        lambda path: path.write_text("a letter"),
        lambda path: path.write_bytes(pickle.dumps({"format": checkpoint.FORMAT})),
        lambda path: torch.save({"weights": torch.ones(3)}, path),
        lambda path: torch.save([1, 2], path),
        lambda path: torch.save(torch.ones(2), path),
        lambda path: torch.save({"format": checkpoint.FORMAT}, path),
        lambda path: torch.save({"format": checkpoint.FORMAT, "trap": Trap()}, path),
        lambda path: path.mkdir(),
        lambda path: None,
    ],
)
def test_foreign_files_are_refused(tmp_path, write):
    path = tmp_path / "run.pt"
    write(path)
    with pytest.raises(ValueError, match=r"^resume: path must .+; got ") as caught:
        resume(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("part", ["config", "recipe", "model", "record", "generator", "queue", "evaluations"])
@pytest.mark.parametrize("value", [None, {}, torch.ones(3)])
def test_a_part_that_is_missing_or_wrong_is_refused(tmp_path, part, value):
    path = save(tmp_path / "run.pt", start())
    content = torch.load(path, weights_only=True)
    if part == "evaluations" and value == {}:
        value = [1, 2]  # an empty collection of evaluations is fine
    torch.save({**content, part: value}, path)
    with pytest.raises(ValueError, match=r"^resume: path must be a checkpoint with all its parts; got "):
        resume(path)
    del content[part]
    torch.save(content, path)
    with pytest.raises(ValueError, match=r"^resume: path must be a checkpoint with all its parts; got "):
        resume(path)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1, exclude_max=True), cut=st.booleans())
def test_damage_is_refused_or_harmless(tmp_path, share, cut):
    """A file cut short, or with one byte changed anywhere: refused, or (in a date, say) the same run."""
    run = start().train(tokens, 2)
    path = save(tmp_path / "run.pt", run)
    content = bytearray(path.read_bytes())
    at = int(share * len(content))
    content[at] ^= 0x55
    path.write_bytes(content[:at] if cut else content)
    try:
        found = resume(path)
    except ValueError:
        found = None
    assert found is None or (not cut and same(run, found))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: save("run.pt", None), "save: run must be a Run; got None"),
        (lambda: save(3, start()), "save: path must be the path of a file; got 3"),
        (lambda: save("/no/such/folder/run.pt", start()), "save: path must be in a folder that is there"),
        (lambda: resume(None), "resume: path must be the path of a file; got None"),
        (lambda: resume("/no/such/file"), "resume: path must name a file that is there"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
