"""Claims on attention at tiny sizes: judged right, and drawn with their own pictures."""

import dataclasses
import importlib

import jax
import pytest

from depthjax.figures.plots import figure
from depthjax.probe.fooling import fooling_pairs
from depthjax.verify import Experiment, Outcome, judge


def tried(slug, **sizes):
    """Verdict, dataset and figure of one cell."""
    experiment = Experiment.of(importlib.import_module(f"experiments.attention.{slug}"))
    cell = dataclasses.replace(experiment.grids["quick"], **sizes).cells()[0]
    dataset = experiment.measure(cell, jax.random.key(0)).as_numpy().expand_dims(cell=[cell.name])
    predictions = [experiment.predict(cell)]
    verdict = judge(experiment.claim, predictions, dataset)
    falsehoods = [[control.predict(cell)] for control in experiment.controls]
    return verdict, dataset, figure(experiment, predictions, falsehoods, dataset, verdict)


@pytest.mark.parametrize("mask", [pytest.param("strict", marks=pytest.mark.slow), "causal"])
def test_the_law_of_a_route(mask):
    verdict, dataset, svg = tried(f"hop_depth_{mask}", largest=5, length=24, samples=4, rounds=2)
    assert verdict.outcome is Outcome.SUPPORTED
    assert dataset["depth"].values.tolist() == [{"strict": [2, 3, 3, 4, 4], "causal": [2, 3, 4, 4, 5]}[mask]]
    assert "<!-- floor(log2 k) + 2 -->" in svg and "<image" in svg  # the laws over the table of errors


def test_fooling_pairs_end_where_the_bound_does():
    sizes = {"bits": 5, "heads": 1, "width": 1, "layers": 4}
    few = fooling_pairs(jax.random.key(0), **sizes, precision=2)
    enough = fooling_pairs(jax.random.key(0), **sizes, precision=24)
    assert few.fooled.all() and (few.summaries <= 2**4).all()
    assert not enough.fooled.any() and (enough.summaries == 2**5).all()


@pytest.mark.slow
def test_training_claims_run_and_draw():
    verdict, dataset, svg = tried("hop_training_depth", steps=20, seeds=2, width=8, tests=32)
    assert verdict.outcome is Outcome.INCONCLUSIVE  # two seeds cannot say what the typical one does
    assert dict(dataset.sizes).items() >= {"layers": 2, "hops": 2, "seed": 2, "model": 3}.items()
    assert svg.count("<image") >= 6
    verdict, dataset, _ = tried("recurrent_memory", most=4, machines=4, units=2, trained=4, seeds=2, steps=20)
    assert verdict.outcome is Outcome.SUPPORTED
    assert dataset["error"].sizes == {"cell": 1, "units": 2, "asked": 2, "seed": 2}
