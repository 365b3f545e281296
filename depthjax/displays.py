"""What notebooks show of results: verdicts, groups, automata and cascades register here, by name, and load nothing.

IPython asks a table of its own before it asks an object, so the classes themselves stay as they are: no claim depends on how a
group looks in a notebook. What is shown is made by `depthjax.report.shown`, which loads with the first object that is shown.

``repr`` is left alone and shows the raw object. In a kernel that started without this package,
``%load_ext depthjax.displays`` registers the same.
"""

import sys
from importlib import import_module
from typing import Any

__all__ = ["DISPLAYS", "load_ipython_extension", "registered"]

DISPLAYS = {  # class, by file and name -> the function of `depthjax.report.shown` that shows it
    ("depthjax.verify.verdict", "Verdict"): "verdict",
    ("theory.groups.group", "FiniteGroup"): "group",
    ("theory.automata.semiautomaton", "Semiautomaton"): "automaton",
    ("theory.automata.dfa", "Dfa"): "language",
    ("theory.automata.cascade", "Cascade"): "cascade",
}
WHERE = "depthjax.report.shown"


class _Display:
    """Shows objects of one class; a function that names itself."""

    def __init__(self, name: str):
        self.name = name

    def __call__(self, thing: Any) -> str:
        """Return the object as HTML."""
        return getattr(import_module(WHERE), self.name)(thing)


def load_ipython_extension(ipython: Any) -> None:
    """Register all displays with a kernel; what ``%load_ext depthjax.displays`` calls."""
    html = ipython.display_formatter.formatters["text/html"]
    for (module, name), display in DISPLAYS.items():
        html.for_type_by_name(module, name, _Display(display))


def registered() -> bool:
    """Register with the kernel that runs here, if there is one, and return whether there is.

    >>> registered()  # no kernel
    False
    """
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)  # a program that is no notebook never loads IPython
    kernel = None if ask is None else ask()
    if kernel is None:
        return False
    load_ipython_extension(kernel)
    return True


registered()
