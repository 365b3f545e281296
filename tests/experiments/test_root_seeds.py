"""The campaign over root seeds: only what lacks a verdict is run, the newest counts, and the table says what is open."""

import json

import pytest

from benchmarks import root_seeds
from depthjax.runs.entry import unrun
from depthjax.runs.provenance import environment
from depthjax.runs.records import RunDirectory, Settings
from experiments import collected, seals


def entry(slug, seed, outcome="SUPPORTED", margin=0.5):
    return unrun(slug, "lie", "") | {
        "seed": seed,
        "outcome": outcome,
        "margin": margin,
        "reason": "" if outcome == "SUPPORTED" else f"why {slug} is open",
        "seconds": {"compile": 1.0, "run": 2.0},
        "device": "cpu",
        "size": "quick",
        "claim": {"grid": "Sizes()"},
        "provenance": environment()
        | {"commit": "0123456789abcdef+changes", "versions": {"jax": "1.2"}, "size": "quick", "seed": seed},
    }


@pytest.fixture
def runs(monkeypatch):
    """Stands for ``verify``: a run writes verdicts of its claims, all or (``broken``) all but the last."""
    asked, broken = [], []

    def verify(directory, more, seed, size, jobs):
        asked.append((directory.name, tuple(more)))
        resumed = more == ["--resume"]
        run = RunDirectory.open(directory) if resumed else None
        run = run or RunDirectory.create(directory, Settings("quick", seed, "float64", tuple(more)))
        for slug in run.settings.slugs[: -1 if broken else None]:
            if slug not in run.verdicts():
                run.append(entry(slug, seed))

    monkeypatch.setattr(collected, "verify", verify)
    return asked, broken


def test_only_what_lacks_a_verdict_is_run(tmp_path, runs):
    asked, broken = runs
    broken.append(True)
    collected.complete(tmp_path, ("a", "b"), 3)
    broken.clear()
    collected.complete(tmp_path, ("a", "b"), 3)
    collected.complete(tmp_path, ("a", "b"), 3)
    assert asked == [("quick-3", ("a", "b")), ("quick-3", ("--resume",))]
    collected.complete(tmp_path, ("a", "b", "c"), 3)
    collected.complete(tmp_path, ("b",), 3, again=True)
    collected.complete(tmp_path, ("a",), 30)
    assert asked[2:] == [("quick-3-2", ("c",)), ("quick-3-3", ("b",)), ("quick-30", ("a",))]
    assert set(collected.verdicts(tmp_path, 3)) == {"a", "b", "c"} and set(collected.verdicts(tmp_path, 30)) == {"a"}


def test_the_newest_verdict_counts(tmp_path):
    for number, outcome in enumerate(["REFUTED"] * 9 + ["SUPPORTED"], start=1):  # by number, not by name
        run = RunDirectory.create(tmp_path / ("quick-1" + f"-{number}" * (number > 1)), Settings("quick", 1, "float64", ("a",)))
        run.append(entry("a", 1, outcome))
    assert collected.verdicts(tmp_path, 1)["a"][1]["outcome"] == "SUPPORTED"


def test_seeds_that_follow_on_one_another_are_counted_together(monkeypatch):
    monkeypatch.setattr(seals, "of", lambda one: "a seal")
    rows = [entry("a", seed, margin=seed / 10) for seed in range(1, 6)] + [entry("a", 6, "INCONCLUSIVE", None)]
    whole, first, rest = (root_seeds.summarise(part) for part in (rows, rows[:4], rows[4:]))
    assert root_seeds.joined(first, rest)["claims"] == whole["claims"]
    assert root_seeds.joined(first, whole)["claims"] == whole["claims"]  # run again from the start
    rest["claims"]["a"]["registered"] = "2026-11-30"
    assert root_seeds.joined(first, rest)["claims"] == whole["claims"]  # some ran before
    rest["claims"]["a"]["registered"] = ""
    other = root_seeds.summarise(rows[5:])
    assert root_seeds.joined(first, other)["claims"] == other["claims"]  # with a gap between
    rest["claims"]["a"]["seal"] = "another seal"
    assert root_seeds.joined(first, rest)["claims"] == rest["claims"]


