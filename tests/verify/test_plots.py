"""Figures: one for every relation, the same file for the same numbers, nothing that a strange measurement could break."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import xarray as xr

from depthjax.figures.plots import figure
from depthjax.verify import Claim, Experiment, Prediction, Relation, Source, judge, rival
from depthjax.verify.quantity import attach, part

STEPS = 0.5 ** np.arange(1.0, 9)
CELLS = ["small", "large"]


def experiment(relation: Relation) -> Experiment:
    claim = Claim("a_claim", "A title & more", "", "", relation, Source("a", "b"), (), "")
    wrong = rival("wrong", lambda cell: None)
    return Experiment(claim, "topic", {}, lambda cell: None, lambda cell, key: None, rivals=(wrong,))


def draw(relation: Relation, predictions, rivals, dataset) -> str:
    subject = experiment(relation)
    dataset = dataset.assign_coords(part=("cell", CELLS)).assign_attrs(grid_axes="part")
    if part(dataset, "measured", "floor") is None:
        dataset = attach(dataset, "measured", "floor", 0.0)
    return figure(subject, predictions, [rivals], dataset, judge(subject.claim, predictions, dataset))


def case(relation: Relation):
    generator = np.random.default_rng(0)
    errors = np.stack([STEPS**2, 0.3 * STEPS**2])
    match relation:
        case Relation.ORDER:
            data = xr.Dataset({"measured": (("cell", "step"), errors)}, coords={"step": STEPS})
            data = attach(data, "measured", "floor", 1e-4)
            return [Prediction(2)] * 2, [Prediction(1), None], data
        case Relation.EQUALS:
            values = np.array([[0, 5, 9], [1, 4, 7]])
            return (
                [Prediction(row, dims=("item",)) for row in values],
                [Prediction(3), None],
                xr.Dataset({"measured": (("cell", "item"), values)}),
            )
        case Relation.AT_MOST | Relation.AT_LEAST:
            data = xr.Dataset({"measured": (("cell", "length", "seed"), generator.uniform(1, 2, (2, 4, 3)))})
            data = data.assign_coords(length=[1, 4, 16, 64])
            return [Prediction(np.array([2.0, 3, 4, 5]), dims=("length",))] * 2, [Prediction(1.0), None], data
        case Relation.TREND:
            data = xr.Dataset({"measured": (("cell", "depth", "seed"), np.ones((2, 2, 20)))}, coords={"depth": [1, 2]})
            return [Prediction(1), Prediction(0)], [Prediction(0), None], data
        case Relation.RANKING:
            times = np.arange(3)[:, None] + generator.uniform(0, 0.1, (2, 3, 20))
            data = xr.Dataset({"measured": (("cell", "item", "seed"), times)})
            return [Prediction(np.arange(3), dims=("item",))] * 2, [None, None], data
        case Relation.IMPOSSIBLE:
            data = xr.Dataset({"measured": (("cell", "trial"), np.zeros((2, 30)))})
            return (
                [Prediction(0)] * 2,
                [None, None],
                attach(data, "measured", "possible", (("cell", "trial"), np.ones((2, 30)))),
            )


@pytest.mark.parametrize("relation", list(Relation))
def test_every_relation_has_a_figure_and_it_is_deterministic(relation):
    first, second = (draw(relation, *case(relation)) for _ in range(2))
    assert first == second
    ElementTree.fromstring(first)


@pytest.mark.parametrize(("counts", "said"), [([0, 0], True), ([0, 1], False)])
def test_scalar_counts_are_rows_and_one_number_everywhere_is_a_sentence(counts, said):
    data = xr.Dataset({"measured": ("cell", np.array(counts))})
    text = draw(Relation.EQUALS, [Prediction(count) for count in counts], [Prediction(7)] * 2, data)
    words = "".join(ElementTree.fromstring(text).itertext())
    assert ("measured: 0 in all 2 measurements (2 cells), as predicted; rivals say 7" in words) == said
    assert ("dots: measured" in words) != said


def test_what_differs_from_its_prediction_is_drawn():
    data = xr.Dataset({"measured": ("cell", np.array([1, 1]))})
    assert "dots: measured" in draw(Relation.EQUALS, [Prediction(0)] * 2, [None, None], data)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0, -1.0, 1e300])
@pytest.mark.parametrize("relation", [Relation.ORDER, Relation.EQUALS, Relation.AT_MOST])
def test_strange_numbers_break_no_figure(relation, bad):
    predictions, rivals, data = case(relation)
    values = data["measured"].to_numpy().astype(float)
    values[0, ..., -1] = bad
    ElementTree.fromstring(draw(relation, predictions, rivals, data.assign(measured=(data["measured"].dims, values))))


def test_a_failed_hypothesis_is_said_instead_of_drawn():
    from depthjax.verify import Hypothesis

    data = xr.Dataset({"measured": ("cell", np.array([1.0, 2.0]))})
    prediction = Prediction(1.0, hypotheses=(Hypothesis("h < 1", False),))
    ElementTree.fromstring(draw(Relation.EQUALS, [prediction] * 2, [None, None], data))
