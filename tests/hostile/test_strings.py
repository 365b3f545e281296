"""Texts are never programs: no construct that runs one stands in the source, and the callables that take one refuse it."""

import ast
import json
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

import depthjax
from depthjax.attention.masks import visible
from depthjax.constructions.directions.hop import hop_transformer, reach
from depthjax.instruments.contrast import curvature
from depthjax.models.kinds import sequence_model
from depthjax.runs.provenance import configure
from depthjax.runs.records import load as stored
from depthjax.scans.affine import affine_scan
from depthjax.scans.gated import gated_scan
from depthjax.scans.householder import householder_scan
from depthjax.scans.products import matrix_products
from depthjax.tasks.rotation import rotation_matrices
from experiments import cli
from experiments.studies.configuration import SweepError
from experiments.studies.reading import read

ROOT = Path(depthjax.__file__).parents[1]
SOURCES = sorted(file for package in ("depthjax", "experiments") for file in (ROOT / package).rglob("*.py"))
BY_NAME = {"eval", "exec", "compile", "__import__", "execfile", "breakpoint"}
BY_ATTRIBUTE = {
    "sympify",
    "parse_expr",
    "lambdify",
    "S",
    "system",
    "popen",
    "literal_eval",
    "import_module",
    "find_spec",
    "run_path",
}
BY_ATTRIBUTE |= {"run_module", "spec_from_file_location", "loads_pickle", "read_pickle", "unsafe_load", "full_load"}
MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml", "runpy", "code", "codeop", "pty", "ctypes"}
# who may import by name or read literals: the modules of the user's catalogue, and no others
ALLOWED = {
    "depthjax/card.py": {"literal_eval"},  # of the options of one call in a claim, and of one list in a package of claims
    "depthjax/located.py": {"find_spec"},  # of what lies in no package, which imports nothing
    "depthjax/__init__.py": {"import_module"},  # of the rooms in a list
    "depthjax/__main__.py": {"import_module"},  # of one module
    "depthjax/adapters/libraries.py": {"import_module"},  # of flax.nnx, where the network is one of it
    "depthjax/displays.py": {"import_module"},  # of the one module that draws
    "depthjax/tasks/word_files.py": {"import_module"},  # of pandas and its readers of parquet
    "depthjax/constructions/__init__.py": {"import_module"},  # of the rooms in a list
    "depthjax/doors.py": {"import_module"},  # of the modules that a stub names
    "depthjax/verify/experiment.py": {"import_module"},  # of the files of a room of the catalogue
    "depthjax/runs/catalogue.py": {"import_module"},
    "depthjax/runs/border.py": {"find_spec"},  # of the text that an import would load, which is read
    "depthjax/runs/programs.py": {"ctypes"},  # to give memory back
    "depthjax/runs/places.py": {"find_spec"},  # of what the user names; nothing is imported there
    "depthjax/runs/predicting.py": {"import_module"},  # of the rooms of the catalogue
    "depthjax/runs/measuring.py": {"import_module"},  # of the same
    "depthjax/runs/noting.py": {"compile", "find_spec"},  # of claim.py, with every call wrapped
    "depthjax/runs/guards.py": {"find_spec"},  # of what is refused
    "depthjax/runs/wire.py": {"pickle"},  # read with a list of the classes that hold plain data
    "depthjax/runs/origin.py": {"literal_eval"},  # of the names of files and modules that a claim reads
    "experiments/cli.py": {"import_module"},  # of the commands in a list
    "experiments/commands/sweep.py": {"import_module"},  # of layers that the command line names
    "experiments/commands/sweep_training.py": {"import_module"},  # of one module of JAX
    "experiments/studies/cell.py": {"import_module"},  # of the same layers, in the process that trains them
    "experiments/commands/claim_cost.py": {"import_module"},  # of the modules of the catalogue
    "experiments/commands/probe.py": {"spec_from_file_location"},  # of the file that the command line names
    "experiments/mutants/application.py": {"compile", "find_spec"},  # a module of this project with one line replaced
    "experiments/mutants/trial.py": {"run_module"},  # of the runs, with a claim of the catalogue
    "depthjax/runs/children.py": {"ctypes"},  # one call that names no text: a child ends with its parent
}
PROGRAMS = [
    "__import__('pathlib').Path('PWNED').touch()",
    "().__class__.__base__.__subclasses__()",
    "$(touch PWNED)",
    "; touch PWNED",
]
PROGRAMS += [
    "[x for x in (1).__class__.mro()]",
    "lambda: 0",
    "{0.__class__}",
    "%s%n",
    "../../../etc/passwd",
    "\x00",
    "9" * 5000,
    "",
]


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_construct_that_runs_a_text(file):
    allowed = ALLOWED.get(file.relative_to(ROOT).as_posix(), set())
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            found += [name for name in names if name.partition(".")[0] in MODULES]
            found += [alias.name for alias in node.names if alias.name in BY_ATTRIBUTE | BY_NAME]
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            last, words = name.rpartition(".")[2], {word.arg: ast.unparse(word.value) for word in node.keywords}
            found += [name] if name in BY_NAME or ("." in name and last in BY_ATTRIBUTE) else []
            found += [f"{name} with a shell"] if words.get("shell", "False") != "False" else []
            found += [f"{name} with pickles"] if words.get("allow_pickle", "False") != "False" else []
            found += [f"{name} on a text"] if name.endswith("np.load") and words.get("allow_pickle") != "False" else []
    assert {name.rpartition(".")[2] for name in found} <= allowed, found


