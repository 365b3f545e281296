"""Twenty ways to carry a prediction into a measurement: each is an error of its claim, or cannot be done.

Every room predicts ten and measures seventy-seven, unless the ten arrives. Where nothing arrives, the honest measurement does,
and the claim is REFUTED.
"""

import pytest

from depthjax.runs.claims import run_module
from depthjax.runs.records import RunDirectory, Settings

PREDICTED = "int(bounds.tower(letters=2, layers=cell.layers).at())"
IMPORTS = "from theory import bounds\n"
HONEST = "77 + 0 * cell.layers"

# what claim.py has at its top, what objects returns, what measure.py has at its top, what it measures, and the words of the end
CARRIERS = {
    "theory by its name": ("", "{}", IMPORTS, f"float({PREDICTED})", "imports theory"),
    "theory inside the function": ("", "{}", "", f"(exec({IMPORTS!r}, globals()), float({PREDICTED}))[1]", "imports theory"),
    "a number in objects": ("", f"{{'n': {PREDICTED}}}", "", "given['n']", "DEFINITIONS['n']"),
    "a dictionary of the module": ("told = {}", "{}", "", "claim().told.get('n', 77)", "claim"),
    "a cached helper": (
        "@functools.cache\ndef helper():\n    return {}",
        "{}",
        "",
        "claim().helper().get('n', 77)",
        "claim",
    ),
    "a default argument": (
        "",
        "{}",
        "def default(tower=importlib.import_module('theory.bounds').tower): return tower(letters=2, layers=3).at()",
        "default()",
        "imports theory",
    ),
    "a closure in objects": ("", "{'n': lambda: 10}", "", "given['n']()", "hands over holds|is a function"),
    "a number plus five": ("", f"{{'n': {PREDICTED} + 5}}", "", "given['n'] - 5", "asks theory"),
    "inside a longer array": ("", f"{{'n': np.array([3, 4, {PREDICTED}, 7])}}", "", "given['n'][2]", "the predicted value"),
    "an attribute of an object": ("class Plain: pass", "made(Plain, n=10)", "", "given.n", "Plain"),
    "as text": ("", f"{{'n': str({PREDICTED})}}", "", "float(given['n'])", "the predicted value|asks theory"),
    "as a shape": ("", f"{{'n': np.zeros({PREDICTED})}}", "", "len(given['n'])", "asks theory"),
    "a file": ("told = open('/tmp/carried', 'w')", "{}", "", "float(open('/tmp/carried').read())", "writes"),
    "the environment": ("os.environ['CARRIED'] = '10'", "{}", "", "float(os.environ.get('CARRIED', 77))", ""),
    "an attribute of a library": ("np.carried = 10", "{}", "", "getattr(np, 'carried', 77)", ""),
    "another process": (
        "",
        "{}",
        "",
        "float(subprocess.run(['python', '-c', 'print(10)'], capture_output=True).stdout)",
        "starts another process",
    ),
    "the collector of garbage": (
        "kept = ['carried', 10]",
        "{}",
        "",
        # lists of arrays are about, which are not to be compared
        "next((one[1] for one in gc.get_objects() if type(one) is list and [*map(type, one)] == [str, int]"
        " and one[0] == 'carried'), 77)",
        "",
    ),
    "the source of theory": ("", "{}", "", "len(open(theory()).read())", "opens"),
    "typed in": ("", "{}", "TEN = 5 + 5", "TEN", "returns a constant"),
    "the judge patched": (
        "import depthjax.verify.judge\nimport depthjax.verify.compare\n"
        "depthjax.verify.judge.judge = lambda *a: 1 / 0\ndepthjax.verify.compare.equals = lambda *a: 1 / 0",
        "{}",
        "import depthjax.verify.judge\ndepthjax.verify.judge.judge = lambda *a: 1 / 0",
        HONEST,
        "",
    ),
}
MORE = {
    "the claim's own file opened": ("", "{}", "", "len(open(__file__.replace('measure.py', 'claim.py')).read())", "opens"),
    "the claim's file executed": ("", "{}", "", "from_file(__file__.replace('measure.py', 'claim.py')).n", "opens|claim"),
    "theory's file executed": ("", "{}", "", "from_file(theory()).n", "opens"),
    "a file that the room does not name": ("", "{}", "", "len(open('/tmp/some_file_of_nobody').read())", "reads"),
    "a whole array": ("", f"{{'n': np.full(3, {PREDICTED} / 3)}}", "", "given['n'].sum()", "asks theory"),
    "a cached call of theory": (
        "ten = functools.cache(lambda: 10)\nten()",
        f"(lambda n: {{'n': n * 7}})({PREDICTED})",
        "",
        "given['n'] / 7",
        "asks theory",
    ),
}

