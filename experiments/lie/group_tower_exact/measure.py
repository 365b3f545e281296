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
    """Wrong prefix products and bits of the states by precision; whether random iterated commutators are other than 1."""
    words_key, commutator_key = jax.random.split(key)
    table = jnp.asarray(given["table"])
    values = np.asarray(iterated_commutators(commutator_key, table, given["letters"], cell.samples, cell.depths))
    survive = (values != 0).any(axis=1).astype(int)
    wrong, bits = zip(*_wrong(cell, words_key, given, DTYPES), strict=True)
    return measured(
        dtype=list(DTYPES),
        wrong=Quantity(wrong, "dtype", label="wrong prefix products"),
        bits=Quantity(bits, "dtype", label="bits that the states' numbers take"),
        commutator=Quantity(np.arange(cell.depths), "commutator", label="depth j"),
        survive=Quantity(survive, "commutator", label="iterated commutators other than 1"),
    )


def _wrong(cell: Cell, key: jax.Array, given: dict, dtypes: tuple[str, ...]) -> list[tuple[int, int]]:
    """Wrong prefix products of random words in each precision, and bits of the states; none where there is no tower."""
    if "moduli" not in given:
        return [(0, 0)] * len(dtypes)
    words = uniform_words(key, given["letters"], cell.batch, cell.length)
    right = np.asarray(prefix_products(jnp.asarray(given["table"]), words))
    found = [_tracked(words, given, dtype) for dtype in dtypes]
    return [(int((elements != right).sum()), bits) for elements, bits in found]


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


def one_stage_fewer(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Whether the word leaves the stages below the last where they started, although its product is not 1."""
    # filled up with the identity to the shape of the random words: one program for both
    word = np.zeros((cell.batch, cell.length), int)
    word[:, : len(given["word"])] = given["word"]
    product = prefix_products(jnp.asarray(given["table"]), jnp.asarray(word))[0, -1]
    moduli = given["moduli"].copy()
    moduli[np.flatnonzero(moduli.max(axis=1) > 1)[-1]] = 1
    reached = _tracked(jnp.asarray(word), given | {"moduli": moduli}, DTYPES[-1])[0][0, -1]
    return _precise(int(reached == 0 and product != 0))


def side_by_side(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same tower with every increment taken as if the stages below stood at 1."""
    blind = np.broadcast_to(given["increments"][:, :1], given["increments"].shape)
    ((wrong, _),) = _wrong(cell, key, given | {"increments": blind}, DTYPES[-1:])
    return _precise(wrong)


def _precise(wrong: int) -> xr.Dataset:
    """What a falsified tower gets wrong whatever the rounding: in the higher precision alone."""
    return measured(dtype=[DTYPES[-1]], wrong=Quantity([wrong], "dtype"))
