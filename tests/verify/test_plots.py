"""Figures: one for every relation, the same file for the same numbers, nothing that a strange measurement could break."""

import dataclasses
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import scipy.stats
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from depthjax.figures import panels, plots
from depthjax.figures.pens import COLOURS, GREY, LAW, points
from depthjax.figures.plots import figure
from depthjax.figures.ticks import plain_ticks
from depthjax.verify import Claim, Experiment, Prediction, Relation, Source, judge, rival
from depthjax.verify.quantity import attach, part
from depthjax.verify.seeds import median_limits

SVG = "{http://www.w3.org/2000/svg}"
STEPS = 0.5 ** np.arange(1.0, 9)
CELLS = ["small", "large"]


def experiment(relation: Relation) -> Experiment:
    claim = Claim("a_claim", "A title & more", "", "", relation, Source("a", "b"), (), "")
    wrong = rival("wrong", lambda cell: None)
    return Experiment(claim, "topic", {}, lambda cell: None, rivals=(wrong,))


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
            data = attach(data, "measured", "floor", 1e-9)
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


@pytest.mark.parametrize(("counts", "said"), [([0, 0], True), ([0, 1], False)])
def test_scalar_counts_are_rows_and_one_number_everywhere_is_a_sentence(counts, said):
    data = xr.Dataset({"measured": ("cell", np.array(counts))})
    text = draw(Relation.EQUALS, [Prediction(count) for count in counts], [Prediction(7)] * 2, data)
    words = "".join(ElementTree.fromstring(text).itertext())
    assert ("measured: 0 in all 2 measurements (2 cells), as predicted; rivals say 7" in words) == said
    assert ("dots: measured" in words) != said


def test_powers_are_words_and_many_decades_have_no_small_ticks():
    axis = Figure().subplots()
    axis.loglog([1e-4, 1], [1, 50])
    assert axis.get_xticks(minor=True).size and axis.get_yticks(minor=True).size
    plain_ticks(axis)
    assert not axis.get_xticks(minor=True).size and axis.get_yticks(minor=True).size
    written = axis.xaxis.get_major_formatter()
    assert [written(x) for x in (1e-9, 1, 1e12)] == ["10⁻⁹", "10⁰", "10¹²"]
    axis.set_xscale("symlog")
    plain_ticks(axis)
    assert [axis.xaxis.get_major_formatter()(x) for x in (0, -10)] == ["0", "−10¹"]


def test_what_differs_from_its_prediction_is_drawn():
    data = xr.Dataset({"measured": ("cell", np.array([1, 1]))})
    assert "dots: measured" in draw(Relation.EQUALS, [Prediction(0)] * 2, [None, None], data)


def test_a_failed_hypothesis_is_said_instead_of_drawn():
    from depthjax.verify import Hypothesis

    data = xr.Dataset({"measured": ("cell", np.array([1.0, 2.0]))})
    prediction = Prediction(1.0, hypotheses=(Hypothesis("h < 1", False),))
    ElementTree.fromstring(draw(Relation.EQUALS, [prediction] * 2, [None, None], data))


@pytest.mark.parametrize("relation", [Relation.ORDER, Relation.EQUALS, Relation.AT_MOST])
def test_laws_have_a_colour_that_no_point_has(relation, monkeypatch):
    seen = []
    monkeypatch.setattr(plots, "svg", lambda canvas, title, caption: seen.append(canvas) or "")
    draw(relation, *case(relation))
    lines = [line for axis in seen[0].findobj(Axes) for line in axis.lines]
    predicted = {line.get_color() for line in lines if line.get_linestyle() != "None" and line.get_color() not in COLOURS}
    assert predicted <= {LAW, GREY} and LAW in predicted
    assert LAW not in {line.get_color() for line in lines if line.get_marker() not in ("None", "", None)}


def test_the_quantity_of_the_title_stands_first():
    values = np.array([[0, 5, 9], [1, 4, 7]])
    dataset = xr.Dataset({name: (("cell", "item"), values) for name in ("many", "spoken_of")})
    said = [tuple(Prediction(row, of=name, dims=("item",)) for name in ("many", "spoken_of")) for row in values]
    for headline, first in (("", "many"), ("spoken_of", "spoken of")):
        subject = experiment(Relation.EQUALS)
        subject = dataclasses.replace(subject, claim=dataclasses.replace(subject.claim, headline=headline))
        rows = dataset.assign_coords(part=("cell", CELLS)).assign_attrs(grid_axes="part")
        text = figure(subject, said, [[None, None]], rows, judge(subject.claim, said, rows), most=1)
        assert f"predicted {first}" in text.replace("_", " ")


def test_neighbours_that_are_read_alike_share_a_caption():
    data = xr.Dataset({name: ("cell", [1.0, 2.0], {"long_name": name}) for name in ("left", "right", "high")})
    for name in ("left", "right", "high"):
        data = attach(data, name, "floor", 0.0)
    high = Prediction(3.0, of="high", relation=Relation.AT_MOST)
    predictions = [(Prediction(value, of="left"), Prediction(value, of="right"), high) for value in (1.0, 2.0)]
    subject, data = experiment(Relation.EQUALS), data.assign_coords(part=("cell", CELLS)).assign_attrs(grid_axes="part")
    text = figure(subject, predictions, [[None, None]], data, judge(subject.claim, predictions, data))
    first, second = ElementTree.fromstring(text).find(f"{SVG}desc").text.splitlines()
    assert first.startswith("Left; right. Points") and second.startswith("High. Points") and "upper bound" in second