def scan(function, *shapes):
    arrays = [jnp.zeros(shape) for shape in shapes]
    return lambda text: function(*arrays, method=text)


CALLS = {
    "affine_scan": scan(affine_scan, (4, 2), (4, 2)),
    "gated_scan": scan(gated_scan, (4, 2), (4, 2), (4, 2), (4, 2)),
    "matrix_products": scan(matrix_products, (4, 2, 2)),
    "householder_scan": scan(householder_scan, (4, 1, 2), (4, 1), (4, 2, 2)),
    "visible": lambda text: visible(jnp.arange(4), jnp.arange(4), text),
    "curvature": lambda text: curvature(jnp.zeros(2), jnp.ones(()), text),
    "reach": lambda text: reach(2, text),
    "hop_transformer": lambda text: hop_transformer(2, 8, 4, text),
    "rounding": lambda text: hop_transformer(2, 8, 4, "strict", rounding=text),
    "model": lambda text: sequence_model(text, letters=3, width=8, max_depth=1, classes=2),
    "precision": lambda text: sequence_model("gla", letters=3, width=8, max_depth=1, classes=2, precision=text or "x"),
    "rotation_matrices": lambda text: rotation_matrices(np.zeros((1, 1), int), [0], np.eye(2)[None], mode=text),
    "configure": configure,
}


@pytest.mark.parametrize("name", CALLS)
def test_callables_refuse_what_is_no_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for program in PROGRAMS:
        with pytest.raises((ValueError, TypeError, KeyError, OSError, SyntaxError)):
            CALLS[name](program)
    assert not any(tmp_path.iterdir())


def test_a_stored_type_is_one_that_runs_store(tmp_path):
    for text in (*PROGRAMS[:9], "O", "V8", "i4,i4", "datetime64[ns]"):
        data = xr.Dataset({"x": ("i", np.zeros(2, np.int32), {"stored_from": text})})
        data.to_netcdf(tmp_path / "x.nc", engine="scipy")
        with pytest.raises(ValueError, match="no type that a run stores"):
            stored(tmp_path / "x.nc")


COMMANDS = [
    ["show", "TEXT"],
    ["verify", "TEXT"],
    ["verify", "--size", "TEXT"],
    ["verify", "--seed", "TEXT"],
    ["verify", "--jobs", "TEXT"],
    ["list", "TEXT"],
    ["new", "TEXT"],
    ["new", "mine", "--package", "TEXT"],
    ["open", "TEXT"],
    ["report", "TEXT"],
    ["replay", "TEXT", "a/b"],
    ["sweep", "TEXT", "--out", "out"],
    ["bound", "TEXT"],
    ["bound", "group", "TEXT"],
    ["bound", "algebra", "TEXT"],
    ["bound", "automaton", "TEXT"],
    ["bound", "logic", "TEXT"],
    ["bound", "composition", "--group", "TEXT"],
    ["bound", "tower", "--letters", "TEXT", "--layers", "2"],
    ["bound", "magnus", "--order", "4", "--mass", "TEXT"],
    ["bound", "bch", "--order", "4", "--x", "TEXT", "--y", "1"],
    ["bound", "glitch", "--margin", "TEXT"],
    ["bound", "hop", "--hops", "TEXT"],
    ["trace", "abc", "--hops", "TEXT"],
    ["trace", "abc", "--mask", "TEXT"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_refuse_what_is_no_name(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for program in PROGRAMS:
        if "\0" in program or ("logic" in command and program.isdigit()):
            continue  # no command line holds a zero; digits are letters of a formula
        assert cli.main([program if word == "TEXT" else word for word in command]) == 2, program
        found = capsys.readouterr()
        assert found.out == "" and len(found.err.splitlines()) == 1
    assert not any(tmp_path.iterdir())


def test_files_of_the_user_are_data(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for program in PROGRAMS[:6]:
        quoted = json.dumps(program)
        Path("automaton.json").write_text(quoted)
        assert cli.main(["bound", "automaton", "automaton.json"]) == 2
        for line in (f"groups = [{quoted}]", f"models = [{quoted}]", f"task = {quoted}", f"mode = {quoted}\ntask = 'rotation'"):
            Path("sweep.toml").write_text(line)
            with pytest.raises(SweepError):
                read(Path("sweep.toml")).studies()
    assert {file.name for file in tmp_path.iterdir()} == {"sweep.toml", "automaton.json"}
