"""Right states of a network whose layers double their reach, after each layer and at each length."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.doubling.automaton import states_by_layer
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import padded_table, uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.automata.scan_depth.common import own_lengths


def measure(cell: Cell, key: jax.Array, given: tuple) -> xr.Dataset:
    """The fewest layers with all states right at each length; right states of networks with the construction's own depth."""
    automaton, alternating = given
    table = jnp.asarray(padded_table(automaton, cell.states, cell.letters))  # with states and letters that never occur
    random = uniform_words(key, automaton.shape[1], cell.samples, cell.length)
    words = jnp.concatenate([jnp.asarray(alternating, random.dtype), random])
    after = np.asarray(_right(table, words, cell.layers)) == len(words)  # (layers + 1, letters)
    so_far = np.logical_and.accumulate(after, axis=1)  # at this length and at all shorter ones
    own = [np.asarray(_right(table, words[:, :length], None)) for length in own_lengths(cell.own)]
    fewer, full = (np.array([right[layers].sum() for right in own]) for layers in (-2, -1))
    turns = [np.asarray(_right(table, words[: len(alternating), :length], None)) for length in own_lengths(cell.own)]
    return measured(
        needed=Quantity(_fewest(so_far), "length", label="attention layers needed"),
        words=Quantity(len(np.unique(np.asarray(words), axis=0)), label="different words"),
        right_states=Quantity(full, "own", label="states read rightly with the construction's own layers"),
        right_with_fewer=Quantity(fewer, "own", label="the same with one layer fewer"),
        turns_with_fewer=Quantity(
            [right[-2].sum() for right in turns], "own", label="the same of the words x y z y z ... alone, one layer fewer"
        ),
        misread_with_fewer=Quantity(
            [1 + int(np.argmax(right[-2] < len(words))) for right in own],
            "own",
            label="first length misread with one layer fewer",
        ),
        own_layers=Quantity([len(right) - 1 for right in own], "own", label="layers of the construction"),
        length=Quantity(np.arange(1, cell.length + 1), "length", label="length of the words"),
        own=list(own_lengths(cell.own)),
    )


def _fewest(right: np.ndarray) -> np.ndarray:
    """The fewest layers from which on all numbers of layers are right, one more than there are if the last is not."""
    settled = np.logical_and.accumulate(right[::-1])
    return len(right) - settled.sum(axis=0)


@partial(jax.jit, static_argnames="layers")
def _right(table: jax.Array, words: jax.Array, layers: int | None) -> jax.Array:
    """Right states before the first layer and after every layer, at each position."""
    return (states_by_layer(table, words, layers=layers) == prefix_products(table, words)[None]).sum(axis=1)
