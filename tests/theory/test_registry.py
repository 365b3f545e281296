"""The registry of bounds: names are unique, and every public bound is in it with what its help needs."""

import inspect

import pytest

from theory import bounds
from theory.bound import Bound, Report
from theory.registry import REGISTRY, registered


def test_a_name_is_registered_once(tmp_path, monkeypatch):
    monkeypatch.setattr("theory.registry.REGISTRY", dict(REGISTRY))
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
    functions = {entry.function for entry in REGISTRY.values()}
    for name, value in vars(bounds).items():
        if inspect.isfunction(value):
            answer = inspect.signature(value, eval_str=True).return_annotation
            assert issubclass(answer, (Bound, Report)) == (value in functions), name
