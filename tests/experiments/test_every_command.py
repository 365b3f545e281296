"""Every command of `depthjax` keeps every rule of commands: what it teaches, what it refuses, its JSON, and where it runs."""

import dataclasses
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from depthjax.runs import catalogue
from depthjax.runs.schema import read_json
from experiments import cli, shell
from experiments.commands import questions
from experiments.terminal import FAILED, JSON_VERSION
from theory.bounds.index import entries

ROOT = Path(__file__).parents[2]
WIDTH = 80
NETWORK = "import numpy as np\ntransitions = np.eye(3)[[[1, 2, 0], [1, 0, 2]]]\n"
PREPARED = ("verify pairwise_masking_blind --size test --out mine --jobs 1", "new other --in theirs")
GOOD = {  # a good line of every command, in a folder where the two above ran before
    "list": "list lie",
    "show": "show truncation_order --grids",
    "verify": "verify pairwise_masking_blind --size test --out run --jobs 1",
    "replay": "replay mine {witness}",
    "report": "report mine",
    "open": "open mine",
    "new": "new my_claim",
    "bound": "bound tower --letters 2 --layers 3",
    "group": "group S3",
    "trace": "trace abacab --hops 2",
    "sweep": "sweep --study hop_depth --dry-run",
    "compare": "compare longest_words",
    "probe": "probe layer.py:transitions --depth 1",
}
ANSWERS = {  # a bound, and its value; None: a share, between 0 and 1
    "tower --letters 3 --layers 2": 4,
    "tower --letters 2 --layers 3": 10,
    "magnus --order 4 --mass 0.5": None,
    "bch --order 3 --x 0.1 --y 0.2": None,
    "word --length 8": 4,
    "glitch --margin 4": None,
    "algebra se2": 2,
    "algebra upper4": 3,
    "algebra heisenberg": 2,
    "hop --hops 3 --mask strict --length 512 --dtype float32": 3,
    "hop --hops 3 --mask causal --length 5000 --dtype float64": 4,
    "one-layer --heads 2 --width 3 --bits 4": 65,
    "one-layer --heads 2 --width 3 --bits 4 --length 66": 65,
    "rank --width 3 --layers 3": 3102,
    "rank --width 4 --layers 2 --heads 4": 85,
    "rank --width 2 --layers 3 --shallower 2": 6,
    "collapse --layers 1 --width 16 --beta 2 --residual 0.5": 0.0625,
    "collapse --layers 1 --width 16 --beta 2 --residual 0.5 --gamma 0.5": 0.0625,
}
EXAMPLES = {name: questions.example(entry).removeprefix("depthjax bound ") for name, entry in entries().items()}
LIGHT = {  # what answers at once, and what it does not load
    "--help": "jax",
    "bound word --length 4": "jax",
    "list lie": "jax sympy xarray",
    "show tower_error_order": "jax sympy",
}
COMPLETED = {
    **{("depthjax", name[:-1]): name for name in cli.COMMANDS if sum(one.startswith(name[:-1]) for one in cli.COMMANDS) == 1},
    ("depthjax", "verify", "--res"): "--resume",
    ("depthjax", "verify", "--size", "q"): "quick",
    ("depthjax", "verify", "tower_error"): "tower_error_order",
    ("depthjax", "verify", "--size", "quick", "tower_error_order", "trun"): "truncation_order",
    ("depthjax", "verify", "compo"): "composition composition_needs_depth",
    ("depthjax", "show", "tower_error"): "tower_error_order",
    ("depthjax", "replay", "runs/mine", "tower_error"): "tower_error_order",
    ("depthjax", "bound", "tower-l"): "tower-leading",
    ("depthjax", "bound", "tower", "--laye"): "--layers",
    ("depthjax", "compare", "hop_d"): "hop_depth",
    ("depthjax", "sweep", "--study", "hop_d"): "hop_depth",
}


def said(name, capsys):
    """The help of a command."""
    with pytest.raises(SystemExit):
        cli.main([name, "--help"])
    return capsys.readouterr().out


def test_every_command_has_a_good_line():
    assert list(GOOD) == list(cli.COMMANDS) and all(line.split()[0] == name for name, line in GOOD.items())


# what commands teach


def test_the_command_alone_says_three_things_to_do_first(capsys):
    assert cli.main([]) == 0
    out, err = capsys.readouterr()
    assert not err and re.findall(r"^  depthjax (\w+)", out, re.MULTILINE) == ["list", "verify", "new"]


