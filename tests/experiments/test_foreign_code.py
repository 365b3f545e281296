"""Code that is not this project's: listed without being run, named when it fails, and no hindrance to other claims."""

import importlib.metadata
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from depthjax.runs import catalogue
from experiments import cli
from tests.toys import TRUE as CLAIM
from tests.toys import TRUE_MEASURE as MEASURE
from tests.toys import write as write_room

ROOT = Path(__file__).parents[2]
CANARY = "import pathlib; pathlib.Path({!r}).touch()\n"
BROKEN = {  # what the `__init__.py` of an installed package says, and whether its claims can be listed all the same
    "wrong": ("x = = 1", False),
    "computed": ("NOT_TOPICS = sorted('ab')", False),
    "raises": ("raise RuntimeError('no')", True),
    "misses": ("import nothing_of_this_name", True),
    "exits": ("import sys; sys.exit()", True),
    "ends": ("import os; os._exit(0)", True),
}


@pytest.fixture
def plugins(monkeypatch, tmp_path, run):
    """Installed packages of claims, each broken in another way; the catalogue holds this project's claims as well."""
    for name, (text, _) in BROKEN.items():
        (tmp_path / "site" / f"plug_{name}" / "small").mkdir(parents=True)
        (tmp_path / "site" / f"plug_{name}" / "__init__.py").write_text(text)
        (tmp_path / "site" / f"plug_{name}" / "small" / "__init__.py").write_text(CANARY.format(str(tmp_path / "canary")))
        write_room(tmp_path / "site" / f"plug_{name}" / "small" / f"{name}_bound")
    (tmp_path / "site" / "plug_again" / "small").mkdir(parents=True)
    for name in ("__init__.py", "small/__init__.py"):
        (tmp_path / "site" / "plug_again" / name).write_text("")
    write_room(tmp_path / "site" / "plug_again" / "small" / "tower_error_order")  # a name that is taken
    write_room(tmp_path / "site" / "plug_again" / "small" / "half_bound", "'''No card.'''")
    monkeypatch.delenv("DEPTHJAX_CATALOGUE", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    names = [f"plug_{name}" for name in (*BROKEN, "again", "gone")]
    entries = [importlib.metadata.EntryPoint(name, name, catalogue.GROUP) for name in names]
    real = importlib.metadata.entry_points
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **query: entries if query else real())
    catalogue._leave_out.cache_clear()
    return run


def test_a_broken_package_is_named_once_and_hinders_nothing(plugins, tmp_path):
    code, out, err = plugins("list", "--json")
    found = {row["slug"] for row in json.loads(out)["claims"]}
    assert code == 0 and "tower_error_order" in found
    assert found & {f"{name}_bound" for name in BROKEN} == {f"{name}_bound" for name, (_, listed) in BROKEN.items() if listed}
    for name in ("wrong", "computed", "gone"):
        assert err.count(f"the claims of the package plug_{name} are left out") == 1
    assert err.count("a claim of the package plug_again is left out: two claims are called 'tower_error_order'") == 1
    assert err.count("half_bound is left out") == 1 and len(err.splitlines()) == 5
    assert catalogue.modules()["tower_error_order"].startswith("experiments.")
    for command in (["list", "lie"], ["show", "tower_error_order", "--grids"], ["new", "my_claim"], ["show", "raises_bound"]):
        assert plugins(*command)[0] == 0
    for name in ("raises", "misses", "exits"):
        code, out, err = plugins("show", f"{name}_bound", "--grids")
        assert (code, out) == (4, "") and f"{name}_bound" in err and len(err.splitlines()) == 1
    assert plugins("list", "half_bound")[0] == 2
    assert not (tmp_path / "canary").exists()


def test_listing_and_showing_run_nothing(run, tmp_path):
    inside = tmp_path / "outer" / "inner"
    inside.mkdir(parents=True)
    for folder in (inside.parent, inside):
        (folder / "__init__.py").write_text(CANARY.format(str(tmp_path / "canary")))
    canary = CANARY.format(str(tmp_path / "canary"))
    write_room(inside / "my_bound", canary.join(CLAIM.rsplit("import dataclasses\n", 1)), canary + MEASURE)
    for command in (["list", "./outer"], ["show", "outer/inner/my_bound"], ["list", "outer.inner"], ["list", "outer/inner"]):
        assert run(*command)[0] == 0
    assert not (tmp_path / "canary").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_what_is_no_file_is_not_taken_for_its_folder(run, tmp_path):
    folder = tmp_path / "claims"
    write_room(folder / "my_bound")
    os.mkfifo(folder / "pipe.py")
    (folder / "notes.txt").write_text(CLAIM)
    for name in ("claims/pipe.py", "claims/notes.txt", "/dev/null", "/dev/zero"):
        for command in ("list", "show", "verify"):
            code, out, err = run(command, name)
            assert (code, out) == (2, "") and "is no Python module" in err, (command, name, err)
    assert "no ordinary file" in run("list", "./claims")[2]