def test_the_table_counts_and_gives_reasons():
    rows = [entry("a", seed) for seed in range(9)] + [entry("a", 9, "INCONCLUSIVE", None), entry("b", 0, margin=0.25)]
    summary = json.loads(json.dumps(root_seeds.summarise(rows)))
    one = summary["claims"]["a"]
    assert (one["seeds"], one["supported"], one["inconclusive"], one["refuted"]) == (10, 9, 1, 0)
    assert one["seconds"] == 3.0 and one["least_margin"] == 0.5
    text = root_seeds.table(summary)
    assert (
        f"| `a` {seals.MARK} | 10: 0 to 9 | – | 9 | 1 | 0 | 0.50 | 3.0 |" in text
        and "1 are SUPPORTED at every seed tried" in text
    )
    assert "- `a`, seed 9, INCONCLUSIVE: why a is open" in text and "0123456789ab+changes" in text


def test_a_table_keeps_the_rows_of_other_claims(tmp_path, monkeypatch):
    monkeypatch.setattr(root_seeds.catalogue, "select", lambda names: ["a", "b"])
    old = root_seeds.summarise([entry("a", 0), entry("b", 0), entry("gone", 0)])
    (tmp_path / "old.json").write_text(json.dumps(old))
    both = root_seeds.joined(root_seeds.committed(tmp_path / "old.json"), root_seeds.summarise([entry("a", 1, "REFUTED")]))
    assert list(both["claims"]) == ["a", "b"] and both["claims"]["a"]["refuted"] == 1 and both["claims"]["b"]["seeds"] == 1
    assert both["commits"] == old["commits"]
    assert root_seeds.committed(tmp_path / "none.json")["claims"] == {}


def test_a_verdict_of_an_earlier_program_is_run_again_and_its_row_is_marked(tmp_path, runs, monkeypatch):
    asked, _ = runs
    collected.complete(tmp_path, ("a", "b"), 3)
    monkeypatch.setattr(seals, "program", lambda slug: "changed" if slug == "b" else "")
    collected.complete(tmp_path, ("a", "b"), 3)
    assert asked[1:] == [("quick-3-2", ("b",))]
    rows = [entry("a", 0), entry("b", 0), entry("b", 1)]
    for row, seal in zip(rows, ("", "changed", "before"), strict=True):
        row["provenance"] |= {"source": seal}
    assert root_seeds.summarise(rows)["claims"]["b"]["seal"] == ""  # of several programs
    assert root_seeds.summarise(rows[:2])["claims"]["b"]["seal"] == "changed"
    assert "| `b` | 1: 0 to 0 |" in root_seeds.table(root_seeds.summarise(rows[:2]))
    assert f"| `b` {seals.MARK} | 2: 0 to 1 |" in root_seeds.table(root_seeds.summarise(rows))


def test_exit_codes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(root_seeds.catalogue, "select", lambda names: ["a"])

    def run(*outcomes):
        out = tmp_path / str(len(list(tmp_path.iterdir())))
        for seed, outcome in enumerate(outcomes):
            RunDirectory.create(out / f"quick-{seed}", Settings("quick", seed, "float64", ("a",))).append(
                entry("a", seed, outcome)
            )
        given = [
            "root_seeds",
            "--table",
            "--seeds",
            f"0:{len(outcomes) - 1}",
            "--out",
            str(out),
            "--results",
            str(tmp_path / "r"),
        ]
        monkeypatch.setattr("sys.argv", given)
        code = root_seeds.main()
        return code, (tmp_path / "r" / "root_seeds.md").read_text() == capsys.readouterr().out.removesuffix("\n")

    assert run(*["SUPPORTED"] * 9, "INCONCLUSIVE") == (0, True)
    assert run(*["SUPPORTED"] * 8, "INCONCLUSIVE", "INCONCLUSIVE") == (1, True)
    assert run(*["SUPPORTED"] * 9, "REFUTED") == (1, True)