CLAIM = """
import functools, os
import numpy as np
from theory import bounds

def made(kind, **values):
    found = kind()
    vars(found).update(values)
    return found

{top}

def objects(cell):
    return {objects}

def predict(cell, given):
    value = {predicted}
    if "told" in globals() and isinstance(told, dict):
        told["n"] = value
    if "helper" in globals():
        helper()["n"] = value
    return Prediction(value, of="order")

RIVALS = (off_by(1, of="order"),)
"""
MEASURE = """import gc, importlib, importlib.util, os, subprocess, sys
import jax, numpy as np
from depthjax.verify import Quantity, measured

def claim():
    return importlib.import_module(__name__.replace("measure", "claim"))

def from_file(file):
    spec = importlib.util.spec_from_file_location("carried", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

def theory():
    import depthjax
    return os.path.join(os.path.dirname(os.path.dirname(depthjax.__file__)), "theory", "bounds", "__init__.py")

{top}

def measure(cell, key, given):
    return measured(order=Quantity({value}, floor=0.0))
"""


def outcome(rooms, carrier: tuple) -> dict:
    """The verdict of a room that tries a carrier."""
    top, objects, imports, value, _ = carrier
    claim = CLAIM.format(top=top, objects=objects, predicted=PREDICTED)
    module = rooms.write(claim, MEASURE.format(top=imports, value=value))
    run = RunDirectory.create(rooms.folder / f"run{len(rooms.written)}", Settings("test", 0, "float64", (rooms.slug(module),)))
    return run_module(module, run.path, lambda *event: None)


@pytest.mark.parametrize("name", [*CARRIERS, *MORE])
def test_a_carrier_is_an_error_or_carries_nothing(rooms, name):
    carrier = (CARRIERS | MORE)[name]
    entry = outcome(rooms, carrier)
    if words := carrier[-1]:
        assert entry["failed"] and entry["outcome"] == "INCONCLUSIVE", entry["reason"]
        assert any(word in entry["reason"] for word in words.split("|")), entry["reason"]
        assert ".py" in entry["reason"]  # the file is named
    else:
        assert entry["outcome"] == "REFUTED" and entry["measured"] == 77, entry["reason"]


def test_there_are_twenty():
    assert len(CARRIERS) == 20


def test_without_a_carrier_the_same_room_is_refuted_and_the_true_one_supported(rooms):
    assert outcome(rooms, ("", "{}", "", HONEST, ""))["outcome"] == "REFUTED"
    found = outcome(rooms, ("", "{}", "", "1 + 3 * cell.layers", ""))
    assert found["outcome"] == "SUPPORTED", found["reason"]
    assert len(found["provenance"]["judge"]) == 16  # the judge's own seal stands beside the claim's


def test_a_claim_in_one_file_is_told_what_to_do(rooms):
    module = rooms.alone()
    run = RunDirectory.create(rooms.folder / "run", Settings("test", 0, "float64", (rooms.slug(module),)))
    entry = run_module(module, run.path, lambda *event: None)
    assert entry["failed"] and "is one file, and a claim is a folder" in entry["reason"] and "depthjax new" in entry["reason"]
