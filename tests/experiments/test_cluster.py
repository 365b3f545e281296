"""Runs on a cluster of processes of this machine: lost workers, a lost scheduler, and workers that are refused."""

import contextlib
import dataclasses
import json
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import distributed
import msgpack
import numpy as np
import pytest
import xarray as xr

from depthjax import verify
from depthjax.runs import cluster, provenance
from depthjax.runs.cluster import Cluster, ClusterError
from depthjax.runs.executor import Gone, Here
from depthjax.runs.lock import one_writer
from depthjax.runs.origin import source_digest
from depthjax.runs.records import LOCK, load
from depthjax.training import Recipe
from experiments import cli
from experiments.studies import session
from experiments.studies.configuration import Sweep
from experiments.studies.sweep import run as run_sweep
from tests import toys as written

ROOT = Path(cli.__file__).parents[1]
SWEEP = """
groups = ["C2"]
models = ["rnn"]
widths = [4]
learning_rates = [1e-2, 3e-3]
batches = [8]
depths = [1]
seeds = 2
length = 3
tests = 50
segments = 30
[recipe]
steps = 3000
record_every = 100
"""


class Machines:
    """A scheduler, its workers, and commands that use them, each a process of its own."""

    def __init__(self, folder: Path):
        self.folder, self.log, self.processes = folder, folder / "log", []
        variables = {
            "PYTHONPATH": f"{ROOT}{os.pathsep}{written.folder()}",
            "DEPTHJAX_CATALOGUE": "toys",
            "JAX_PLATFORMS": "cpu",
        }
        variables |= {"TOYS_LOG": str(self.log), "TOYS_SLEEP": "0.5", "XDG_CACHE_HOME": str(folder / "cache")}
        self.environment = os.environ | variables
        self.log.touch()
        self.scheduler = self.python("distributed.cli.dask_scheduler", "--port=0", "--no-dashboard", "--scheduler-file=s.json")
        file = folder / "s.json"
        self.wait(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def python(self, module, *words, folder=".", **variables):
        command, environment = [sys.executable, "-m", module, *map(str, words)], self.environment | variables
        process = subprocess.Popen(
            command, cwd=self.folder / folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.processes.append(process)
        return process

    def worker(self, *words, **variables):
        fixed = "--nthreads=1", "--no-nanny", "--no-dashboard", "--host=127.0.0.1"
        (self.folder / "elsewhere").mkdir(exist_ok=True)
        return self.python("distributed.cli.dask_worker", self.address, *fixed, *words, folder="elsewhere", **variables)

    def depthjax(self, *words):
        return self.python("experiments.cli", *words)

    def measured(self):
        return self.log.read_text().split()

    def wait(self, until):
        deadline = time.monotonic() + 120
        while not until():
            assert time.monotonic() < deadline, "nothing happened for two minutes"
            time.sleep(0.05)

    def wait_for_workers(self, number):
        def there():
            with contextlib.suppress(ClusterError), Cluster(self.address) as connected:
                return connected.width == number

        self.wait(there)

    def end(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.communicate()


@pytest.fixture
def machines(tmp_path):
    made = Machines(tmp_path)
    yield made
    made.end()


def ended(process, code):
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, err
    return out, err


def same(folder, *runs):
    """Nothing but times may differ."""
    files = [folder / run / "verdicts.jsonl" for run in runs]
    lines = [[json.loads(line) | {"seconds": None, "date": None} for line in file.read_text().splitlines()] for file in files]
    assert lines[0] == lines[1]
    for file in (folder / runs[0]).glob("*.nc"):
        xr.testing.assert_identical(load(file), load(folder / runs[1] / file.name))


@pytest.mark.slow
def test_a_killed_worker_loses_nothing_and_a_killed_scheduler_is_resumed(machines, tmp_path):
    workers = [machines.worker(), machines.worker()]
    claim = "verify", "many_cells", "--size=full", "--json"
    run = machines.depthjax(*claim, "--out=away", f"--cluster={machines.address}")
    machines.wait(lambda: len(list(tmp_path.glob("away/cells/many_cells/*.nc"))) >= 2)
    workers[0].kill()
    printed, _ = ended(run, 0)
    assert [entry["outcome"] for entry in json.loads(printed)["verdicts"]] == ["SUPPORTED"]
    measured = machines.measured()
    assert set(measured) == {f"part={part}" for part in range(6)}
    assert len(measured) <= 7  # all once, but the one that the killed worker was at
    ended(machines.depthjax(*claim, "--out=alone"), 0)
    same(tmp_path, "away", "alone")

    (tmp_path / "small.toml").write_text(SWEEP)
    machines.worker()
    run = machines.depthjax("sweep", "small.toml", "--unjudged", "--out=trained", f"--cluster={machines.address}")
    machines.wait(lambda: list(tmp_path.glob("trained/states/*/depth-1/1*")))
    workers[1].kill()
    _, said = ended(run, 3)  # two seeds are too few for a verdict
    assert said.count("trained ") == 2
    ended(machines.depthjax("sweep", "small.toml", "--unjudged", "--out=trained alone"), 3)
    texts = [(tmp_path / out / "verdicts.jsonl").read_text() for out in ("trained", "trained alone")]
    assert texts[0] == texts[1] and len(texts[0].splitlines()) == 2

    _, said = ended(machines.depthjax("verify", "true_bound", "--out=other", f"--cluster={machines.address}"), 2)
    assert "has compiled for runs of another size (full, paper and sweeps): restart the worker" in said
    before = len(machines.measured())
    run = machines.depthjax(*claim, "--out=broken", f"--cluster={machines.address}")
    machines.wait(lambda: len(list(tmp_path.glob("broken/cells/many_cells/*.nc"))) >= 2)
    machines.scheduler.kill()
    _, said = ended(run, 2)
    assert f"the scheduler at {machines.address} is gone; nothing that was finished is lost" in said
    assert "Traceback" not in said and not (tmp_path / "broken" / "verdicts.jsonl").exists()
    kept = len(list(tmp_path.glob("broken/cells/many_cells/*.nc")))
    ended(machines.depthjax(*claim, "--out=broken", "--resume"), 0)
    assert kept >= 2 and len(machines.measured()) - before <= 7
    same(tmp_path, "broken", "alone")


@pytest.mark.slow
def test_a_worker_with_other_versions_is_refused_and_workers_with_gpus_get_all_cells(machines, tmp_path):
    other = tmp_path / "other" / "jax-0.0.1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: jax\nVersion: 0.0.1\n")
    wrong = machines.worker(PYTHONPATH=f"{other.parent}{os.pathsep}{machines.environment['PYTHONPATH']}")
    claim = "verify", "true_bound", "--out=run", f"--cluster={machines.address}"
    _, said = ended(machines.depthjax(*claim), 2)
    assert said.count("\n") == 1 and "has jax 0.0.1 (this process: " in said and "install the same there" in said
    assert not (tmp_path / "run").exists()
    machines.worker("--resources", "GPU=1")
    machines.worker("--resources", "GPU=1")
    machines.wait_for_workers(2)
    _, said = ended(machines.depthjax(*claim), 0)
    assert "SUPPORTED" in said and wrong.poll() is None


@pytest.mark.slow
def test_a_session_uses_the_workers_and_its_numbers_are_those_of_the_command(machines, toys, tmp_path):
    machines.worker(), machines.worker()
    (tmp_path / "small.toml").write_text(SWEEP.replace("3000", "300"))
    machines.wait_for_workers(2)
    # claims first: a sweep makes a device of every core, and verdicts say how many devices there were
    judged = verify.run("true_bound", size="full", out=tmp_path / "judged", cluster=machines.address)
    assert judged.verdicts["true_bound"].outcome is verify.Outcome.SUPPORTED
    ended(machines.depthjax("verify", "true_bound", "--size=full", "--out=by command"), 0)
    same(tmp_path, "judged", "by command")
    found = session.run_sweep(tmp_path / "small.toml", tmp_path / "away", unjudged=True, cluster=machines.address)
    assert set(found.cells) == {file.stem for file in (tmp_path / "away" / "cells").glob("*.nc")} and len(found.cells) == 2
    ended(machines.depthjax("sweep", "small.toml", "--unjudged", "--out=alone"), 3)
    texts = [(tmp_path / out / "verdicts.jsonl").read_text() for out in ("away", "alone")]
    assert texts[0] == texts[1] and len(found.verdicts) == 2


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(cluster, "SECONDS", 0.5)


ADDRESSES = {
    **dict.fromkeys(["tcp://127.0.0.1:1", "tcp://127.0.0.1:99999999"], "no scheduler answers at {!r} within 0.5 seconds"),
    "tls://127.0.0.1:1": "{!r} asks for TLS, and Dask has no certificate of an authority: set distributed.comm.tls.ca-file",
    **dict.fromkeys(["nonsense", "", "ftp://127.0.0.1:8786", "tcp://127.0.0.1"], "{!r} is no address of a scheduler"),
}


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("command", ["verify true_bound", "sweep small.toml --unjudged"])
def test_an_address_where_nobody_listens(toys, run, impatient, tmp_path, command, address):
    (tmp_path / "small.toml").write_text(SWEEP)
    code, out, said = run(*command.split(), "--out=o", f"--cluster={address}")
    assert code == 2 and not out and said.count("\n") == 1, said
    assert ADDRESSES[address].format(address) in said
    assert not Path("o").exists()


@pytest.mark.parametrize("greeting", [b"", b"SSH-2.0-OpenSSH_9.2\r\n"], ids=["silent", "another protocol"])
def test_an_address_where_something_else_answers(toys, run, impatient, tmp_path, greeting):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address, kept = f"tcp://127.0.0.1:{server.getsockname()[1]}", []

        def greet():
            with contextlib.suppress(OSError):  # the server is closed at the end
                while True:
                    kept.append(server.accept()[0])
                    kept[-1].sendall(greeting)

        threading.Thread(target=greet, daemon=True).start()
        code, out, said = run("verify", "true_bound", "--out=o", f"--cluster={address}")
        for connection in kept:
            connection.close()
    assert code == 2 and not out and said.count("\n") == 1 and f"no scheduler answers at {address!r}" in said, said


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda out: session.run_sweep(Sweep(), out, cluster="tcp://127.0.0.1:1"),
            "no scheduler answers at 'tcp://127.0.0.1:1'",
        ),
        (lambda out: verify.run("true_bound", out=out, cluster="nonsense"), "'nonsense' is no address"),
        (lambda out: verify.run("true_bound", out=out, cluster="tcp://a:1", jobs=2), "jobs = 2: a cluster needs out"),
        (lambda out: verify.run("true_bound", cluster="tcp://a:1"), "no out: a cluster needs out"),
    ],
    ids=["sweep", "claims", "jobs", "no out"],
)
def test_a_session_says_that_a_cluster_cannot_be_used(toys, impatient, tmp_path, monkeypatch, call, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ClusterError, match=words) as caught:
        call(tmp_path / "out")
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())


