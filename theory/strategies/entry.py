"""The registration of the strategies for their types, which hypothesis runs through its entry point when it is imported.

The strategies are looked up when a test first draws from a type: hypothesis may run this module while `theory.strategies` is
itself being imported.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

import theory
from theory.automata import Dfa, Semiautomaton
from theory.groups import FiniteGroup
from theory.identify.markov import HiddenMarkov
from theory.lie import LieAlgebra, LieSeries
from theory.logic import Formula

__all__ = ["STRATEGIES", "register"]

STRATEGIES = {
    FiniteGroup: "groups",
    Semiautomaton: "semiautomata",
    Dfa: "dfas",
    Formula: "formulas",
    LieSeries: "lie_series",
    LieAlgebra: "lie_algebras",
    HiddenMarkov: "hidden_markov",
}
"""The name of the strategy of each type."""


def register() -> None:
    """Register the strategy of every type."""
    for kind, name in STRATEGIES.items():
        st.register_type_strategy(kind, _looked_up(name))


def _looked_up(name: str) -> Callable[[type], st.SearchStrategy[Any]]:
    return lambda kind: getattr(theory.strategies, name)()
