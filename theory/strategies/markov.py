"""Hidden Markov models with rational entries and the uniform stationary law."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from theory.identify.markov import HiddenMarkov
from theory.strategies.sizes import interval, refused

__all__ = ["hidden_markov"]

Draw = Callable[[st.SearchStrategy[Any]], Any]


def hidden_markov(
    *,
    min_states: int = 1,
    max_states: int = 3,
    min_symbols: int = 1,
    max_symbols: int = 4,
    identifiable: bool = False,
    max_weight: int = 9,
) -> st.SearchStrategy[HiddenMarkov]:
    """Hidden Markov models whose states follow the uniform law.

    The transition is a mixture of permutations with integer weights (every rational one is, by Birkhoff's theorem), the
    emission a table of integer weights. Shrinks towards one state with one symbol.

    Args:
        min_states: Smallest number of states.
        max_states: Largest number of states.
        min_symbols: Smallest number of symbols.
        max_symbols: Largest number of symbols.
        identifiable: Meet the hypotheses of identifiability: each state keeps to itself, and to a symbol of its own, with
            probability more than one half.
        max_weight: Largest integer weight before rows are divided by their sums.

    Raises:
        ValueError: The bounds are no sizes, or `identifiable` and there are fewer symbols than states.

    >>> from hypothesis import find, settings
    >>> find(hidden_markov(), lambda model: model.states == 2, settings=settings(database=None)).emission.tolist()
    [[Fraction(1, 1), Fraction(1, 1)]]
    """
    low, high = interval("states", min_states, max_states)
    fewest, most = interval("symbols", min_symbols, max_symbols)
    interval("weight", 1, max_weight)
    if identifiable and most < low:
        why = "an identifiable model has as many symbols as states"
        wanted = f"min_states={low}, max_symbols={most}, identifiable=True"
        raise refused("hidden_markov", wanted, why, f"raise max_symbols to {low}")
    weight = st.integers(0, max_weight)

    @st.composite
    def drawn(draw: Draw) -> HiddenMarkov:
        states = draw(st.integers(low, min(high, most) if identifiable else high))
        symbols = draw(st.integers(max(fewest, states if identifiable else 1), most))
        emission = np.array(draw(st.lists(weight, min_size=symbols * states, max_size=symbols * states)), object)
        emission = emission.reshape(symbols, states)
        for state in range(states):
            emission[state % symbols, state] += emission[:, state].sum() + 1 if identifiable else not emission[:, state].any()
        permutations = draw(st.lists(st.tuples(st.permutations(range(states)), weight), max_size=states))
        stay = sum(share for _, share in permutations) + 1 if identifiable else draw(st.integers(1, max_weight))
        transition = np.full((states, states), Fraction(0), object)
        for order, share in [(list(range(states)), stay), *permutations]:
            transition[order, range(states)] += share
        total = transition[:, 0].sum()
        return HiddenMarkov(np.vectorize(Fraction, otypes=[object])(emission) / emission.sum(axis=0), transition / total)

    return drawn()
