"""Registrations: one for each program, outcomes kept with theirs, and verdicts that say whether theirs was registered."""

import json

import pytest

from depthjax.runs import registered as book
from depthjax.runs.origin import source_digest
from depthjax.runs.registered import RegistrationError, judged, register, registered, registrations

ENTRY = {"date": "2026-01-01", "statement": "s", "refuted_by": "r", "size": "quick", "domain": [], "cells": ["a"], "judged": {}}


@pytest.fixture
def module(monkeypatch, tmp_path, toys):
    """A claim whose registrations lie in a folder of their own."""
    monkeypatch.setattr(book, "_file", lambda module: tmp_path / book.FILE)
    return toys("small.true_bound")


def test_a_program_is_registered_once_and_a_changed_one_no_more(module):
    assert registered(module) == "" and registrations(module) == []
    seal = source_digest(module)
    for date in ("2026-01-01", "2026-02-02"):
        register(module, ENTRY | {"seal": seal, "date": date})
    assert registered(module) == "2026-01-01" and len(registrations(module)) == 1
    register(module, ENTRY | {"seal": "another"})
    assert registered(module) == "2026-01-01" and len(registrations(module)) == 2


def test_outcomes_stay_with_the_program_that_had_them(module):
    register(module, ENTRY | {"seal": "before"})
    assert judged(module, "before", {"refuted": 1}) and not judged(module, "never", {"refuted": 0})
    register(module, ENTRY | {"seal": "now"})
    assert [one["judged"] for one in registrations(module)] == [{"refuted": 1}, {}]


@pytest.mark.parametrize("text", ["", "{", "[1]", "[{}]", json.dumps([ENTRY]), json.dumps([ENTRY | {"seal": 1}])])
def test_a_broken_file_is_named_and_no_verdict_fails_for_it(module, tmp_path, text):
    (tmp_path / book.FILE).write_text(text)
    with pytest.raises(RegistrationError, match=r"registered\.json holds no registrations"):
        registrations(module)
    assert registered(module) == ""
