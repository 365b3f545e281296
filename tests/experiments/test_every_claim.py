"""Every claim of the catalogue keeps every rule of claims: what its files say, and what became of a run at its smallest size.

A claim is measured once in a run of the tests, whatever the processes, and all rules look at that run. The first exact
claim of every topic, and the first that trains, run with all tests, the others with the slow ones (with ``--drawn N`` so many
of them, drawn by the content of the program): ``depthjax verify`` judges every claim.
"""

import contextlib
import importlib.util
import json
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from depthjax.card import read_card
from depthjax.report import inert
from depthjax.report.page import COLOURS, page
from depthjax.runs import catalogue
from depthjax.runs.border import check_room
from depthjax.runs.cells import Cells
from depthjax.runs.origin import source_digest
from depthjax.runs.records import RunDirectory, Settings, load, plain
from depthjax.runs.runner import replay_cell, run_claim
from depthjax.runs.schema import check_verdict
from depthjax.verify import Cell, Experiment, Relation
from depthjax.verify.data import unfit
from depthjax.verify.experiment import SIZES, claim_of
from depthjax.verify.quantity import cell_names
from depthjax.verify.rehearsal import hopeless, seeds_needed, seeds_of
from experiments import verdicts

MODULES = catalogue.modules()
TRAINS = {slug for slug, module in MODULES.items() if read_card(module).options.get("trains")}
KINDS = {slug: "trained" if slug in TRAINS else catalogue.topic_of(module) for slug, module in MODULES.items()}
FIRST = {min(slug for slug in MODULES if KINDS[slug] == kind) for kind in KINDS.values()}
RUNS = [pytest.param(slug, marks=() if slug in FIRST else pytest.mark.slow) for slug in MODULES]
pytestmark = pytest.mark.every_claim
OVER_SEEDS = {Relation.TREND, Relation.RANKING}
COMMITTED = verdicts.committed("quick")


class Subject:
    """A claim, its files, and its run at test size."""

    def __init__(self, slug: str):
        self.slug, self.module = slug, MODULES[slug]
        self.run: RunDirectory | None = None

    @cached_property
    def experiment(self) -> Experiment:
        return Experiment.of(importlib.import_module(self.module))

    @property
    def claim(self):
        return self.experiment.claim

    def cells(self, *sizes: str) -> list:
        """The cells of a run at root seed 0, chosen ones and drawn ones."""
        return [cell for size in sizes for cell in self.experiment.cells(size)]

    @cached_property
    def entry(self) -> dict:
        return self.run.verdicts(pytest.fail)[self.slug]

    @cached_property
    def dataset(self) -> xr.Dataset:
        return load(self.run.path / f"{self.slug}.nc")


subject = cache(Subject)


# what its files say


def its_card_is_what_the_module_says(it):
    card = read_card(it.module)
    assert card.relation == it.claim.relation.name
    assert (card.title, card.source, card.assumes) == (it.claim.title, it.claim.source, it.claim.assumes)
    assert all(getattr(it.claim, option) == value for option, value in card.options.items())


def its_card_is_complete(it):
    claim = it.claim
    assert claim.title and claim.statement and claim.assumes and claim.refuted_by and claim.latex and claim.cost
    assert claim.source.cite()


def its_formula_is_typeset(it):
    assert inert.formula(it.claim.latex).startswith("<math")


def its_text_keeps_the_sides_apart(it):
    assert check_room(it.module).name == it.slug


def its_domain_is_said(it):
    """A statement says from which set it draws, and other root seeds draw other cells of it; or why it is a list."""
    domain = it.experiment.domain
    assert domain is not None and domain.sentences() and all(len(line) > 8 for line in domain.sentences())
    drawn = {frozenset(cell.name for cell in it.experiment.cells("quick", seed) if cell.is_drawn) for seed in range(8)}
    assert drawn == {frozenset()} if domain.listed else len(drawn) > 1


def its_cells_have_names_of_their_own(it):
    run = RunDirectory(Path("run"), Settings("test", 0, "float64", (it.slug,)))
    assert {*it.experiment.grids} == {*SIZES}
    for size in SIZES:
        names = [cell.name for cell in it.cells(size)]
        files = {str(run.cell_file(it.slug, 0, name)).casefold() for name in names}
        assert names and len(files) == len(names) == len({*names})


