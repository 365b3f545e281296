"""The page on layers of one's own says what runs: its files are written, its blocks and commands run, as they are printed."""

import json
import re
import shlex
from pathlib import Path

import jax
import pytest

from depthjax.models.declared import DECLARED
from depthjax.models.kinds import KINDS
from depthjax.runs import places
from experiments import cli

PAGE = Path(__file__).parents[1] / "docs" / "own_layer.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="no docs beside the tests")


def blocks(language):
    """The fenced blocks of a language."""
    found, inside = [], None
    for line in PAGE.read_text("utf-8").splitlines(keepends=True):
        if line.startswith("```"):
            if inside is None:
                inside = (line[3:].strip(), [])
            else:
                found.append((inside[0], "".join(inside[1])))
                inside = None
        elif inside is not None:
            inside[1].append(line)
    return [text for name, text in found if name == language]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with every file that the page shows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(places._finder, "folders", {})
    for text in (*blocks("python"), *blocks("toml")):
        if name := re.match(r"# (\S+\.\w+)\n", text):
            Path(name[1]).write_text(text)
    kinds, declared = dict(KINDS), dict(DECLARED)
    with jax.enable_x64(False), jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield tmp_path
    for register, before in ((KINDS, kinds), (DECLARED, declared)):
        register.clear()
        register.update(before)


def test_every_file_that_is_named_is_shown(folder):
    named = set(re.findall(r"[\w/]+\.(?:py|toml)\b", PAGE.read_text("utf-8")))
    assert named == {path.name for path in folder.iterdir() if path.is_file()} == {"layer.py", "my_layers.py", "mine.toml"}


def said(value, words):
    """Whether what a line gives is what its comment says: numbers and names in their order."""
    text = re.sub(r"[<>()]", " ", repr(value))
    return [word for word in re.findall(r"[\w.]+", words) if word not in re.findall(r"[\w.]+", text)]


def test_the_printed_python_runs_as_printed(folder):
    names: dict = {}
    for block in blocks("python"):
        if not block.startswith("# "):
            exec(compile(block, str(PAGE), "exec"), names)
    block = names["block"]
    assert (block.kind, block.cls.name, block.derived_dimensions, block.derived_length) == ("mamba", "positive", (34, 32, 0), 2)
    assert [block.layers(task).number for task in ("parity", "flip_flop")] == [None, 1]
    moved = names["probe"].compare(names["weights"], names["trained"], letters=names["np"].eye(4)[:2])
    line = next(line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("probe.compare("))
    assert not said(moved, line.partition("# ")[2])


def commands():
    return [line for text in blocks("") for line in text.splitlines() if line.startswith("depthjax ")]


@pytest.mark.slow
@pytest.mark.needs("aalpy")
def test_the_printed_commands_run_as_printed(folder, capsys):
    asked = commands()
    assert [command.split()[1] for command in asked] == ["probe", "probe", "probe", "sweep"]
    names: dict = {}
    for block in blocks("python"):
        if not block.startswith("# "):
            exec(compile(block, str(PAGE), "exec"), names)
    for command in asked:
        assert cli.main(shlex.split(command)[1:]) == 0
    capsys.readouterr()
    lines = [json.loads(line) for path in folder.rglob("verdicts.jsonl") for line in path.read_text().splitlines()]
    assert len(lines) == 2 and all(line["predicted"] is False and line["outcome"] == "SUPPORTED" for line in lines)
    assert (folder / "layer.html").exists() and (folder / "network.html").exists() and (folder / "moved.html").exists()
