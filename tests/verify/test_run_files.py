"""Every kind of file in a run's directory, damaged in every way, before every command that reads a run.

A code for each of `report`, `replay` and `verify --resume`, and a word of what one of them says: 0 it went on, 1 the numbers
are others, 2 refused in a sentence that names the file.
"""

import json
import shutil
from pathlib import Path

import pytest

from depthjax.runs.fields import LATER
from depthjax.runs.lines import VerdictLine

CELL = "cells/true_bound/000-scale=2.0.nc"
COMMANDS = {
    "report": "report run",
    "replay": "replay run true_bound/scale=2.0",
    "resume": "verify --resume --out run --jobs 1",
}
OPTIONAL = [name for name, kind in VerdictLine.__annotations__.items() if LATER in getattr(kind, "__metadata__", ())]


def _half(file, others):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _folder(file, others):
    file.unlink()
    file.mkdir()
    (file / "notes").write_text("mine")


def _link(file, others):
    file.rename(others / "outside")
    file.symlink_to(others / "outside")


def _older(file, others):
    """As a release wrote it that knew fewer fields."""
    if file.suffix == ".jsonl":
        (line,) = file.read_text().splitlines()
        file.write_text(json.dumps({key: value for key, value in json.loads(line).items() if key not in OPTIONAL}) + "\n")
    else:
        file.write_text(json.dumps({key: value for key, value in json.loads(file.read_text()).items() if key != "provenance"}))


DAMAGES = {
    "no bytes": lambda file, others: file.write_bytes(b""),
    "half": _half,
    "garbage": lambda file, others: file.write_bytes(bytes(range(256)) * 8),
    "a folder": _folder,
    "missing": lambda file, others: file.unlink(),
    "of another run": lambda file, others: shutil.copy(others / "other" / file.relative_to("run"), file),
    "a link": _link,
    "older": _older,
}
UNREAD = {damage: ("000", "") for damage in DAMAGES if damage != "older"}  # what nobody reads, or everybody makes again
FILES = {
    "run.json": {
        "no bytes": ("222", "run.json is damaged"),
        "half": ("222", "run.json is damaged"),
        "garbage": ("222", "run.json is damaged"),
        "a folder": ("222", "run.json is no ordinary file"),
        "missing": ("222", "has no run.json"),
        "of another run": ("012", "seed 1 (now 0)"),
        "a link": ("222", "run.json leads out of"),
        "older": ("000", ""),
    },
    "verdicts.jsonl": {
        "no bytes": ("200", "has no verdicts yet"),
        "half": ("200", "line 1 is not a verdict"),
        "garbage": ("200", "line 1 is not a verdict"),
        "a folder": ("202", "verdicts.jsonl is no ordinary file"),
        "missing": ("200", "has no verdicts yet"),
        "of another run": ("000", "finished, but of seed 1 (now 0): run again"),
        "a link": ("202", "verdicts.jsonl leads out of"),
        "older": ("000", "1 finished before"),
    },
    "report.html": UNREAD | {"a folder": ("202", "cannot write run/report.html"), "a link": ("202", "report.html")},
    "true_bound.nc": {
        **{damage: ("020", "true_bound.nc is not a measurement of") for damage in ("no bytes", "half", "garbage")},
        "a folder": ("022", "cannot write run/true_bound.nc"),
        "missing": ("020", "holds no finished measurement of true_bound"),
        "of another run": ("010", ""),
        "a link": ("022", "true_bound.nc"),
    },
    "true_bound.svg": UNREAD,
    CELL: UNREAD,
}
ROWS = [(file, damage) for file, rows in FILES.items() for damage in rows]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of two runs that differ in their seed; the first test makes them."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture
def directory(toys, run, finished):
    """A finished run, as `run` in the current folder."""
    for name, seed in (("good", 0), ("other", 1)):
        if not (finished / name).exists():
            assert run("verify", "true_bound", "--out", finished / name, "--jobs", 1, "--seed", seed)[0] == 0
    shutil.copytree(finished / "good", "run")
    shutil.copytree(finished / "other", "others/other")
    return Path("run")


def contents(directory):
    """Every file but the page, which readers make again."""
    return {file: file.read_bytes() for file in directory.rglob("*") if file.is_file() and file.name != "report.html"}


def test_every_file_of_a_run_has_a_row(directory):
    kinds = {
        str(file.relative_to(directory))
        for file in directory.rglob("*")
        if file.is_file() and file.name[:3] not in ("001", "002")
    }
    assert kinds == {*FILES}


@pytest.mark.parametrize(("file", "damage"), ROWS)
def test_a_damaged_file_is_named_or_made_again_and_nothing_else_is_touched(directory, run, file, damage):
    DAMAGES[damage](directory / file, Path("others"))
    before, (codes, words), heard = contents(Path()), FILES[file][damage], ""
    for (name, line), code in zip(COMMANDS.items(), codes, strict=True):
        found, out, err = run(*line.split())
        assert found == int(code), (name, out, err)
        heard += f"{err}\n"
        refusals = [said for said in err.splitlines() if said.startswith("depthjax: ")]
        assert "Traceback" not in err and (found != 2 or (len(refusals) >= 1 and "run" in refusals[-1]))
        if name != "resume":
            assert contents(Path()) == before  # who reads changes nothing
    assert words in " ".join(heard.split())
    changed = {path for path, content in contents(Path()).items() if before.get(path) != content}
    assert changed <= {directory / "verdicts.jsonl", directory / "true_bound.svg", directory / "true_bound.nc"}
    if codes[2] == "0":
        assert json.loads((directory / "verdicts.jsonl").read_bytes().splitlines()[-1])["outcome"] == "SUPPORTED"
        assert "true_bound" in (directory / "report.html").read_text()