def its_cells_cross_as_plain_data(it):
    for cell in it.cells("test", "quick"):
        assert not [unfit(getattr(cell, name), name) for name in type(cell).__dataclass_fields__ if unfit(getattr(cell, name))]
        assert Cell.of(cell) == Cell.of(cell) and len({Cell.of(cell), Cell.of(cell)}) == 1


def its_falsehoods_have_names_of_their_own(it):
    names = [(type(trial), trial.name) for trial in it.experiment.trials]
    assert names and all(name for _, name in names) and len({*names}) == len(names)


def its_definitions_have_reasons_and_the_files_that_it_reads_are_there(it):
    assert all(len(reason) > 10 for reason in it.experiment.definitions.values())
    room = check_room(it.module)
    assert all((room / name).exists() or importlib.util.find_spec(name) for name in it.experiment.reads)


def its_pictures_say_what_to_see(it):
    assert all(len(one.caption) > 40 and one.caption.endswith(".") for one in it.experiment.pictures)


def its_sizes_have_the_seeds_that_a_verdict_needs(it):
    """Perfect data are SUPPORTED and refute all trials: no size trains for days and ends open whatever it learned."""
    found = it.experiment
    small = [found.said(cell, found.given(cell)) for cell in it.cells("test")]
    relations = {prediction.relation or found.claim.relation for said in small for prediction in said or ()}
    for size in ("quick", "full", "paper") if relations & OVER_SEEDS else ():
        cells = found.grids[size].cells()
        given = [found.given(cell) for cell in cells]
        own = [found.said(cell, more) for cell, more in zip(cells, given, strict=True)]
        falsehoods = [[one.said(*three) for three in zip(own, cells, given, strict=True)] for one in found.trials]
        seeds = seeds_of(cells)
        assert seeds is not None and seeds_needed(found.claim, own, falsehoods) > 0
        assert hopeless(found.claim, own, seeds, falsehoods) == "", size


def its_verdict_is_committed(it):
    assert COMMITTED[it.slug]["outcome"] in ("SUPPORTED", "INCONCLUSIVE")


# what became of it at test size


def it_is_supported(it):
    """A trained claim trains for a few steps here: it must run to a verdict, which decides nothing."""
    entry = it.entry
    assert not (it.run.path / "errors").exists() and not entry["failed"] and entry["findings"], entry["reason"]
    if it.claim.trains:
        tried = [one["outcome"] for one in (entry, *entry["findings"], *entry["controls"], *entry["rivals"])]
        assert "REFUTED" not in tried and entry["outcome"] == "INCONCLUSIVE" and "budget too small" in entry["reason"]
    else:
        assert entry["outcome"] == "SUPPORTED", entry["reason"]


def its_falsehoods_are_tried_and_refuted(it):
    tried = [*it.entry["controls"], *it.entry["rivals"]]
    assert [one["name"] for one in tried] == [one.name for one in it.experiment.trials]
    assert it.claim.trains or {one["outcome"] for one in tried} == {"REFUTED"}
    assert any(one["evidence"] for one in it.entry["controls"]), "no control has a measurement of its own"


def its_record_is_one_that_can_be_kept(it):
    entry = it.entry
    assert check_verdict(json.loads(json.dumps(entry, allow_nan=False))) == entry
    assert (entry["slug"], entry["topic"], entry["size"], entry["seed"]) == (it.slug, it.module.split(".")[-2], "test", 0)
    assert entry["provenance"]["source"] == source_digest(it.module) and len(entry["provenance"]["judge"]) == 16


def its_headline_is_measured(it):
    assert it.claim.headline in ("", *map(str, it.dataset)) and it.entry["claim"]["headline"] == it.claim.headline


def its_measurements_are_of_its_cells_and_stand_beside_their_predictions(it):
    names = [cell.name for cell in it.cells("test")]
    assert cell_names(it.dataset) == [cell.name for cell in it.experiment.grids["test"].cells()]  # drawn ones stand alone
    assert any(str(name).endswith("_prediction") for name in it.dataset.data_vars)
    assert {finding["cell"] for finding in it.entry["findings"]} <= {*names}
    assert it.entry["witness"] in {f"{it.slug}/{name}" for name in names}


