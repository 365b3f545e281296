"""A directory that somebody else has made: whatever links are in it, nothing outside it is written, emptied or removed."""

import ast
import json
import os
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from depthjax.files import Unsafe, read
from depthjax.report.page import write_report
from depthjax.runs.entry import unrun
from depthjax.runs.lock import one_writer
from depthjax.runs.records import LOCK, RecordError, RunDirectory, Settings, occupied, remove_partial, save, save_text
from depthjax.runs.stored import keep, kept
from depthjax.training import CheckpointError, Checkpoints
from experiments.studies.states import SEALS, Folder
from experiments.studies.trained import training

ROOT = Path(__file__).parents[2]
SETTINGS = Settings(size="test", seed=0, precision="float64", slugs=("a",))
ORIGIN = {"source": "0123"}
DATA = xr.Dataset({"loss": ("seed", np.ones(3))})


def verify(out):
    """Everything that a run writes, as the runner and the command write it."""
    with one_writer(out):
        run = RunDirectory.resume(out, SETTINGS) if occupied(out) else RunDirectory.create(out, SETTINGS)
        file = run.file("cells/a/000-all.nc")
        if kept(file, ORIGIN, out)[0] is None:
            keep(file, DATA, ORIGIN, out)
        run.save(out / "a.nc", DATA)
        run.save_text("a.svg", "<svg/>")
        run.save_text("errors/a.txt", "Traceback")
        run.append(unrun("a", "topic", ""))
        run.verdicts()
        write_report(run)


def sweep(out):
    """Everything that a sweep writes, with a state that is no network's."""
    with one_writer(out):
        cells = Folder(out, {"task": "words"}, ["x"], lambda line: None)
        cells.states("x").save("depth-1", 1, {"weights": np.ones(3)})
        cells.states("x").save("depth-1", 2, {"weights": np.ones(3)})
        cells.keep("x", DATA)
        for name in ("verdicts.jsonl", "figure.svg"):
            save_text(out / name, "", out)


def checkpoints(out):
    """What `depthjax.training` writes alone."""
    store = Checkpoints(out, {"width": 4})
    for step in range(1, 4):
        store.save("depth-1", step, {"weights": np.ones(3)})
    assert store.latest("depth-1", {"weights": np.ones(3)}) is not None


WRITTEN = {
    verify: ".lock run.json verdicts.jsonl report.html a.nc a.svg errors errors/a.txt cells cells/a cells/a/000-all.nc",
    sweep: ".lock configuration.json verdicts.jsonl figure.svg cells cells/x.nc states states/x states/x/seals.json "
    "states/x/depth-1 states/x/depth-1/2.safetensors states/x/depth-1/3.safetensors",
    checkpoints: "configuration.json depth-1 depth-1/3.safetensors depth-1/4.safetensors",
}
KINDS = {
    "a link to a file": lambda place, outside: place.symlink_to(outside / "note"),
    "a link to a folder": lambda place, outside: place.symlink_to(outside / "photos"),
    "a link to nothing": lambda place, outside: place.symlink_to(outside / "new"),
    "a link to itself": lambda place, outside: place.symlink_to(place),
    "a second name": lambda place, outside: os.link(outside / "note", place),
    "a pipe": lambda place, outside: os.mkfifo(place),
}


def _outside(folder):
    """What must stay as it is: folders named as states are, in one of which is what a state is, and a file."""
    for year in ("2023", "2024", "2025"):
        (folder / "photos" / year).mkdir(parents=True)
        (folder / "photos" / year / "photo.jpg").write_bytes(b"light")
    (folder / "note").write_text('{"process": 1}')
    return folder


def _seen(folder):
    return {file: (file.lstat().st_mode, file.is_file() and file.read_bytes()) for file in sorted(folder.rglob("*"))}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("write", "name"), [(write, name) for write, names in WRITTEN.items() for name in names.split()])
def test_no_link_leads_outside(tmp_path, write, name, kind):
    out, outside = tmp_path / "out", _outside(tmp_path / "outside")
    write(out)
    place, before = out / name, _seen(outside)
    if place.is_dir():
        place.rename(tmp_path / "was a folder")
    else:
        place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    KINDS[kind](place, outside)
    refused = False
    try:
        write(out)
    except (RecordError, CheckpointError) as error:
        refused = "\n" not in str(error)
    assert _seen(outside) == before
    assert not (tmp_path / "outside" / "new").exists()
    assert refused or kind == "a second name", "a second name alone may be taken from the file, which keeps its other one"
    if "link" in kind:
        assert place.is_symlink()  # the link is its maker's


@pytest.mark.parametrize("kind", KINDS)
def test_a_lock_that_is_a_link_is_refused_in_a_directory_that_is_empty_else(tmp_path, kind):
    out, outside = tmp_path / "out", _outside(tmp_path / "outside")
    out.mkdir()
    before = _seen(outside)
    KINDS[kind](out / LOCK, outside)
    with pytest.raises(RecordError, match=LOCK), one_writer(out):
        pass
    assert _seen(outside) == before


