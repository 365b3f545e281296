"""What one permutation-diagonal layer and all diagonal layers know of the state of automata."""

import itertools
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.models.permutation_diagonal import PermutationDiagonal
from depthjax.scans import affine_scan
from depthjax.verify import Cell, Quantity, measured
from experiments.automata.permutation_diagonal_follows_automata.common import SHARED, longest

SURE = 4.0  # a softmax of one-hot logits of this size gives the right one more than all of ten others
SATURATED = 60.0  # whose sigmoid is 1 in every type
GRAIN = 1e-6  # states that differ by less are one


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """States that are the right unit vectors; automata that the whole diagonal layer follows; words that it names."""
    tables, turns = given["tables"], given["turns"]
    found = [_known(tables[turns == m], int(m)) for m in np.unique(turns)]
    still = [_known(tables[turns == m], 1) for m in np.unique(turns)]
    return measured(
        kept=_kept(given, tables),
        followed=Quantity(sum(known.sum() for known, _, _ in found), label="automata that all diagonal layers follow"),
        followed_without_angles=Quantity(sum(known.sum() for known, _, _ in still), label="the same without angles"),
        share=Quantity(
            np.concatenate([share for _, share, _ in found]).mean(),
            floor=1e-12,
            label="words whose state is known",
            unit="share",
        ),
        share_without_resets=Quantity(np.concatenate([count for _, _, count in found]).mean(), floor=1e-12),
    )


