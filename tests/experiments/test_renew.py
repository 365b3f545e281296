"""What an earlier program made is listed and made again, the cheapest first, and a broken command goes on where it stood."""

import json

import pytest

from depthjax.runs import catalogue
from depthjax.runs.entry import unrun
from depthjax.runs.provenance import environment
from depthjax.runs.records import RunDirectory, Settings
from experiments import collected, pictures, renew, seals, verdicts
from experiments.mutants.mutant import written
from experiments.renew import Item

SLUGS = ("truncation_order", "scan_depth", "cycle_rounds")
TOOK = {"truncation_order": 600.0, "scan_depth": 60.0, "cycle_rounds": 240.0}  # seconds
OUTCOMES = dict.fromkeys(SLUGS, "SUPPORTED")


@pytest.fixture
def house(tmp_path, monkeypatch):
    """Committed things in a folder of their own, all of the program "before", where each claim has the program "now"."""
    entries = [
        {"slug": slug, "topic": "lie", "size": size, "outcome": "SUPPORTED", "controls": [], "rivals": [], "found": "it"}
        | {"seal": "before", "seeds": {"tried": 0, "agree": 0}, "date": "2026-01-01"}
        | ({"seconds": TOOK[slug]} if size == "quick" else {})
        for slug in SLUGS
        for size in ("quick", "full")
    ]
    for name, text in {
        "FILE": json.dumps(entries),
        "SEEDS": json.dumps({"claims": {slug: {"seeds": 10, "supported": 10, "seal": "before"} for slug in SLUGS}}),
        "README": f"{verdicts.WORTH}{verdicts.WORTH_END}{verdicts.BEGIN}{verdicts.END}",
        "DOCS": "",
        "DOMAINS": "",
    }.items():
        monkeypatch.setattr(verdicts, name, tmp_path / name)
        (tmp_path / name).write_text(text)
    (tmp_path / "figures").mkdir()
    monkeypatch.setattr(pictures, "FOLDER", tmp_path / "figures")
    monkeypatch.setattr(seals, "program", lambda slug: "now")
    three = written(catalogue.OWN)[:3]
    monkeypatch.setattr(verdicts, "untried", lambda slugs=(): {"scan_depth": three})
    return tmp_path


@pytest.fixture
def verified(monkeypatch):
    """Stands for ``depthjax verify``: a run writes the verdicts of its claims, until one of them is interrupted."""
    asked, interrupted = [], set()

    def verify(directory, more, seed, size, jobs):
        asked.append((size, seed, *more))
        resumed = [*more] == ["--resume"]
        run = RunDirectory.open(directory) if resumed else None
        run = run or RunDirectory.create(directory, Settings(size, seed, "float64", tuple(more)))
        for slug in run.settings.slugs:
            if slug in interrupted:
                raise KeyboardInterrupt
            if slug not in run.verdicts():
                provenance = environment(here=False) | {"size": size, "seed": seed, "precision": "float64", "source": "now"}
                seconds = {"seconds": {"compile": 1.0, "run": 1.0}, "failed": OUTCOMES.get(slug) == "FAILED"}
                outcome = {"outcome": "INCONCLUSIVE" if seconds["failed"] else OUTCOMES[slug]}
                run.append(unrun(slug, "lie", "it broke") | {"size": size, "provenance": provenance} | seconds | outcome)

    monkeypatch.setattr(collected, "verify", verify)
    return asked, interrupted


def committed(size="quick"):
    return {slug: entry["seal"] for slug, entry in verdicts.committed(size).items()}


def test_everything_stale_is_listed_the_cheapest_first_and_the_unknown_last(house):
    items = renew.stale(SLUGS)
    assert [item.cost for item in items] == sorted(item.cost for item in items)
    assert {(item.kind, item.slug) for item in items} == {
        *((kind, slug) for kind in ("verdict", "seeds", "picture", "full") for slug in SLUGS),
        ("mutants", "scan_depth"),
    }
    assert items[1:3] == [
        Item("verdict", "scan_depth", seals.EARLIER, 1.0),
        Item("picture", "scan_depth", "never drawn", 1.0),
    ]
    assert {item.kind for item in items if item.minutes is None} == {"full"}
    assert Item("seeds", "scan_depth", seals.EARLIER, 10.0) in items
    assert items[0] == Item("mutants", "scan_depth", "3 not tried with this program", pytest.approx(items[0].cost))


