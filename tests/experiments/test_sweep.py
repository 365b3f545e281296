"""Sweeps: what a configuration may say, cells that fail alone, and the same verdicts from one process, two, or a killed run."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from experiments import cli
from experiments.training._study import Study, expressible, sign_length
from experiments.training._sweep import SweepError, read, run
from theory import groups

SMALL = """
groups = ["C2"]
models = ["rnn"]
widths = [4]
learning_rates = [{rates}]
batches = [8]
depths = [1]
seeds = 2
length = 3
tests = 50
segments = {segments}
[recipe]
steps = {steps}
record_every = {every}
"""


def configuration(folder, rates="1e-2", steps=20, every=10, segments=2):
    file = folder / "sweep.toml"
    file.write_text(SMALL.format(rates=rates, steps=steps, every=every, segments=segments))
    return file


@pytest.mark.slow
def test_a_cell_that_fails_is_open_with_its_step_and_the_others_go_on(tmp_path):
    sweep = read(configuration(tmp_path, rates="1e-2, 1e38"))
    good, bad = run(sweep, tmp_path / "out")
    assert bad["outcome"] == "INCONCLUSIVE" and "seed 0: the loss was not finite at step" in bad["reason"]
    assert bad["failed"][0] is not None and good["failed"] == [None, None]
    assert good["predicted"] is True and good["seeds"] == 2
    assert {"sequence_1x", "sequence_2x", "token_1x", "prefix_2x"} <= set(good["tests"])
    written = (tmp_path / "out" / "verdicts.jsonl").read_text()
    assert "<svg" in (tmp_path / "out" / "figure.svg").read_text()
    found = []
    run(sweep, tmp_path / "out", finished=lambda cell, dataset, before: found.append(before))
    assert found == [True, True] and (tmp_path / "out" / "verdicts.jsonl").read_text() == written


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("modles = ['rnn']", "there is no key 'modles'; did you mean 'models'?"),
        ("[recipe]\nstep = 3", "there is no key recipe.'step'; did you mean 'steps'?"),
        ("seeds = 'many'", "seeds = 'many': expected int"),
        ("groups = 'S3'", "groups = 'S3': expected a list"),
        ("[recipe]\nschedule = 'linear'", "recipe.schedule = 'linear': expected one of cosine, constant"),
        ("[recipe]\nsteps = 15", "recipe: this recipe cannot be followed: record_every = 10"),
        ("seeds = ", "is not TOML"),
    ],
)
def test_what_a_configuration_cannot_say(tmp_path, text, words):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(SweepError) as caught:
        read(file)
    assert words in str(caught.value)


@pytest.mark.parametrize(("text", "words"), [("models = ['rnm']", "no model 'rnm'"), ("groups = ['Z']", "group=Z")])
def test_cells_that_do_not_exist(tmp_path, text, words):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(SweepError, match=words):
        read(file).studies()


def test_usage_errors_are_one_line(tmp_path, capsys):
    file = configuration(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes").write_text("mine")
    assert cli.main(["sweep", str(file), "--out", str(tmp_path / "out")]) == 2
    assert "is not empty: choose another --out, or --resume" in capsys.readouterr().err
    assert cli.main(["sweep", str(file), "--out", str(tmp_path / "new"), "--process", "1"]) == 2
    assert "--process and --coordinator go together" in capsys.readouterr().err
    assert cli.main(["sweep", str(tmp_path / "none.toml"), "--out", str(tmp_path / "new")]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_who_can_follow_which_group():
    lengths = {"C2": 1, "C3": None, "C4": 2, "D4": 2, "Q8": 2, "S3": None, "A5": None}
    assert {name: sign_length(groups.group(name)) for name in lengths} == lengths
    can = lambda model, group, depth: expressible(Study(model=model, group=group), depth)  # noqa: E731
    assert [can("aussm", "S3", depth) for depth in (1, 2, 3)] == [False, True, True]
    assert not can("aussm", "A5", 60) and not can("mamba", "C2", 60) and can("lstm", "A5", 1)
    assert can("transformer", "S3", 2) is None


@pytest.mark.slow
def test_two_processes_one_of_them_killed_and_resumed_say_what_one_process_says(tmp_path):
    file = configuration(tmp_path, steps=3000, every=100, segments=30)
    variables = {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "JAX_PLATFORMS": "cpu",
    }
    environment = os.environ | variables

    def sweep(out, *options):
        command = [sys.executable, "-m", "experiments.cli", "sweep", str(file), "--out", str(tmp_path / out), *options]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    alone = sweep("alone", "--json")
    parent = sweep("pair", "--processes", "2")
    states = tmp_path / "pair" / "states"
    while parent.poll() is None and not list(states.glob("*/depth-1/1*")):
        time.sleep(0.02)
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
    os.kill(int(children[1]), 9)
    _, complaint = parent.communicate(timeout=120)
    assert parent.returncode == 2
    assert (
        "process 1 of 2 was killed by signal 9; nothing that was finished is lost: run the same command with --resume"
        in complaint
    )
    assert not (tmp_path / "pair" / "verdicts.jsonl").exists()
    again = sweep("pair", "--processes", "2", "--resume")
    again.communicate(timeout=300)
    printed, _ = alone.communicate(timeout=300)
    assert again.returncode == alone.returncode == 3  # two seeds are too few for a verdict
    texts = [(tmp_path / out / "verdicts.jsonl").read_text() for out in ("alone", "pair")]
    assert texts[0] == texts[1]
    assert json.loads(texts[0]) == json.loads(printed)[0]
    assert np.isfinite(json.loads(texts[0])["best"]["sequence_1x"])
