"""Published numbers: their files, how cells are matched, and what the command says."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from depthjax.runs.records import RecordError, save
from depthjax.runs.stored import keep
from experiments.cli import main
from experiments.studies import trained
from experiments.studies.ceilings import order_blind
from experiments.studies.comparison import (
    Line,
    Measured,
    absent,
    compare,
    first_depths,
    order,
    outside,
    passed,
    settings,
    summary,
    unpublished,
)
from experiments.studies.comparison import table as numbers
from experiments.studies.configuration import SweepError
from experiments.studies.curves import Curve, chosen, curves, metrics, table
from experiments.studies.figure import by_depth
from experiments.studies.published import FOLDER, PublishedError, Row, names, published, read
from experiments.studies.reading import paper, papers
from experiments.studies.trained import training
from theory.bounds import ceiling

ORIGIN = {"cell": "any"}


def of_rows(folder: Path, axes: list[str], rows: list[dict], **setup):
    """A published study with these rows."""
    (file := folder / "x.json").write_text(
        json.dumps(
            {
                "study": "x",
                "title": "",
                "source": "",
                "place": "",
                "axes": axes,
                "setup": setup,
                "differences": [],
                "rows": rows,
            }
        )
    )
    return read(file)


def sweep(folder: Path, cells: dict[str, dict[int, list[float]]], validation: dict[str, float] | None = None) -> Path:
    """A sweep's directory with made-up accuracies by cell and depth."""
    (folder / "cells").mkdir(parents=True)
    (folder / "configuration.json").write_text(
        json.dumps({"task": "words", "length": 12, "seeds": 6, "recipe": {"steps": 500}})
    )
    for name, depths in cells.items():
        runs = np.array(list(depths.values()))
        last = np.full((*runs.shape, 1), (validation or {}).get(name, 0.5))
        data = {
            "token_1x": (("depth", "seed"), runs),
            "loss": (("depth", "seed", "step"), last),
            "validation_sequence": (("depth", "seed", "step"), last),
        }
        keep(folder / "cells" / f"{name}.nc", xr.Dataset(data, coords={"depth": list(depths), "step": [500]}), ORIGIN)
    return folder


NARROW, WIDE = (f"group=C3,model=transformer,width={width},rate=0.001,batch=64" for width in (16, 32))
ROW = {"metric": "error", "statistic": "best", "value": 1, "standing": "paper"}
SEEDS = [0.5, 0.52, 0.54, 0.55, 0.57, 0.6]


def test_accuracies_by_depth_are_those_of_the_talk():
    found = {
        (row.cell["group"], row.cell["depth"]): row.value for row in published("automata_depth").rows if row.statistic == "best"
    }
    assert found["A5", 7] == 1.0 and found["S5", 8] == 0.518 and found["Q8", 5] == 0.735 and found["S5", 11] == 0.902


def test_a_best_run_is_held_against_the_best_and_a_median_against_the_median(tmp_path):
    run = training(sweep(tmp_path / "run", {NARROW: {1: SEEDS}}))
    lines = [line for line in compare(published("automata_depth"), run) if line.measured]
    assert [(line.row.cell["group"], line.row.cell["depth"]) for line in lines] == [("C3", 1)]
    (line,) = lines
    assert line.measured and line.row.value == 0.546 and line.difference == pytest.approx(0.6 - 0.546)
    assert (line.measured.low, line.measured.high) == (0.5, 0.6)
    # of twenty fresh runs the best is below the third best of these six with a chance of 120/15600
    assert (line.measured.least, line.measured.most) == (0.55, np.inf) and line.inside is False


def test_the_cell_is_chosen_on_validation_words(tmp_path):
    cells = {NARROW: {1: SEEDS}, WIDE: {1: [value / 2 for value in SEEDS]}}
    run = training(sweep(tmp_path / "run", cells, {NARROW: 0.1, WIDE: 0.9}))
    (line,) = [line for line in compare(published("automata_depth"), run) if line.measured]
    assert (
        line.measured and line.measured.best == 0.3
    )  # the wide network does worse on test words, but was better on validation words
    (line,) = [line for line in compare(published("automata_depth"), run, "test") if line.measured]
    assert line.measured and line.measured.best == 0.6
    assert ("selection", "test", "validation") in settings(published("word_problems"), run)
    assert "selection" not in {name for name, _, _ in settings(published("word_problems"), run, "test")}


