"""The runner: verdicts, controls, keys, failures, processes, kills."""

import dataclasses
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import jax
import numpy as np
import pytest
import xarray as xr

from depthjax.runs.claims import Share, local, run_claims, run_module, trained_first
from depthjax.runs.executor import Gone, Here
from depthjax.runs.measuring import cell_key
from depthjax.runs.pool import Pool
from depthjax.runs.records import RunDirectory, Settings, load
from depthjax.runs.runner import control_outcome, measure_share, replay_cell, run_claim
from depthjax.runs.sides import Sides
from depthjax.runs.stated import NoCell
from depthjax.verify import Experiment, Outcome
from depthjax.verify.experiment import claim_of
from depthjax.verify.quantity import attach
from tests import toys as written


@pytest.fixture
def directory(tmp_path):
    def make(*slugs: str, **changes) -> RunDirectory:
        settings = {"size": "quick", "seed": 0, "precision": "float64", "slugs": slugs, "catalogue": "toys"} | changes
        return RunDirectory.create(tmp_path / f"run{len(list(tmp_path.iterdir()))}", Settings(**settings))

    return make


@pytest.mark.parametrize(
    ("name", "outcome", "reason"),
    [
        ("small.true_order", "SUPPORTED", ""),
        ("small.true_bound", "SUPPORTED", ""),
        ("small.exact_counts", "SUPPORTED", ""),
        ("small.false_bound", "REFUTED", "passes the bound"),
        ("small.not_a_number", "INCONCLUSIVE", "nan"),
        ("small.raises", "INCONCLUSIVE", "mass 3 is not below log 2 at all"),
    ],
)
def test_outcomes_and_reasons(toys, directory, name, outcome, reason):
    run = directory()
    entry = run_claim(toys(name), run)
    assert entry["outcome"] == outcome
    assert reason in entry["reason"]
    if outcome == "SUPPORTED":
        assert {one["outcome"] for one in entry["controls"] + entry["rivals"]} == {"REFUTED"}
        assert (run.path / entry["figure"]).read_text().startswith("<?xml")
        assert not (run.path / "errors").exists()


def test_a_failure_leaves_its_traceback(toys, directory):
    run = directory()
    run_claim(toys("small.raises"), run)
    assert "Traceback" in (run.path / "errors" / "raises.txt").read_text()


def test_float32_is_refused_where_float64_is_needed(toys, directory):
    run = directory(precision="float32")
    entry = run_claim(toys("small.true_order"), run)
    assert entry["outcome"] == "INCONCLUSIVE"
    assert "needs float64" in entry["reason"]
    assert not (run.path / "cells").exists()


def test_numbers_depend_on_seed_claim_and_cell_only(toys, directory):
    alone = directory()
    run_claim(toys("large.many_cells"), alone)
    together = directory()
    run_claim(toys("small.false_bound"), together)
    run_claim(toys("large.many_cells"), together)
    other = directory(seed=1)
    run_claim(toys("large.many_cells"), other)
    first, second, third = (load(run.path / "many_cells.nc") for run in (alone, together, other))
    xr.testing.assert_identical(first, second)
    assert not np.array_equal(first["draw"], third["draw"])
    assert len(np.unique(first["draw"])) == first["draw"].size


def test_keys_differ_by_every_part():
    keys = [
        cell_key(0, "a", "b"),
        cell_key(1, "a", "b"),
        cell_key(0, "b", "b"),
        cell_key(0, "a", "c"),
        cell_key(0, "a", "b", "d"),
    ]
    assert len({tuple(jax.random.key_data(key).tolist()) for key in keys}) == len(keys)


def test_a_finished_cell_is_not_run_again(toys, directory, monkeypatch, tmp_path):
    monkeypatch.setenv("TOYS_LOG", str(tmp_path / "log"))
    run = directory()
    first = run_claim(toys("large.many_cells"), run)
    second = run_claim(toys("large.many_cells"), run)
    assert len((tmp_path / "log").read_text().splitlines()) == 6
    assert first["measured"] == second["measured"]


def _a_directory(file):
    file.unlink()
    file.mkdir()


def _another_cell(file):
    shutil.copy(next(file.parent.glob("003*")), file)


