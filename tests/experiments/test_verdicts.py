"""What a run may differ in from the committed verdicts."""

import json

import pytest

from depthjax.runs import catalogue
from depthjax.runs.entry import unrun
from depthjax.runs.provenance import environment
from depthjax.runs.records import RunDirectory, Settings
from experiments import seals, verdicts

KNOWN = {"exact": {"outcome": "SUPPORTED"}, "trained": {"outcome": "SUPPORTED"}, "open": {"outcome": "INCONCLUSIVE"}}


def write(directory, entries, asked=()):
    run = RunDirectory.create(directory, Settings("quick", 0, "float64", tuple(asked or entries)))
    for slug, entry in entries.items():
        run.append(unrun(slug, "topic", "") | entry)


@pytest.mark.parametrize(
    ("changed", "outcome", "contradicted", "told"),
    [
        ("exact", "SUPPORTED", [], []),
        ("exact", "INCONCLUSIVE", ["exact"], []),
        ("trained", "INCONCLUSIVE", [], ["trained"]),
        ("trained", "REFUTED", ["trained"], []),
        ("open", "SUPPORTED", [], ["open"]),
        ("open", "REFUTED", ["open"], []),
        ("unknown", "SUPPORTED", ["unknown"], []),
    ],
)
def test_only_trained_claims_may_be_left_open(tmp_path, monkeypatch, changed, outcome, contradicted, told):
    monkeypatch.setattr(verdicts, "committed", lambda size="quick": KNOWN)
    monkeypatch.setattr(verdicts, "trains", lambda slug: slug in ("trained", "open"))
    run = KNOWN | {changed: {"outcome": outcome}}
    write(tmp_path, run)
    problems, notes = verdicts.check(tmp_path)
    assert [line.split(":")[0] for line in problems] == contradicted
    assert [line.split(":")[0] for line in notes] == told
    assert verdicts.main(["check", str(tmp_path)]) == bool(contradicted)


def test_the_largest_size_is_shown_with_the_root_seeds_of_the_quick_one(tmp_path, monkeypatch):
    tried = {"tried": 10, "agree": 9}
    entries = [{"slug": slug, "size": "quick", "outcome": "SUPPORTED", "seeds": tried} for slug in ("small", "large")]
    entries.append({"slug": "large", "size": "full", "outcome": "INCONCLUSIVE", "seeds": {"tried": 0, "agree": 0}})
    monkeypatch.setattr(verdicts, "FILE", tmp_path / "verdicts.json")
    verdicts.FILE.write_text(json.dumps(entries))
    assert verdicts.shown() == {"small": entries[0], "large": entries[2] | {"seeds": tried}}


@pytest.mark.parametrize(
    ("full", "date", "size"),
    [
        ("now", "2026-01-01", "full"),
        ("before", "2026-01-01", "quick"),
        ("later", "2026-01-03", "full"),
        ("", "2026-01-01", "quick"),
    ],
)
def test_a_verdict_of_the_newest_program_is_shown(kept, full, date, size):
    both = [{"slug": SLUG, "size": "quick", "seeds": {}, "seal": "now", "date": "2026-01-02"}]
    both += [{"slug": SLUG, "size": "full", "seeds": {}, "seal": full, "date": date}]
    verdicts.FILE.write_text(json.dumps(both))
    assert verdicts.shown()[SLUG]["size"] == size


def test_a_claim_that_was_not_run_is_missed(tmp_path, monkeypatch):
    monkeypatch.setattr(verdicts, "committed", lambda size="quick": KNOWN)
    write(tmp_path, {"exact": KNOWN["exact"]}, asked=("exact", "open"))
    assert verdicts.check(tmp_path)[0] == ["open: this run was asked for it, and has no verdict of it"]