def test_a_cell_of_the_published_width_comes_before_others(tmp_path):
    rows = [ROW | {"depth": 1, "metric": "token_1x", "width": width} for width in (16, 64)]
    cells = {NARROW: {1: SEEDS}, WIDE: {1: [value / 2 for value in SEEDS]}}
    run = training(sweep(tmp_path / "run", cells, {NARROW: 0.1, WIDE: 0.9}))
    of_its_width, of_another = compare(of_rows(tmp_path, ["depth"], rows), run)
    assert of_its_width.measured and of_its_width.measured.best == 0.6 and of_its_width.measured.alike
    assert of_another.measured and of_another.measured.best == 0.3  # no cell is so wide: the best on validation words
    assert not of_another.measured.alike and of_another.inside is None
    rows = [row | {"width": row["width"] + 1} for row in rows]  # no cell is as wide as any: one of them stands for both
    assert [line.measured is None for line in compare(of_rows(tmp_path, ["depth"], rows), run)] == [False, True]


def test_settings_that_differ_are_named(tmp_path):
    run = training(sweep(tmp_path / "run", {NARROW: {1: SEEDS}}))
    assert dict((name, (there, here)) for name, there, here in settings(published("automata_depth"), run)) == {
        "length": (100, 12),
        "seeds": (20, 6),
    }


def test_a_summary_has_a_row_for_every_published_number(tmp_path):
    study = published("automata_depth")
    found = summary(study, compare(study, training(sweep(tmp_path / "run", {NARROW: {1: SEEDS}}))))
    assert len(found["rows"]) == len(study.rows)
    assert sum(row["measured"] is not None for row in found["rows"]) == 1
    json.dumps(found, allow_nan=False)


def test_a_depth_without_a_published_number_is_told(tmp_path):
    study = published("automata_depth")
    cells = {NARROW: {1: SEEDS, 2: SEEDS, 40: SEEDS}, NARROW.replace("C3", "C5"): {1: SEEDS}}
    told = unpublished(study, training(sweep(tmp_path / "run", cells)))
    assert told == [f"{NARROW}, depth 40", f"{NARROW.replace('C3', 'C5')}, depth 1"]


def test_the_sentence_on_the_outside_names_the_largest_difference(tmp_path):
    study = published("automata_depth")
    lines = compare(study, training(sweep(tmp_path / "run", {NARROW: {1: SEEDS, 2: SEEDS, 3: SEEDS}})))
    # published: 0.546, 0.946, 0.967, and the best seed has 0.6: six runs do not say that the best of twenty is lower than 0.9
    assert [line.inside for line in lines if line.measured] == [False, None, None]
    assert (said := outside(lines)).startswith("1 of 1 published numbers") and "+0.054, at" in said and "depth 1" in said
    assert outside([Line(lines[0].row, None)]) == ""


LINE = Line(Row({"group": "C3", "depth": 1}, {}, "token_1x", "best", 0.6, "paper"), None, rounding=0.005)
FOUND = Measured(6, best=0.7, median=0.6, low=0.5, high=0.7, lowest=0.5, highest=0.7, least=0.605, most=0.65)


@pytest.mark.parametrize(
    ("change", "inside"),
    [
        ({}, True),  # by its rounding
        ({"least": 0.606}, False),
        ({"most": 0.594, "least": 0.1}, False),
        ({"most": np.inf}, True),
        ({"least": -np.inf, "most": np.inf}, None),
        ({"least": 0.1, "most": np.inf, "highest": 0.59}, None),  # larger than all runs, which set no limit there
        ({"alike": False}, None),
        ({"power": False}, None),
    ],
)
def test_a_published_number_is_held_against_fresh_runs(change, inside):
    assert dataclasses.replace(LINE, measured=dataclasses.replace(FOUND, **change)).inside is inside


def test_groups_match_by_any_of_their_names(tmp_path):
    run = training(sweep(tmp_path / "run", {NARROW.replace("C3", "D3"): {1: SEEDS}}))
    rows = [ROW | {"metric": "token_1x", "group": name, "depth": 1} for name in ("S3", "D3", "C3")]
    assert [line.measured is not None for line in compare(of_rows(tmp_path, ["group", "depth"], rows), run)] == [
        True,
        True,
        False,
    ]