def diagonal_alone(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The layer with the identity for every letter."""
    tables = given["tables"]
    identity = np.broadcast_to(np.arange(tables.shape[1])[None, :, None], tables.shape)
    return measured(kept=_kept(given, identity))


def one_number_fewer(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The layer in which the last state shares its number with the one before it."""
    tables = given["tables"]
    return measured(kept=_kept(given, np.minimum(tables, tables.shape[1] - 2)))


def _kept(given: dict, moves: np.ndarray) -> Quantity:
    """Positions at which the state of the layer with these moves is the unit vector of the automaton's state."""
    tables, words = given["tables"], jnp.asarray(given["words"])
    kept = _right(jnp.asarray(tables), jnp.asarray(moves), words, *tables.shape[1:])
    return Quantity(np.asarray(kept).sum(), label="states that are the right unit vector")


@partial(jax.jit, static_argnums=(3, 4))
def _right(tables: jax.Array, moves: jax.Array, words: jax.Array, states: int, letters: int) -> jax.Array:
    """Right states by automaton. A word starts with one more letter, which names its first state."""
    single = jnp.dtype(jnp.float32)
    core = PermutationDiagonal(states + letters, 1, single, single, state=states, dictionary=letters + states)
    starts = jnp.arange(len(words)) % states
    tokens = jnp.concatenate([letters + starts[:, None], words], axis=1).T
    inputs = jax.nn.one_hot(tokens, letters + states)  # (length, batch, width)

    def one(table: jax.Array, move: jax.Array) -> jax.Array:
        columns = jnp.swapaxes(jax.nn.one_hot(move.T, states), 1, 2)  # (letters, to, from)
        first = jnp.broadcast_to(jnp.eye(states)[None], (states, states, states))
        drives = jnp.zeros((letters + states, 2 * states)).at[letters + jnp.arange(states), jnp.arange(states)].set(1.0)
        params = {
            "choice": {"kernel": SURE * jnp.eye(letters + states)},
            "scores": jnp.concatenate([columns, first]),
            "diagonal": {
                "kernel": jnp.zeros((letters + states, 2 * states)),
                "bias": jnp.repeat(jnp.array([SATURATED, 0.0]), states),
            },
            "drives": {"kernel": drives},
        }
        found: Any = core.apply({"params": params}, inputs, method="parallel")[1:]  # type: ignore

        def step(now: jax.Array, letter: jax.Array) -> tuple[jax.Array, jax.Array]:
            now = table[now, letter]
            return now, now

        right = jax.nn.one_hot(jax.lax.scan(step, starts, words.T)[1], states)
        expected = jnp.concatenate([right, jnp.zeros_like(right)], axis=-1)
        return jnp.all(jnp.equal(found, expected), axis=-1).sum()

    return jax.vmap(one)(tables, moves)


def _known(tables: np.ndarray, turns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether the diagonal layer follows each automaton on all words that are read; the shares of words whose state it names.

    The second share is that of its coordinates that no letter resets.
    """
    letters, most = tables.shape[2], max(longest(tables.shape[2]), SHARED)
    words = np.array(list(itertools.product(range(letters), repeat=most)))
    states, reached = np.asarray(_diagonal_states(jnp.asarray(words), letters, jnp.asarray(float(turns)))), _ends(tables, words)
    # a shorter word is the beginning of the first of the words that begin so
    prefix = {length: slice(None, None, letters ** (most - length)) for length in range(1, most + 1)}
    alike = np.concatenate([states[length - 1, prefix[length]] for length in range(1, longest(letters) + 1)])
    ended = np.concatenate([reached[length - 1][:, prefix[length]] for length in range(1, longest(letters) + 1)], axis=1)
    classes = _classes(alike)
    first = np.unique(classes, return_index=True)[1][classes]
    shared, own = states[SHARED - 1, prefix[SHARED]], reached[SHARED - 1][:, prefix[SHARED]]
    share, count = (_share(own, _classes(part), tables.shape[1]) for part in (shared, shared[:, :letters]))
    return (ended == ended[:, first]).all(axis=(1, 2)), share, count


def _share(ends: np.ndarray, classes: np.ndarray, states: int) -> np.ndarray:
    """The share of words and first states whose most frequent last state within their class is theirs, by automaton."""
    best = np.zeros(len(ends))
    for number in range(classes.max() + 1):
        own = ends[:, classes == number]
        best += np.max([(own == state).sum(axis=1) for state in range(states)], axis=0).sum(axis=1)
    return best / (states * ends.shape[1])


def _ends(tables: np.ndarray, words: np.ndarray) -> list[np.ndarray]:
    """States after each letter, shape (automata, words, first states)."""
    ends = [np.broadcast_to(np.arange(tables.shape[1], dtype=np.int8), (len(tables), len(words), tables.shape[1]))]
    narrow, automaton = tables.astype(np.int8), np.arange(len(tables))[:, None, None]
    for letters in words.T:
        ends.append(narrow[automaton, ends[-1], letters[None, :, None]])
    return ends[1:]


def _classes(states: np.ndarray) -> np.ndarray:
    """A number for each distinct row of complex numbers."""
    grains = np.round(np.concatenate([np.real(states), np.imag(states)], axis=1) / GRAIN).astype(np.int64)
    return np.unique(grains, axis=0, return_inverse=True)[1].ravel()


@partial(jax.jit, static_argnums=1)
def _diagonal_states(words: jax.Array, letters: int, turns: jax.Array) -> jax.Array:
    """States of the diagonal layer, shape (length, words, coordinates); those that no letter resets come first."""
    turn, reset, shift = [], [], []
    for number in range(letters + 1):
        for resets in itertools.combinations(range(letters), number):
            for turning in [x for x in range(letters) if x not in resets] or [None]:
                turn.append([x == turning for x in range(letters)])
                reset.append([x in resets for x in range(letters)])
                shift.append([(x + 2.0) * (x in resets) for x in range(letters)])
    angle = 2 * jnp.pi * jnp.array(turn, float).T / turns
    decay = jnp.where(jnp.array(reset).T, 0, jax.lax.complex(jnp.cos(angle), jnp.sin(angle)))
    drive = jnp.array(shift).T.astype(decay.dtype)
    first = jnp.ones((1, len(words), len(turn)), decay.dtype)  # every coordinate starts at 1
    decays, drives = decay[words.T], drive[words.T]
    return affine_scan(jnp.concatenate([0 * first, decays]), jnp.concatenate([first, drives]))[1:]