class Hired:
    """What a cell sees of its worker."""

    address = "tcp://there:1"

    def __init__(self):
        self.events = []

    def log_event(self, topic, message):
        self.events.append((topic, message))


@pytest.fixture
def setting(toys, tmp_path, monkeypatch):
    worker = Hired()
    monkeypatch.setattr("distributed.get_worker", lambda: worker)
    monkeypatch.setattr(cluster, "_compiles", None)
    monkeypatch.setattr(cluster, "configure", lambda **options: None)
    abacus = {"device": "an abacus"}
    modules = ("toys.small.true_bound",)
    with one_writer(tmp_path):
        signed = (tmp_path / LOCK).read_text()
        source = source_digest(*modules)
        yield cluster.Setting(tmp_path, signed, source, modules, {"brief": True}, {}, abacus, ask=lambda: abacus)


def test_a_worker_stops_when_another_process_has_signed_the_directory(setting):
    def cell(tell):
        tell(1, 6)
        (setting.directory / LOCK).write_text("somebody else")
        with contextlib.suppress(Exception):  # what a claim may catch
            tell(2, 6)

    with pytest.raises(cluster.Abandoned):
        cluster._run(setting, cell, "topic", 7)
    assert cluster._run(dataclasses.replace(setting, signature="somebody else"), lambda tell: 5, "topic", 7) == 5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"signature": "of another run"}, "--out must be a folder that all workers see"),
        ({"directory": Path("nowhere")}, "does not see the run in nowhere"),
        ({"source": "0123456789abcdef"}, "has other source code than this process"),
        ({"modules": ("nowhere.to.be_found",)}, "cannot find nowhere.to.be_found: install it there"),
        ({"options": {"brief": False}}, "has compiled for runs of another size (test and quick): restart the worker"),
        ({"numerics": {"device": "a GPU"}}, "worker tcp://there:1 has device an abacus (the others: a GPU)"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_worker_that_would_give_other_numbers_refuses(setting, change, words):
    cluster._run(setting, lambda tell: None, "topic", 1)
    with pytest.raises(ClusterError) as caught:
        cluster._run(dataclasses.replace(setting, **change), lambda tell: None, "topic", 1)
    assert words in str(caught.value) and "\n" not in str(caught.value)


class Done:
    """A future of a scheduler."""

    def __init__(self, status, value=None):
        self.status, self.value = status, value

    def result(self):
        return self.value

    exception = result


@pytest.mark.parametrize(
    ("done", "kind", "words"),
    [
        (Done("error", ValueError("seven")), ValueError, "seven"),
        (Done("error", distributed.KilledWorker("task", None, 3)), Gone, "every worker that measured it was lost"),
        (Done("cancelled"), ClusterError, "the scheduler at tcp://here:1 is gone; nothing that was finished is lost"),
        (Done("lost"), ClusterError, "--resume"),
    ],
    ids=["fails", "kills workers", "cancelled", "lost"],
)
def test_what_becomes_of_a_cell(done, kind, words):
    found = Future()
    Cluster("tcp://here:1")._close(done, found)
    with pytest.raises(kind, match=words) as caught:
        found.result()
    assert not isinstance(caught.value, Gone) or not caught.value.again


class Wire(Cluster):
    """A cluster of one worker in this process: cells and events cross as bytes."""

    width = 1

    def agree(self, directory, modules, options, ask=provenance.numerics):
        assert directory.is_absolute()
        self.events, self.precision, self.locked = [], options["precision"], (directory / LOCK).exists()
        return dict(ask())

    def submit(self, cell, tell):
        def heard(*event):
            self.events.append(event)
            tell(*msgpack.unpackb(msgpack.packb(event)))

        return Here().submit(pickle.loads(pickle.dumps(cell)), heard)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def test_cells_of_a_sweep_cross_the_wire_and_say_when_they_are_about_to_write(tmp_path):
    sweep = Sweep(
        groups=("C2",), models=("rnn",), widths=(4,), batches=(8,), depths=(1,), seeds=2, length=3, tests=10, segments=2
    )
    sweep = dataclasses.replace(sweep, recipe=Recipe(steps=8, warmup=1, record_every=4))
    seen, wire = [], Wire("tcp://here:1")
    run_sweep(sweep, tmp_path / "away", cluster=wire, watch=lambda cell, segment: seen.append(segment))
    session.run_sweep(sweep, tmp_path / "alone", unjudged=True)
    assert len({(tmp_path / out / "verdicts.jsonl").read_text() for out in ("away", "alone")}) == 1
    assert [segment.step for segment in seen] == [4, 8] and isinstance(seen[0].losses, np.ndarray)
    assert [len(event) for event in wire.events] == [0, len(seen[0])] * 2  # before each state, and after each segment


def test_a_session_hands_its_cells_to_the_cluster(toys, tmp_path, monkeypatch):
    wires = []

    def connected(address):
        wires.append(Wire(address))
        return wires[-1]

    for module in ("depthjax.session", "experiments.studies.session"):
        monkeypatch.setattr(f"{module}.connected", connected)
    monkeypatch.chdir(tmp_path)
    sweep = Sweep(models=("rnn",), widths=(4,), batches=(8,), depths=(1,), seeds=2, length=3, tests=10, segments=1)
    sweep = dataclasses.replace(sweep, recipe=Recipe(steps=4, warmup=1, record_every=4))
    found = session.run_sweep(sweep, "away", unjudged=True, cluster="tcp://here:1")
    judged = verify.run("true_bound", size="test", out="judged", cluster="tcp://here:2")
    assert len(found.cells) == len(found.verdicts) == 1 and found.figure
    assert judged.outcome is verify.Outcome.SUPPORTED and judged.report.exists()
    assert [(wire.address, wire.precision, wire.locked) for wire in wires] == [
        ("tcp://here:1", "float32", True),
        ("tcp://here:2", "float64", True),
    ]
    assert all(wire.events for wire in wires)
