"""Every study of a paper keeps every rule of studies: its file, its published numbers, its kept run, its cost, a small run."""

import dataclasses
import json
from collections.abc import Callable

import pytest

from depthjax.runs.records import load, plain
from experiments import cli
from experiments.studies import trained
from experiments.studies.accelerators import ACCELERATORS, UTILISATION, check_memory, hours
from experiments.studies.configuration import SweepError
from experiments.studies.cost import cost
from experiments.studies.curves import curves, metrics
from experiments.studies.published import names, published
from experiments.studies.reading import FOLDER, SETTINGS, paper, papers
from experiments.studies.sweep import run
from experiments.studies.tasks import TASKS
from experiments.studies.trained import training

LISTS = ("groups", "automata", "nestings", "modes", "hops", "largest_hops", "blocks", "models", "widths")
LISTS += ("learning_rates", "batches", "depths")


def its_settings_are_sweeps(name):
    for setting in paper(name).settings:
        sweep = paper(name).sweep(setting)
        assert sweep.tests and (
            setting not in ("reduced", "card") or sweep.seeds >= 6
        )  # fewer seeds have no interval of the median


def its_file_says_what_it_is(name):
    found = paper(name)
    assert found.title and found.source and {*found.settings} >= {*SETTINGS}


def a_setting_that_it_does_not_have_is_named(name):
    with pytest.raises(SweepError, match=r"setting = 'small'.*reduced"):
        paper(name).sweep("small")


def its_reduced_cells_are_of_its_published_numbers(name):
    found = paper(name)
    if not found.published:
        return
    assert found.published in names()
    sweep = found.sweep("reduced")
    subject, key, _ = TASKS[sweep.task]
    followed = set(getattr(sweep, key)) if sweep.task != "asked_hops" else set(range(1, sweep.largest_hops[0] + 1))
    axis = "hops" if sweep.task == "asked_hops" else subject
    cells = [row.cell for row in published(found.published).rows]
    assert any(c["depth"] in sweep.depths and c["model"] in sweep.models and c[axis] in followed for c in cells)


def its_cost_is_counted_before_it_is_trained(name):
    reduced, card, whole = (cost(paper(name).sweep(setting).studies()) for setting in SETTINGS)
    assert 0 < reduced.cells == len(paper(name).sweep("reduced").studies())
    assert 0 < reduced.network_steps <= whole.network_steps and 0 < reduced.tokens <= whole.tokens
    assert reduced.operations < card.operations and 1 <= hours(card.operations, "H100", UTILISATION) <= 15
    check_memory(name, card.together, ACCELERATORS["H100"].memory)
    assert 0 < reduced.memory <= reduced.together and {*reduced.seconds} == {*paper(name).sweep("reduced").models}


RULES: list[Callable] = [
    its_settings_are_sweeps,
    its_file_says_what_it_is,
    a_setting_that_it_does_not_have_is_named,
    its_reduced_cells_are_of_its_published_numbers,
    its_cost_is_counted_before_it_is_trained,
]


def test_a_folder_of_studies_is_what_is_there():
    assert papers() == sorted(file.stem for file in FOLDER.glob("*.toml")) and {*trained.committed()} <= {*papers()}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("name", papers())
def test_what_a_study_says(name, rule):
    rule(name)


@pytest.mark.parametrize("name", names())
def test_every_published_file_is_whole_and_of_unique_cells(name):
    study = published(name)
    assert study.study == name
    cells = [(tuple(row.cell.items()), tuple(row.more.items()), row.metric, row.statistic) for row in study.rows]
    assert len(set(cells)) == len(cells)
    assert all(0 <= row.value <= 1 for row in study.rows if row.metric.startswith(("token", "sequence", "error")))


@pytest.mark.parametrize(("name", "setting"), [(name, setting) for name in papers() for setting in trained.settings_of(name)])
def test_a_committed_run_is_of_the_present_study(name, setting, capsys):
    found, sweep = trained.kept(name, setting), paper(name).sweep(setting)
    assert found.configuration == json.loads(json.dumps(dataclasses.asdict(sweep)))
    assert list(found.cells) == list(sweep.studies())
    depths = {study.depths for study in sweep.studies().values()}
    for metric in metrics(sweep.task):
        for curve in curves(found.cells, metric):
            assert curve.depths in depths and curve.values.shape == (len(curve.depths), sweep.seeds)
    assert cli.main(["compare", name, "--setting", setting]) == 0
    said = capsys.readouterr().out
    assert f"over {sweep.seeds} seeds (best)" in said and ("what differs" in said) == (name in names())


@pytest.mark.slow
@pytest.mark.parametrize("name", papers())
def test_a_small_run_of_a_study_goes_on_and_is_compared(name, tmp_path, capsys):
    """One cell for a few steps: what is finished is not trained again, and its numbers stand beside the published ones."""
    whole = paper(name).sweep("reduced")
    few = {key: getattr(whole, key)[:1] for key in LISTS if getattr(whole, key)}
    recipe = dataclasses.replace(whole.recipe, steps=4, record_every=2, warmup=0)
    small = dataclasses.replace(whole, seeds=2, tests=20, segments=1, recipe=recipe, **few)
    out, seen, said = tmp_path / "out", [], []
    lines = run(small, out)
    (file,) = (out / "cells").glob("*.nc")
    before = load(file)
    again = run(small, out, finished=lambda cell, dataset, before: seen.append(before), warn=said.append)
    assert plain(again) == plain(lines)
    assert seen == [True] and not said and load(file).identical(before)
    assert list(training(out).cells) == list(small.studies())
    assert cli.main(["compare", str(out)]) == 0 and file.stem.split(",")[0].partition("=")[2] in capsys.readouterr().out