def test_points_have_the_exact_interval_of_their_median_if_there_are_enough():
    samples = np.arange(40.0).reshape(2, 20)
    low, high = median_limits(samples)
    for shown, reach in ((samples, (low, high)), (samples[:, :3], (np.median(samples[:, :3], axis=1),) * 2)):
        axis = Figure().subplots()
        points(axis, [0, 1], shown)
        bars = np.array([segment[:, 1] for segment in axis.containers[0].lines[2][0].get_segments()])
        np.testing.assert_array_equal(bars.T, reach)


def test_points_of_means_have_the_interval_of_student():
    samples = np.random.default_rng(0).normal(size=(1, 9))
    axis = Figure().subplots()
    points(axis, [0], samples, of="mean")
    low, high = axis.containers[0].lines[2][0].get_segments()[0][:, 1]
    known = scipy.stats.t.interval(0.95, 8, samples.mean(), scipy.stats.sem(samples[0]))
    np.testing.assert_allclose((low, high), known)


def test_a_legend_of_many_cells_says_how_many_more_there_are_and_keeps_the_rivals():
    few = panels._few({f"cell {n}": n for n in range(40)} | {"rival: less": 0})
    assert len(few) == panels.MAX_ENTRIES and [*few][-2:] == ["and 25 more", "rival: less"]
    assert [*panels._few({"a": 1, "b": 2})] == ["a", "b"]


def caption(relation: Relation, numbers, predicted, **said) -> str:
    """The caption of two cells along a numeric axis."""
    data = xr.Dataset({"measured": (("cell", "length"), np.asarray(numbers, float))}, coords={"length": [1, 2, 3]})
    data = attach(data, "measured", "floor", 0.1)
    predictions = [Prediction(np.asarray(row, float), dims=("length",), **said) for row in predicted]
    text = draw(relation, predictions, [None, None], data)
    return str(ElementTree.fromstring(text).find(f"{SVG}desc").text)


@pytest.mark.parametrize(
    ("relation", "numbers", "predicted", "words"),
    [
        (Relation.AT_MOST, [[1, 2, 3], [1, 2, 3]], [[1, 2, 3]] * 2, "No point lies above its line."),
        (Relation.AT_MOST, [[1, 2.05, 3], [1, 2, 3]], [[1, 2, 3]] * 2, "No point lies above its line, up to the error budget."),
        (
            Relation.AT_MOST,
            [[1, 4, 3], [1, 2, 3]],
            [[1, 2, 3]] * 2,
            "No point lies above its line where the theorem holds. Refuted in 1 of 2 cells.",
        ),
        (Relation.AT_LEAST, [[1, 2, 3], [1, 0, 3]], [[1, 2, 3]] * 2, "where the theorem holds. Refuted in 1 of 2 cells."),
        (Relation.EQUALS, [[1, 2, 3], [1, 2, 9]], [[1, 2, 3]] * 2, "where the theorem holds. Refuted in 1 of 2 cells."),
        (
            Relation.AT_MOST,
            [[1, 2, 9], [1, 2, 9]],
            [[1, 2, np.inf]] * 2,
            "Points that have no line lie where theory says nothing.",
        ),
    ],
)
def test_a_caption_says_what_the_judge_saw(relation, numbers, predicted, words):
    assert words in caption(relation, numbers, predicted)


def test_an_open_verdict_is_undecided_in_its_caption():
    told = caption(Relation.AT_MOST, [[0.1, 0.2, 0.3]] * 2, [[10, 20, 30]] * 2)  # nothing comes near the bound
    assert "No point lies above its line" in told and "Refuted" not in told


def drawn(predictions, values, relation=Relation.EQUALS, monkeypatch=None) -> Axes:
    """The first panel of a figure, with its layout."""
    seen = []
    monkeypatch.setattr(plots, "svg", lambda canvas, title, caption: seen.append(canvas) or "")
    draw(relation, predictions, [None, None], xr.Dataset({"measured": ("cell", np.asarray(values))}))
    seen[0].draw_without_rendering()
    return seen[0].axes[0]


@pytest.mark.parametrize(
    ("values", "labels"), [([0, 1], ["0", "1"]), ([False, True], ["no", "yes"]), ([0.0, 3.0], list("0123"))]
)
def test_whole_numbers_and_truth_values_have_no_ticks_between_them(values, labels, monkeypatch):
    axis = drawn([Prediction(int(value)) for value in values], values, monkeypatch=monkeypatch)
    low, high = axis.get_xlim()
    assert [t.get_text() for t in axis.get_xticklabels() if low <= t.get_position()[0] <= high] == labels
    assert [text.get_text() for text in axis.texts] == ["equal", "equal"]


def test_a_whole_number_is_off_by_whole_numbers(monkeypatch):
    axis = drawn([Prediction(1), Prediction(5)], [1, 3], monkeypatch=monkeypatch)
    assert [text.get_text() for text in axis.texts] == ["equal", "refuted, off by 2"]


def test_of_several_bounds_the_tightest_is_drawn(monkeypatch):
    both = (Prediction(3.0, relation=Relation.AT_MOST), Prediction(2.0, relation=Relation.AT_MOST))
    for predictions in (both, both[::-1]):
        axis = drawn([predictions, predictions], [1.9, 1.95], Relation.AT_MOST, monkeypatch)
        assert {segment[0, 0] for lines in axis.collections for segment in lines.get_segments()} >= {2.0}
        assert not any(segment[0, 0] == 3.0 for lines in axis.collections for segment in lines.get_segments())