def its_quantities_have_labels_and_the_floats_that_it_needs(it):
    for finding in it.entry["findings"]:
        assert finding["label"] and finding["units"] == finding["units"].strip()
        values = it.dataset[finding["quantity"]]
        assert values.dtype != np.float32 or not it.claim.needs_float64


def its_figure_is_drawn_and_can_be_shown(it):
    assert it.entry["figure"] == f"{it.slug}.svg"
    shapes, caption = inert.figure((it.run.path / f"{it.slug}.svg").read_bytes(), "f", COLOURS)
    assert "<text" in shapes and caption.endswith(".")
    shown = page(it.run, [it.entry], {})
    assert "<math" in shown and "is not shown" not in shown and "No figure" not in shown


def it_goes_on_without_measuring_again(it):
    files = {file: file.stat().st_mtime_ns for file in it.run.path.rglob("cells/*/*.nc")}
    again = run_claim(it.module, RunDirectory.resume(it.run.path, it.run.settings), warn=pytest.fail, outcome_only=True)
    assert plain(again["findings"]) == it.entry["findings"] and again["outcome"] == it.entry["outcome"]
    assert files and {file: file.stat().st_mtime_ns for file in it.run.path.rglob("cells/*/*.nc")} == files


def its_numbers_follow_from_its_key(it):
    name = it.cells("test")[0].name
    again, findings = replay_cell(it.module, it.run, name)
    stored = load(it.run.stored_cell(it.slug, name))
    xr.testing.assert_identical(again.drop_attrs(deep=False), stored.drop_attrs(deep=False))
    assert [one.outcome.value for one in findings] == [
        one["outcome"] for one in it.entry["findings"] if one["cell"] == name
    ] or it.claim.trains


SAYS: list[Callable] = [
    its_card_is_what_the_module_says,
    its_card_is_complete,
    its_formula_is_typeset,
    its_text_keeps_the_sides_apart,
    its_domain_is_said,
    its_cells_have_names_of_their_own,
    its_cells_cross_as_plain_data,
    its_falsehoods_have_names_of_their_own,
    its_definitions_have_reasons_and_the_files_that_it_reads_are_there,
    its_pictures_say_what_to_see,
    its_sizes_have_the_seeds_that_a_verdict_needs,
    its_verdict_is_committed,
]
DOES: list[Callable] = [
    it_is_supported,
    its_falsehoods_are_tried_and_refuted,
    its_record_is_one_that_can_be_kept,
    its_headline_is_measured,
    its_measurements_are_of_its_cells_and_stand_beside_their_predictions,
    its_quantities_have_labels_and_the_floats_that_it_needs,
    its_figure_is_drawn_and_can_be_shown,
    it_goes_on_without_measuring_again,
]


@pytest.fixture(scope="session")
def runs(request, tmp_path_factory):
    """The folder of runs that all processes of the tests share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(request.config, "workerinput") else base) / "every_claim"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def ran(runs, tmp_path):
    """Return a claim that was run; the process that comes first runs it."""

    def ran(slug: str) -> Subject:
        it, place = subject(slug), runs / slug
        if it.run is None and not place.exists():
            run = RunDirectory.create(tmp_path / slug, Settings("test", 0, "float64", (slug,)))
            run.append(run_claim(it.module, run))
            with contextlib.suppress(OSError):  # another process was faster
                run.path.rename(place)
        it.run = it.run or RunDirectory.open(place)
        return it

    return ran


@pytest.mark.parametrize("rule", SAYS, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("slug", MODULES)
def test_what_a_claim_says(slug, rule):
    rule(subject(slug))


@pytest.mark.parametrize("rule", DOES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("slug", RUNS)
def test_what_a_claim_does(slug, rule, ran):
    rule(ran(slug))


@pytest.mark.slow
@pytest.mark.parametrize("slug", MODULES)
def test_a_claim_measures_the_same_numbers_again(slug, ran):
    its_numbers_follow_from_its_key(ran(slug))


@pytest.mark.slow
@pytest.mark.parametrize("slug", MODULES)
def test_a_full_run_can_be_begun(slug, tmp_path):
    """Objects, predictions, controls and rivals of every full cell exist, pass the border, and leave hope of a verdict."""
    run = RunDirectory.create(tmp_path / "run", Settings("full", 0, "float64", (slug,)))
    work = Cells(claim_of(MODULES[slug]), MODULES[slug], run, lambda *told: None, lambda told: None)
    assert not work.hopeless()
