"""``verify --resume``: what stands, what is run again and why, and who may write."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import xarray as xr

from depthjax.runs.lock import one_writer
from depthjax.runs.records import RunDirectory, Settings, load
from experiments import cli
from tests import toys as written


@pytest.fixture
def verify(toys, monkeypatch, capsys, tmp_path):
    """Run `verify --out run` in an empty folder on the toys; returns code, entries by slug, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def call(*arguments):
        code = cli.main(["verify", *arguments, "--out=run", "--jobs=1", "--json"])
        out, err = capsys.readouterr()
        return code, {entry["slug"]: entry for entry in (json.loads(out)["verdicts"] if out else [])}, err

    return call


def lines():
    return [json.loads(line) for line in Path("run/verdicts.jsonl").read_text().splitlines()]


def rewrite(*records):
    Path("run/verdicts.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def test_what_is_finished_stands(verify):
    verify("true_bound")
    before = Path("run/verdicts.jsonl").read_bytes()
    code, entries, said = verify("--resume")
    assert (code, set(entries)) == (0, {"true_bound"})
    assert "run again" not in said and "1 finished before, 0 to go" in said
    assert Path("run/verdicts.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"source": "0123456789abcdef"}, "other source code"),
        ({"seed": 3}, "seed 3 (now 0)"),
        ({"precision": "float32"}, "precision float32 (now float64)"),
        ({"device": "an abacus"}, "device an abacus"),
        ({"versions": {"jax": "0.1"}}, "versions jax 0.1"),
        ({"surroundings": {"threads": "3"}}, "jax_options unknown (now"),
        (None, "no measurement"),
    ],
    ids=str,
)
def test_a_verdict_of_something_else_is_run_again(verify, change, words):
    verify("true_bound", "exact_counts")
    first, second = lines()
    other = {} if change is None else first["provenance"] | change
    rewrite(first | {"provenance": other}, second)
    code, entries, said = verify("--resume")
    assert code == 0
    assert f"{first['slug']}: finished, but of" in said and words in said and "run again" in said
    assert [line["slug"] for line in lines()] == [first["slug"], second["slug"], first["slug"]]
    source, again = (entry["provenance"]["source"] for entry in (first, entries[first["slug"]]))
    assert again == source
    assert entries[first["slug"]]["findings"] == first["findings"]


@pytest.mark.parametrize("field", ["seconds", "controls", "where", "provenance", "claim", "predicted", "outcome", "slug"])
def test_a_line_that_lacks_a_field_is_run_again(verify, field):
    verify("true_bound")
    (line,) = lines()
    rewrite({name: value for name, value in line.items() if name != field})
    assert cli.main(["report", "run"]) == 2  # no verdicts yet, and no traceback
    code, entries, said = verify("--resume")
    assert code == 0 and set(entries) == {"true_bound"}
    assert f"line 1 is not a verdict ({field} is None" in said
    assert len(lines()) == 2


@pytest.mark.parametrize("settings", [("test", 3, "float32"), ("quick", 0, "float64")])
@pytest.mark.parametrize("folder", ["run", "my run"])
def test_a_run_without_verdicts_names_the_command_that_goes_on_with_it(capsys, monkeypatch, tmp_path, settings, folder):
    monkeypatch.chdir(tmp_path)
    begun = RunDirectory.create(Path(folder), Settings(*settings, ("group_tower_exact",)))
    assert cli.main(["report", folder]) == 2
    (command,) = re.findall("`depthjax (.*)`", capsys.readouterr().err)
    said = cli.command(shlex.split(command))
    assert said.resume and Settings(said.size, said.seed, said.precision, begun.settings.slugs) == begun.settings
    assert said.out == begun.path


def test_what_a_killed_writer_has_begun_is_no_run_and_does_not_stay(verify):
    Path("run").mkdir()
    Path("run/.run.json.x1y2.partial").write_text("{")
    assert verify("true_bound", "--resume")[0] == 0
    Path("run/cells/true_bound/.000.nc.x1y2.partial").write_text("CDF")
    assert verify("--resume")[0] == 0
    assert list(Path("run").rglob(".*")) == []


@pytest.mark.parametrize("more", [(), ("--resume",)])
def test_a_second_writer_is_refused_in_one_line(verify, more):
    verify("true_bound")
    before = {file: file.read_bytes() for file in Path("run").rglob("*") if file.is_file()}
    with one_writer(Path("run")):
        code, _, said = verify("true_bound", *more)
        assert cli.main(["report", "run"]) == 0  # readers need no lock
        assert cli.main(["replay", "run", "true_bound/scale=2.0"]) == 0
    assert code == 2
    assert said.splitlines() == [line for line in said.splitlines() if f"in use by process {os.getpid()} on " in line]
    assert {file for file in before if before[file] != file.read_bytes()} <= {Path("run/report.html")}


@pytest.mark.slow
def test_a_measurement_edited_before_the_resume_is_measured_again_everywhere(tmp_path):
    written.write_toys(tmp_path, "mine", ("small/true_bound", "small/exact_counts"))
    variables = {"PYTHONPATH": str(tmp_path), "DEPTHJAX_CATALOGUE": "mine", "JAX_PLATFORMS": "cpu"}

    def verify(out, *options):
        command = [sys.executable, "-m", "experiments.cli", "verify", "--jobs=1", f"--out={tmp_path / out}", *options]
        return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True)

    assert verify("edited").returncode == 0
    rest = (tmp_path / "edited" / "verdicts.jsonl").read_text().splitlines()
    (tmp_path / "edited" / "verdicts.jsonl").write_text(next(line for line in rest if "exact_counts" in line) + "\n")
    next((tmp_path / "edited").glob("cells/true_bound/001*")).unlink()  # as if killed in the middle
    module = tmp_path / "mine" / "small" / "true_bound" / "measure.py"
    module.write_text(module.read_text().replace("(16,)))", "(16,))) / 1.001"))
    resumed, fresh = verify("edited", "--resume"), verify("fresh")
    assert resumed.returncode == fresh.returncode == 0
    assert "is of other source code (and 1 more of true_bound): measured again" in resumed.stderr
    assert "exact_counts" not in resumed.stderr  # its code is what it was
    xr.testing.assert_identical(load(tmp_path / "edited" / "true_bound.nc"), load(tmp_path / "fresh" / "true_bound.nc"))
