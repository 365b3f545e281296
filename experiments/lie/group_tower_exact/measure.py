"""What the claim measures."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.towers.group import AbelianTable, group_tower, tower_numbers, tower_start
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import iterated_commutators, uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.group_tower_exact.common import DTYPES

LAST = 512  # letters after which the states' bits are counted


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Right prefix products and bits of the states by precision; a commutator's product; random iterated commutators."""
    words_key, commutator_key = jax.random.split(key)
    table = jnp.asarray(given["table"])
    values = np.asarray(iterated_commutators(commutator_key, table, given["letters"], cell.samples, cell.depths))
    survive = (values != 0).any(axis=1).astype(int)
    return measured(
        dtype=list(DTYPES),
        **_by_tower(cell, words_key, given),
        commutator=Quantity(np.arange(cell.depths), "commutator", label="depth j"),
        survive=Quantity(survive, "commutator", label="iterated commutators other than 1"),
    )


def _by_tower(cell: Cell, key: jax.Array, given: dict) -> dict[str, Quantity]:
    """What the tower finds, and what it finds without its last stage; zeros where there is no tower."""
    right, bits, ends, cosets = [0] * len(DTYPES), [0] * len(DTYPES), (0, 0), 0
    if "moduli" in given:
        words = _words(cell, key, given)
        found = [_tracked(words, given, dtype) for dtype in DTYPES]
        right, bits = [_right(elements, words, given) for elements, _ in found], [taken for _, taken in found]
        last = len(given["word"]) - 1
        fewer = _tracked(words, _one_stage_fewer(given), DTYPES[-1])[0]
        ends, cosets = (found[-1][0][0, last], fewer[0, last]), _right(fewer, words, given, given["cosets"])
    return {
        "right": Quantity(right, "dtype", label="right prefix products"),
        "bits": Quantity(bits, "dtype", label="bits that the states' numbers take"),
        "commutator_product": Quantity(int(ends[0]), label="product of an iterated commutator"),
        "commutator_product_with_fewer": Quantity(int(ends[1]), label="the same without the last stage"),
        "right_cosets_with_fewer": Quantity(cosets, label="right cosets of prefix products without the last stage"),
    }


def _words(cell: Cell, key: jax.Array, given: dict) -> jax.Array:
    """Random words that begin with the iterated commutator."""
    words = uniform_words(key, given["letters"], cell.batch, cell.length)
    return words.at[:, : len(given["word"])].set(given["word"])


def _right(elements: np.ndarray, words: jax.Array, given: dict, names: np.ndarray | None = None) -> int:
    """How many elements are the products of the letters so far, or have the same name."""
    products = np.asarray(prefix_products(jnp.asarray(given["table"]), words))
    names = np.arange(len(given["table"])) if names is None else names
    return int((names[elements] == names[products]).sum())


def _tracked(words: jax.Array, given: dict, dtype: str) -> tuple[np.ndarray, int]:
    """The tower's element after each letter, shape (batch, length), and the bits of its states."""
    numbers, last = _numbers(words, given["moduli"], given["increments"], np.result_type(dtype, np.complex64))
    return given["elements"][numbers], _bits(np.asarray(last))


def _bits(states: np.ndarray) -> int:
    """The most significant bits, trailing zeros not counted, that a real or an imaginary part takes."""
    mantissas = (np.frexp(np.stack([np.real(states), np.imag(states)]).astype(float))[0] * 2.0**53).astype(np.int64)
    return 53 - int(np.log2((mantissas & -mantissas)[mantissas != 0].min()))


@partial(jax.jit, static_argnames="dtype")
def _numbers(words: jax.Array, moduli: jax.Array, increments: jax.Array, dtype: np.dtype) -> tuple[jax.Array, jax.Array]:
    """The number of that element, and the last states. The scan runs in pieces, which keeps the program small."""
    stages = [AbelianTable(m, table) for m, table in zip(moduli, increments, strict=True)]
    states = group_tower(stages, dtype).run(words.T, tower_start(stages, len(words), dtype), chunk=500, stream=True)
    return tower_numbers(stages, states).T, jnp.concatenate([state[-LAST:] for state in states], axis=-1)


def _one_stage_fewer(given: dict) -> dict:
    """The tower whose last stage stays where it starts."""
    increments = given["increments"].copy()
    increments[np.flatnonzero(given["moduli"].max(axis=1) > 1)[-1]] = 0
    return given | {"increments": increments}


def side_by_side(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same tower with every increment taken as if the stages below stood at 1, whatever the rounding."""
    blind = np.broadcast_to(given["increments"][:, :1], given["increments"].shape)
    words = _words(cell, key, given)
    elements, _ = _tracked(words, given | {"increments": blind}, DTYPES[-1])
    short = len(given["word"])
    ends = [elements[0, short - 1], _right(elements[:1, :short], words[:1, :short], given)]
    return measured(
        dtype=[DTYPES[-1]],
        right=Quantity([_right(elements, words, given)], "dtype"),
        blind=Quantity(ends, "of", label="the end of the iterated commutator, and its right prefix products"),
    )
