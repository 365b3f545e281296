"""Every relation against planted truth, planted falsehoods and what is no number: verdict, record, figure and page."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from depthjax.figures.plots import figure
from depthjax.report.page import page
from depthjax.runs.entry import entry
from depthjax.runs.provenance import environment
from depthjax.runs.records import RunDirectory, Settings, plain
from depthjax.runs.runner import control_outcome
from depthjax.runs.schema import check_verdict
from depthjax.verify import UNSHARP, Claim, Experiment, Outcome, Prediction, Relation, Source, judge, rival
from depthjax.verify.quantity import Quantity, attach, measured

SVG = "{http://www.w3.org/2000/svg}"
STEPS = 0.5 ** np.arange(1.0, 10)
TIMES = np.array([1.0, 2.0, 3.0]) + 0.1 * np.random.default_rng(0).standard_normal((20, 3))
NAN, INF = float("nan"), float("inf")
POSSIBLE = {"possible": ("cell possible_trial", np.ones((2, 3)))}


def case(dims, values, *said, outcome="SUPPORTED", words="", **parts):
    """Two cells of the same numbers; predictions of both, the outcome that they must have, and a word of the reason."""
    values = np.broadcast_to(np.asarray(values), (2, *np.shape(values)))
    coordinates = {name: STEPS for name in dims.split() if name == "step"}
    data = xr.Dataset({"measured": (("cell", *dims.split()), values)}, coordinates)
    for role, value in ({"floor": 1e-12} | parts).items():
        data = attach(data, "measured", role, (value[0].split(), value[1]) if isinstance(value, tuple) else value)
    return [said[0] if len(said) == 1 else said] * 2, data, outcome, words


def refuted(*arguments, **parts):
    return case(*arguments, outcome="REFUTED", **parts)


def open_(words, *arguments, **parts):
    return case(*arguments, outcome="INCONCLUSIVE", words=words, **parts)


def one(value, *dims, **more):
    return Prediction(np.asarray(value) if dims else value, dims=dims, **more)


BAR, ROW, RANKS = ("i", [0.95, 0.99, 1.0]), ("i", [1.0, 2.0, 3.0]), ("seed item", TIMES)
CASES = {  # the first of a relation is a planted truth
    Relation.ORDER: {
        "true": case("step", 3 * STEPS**2, one(2)),
        "true constant": case("step", 3 * STEPS**2, one(2, constant=3.0)),
        "true at least": case("step", STEPS**3, one(2, one_sided=True)),
        "one lower": refuted("step", STEPS**2, one(1)),
        "one higher": refuted("step", STEPS**2, one(3)),
        "too high at least": refuted("step", STEPS**2, one(3, one_sided=True)),
        "another constant": refuted("step", 3 * STEPS**2, one(2, constant=4.0)),
        "nothing left": open_("clear of the floor", "step", STEPS**2, one(2), floor=1.0),
        "no constant": open_("is nan", "step", STEPS**2, one(2, constant=NAN)),
        "no resolution": open_("not a positive number", "step", STEPS**2, one(2, constant=1.0, constant_resolution=NAN)),
        "exact at least": open_("clear of the floor", "step", 0 * STEPS, one(2, one_sided=True)),
    },
    Relation.EQUALS: {
        "true": case(*ROW, one([1.0, 2.0, 3.0], "i")),
        "true counts": case("i", [1, 2, 2**60], one([1, 2, 2**60], "i"), floor=0.0),
        "one off": refuted("i", [1, 2, 2**60], one([1, 2, 2**60 + 1], "i"), floor=0.0),
        "a little off": refuted(*ROW, one([1.0, 2.0, 3.0 + 1e-9], "i")),
        "a budget that reaches the rival": open_("rival", *ROW, one([1.0, 2.0, 3.0], "i"), floor=1.0),
    },
    Relation.AT_MOST: {
        "true": case(*BAR, one(1.0)),
        "true and loose": case(*BAR, one(9.0, resolution=UNSHARP)),
        "too low": refuted(*BAR, one(0.9)),
        "loose": open_("loose", *BAR, one(9.0)),
    },
    Relation.AT_LEAST: {
        "true": case(*BAR, one(0.95)),
        "true and loose": case(*BAR, one(0.1, resolution=UNSHARP)),
        "too high": refuted(*BAR, one(1.0)),
        "loose": open_("loose", *BAR, one(0.1)),
    },
    Relation.TREND: {
        "true": case("seed", np.ones(12), one(1)),
        "true that none does": case("seed", np.zeros(12), one(0)),
        "none does": refuted("seed", np.zeros(12), one(1)),
        "all do": refuted("seed", np.ones(12), one(0)),
        "three seeds": open_("the fewest that could tell are 7", "seed", np.ones(3), one(1)),
        "seven of twelve": open_("", "seed", 1.0 * (np.arange(12) < 7), one(1)),
    },
    Relation.RANKING: {
        "true": case(*RANKS, one([0, 1, 2], "item")),
        "two exchanged": refuted(*RANKS, one([1, 0, 2], "item")),
        "all equal": open_("", *RANKS, one([0, 0, 0], "item")),
    },
    Relation.IMPOSSIBLE: {
        "true": case("trial", np.zeros(459), one(0), **POSSIBLE),
        "true at a coarse rate": case("trial", np.zeros(128), one(0, resolution=0.05), **POSSIBLE),
        "once in five": refuted("trial", [0.0, 0.0, 1.0, 0.0, 0.0], one(0), **POSSIBLE),
        "once": refuted("trial", 1.0 * (np.arange(459) == 2), one(0), **POSSIBLE),
        "few trials": open_("459 trials", "trial", np.zeros(128), one(0), **POSSIBLE),
        "nothing is possible": open_("", "trial", np.zeros(459), one(0), possible=("cell possible_trial", np.zeros((2, 3)))),
        "without a control": open_("", "trial", np.zeros(459), one(0)),
    },
}


def _measured(value):
    def change(said, data):
        values = data["measured"].to_numpy().astype(float)
        values[0, ..., -1] = value
        return said, data.assign(measured=(data["measured"].dims, values, data["measured"].attrs))

    return change


def _part(role, value):
    attributes = {"role": role}
    return lambda said, data: (
        said,
        attach(data, "measured", role, value).assign({f"measured_{role}": ((), value, attributes)}),
    )


def _said(**parts):
    def change(said, data):
        if "value" in parts and said[0].dims:
            whole = [*said[0].value[:-1].tolist(), parts["value"]]
            return [one(whole, *said[0].dims)] * 2, data
        return [Prediction(**{name: getattr(said[0], name) for name in ("value", "of", "dims")} | parts)] * 2, data

    return change


def _empty(said, data):
    axis = data["measured"].dims[-1]
    value = np.asarray(said[0].value)[:0] if axis in said[0].dims else said[0].value
    return [Prediction(value, dims=said[0].dims)] * 2, data.isel({axis: slice(0)})


STRANGE = {  # what happens to a planted truth, and a word of the reason that it leaves: in no relation does it decide anything
    **{f"measured {bad}": (_measured(bad), f"the measurement is {bad} at ") for bad in (NAN, INF, -INF)},
    **{f"{role} {bad}": (_part(role, bad), f"is {bad}") for role in ("floor", "sampling") for bad in (NAN, INF, -INF)},
    **{f"{role} below zero": (_part(role, -1.0), "is negative") for role in ("floor", "sampling")},
    "predicted nan": (_said(value=NAN), "the prediction is nan"),
    **{f"resolution {bad}": (_said(resolution=bad), "not a positive number") for bad in (NAN, -INF, 0.0)},
    **{f"truncation {bad}": (_said(truncation=bad), f"truncation is {bad}") for bad in (NAN, INF, -INF)},
    "nothing measured": (_empty, "nothing was measured"),
}
ODD = {f"measured {value}": _measured(value) for value in (0.0, -1.0, 1e300)}  # what a figure must hold as well
ROWS = [(relation, name) for relation, cases in CASES.items() for name in (*cases, *STRANGE)]


def planted(relation, name):
    """A claim with its data; what becomes of it, and why."""
    if name in ODD | STRANGE:
        change, words = STRANGE.get(name, (ODD.get(name), ""))
        said, data, *_ = CASES[relation]["true"]
        (said, data), outcome = change(said, data), "INCONCLUSIVE"
    else:
        said, data, outcome, words = CASES[relation][name]
    data = data.assign_coords(part=("cell", ["small", "large"])).assign_attrs(grid_axes="part")
    return claim(relation), said, data, outcome, words


def claim(relation):
    return Claim("planted", "A title & more", "a statement", "x", relation, Source("nobody", "nothing"), (), "anything")


def test_every_relation_has_a_row():
    assert {*CASES} == {*Relation} and all("true" in cases for cases in CASES.values())


@pytest.mark.parametrize(("relation", "name"), ROWS)
def test_the_verdict(relation, name):
    subject, said, data, outcome, words = planted(relation, name)
    found = judge(subject, said, data)
    assert found.outcome is Outcome[outcome] and words in found.reason, found.reason
    assert bool(found.reason) == (outcome != "SUPPORTED")
    tried = control_outcome("a control", "a falsehood", True, found, ["small", "large"])
    assert (tried.outcome is Outcome.REFUTED) == (outcome == "REFUTED")
    if name in STRANGE:
        assert tried.outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(("relation", "name"), ROWS)
def test_the_record_and_the_page(relation, name):
    subject, said, data, outcome, _ = planted(relation, name)
    settings = Settings("quick", 0, "float64", ("planted",))
    record = entry(subject, "package.topic.planted", settings, judge(subject, said, data), environment(here=False), "", data)
    kept = check_verdict(plain(record))
    assert kept["outcome"] == outcome and kept["relation"].removesuffix(" at least") == relation.value
    assert ("at least" in kept["relation"]) == (name.endswith("at least") or relation is Relation.AT_LEAST)
    assert "</html>" in page(RunDirectory(Path("no/such/run"), settings), [kept], {})


@pytest.mark.parametrize(("relation", "name"), [*ROWS, *((relation, name) for relation in CASES for name in ODD)])
def test_the_figure_is_the_same_for_the_same_numbers(relation, name):
    subject, said, data, _, _ = planted(relation, name)
    falsehoods = [[Prediction(5, of="measured"), None]]
    experiment = Experiment(subject, "topic", {}, lambda cell: None, rivals=(rival("wrong", lambda cell: None),))
    drawn = [figure(experiment, said, falsehoods, data, judge(subject, said, data)) for _ in range(1 + (name == "true"))]
    title, caption = (ElementTree.fromstring(drawn[0]).find(f"{SVG}{part}").text for part in ("title", "desc"))
    assert drawn[0] == drawn[-1] and title == "A title & more"
    assert name in ODD | STRANGE or (caption.startswith("Measured") and caption.endswith("."))
    assert "Points: " in caption or not name.startswith("true")


@pytest.mark.parametrize("relation", Relation)
def test_rounded_numbers_without_a_floor_are_refused_and_counts_need_none(relation):
    """Only what counts seeds and trials asks for none."""
    said, data, *_ = CASES[relation]["true"]
    bare = xr.Dataset({"measured": data["measured"].drop_attrs()}, data.coords)
    if "possible" in (names := " ".join(map(str, data.data_vars))):
        bare = attach(bare, "measured", "possible", (("cell", "possible_trial"), np.ones((2, 3))))
    counted = relation in (Relation.TREND, Relation.RANKING, Relation.IMPOSSIBLE)
    if counted:
        assert judge(claim(relation), said, bare).outcome is Outcome.SUPPORTED, names
    else:
        with pytest.raises(ValueError, match=r"planted: the quantity 'measured' .* Quantity\(..., floor=...\)"):
            judge(claim(relation), said, bare)
    if relation in (Relation.EQUALS, Relation.AT_MOST, Relation.AT_LEAST):
        assert judge(claim(relation), [Prediction(1)], measured(measured=Quantity([1, 1], "word"))).outcome is Outcome.SUPPORTED
