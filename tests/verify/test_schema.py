"""What a run directory may hold: every field of a real verdict, changed one at a time into what it cannot be."""

import copy
import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from depthjax.report.page import page
from depthjax.runs import lines, schema
from depthjax.runs.entry import unrun
from depthjax.runs.fields import check_of
from depthjax.runs.records import RecordError, RunDirectory, Settings, plain
from depthjax.runs.schema import SchemaError, check_settings, check_verdict, read_json, read_verdicts
from depthjax.session import Judged
from depthjax.verify import Finding
from experiments.verdicts import KEPT

SETTINGS = {"size": "quick", "seed": 0, "precision": "float64", "slugs": ["a", "b_2"], "catalogue": "experiments"}
STEPS = 0.5 ** np.arange(1.0, 9)
FINDING = {
    "quantity": "error",
    "label": "an error",
    "units": "",
    "cell": "letters=2",
    "where": {"step": 0.5, "name": "x", "flag": True, "none": None},
    "relation": "order at least",
    "budget": {"rounding": 0.0, "truncation": None, "sampling": 1e-9},
    "predicted": 2,
    "measured": 2.001,
    "margin": None,
    "tightness": None,
    "power": 0.3,
    "outcome": "SUPPORTED",
    "reason": "",
    "points": 9,
    "dropped": 0,
    "resolved": True,
}
VERDICT = unrun("a", "lie", "why") | {
    "findings": [FINDING],
    "controls": [{"name": "n", "statement": "s", "outcome": "REFUTED", "reason": ""}],
    "skipped": ["one"],
    "claim": {"title": "t", "assumes": ["h"]},
    "provenance": {"device": "cpu", "devices": 1, "matmul_precision": "highest", "x64": True, "size": "quick", "seed": 0}
    | {"commit": "", "versions": {"jax": "0.10"}, "xla_flags": ""},
}


def _drawn(example):
    """Values like an example, as the schema may accept them: other words, numbers at the edge, what is optional left out."""
    if isinstance(example, bool):
        return st.booleans()
    if isinstance(example, int | float) or example is None:
        return st.none() | st.sampled_from((0, 1, 2, 9, 0.5)) | st.integers(-(10**300), 10**300) | st.floats(allow_nan=False)
    if isinstance(example, str):
        return st.sampled_from(("", example, *lines.OUTCOMES, *lines.RELATIONS, "order at least", "constant", "quick", "1")) | (
            st.text(max_size=5)
        )
    if isinstance(example, list):
        return st.lists(_drawn(example[0]), max_size=3) if example else st.just([])
    keys = {key: st.just(value) | _drawn(value) for key, value in example.items()}
    more = st.dictionaries(st.sampled_from(("constant", "x")), st.none() | st.floats(allow_nan=False), max_size=1)
    return st.fixed_dictionaries(keys) | (st.tuples(st.fixed_dictionaries(keys), more).map(lambda two: {**two[0], **two[1]}))


RELATED = [name for kind in lines.RELATIONS for name in (kind, f"{kind} at least")]


