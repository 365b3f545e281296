"""How membership of x u^n y goes on with n, over all words u of many automata at once."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.tasks.words import padded_table
from depthjax.verify import Cell, Quantity, measured

STATES, LETTERS = 4, 3  # of every automaton: cells share a program, to which further states and letters make no difference
TURN = 12  # a multiple of every period that the powers of a word have on so many states
MAPS = np.array(list(itertools.product(range(STATES), repeat=STATES)))  # of the states, numbered by their images as digits
DIGITS = STATES ** np.arange(STATES - 1, -1, -1)


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Whether some word pumps with a period, the least index and period of all words, and whether the witness does."""
    return _measured(given)


def letters_alone(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same where u is a single letter."""
    return _measured(given, every=False)


def of_states(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same where a state is told from every other, and all states count as reached."""
    return _measured(given, of_words=False)


def _measured(given: dict, every: bool = True, of_words: bool = True) -> xr.Dataset:
    states = given["tables"].shape[1]
    tables = jnp.asarray(np.stack([padded_table(table, STATES, LETTERS) for table in given["tables"]]))
    accepting = jnp.asarray(np.pad(given["accepting"], ((0, 0), (0, STATES - states))))
    words = jnp.asarray(np.pad(given["witnesses"], ((0, 0), (0, -given["witnesses"].shape[1] % 8)), constant_values=-1))
    index, period, witnessed = map(np.asarray, _pumped(tables, accepting, words, jnp.arange(STATES) < states, every, of_words))
    return measured(
        counts=Quantity((period > 1).astype(int), "language", label="some word pumps with a period"),
        index=Quantity(index, "language", label="powers from which on all words have settled into their periods"),
        period=Quantity(period, "language", label="least common period of all words"),
        witnessed=Quantity(witnessed.astype(int), "language", label="the powers of the witness never settle"),
    )


@jax.jit
def _pumped(
    tables: jax.Array, accepting: jax.Array, witnesses: jax.Array, own: jax.Array, every: jax.Array, of_words: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The least index and period of pumping, and whether the witness (-1 behind its end) pumps, for each automaton.

    Pumped are words, or letters alone. States are told apart by words, or as they are: then all states of the automaton's
    ``own`` count as reached.
    """

    def one(table: jax.Array, ends: jax.Array, witness: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        words, letters = _words(table), jnp.zeros(len(MAPS), bool).at[table.T @ DIGITS].set(True)
        futures = ends[MAPS].T & words
        alike = (futures[:, None] == futures[None]).all(axis=-1)
        reached = jnp.zeros(STATES, bool).at[MAPS[:, 0]].max(words)
        told = jnp.where(of_words, alike, jnp.eye(STATES, dtype=bool)), jnp.where(of_words, reached, own)
        settled = _settled(jnp.asarray(MAPS), jnp.where(every, words, letters), *told)
        period = jnp.argmax(settled[-1])  # the last power has settled whatever the word
        index = STATES + 1 - jnp.argmin(jnp.append(settled[::-1, period], False))
        start = jnp.arange(STATES)
        moved, _ = jax.lax.scan(lambda at, letter: (jnp.where(letter < 0, at, table[at, letter]), None), start, witness)
        return index, period + 1, ~_settled(moved[None], jnp.ones(1, bool), alike, reached)[-1, 0]

    return jax.lax.map(lambda given: one(*given), (tables, accepting, witnesses), batch_size=16)


def _words(table: jax.Array) -> jax.Array:
    """Which maps are those of words."""
    longer = (table[MAPS] * DIGITS[:, None]).sum(axis=1)  # by map and letter, the map of the word with this letter behind it

    def more(pair: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        known, _ = pair
        grown = known.at[longer].max(known[:, None])
        return grown, (grown != known).any()

    start = jnp.zeros(len(MAPS), bool).at[jnp.arange(STATES) @ DIGITS].set(True)
    return jax.lax.while_loop(lambda pair: pair[1], more, (start, jnp.array(True)))[0]


def _settled(maps: jax.Array, pumped: jax.Array, alike: jax.Array, reached: jax.Array) -> jax.Array:
    """Whether x u^n y and x u^(n + p) y agree for all x and y: [n, p - 1], over those maps u that are pumped."""
    first = jnp.broadcast_to(jnp.arange(STATES), maps.shape)

    def step(power: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        return jnp.take_along_axis(maps, power, axis=1), power

    powers = jax.lax.scan(step, first, None, STATES + 1 + TURN)[1]

    def agree(p: jax.Array) -> jax.Array:
        later = jax.lax.dynamic_slice_in_dim(powers, p, STATES + 1)
        same = (alike[powers[: STATES + 1], later] | ~reached).all(axis=2)
        return (same | ~pumped).all(axis=1)

    return jax.vmap(agree, out_axes=1)(jnp.arange(1, TURN + 1))