def _another_claim(file):
    shutil.copy(next(file.parents[1].glob("false_bound/000*")), file)


DAMAGES = {
    "garbage": (lambda file: file.write_bytes(b"CDF\x02 half"), "cannot be read"),
    "half": (lambda file: file.write_bytes(file.read_bytes()[:300]), ""),
    "no bytes": (lambda file: file.write_bytes(b""), "cannot be read"),
    "a directory": (_a_directory, "cannot be read"),
    "another cell": (_another_cell, "is of cell part=3 (now part=2)"),
    "another claim": (_another_claim, "slug false_bound (now many_cells)"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_cell_that_cannot_be_used_is_measured_again_and_named(toys, directory, monkeypatch, tmp_path, damage):
    run, said = directory(), []
    run_claim(toys("small.false_bound"), run)
    run_claim(toys("large.many_cells"), run)
    first = load(run.path / "many_cells.nc")
    act, words = DAMAGES[damage]
    act(next(run.path.glob("cells/many_cells/002*")))
    monkeypatch.setenv("TOYS_LOG", str(tmp_path / "log"))
    run_claim(toys("large.many_cells"), run, warn=said.append)
    xr.testing.assert_identical(load(run.path / "many_cells.nc"), first)
    assert (tmp_path / "log").read_text() == "part=2\n"
    assert len(said) == 1 and words in said[0] and "002-part=2.nc" in said[0] and said[0].endswith(": measured again")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 7}, "seed 0 (now 7)"),
        ({"size": "full"}, "size quick (now full)"),
        ({"precision": "float32"}, "precision float64 (now float32)"),
        ({"source": "edited"}, "other source code"),
        ({"versions": "jax 0.1"}, "versions"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_cells_of_another_origin_are_not_mixed_with_new_ones(toys, directory, monkeypatch, change, words):
    old, said = directory(), []
    run_claim(toys("large.many_cells"), old)
    settings = {name: value for name, value in change.items() if name in ("seed", "size", "precision")}
    if "source" in change:
        monkeypatch.setattr("depthjax.runs.cells.source_digest", lambda module: change["source"])
    if "versions" in change:
        usual = Sides.measuring
        numerics = {"versions": "jax 0.1"}
        monkeypatch.setattr(
            Sides, "measuring", lambda self, *a: usual(self, *a) | numerics if a[0] == "numerics" else usual(self, *a)
        )
    new, alone = directory(**settings), directory(**settings)
    shutil.copytree(old.path / "cells", new.path / "cells")
    next(new.path.glob("cells/many_cells/000*")).unlink()  # an unfinished run
    run_claim(toys("large.many_cells"), new, warn=said.append)
    run_claim(toys("large.many_cells"), alone)
    xr.testing.assert_identical(load(new.path / "many_cells.nc"), load(alone.path / "many_cells.nc"))
    assert len(said) == 1 and words in said[0] and "(and 4 more of many_cells): measured again" in said[0]


def test_every_seed_that_jax_takes_can_be_stored(toys, directory):
    assert run_claim(toys("small.true_bound"), directory(seed=2**32 - 1))["outcome"] == "SUPPORTED"


def test_replay_gives_the_same_numbers(toys, directory):
    run = directory()
    run_claim(toys("small.true_bound"), run)
    again, findings = replay_cell(toys("small.true_bound"), run, "scale=20.0")
    stored = load(run.path / "true_bound.nc").set_index(cell="scale").sel(cell=20.0)
    np.testing.assert_array_equal(again["draw"], stored["draw"])
    assert findings[0].outcome is Outcome.SUPPORTED
    with pytest.raises(NoCell, match=r"scale=2\.0, scale=20\.0"):
        replay_cell(toys("small.true_bound"), run, "scale=3.0")


def test_progress_counts_the_cells_of_controls_too(toys, directory):
    seen = []
    run_claim(toys("small.exact_counts"), directory(), lambda done, total: seen.append((done, total)))
    assert seen == [(done, 6) for done in range(7)]


POWERS = """
@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    layers: int = axis(3, 10, 40)

GRIDS = dict.fromkeys(GRIDS, Sizes())

def predict(cell):
    return Prediction(2**cell.layers, of="order")
"""
POWERS_MEASURED = """
import numpy as np
from depthjax.verify import Quantity, measured

def measure(cell, key):
    return measured(order=Quantity(np.int64(2**cell.layers)))
"""


def test_a_control_is_measured_where_it_speaks(rooms, directory):
    claim = (
        POWERS
        + """
CONTROLS = (control("one more", measure="one_more", where=lambda cell: {where}),)
"""
    )
    measure = (
        POWERS_MEASURED
        + """
def one_more(cell, key):
    return measured(order=Quantity(np.int64(2**cell.layers + 1)))
"""
    )

    def run(where) -> tuple[dict, list, list]:
        seen, path = [], directory()
        found = run_claim(rooms.write(claim.replace("{where}", where), measure), path, lambda *counts: seen.append(counts))
        return found, list(path.path.glob("cells/*/*.nc")), seen

    found, files, seen = run("cell.layers > 3")
    assert found["outcome"] == "SUPPORTED" and seen[-1] == (5, 5), found["reason"]
    found, files, seen = run("False")
    assert found["outcome"] == "INCONCLUSIVE" and len(files) == 3 and seen[-1] == (3, 3)
    assert found["controls"][0]["reason"] == "it says nothing of any cell"


def test_a_control_that_finds_something_else_than_is_known_of_it_stays_open(rooms, directory):
    claim = (
        POWERS
        + """
def known(cell):
    return Prediction(2**cell.layers + {more}, of="order") if cell.layers != {silent} else None

CONTROLS = (control("one more", measure="one_more", finds=known),)
"""
    )
    measure = (
        POWERS_MEASURED
        + """
def one_more(cell, key):
    return measured(order=Quantity(np.int64(2**cell.layers + 1 + (cell.layers == 10))))
"""
    )

    def run(more, silent) -> dict:
        return run_claim(rooms.write(claim.replace("{more}", more).replace("{silent}", silent), measure), directory())

    right, wrong, elsewhere = run("1", "10"), run("1", "3"), run("2 * (cell.layers == 10)", "3")
    assert right["outcome"] == "SUPPORTED", right["reason"]
    assert right["controls"][0]["found"] == "order is 9, predicted 9"
    assert wrong["outcome"] == elsewhere["outcome"] == "INCONCLUSIVE"
    assert "“one more” was not refuted" in wrong["reason"] and "something else than is known of it" in wrong["reason"]
    assert "order is 1026, predicted 1025" in wrong["reason"]


def test_a_control_must_be_refuted_everywhere_unless_it_says_otherwise(toys, directory):
    from depthjax.verify import Prediction, judge

    claim = claim_of(toys("small.false_bound"))
    data = xr.Dataset({"draw": (("cell", "sample"), np.array([[0.48], [0.9]]))})
    data = attach(data, "draw", "floor", 0.0)
    verdict = judge(claim, [Prediction(0.5, of="draw")] * 2, data)
    assert control_outcome("n", "s", False, verdict, ["a", "b"]).outcome is Outcome.REFUTED
    everywhere = control_outcome("n", "s", True, verdict, ["a", "b"])
    assert everywhere.outcome is Outcome.SUPPORTED
    assert everywhere.reason == "a: it fits"
    far = judge(claim, [Prediction(0.5, of="draw")] * 2, data.assign(draw=data["draw"].copy(data=[[0.08], [0.9]])))
    everywhere = control_outcome("n", "s", True, far, ["a", "b"])
    assert everywhere.outcome is Outcome.INCONCLUSIVE
    assert everywhere.reason.startswith("a: loose")


def test_a_module_that_is_no_claim_is_inconclusive(toys, directory):
    entry = run_module("toys.small.nowhere", directory().path, lambda *event: None)
    assert entry["outcome"] == "INCONCLUSIVE"
    assert "there is no module 'toys.small.nowhere': a claim is a folder" in entry["reason"]


def test_what_is_trained_goes_first():
    claims = [f"experiments.{name}" for name in ("no.such", "attention.cycle_rounds", "attention.hop_training_depth")]
    assert trained_first(claims) == [claims[2], *claims[:2]]


def nothing(*event):
    return None


def test_shares_measure_every_cell_once_and_the_whole_judges_them(toys, directory, monkeypatch, tmp_path):
    monkeypatch.setenv("TOYS_LOG", str(tmp_path / "log"))
    run, alone, seen = directory(), directory(), []
    for number in range(4):
        measure_share(toys("large.many_cells"), run, number, 4, lambda done, total: seen.append((done, total)))
    assert (tmp_path / "log").read_text().split() == [f"part={part}" for part in (0, 4, 1, 5, 2, 3)]
    assert [done for done, total in seen] == [0, 1, 2, 0, 1, 2, 0, 1, 0, 1] and {total for _, total in seen} == {6}
    entries = [run_claim(toys("large.many_cells"), where) for where in (run, alone)]
    assert len((tmp_path / "log").read_text().split()) == 12  # the whole one measured nothing again
    assert entries[0]["findings"] == entries[1]["findings"] and entries[0]["outcome"] == "SUPPORTED"
    xr.testing.assert_identical(*(load(where.path / "many_cells.nc") for where in (run, alone)))


def test_shares_measure_the_cells_of_controls_too(toys, directory):
    run, alone = directory(), directory()
    for number in range(2):
        measure_share(toys("small.exact_counts"), run, number, 2)
    run_claim(toys("small.exact_counts"), alone)
    names = [sorted(file.name for file in where.path.glob("cells/*/*.nc")) for where in (run, alone)]
    assert names[0] == names[1] and len(names[0]) == 6


@pytest.mark.parametrize("name", ["small.raises", "small.true_order"])
def test_a_share_that_cannot_measure_leaves_the_words_to_the_whole(toys, directory, name):
    run = directory(precision="float32")
    measure_share(toys(name), run, 0, 2)
    assert sorted(file.name for file in run.path.iterdir()) == ["run.json"]


class Lossy(Here):
    """Four processes wide, and loses the first share of a claim."""

    width = 4

    def __init__(self, again):
        self.again, self.submitted = again, []

    def submit(self, cell, tell):
        self.submitted.append((cell.number, cell.of))
        if cell.number == 1:
            future = super().submit(nothing, tell)
            future._exception = Gone("its process died", again=self.again)
            return future
        tell("a reason")
        return super().submit(cell, tell)


@pytest.mark.parametrize("again", [True, False])
def test_claims_are_dealt_out_where_processes_would_be_idle(toys, directory, monkeypatch, tmp_path, again):
    monkeypatch.setenv("TOYS_LOG", str(tmp_path / "log"))
    run, executor, seen, said = directory("many_cells"), Lossy(again), [], []
    tell = {"progress": lambda *event: seen.append(event), "finished": nothing, "warn": said.append}
    run_claims(["toys.large.many_cells"], run, executor, **tell)
    found = run.verdicts()["many_cells"]
    measured = (tmp_path / "log").read_text().split()
    assert executor.submitted == [(0, 4), (1, 4), (2, 4), (3, 4)] + [(0, 1)] * again
    assert said == ["a reason"] * (3 + again)
    assert found["outcome"] == ("SUPPORTED" if again else "INCONCLUSIVE")
    assert len(measured) == len(set(measured)) == (6 if again else 4)
    assert [done for _, done, _ in seen][:5] == [0, 1, 2, 2, 3]  # of all shares together
    assert seen[-1] == ("many_cells", 6 if again else 4, 6)
    if not again:
        assert found["reason"] == "its process died"


def test_as_many_claims_as_processes_are_not_dealt_out(toys, directory):
    run, executor = directory("true_bound", "exact_counts"), Lossy(True)
    executor.width = 2
    run_claims(["toys.small.true_bound", "toys.small.exact_counts"], run, executor, progress=nothing, finished=nothing)
    assert executor.submitted == [(0, 1), (0, 1)] and len(run.verdicts()) == 2
    assert Share("toys.small.true_bound", run.path).of == 1


def test_an_accelerator_has_patience(monkeypatch):
    assert local(2, patience=3.0).patience == 3.0
    monkeypatch.setattr("depthjax.runs.claims.accelerated", lambda: True)
    assert local(2, patience=3.0).patience == float("inf")


@pytest.mark.slow
def test_a_process_that_dies_takes_no_other_claim_along(toys, directory, monkeypatch, tmp_path):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    here = tmp_path / "here"
    here.mkdir()
    for name in ("socket.py", "pickle.py", "depthjax.py"):  # nothing of the current folder is imported
        (here / name).write_text("raise SystemExit(9)")
    monkeypatch.chdir(here)
    slugs = ("dies", "many_cells", "true_bound")
    run, seen = directory(*slugs), []
    modules = ["toys.large.dies", "toys.large.many_cells", "toys.small.true_bound"]
    with Pool(2) as executor:
        run_claims(modules, run, executor, progress=nothing, finished=lambda entry: seen.append(entry["slug"]))
    found = run.verdicts()
    assert sorted(seen) == sorted(slugs)
    assert found["many_cells"]["outcome"] == found["true_bound"]["outcome"] == "SUPPORTED"
    assert found["dies"]["outcome"] == "INCONCLUSIVE"
    assert "process died" in found["dies"]["reason"]


def test_a_measurement_may_work_longer_than_the_patience(toys, directory, monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    run = directory("works_long")
    with local(2, patience=0.1) as executor:
        run_claims(["toys.large.works_long"], run, executor, progress=nothing, finished=nothing)
    assert run.verdicts()["works_long"]["outcome"] == "SUPPORTED"


@pytest.mark.slow
def test_a_claim_that_stands_still_twice_is_open(toys, directory, monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    run = directory("stands_still")
    with Pool(1, patience=0.25) as executor:
        run_claims(["toys.large.stands_still"], run, executor, progress=nothing, finished=nothing)
    entry = run.verdicts()["stands_still"]
    assert entry["outcome"] == "INCONCLUSIVE"
    assert "stood still for 0.25 minutes" in entry["reason"]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_resumes_without_loss_or_repetition(tmp_path, jobs):
    log, out = tmp_path / "log", tmp_path / "broken"
    environment = os.environ | {
        "PYTHONPATH": str(written.folder()),
        "DEPTHJAX_CATALOGUE": "toys",
        "JAX_PLATFORMS": "cpu",
        "TOYS_LOG": str(log),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    command = [
        sys.executable,
        "-m",
        "experiments.cli",
        "verify",
        "false_bound",
        "many_cells",
        f"--jobs={jobs}",
        "--json",
        "--out",
    ]
    process = subprocess.Popen([*command, out], env=environment | {"TOYS_SLEEP": "0.4"}, stdout=-3, stderr=-3)
    deadline = time.monotonic() + 60
    while len(list(out.glob("cells/many_cells/*.nc"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(1)  # workers notice that their parent is gone
    before = log.read_text().splitlines()
    kept = {file.name for file in out.glob("cells/many_cells/*.nc")}
    assert 2 <= len(kept) < 6
    resumed = subprocess.run([*command, out, "--resume"], env=environment, capture_output=True, text=True)
    assert resumed.returncode == 1, resumed.stderr
    after = log.read_text().splitlines()[len(before) :]
    assert len(after) == 6 - len(kept)
    whole = subprocess.run([*command, tmp_path / "whole"], env=environment, capture_output=True, text=True)
    xr.testing.assert_identical(load(out / "many_cells.nc"), load(tmp_path / "whole" / "many_cells.nc"))
    measured = [
        [(e["slug"], e["outcome"], e["measured"]) for e in json.loads(run.stdout)["verdicts"]] for run in (resumed, whole)
    ]
    assert measured[0] == measured[1]
    assert [line["slug"] for line in map(json.loads, (out / "verdicts.jsonl").read_text().splitlines())].count(
        "many_cells"
    ) == 1


def test_drawn_objects_follow_the_seed_and_the_cell(toys):
    def drawn(cell, seed):
        return seed

    usual = Experiment.of(importlib.import_module(toys("small.exact_counts")))
    found = dataclasses.replace(usual, objects=drawn)
    cells = found.grids["quick"].cells()
    numbers = [found.given(cell, seed)[0] for cell in cells for seed in (0, 1)]
    assert len(set(numbers)) == len(numbers) and all(0 <= number < 2**63 for number in numbers)
    assert found.made(drawn, cells[0], 1) == found.given(cells[0], 1)[0]
    assert usual.given(cells[0], 7) == ({"elements": 3},)