@settings(max_examples=150, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_verdict_that_is_accepted_stops_a_report(data):
    record = copy.deepcopy(VERDICT)
    for path in data.draw(st.lists(st.sampled_from(sorted(VERDICT)), max_size=4)):
        record = _if_accepted(record, changed(record, path, data.draw(_drawn(VERDICT[path]))))
    for name in data.draw(st.lists(st.sampled_from(sorted(FINDING)), min_size=1, max_size=8)):
        record = _if_accepted(
            record, changed(record, f"findings.0.{name}", data.draw(_drawn(FINDING[name]))) if record["findings"] else record
        )
    if record["findings"]:
        record = changed(record, "findings.0.relation", data.draw(st.sampled_from(RELATED)))
        for name in data.draw(st.sets(st.sampled_from(("predicted", "tightness", "margin", "power")))):
            record = changed(record, f"findings.0.{name}", None)
    run = RunDirectory(Path("no/such/run"), Settings("test", 0, "float64", (record["slug"],)))
    assert "</html>" in page(run, [check_verdict(record)], {})


def _if_accepted(record, other):
    try:
        return check_verdict(other)
    except SchemaError:
        return record


def changed(record, path, value):
    """The record with the field at a path, such as findings.0.outcome, changed; no value: without it."""
    copied = copy.deepcopy(record)
    *before, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    inside = copied
    for part in before:
        inside = inside[part]
    inside[last] = value
    return copied


def test_what_runs_write_is_accepted_as_it_is():
    assert check_settings(SETTINGS) is SETTINGS
    assert check_verdict(VERDICT) is VERDICT
    assert check_verdict(unrun("a", "", "cannot be loaded"))
    assert check_verdict(VERDICT | {"later": {"more": [1, "x"]}})["later"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *[("slug", value) for value in ("", "../../x", "A", "a b", "a/b", "a\n", "1a", "é", "x" * 101, 3, None, ["a"])],
        *[("outcome", value) for value in ("supported", "\x1b[31mSUPPORTED", "[/]", "", None, 1, {"a": 1})],
        *[("relation", value) for value in ("equal", None, "at most ", 3)],
        *[("predicted", value) for value in ("2", True, [1.0], float("nan"), float("inf"), 10**400)],
        *[("seed", value) for value in (-1, 2**32, 0.5, "0", True)],
        *[("controls", value) for value in (None, {}, "x", [1], [[]], [{}])],
        ("controls.0.outcome", "<b>"),
        ("controls.0.name", 1),
        ("findings.0.outcome", "x' onclick='"),
        ("findings.0.points", "<img src=x onerror=alert(1)>"),
        *[("findings.0.points", value) for value in (-1, 1.5, True, 2**63, None)],
        *[("findings.0.resolved", value) for value in (1, "yes", None)],
        *[("findings.0.where", value) for value in ([], {"a": [1]}, {"a": {}}, None)],
        *[("findings.0.budget", value) for value in ([], {"rounding": "1"}, None)],
        ("findings", [1]),
        ("skipped", [1]),
        ("skipped", "one"),
        *[("seconds", value) for value in ({}, {"compile": 1}, {"compile": 1, "run": None}, {"compile": "1", "run": 0})],
        *[("claim", value) for value in ([], {"title": 1}, {"assumes": "h"}, {"latex": None})],
        *[("provenance", value) for value in ([], {"device": "cpu"})],
        ("provenance.versions", {"jax": 1}),
        ("reason", "half a character \ud800"),
        ("reason", "x" * (schema.MAX_TEXT + 1)),
        ("witness", None),
        ("size", "huge"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_every_other_verdict_is_refused_by_the_name_of_its_field(path, value):
    with pytest.raises(SchemaError) as error:
        check_verdict(changed(VERDICT, path, value))
    assert error.value.field.replace("[", ".").replace("]", "").startswith(path.removesuffix(".versions"))
    assert "expected" in str(error.value) and len(str(error.value)) < 400


@pytest.mark.parametrize("name", sorted(set(VERDICT) - {"failed", "loose", "rate", "rivals", "drawn"}))  # older runs have none
def test_a_verdict_that_lacks_a_field_is_refused(name):
    with pytest.raises(SchemaError, match=f"^{name} .*missing"):
        check_verdict({key: value for key, value in VERDICT.items() if key != name})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("size", "huge"),
        ("seed", -1),
        ("seed", "<script>"),
        ("seed", 2**32),
        ("precision", "float16"),
        ("slugs", "a"),
        ("slugs", ["a", "a"]),
        ("slugs", ["../x"]),
        *[("catalogue", value) for value in ("", "a-b", "..", "a.", "os;", 3, "a b")],
        ("provenance", []),
        ("provenance", {"versions": ["jax"]}),
    ],
    ids=repr,
)
def test_settings_that_no_run_has_are_refused(name, value, tmp_path):
    with pytest.raises(SchemaError, match=name):
        check_settings(SETTINGS | {name: value})
    (tmp_path / "run.json").write_text(json.dumps(SETTINGS | {name: value}))
    with pytest.raises(RecordError, match="damaged"):
        RunDirectory.open(tmp_path)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_settings_that_are_missing_are_named(name):
    with pytest.raises(SchemaError, match=f"^{name} "):
        check_settings({key: value for key, value in SETTINGS.items() if key != name})


def test_a_run_that_could_not_be_read_again_is_not_started(tmp_path):
    with pytest.raises(RecordError, match=r"slugs\[0\] is 'MyClaim'"):
        RunDirectory.create(tmp_path / "new", Settings("quick", 0, "float64", ("MyClaim",)))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "text",
    [
        b"NaN",
        b"[Infinity]",
        b'{"a": -Infinity}',
        b"1e999",
        b"-1e999",
        b"[" * 200000,
        b'{"a":' * 200000,
        b"\xff",
        b"",
        b"{'a': 1}",
        b"1" * 5000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_json_is_strict(text):
    with pytest.raises(SchemaError):
        read_json(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner)))