def test_without_a_control_that_learns_nothing_is_compared(tmp_path):
    cells = {NARROW: {1: SEEDS}, NARROW.replace("transformer", "lstm"): {1: SEEDS}}
    folder = sweep(tmp_path / "run", cells)
    study = of_rows(
        tmp_path, ["model", "depth"], [ROW | {"metric": "token_1x", "model": "transformer", "depth": 1}], control="lstm"
    )
    lines = compare(study, training(folder))
    assert [line.inside for line in lines] == [None] and outside(lines).startswith("no power")
    (rows, _) = numbers(lines)
    assert "no power" in rows[1]


def test_where_a_run_lacks_cells_is_said_once(tmp_path):
    study = published("automata_depth")
    lines = compare(study, training(sweep(tmp_path / "run", {NARROW: {1: SEEDS, 2: SEEDS}})))
    groups, depths = absent(study, lines)
    assert groups.startswith("group C2, C2xC2xC2") and "C3" not in groups.split(", ") and depths.startswith("depth 3")


def test_the_order_of_groups_is_compared_from_four_on(tmp_path):
    rows = [ROW | {"metric": "token_1x", "group": f"C{n}", "depth": 1, "value": 1 / n} for n in (2, 3, 4, 5)]
    cells = {NARROW.replace("C3", f"C{n}"): {1: [value / n for value in SEEDS]} for n in (2, 3, 4, 5)}
    lines = compare(of_rows(tmp_path, ["group", "depth"], rows), training(sweep(tmp_path / "run", cells)))
    ((place, items, tau, chance),) = order(lines, "group")
    assert (place, items, tau) == ("depth 1", 4, 1.0) and chance == pytest.approx(2 / 24)
    assert not list(order(lines[:3], "group"))
    equal = [dataclasses.replace(line, row=dataclasses.replace(line.row, value=1.0)) for line in lines]
    assert not list(order(equal, "group"))


def test_first_depths_and_what_passes_one_layer_are_told(tmp_path):
    rows = [ROW | {"metric": "token_1x", "group": "S3", "depth": depth, "value": depth / 4} for depth in (1, 2, 3, 4)]
    cells = {NARROW.replace("C3", "S3"): {depth: [value + 0.2 * depth for value in SEEDS] for depth in (1, 2, 3)}}
    lines = compare(of_rows(tmp_path, ["group", "depth"], rows), training(sweep(tmp_path / "run", cells)))
    assert list(first_depths(lines)) == [("group S3", 4, 2, [1, 2, 3])]
    assert list(first_depths(lines, 0.7)) == [("group S3", 3, 1, [1, 2, 3])]
    assert list(first_depths(lines, 1.5)) == [("group S3", None, None, [1, 2, 3])] and not list(first_depths(lines[:1]))
    assert passed(lines, [0.8, 0.8, None, 0.8]).endswith("0 of 1 at depth 1, 1 of 1 at depth 2")
    assert passed(lines, [None, None, 1.0, None]) == ""


def test_the_ceiling_of_one_layer_counts_the_symbol_that_begins_a_word():
    row = Row({"group": "S3", "depth": 1}, {}, "token_1x", "best", 0.9, "paper")
    here = {"task": "words", "alphabet": "generators", "length": 4, "bos": False}
    assert order_blind(row, here) == float(ceiling("S3", 4, last=1).mean)
    assert order_blind(row, here | {"bos": True}) == pytest.approx((1 + 4 * float(ceiling("S3", 4, last=1).mean)) / 5)
    assert order_blind(row, here | {"task": "hops"}) is None
    assert order_blind(dataclasses.replace(row, metric="sequence_1x"), here) is None
    assert order_blind(dataclasses.replace(row, cell={"group": "A5"}), here | {"alphabet": "all", "length": 50}) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": []}, "nothing can be matched"),
        ({"axes": [1, 2]}, "each a text"),
        ({"study": "other"}, "the name of the file"),
    ],
)
def test_a_published_file_that_matches_nothing_is_refused(tmp_path, change, words):
    content = json.loads((FOLDER / "automata_depth.json").read_text())
    (tmp_path / "automata_depth.json").write_text(json.dumps(content | change))
    with pytest.raises(PublishedError, match=words):
        read(tmp_path / "automata_depth.json")


