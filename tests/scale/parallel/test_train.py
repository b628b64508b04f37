"""Real runs on several processes: against one process, killed and resumed, with a worker lost."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
import torch

from chapters_src.scale.parallel import METHODS, Ended, all_reduce_bytes, launch, run_script
from chapters_src.scale.parallel.train import main

SMALL = ("--dtype", "float64", "--batch", "7", "--width", "32", "--length", "32", "--steps", "20")
NUMBERS = 8  # bytes of a number in float64


@pytest.fixture(scope="module")
def alone():
    """One process without torchrun: twenty steps on batches of seven windows."""
    return launch(0, *SMALL)


@pytest.fixture(scope="module")
def together():
    """Two processes with each method, on shares of four and three windows."""
    return {method: launch(2, *SMALL, "--method", method) for method in METHODS}


@pytest.mark.parametrize("method", METHODS)
def test_two_processes_have_the_losses_of_one(alone, together, method):
    assert len(alone["losses"]) == 20
    assert alone["losses"][-1] < alone["losses"][0] - 0.3
    assert together[method]["losses"] == pytest.approx(alone["losses"], abs=1e-6)


def test_the_rate_between_processes_is_measured_where_there_are_several(alone, together):
    assert alone["bytes_per_second"] == 0
    assert all(report["bytes_per_second"] > 1e5 for report in together.values())


def test_a_piece_is_half_of_the_whole(together):
    whole, piece = (together[method]["bytes_kept"] for method in METHODS)
    for what in ("parameters", "gradients", "optimiser"):
        assert piece[what] == pytest.approx(whole[what] / 2, rel=0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels do not count the bytes of a connection")
def test_bytes_on_the_wire_are_those_of_a_ring(together):
    report = together["replicated"]
    expected = 20 * all_reduce_bytes(NUMBERS * report["parameters"], 2)
    assert expected < report["bytes_sent"] < 1.02 * expected


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels do not count the bytes of a connection")
def test_pieces_send_two_halves_and_an_all_reduce(together):
    """Gloo has no reduce-scatter of its own: it costs an all-reduce; each all-gather costs half a vector."""
    report = together["sharded"]
    vector = NUMBERS * report["parameters"]
    assert report["bytes_sent"] / 20 / vector == pytest.approx(2, abs=0.08)


def test_three_processes_killed_half_way_go_on_as_if_nothing_had_happened(alone, tmp_path):
    """Sharded over three, one killed after step 12; replicated over two, from the checkpoint of step 10."""
    path = tmp_path / "model.pt"
    options = [*SMALL, "--checkpoint", str(path), "--every", "5"]
    with pytest.raises(
        Ended, match=r"train: process [02] ends after step 12, because another process was lost"
    ) as ended:
        launch(3, *options, "--method", "sharded", "--lose", "1:12")
    assert re.search(r"start again to go on from step 10 of .*model.pt", ended.value.said)
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.pt"]
    assert launch(2, *options)["losses"] == pytest.approx(alone["losses"], abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_two_processes_go_on_exactly(together, tmp_path, method):
    """One killed after step 12, both started again from the checkpoint of step 10: the same bits."""
    path = tmp_path / "model.pt"
    options = [*SMALL, "--checkpoint", str(path), "--method", method, "--every", "5"]
    with pytest.raises(Ended, match="another process was lost"):
        launch(2, *options, "--lose", "1:12")
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.pt"]
    assert launch(2, *options)["losses"] == together[method]["losses"]


def test_three_copies_have_the_losses_of_one(alone):
    assert launch(3, *SMALL)["losses"] == pytest.approx(alone["losses"], abs=1e-6)


def test_the_last_step_is_kept(tmp_path):
    path = tmp_path / "model.pt"
    options = ("--batch", "2", "--width", "32", "--length", "16", "--checkpoint", str(path), "--every", "10")
    main([*options, "--steps", "3"])
    assert len(torch.load(path, weights_only=True)["losses"]) == 3


def test_bfloat16_changes_the_losses_a_little():
    options = ("--batch", "4", "--width", "32", "--length", "32", "--steps", "5")
    full, low = launch(0, *options)["losses"], launch(2, *options, "--autocast")["losses"]
    assert low != full
    assert low == pytest.approx(full, abs=0.05)


STOPPED_WHILE_IT_WRITES = """\
import os, signal, sys
import torch
from chapters_src.scale.parallel import train
def half(content, file):
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGTERM)
torch.save = half
train.main(["--batch", "2", "--width", "32", "--length", "16", "--steps", "2", "--checkpoint", sys.argv[1]])
"""


def test_stopped_while_it_writes_it_leaves_the_old_checkpoint_alone(tmp_path):
    path = tmp_path / "model.pt"
    main(["--batch", "2", "--width", "32", "--length", "16", "--steps", "1", "--checkpoint", str(path)])
    before = path.read_bytes()
    (tmp_path / ".model.pt.killed").write_bytes(b"half")  # of a run that had no time to clean up
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_WHILE_IT_WRITES, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "start again to go on from step 1" in done.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.pt"]
    assert path.read_bytes() == before


def test_a_damaged_checkpoint_is_refused(tmp_path):
    path = tmp_path / "model.pt"
    path.write_bytes(b"half of a checkpoint")
    code, said = run_script(0, [*SMALL, "--checkpoint", str(path)])
    assert code != 0
    assert "path must be a checkpoint that save wrote" in said
    assert path.read_bytes() == b"half of a checkpoint"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--steps", "0"], "argument --steps: must be at least 1; got 0"),
        (["--method", "both"], "argument --method: invalid choice: 'both'"),
        (["--width", "30"], "--width must be an even multiple of --heads; got 30 and 4"),
        (["--lose", "1"], "argument --lose: must be two numbers, as in 1:12; got 1"),
        (["--lose", "1:12"], "--lose must name a process below 1; got 1"),
        (["--dtype", "float64", "--autocast"], "--autocast needs --dtype float32; got float64"),
        (["--report", "/no/such/folder/x"], "/no/such/folder/x must be in a folder that is there"),
    ],
)
def test_options_are_checked_before_anything_starts(options, message, capsys):
    with pytest.raises(SystemExit):
        main(options)
    assert message in capsys.readouterr().err


def test_fewer_windows_than_processes(capsys, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "4")
    with pytest.raises(SystemExit):
        main(["--batch", "3"])
    assert "--batch must be at least 4, one window for each process; got 3" in capsys.readouterr().err


def test_help_names_every_option(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    for option in ("--method", "--steps", "--checkpoint", "--report", "--autocast", "--lose"):
        assert option in said


def test_launch_keeps_the_report_for_itself():
    with pytest.raises(ValueError, match=r"^launch: options must leave --report to launch; got --report$"):
        launch(1, "--report", "x")


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels do not count the bytes of a connection")
def test_bytes_sent_counts_a_connection():
    script = (
        "import socket, threading\n"
        "from chapters_src.scale.parallel.processes import bytes_sent\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "one = socket.create_connection(server.getsockname())\n"
        "other, _ = server.accept()\n"
        "before = bytes_sent()\n"
        "one.sendall(b'x' * 5000)\n"
        "while len(other.recv(5000, socket.MSG_PEEK)) < 5000: pass\n"
        "print(bytes_sent() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == 5000
