"""Composition of whole words in a sweep: constructed weights leave nothing, one layer has its floor, and what does not fit."""

import jax
import numpy as np
import pytest

from depthjax.constructions.composition.paths import recurrent_weights, tree_weights, two_layer_weights
from depthjax.instruments.trained_composition import floor_of_products, scaled_codes
from depthjax.runs.records import load
from experiments.studies.composers import COMPOSERS, Composer, Compositions, hidden_layers
from experiments.studies.cost import cost
from experiments.studies.curves import curves
from experiments.studies.figure import by_depth
from experiments.studies.reading import read
from experiments.studies.study import Study
from experiments.studies.sweep import floors, run
from experiments.studies.tasks import sampler
from theory.groups import group

TINY = """
task = "composition"
groups = ["S3"]
models = ["two_layer", "recurrent", "tree"]
widths = [5]
batches = [4]
learning_rates = [1e-3]
seeds = 2
length = 4
tests = 20
segments = 1
[recipe]
steps = 4
record_every = 2
"""


def _exact(kind):
    """Weights that compose words of S3, in the names of a training."""
    s3 = group("S3")
    encoding = np.asarray(scaled_codes(s3.table))[0]
    irreps = [(irrep.kind, irrep.matrices) for irrep in s3.irreps[1:]]
    made = {"two_layer": lambda *a: two_layer_weights(*a, 4), "recurrent": recurrent_weights, "tree": tree_weights}[kind]
    weights = made(encoding, irreps)
    return Composer(kind, s3.table, 4, weights.width), {name: value for name, value in vars(weights).items()}


@pytest.mark.parametrize("kind", COMPOSERS)
def test_constructed_weights_leave_nothing_and_read_longer_words_where_they_can(kind, key):
    network, params = _exact(kind)
    found = network.scores(Compositions(network.table), 64, key, params)
    assert found["left_1x"] < 1e-6 and found["sequence_1x"] == found["token_1x"] == 1
    assert ("sequence_2x" in found) == (kind != "two_layer") and found.get("sequence_2x", 1) == 1
    damaged = network.scores(Compositions(network.table), 64, key, params | {"out": 0 * params["out"]})
    assert damaged["left_1x"] == pytest.approx(1.0) and damaged["sequence_1x"] < 0.5


def test_a_label_is_the_product_in_reading_order(key):
    s3 = group("S3")
    words, labels, weights = Compositions(s3.table).sample(key, 30, 3)
    for word, label in zip(np.asarray(words), np.asarray(labels)[:, 0], strict=True):
        assert label == s3.table[s3.table[word[0], word[1]], word[2]]
    assert labels.shape == weights.shape == (30, 1)


def test_floors_of_a_sweep_are_the_tails_of_the_flattened_targets():
    studies = {
        name: Study(task="composition", follows=name, model=model, width=width, length=length, depths=(1,))
        for name, model, width, length in (("S3", "two_layer", 4, 3), ("Q8", "two_layer", 9, 3), ("C5", "two_layer", 4, 2))
    }
    found = floors(studies)
    assert set(found) == {"S3", "Q8"}  # four units are all that C5 needs
    for name, value in found.items():
        study = studies[name]
        assert value == pytest.approx(floor_of_products(group(name).table, study.length, study.width), abs=1e-12)
    assert not floors({"x": Study(task="composition", model="tree", length=4, width=1, depths=(2,))})


def test_each_network_has_the_depth_that_its_words_take(tmp_path):
    (tmp_path / "sweep.toml").write_text(TINY)
    sweep = read(tmp_path / "sweep.toml")
    studies = sweep.studies()
    assert [study.depths for study in studies.values()] == [(1,), (3,), (2,)]
    assert cost(studies).network_steps == 3 * 2 * 4
    lines = run(sweep, out := tmp_path / "out")
    assert [line["depth"] for line in lines] == [1, 3, 2] and {line["predicted"] for line in lines} == {None}
    cells = {file.stem: load(file) for file in (out / "cells").glob("*.nc")}
    assert all(np.isfinite(cell["left_1x"]).all() for cell in cells.values())
    assert {curve.network for curve in curves(cells, "sequence_2x")} == {"recurrent", "tree"}
    flat = {name: cell for name, cell in cells.items() if "two_layer" in name}
    assert "twice" not in by_depth(flat, {}, "composition") and (out / "figure.svg").exists()


def test_of_two_rates_the_one_with_less_left_on_validation_words_is_shown():
    import xarray as xr

    def cell(validated, tested):
        data = {"validation_left": (("depth", "seed", "step"), [[[validated]]]), "left_1x": (("depth", "seed"), [[tested]])}
        right = {"validation_sequence": (("depth", "seed", "step"), [[[validated]]])}  # the wrong way round
        return xr.Dataset(data | right, coords={"depth": [1], "step": [1]})

    names = [f"group=S3,model=tree,width=4,rate={rate},batch=4" for rate in (1, 2)]
    (shown,) = curves({names[0]: cell(0.5, 0.25), names[1]: cell(0.75, 0.125)}, "left_1x")
    assert shown.values.tolist() == [[0.25]]


@pytest.mark.parametrize(("kind", "length", "words"), [("tree", 6, "2, 4, 8"), ("recurrent", 1, "nothing to compose")])
def test_words_that_cannot_be_composed_are_refused(kind, length, words):
    with pytest.raises(ValueError, match=words):
        hidden_layers(kind, length)


def test_fresh_weights_are_those_of_the_trained_composers():
    network = Study(task="composition", follows="S3", model="tree", width=7, length=4, depths=(2,))
    params = jax.eval_shape(network.network(sampler(network)).init, jax.random.key(0))
    assert {name: leaf.shape for name, leaf in params.items()} == {
        "out": (6, 7), "first": (6, 7), "drive": (6, 7), "mix": (7, 7), "join": (7, 7),
    }  # fmt: skip