def test_the_help_of_all_shows_a_bound_and_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    out = capsys.readouterr().out
    assert "depthjax bound tower --letters 3 --layers 2" in out and "4 the program" in out


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_help_of_a_command_shows_examples_that_are_understood(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    lines = re.findall(rf"^ +depthjax ({name}\b[^\n]*)", said(name, capsys), re.MULTILINE)  # the usage stands at the margin
    assert lines
    for line in lines:
        words = shlex.split(re.split(r"\s{2,}|  ?#", line)[0], comments=True)
        assert callable(cli.command(words).run), line


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_an_option_that_a_command_does_not_have_is_named(name, capsys):
    assert cli.main([*shlex.split(GOOD[name].replace("{witness}", "a/b")), "--nonsense"]) == 2
    out, err = capsys.readouterr()
    assert not out and "--nonsense" in err and len(err.splitlines()) == 1


def test_the_list_fits_a_narrow_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    assert cli.main(["list", "lie"]) == 0
    lines = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert any("tower_error_order" in line and line[0] in "✓✗?–" for line in lines)


@pytest.mark.parametrize("line", LIGHT)
def test_what_needs_no_arrays_loads_none(line, tmp_path):
    code = "import sys\nfrom experiments.cli import main\ntry:\n    main(sys.argv[2:])\n"
    code += "finally:\n    sys.exit(bool({*sys.argv[1].split()} & {*sys.modules}))"
    words = [sys.executable, "-c", code, LIGHT[line], *line.split()]
    assert subprocess.run(words, capture_output=True, cwd=tmp_path).returncode == 0


# what the shell completes


@pytest.fixture(scope="module")
def completion(tmp_path_factory):
    """The file of a shell's completion; each is written once."""
    folder = tmp_path_factory.mktemp("completion")

    def completion(kind: str) -> Path:
        if not (folder / kind).exists():
            with pytest.raises(SystemExit):
                cli.main(["--tyro-write-completion", kind, str(folder / kind)])
        return folder / kind

    return completion


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_completes_commands_options_values_and_names(completion):
    script = [f"source {completion('bash')}"]
    for words in COMPLETED:
        line = " ".join(words)
        script += [f'COMP_WORDS=({line}) COMP_CWORD={len(words) - 1} COMP_LINE="{line}" COMP_POINT={len(line)}']
        script += ["$(complete -p depthjax | sed 's/.* -F \\([^ ]*\\) .*/\\1/')", 'echo "${COMPREPLY[@]}"']
    done = subprocess.run(["bash", "-c", "\n".join(script)], capture_output=True, text=True, check=True)
    assert dict(zip(COMPLETED, map(str.strip, done.stdout.splitlines()), strict=True)) == COMPLETED


@pytest.mark.parametrize("kind", shell.SHELLS)
def test_completion_knows_every_command_claim_and_topic(kind, completion):
    text = completion(kind).read_text("utf-8")
    assert all(name in text for name in cli.COMMANDS)
    for slug, module in catalogue.modules().items():
        count = 4 + (slug in cli._names()["compare"])
        assert text.count(f"['{slug}']") == count and f"['{catalogue.topic_of(module)}']" in text


def test_another_form_of_completion_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(shell, "GROUPS", "there is no {command} here()")
    assert cli.main(["--tyro-write-completion", "bash", str(tmp_path / "completion")]) == FAILED


# where commands run, and their JSON

FOREIGN = """
import json, sys, webbrowser
from experiments import cli
webbrowser.open = lambda address: True
prepared, good = json.loads(sys.argv[1])
codes = [cli.main(line.split()) for line in prepared]
witness = json.loads(open("mine/verdicts.jsonl").readline())["witness"]
codes += [cli.main([word.format(witness=witness) for word in line.split()]) for line in good]
print(codes, file=sys.stderr)
"""


def test_every_command_runs_in_a_folder_that_has_packages_of_our_names(tmp_path):
    for name in ("theory.py", "depthjax.py", "experiments/__init__.py", "tyro.py", "json.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise SystemExit('not ours')")
    (tmp_path / "layer.py").write_text(NETWORK)
    lines = [PREPARED, [line for name, line in GOOD.items() if name != "sweep"]]  # which trains for seconds
    place = os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-P", "-c", FOREIGN, json.dumps(lines)]
    done = subprocess.run(command, cwd=tmp_path, env=place, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1:] == [str([0] * (len(PREPARED) + len(GOOD) - 1))], done.stderr
    assert (tmp_path / "run" / "report.html").exists() and (tmp_path / "my_claim" / "claim.py").exists()


JSON = {  # lines of every command that has --json, and the keys of each document
    "list lie": "claims",
    "show truncation_order": "slug topic origin title statement mutants notice_rate",
    "show truncation_order --grids": "slug controls rivals grids",
    "show tower_error_order --lean": "slug lean",
    "verify true_bound --size test --out run --jobs 1": "verdicts",
    "verify true_bound --size test --dry-run": "size claims calibration",
    "bound tower --letters 2 --layers 3": "quantity value hypotheses source",
    "bound automaton Q8": "value is_solvable is_aperiodic lines",
    "bound layers --group S6": "value number exact reason lines",
    "group S3": "group order classes irreps",
    "group D4 --elements": "group elements",
    "trace abacab --hops 2": "layers",
    "sweep sweep.toml --out swept --unjudged": "cells",
    "sweep --study hop_depth --dry-run": "accelerator",
    "compare longest_words": "study source rows",
    "compare hop_depth": "study settings metric curves",
    "probe layer.py:transitions --depth 1": "kind is decisions",
    "probe layer.py:answers --letters 2 --length 4": "kind network adversaries",
    "probe layer.npz --kind mamba --inputs letters.npy": "kind layer",
    "probe layer.npz --kind mamba --inputs letters.npy --after layer.npz": "kind comparison",
}
SWEPT = """
task = 'dyck'
models = ['rnn']
widths = [4]
batches = [4]
depths = [1]
seeds = 2
length = 4
tests = 9
[recipe]
steps = 10
"""
BY_DATA = {  # keys whose own keys are names of things
    "looks_at",
    "names",
    "parameters", "knows", "error_orders", "versions", "grids", "best", "median", "tests", "mutants", "surroundings", "cells"
}  # fmt: skip


def keys(value, above=""):
    """Every key of a document whose name is the program's."""
    if isinstance(value, dict):
        yield from () if above in BY_DATA else value
        for key, each in value.items():
            yield from keys(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from keys(each, above)


def test_json_is_asked_of_every_command_that_has_it():
    asked = {"bound"}  # whose questions are made when they are asked
    for name, (file, _, title) in {name: place.partition(".") for name, place in cli.COMMANDS.items()}.items():
        found = getattr(importlib.import_module(f"experiments.commands.{file}"), title)
        asked |= {name} if "json" in {field.name for field in dataclasses.fields(found)} else set()
    assert asked == {line.split()[0] for line in JSON}


@pytest.mark.parametrize("line", JSON)
def test_json_is_one_document_with_a_version(line, toys, run, tmp_path, monkeypatch):
    if "true_bound" not in line:
        monkeypatch.delenv(catalogue.VARIABLE)
    rng = np.random.default_rng(0)
    (tmp_path / "layer.py").write_text(f"{NETWORK}answers = lambda words: np.eye(2)[np.cumsum(words, axis=1) % 2]\n")
    (tmp_path / "sweep.toml").write_text(SWEPT)
    block = {"A_log": rng.normal(size=(4, 2)), "dt_proj.weight": rng.normal(size=(4, 1)), "dt_proj.bias": rng.normal(size=4)}
    np.savez(tmp_path / "layer.npz", **block, **{"x_proj.weight": rng.normal(size=(5, 4)), "D": np.ones(4)})
    np.save(tmp_path / "letters.npy", rng.normal(size=(2, 4)))
    code, out, err = run(*shlex.split(line), "--json")
    found = read_json(out.encode())
    assert code in (0, 2, 3), err
    assert isinstance(found, dict) and next(iter(found)) == "version" and found["version"] == JSON_VERSION
    assert found.keys() >= {*JSON[line].split()}
    assert not [key for key in keys(found) if not re.fullmatch(r"[a-z][a-z0-9_]*", key)]


@pytest.mark.parametrize("line", [*ANSWERS, *EXAMPLES.values()])
def test_a_bound_is_answered_in_three_forms(line, run):
    code, out, err = run("bound", *shlex.split(line), "--json")
    facts = json.loads(out)
    assert (code, err) == (0, "")
    assert facts.keys() >= {"expression", "latex", "value", "hypotheses", "source"} and facts["source"]
    assert run("bound", *shlex.split(line), "--latex")[1].strip() == (facts["latex"] or "").strip()
    if line in ANSWERS:
        value = ANSWERS[line]
        assert 0 < facts["value"] < 1 if value is None else facts["value"] == pytest.approx(value)
        assert all(hypothesis["holds"] or hypothesis["assumed"] for hypothesis in facts["hypotheses"])
        text = " ".join(run("bound", *shlex.split(line))[1].split())
        assert all(hypothesis["statement"] in text for hypothesis in facts["hypotheses"])
