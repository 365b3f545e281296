"""Commands on run directories that somebody else made: they print no codes, import nothing that a file names, and go on."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from depthjax.runs import catalogue, stored
from depthjax.verify.quantity import cell_names
from experiments import verdicts
from experiments.commands import verify
from experiments.terminal import outcome, print_json, printable
from tests import toys as written

CODES = "\x1b[31;5mRED\x1b]0;PWNED\x07\x1b]52;c;UFdORUQ=\x07\x9b31m\u202egnp\u2066\u200f\x08\x7f\r\u2028[/] [bold]x[/bold]"

pytestmark = pytest.mark.usefixtures("toys")


def harmless(text):
    """No code that a terminal obeys or hides, but for line breaks."""
    return all(c == "\n" or printable(c) == c for c in text)


def named(verdict, slug, **changes):
    return verdict | {"slug": slug, "witness": f"{slug}/draws=1"} | changes


@pytest.mark.parametrize("odd", [CODES, "[/]", "SUPPORTED ", "", None, 7, ["SUPPORTED"], {"a": 1}, True], ids=repr)
def test_one_odd_outcome_is_skipped_and_named(run, make, verdict, odd):
    lines = named(verdict, "true_bound", outcome="SUPPORTED"), named(verdict, "false_bound", outcome=odd)
    make(*lines, name="runs/odd", slugs=["true_bound", "false_bound"], catalogue="toys")
    code, out, err = run("list", "--json")
    found = {row["slug"]: row["outcome"] for row in json.loads(out)["claims"]}
    assert code == 0 and found["true_bound"] == "SUPPORTED" and found["false_bound"] is None
    assert "line 2 is not a verdict (outcome is" in err and harmless(err)
    for command in (["list"], ["show", "true_bound"], ["show", "true_bound", "--json"], ["report", "runs/odd"]):
        code, out, err = run(*command)
        assert code == 0 and "line 2 is not a verdict" in err and harmless(out + err), command


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b"\xff\xfe", b"[" * 100_000, json.dumps({"catalogue": CODES}).encode(), b'{"size": "\\u001b[31m"}']
)
def test_what_is_no_run_is_skipped_and_named(run, make, verdict, content):
    path = make(named(verdict, "true_bound"), name="runs/none", slugs=["true_bound"], catalogue="toys")
    (path / "run.json").write_bytes(content)
    code, out, err = run("list")
    assert code == 0 and "runs/none is skipped" in err and harmless(out + err)
    for command in (["report", path], ["replay", path, "true_bound/all"]):
        code, out, err = run(*command)
        assert (code, out) == (2, "") and "run.json is damaged" in err and harmless(err)


def test_links_and_sweeps_among_the_runs_do_not_end_the_list(run, make, verdict, tmp_path):
    make(named(verdict, "true_bound"), name="runs/good", slugs=["true_bound"], catalogue="toys")
    sweep = make(b'{"cell": "x"}', name="runs/sweep", files={"configuration.json": "{}"})
    (sweep / "run.json").unlink()
    out_of_it, folder = (make(name=f"runs/{name}", catalogue="toys") for name in ("link", "folder"))
    for path in (out_of_it, folder):
        (path / "verdicts.jsonl").unlink()
    (out_of_it / "verdicts.jsonl").symlink_to(tmp_path / "runs" / "good" / "verdicts.jsonl")
    (folder / "verdicts.jsonl").mkdir()
    make(named(verdict, "true_order"), name="runs/foreign", slugs=["true_order"])
    code, out, err = run("list", "--json")
    found = {row["slug"]: row["outcome"] for row in json.loads(out)["claims"]}
    assert code == 0 and found["true_bound"] == "REFUTED" and found["true_order"] is None
    assert [line.split()[1] for line in err.splitlines()] in (["runs/link", "runs/folder"], ["runs/folder", "runs/link"])


def test_codes_in_texts_are_written_out(run, make, verdict, everywhere, monkeypatch):
    lines = everywhere(named(verdict, "true_bound"), CODES) | {"slug": "true_bound"}
    monkeypatch.setattr(stored, "verdict_differs", lambda *given: "")  # a record whose origin is this code stands,
    monkeypatch.setattr(verify, "_lost", lambda *given: "")  # and that has its numbers
    path = make(lines, name="runs/codes", slugs=["true_bound"], catalogue="toys")
    for command in (["verify", "--resume", "--out", path], ["verify", "--resume", "--out", path, "--json"], ["report", path]):
        code, out, err = run(*command)
        assert code in (0, 1) and "PWNED" not in re.sub(r"\\x1b]0;PWNED|\\u001b]0;PWNED", "", out + err)
        assert harmless(out + err), command
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = run("verify", "--resume", "--out", path)[1]
    assert "\x1b[" in out and "\\x1b[31;5mRED" in out
    assert harmless(re.sub(r"\x1b\[[\d;]*m", "", out)) and "\x1b[31;5m" not in out


def test_the_check_of_committed_verdicts_prints_no_codes(make, verdict, monkeypatch, capsys):
    monkeypatch.setattr(
        verdicts, "committed", lambda size="quick": {"true_bound": {"outcome": "SUPPORTED", "relation": "at most"}}
    )
    path = make(named(verdict, "true_bound", reason=CODES), slugs=["true_bound"])
    assert verdicts.main(["check", str(path)]) == 1
    assert "\\x1b[31;5m" in (out := capsys.readouterr().out) and harmless(out)
    path = make(named(verdict, "true_bound", outcome=CODES), name="odd", slugs=["true_bound"])
    for what in ("check", "update"):
        before = verdicts.FILE.read_bytes(), verdicts.README.read_bytes()
        assert verdicts.main([what, str(path)]) == 2
        assert "line 1 is not a verdict" in (err := capsys.readouterr().err) and harmless(err)
        assert before == (verdicts.FILE.read_bytes(), verdicts.README.read_bytes())


def test_errors_repeat_what_was_typed_without_its_codes(run):
    for command in (["show", CODES], ["verify", CODES], ["report", CODES.replace("/", "")], ["bound", "group", CODES], [CODES]):
        code, out, err = run(*command)
        assert (code, out) == (2, "") and harmless(err), command


def test_numbers_of_a_stored_cell_print_no_codes(run):
    run("verify", "true_bound", "--out", "mine", "--jobs", 1)
    cells = xr.load_dataset("mine/true_bound.nc", engine="scipy")
    name = next(iter(cells.data_vars))
    changed = cells.drop_vars(name).assign({name: (cells[name].dims, np.full(cells[name].shape, CODES))})
    changed.to_netcdf("mine/true_bound.nc", engine="scipy")
    cell = cell_names(cells)[0]
    code, out, err = run("replay", "mine", f"true_bound/{cell}")
    assert code == 1 and "differs" in out and "\\x1b[31;5mRED" in out and harmless(out + err)


@pytest.mark.parametrize(
    "content", [b"", b"CDF\x01", b"\x89HDF\r\n", b"CDF\x02" + b"\xff" * 200, b"CDF\x01" + b"\x00\x00\x00\x0a" * 9]
)
def test_a_stored_cell_that_is_none_is_named(run, content):
    run("verify", "true_bound", "--out", "mine", "--jobs", 1)
    Path("mine/true_bound.nc").write_bytes(content)
    witness = json.loads(Path("mine/verdicts.jsonl").read_text())["witness"]
    code, out, err = run("replay", "mine", witness)
    assert (code, out) == (2, "") and "true_bound.nc" in err


def test_a_run_does_not_choose_what_is_imported(run, make, verdict, tmp_path, monkeypatch):
    package = tmp_path / "evil" / "small"
    shutil.copytree(written.folder() / "toys" / "small", package)
    (tmp_path / "evil" / "__init__.py").write_text("import pathlib; pathlib.Path('PWNED').touch()")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = make(named(verdict, "true_bound"), name="runs/evil", slugs=["true_bound"], catalogue="evil")
    (path / "true_bound.nc").write_bytes(b"")
    for command in (["list"], ["report", path], ["verify", "--resume", "--out", path], ["replay", path, "true_bound/all"]):
        code, _, err = run(*command)
        assert not Path("PWNED").exists() and "evil" not in sys.modules, command
        assert os.environ["DEPTHJAX_CATALOGUE"] == "toys"
    assert code == 2 and "DEPTHJAX_CATALOGUE=evil" in err and len(err.splitlines()) == 1
    monkeypatch.setenv("DEPTHJAX_CATALOGUE", "evil")  # the user says so
    code, _, err = run("replay", path, "true_bound/draws=1")  # it is imported where predictions are made, which write nothing
    assert code == 4 and "PWNED" in err and "leaves nothing behind" in err and not Path("PWNED").exists()
    assert "evil" not in sys.modules


def test_a_run_does_not_choose_a_file(run, make, verdict, tmp_path, monkeypatch):
    evil = tmp_path / "evil"
    shutil.copytree(written.folder() / "toys" / "small", evil)
    touch = "import pathlib\n\npathlib.Path('PWNED').touch()\n"
    claim = (evil / "true_bound" / "claim.py").read_text().replace("import dataclasses\n", f"import dataclasses\n{touch}", 1)
    for name in ("evil/my_bound", "my_bound"):  # the second one lies in the current folder, and has the slug's name
        shutil.copytree(evil / "true_bound", tmp_path / name)
        (tmp_path / name / "claim.py").write_text(claim)
    (evil / "__init__.py").write_text(touch)
    for number, package in enumerate(("evil", "toys", "experiments", "my_bound")):
        files = {"my_bound": str(evil / "my_bound"), CODES: "../../evil\x1b[31m; touch PWNED"}
        settings = {"slugs": ["my_bound"], "catalogue": package, "provenance": {"files": files}}
        path = make(named(verdict, "my_bound"), name=f"runs/evil{number}", **settings)
        (path / "my_bound.nc").write_bytes(b"")
        commands = ["list"], ["report", path], ["verify", "--resume", "--out", path], ["replay", path, "my_bound/all"]
        for command in commands:
            code, _, err = run(*command)
            assert not Path("PWNED").exists() and "evil" not in sys.modules and harmless(err), command
            assert code == (0 if command[0] in ("list", "report") else 2)
    assert run("replay", path, "my_bound/scale=2.0", "--claims", "evil/my_bound")[0] == 2  # no package of this name
    assert not Path("PWNED").exists()
    path = make(name="runs/mine", slugs=["my_bound"], catalogue="evil", provenance={"files": {"my_bound": "relative.py"}})
    assert run("verify", "--resume", "--out", path, "--trust-paths")[0] == 2
    path = make(name="runs/trusted", slugs=["my_bound"], catalogue="evil", provenance={"files": files | {CODES: "/nowhere.py"}})
    assert run("verify", "--resume", "--out", path, "--trust-paths")[0] == 2 and not Path("PWNED").exists()


@pytest.mark.parametrize("files", ["/etc/passwd", ["a.py"], {"a": 1}, {"a": None}, {"a": {"b": "c"}}], ids=repr)
def test_files_of_a_run_are_texts(run, make, verdict, files):
    path = make(named(verdict, "true_bound"), slugs=["true_bound"], catalogue="toys", provenance={"files": files})
    code, out, err = run("replay", path, "true_bound/all", "--trust-paths")
    assert (code, out) == (2, "") and "files" in err and harmless(err)


@pytest.mark.parametrize(
    "name", ["os", "json.decoder", "no_such_package", "", ".", "..experiments", "a b", "os;import x", "toys\x1b[31m"]
)
def test_catalogues_that_are_none_are_usage_errors(run, monkeypatch, name):
    monkeypatch.setenv("DEPTHJAX_CATALOGUE", name)
    with pytest.raises(catalogue.UnknownClaim, match="DEPTHJAX_CATALOGUE"):
        catalogue.modules()
    code, out, err = run("list")
    assert (code, out) == (2, "") and harmless(err)


def test_printable_changes_codes_and_nothing_else(capsys):
    kept = "A plain line, ‖X‖ ≤ ½ – “é” 漢字 \u2009thin\u00a0🙂"
    assert printable(kept) == kept
    assert printable("a\x1b[31m\nb\u202e\ud800\t\x9b") == r"a\x1b[31m\nb\u202e\ud800\t\x9b"
    print_json({kept: CODES})
    text = capsys.readouterr().out
    assert harmless(text) and json.loads(text) == {"version": 1, kept: CODES} and kept in text
    assert outcome("[/]") == r"[dim]\[/][/]"
