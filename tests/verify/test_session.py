"""Runs from Python: the verbs run and load, in a process that keeps its settings, and claims of other packages."""

import importlib.metadata
import subprocess
import sys

import jax
import pytest

from depthjax.runs import catalogue
from depthjax.runs.records import RecordError
from depthjax.session import FIGURES
from depthjax.verify import Outcome, Run, load, run
from tests import toys as written


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_run_is_verdicts_datasets_figures_and_a_page(toys, tmp_path):
    wide, seen = jax.config.jax_enable_x64, []  # type: ignore[attr-defined]
    found = run("small", size="test", out=tmp_path / "run", jobs=2, progress=lambda *event: seen.append(event))
    assert jax.config.jax_enable_x64 == wide  # type: ignore[attr-defined]
    assert found.outcome is Outcome.REFUTED and seen
    bound = found.verdicts["true_bound"]
    assert bound.outcome is Outcome.SUPPORTED and bound.measured <= bound.predicted and bound.entry["slug"] == "true_bound"
    assert found.verdicts["false_bound"].outcome is Outcome.REFUTED
    assert "draw" in found.dataset("true_bound") and found.figure("true_bound").startswith("<?xml")
    assert found.report == tmp_path / "run" / "report.html" and found.report.exists()
    with pytest.raises(KeyError, match="no nc file of 'nothing'"):
        found.dataset("nothing")
    text, table = repr(found), found._repr_html_()
    assert "true_bound" in text and "REFUTED" in text and table.count("<tr>") == 1 + len(found.verdicts)
    assert table.count("<img ") == min(len(found.verdicts), FIGURES) and "small" not in repr(bound)
    assert repr(bound).startswith("true_bound: SUPPORTED: ") and bound._repr_html_().count("<img ") == 1
    again = load(tmp_path / "run")
    assert isinstance(again, Run) and again.verdicts.keys() == found.verdicts.keys()
    with pytest.raises(RecordError, match="is not empty"):
        run("true_bound", size="test", out=tmp_path / "run")
    with pytest.raises(RecordError, match="is not a run"):
        load(tmp_path)


@pytest.mark.parametrize("arguments", [{"size": "huge"}, {"seed": -1}, {"precision": "float16"}])
def test_settings_that_no_run_has_are_refused(toys, tmp_path, arguments):
    with pytest.raises(RecordError, match="a run cannot be started"):
        run("true_bound", out=tmp_path / "run", **arguments)


def test_unknown_claims_are_refused_before_anything_is_written(toys, tmp_path):
    with pytest.raises(catalogue.UnknownClaim, match="did you mean true_bound"):
        run("true_bond", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_script_without_a_guard_runs_once(toys, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import depthjax\nprint('once')\n"
        "print(depthjax.verify.run('true_bound', size='test', out='made').verdicts['true_bound'].outcome.value)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.split() == ["once", "SUPPORTED"], done.stderr


def declared(monkeypatch, **packages):
    """Pretend that installed packages declare claims."""
    entries = [importlib.metadata.EntryPoint(name, value, catalogue.GROUP) for name, value in packages.items()]
    real = importlib.metadata.entry_points
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **query: entries if query else real())


def test_claims_of_other_packages_join_this_project_s(toys, monkeypatch, tmp_path):
    monkeypatch.delenv("DEPTHJAX_CATALOGUE")
    declared(monkeypatch, mine="experiments", toys="toys.small")
    found = catalogue.modules()
    assert found["true_bound"] == "toys.small.true_bound" and "tower_error_order" in found
    assert catalogue.packages_of([found["true_bound"]]) == "toys.small" and catalogue.select(["small"]).keys() >= {"true_bound"}
    done = run("true_bound", size="test", out=tmp_path / "run", jobs=1)
    assert done.outcome is Outcome.SUPPORTED and done.settings.catalogue == "toys.small"


def test_two_claims_of_one_name_are_an_error_that_names_both_files(toys, monkeypatch, tmp_path):
    written.write_toys(tmp_path, "other", ["small/true_bound"])
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("DEPTHJAX_CATALOGUE", "toys,other")
    with pytest.raises(catalogue.UnknownClaim, match=r"two claims are called 'true_bound': .*toys.* and .*other.*; rename one"):
        catalogue.modules()


@pytest.mark.parametrize(
    ("jobs", "kind"), [(-1, ValueError), (0, ValueError), (1.5, TypeError), ("2", TypeError), (True, TypeError)]
)
def test_a_number_of_processes_that_is_none_is_refused(tmp_path, jobs, kind):
    with pytest.raises(kind, match="jobs"):
        run("pairwise_masking_blind", size="test", out=tmp_path / "run", jobs=jobs)
    assert not (tmp_path / "run").exists()
