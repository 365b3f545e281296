"""Explicit weights and programs that realise a theorem, in five rooms, one for each idea.

- `directions`: transformers whose residual stream has named directions, and the layer that all of them share;
- `doubling`: layers that double the reach of every position;
- `towers`: cascades of prefix sums along the derived series of a group or of a Lie algebra;
- `composition`: polynomial units that compose the elements of a group;
- `compiled`: formulas of temporal logic and cascades of automata, compiled to layers.

The public names below load the file that defines them when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from depthjax.constructions.compiled.automaton import CompiledAutomaton as CompiledAutomaton
    from depthjax.constructions.compiled.automaton import compile_cascade as compile_cascade
    from depthjax.constructions.compiled.formulas import compile_formula as compile_formula
    from depthjax.constructions.compiled.formulas import compile_formulas as compile_formulas
    from depthjax.constructions.directions.gridworld import walled_walk as walled_walk
    from depthjax.constructions.directions.hop import hop_transformer as hop_transformer
    from depthjax.constructions.doubling.automaton import scan_automaton as scan_automaton
    from depthjax.constructions.doubling.looped import looped_automaton as looped_automaton

__all__ = [
    "CompiledAutomaton",
    "compile_cascade",
    "compile_formula",
    "compile_formulas",
    "hop_transformer",
    "looped_automaton",
    "scan_automaton",
    "walled_walk",
]

_HOMES = {
    "CompiledAutomaton": "compiled.automaton",
    "compile_cascade": "compiled.automaton",
    "compile_formula": "compiled.formulas",
    "compile_formulas": "compiled.formulas",
    "hop_transformer": "directions.hop",
    "looped_automaton": "doubling.looped",
    "scan_automaton": "doubling.automaton",
    "walled_walk": "directions.gridworld",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
