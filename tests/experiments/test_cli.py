"""The command line as a user meets it: what it prints, where, and with which exit code."""

import json
import webbrowser
from pathlib import Path

import pytest

from depthjax.runs.records import load, unpacked
from tests import toys as written

KEYS = {"slug", "outcome", "relation", "predicted", "measured", "margin", "tightness", "power", "controls", "rivals", "reason"}
KEYS |= {"seconds", "device", "dtype", "witness"}
pytestmark = pytest.mark.usefixtures("toys")


@pytest.fixture
def theory(run, monkeypatch):
    monkeypatch.delenv("DEPTHJAX_CATALOGUE")
    return run


def test_list_names_every_claim_and_the_last_verdict(run):
    run("verify", "true_bound", "--jobs", 1)
    code, out, _ = run("list", "--json")
    rows = {row["slug"]: row for row in json.loads(out)["claims"]}
    assert code == 0
    assert rows["true_bound"] == {
        "slug": "true_bound",
        "topic": "small",
        "origin": {
            "kind": "variable",
            "package": "toys",
            "file": str(written.folder() / "toys" / "small" / "true_bound" / "claim.py"),
        },
        "title": "Doubled uniform draws stay under two",
        "relation": "at most",
        "source": "everybody, “folklore”",
        "outcome": "SUPPORTED",
    }
    assert rows["many_cells"]["outcome"] is None
    assert "never run" in run("list")[1]


def test_a_list_names_titles_and_fits_a_narrow_screen(theory, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = theory("list")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    words = " ".join(out.split())
    assert "✓ truncation_order" in words and "A BCH series cut after degree c errs by order" in words
    rows = json.loads(theory("list", "lie", "truncation_order", "--json")[1])["claims"]
    assert {row["topic"] for row in rows} == {"lie"} and {row["origin"]["kind"] for row in rows} == {"project"}
    every, lie = (json.loads(theory("list", *topic, "--json")[1])["claims"] for topic in ((), ("lie",)))
    assert len(every) > len(rows) == len(lie)


@pytest.mark.parametrize("browser", [True, False])
def test_open_shows_the_report_that_it_makes(run, monkeypatch, tmp_path, browser):
    seen = []
    monkeypatch.setattr(webbrowser, "open", lambda address: seen.append(address) or browser)
    run("verify", "true_bound", "--jobs", 1, "--out", "mine", "--size", "test")
    page = tmp_path / "mine" / "report.html"
    page.write_text("<script>")  # somebody else's
    code, out, err = run("open", "mine")
    assert code == 0 and out.strip() == "mine/report.html" and seen == [page.as_uri()]
    assert "true_bound" in page.read_text() and ("no browser" in err) != browser


def test_show_prints_the_card(run):
    code, out, _ = run("show", "true_order")
    assert code == 0
    for part in ("order c + 1 <exactly>", r"\Theta(h^{c+1})", "h is small", "another slope"):
        assert part in out
    code, out, _ = run("show", "true_order", "--grids")
    assert code == 0
    for part in ("one order lower", "degree=1", "paper"):
        assert part in out


def test_verify_json_is_one_array_and_nothing_else(run):
    code, out, err = run("verify", "true_bound", "false_bound", "not_a_number", "--json", "--jobs", 1)
    entries = {entry["slug"]: entry for entry in json.loads(out, parse_constant=pytest.fail)["verdicts"]}
    assert code == 1
    assert all(set(entry) >= KEYS for entry in entries.values())
    assert entries["false_bound"]["outcome"] == "REFUTED"
    assert entries["false_bound"]["witness"].startswith("false_bound/draws=")
    assert entries["not_a_number"]["measured"] is None
    assert entries["true_bound"]["rivals"][0]["outcome"] == "REFUTED"
    assert set(entries["true_bound"]["seconds"]) == {"compile", "run"}
    assert "true_bound" in err


@pytest.mark.parametrize(
    ("claims", "code"),
    [(["true_bound"], 0), (["not_a_number"], 3), (["raises", "true_bound"], 4), (["raises", "false_bound"], 1)],
)
def test_exit_codes_and_table(run, claims, code):
    found, out, _ = run("verify", *claims, "--out", "mine", "--jobs", 1)
    assert found == code
    assert "report: mine/report.html" in out
    for name in ("run.json", "verdicts.jsonl", "report.html", "true_bound.nc", "true_bound.svg"):
        assert Path("mine", name).exists() or (name.startswith("true_bound") and "true_bound" not in claims)


def test_replay_of_the_witness_is_identical(run):
    witness = json.loads(run("verify", "false_bound", "--json", "--out", "mine", "--jobs", 1)[1])["verdicts"][0]["witness"]
    code, out, _ = run("replay", "mine", witness)
    assert code == 0
    assert "identical" in out
    assert "REFUTED" in out


def test_resume_runs_only_what_is_left_and_reports_a_corrupt_line(run):
    run("verify", "true_bound", "false_bound", "--out", "mine", "--jobs", 1)
    file = Path("mine/verdicts.jsonl")
    file.write_text(file.read_text().splitlines()[0] + "\nnonsense\n")
    code, out, err = run("verify", "--out", "mine", "--resume", "--json", "--jobs", 1)
    assert code == 1
    assert [entry["slug"] for entry in json.loads(out)["verdicts"]] == ["false_bound", "true_bound"]
    assert "line 2 is not a verdict" in err
    assert file.read_text().splitlines()[1] == "nonsense"
    assert len(file.read_text().splitlines()) == 3


@pytest.mark.parametrize("spoil", [lambda file: file.unlink(), lambda file: file.write_bytes(file.read_bytes()[:500])])
def test_resume_makes_numbers_again_that_are_lost(run, spoil):
    run("verify", "true_bound", "false_bound", "--out", "mine", "--jobs", 1)
    file = Path("mine/true_bound.nc")
    before = file.read_bytes()
    spoil(file)
    err = run("verify", "true_bound", "false_bound", "--out", "mine", "--jobs", 1, "--resume")[2]
    assert "true_bound: finished, but of numbers that" in err and "false_bound: finished" not in err
    assert load(file).identical(unpacked(before))
    err = run("verify", "true_bound", "false_bound", "--out", "mine", "--jobs", 1, "--resume")[2]
    assert "run again" not in err


def test_report_is_made_again(run):
    run("verify", "true_bound", "--out", "mine", "--jobs", 1)
    before = Path("mine/report.html").read_text()
    Path("mine/report.html").unlink()
    assert run("report", "mine")[0] == 0
    assert Path("mine/report.html").read_text() == before


def test_directories_that_cannot_be_used(run):
    run("verify", "true_bound", "--out", "mine", "--jobs", 1)
    for arguments, words in [
        (["--out", "mine"], "not empty"),
        (["--out", "mine/run.json"], "cannot write"),
        (["--out", "mine", "--resume", "--seed", "1"], "seed 0 (now 1)"),
        (["--out", "mine/cells", "--resume"], "no run.json"),
    ]:
        code, out, err = run("verify", "true_bound", "--jobs", 1, *arguments)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert words in err


def test_replay_names_the_cells_there_are(run):
    run("verify", "true_bound", "--out", "mine", "--jobs", 1)
    code, _, err = run("replay", "mine", "true_bound/scale=3.0")
    assert code == 2 and "it has scale=2.0" in err and err.startswith("depthjax: true_bound has no cell 'scale=3.0'")
    assert "holds no finished measurement" in run("replay", "mine", "false_bound/draws=8")[2]
