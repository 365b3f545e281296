"""The registry of bounds: names are unique, and every public bound is in it with what its help needs."""

import inspect
import subprocess
import sys

import pytest

from theory import bounds
from theory.bound import Bound, Report
from theory.bounds.index import entries, entry
from theory.registry import REGISTRY, registered


@pytest.fixture
def in_a_new_process():
    def run(code: str) -> str:
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    return run


def test_a_name_is_registered_once(tmp_path, monkeypatch):
    monkeypatch.setattr("theory.registry.REGISTRY", entries())
    code = compile("def magnus(order: int):\n    '''Bound.'''\n", str(tmp_path / "mine.py"), "exec")
    names: dict = {"__name__": "mine"}
    exec(code, names)
    with pytest.raises(ValueError, match=r"two bounds are called 'magnus'.*tails\.py:\d+.*mine\.py:1.*Rename"):
        registered(names["magnus"])
    assert registered(name="mine")(names["magnus"]) is names["magnus"]
    with pytest.raises(ValueError, match="two bounds are called 'mine'"):
        registered(name="mine")(lambda order: order)


def test_a_module_may_be_loaded_again(monkeypatch):
    monkeypatch.setattr("theory.registry.REGISTRY", dict(REGISTRY))
    assert registered(bounds.magnus) is bounds.magnus


def test_every_public_bound_is_registered():
    functions = {one.function for one in entries().values()}
    for name, value in ((name, getattr(bounds, name)) for name in bounds.__all__):
        if inspect.isfunction(value):
            answer = inspect.signature(value, eval_str=True).return_annotation
            assert issubclass(answer, (Bound, Report)) == (value in functions), name


def test_a_bound_is_found_by_its_name_alone():
    for name, one in entries().items():
        assert entry(name) is one
    assert entry("no-such-bound") is None and entry("LayersNeeded") is None and entry("") is None


def test_one_question_loads_one_room(in_a_new_process):
    loaded = in_a_new_process(
        "import sys; from theory.bounds.index import entry; entry('tower').function(letters=2, layers=3).at();"
        "print(*(name for name in sys.modules if name.startswith('theory.')))"
    ).split()
    rooms = {name.split(".")[1] for name in loaded}
    assert "lie" in rooms and not rooms & {"groups", "automata", "logic", "attention", "composition", "identify", "width"}
