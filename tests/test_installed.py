"""What only an installation can break: the console script, entry points, files of data, and worker processes elsewhere."""

import importlib.metadata
import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from depthjax.runs import catalogue

SCRIPT = Path(sys.executable).with_name("depthjax")
DATA = {
    "depthjax": ["py.typed", "__init__.pyi", "*/__init__.pyi"],
    "theory": ["py.typed", "__init__.pyi", "*/__init__.pyi"],
    "experiments": [
        "py.typed",
        "networks/__init__.pyi",
        "*.json",
        "mutants/*.toml",
        "figures/*.svg",
        "studies/*.toml",
        "studies/*/*.json",
    ],
}


@pytest.fixture
def depthjax(tmp_path):
    """Run the console script in an empty folder; returns its standard output."""
    if not SCRIPT.exists():
        pytest.skip("the packages are beside the tests, and not installed")
    surroundings = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}

    def call(*arguments):
        command = [str(SCRIPT), *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return call


@pytest.mark.parametrize(("package", "name"), [(package, name) for package, names in DATA.items() for name in names])
def test_files_of_data_are_there(package, name):
    assert any(Path(str(files(package))).glob(name))


@pytest.mark.parametrize(
    ("group", "name"), [("depthjax.claims", "depthjax"), ("hypothesis", "depthjax"), ("console_scripts", "depthjax")]
)
def test_an_entry_point_leads_to_what_it_names(group, name):
    (entry,) = {entry.value: entry for entry in importlib.metadata.entry_points(group=group, name=name)}.values()
    assert entry.load() is not None


def test_the_script_knows_every_claim_its_verdict_and_its_bounds(depthjax):
    rows = {row["slug"] for row in json.loads(depthjax("list", "--json"))["claims"]}
    own = {slug for slug, module in catalogue.modules().items() if catalogue.origin(module).package == catalogue.OWN}
    assert rows >= own and len(own) > 60
    assert "SUPPORTED" in depthjax("show", "truncation_order")
    assert "3 abelian layers" in depthjax("bound", "tower", "--letters", "2", "--layers", "3")


@pytest.mark.slow
def test_a_new_claim_is_verified_by_worker_processes(depthjax, tmp_path):
    command = depthjax("new", "my_claim", "--in", "mine").splitlines()[-1].split()[1:]
    (entry,) = json.loads(depthjax(*command, "--jobs", "2", "--json", "--out", "found"))["verdicts"]
    assert entry["outcome"] == "SUPPORTED" and (tmp_path / "found" / "report.html").exists()
    assert depthjax("replay", "found", entry["witness"], "--trust-paths")
