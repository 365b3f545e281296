"""``python -m experiments.register``: what it writes is what will be judged, and a claim that is not there is told."""

import json

import pytest

from depthjax.runs import catalogue
from depthjax.runs import registered as book
from depthjax.runs.origin import source_digest
from experiments import register


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(book, "_file", lambda module: tmp_path / f"{module}.json")
    return tmp_path


def test_a_registration_names_statement_domain_cells_and_program(folder, capsys):
    module = catalogue.one("flip_flop_shift")
    assert register.main(["flip_flop_shift"]) == 0
    (one,) = json.loads((folder / f"{module}.json").read_text())
    assert one["seal"] == source_digest(module) and one["domain"] and "misreads" in one["statement"]
    assert all("seeds=" in cell and "steps=" in cell for cell in one["cells"]) and one["judged"] == {}
    assert "git add" in capsys.readouterr().out
    assert register.main(["flip_flop_shift"]) == 0
    assert "git add" not in capsys.readouterr().out and len(json.loads((folder / f"{module}.json").read_text())) == 1


@pytest.mark.parametrize(("words", "told"), [(["flip_flop_shft"], "flip_flop_shift"), (["--size", "huge"], "huge")])
def test_what_is_no_claim_or_size_is_told(folder, capsys, words, told):
    try:
        code = register.main(words)
    except SystemExit as ended:
        code = ended.code
    assert code == 2 and told in capsys.readouterr().err
    assert not list(folder.iterdir())
