"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.towers.recorder import recorded_words
from depthjax.tasks.words import all_words, uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.two_layers_record_the_word.common import short_words
from experiments.lie.two_layers_record_the_word.recorders import (
    counted,
    recorded,
    right_prefix_products,
    shortest_confusion,
    told_apart,
)

LONGER = 2  # letters by which a word is longer than its table, or shorter


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Words and products that are read rightly; how much of the table is used; words that first layers of M values confuse."""
    letters, length = short_words(cell.exhaustive, len(given["table"]))
    short = all_words(letters, length)
    # the table is longer than the words, so where they end is read as well
    states = recorded(short, letters, length + LONGER)
    read = recorded_words(states).T
    right = (read == jnp.pad(short, ((0, 0), (0, LONGER)), constant_values=-1)).all(axis=1)
    return measured(
        right_words=Quantity(int(right.sum()), label="words read rightly"),
        told_by_counts=Quantity(told_apart(counted(short, letters)), label="states of one layer, which counts letters"),
        told_by_fewer=Quantity(told_apart(recorded(short, letters, length - 1)), label="states with one position fewer"),
        right_products=Quantity(_right_products(_random(cell, key, given), given), label="right prefix products"),
        values=_values(states),
        **_used(cell, len(given["table"]), cell.length),
        **_few_values(cell, given),
    )


def _random(cell: Cell, key: jax.Array, given: dict) -> np.ndarray:
    return np.asarray(uniform_words(key, len(given["table"]), cell.samples, cell.length))


def _right_products(words: np.ndarray, given: dict, *, reverse: bool = False) -> int:
    """Right prefix products of words that are recorded and read."""
    read = np.maximum(recorded_words(recorded(jnp.asarray(words), len(given["table"]), words.shape[1])).T, 0)
    return right_prefix_products(words, read[:, ::-1] if reverse else read, given["table"], given["permutations"])


def _values(states: tuple[jax.Array, ...]) -> Quantity:
    """How far the table reaches if it is one number, the letters its digits."""
    positions, letters, _ = states[1].shape
    digits = np.arange(letters) * letters ** np.arange(positions)[:, None]
    numbers = np.einsum("plb,pl->b", np.asarray(states[1]), digits)
    return Quantity(int(np.ptp(numbers)) + 1, label="range of layer 2 as one number")


def _few_values(cell: Cell, given: dict, factor: int = 1) -> dict[str, Quantity]:
    """The shortest words that first layers of few values confuse, and the letters that the best ones record."""
    layers, best = given["first_layers"], np.zeros(cell.values, int)
    found = [shortest_confusion(moduli * (factor, 1), steps, cell.values + 1) for moduli, steps in layers]
    for (moduli, _), lengths in zip(layers, found, strict=True):
        best[moduli.prod() - 1] = max(best[moduli.prod() - 1], lengths.max() - 1)
    return {
        "confusion": Quantity(np.concatenate(found), "choice", label="shortest words that are confused"),
        "recorded": Quantity(best, "order", label="letters that M values record"),
    }


def _used(cell: Cell, letters: int, positions: int) -> dict[str, Quantity]:
    """What words of one letter leave in a table, if they are longer than the table."""
    words = jnp.broadcast_to(jnp.arange(letters)[:, None], (letters, cell.length + LONGER))
    states = recorded(words, letters, positions)
    read = np.asarray(recorded_words(states)) == np.arange(letters)
    return {
        "letters_held": Quantity(int(read.all(axis=1).sum()), label="letters of a word that are read"),
        "entries_used": Quantity(int((np.asarray(states[1]) != 0).any(axis=-1).sum()), label="entries that some word sets"),
    }


def one_position_fewer(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Words that recorders with one position fewer tell apart."""
    letters, length = short_words(cell.exhaustive, len(given["table"]))
    states = recorded(all_words(letters, length), letters, length - 1)
    used = _used(cell, len(given["table"]), cell.length - 1)
    return measured(right_words=Quantity(told_apart(states)), values=_values(states), **used)


def backwards(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Right products of random words, and of all words of two letters, where the recorded word is read backwards."""
    pairs = np.asarray(all_words(len(given["table"]), 2))
    some, right = (_right_products(words, given, reverse=True) for words in (_random(cell, key, given), pairs))
    return measured(
        right_products=Quantity(some, label="right prefix products"),
        right_of_two=Quantity([right, pairs.size], "count", label="right prefix products of words of two letters, and all"),
    )


def a_clock_that_never_returns(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """A clock that never returns."""
    return measured(**_few_values(cell, given, factor=cell.values + 2))
