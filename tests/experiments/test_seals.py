"""Seals that a cache keeps: the same as those that are made again, and a cache that is broken or stale changes nothing."""

import json
import os

import pytest

from depthjax.runs.origin import source_digest
from experiments import seals

MODULE = "experiments.lie.tower_error_order"


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "depthjax" / "seals.json"


def test_a_seal_is_kept_until_a_file_changes(cache, monkeypatch):
    assert seals.remembered(MODULE) == source_digest(MODULE)
    kept = json.loads(cache.read_text())
    assert kept["seals"] == {MODULE: source_digest(MODULE)} and os.listdir(cache.parent) == [cache.name]
    monkeypatch.setattr(seals, "source_digest", lambda module: pytest.fail("made again"))
    assert seals.remembered(MODULE) == kept["seals"][MODULE]
    monkeypatch.setattr(seals, "source_digest", lambda module: "made again")
    monkeypatch.setattr(seals, "_state", lambda: "a file has changed")
    assert seals.remembered(MODULE) == "made again"
    assert json.loads(cache.read_text()) == {"state": "a file has changed", "seals": {MODULE: "made again"}}


def test_a_file_that_changes_changes_the_state(monkeypatch, tmp_path):
    (tmp_path / "theory" / "lie").mkdir(parents=True)
    file = tmp_path / "theory" / "lie" / "tower.py"
    file.write_text("x = 1\n")
    monkeypatch.setattr(seals, "__file__", str(tmp_path / "experiments" / "seals.py"))
    before = seals._state()
    assert before == seals._state()
    file.write_text("x = 12\n")
    after = seals._state()
    (tmp_path / "theory" / "new.py").touch()
    assert len({before, after, seals._state()}) == 3


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"state": 1, "seals": 3}', "\x00", '{"seals": {}}'])
def test_a_broken_cache_is_none(cache, text):
    cache.parent.mkdir()
    cache.write_text(text)
    assert seals.remembered(MODULE) == source_digest(MODULE)


def test_a_cache_that_cannot_be_written_is_none(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert seals.remembered(MODULE) == source_digest(MODULE)


def test_modules_of_others_are_not_kept(cache):
    assert seals.remembered("toys.nothing") == "" and not cache.exists()
