"""Every public callable of depthjax shows itself in an example that runs as a doctest."""

import importlib
import inspect
import types

import pytest

import depthjax

ROOMS = [name for name in depthjax.__all__ if isinstance(getattr(depthjax, name), types.ModuleType)]


def public(room: str) -> dict[str, object]:
    """The callables of this project that a room offers by name; a module that is no package offers what it defines."""
    module = importlib.import_module(f"depthjax.{room}")
    if hasattr(module, "__path__") or hasattr(module, "__all__"):
        names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    else:
        names = [name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]
    found = {name: getattr(module, name) for name in names if not name.startswith("_")}
    ours = {name: thing for name, thing in found.items() if getattr(thing, "__module__", "").startswith("depthjax")}
    return {name: thing for name, thing in ours.items() if callable(thing)}


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_callable_has_an_example(room):
    without = [name for name, thing in public(room).items() if ">>> " not in (inspect.getdoc(thing) or "")]
    assert not without, f"depthjax.{room}: these have no example in their docstring: {', '.join(without)}"


def test_the_front_has_examples():
    shown = [getattr(depthjax, name) for name in depthjax.__all__ if name not in ROOMS and name != "__version__"]
    assert all(">>> " in (inspect.getdoc(thing) or "") for thing in shown if callable(thing))
    assert len(public("verify")) > 25 and "ensemble" in public("training")
