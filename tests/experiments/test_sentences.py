"""What a comparison decides: on made-up runs whose answers are known."""

import dataclasses
import json

import numpy as np
import pytest
import xarray as xr

from experiments.studies.ceilings import order_blind
from experiments.studies.comparison import Line, Measured
from experiments.studies.published import Row, published
from experiments.studies.reading import paper
from experiments.studies.sentences import Sentence, beyond_one_layer, constructed, controls, prefixes, reach
from experiments.studies.trained import StudyRun


def run_of(**cells):
    """A run with two seeds at depths 1 and 2; values are those of both depths."""
    found = {}
    for name, metrics in cells.items():
        group, model = name.split("_")
        data = {
            metric: (("depth", "seed"), np.repeat(np.array(values)[:, None], 2, axis=1)) for metric, values in metrics.items()
        }
        found[f"group={group},model={model},width=8,rate=0.01,batch=4"] = xr.Dataset(data, coords={"depth": [1, 2]})
    return StudyRun({"task": "words"}, found)


def study(control):
    known = published("automata_depth")
    return dataclasses.replace(known, setup={**known.setup, "control": control})


def line(depth, hops, value, here, metric="error_1x"):
    found = Measured(seeds=2, best=here, median=here, low=here, high=here, lowest=here, highest=here)
    return Line(Row({"depth": depth, "hops": hops}, {}, metric, "single", value, "paper"), found)


@pytest.mark.parametrize(("level", "holds"), [(0.9, True), (0.95, True), (0.96, False)])
def test_a_control_that_is_a_table_is_learned_at_its_best_depth(level, holds):
    run = run_of(C3_transformer={"token_1x": [0.5, 0.95]}, S3_transformer={"token_1x": [1.0, 1.0]})
    (found,) = controls(study({"group": "C3", "metric": "token_1x", "level": level}), run)
    assert found.holds is holds and "0.95 at depth 2" in str(found) and str(found).startswith("holds" if holds else "fails")


def test_a_control_goes_by_any_name_of_its_group_and_may_be_absent():
    run = run_of(S3_transformer={"token_1x": [0.5, 0.95]})
    (found,) = controls(study({"group": "D3", "metric": "token_1x", "level": 0.9}), run)
    assert found.holds
    (found,) = controls(study({"group": "C3", "metric": "token_1x", "level": 0.9}), run)
    assert found.holds is None and str(found).startswith("open: the control, group C3, is not in this run")
    (found,) = controls(study({"group": "S3", "metric": "prefix_1x", "level": 1}), run)
    assert found.holds is None


def test_a_control_that_is_a_network_must_learn_every_task():
    run = run_of(C2_lstm={"sequence_1x": [1.0, 0.2]}, S4_lstm={"sequence_1x": [0.0, 0.1]}, S4_gla={"sequence_1x": [1.0, 1.0]})
    assert [one.holds for one in controls(study("lstm"), run)] == [True, False]
    assert not list(controls(study("rnn"), run)) and not list(controls(dataclasses.replace(study("rnn"), setup={}), run))


def test_a_control_among_errors_is_one_that_is_small():
    cell = xr.Dataset(
        {"error_1x": (("depth", "seed", "hops"), np.array([[[0.3, 0.9]], [[0.001, 0.4]]]))},
        coords={"depth": [1, 2], "hops": [1, 2]},
    )
    run = StudyRun({"task": "asked_hops"}, {"largest_hop=2,model=transformer,width=8,rate=0.01,batch=4": cell})
    for hops, holds in ((1, True), (2, False), (3, None)):
        (found,) = controls(study({"hops": hops, "metric": "error_1x", "level": 0.01}), run)
        assert found.holds is holds


@pytest.mark.parametrize(
    ("reached", "holds"), [((1, 2, 4), True), ((1, 3, 8), True), ((1, 2, 3), False), ((0, 1, 2), True), ((0, 0, 0), None)]
)
def test_reach_doubles_where_every_depth_reaches_twice_as_far(reached, holds):
    lines = [
        line(depth, hops, 0.0 if hops <= 2 ** (depth - 1) else 0.5, 0.01 if hops <= far else 0.6)
        for depth, far in enumerate(reached, 1)
        for hops in range(1, 9)
    ]
    (found,) = reach(lines)
    assert found.holds is holds and "the published ones do" in found.sentence and "do not" not in found.sentence
    assert f"depth 3: 4 published, {reached[2]} here" in found.sentence


def test_reach_ends_at_the_first_error_and_speaks_of_errors_alone():
    lines = [line(1, hops, 0.0, 0.2 if hops == 2 else 0.0) for hops in (1, 2, 3)] + [
        line(2, hops, 0.0, 0.0) for hops in (1, 2, 3)
    ]
    (found,) = reach(lines)
    assert "depth 1: 3 published, 1 here; depth 2: 3 published, 3 here" in found.sentence
    assert not list(reach([line(1, 1, 1.0, 1.0, "token_1x"), line(2, 1, 1.0, 1.0, "token_1x")])) and not list(reach(lines[:3]))


