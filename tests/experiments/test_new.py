"""`depthjax new`: what it writes runs as it is, by path, by module, and installed in an environment of its own."""

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from experiments import cli
from experiments.commands.new import EXAMPLE

ROOT = Path(cli.__file__).parents[1]


def test_a_new_claim_runs_as_it_is(run):
    code, out, _ = run("new", "my_claim", "--in", "mine")
    command = out.splitlines()[-1].split()
    assert code == 0 and command == ["depthjax", "verify", "mine/my_claim", "--size", "test"]
    assert 60 <= sum(len(file.read_text().splitlines()) for file in EXAMPLE.glob("*.py")) < 80
    code, out, err = run(*command[1:], "--json", "--jobs", 1)
    assert out, err
    (entry,) = json.loads(out)["verdicts"]
    assert code == 0 and entry["outcome"] == "SUPPORTED" and entry["controls"] and len(entry["rivals"]) == 2
    before = Path("mine/my_claim/claim.py").read_bytes()
    code, out, err = run("new", "my_claim", "--in", "mine")
    assert (code, out) == (2, "") and "mine/my_claim/__init__.py exists, and nothing is overwritten" in err
    assert Path("mine/my_claim/claim.py").read_bytes() == before


def test_a_new_package_is_written_whole_or_not_at_all(run):
    code, out, _ = run("new", "my_claim", "--package", "mypackage")
    assert code == 0 and [line.split()[0] for line in out.splitlines()[1:]] == ["depthjax", "python", "depthjax", "python"]
    for name in ("mypackage/mypackage/claims/my_claim", "mypackage/mypackage/claims"):
        (row,) = json.loads(run("list", name, "--json")[1])["claims"]
        assert row["origin"]["package"] == "mypackage.claims" and row["origin"]["kind"] == "named"
    Path("mypackage/pyproject.toml").unlink()
    code, _, err = run("new", "my_claim", "--package", "mypackage")
    assert code == 2 and "exists" in err and not Path("mypackage/pyproject.toml").exists()


@pytest.mark.slow
def test_a_new_package_is_installed_in_a_fresh_environment_and_verified(run, monkeypatch, tmp_path):
    for tool in ("pip", "hatchling"):
        pytest.importorskip(tool)
    run("new", "my_claim", "--package", "mypackage")
    venv.create(tmp_path / "fresh", with_pip=False, symlinks=True)
    python = tmp_path / "fresh" / "bin" / "python"
    (site,) = (tmp_path / "fresh" / "lib").glob("python*/site-packages")
    (site / "running.pth").write_text("\n".join([str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))]))
    monkeypatch.delenv("PYTHONPATH", raising=False)

    def call(*command, code=0):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=tmp_path / "elsewhere")
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    (tmp_path / "elsewhere").mkdir()
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "-q"]
    call(sys.executable, "-m", "pip", "--python", python, "install", *offline, tmp_path / "mypackage")
    rows = {row["slug"]: row for row in json.loads(call(python, "-m", "experiments.cli", "list", "--json"))["claims"]}
    origin = rows["my_claim"]["origin"]
    assert (origin["kind"], origin["package"]) == ("entry point", "mypackage.claims") and str(site) in origin["file"]
    assert len(rows) > 60  # it joins this project's claims
    verify = [python, "-m", "experiments.cli", "verify", "my_claim", "--size", "test", "--json"]
    (entry,) = json.loads(call(*verify, "--out", "mine"))["verdicts"]
    assert entry["outcome"] == "SUPPORTED"
    call(python, "-m", "experiments.cli", "replay", "mine", entry["witness"])
    said = call(python, "-m", "experiments.mutants", "run", "my_claim", "--jobs", "1")
    assert "3 of 3 mutants noticed" in said and (site / "mypackage" / "claims" / "mutants.json").exists()
    # the copy that is not installed has the same name
    done = subprocess.run([*map(str, verify[:4]), str(tmp_path / "mypackage/mypackage/claims")], capture_output=True, text=True)
    assert done.returncode == 2 and "has this name already" in done.stderr