def test_claims_of_earlier_programs_are_due_and_so_many_of_the_others(monkeypatch, capsys):
    """What is drawn follows from the program, and is another choice once the program is another."""
    slugs = sorted(catalogue.modules())
    stale, never, fresh = slugs[3], slugs[7], {*slugs} - {slugs[3], slugs[7]}
    monkeypatch.setattr(seals, "program", lambda slug: "now")
    known = {slug: {"seal": "before" if slug == stale else "now"} for slug in slugs if slug != never}
    monkeypatch.setattr(verdicts, "committed", lambda size="quick": known)
    drawn = []
    for text in ("one", "one", "another"):
        monkeypatch.setattr(verdicts, "content", lambda text=text: text)
        assert verdicts.main(["due", "20"]) == 0
        drawn.append({*capsys.readouterr().out.split()})
        assert {stale, never} <= drawn[-1] and len(drawn[-1] & fresh) == 20
    assert drawn[0] == drawn[1] != drawn[2]
    assert verdicts.due(0) == [stale, never] and verdicts.due(10**6) == slugs


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Committed verdicts, root seeds and tables in a folder of their own; every claim has the program "now"."""
    for name, text in {
        "FILE": "[]",
        "SEEDS": json.dumps({"claims": {SLUG: {"seeds": 10, "supported": 9, "seal": "before"}}}),
        "README": f"{verdicts.WORTH}{verdicts.WORTH_END}{verdicts.BEGIN}{verdicts.END}",
        "DOCS": "",
        "DOMAINS": "",
    }.items():
        monkeypatch.setattr(verdicts, name, tmp_path / name)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(verdicts, "CHOSEN", (SLUG,))
    monkeypatch.setattr(seals, "program", lambda slug: "now")
    return tmp_path


SLUG = "truncation_order"


@pytest.mark.parametrize(("seal", "marked"), [("now", False), ("before", True), ("", True)])
def test_a_verdict_names_its_program_and_an_earlier_one_is_marked(kept, seal, marked):
    write(kept / "run", {SLUG: {"outcome": "SUPPORTED", "seconds": {"compile": 1.0, "run": 2.0}, "provenance": place(seal)}})
    verdicts.update(kept / "run")
    (entry,) = json.loads(verdicts.FILE.read_text())
    assert (entry["seal"], entry["seconds"], entry["seeds"]) == (seal, 3.0, {"tried": 10, "agree": 9, "seal": "before"})
    for file in (verdicts.README, verdicts.DOCS):
        row = next(line for line in file.read_text().splitlines() if line.startswith(f"| `{SLUG}`"))
        *_, seeds, outcome, full = row.removesuffix(" |").split(" | ")
        assert (seeds, outcome, full) == (f"9/10 {seals.MARK}", f"SUPPORTED{f' {seals.MARK}' * marked}", "–")
        assert f"{seals.MARK} {seals.EARLIER}" in file.read_text()
        assert f"1 SUPPORTED{f' (1 {seals.EARLIER})' * marked};" in file.read_text()
        assert f"Of 10 quick verdicts at several root seeds, 9 agree (10 {seals.EARLIER})." in file.read_text()


def test_a_report_says_which_outcome_at_full_size_is_of_an_earlier_program(kept):
    verdicts.FILE.write_text(
        json.dumps([{"slug": s, "size": "full", "outcome": "REFUTED", "seal": s} for s in ("now", "before")])
    )
    write(kept / "run", {slug: {"outcome": "SUPPORTED"} for slug in ("now", "before", "never")})
    found = verdicts.beside(RunDirectory.open(kept / "run"))
    assert found["full"] == dict.fromkeys(("now", "before"), "REFUTED") and found["earlier"] == ["before"]


def place(seal):
    settings = {"size": "quick", "seed": 0, "precision": "float64", "source": seal}
    return environment() | settings


@pytest.mark.parametrize("arguments", [["--help"], ["update", "--help"], ["pictures", "-h"]])
def test_help_is_no_run(arguments, capsys):
    assert verdicts.main(arguments) == 0
    assert "verdicts update RUN" in capsys.readouterr().out


def test_claims_that_train_are_those_that_say_so():
    assert verdicts.trains("sixty_layers_train") and not verdicts.trains("scan_depth")
