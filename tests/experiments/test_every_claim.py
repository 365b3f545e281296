"""Every claim of the catalogue runs end to end at its smallest size, and is complete."""

import importlib

import pytest

from depthjax import compiler
from depthjax.runs import catalogue
from depthjax.runs.cells import Cells
from depthjax.runs.records import RunDirectory, Settings, load
from depthjax.runs.runner import run_claim
from depthjax.verify import Experiment, Relation
from depthjax.verify.experiment import SIZES, claim_of
from depthjax.verify.quantity import cell_names
from depthjax.verify.rehearsal import hopeless, seeds_needed, seeds_of

MODULES = catalogue.modules()
OVER_SEEDS = (Relation.TREND, Relation.RANKING)


def experiment(slug: str) -> Experiment:
    return Experiment.of(importlib.import_module(MODULES[slug]))


@pytest.mark.parametrize("slug", MODULES)
def test_a_claim_runs_and_is_supported_at_test_size(slug, tmp_path, monkeypatch):
    """A trained claim trains for a few steps here: it must run to a verdict, which decides nothing."""
    monkeypatch.setitem(compiler.LEAN, "xla_backend_optimization_level", 0)  # few steps: compiling is most of the time
    claim = experiment(slug)
    run = RunDirectory.create(tmp_path / "run", Settings("test", 0, "float64", (slug,)))
    entry = run_claim(MODULES[slug], run)
    assert not (run.path / "errors").exists(), entry["reason"]
    assert entry["findings"], entry["reason"]
    assert entry["controls"] or entry["rivals"]
    if claim.claim.trains:
        tried = [one["outcome"] for one in (entry, *entry["findings"], *entry["controls"], *entry["rivals"])]
        assert "REFUTED" not in tried and entry["outcome"] == "INCONCLUSIVE" and "budget too small" in entry["reason"]
    else:
        assert entry["outcome"] == "SUPPORTED", entry["reason"]
    dataset = load(run.path / f"{slug}.nc")
    assert cell_names(dataset) == [cell.name for cell in claim.grids["test"].cells()]
    assert any(name.endswith("_prediction") for name in map(str, dataset.data_vars))


@pytest.mark.slow
@pytest.mark.parametrize("slug", MODULES)
def test_a_full_run_can_be_begun(slug, tmp_path):
    """Objects, predictions, controls and rivals of every full cell exist, pass the border, and leave hope of a verdict."""
    run = RunDirectory.create(tmp_path / "run", Settings("full", 0, "float64", (slug,)))
    work = Cells(claim_of(MODULES[slug]), MODULES[slug], run, lambda *told: None, lambda told: None)
    assert not work.hopeless()


@pytest.mark.parametrize("slug", MODULES)
def test_a_claim_is_complete(slug):
    found = experiment(slug)
    claim = found.claim
    assert claim.assumes and claim.refuted_by and claim.latex and claim.cost and claim.source.cite()
    for size in SIZES:
        names = [cell.name for cell in found.grids[size].cells()]
        assert names and len(set(names)) == len(names)


@pytest.mark.parametrize("slug", MODULES)
def test_every_size_has_the_seeds_that_a_verdict_needs(slug):
    """Perfect data are SUPPORTED and refute all trials: no size trains for days and ends open whatever it learned."""
    found = experiment(slug)
    small = [found.said(cell, found.given(cell)) for cell in found.grids["test"].cells()]
    relations = {prediction.relation or found.claim.relation for said in small for prediction in said or ()}
    if not relations & {*OVER_SEEDS}:
        return
    for size in ("quick", "full", "paper"):
        cells = found.grids[size].cells()
        given = [found.given(cell) for cell in cells]
        own = [found.said(cell, more) for cell, more in zip(cells, given, strict=True)]
        falsehoods = [
            [trial.said(said, cell, more) for said, cell, more in zip(own, cells, given, strict=True)] for trial in found.trials
        ]
        seeds = seeds_of(cells)
        assert seeds is not None and seeds_needed(found.claim, own, falsehoods) > 0
        assert hopeless(found.claim, own, seeds, falsehoods) == "", size