def test_nothing_but_a_schema_error_comes_out(value):
    for check in (check_settings, check_verdict):
        with pytest.raises(SchemaError):
            check(value)


@given(
    st.sampled_from(sorted(FINDING)), st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text())
)
def test_a_changed_finding_is_refused_or_can_be_written_again(name, value):
    record = VERDICT | {"findings": [FINDING | {name: value}]}
    try:
        accepted = check_verdict(record)
    except SchemaError as error:
        assert error.field.startswith(f"findings[0].{name}")
    else:
        assert read_json(json.dumps(plain(accepted), ensure_ascii=False, allow_nan=False).encode()) == accepted


def test_lines_without_end_are_skipped_and_those_after_them_read(tmp_path, monkeypatch):
    monkeypatch.setattr(schema, "MAX_LINE", 10_000)
    good = json.dumps(VERDICT).encode()
    file = tmp_path / "verdicts.jsonl"
    file.write_bytes(b'{"slug": "' + b"x" * 100_000 + b"\n\n" + b"[" * 9_000 + b"\n" + good + b"\n" + b"y" * 20_000)
    complaints = []
    assert list(read_verdicts(file, complaints.append)) == [VERDICT]
    assert [line.split(" line ")[1].split()[0] for line in complaints] == ["1", "3", "5"]
    assert all(len(line) < 400 + len(str(file)) for line in complaints)


@pytest.mark.parametrize("name", ["run.json", "verdicts.jsonl"])
def test_files_that_lead_out_of_the_run_are_not_read(tmp_path, name):
    run = RunDirectory.create(tmp_path / "run", Settings("quick", 0, "float64", ("a",)))
    run.append(VERDICT)
    (run.path / name).rename(tmp_path / name)
    (run.path / name).symlink_to(tmp_path / name)
    with pytest.raises(RecordError, match="leads out of"):
        RunDirectory.open(run.path).verdicts()


def test_nothing_is_written_through_a_link_that_leads_out(tmp_path):
    run = RunDirectory.create(tmp_path / "run", Settings("quick", 0, "float64", ("a",)))
    (tmp_path / "outside").mkdir()
    (run.path / "errors").symlink_to(tmp_path / "outside")
    with pytest.raises(RecordError, match="leads out of"):
        run.save_text("errors/a.txt", "text")
    assert not any((tmp_path / "outside").iterdir())


def test_verdicts_of_other_claims_are_named(tmp_path):
    run = RunDirectory.create(tmp_path, Settings("quick", 0, "float64", ("b",)))
    run.append(VERDICT)
    complaints = []
    assert run.verdicts(complaints.append) == {} and "'a'" in complaints[0]


def test_every_key_of_a_verdict_is_said_once():
    every, finding, written, shown = (
        [field.name for field in dataclasses.fields(kind)] for kind in (lines.VerdictLine, Finding, lines.FindingLine, Judged)
    )
    assert every == list(unrun("a", "lie", "why"))
    assert {*finding} < {*written} and {*shown} - {"entry"} < {*every} and {*KEPT} < {*every}


def test_an_annotation_that_no_rule_reads_is_refused():
    with pytest.raises(TypeError, match=r"annotation .*complex.*add one to `check_of` in .*fields\.py"):
        check_of(list[complex])


def test_every_setting_of_a_run_has_a_check():
    assert {field.name for field in dataclasses.fields(Settings)} == set(SETTINGS)
    for name in SETTINGS:
        with pytest.raises(SchemaError, match=name):
            check_settings(SETTINGS | {name: {}})
