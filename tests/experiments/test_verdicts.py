"""What a run may differ in from the committed verdicts."""

import json

import pytest

from depthjax.runs.entry import unrun
from depthjax.runs.records import RunDirectory, Settings
from experiments import verdicts

KNOWN = {
    "exact": {"outcome": "SUPPORTED", "relation": "equals"},
    "trained": {"outcome": "SUPPORTED", "relation": "trend"},
    "open": {"outcome": "INCONCLUSIVE", "relation": "trend"},
}


def write(directory, entries):
    run = RunDirectory.create(directory, Settings("quick", 0, "float64", tuple(entries)))
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


def test_a_claim_that_was_not_run_is_missed(tmp_path, monkeypatch):
    monkeypatch.setattr(verdicts, "committed", lambda size="quick": KNOWN)
    write(tmp_path, {"exact": KNOWN["exact"]})
    assert verdicts.check(tmp_path)[0] == ["trained: committed, but not in this run", "open: committed, but not in this run"]