def test_a_configuration_that_no_sweep_wrote_is_refused(tmp_path):
    folder = sweep(tmp_path / "run", {NARROW: {1: SEEDS}})
    (folder / "configuration.json").write_text('{"task": "words"}')
    with pytest.raises(RecordError, match="lacks seeds, recipe"):
        training(folder)


def test_runs_and_sweeps_that_are_mixed_up_are_told_apart(tmp_path, capsys):
    folder = sweep(tmp_path / "run", {NARROW: {1: SEEDS}})
    for words in (["report"], ["open"], ["replay", "slug/cell"], ["verify", "--out", "--resume"]):
        at = {"replay": 1, "verify": 2}.get(words[0], 1)
        assert main([*words[:at], str(folder), *words[at:]]) == 2
        assert f"it is the directory of a sweep, which `depthjax compare {folder}` shows" in capsys.readouterr().err
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "run.json").write_text("{}")
    with pytest.raises(RecordError, match=r"it is a run of claims, which `depthjax report .*` shows"):
        training(tmp_path / "claims")


def test_a_study_without_published_numbers_says_what_it_is(capsys):
    assert main(["compare", "composition"]) == 0
    said = capsys.readouterr().out
    assert "no published number is known" in said and "Marchetti" in said and "hidden layers" in said
    assert main(["compare", "hop_depth", "hop_depth"]) == 0 and "any of which may be why" in capsys.readouterr().out
    assert main(["compare", "hop_depth", "nonsense"]) == 2 and "no published study is named" in capsys.readouterr().err