def test_depths_pass_one_layer_where_all_their_cells_do():
    lines = [line(depth, 1, 0.0, here, "token_1x") for depth, here in ((1, 0.4), (1, 0.7), (2, 0.7), (2, 0.8))]
    known = published("hop_depth")
    found = list(beyond_one_layer(known, lines, [0.5, 0.5, 0.5, 1.0]))
    assert [one.holds for one in found] == [False, True] and "(the nearest by -0.100)" in found[0].sentence
    assert not list(beyond_one_layer(known, lines, [None] * 4))
    there = {"A5": 0.3, "S5": 0.1}
    of_groups = [
        dataclasses.replace(line(1, 1, value, 0.7, "token_1x"), row=Row({"group": name, "depth": 1}, {}, "", "best", value, ""))
        for name, value in (("A5", 0.2), ("S5", 0.2), ("D3", 0.9))
    ]
    own = dataclasses.replace(published("automata_depth"), setup={"one_layer": there})
    (found,) = beyond_one_layer(own, of_groups, [0.5] * 3)
    assert found.holds and "published 1 of 2 at their own length" in found.sentence


@pytest.mark.parametrize("group", ["D3", "D4", "S5", "Q8", pytest.param("A5", marks=pytest.mark.slow)])
def test_the_ceilings_at_the_published_length_are_those_of_the_authors_letters(group):
    known = published("automata_depth")
    assert {*known.setup["one_layer"]} == {"D3", "D4", "Q8", "A5", "S5"}
    settings = json.loads(json.dumps(dataclasses.asdict(paper("automata_depth").sweep("published"))))
    assert settings["length"] == known.setup["length"]
    row = Row({"group": group, "depth": 1}, {}, "token_1x", "best", 0.0, "talk")
    found = order_blind(row, settings)
    assert found is not None and round(found, 4) == known.setup["one_layer"][group]


@pytest.mark.parametrize(
    ("mask", "third", "holds"),
    [("strict", 0.04, True), ("strict", 0.06, False), ("causal", 0.06, True), ("causal", 0.01, True)],
)
def test_trained_layers_answer_the_hops_of_written_weights_or_not(mask, third, holds):
    """Three layers follow three hops with the strict mask, two with the plain one (`hop_reach`)."""
    lines = [line(depth, hops, 0.0, third if (depth, hops) == (3, 3) else 0.01) for depth in (2, 3) for hops in (1, 2, 3)]
    lines = [
        dataclasses.replace(one, row=dataclasses.replace(one.row, cell={**one.row.cell, "model": "transformer"}))
        for one in lines
    ]
    run = StudyRun({"task": "asked_hops", "switches": {"transformer": {"mask": mask}} if mask == "strict" else {}}, {})
    (found,) = constructed(lines, run)
    assert found.holds is holds and f"written for with the {mask} mask" in found.sentence
    assert not list(constructed(lines, StudyRun({"task": "hops"}, {})))


@pytest.mark.parametrize(
    ("by_depth", "holds"),
    [
        ([2, 5, 7], True),
        ([2, 5, 5], False),
        ([5, 2, 7], False),
        ([12, 12, 12], None),
        ([5, 12, 12], True),
        ([12, 5, 7], False),
        ([12, 12, 7], False),
    ],
)
def test_more_layers_follow_longer_prefixes_or_not(by_depth, holds):
    def cell(prefixes, whole):
        runs = {"prefix_1x": prefixes, "sequence_1x": [whole] * 3}
        data = {name: (("depth", "seed"), np.repeat(np.array(values)[:, None], 2, axis=1)) for name, values in runs.items()}
        return xr.Dataset(data, coords={"depth": [1, 2, 4]})

    def cells(whole):
        found = {"gla": cell(by_depth, 0.0), "mamba": cell([12, 12, 12], 1.0), "lstm": cell([1, 1, 1], whole)}
        return {f"group=A5,model={model},width=8,rate=0.01,batch=4": one for model, one in found.items()}

    asked = {"task": "words", "length": 12}
    (found,) = prefixes(published("word_problems"), StudyRun(asked, cells(whole=0.95)))
    reached = ", ".join(map(str, by_depth))
    told = f"group A5 (of 12 letters, at depths 1, 2, 4: gla {reached}; mamba 12, 12, 12)"
    assert found.holds is holds and found.sentence.endswith(told)
    (found,) = prefixes(published("word_problems"), StudyRun(asked, cells(whole=0.5)))
    assert found.holds is None  # its control does not learn
    assert not list(prefixes(published("automata_depth"), StudyRun(asked, cells(whole=1.0))))


def test_a_sentence_says_whether_it_holds():
    assert [str(Sentence("so it is", holds)) for holds in (True, False, None)] == [
        "holds: so it is",
        "fails: so it is",
        "open: so it is",
    ]