def test_nothing_of_the_present_program_is_listed(house, monkeypatch):
    monkeypatch.setattr(seals, "program", lambda slug: "before")
    assert {item.kind for item in renew.stale(SLUGS)} == {"picture", "mutants"}


def test_a_dry_run_lists_and_makes_nothing(house, verified, capsys):
    before = {file: file.read_text() for file in house.iterdir() if file.is_file()}
    assert renew.main([*SLUGS, "--dry-run", "--out", str(house / "runs")]) == 3
    assert "13 stale, about" in capsys.readouterr().out and not verified[0]
    assert {file: file.read_text() for file in house.iterdir() if file.is_file()} == before


def test_what_is_finished_is_written_and_a_broken_command_goes_on(house, verified):
    asked, interrupted = verified
    interrupted.add("truncation_order")
    arguments = [*SLUGS, "--only", "verdict", "--out", str(house / "runs")]
    assert renew.main(arguments) == 130
    assert committed() == {"truncation_order": "before", "scan_depth": "now", "cycle_rounds": "now"}
    assert f"at quick size 3 SUPPORTED (1 {seals.EARLIER})" in verdicts.DOCS.read_text()
    interrupted.clear()
    assert renew.main(arguments) == 0
    assert committed() == dict.fromkeys(SLUGS, "now") and set(committed("full").values()) == {"before"}
    assert [claims for *_, claims in asked[-1:]] == ["--resume"] and len(asked) == 3
    assert renew.main(arguments) == 0 and len(asked) == 3


@pytest.mark.parametrize(
    ("outcome", "code", "seal"),
    [("SUPPORTED", 0, "now"), ("INCONCLUSIVE", 3, "now"), ("REFUTED", 1, "now"), ("FAILED", 4, "before")],
)
def test_exit_codes(house, verified, monkeypatch, capsys, outcome, code, seal):
    monkeypatch.setitem(OUTCOMES, "scan_depth", outcome)
    assert renew.main(["scan_depth", "--only", "verdict", "--out", str(house / "runs")]) == code
    said = capsys.readouterr()
    assert committed()["scan_depth"] == seal and ("it broke" in said.err) is (outcome == "FAILED")
    assert (", SUPPORTED before" in said.out) is (outcome in ("INCONCLUSIVE", "REFUTED"))


def test_each_kind_has_its_command(house, verified, monkeypatch):
    ran = []
    monkeypatch.setattr(
        renew.subprocess, "run", lambda command, **_: ran.append(command[1:]) or type("", (), {"returncode": 0})
    )
    for kind in ("seeds", "mutants", "full"):
        renew.main(["scan_depth", "--only", kind, "--out", str(house / "runs")])
    assert [command[:3] for command in ran] == [
        ["-m", "benchmarks.root_seeds", "scan_depth"],
        ["-m", "experiments.mutants", "run"],
    ]
    assert verified[0] == [("full", 0, "scan_depth")] and committed("full")["scan_depth"] == "now"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(["no_such"], "no_such"), (["lie", "--jobs", "0"], "--jobs 0"), (["--only", "all"], "invalid choice")],
)
def test_what_cannot_be_asked_is_refused(house, capsys, arguments, word):
    try:
        code = renew.main(arguments)
    except SystemExit as stop:
        code = stop.code
    assert code == 2 and word in capsys.readouterr().err


def test_the_help_teaches(capsys):
    with pytest.raises(SystemExit):
        renew.main(["--help"])
    said = capsys.readouterr().out
    assert all(word in said for word in (*renew.KINDS, "--dry-run", "Exit codes", "goes on"))
