"""Sweeps: what a configuration may say, cells that fail alone, and the same verdicts from one process, two, or a killed run."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from depthjax.runs.lock import one_writer
from depthjax.runs.records import load
from experiments import cli
from experiments.commands.sweep import SweepCommand as Command
from experiments.studies import states as _states
from experiments.studies import sweep as _sweep
from experiments.studies.configuration import Sweep, SweepError
from experiments.studies.reading import read
from experiments.studies.states import SEALS, _useless
from experiments.studies.sweep import check_seeds, run
from theory import groups
from theory.groups.depth import expressible
from theory.groups.subgroups import sign_length

SMALL = """
groups = ["C2"]
models = ["rnn"]
widths = [4]
learning_rates = [{rates}]
batches = [8]
depths = [1]
seeds = 2
length = 3
tests = 50
segments = {segments}
[recipe]
steps = {steps}
record_every = {every}
"""


def configuration(folder, rates="1e-2", steps=20, every=10, segments=2):
    file = folder / "sweep.toml"
    file.write_text(SMALL.format(rates=rates, steps=steps, every=every, segments=segments))
    return file


@pytest.mark.slow
def test_a_cell_that_fails_is_open_with_its_step_and_the_others_go_on(tmp_path):
    sweep = read(configuration(tmp_path, rates="1e-2, 1e38"))
    good, bad = run(sweep, tmp_path / "out")
    assert bad["outcome"] == "INCONCLUSIVE" and "seed 0: the loss was not finite at step" in bad["reason"]
    assert bad["failed"][0] is not None and good["failed"] == [None, None]
    assert good["predicted"] is True and good["seeds"] == 2
    assert {"sequence_1x", "sequence_2x", "token_1x", "prefix_2x"} <= set(good["tests"])
    written = (tmp_path / "out" / "verdicts.jsonl").read_text()
    assert "<svg" in (tmp_path / "out" / "figure.svg").read_text()
    found = []
    run(sweep, tmp_path / "out", finished=lambda cell, dataset, before: found.append(before))
    assert found == [True, True] and (tmp_path / "out" / "verdicts.jsonl").read_text() == written


def test_seeds_that_cannot_give_a_verdict_are_refused_before_training(tmp_path, capsys, monkeypatch):
    trained = []
    monkeypatch.setattr(_sweep, "run", lambda *given, **options: trained.append(given) or [])
    file = configuration(tmp_path)  # two seeds
    assert cli.main(["sweep", str(file), "--out", str(tmp_path / "out")]) == 2
    assert cli.main(["sweep", str(file), "--out", str(tmp_path / "out"), "--processes", "2"]) == 2
    complaint = " ".join(capsys.readouterr().err.split())
    assert "2 seeds cannot give a verdict even if all of them do as predicted; 7 would" in complaint
    assert "--unjudged" in complaint and not trained and not (tmp_path / "out").exists()
    assert cli.main(["sweep", str(file), "--out", str(tmp_path / "out"), "--unjudged"]) == 0 and len(trained) == 1
    enough = tmp_path / "enough.toml"
    enough.write_text(file.read_text().replace("seeds = 2", "seeds = 7"))
    assert cli.main(["sweep", str(enough), "--out", str(tmp_path / "out")]) == 0 and len(trained) == 2


def test_the_default_seeds_and_those_of_the_help_can_give_a_verdict(tmp_path):
    check_seeds(Sweep())
    lines = (Command.__doc__ or "").splitlines()
    example = [line for line in lines if " = " in line or line.strip().startswith("[")]
    file = tmp_path / "help.toml"
    file.write_text("\n".join(line.strip() for line in example))
    sweep = read(file)
    assert len(sweep.groups) * len(sweep.models) * len(sweep.depths) == 8
    check_seeds(sweep)
    check_seeds(Sweep(models=("transformer",), seeds=1))  # theory is silent: nothing could be judged with any seeds
    with pytest.raises(SweepError, match="no group"):
        check_seeds(Sweep(groups=("Z",)))


def test_who_can_follow_which_group():
    lengths = {"C2": 1, "C3": None, "C4": 2, "D4": 2, "Q8": 2, "S3": None, "A5": None}
    assert {name: sign_length(groups.group(name)) for name in lengths} == lengths
    can = lambda model, group, depth: expressible(model, groups.group(group), depth)  # noqa: E731
    assert [can("aussm", "S3", depth) for depth in (1, 2, 3)] == [False, True, True]
    assert not can("aussm", "A5", 60) and not can("mamba", "C2", 60) and can("lstm", "A5", 1)
    assert can("transformer", "S3", 2) is None


@pytest.mark.slow
def test_two_processes_one_of_them_killed_and_resumed_say_what_one_process_says(tmp_path):
    file = configuration(tmp_path, steps=3000, every=100, segments=30)
    variables = {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "JAX_PLATFORMS": "cpu",
    }
    environment = os.environ | variables

    def sweep(out, *options):
        command = [
            sys.executable,
            "-m",
            "experiments.cli",
            "sweep",
            str(file),
            "--out",
            str(tmp_path / out),
            "--unjudged",
            *options,
        ]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    alone = sweep("alone", "--json")
    parent = sweep("pair", "--processes", "2")
    states = tmp_path / "pair" / "states"
    while parent.poll() is None and not list(states.glob("*/depth-1/1*")):
        time.sleep(0.02)
    (watched,) = _children(parent.pid)
    os.kill(_children(watched)[1], 9)
    _, complaint = parent.communicate(timeout=120)
    assert parent.returncode == 2
    assert (
        "process 1 of 2 was killed by signal 9; nothing that was finished is lost: run the same command with --resume"
        in complaint
    )
    assert not (tmp_path / "pair" / "verdicts.jsonl").exists()
    again = sweep("pair", "--processes", "2", "--resume")
    again.communicate(timeout=300)
    printed, _ = alone.communicate(timeout=300)
    assert again.returncode == alone.returncode == 3  # two seeds are too few for a verdict
    texts = [(tmp_path / out / "verdicts.jsonl").read_text() for out in ("alone", "pair")]
    assert texts[0] == texts[1]
    assert json.loads(texts[0]) == json.loads(printed)["cells"][0]
    assert np.isfinite(json.loads(texts[0])["best"]["sequence_1x"])


def _children(pid):
    """The processes that a process has started; a command starts one, which does the work, and watches it."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def _listening(pids):
    """Addresses at which processes listen, as /proc/net writes them."""
    sockets = set()
    for pid in pids:
        for descriptor in Path(f"/proc/{pid}/fd").glob("*"):
            with contextlib.suppress(OSError):
                sockets.add(os.readlink(descriptor))
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return {line[1].rpartition(":")[0] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in sockets}


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc, and all of 127 is this machine")
def test_processes_listen_where_they_were_told_and_nowhere_else(tmp_path):
    file = configuration(tmp_path, steps=3000, every=100, segments=30)
    with socket.socket() as probe:
        probe.bind(("127.0.0.2", 0))
        place = f"127.0.0.2:{probe.getsockname()[1]}"
    variables = {
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "JAX_PLATFORMS": "cpu",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    words = "-m", "experiments.cli", "sweep", file, "--unjudged", "--out", tmp_path / "out", "--processes", 2
    commands = [[sys.executable, *map(str, words), "--coordinator", place, "--process", number] for number in "01"]
    quiet = {"env": os.environ | variables, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes, seen = [subprocess.Popen(command, **quiet) for command in commands], set()
    while any(process.poll() is None for process in processes):
        seen |= _listening([child for process in processes for child in _children(process.pid)])
        time.sleep(0.05)
    assert [process.returncode for process in processes] == [3, 3]
    assert {address[-8:] for address in seen} == {"0200007F"}  # 127.0.0.2, for all addresses of either family


CELL = "group=C2,model=rnn,width=4,rate=0.01,batch=8"


def _flipped(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


@pytest.mark.slow
def test_damaged_cells_and_states_are_trained_again_and_named(tmp_path):
    sweep, out = read(configuration(tmp_path, segments=2)), tmp_path / "out"
    run(sweep, out)
    cell, group = out / "cells" / f"{CELL}.nc", out / "states" / CELL / "depth-1"
    verdicts, numbers = (out / "verdicts.jsonl").read_text(), load(cell)

    def again(damaged: Path) -> list[int]:
        said, found, segments = [], [], []
        tell = {"finished": lambda name, dataset, before: found.append(before), "warn": said.append}
        run(sweep, out, watch=lambda name, segment: segments.append(segment.step), **tell)
        assert found == [False] and (out / "verdicts.jsonl").read_text() == verdicts
        xr.testing.assert_identical(load(cell).drop_attrs(), numbers.drop_attrs())
        assert len(said) == 1 and str(damaged) in said[0], said
        return segments

    for content in (b"", b"CDF\x02 half", cell.read_bytes()[:-20]):
        cell.write_bytes(content)
        assert again(cell) == []  # the states are whole
    cell.unlink()
    _flipped(group / "2.safetensors")
    assert again(group / "2.safetensors") == [20]
    cell.unlink()
    (out / "states" / CELL / SEALS).write_text("{}")
    assert again(out / "states" / CELL) == [10, 20]


ONE, TWO = "1.safetensors", "2.safetensors"


def _stored(folder: Path, origin) -> Path:
    """States as two segments of one group leave them."""
    groups = {"depth-1": {}}
    (folder / "depth-1").mkdir(parents=True)
    for step in (ONE, TWO):
        (folder / "depth-1" / step).write_bytes(b"state " + step.encode())
        groups["depth-1"][step] = _states._checksum(folder / "depth-1" / step)
    (folder / SEALS).write_text(json.dumps({"origin": dict(origin), "groups": groups}))
    return folder


def test_cells_and_states_of_other_code_are_not_used(tmp_path, monkeypatch):
    cells = _states.Folder(tmp_path / "out", {"a": 1}, ["x"], print)
    cells.keep("x", xr.Dataset({"loss": ("seed", [1.0, 2.0])}))
    folder, said = _stored(cells.folder("x"), cells.origins["x"]), []
    assert list(_states.Folder(tmp_path / "out", {"a": 1}, ["x"], said.append).found) == ["x"] and not said
    monkeypatch.setattr(_states, "source_digest", lambda *modules: "edited")
    assert not _states.Folder(tmp_path / "out", {"a": 1}, ["x"], said.append).found
    expected = "x.nc is of other source code: trained again", "x holds states of other source code: removed"
    assert all(words in line for words, line in zip(expected, said, strict=True)), said
    assert not folder.exists()


def _replaced(path, directory=False):
    _states._remove(path, path.parent)
    path.mkdir() if directory else path.write_text("not a directory")


ORIGIN = {"cell": "x", "source": "0123"}
STATES = {  # what happens, what is left, what is said
    "nothing": (lambda folder: None, {ONE, TWO}, []),
    "a byte": (lambda folder: _flipped(folder / "depth-1" / TWO), {ONE}, [f"depth-1/{TWO} is a damaged state"]),
    "an older byte": (lambda folder: _flipped(folder / "depth-1" / ONE), {TWO}, [f"depth-1/{ONE} is a damaged state"]),
    "a file less": (lambda folder: (folder / "depth-1" / TWO).unlink(), {ONE}, []),
    "a folder for a step": (lambda folder: _replaced(folder / "depth-1" / TWO, True), {ONE}, [f"depth-1/{TWO} is a damaged"]),
    "a step without a seal": (lambda folder: (folder / "depth-1/3.safetensors").write_bytes(b"3"), {ONE, TWO}, []),
    "a file for a group": (lambda folder: _replaced(folder / "depth-1"), set(), ["depth-1 is a damaged state"]),
    "no seals": (lambda folder: (folder / SEALS).unlink(), set(), ["holds states without a seal"]),
    "damaged seals": (lambda folder: (folder / SEALS).write_text('{"origin": 3'), set(), ["holds states without a seal"]),
    "a directory for seals": (lambda folder: _replaced(folder / SEALS, True), set(), ["holds states without a seal"]),
    "a file for all": (lambda folder: _replaced(folder), set(), ["holds states without a seal"]),
}


@pytest.mark.parametrize("case", STATES)
def test_states_that_nobody_can_go_on_from_are_removed_by_name(tmp_path, case):
    act, left, words = STATES[case]
    folder = _stored(tmp_path / "x", ORIGIN)
    act(folder)
    said = list(_useless(folder, ORIGIN, tmp_path))
    assert {step.name for step in folder.glob("depth-1/*")} == left
    assert len(said) == len(words) and all(word in line for word, line in zip(words, said, strict=True))
    assert list(_useless(folder, ORIGIN, tmp_path)) == []


@pytest.mark.parametrize("origin", [ORIGIN | {"source": "9"}, ORIGIN | {"cell": "y"}, ORIGIN | {"versions": "jax 9"}], ids=str)
def test_states_of_another_origin_are_removed(tmp_path, origin):
    (said,) = _useless(_stored(tmp_path / "x", ORIGIN), origin, tmp_path)
    assert str(tmp_path / "x") in said and not (tmp_path / "x").exists()


def test_a_second_sweep_in_the_same_directory_is_refused(tmp_path, capsys):
    file, out = configuration(tmp_path), tmp_path / "out"
    with one_writer(out):
        for more in ([], ["--resume"], ["--processes", "2"]):
            assert cli.main(["sweep", str(file), "--unjudged", "--out", str(out), *more]) == 2
            assert f"in use by process {os.getpid()} on " in capsys.readouterr().err