def test_claims_that_end_their_process_end_no_other_and_are_named(run, tmp_path):
    folder = tmp_path / "claims"
    hard = MEASURE.replace("    return measured(", "    __import__('os')._exit(0)\n    return measured(")
    soft = f"{CLAIM}\nprint('soft')\nimport argparse\n\nargparse.ArgumentParser().parse_args(['-h'])\n"
    for name, claim, measure in (("good", CLAIM, MEASURE), ("hard", CLAIM, hard), ("soft", soft, MEASURE)):
        write_room(folder / f"{name}_bound", claim, measure)
    code, out, err = run("verify", "./claims", "--size", "test", "--jobs", 1, "--json", "--out", "mine")
    found = {entry["slug"]: entry for entry in json.loads(out)["verdicts"]}
    assert code == 4 and {slug: entry["outcome"] for slug, entry in found.items()} == {
        "good_bound": "SUPPORTED",
        "hard_bound": "INCONCLUSIVE",
        "soft_bound": "INCONCLUSIVE",
    }
    assert "os._exit" in found["hard_bound"]["reason"] and "sys.exit(0)" in found["soft_bound"]["reason"]
    assert "failed, so that nobody could judge them: hard_bound, soft_bound" in err
    assert len(Path("mine/verdicts.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-16"])
@pytest.mark.parametrize(
    "line",
    ["list lie", "show tower_error_order", "bound tower --letters 2 --layers 2", "bound bch --order 3", "--help", "compare"],
)
def test_an_output_without_our_characters(monkeypatch, line, encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    try:
        code = cli.main(line.split())
    except SystemExit as stop:  # the help
        code = stop.code or 0
    stream.flush()
    assert code == 0 and len(stream.buffer.getvalue().decode(encoding)) > 100  # type: ignore[attr-defined]


def test_json_is_the_same_in_every_encoding(monkeypatch):
    said = []
    for encoding in ("ascii", "cp1252", "utf-8"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        assert cli.main(["list", "--json"]) == 0
        stream.flush()
        said.append(json.loads(stream.buffer.getvalue().decode(encoding)))  # type: ignore[attr-defined]
    assert said[0] == said[1] == said[2] and not json.dumps(said[0], ensure_ascii=False).isascii()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_streams_that_the_caller_has_closed(closed, tmp_path):
    place = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = f"{sys.executable} -m depthjax bound word --length 4 {closed}"
    assert subprocess.run(["sh", "-c", command], env=place, cwd=tmp_path, timeout=120).returncode == 0


SHADOWED = """
import experiments
import depthjax
from depthjax.runs import catalogue
assert catalogue.select(["pairwise_masking_blind"]) and catalogue.modules()
for use in (lambda: depthjax.probe.recurrence, lambda: depthjax.testing.claim("pairwise_masking_blind")):
    try:
        use()
    except ImportError as error:
        print(error)
"""


VERIFIED = (
    "import depthjax; print(depthjax.verify.run('pairwise_masking_blind', size='test', out='made', jobs=1).outcome.value)"
)


def test_a_trial_of_a_mutant_finds_our_packages(tmp_path):
    """A file `theory.py` of the user would stop every claim, and every mutant would count as noticed."""
    (tmp_path / "theory.py").write_text("raise RuntimeError('not ours')")
    code = (
        "from experiments.mutants.trial import Processes\n"
        "if __name__ == '__main__':\n"
        "    found = Processes().run(None, ['pairwise_masking_blind'], 'test', 100.0)\n"
        "    print(found['pairwise_masking_blind'].outcome)\n"
    )
    (tmp_path / "tried.py").write_text(code)
    place = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    tried = subprocess.run([sys.executable, "tried.py"], env=place, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert tried.stdout.split() == ["SUPPORTED"], tried.stderr


def test_packages_of_the_same_names_are_named(tmp_path):
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "__init__.py").write_text("")
    (tmp_path / "theory.py").write_text("")
    place = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}

    def python(*words):
        command = [sys.executable, *words]
        return subprocess.run(command, env=place, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    said = python("-c", SHADOWED)
    lines = said.stdout.splitlines()
    assert len(lines) == 2 and str(tmp_path / "theory.py") in lines[0], said.stderr
    assert str(tmp_path / "experiments" / "__init__.py") in lines[1]
    ran = python("-c", VERIFIED)  # in processes of their own, which find ours
    assert ran.stdout.split() == ["SUPPORTED"], ran.stderr
    listed = python("-m", "depthjax", "list", "lie")
    assert listed.returncode == 0 and "tower_error_order" in listed.stdout, listed.stderr
