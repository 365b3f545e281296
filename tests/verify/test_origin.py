"""The seal: what a claim reaches counts, definition by definition, what it does not reach does not, and nothing is imported."""

import ast
import inspect
import shutil
import sys
import warnings
from pathlib import Path
from statistics import median

import pytest

from depthjax import located, refusal
from depthjax.runs import catalogue
from depthjax.runs.origin import reached, read_again, source_digest, sources
from depthjax.verify import Cell
from experiments import seals
from experiments.mutants.digest import key
from experiments.mutants.mutant import written

PENALTY = "experiments.identify.balance_regulariser.bracket_layers"

CLAIM = '''"""A claim."""
from typing import TYPE_CHECKING

import numpy as np
from project import rooms
from project.parts import first, second as other
import project.plain as plain

if TYPE_CHECKING:
    from project.checked import Thing

CLAIM = 1
SIZE = 3


class Sizes:
    """Sizes."""

    length: int = SIZE


MORE = {"length": 9}
DOMAIN = {"length": (1, 5)}
GRIDS = {"test": Sizes(), "quick": Sizes(), "full": Sizes(**MORE)}


def _helper(unused):
    from ..lazy import thing

    return thing(np.array(1))


def measure(cell, key):
    """Measured."""
    unused = 1  # a local name, and not the function below
    return first(_helper(cell)) + rooms.kitchen.boil(unused) + plain.table["a"]


def predict(cell):
    return other


def unused():
    return third


def _draw(place, dataset):
    return 1


PICTURES = (_draw,)
'''
HALL = """from depthjax.refusal import refusing as asked_first

@asked_first(lambda x: _small(x))
def walk(x):
    return x + STEP

def _small(x):
    assert x < 3

STEP = 1
"""
FILES = {
    "__init__.py": "",
    "topic/__init__.py": "",
    "topic/claim.py": CLAIM,
    "rooms/__init__.py": "from project.doors import opened\n\nopened(__name__)\n",
    "rooms/__init__.pyi": "from project.rooms.kitchen import boil as boil\nfrom project.rooms.hall import walk as walk\n",
    "rooms/kitchen.py": "from project.rooms import walk\n\n\ndef boil(x):\n    return walk(x)\n\n\ndef fry(x):\n    return x\n",
    "rooms/hall.py": HALL,
    "doors.py": "def opened(name):\n    return name\n",
    "parts/__init__.py": "from project.parts.first import first\nfrom project.parts.second import second\n",
    "parts/first.py": "from project.deep import value\n\n@value.mark\ndef first(x):\n    return x\n\nfirst.defined(value)\n",
    "parts/second.py": "second = 2\nthird = 3\n",
    "deep.py": "from project.base import *\n\nvalue = base\n",
    "base.py": "base = 1\nother = 2\n",
    "lazy.py": "def thing(x):\n    return x\n",
    "plain.py": "table = {}\ntable['a'] = 1\nlist = [1]\n",
    "checked.py": "class Thing:\n    pass\n",
    "stranger.py": "x = 1\n",
}
REACHED = {
    "topic.claim",
    "rooms",
    "rooms.kitchen",
    "rooms.hall",
    "doors",
    "parts.first",
    "parts.second",
    "deep",
    "base",
    "lazy",
    "plain",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Write a package of these files, changed, into a folder of its own, and ask something about its claim."""
    folders = iter(range(1000))

    def written(*changes: tuple[str, str, str], ask=source_digest):
        folder = tmp_path / str(next(folders))
        files = dict(FILES)
        for name, was, now in changes:
            assert was in files[name]
            files[name] = files[name].replace(was, now)
        for name, text in files.items():
            file = folder / "project" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str(folder))
            read_again()
            found = ask("project.topic.claim")
        read_again()
        return found

    return written


def test_what_is_reached_is_found_however_it_is_imported(project):
    found = {name.removeprefix("project.") for name in project(ask=sources)}
    assert found == REACHED
    assert not any(name.partition(".")[0] == "project" for name in sys.modules)


CHANGES = {  # what is reached
    "the claim": ("topic/claim.py", "+ rooms", "- rooms"),
    "a constant of its sizes": ("topic/claim.py", "SIZE = 3", "SIZE = 4"),
    "a larger size": ("topic/claim.py", '"length": 9', '"length": 8'),
    "its domain": ("topic/claim.py", "(1, 5)", "(1, 6)"),
    "a helper": ("topic/claim.py", "np.array(1)", "np.array(2)"),
    "a function": ("parts/first.py", "return x", "return -x"),
    "its decorator": ("parts/first.py", "@value.mark", "@value.other"),
    "what is called on it": ("parts/first.py", "first.defined(value)", "first.defined(1)"),
    "what a star imports": ("base.py", "base = 1", "base = 2"),
    "an import inside a function": ("lazy.py", "return x", "return 2 * x"),
    "an entry of a table": ("plain.py", "table['a'] = 1", "table['a'] = 2"),
    "behind a door": ("rooms/kitchen.py", "walk(x)", "walk(-x)"),
    "another decorator of that name": ("rooms/hall.py", "depthjax.refusal", "project.lazy"),
    "behind two doors": ("rooms/hall.py", "STEP = 1", "STEP = 2"),
    "the door itself": ("rooms/__init__.pyi", "project.rooms.hall import walk", "project.rooms.kitchen import fry"),
    "what runs when a package is loaded": ("doors.py", "return name", "return 1"),
}
REST = {  # what changes nothing
    "a comment": ("parts/first.py", "return x", "return x  # edited"),
    "a docstring": ("topic/claim.py", '"""Measured."""', '"""Otherwise."""'),
    "the docstring of a module": ("topic/claim.py", '"""A claim."""', '"""Another."""'),
    "what only type checkers read": ("topic/claim.py", "import Thing", "import Thing as Other"),
    "a function that a local name hides": ("topic/claim.py", "return third", "return 4"),
    "a picture": ("topic/claim.py", "    return 1\n\n\nPICTURES", "    return 2\n\n\nPICTURES"),
    "another function of the file": ("rooms/kitchen.py", "return x", "return 3 * x"),
    "another constant": ("parts/second.py", "third = 3", "third = 4"),
    "what a star imports and nothing names": ("base.py", "other = 2", "other = 3"),
    "an annotation's class": ("checked.py", "pass", "x = 1"),
    "another file": ("stranger.py", "x = 1", "x = 2"),
    "a check before a call": ("rooms/hall.py", "x < 3", "x < 4"),
    "whether there is one": ("rooms/hall.py", "@asked_first(lambda x: _small(x))\n", ""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_digest_changes_with_what_is_reached(project, change):
    assert project(CHANGES[change]) != project()


@pytest.mark.parametrize("change", REST)
def test_nothing_else_changes_the_digest(project, change):
    assert project(REST[change]) == project() != ""


def test_sizes_that_are_not_asked_for_do_not_count(project):
    def quick(module):
        return reached(module, sizes=("test", "quick"))

    was = project(ask=quick)
    assert project(CHANGES["a larger size"], ask=quick) == was
    assert project(CHANGES["a constant of its sizes"], ask=quick) != was
    assert project(("topic/claim.py", '"quick": Sizes()', '"quick": Sizes(length=2)'), ask=quick) != was


READS = (
    "topic/claim.py",
    "SIZE = 3",
    'SIZE = 3\nREADS = ("table.csv", "../far/big.bin", "project.stranger", "no.such", "gone")',
)
NAMED = {"topic/table.csv": "1, 2", "far/big.bin": "0" * 100}


@pytest.mark.parametrize(
    ("file", "text"), [("topic/table.csv", "1, 3"), ("far/big.bin", "1"), ("stranger.py", "y = 1"), ("topic/gone", "here")]
)
def test_files_and_modules_that_a_claim_names_count(project, monkeypatch, file, text):
    for name, content in NAMED.items():
        monkeypatch.setitem(FILES, name, content)
    before, unnamed = project(READS), project()
    assert before == project(READS)
    monkeypatch.setitem(FILES, file, text)
    assert project(READS) != before and project() == unnamed


@pytest.mark.parametrize("said", ["READS = 3", "READS = (open, 1)", "READS: tuple", "READS = ('a\\0b', '')", "x = READS"])
def test_what_cannot_be_read_of_it_stops_nothing(project, said):
    assert project(("topic/claim.py", "SIZE = 3", f"SIZE = 3\n{said}")) != ""


def test_the_judge_is_left_out_and_the_measurement_is_not():
    found = sources("experiments.lie.truncation_order")
    assert not any(name.startswith("depthjax.verify") for name in found)
    assert {f"experiments.lie.truncation_order.{part}" for part in ("claim", "measure")} <= set(found)
    assert {"theory.lie.bch", "depthjax.lie.series", "depthjax.rounding"} <= set(found)


def test_any_module_with_a_file_has_a_digest_and_others_have_none(tmp_path, monkeypatch):
    (tmp_path / "alone_in_its_file.py").write_text("import depthjax.lie.signature\nx = depthjax.lie.signature.log_signature")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert set(sources("alone_in_its_file")) >= {"alone_in_its_file", "depthjax.lie.signature"}
    assert len(source_digest("alone_in_its_file")) == 16
    assert source_digest("no_such_module_anywhere") == source_digest("sys") == source_digest("theory.no_such") == ""


def test_a_seal_holds_few_files_and_every_claim_has_its_own():
    modules = catalogue.modules().values()
    assert median(len(sources(module)) for module in modules) < 40
    assert len({source_digest(module) for module in modules}) == len(modules)


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Let a function write every file of the three packages anew, in a folder that is read in the place of this one."""

    def copy(rewritten):
        for name, folder in located.OWN.items():
            for file in Path(folder).rglob("*.py"):
                copy = tmp_path / name / file.relative_to(folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(rewritten(file.read_text("utf-8")), "utf-8")
            for file in Path(folder).rglob("*.pyi"):
                shutil.copy(file, tmp_path / name / file.relative_to(folder))
        monkeypatch.setattr(located, "ROOT", tmp_path)
        read_again()

    yield copy
    monkeypatch.undo()
    read_again()


def otherwise(text: str) -> str:
    """The same program without its comments, in other lines, with a docstring in every class and function."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            said = ast.get_docstring(node) is not None
            node.body[:said] = [ast.Expr(ast.Constant("Said otherwise."))]
    return ast.unparse(tree)


@pytest.mark.slow
def test_comments_docstrings_and_lines_of_all_files_make_nothing_stale(copied):
    modules = catalogue.modules()
    before = {slug: (source_digest(module), seals.picture(slug)) for slug, module in modules.items()}
    copied(otherwise)
    assert {slug: (source_digest(module), seals.picture(slug)) for slug, module in modules.items()} == before


def test_a_penalty_that_networks_are_trained_with_makes_every_mutant_of_its_claim_stale(copied):
    mutants = [mutant for mutant in written(catalogue.OWN) if "balance_regulariser" in mutant.claims]
    before = [key(mutant) for mutant in mutants]
    said = Path(sources(catalogue.modules()["balance_regulariser"])[PENALTY]).read_text("utf-8")
    (function,) = [node for node in ast.parse(said).body if getattr(node, "name", "") == "imbalance"]
    *_, last = [ast.get_source_segment(said, node) for node in ast.walk(function) if isinstance(node, ast.Return)]
    assert last and said.count(last) == 1
    copied(lambda text: text.replace(last, f"return 2 * ({last.removeprefix('return ')})"))
    assert len(mutants) >= 12 and all(key(mutant) != was for mutant, was in zip(mutants, before, strict=True))


def test_a_picture_that_is_drawn_otherwise_is_stale_and_no_cell_is(project, monkeypatch):
    room = {"claim.py": CLAIM.split("PICTURES")[0], "measure.py": "def measure(cell, key):\n    return 1\n", "__init__.py": ""}
    drawing = "from depthjax.verify import Picture\n\nPICTURES = (Picture(2.0, lambda figure, dataset: 1),)\n"
    for name, text in (room | {"picture.py": drawing}).items():
        monkeypatch.setitem(FILES, f"topic/room/{name}", text)
    monkeypatch.setattr(seals, "module", lambda slug: f"project.topic.{slug}")

    def both(module):
        return seals.program("room"), seals.picture("room")

    cells, picture = project(ask=both)
    now = project(("topic/room/picture.py", "dataset: 1", "dataset: 2"), ask=both)
    assert now[0] == cells != "" and now[1] != picture
    now = project(("topic/room/measure.py", "return 1", "return 2"), ask=both)
    assert now[0] != cells and now[1] != picture


RAN = ("truncation_order", "krohn_rhodes_simulates", "group_tower_exact", "collapse_doubly_exponential", "triplet_permutations")


def _refusing(frame):
    """Whether a check before a call runs here, which can change nothing."""
    while frame is not None and frame.f_code is not refusal.ask.__code__:
        frame = frame.f_back
    return frame is not None


@pytest.mark.slow
@pytest.mark.parametrize("slug", RAN)
def test_what_runs_is_under_the_seal(slug):
    """The text is followed here; a profile of a run is the other route."""
    import jax

    module = catalogue.modules()[slug]
    experiment, seen = catalogue.experiment(module), set()

    def profile(frame, event, argument):
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED and not _refusing(frame):
            # but the body of a class that is loaded meanwhile
            seen.add((frame.f_globals.get("__name__") or "", frame.f_code.co_qualname.partition(".")[0]))

    cell = experiment.grids["test"].cells()[0]
    sys.setprofile(profile)
    try:
        with warnings.catch_warnings(), jax.enable_x64(True):
            warnings.simplefilter("ignore")
            given = experiment.given(cell, 0)
            experiment.said(cell, given)
            experiment.measure(Cell.of(cell), jax.random.key(0), *given)
    finally:
        sys.setprofile(None)
    held, left = (
        set(reached(module)),
        ("depthjax.verify", "depthjax.runs", "depthjax.figures", "depthjax.report", "depthjax.doors", "depthjax.refusal"),
    )
    ran = {
        (name, function)
        for name, function in seen
        if name.startswith(("depthjax", "theory", "experiments")) and not name.startswith(left)
        if not function.startswith(("<", "__create_fn__"))
    }
    assert len(ran) > 10 and ran <= held