def test_the_directory_itself_may_be_a_link(tmp_path):
    for write in WRITTEN:
        (tmp_path / f"real {write.__name__}").mkdir()
        (tmp_path / write.__name__).symlink_to(tmp_path / f"real {write.__name__}")
        for _ in range(2):
            write(tmp_path / write.__name__) if write is not checkpoints else None
    assert (tmp_path / "real verify" / "report.html").exists() and (tmp_path / "real sweep" / "cells" / "x.nc").exists()


def test_a_sweep_removes_only_what_a_sweep_wrote(tmp_path):
    for name in ("notes.txt", "depth-1/2023/photo.jpg", "depth-1/2.safetensors/thesis.tex", "photos/1/d"):
        out = tmp_path / name.replace("/", "-")
        file = out / "states" / "x" / name
        file.parent.mkdir(parents=True)
        file.write_text("mine")
        (out / "configuration.json").write_text('{"task": "words"}')
        (out / "states" / "x" / SEALS).write_text(json.dumps({"origin": {}, "groups": {}}))
        with pytest.raises(RecordError, match="is nothing that a sweep writes"):
            sweep(out)
        assert file.read_text() == "mine"


def test_comparisons_read_no_file_through_a_link(tmp_path):
    name, cells = "group=C2,model=rnn,width=4,rate=0.01,batch=8", tmp_path / "cells"
    cell = xr.Dataset({"loss": (("depth", "seed", "step"), np.ones((1, 3, 1)))}, {"depth": [1], "step": [10]})
    save(cells / f"{name}.nc", cell)
    (tmp_path / "configuration.json").write_text('{"task": "words", "seeds": 3, "recipe": {}}')
    assert list(training(tmp_path).cells) == [name]
    (cells / "y.nc").symlink_to(cells / f"{name}.nc")
    with pytest.raises(RecordError, match="no links"):
        training(tmp_path)


def test_what_is_named_like_an_unfinished_file_and_is_none_stays(tmp_path):
    (tmp_path / ".x.partial").mkdir()
    (tmp_path / ".y.partial").symlink_to(tmp_path)
    (tmp_path / ".z.partial").write_text("half")
    (tmp_path / ".x.partial" / ".w.partial").write_text("half")
    assert occupied(tmp_path)
    remove_partial(tmp_path)
    assert sorted(file.name for file in tmp_path.rglob("*")) == [".x.partial", ".y.partial"]


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)], ids=oct)
def test_permissions_are_those_that_the_umask_leaves(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        verify(tmp_path / "out")
        with one_writer(tmp_path / "out"):
            assert (tmp_path / "out" / LOCK).stat().st_mode & 0o777 == mode
    finally:
        os.umask(before)
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert len(files) == 7 and {file.stat().st_mode & 0o777 for file in files} == {mode}


def test_files_are_no_larger_than_they_may_be_and_nobody_waits_for_a_pipe(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    assert read(tmp_path / "file", 5) == b"12345"
    os.mkfifo(tmp_path / "pipe")
    for name, words in (("file", "has 5 bytes, expected at most 4"), ("pipe", "no ordinary file"), ("", "no ordinary file")):
        with pytest.raises(Unsafe, match=words):
            read(tmp_path / name, 4)
    with pytest.raises(Unsafe, match="no ordinary file"):
        read(Path("/dev/zero"), 4)


# names of what changes a file; a module that calls one of them without `depthjax.files` is listed with the reason
CHANGE = {
    "write_text",
    "write_bytes",
    "unlink",
    "rmtree",
    "rename",
    "truncate",
    "ftruncate",
    "symlink_to",
    "hardlink_to",
    "touch",
}
CHANGE |= {"rmdir", "mkstemp", "NamedTemporaryFile", "to_netcdf", "savefig", "replace", "remove"}
GUARDED = ("depthjax/runs", "depthjax/report", "depthjax/probe/pages.py", "depthjax/training", "depthjax/session.py")
GUARDED += ("experiments/studies",)
ALLOWED = {
    ("depthjax/runs/lock.py", "ftruncate"),  # of a descriptor that `open_alone` gave
    ("depthjax/runs/lock.py", "unlink"),  # a name, not what it leads to
    ("depthjax/runs/records.py", "unlink"),  # the same
    ("depthjax/runs/records.py", "to_netcdf"),  # into memory
    ("depthjax/runs/stored.py", "replace"),  # of two names in one folder, after it was looked at
    ("depthjax/runs/programs.py", "unlink"),  # of the user's own cache
    ("depthjax/probe/pages.py", "write_text"),  # a file that the user names
}


def test_nothing_changes_a_file_but_through_one_module():
    found = set()
    for file in (
        file for place in GUARDED for file in ([ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py"))
    ):
        for call in (node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            owner = getattr(getattr(call.func, "value", None), "id", "")
            if (
                name in CHANGE
                and owner not in ("files", "dataclasses")
                and (name not in ("replace", "remove") or owner == "os")
            ):
                found.add((str(file.relative_to(ROOT)), name))
            if name == "open" and owner in ("", "os", "io") and file.name != "__init__.py":
                found.add((str(file.relative_to(ROOT)), "open"))
    assert found == ALLOWED
