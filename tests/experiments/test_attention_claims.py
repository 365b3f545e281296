"""Claims on attention: depths and pictures of both routes, where fooling pairs end, what the trained claims record."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.figures.plots import figure
from depthjax.models import sequence_model
from depthjax.runs.datasets import over_cells
from depthjax.verify import Cell, Experiment, Outcome, judge
from experiments.attention.hop_training_depth.hop_patterns import hop_patterns


def tried(slug):
    """Verdict, dataset and figure of one cell of test size."""
    experiment = Experiment.of(importlib.import_module(f"experiments.attention.{slug}"))
    (cell,) = experiment.grids["test"].cells()
    given = experiment.given(cell)
    dataset = over_cells([experiment.measure(Cell.of(cell), jax.random.key(0), *given).as_numpy()], [cell], type(cell).axes())
    predictions = [experiment.said(cell, given)]
    verdict = judge(experiment.claim, predictions, dataset)
    falsehoods = [[trial.said(predictions[0], cell, given)] for trial in experiment.trials]
    return verdict, dataset, figure(experiment, predictions, falsehoods, dataset, verdict)


@pytest.mark.parametrize("mask", [pytest.param("strict", marks=pytest.mark.slow), "causal"])
def test_the_law_of_a_route(mask):
    verdict, dataset, svg = tried(f"hop_depth_{mask}")
    assert verdict.outcome is Outcome.SUPPORTED
    assert dataset["depth"].values.tolist() == [{"strict": [2, 3, 3, 4, 4], "causal": [2, 3, 4, 4, 5]}[mask]]
    assert ">floor(log2 k) + 2<" in svg and "<image" in svg  # the laws over the table of errors


@pytest.mark.slow
def test_training_claims_run_and_draw():
    verdict, dataset, svg = tried("hop_training_depth")
    assert verdict.outcome is not Outcome.SUPPORTED  # twenty steps teach nothing
    assert dict(dataset.sizes).items() >= {"layers": 3, "hops": 3, "seed": 10, "model": 3}.items()
    assert not np.asarray(dataset["learned_2"] > dataset["learned_1"]).any()  # hop_1 and hop_2 learned means hop_1 learned
    assert svg.count("<image") >= 6


def test_patterns_are_compared_layer_by_layer(key):
    model = sequence_model("transformer", letters=4, classes=5, width=8, max_depth=3, positions="learned", max_length=12)
    word = jnp.array([0, 1, 2, 0, 1, 3, 0, 2, 1, 0, 3, 1])
    ideal, constructed, trained = hop_patterns(model, model.init(key), word)
    rows = ideal.any(axis=-1)
    assert rows.any() and trained.shape == ideal.shape == (3, 12, 12)
    np.testing.assert_allclose(constructed[rows], ideal[rows], atol=0.05)
    with pytest.raises(ValueError, match="one layer reaches no hop"):
        hop_patterns(sequence_model("transformer", letters=8, classes=5, width=8, max_depth=1), {}, jnp.zeros(6, int))
