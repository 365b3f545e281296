"""The registration of the strategies for their types, which hypothesis runs through its entry point when it is imported.

It also registers the profile ``depthjax``, without a deadline: the first example of a law compiles, which takes longer than the
200 ms that hypothesis allows. Where nobody has chosen another profile it is loaded; ``settings.load_profile("default")`` or
``pytest --hypothesis-profile=default`` takes it back.

The strategies are looked up when a test first draws from a type: hypothesis may run this module while `theory.strategies` is
itself being imported.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

import theory
from theory.automata import Dfa, Semiautomaton
from theory.groups import FiniteGroup
from theory.identify.markov import HiddenMarkov
from theory.lie import LieAlgebra, LieSeries
from theory.logic import Formula

__all__ = ["PROFILE", "STRATEGIES", "register"]

PROFILE = "depthjax"
"""Settings for tests that compile: no deadline, and how to replay a failure."""

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
    """Register the strategy of every type, and load the profile without a deadline where no other one was chosen."""
    settings.register_profile(PROFILE, deadline=None, print_blob=True)
    if settings.get_current_profile_name() == "default":
        settings.load_profile(PROFILE)
    for kind, name in STRATEGIES.items():
        st.register_type_strategy(kind, _looked_up(name))


def _looked_up(name: str) -> Callable[[type], st.SearchStrategy[Any]]:
    return lambda kind: getattr(theory.strategies, name)()
