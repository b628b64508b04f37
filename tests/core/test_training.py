"""The one loop: against itself written out, in pieces, on meta, and in several processes."""

from __future__ import annotations

import itertools
import os

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from chapters_src.core.contract import refuse
from chapters_src.core.modules import linear
from chapters_src.core.training import TrainingRun, loss_of, train, unwrapped

torch.set_num_threads(1)
X = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
Y = X @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.1


def fresh():
    model = linear(3, 1, torch.Generator().manual_seed(1))
    return model, torch.optim.Adam(model.parameters(), lr=0.1)


def squared_error(model, rows):
    return ((model(X[rows]) - Y[rows]) ** 2).mean()


def drawn(seed=2):
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield torch.randint(40, (8,), generator=generator)


def falling(step):
    return 0.1 / (1 + step)


def same_weights(a, b):
    return all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=True))


def test_it_is_the_loop_everybody_writes():
    model, adam = fresh()
    run = train(model, squared_error, drawn(), adam, 12, rate=falling, clip=0.7)
    by_hand, other = fresh()
    batches = drawn()
    for step in range(12):
        other.param_groups[0]["lr"] = falling(step)
        loss = squared_error(by_hand, next(batches))
        other.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(by_hand.parameters(), 0.7)
        other.step()
        assert run.losses[step] == loss.detach()
    assert same_weights(model, by_hand) and run.step == 12 and run.seconds > 0


def test_it_learns():
    model, adam = fresh()
    run = train(model, squared_error, drawn(), adam, 400)
    assert run.losses[0] > 1 and run.losses[-1] < 1e-4


@settings(max_examples=10)
@given(cuts=st.lists(st.integers(0, 9), max_size=4))
def test_in_pieces_is_in_one_go(cuts):
    whole, adam = fresh()
    expected = train(whole, squared_error, drawn(), adam, 9, rate=falling)
    model, other = fresh()
    batches, run = drawn(), None
    for until in [*sorted(cuts), 9]:
        run = train(model, squared_error, batches, other, until, rate=falling, run=run)
    assert torch.equal(run.losses, expected.losses) and same_weights(whole, model)


def test_saved_and_loaded_it_goes_on():
    whole, adam = fresh()
    expected = train(whole, squared_error, drawn(), adam, 9)
    model, other = fresh()
    run = train(model, squared_error, drawn(), other, 4)
    saved = {"run": run.state_dict(), "model": model.state_dict()}
    model, other = fresh()
    model.load_state_dict(saved["model"])
    again = TrainingRun(other)
    again.load_state_dict(saved["run"])
    train(model, squared_error, itertools.islice(drawn(), 4, None), other, 9, run=again)
    assert torch.equal(again.losses, expected.losses) and same_weights(whole, model)
    assert again.step == 9 and again.seconds > run.seconds


def test_only_what_the_optimiser_holds_learns():
    model = nn.Sequential(linear(3, 4, torch.Generator().manual_seed(0)), linear(4, 1, torch.Generator()))
    kept = model[0].weight.detach().clone()
    moved = model[1].weight.detach().clone()
    train(model, squared_error, drawn(), torch.optim.SGD(model[1].parameters(), lr=0.1), 3)
    assert torch.equal(model[0].weight, kept) and not torch.equal(model[1].weight, moved)


def test_after_every_step():
    model, adam = fresh()
    seen = []
    run = train(model, squared_error, drawn(), adam, 5, after=lambda run: seen.append((run.step, run)))
    assert seen == [(i, run) for i in range(1, 6)]


def test_the_last_batch_is_the_last_one_drawn():
    taken = []
    model, adam = fresh()
    train(model, squared_error, (taken.append(i) or torch.arange(8) for i in itertools.count()), adam, 3)
    assert taken == [0, 1, 2]


def test_meta():
    model = linear(3, 1, torch.Generator(), device="meta")
    loss = lambda model, rows: model(rows).square().mean()  # noqa: E731
    batches = itertools.repeat(torch.empty(8, 3, device="meta"))
    run = train(model, loss, batches, torch.optim.Adam(model.parameters()), 3, clip=1.0)
    assert run.losses.device.type == "meta" and run.step == 3


def _one_of_two(rank, port, folder):
    """Half of each batch in this process; what it learned goes to a file."""
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
    torch.distributed.init_process_group("gloo", rank=rank, world_size=2)
    model, _ = fresh()
    wrapped = nn.parallel.DistributedDataParallel(model)
    assert unwrapped(wrapped) is model
    halves = (rows[4 * rank : 4 * rank + 4] for rows in drawn())
    train(wrapped, squared_error, halves, torch.optim.SGD(wrapped.parameters(), lr=0.1), 6, clip=1.0)
    torch.save(model.state_dict(), f"{folder}/{rank}.pt")
    os._exit(0)  # taking gloo apart could wait for ever, for a thread of its own that waits for Python


def test_two_processes_are_one_with_the_whole_batch(tmp_path):
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.start_processes(
        _one_of_two, (port, str(tmp_path)), nprocs=2, start_method="fork"
    )  # what is imported already need not be imported again
    model, _ = fresh()
    train(model, squared_error, drawn(), torch.optim.SGD(model.parameters(), lr=0.1), 6, clip=1.0)
    for rank in range(2):
        found = torch.load(tmp_path / f"{rank}.pt", weights_only=True)
        assert all(
            torch.allclose(found[name], value, atol=1e-6) for name, value in model.state_dict().items()
        )


def test_unwrapped_leaves_a_plain_model_alone():
    model, _ = fresh()
    assert unwrapped(model) is model


model, adam = fresh()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": None}, "train: model must be a Module; got None"),
        ({"loss": 3}, "train: loss must be a function; got 3"),
        ({"batches": 3}, "train: batches must be something to loop over; got 3"),
        ({"batches": [torch.arange(8)]}, "train: batches must last for 2 steps; got 1 of them"),
        ({"optimiser": "adam"}, "train: optimiser must be an Optimizer; got 'adam'"),
        ({"steps": -1}, "train: steps must be at least 0; got -1"),
        ({"steps": 10**18}, "train: steps must be at most 1000000000; got"),
        ({"rate": 0.1}, "train: rate must be a function; got 0.1"),
        ({"clip": 0.0}, "train: clip must be above 0; got 0"),
        ({"after": 1}, "train: after must be a function; got 1"),
        ({"run": 1}, "train: run must be a TrainingRun; got 1"),
        ({"run": TrainingRun(fresh()[1])}, "train: optimiser must be the one of the run that goes on"),
        ({"progress": 1}, "train: progress must be True or False; got 1"),
    ],
)
def test_bad_input(change, message):
    good = {
        "model": model, "loss": squared_error, "batches": drawn(), "optimiser": adam, "steps": 2,
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        train(**{**good, **change})


def test_a_batch_that_cannot_be_taken_is_named_and_other_refusals_pass():
    model, _ = fresh()
    assert loss_of(model, squared_error, [0, 1]) == squared_error(model, [0, 1])
    with pytest.raises(
        ValueError, match=r"^batch must be what the loss and the model take; got IndexError: "
    ):
        loss_of(model, squared_error, [40])
    with pytest.raises(ValueError, match=r"^steps must be 3; got 2$"):
        loss_of(model, lambda model, batch: refuse("steps", "be 3", batch), 2)