def test_published_numbers_without_a_run_are_printed(capsys):
    assert main(["compare", "longest_words"]) == 0
    said = capsys.readouterr().out
    assert "no run of this study" in said and "940" in said and "Shakerinava" in said
    assert main(["compare", "longest_words", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == len(published("longest_words").rows)


def test_the_command_prints_both_and_draws(tmp_path, capsys):
    cells = {NARROW: {1: SEEDS, 2: SEEDS}, NARROW.replace("C3", "C5"): {1: SEEDS}}
    folder, figure = sweep(tmp_path / "run", cells), tmp_path / "both.svg"
    assert main(["compare", str(folder), "automata_depth", "--figure", str(figure)]) == 0
    said = capsys.readouterr()
    assert "0.546" in said.out and "length: 100 published, 12 here" in said.out and "have no cell" in said.err
    assert "cells and depths of" in said.err and "have no number in automata_depth, such as group=C5" in said.err
    assert figure.read_text().startswith("<?xml")
    assert main(["compare", str(folder), "automata_depth", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"][0]["setting"] == "length"


def test_the_command_without_arguments_lists_the_studies(capsys):
    assert main(["compare"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in [*names(), *papers()])


def test_rates_and_batches_are_chosen_on_validation_words_and_widths_when_there_are_many():
    def cell(value: float, validation: float) -> xr.Dataset:
        runs = np.full((1, 3), value)
        data = {
            "sequence_1x": (("depth", "seed"), runs),
            "validation_sequence": (("depth", "seed", "step"), runs[..., None] * 0 + validation),
        }
        return xr.Dataset(data, coords={"depth": [2], "step": [9]})

    def named(model: str, width: int, rate: float) -> str:
        return f"group=S3,model={model},width={width},rate={rate:g},batch=8"

    cells = {named("aussm", 8, rate): cell(rate, -rate) for rate in (0.1, 0.2)}
    (curve,) = curves(cells, "sequence_1x")
    assert (curve.task, curve.network, curve.values[0, 0]) == ("S3", "aussm", 0.1)
    (curve,) = curves(cells, "sequence_1x", selection="test")
    assert curve.values[0, 0] == 0.2
    (curve,) = curves({named("aussm", 8, 0.3): cell(0.3, np.nan)} | cells, "sequence_1x")
    assert curve.values[0, 0] == 0.1  # a network that diverged is never chosen
    few = {named("aussm", width, 0.1): cell(width / 100, width) for width in range(1, 9)}
    assert [curve.network for curve in curves(few, "sequence_1x")] == [f"aussm, width {width}" for width in range(1, 9)]
    many = few | {named("aussm", 9, 0.1): cell(0.09, 9)}
    assert [curve.values[0, 0] for curve in curves(many, "sequence_1x")] == [0.09]


def test_the_least_error_and_the_largest_accuracy_are_the_best_on_test_words():
    low, high = np.full(3, 0.1), np.full(3, 0.9)
    found = [(0.0, high), (0.0, low)]
    assert chosen(found, "error_1x", "test") is low and chosen(found, "mse_1x", "test") is low
    assert chosen(found, "token_1x", "test") is high


def test_what_all_published_numbers_have_in_common_is_said_once(tmp_path):
    study = published("automata_depth")
    rows, common = numbers(compare(study, training(sweep(tmp_path / "run", {NARROW: {1: SEEDS, 2: SEEDS}}))))
    assert rows[0][0] == "depth" and [row[:2] for row in rows[1:]] == [["1", "0.546"], ["2", "0.946"]]
    assert common == "model transformer, group C3, metric token_1x, statistic best"


def test_a_table_has_a_row_for_every_curve_and_a_column_for_every_depth():
    values = np.array([[0.1, 0.2, 0.6], [0.5, 0.5, 0.5]])
    assert table([Curve("S3", "aussm", "error_1x", (1, 4), values)])[1] == ["S3", "aussm", "0.2 (0.1)", "0.5 (0.5)"]
    both = [Curve("S3", "aussm", "sequence_1x", (1, 4), values), Curve("S3", "rnn", "sequence_1x", (2, 4), values)]
    assert table(both) == [
        ["task", "network", "depth 1", "depth 2", "depth 4"],
        ["S3", "aussm", "0.2 (0.6)", "", "0.5 (0.5)"],
        ["S3", "rnn", "", "0.2 (0.6)", "0.5 (0.5)"],
    ]


def test_a_figure_of_many_cells_has_a_panel_for_each_task(tmp_path):
    names_of = [
        f"group=C{n},model={model},width=8,rate=0.{rate},batch=8"
        for n in range(2, 9)
        for model in ("a", "b")
        for rate in range(1, 9)
    ]
    runs = np.linspace(0, 1, 12).reshape(2, 6)
    data = {metric: (("depth", "seed"), runs) for metric in metrics("words")} | {
        "loss": (("depth", "seed", "step"), runs[..., None])
    }
    cell = xr.Dataset(data, coords={"depth": [1, 2], "step": [9]})
    drawn = by_depth(dict.fromkeys(names_of, cell), {}, "words")
    assert all(f">C{n}<" in drawn for n in range(2, 9)) and drawn.count(">a<") == 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--metric", "prefix"], "--metric prefix: the cells of word_problems have prefix_1x, "),
        (["--setting", "shrt"], "setting of word_problems with a run = 'shrt'"),
    ],
)
def test_a_metric_or_a_setting_that_is_not_there_is_named(more, words, capsys):
    assert main(["compare", "word_problems", *more]) == 2 and words in capsys.readouterr().err


def test_a_run_of_another_setting_is_shown_by_another_metric(tmp_path, capsys):
    asked = ["compare", "word_problems", "--setting", "short", "--metric", "prefix_1x"]
    assert main([*asked, "--figure", str(tmp_path / "x.svg")]) == 0
    said = capsys.readouterr().out
    assert "prefix_1x, median over 6 seeds (best)" in said and "no published number has a cell in this run" in said
    assert "the control, lstm, learns group A5" in said and "are right, training length" in (tmp_path / "x.svg").read_text()
    assert main(["compare", str(tmp_path), "--setting", "short"]) == 2 and "has one setting" in capsys.readouterr().err


def test_every_kind_of_sentence_is_told(capsys):
    """Trained hops with the strict mask, and what the run decides of them."""
    assert main(["compare", "hop_depth", "--setting", "strict"]) == 0
    said = capsys.readouterr().out
    assert "holds: the control, hops 1" in said and "every layer doubles the hops" in said
    assert "every depth answers the hops that weights are written for with the strict mask" in said


def made_up(sweep, depths=None):
    """A cell with one number at every depth of a sweep and from every seed."""
    depths = list(depths or sweep.depths)
    runs = np.full((len(depths), sweep.seeds), 1 / 3)
    data = {
        "token_1x": (("depth", "seed"), runs),
        "steps": (("depth", "seed"), runs),
        "loss": (("depth", "seed", "step"), np.stack([runs, 2 * runs], -1)),
    }
    return xr.Dataset(data, coords={"depth": depths, "step": [1, 2]})


def asked_of(name, setting="reduced"):
    sweep = paper(name).sweep(setting)
    return sweep, json.loads(json.dumps(dataclasses.asdict(sweep)))


def test_only_a_finished_run_of_the_setting_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(trained, "FOLDER", tmp_path)
    sweep, asked = asked_of("gridworld_depth")
    (name,) = sweep.studies()
    cell = made_up(sweep)
    for wrong in (asked | {"seeds": 3}, asked | {"letters": {"gridworld9": [0, 2]}}, asked | {"seed": 1}):
        with pytest.raises(RecordError, match="1 cells of the setting reduced of gridworld_depth are in no run on its terms"):
            trained.keep("gridworld_depth", [trained.StudyRun(wrong, {name: cell})])
    with pytest.raises(RecordError, match=r"1 cells .* such as automaton=gridworld9"):
        trained.keep("gridworld_depth", [trained.StudyRun(asked, {})])
    assert trained.keep("gridworld_depth", [trained.StudyRun(asked, {name: cell})]) == tmp_path / "gridworld_depth.json"
    found = trained.kept("gridworld_depth")
    assert found.configuration == asked and set(found.cells[name]) == {"token_1x", "loss"} and found.hours is None
    assert (found.cells[name]["token_1x"] == 0.33333).all() and found.cells[name]["loss"].sizes["step"] == 1


def test_runs_of_several_settings_stand_beside_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr(trained, "FOLDER", tmp_path)
    for setting, hours in (("two_moves", 0.5), ("reduced", None)):
        sweep, asked = asked_of("gridworld_depth", setting)
        run = trained.StudyRun(asked, dict.fromkeys(sweep.studies(), made_up(sweep)), hours)
        trained.keep("gridworld_depth", [run], setting)
    assert {file.name for file in tmp_path.iterdir()} == {"gridworld_depth.json", "gridworld_depth.two_moves.json"}
    assert trained.committed() == trained.committed("two_moves") == ["gridworld_depth"] and not trained.committed("card")
    assert trained.settings_of("gridworld_depth") == ["reduced", "two_moves"] and not trained.settings_of("hop_depth")
    assert trained.kept("gridworld_depth", "two_moves").hours == 0.5
    assert trained.kept("gridworld_depth", "two_moves").configuration["letters"] == {"gridworld9": [0, 2]}
    with pytest.raises(SweepError, match=r"setting of gridworld_depth with a run = 'moves'.*did you mean 'two_moves'"):
        trained.kept("gridworld_depth", "moves")


def test_a_cell_whose_terms_are_the_same_is_not_trained_again(tmp_path, monkeypatch):
    """Letters of one group change: its cell is asked for, the others are taken from what is kept."""
    monkeypatch.setattr(trained, "FOLDER", tmp_path)
    sweep, asked = asked_of("automata_depth")
    names = list(sweep.studies())
    old = trained.StudyRun(asked | {"letters": {}}, dict.fromkeys(names, made_up(sweep)))
    (tmp_path / "automata_depth.json").write_text(
        json.dumps(
            {"configuration": old.configuration, "cells": {name: trained._tests(cell) for name, cell in old.cells.items()}}
        )
    )
    changed = [name for name in names if name.split(",")[0].removeprefix("group=") in asked["letters"]]
    with pytest.raises(RecordError, match=f"{len(changed)} cells of the setting reduced"):
        trained.keep("automata_depth", [])
    fresh = trained.StudyRun(asked | {"groups": ["D3", "D4", "Q8"]}, dict.fromkeys(changed, 2 * made_up(sweep)), 0.25)
    trained.keep("automata_depth", [fresh])
    found = trained.kept("automata_depth")
    assert found.configuration == asked and list(found.cells) == names and found.hours is None
    for name in names:
        assert (found.cells[name]["token_1x"] == (0.66667 if name in changed else 0.33333)).all()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("{", "cannot read"),
        ("[]", "lacks axes"),
        ({"rows": [], "seeds": 3}, "has seeds"),
        ('{"study": "x", "title": "", "source": "", "place": "", "axes": [], "setup": {}, "rows": []}', "lacks differences"),
        ({"rows": [{"metric": "error", "statistic": "best", "value": 1, "standing": "paper"}]}, "row 0 lacks depth"),
        ({"rows": {}}, "rows is {}, expected a list"),
        ({"rows": [], "axes": "depth"}, "axes is 'depth', expected a list"),
        ({"rows": [3]}, "row 0 is 3, expected an object"),
        ({"rows": [ROW | {"depth": 1, "value": float("nan")}]}, "value is nan, expected a finite number"),
        (
            {"rows": [{"depth": 1, "metric": "error", "statistic": "least", "value": 1, "standing": "paper"}]},
            "statistic is 'least'",
        ),
        (
            {"rows": [{"depth": 1, "metric": "error", "statistic": "best", "value": "1", "standing": "paper"}]},
            "expected a finite number",
        ),
    ],
)
def test_a_published_file_that_lacks_something_says_what(tmp_path, content, word):
    whole = {"study": "x", "title": "", "source": "", "place": "", "axes": ["depth"], "setup": {}, "differences": []}
    file = tmp_path / "x.json"
    file.write_text(content if isinstance(content, str) else json.dumps(whole | content))
    with pytest.raises(PublishedError, match=word):
        read(file)


def test_what_cannot_be_compared_is_said_on_one_line(tmp_path, capsys):
    folder = sweep(tmp_path / "run", {NARROW.replace("C3", "C5"): {1: SEEDS}})
    for arguments, word in (
        ([str(tmp_path / "nowhere"), "automata_depth"], "is not a sweep's directory"),
        ([str(folder), "automata"], "did you mean 'automata_depth'?"),
        (["automata"], "neither a sweep's directory nor a study; did you mean 'automata_depth'?"),
        (["longest_words", "longest_words"], "no run of longest_words stands in this project"),
        ([str(folder), "automata_depth"], "has no cell of automata_depth"),
        ([str(folder), "automata_depth", "--figure", str(folder)], "has no cell"),
    ):
        assert main(["compare", *arguments]) == 2
        assert word in capsys.readouterr().err
    (folder / "cells" / "group=C3,model=transformer.nc").write_bytes(b"not a cell")
    with pytest.raises(RecordError, match="damaged"):
        training(folder)


CELL = "group=C2,model=rnn,width=4,rate=0.01,batch=8"
WHOLE = xr.Dataset({"loss": (("depth", "seed", "step"), np.ones((1, 3, 1)))}, {"depth": [1], "step": [10]})
ASKED = {"task": "words", "seeds": 3, "recipe": {}}
ODD = {  # configuration, name of a cell, the cell, what is said
    "endless nesting": ("[" * 100_000, CELL, WHOLE, "is not a sweep's directory"),
    "a number of many digits": ('{"task": ' + "9" * 5000 + "}", CELL, WHOLE, "is not a sweep's directory"),
    "no task": (ASKED | {"task": "x"}, CELL, WHOLE, "says task = 'x', expected one of words"),
    "a list of tasks": (ASKED | {"task": ["words"]}, CELL, WHOLE, "says task = "),
    "seeds in words": (ASKED | {"seeds": "many"}, CELL, WHOLE, "says seeds = 'many'"),
    "a name without parts": (ASKED, "x", WHOLE, "is no cell of a sweep: its name"),
    "too few parts": (ASKED, "group=C2,model=rnn", WHOLE, "its name"),
    "no curves": (ASKED, CELL, WHOLE.drop_vars("loss"), "it has no loss over depth, seed, step"),
    "no seeds": (ASKED, CELL, WHOLE.isel(seed=slice(0)), "it has no loss"),
    "another order": (ASKED, CELL, WHOLE.transpose("step", ...), "it has no loss"),
    "no depths": (ASKED, CELL, WHOLE.drop_vars("depth"), "no whole numbers"),
    "depths in words": (ASKED, CELL, WHOLE.assign_coords(depth=["one"]), "no whole numbers"),
    "words": (
        ASKED,
        CELL,
        WHOLE.assign(sequence_1x=(("depth", "seed"), [["a", "b", "c"]])),
        "is not numbers over depth and seed",
    ),
    "a number alone": (ASKED, CELL, WHOLE.assign(sequence_1x=1.0), "is not numbers over depth and seed"),
}


@pytest.mark.parametrize("case", ODD)
def test_what_no_sweep_wrote_is_named_in_one_line(tmp_path, capsys, case):
    asked, name, cell, words = ODD[case]
    (tmp_path / "configuration.json").write_text(asked if isinstance(asked, str) else json.dumps(asked))
    save(tmp_path / "cells" / f"{name}.nc", cell)
    assert main(["compare", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert words in " ".join(said.split()) and "Traceback" not in said
