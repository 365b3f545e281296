"""The period of a language under pumping, from membership alone: the period of [x u^n y belongs] for large n."""

import numpy as np
from jaxtyping import Bool, Int

__all__ = ["pumping_period"]


def pumping_period(
    table: Int[np.ndarray, "states letters"], accepting: Bool[np.ndarray, " states"], longest: int, start: int = 0
) -> int:
    """Return the least common multiple, over words u up to a length, of the periods of n -> [x u^n y belongs] for large n.

    A language is star-free (non-counting) if and only if this is 1 for all u. The automaton need not be minimal: states are
    distinguished only by the words y that lead to acceptance, and only states that a word x reaches count.

    Args:
        table: Next states.
        accepting: Whether each state accepts.
        longest: Largest length of u; words that act alike are followed once.
        start: State before the first letter.

    Cost: O(maps * letters * states log states) for each length of u.
    """
    states = len(table)
    reached = np.zeros(states, bool)
    reached[start] = True
    for _ in range(states):
        reached[table[reached].ravel()] = True
    # words y of fewer than `states` letters distinguish all states that can be distinguished
    kind = accepting.astype(np.int64)
    for _ in range(states):
        kind = np.unique(np.column_stack([kind, kind[table]]), axis=0, return_inverse=True)[1].ravel()
    maps, period = np.arange(states)[None], 1
    for _ in range(longest):
        maps = np.unique(table.T[:, maps].reshape(-1, states), axis=0)
        period = int(np.lcm.reduce([period, *(_period(u, kind, reached) for u in maps)]))
    return period


def _period(u: np.ndarray, kind: np.ndarray, reached: np.ndarray) -> int:
    """The period of kind[u^n] on reached states, after more steps than there are states."""
    seen, here = [], np.arange(len(u))
    for _ in range(len(u)):
        here = u[here]
    first = here
    while True:
        seen.append(tuple(kind[here[reached]].tolist()))
        here = u[here]
        if (here == first).all():
            break
    return next(p for p in range(1, len(seen) + 1) if len(seen) % p == 0 and seen == seen[:p] * (len(seen) // p))
