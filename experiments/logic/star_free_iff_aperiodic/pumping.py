"""Languages and programs on words x u^n y: the period of membership for large n, and when a program's output settles."""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Int

from depthjax.scans.tables import prefix_products
from depthjax.tasks.short_words import short_words
from depthjax.tasks.words import padded_table

__all__ = ["first_settled", "pumping_period", "right_words"]

Loop = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
Network = Callable[..., Bool[jax.Array, "programs batch length"]]


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


def first_settled(network: Network, loops: Sequence[Loop], last: int) -> Int[np.ndarray, "programs loops"]:
    """Return for each program and loop the least n >= 1 from which on the output at the end of x u^n y stays, up to n = `last`.

    Args:
        network: Programs on words with `lengths=`.
        loops: Words x, u, y.
        last: Largest n; it is returned as well for an output that changes at the last step.
    """
    words = [[*x, *(u * n), *y] for x, u, y in loops for n in range(1, last + 1)]
    lengths = np.array([len(word) for word in words])
    padded = np.zeros((len(words), lengths.max()), np.int8)
    for row, word in zip(padded, words, strict=True):
        row[: len(word)] = word
    truth = np.asarray(network(padded, lengths=lengths))
    outputs = truth[:, np.arange(len(lengths)), lengths - 1].reshape(len(truth), len(loops), last)
    changes = outputs[..., 1:] != outputs[..., :-1]
    return 1 + (changes * np.arange(1, last)).max(axis=2, initial=0)


def right_words(
    network: Network, automata: Sequence[tuple[np.ndarray, np.ndarray]], longest: int
) -> tuple[Int[np.ndarray, " programs"], int]:
    """Return on how many words each program's truth at the last position is membership, and how many words there are.

    The words are all words of two letters up to a length.

    Args:
        network: One program for each automaton, in the same order.
        automata: Next states and accepting states.
        longest: Length of the longest words.
    """
    words, lengths = short_words(2, longest)
    last = np.arange(len(words)), lengths - 1
    truth, right = np.asarray(network(words, lengths=lengths)), np.zeros(len(automata), int)
    for row, (table, accepting) in enumerate(automata):
        padded = padded_table(table, -(-len(table) // 16) * 16)  # few shapes: few compilations
        states = np.asarray(_states(jnp.asarray(padded), jnp.asarray(words, jnp.int32)))
        right[row] = (truth[row][last] == accepting[states[last]]).sum()
    return right, len(words)


_states = jax.jit(prefix_products)
