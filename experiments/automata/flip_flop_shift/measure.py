"""Misread words of networks that are trained on the flip-flop and tested with more and with fewer writes."""

import math
from fractions import Fraction
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.state_tracking import TrackedAutomaton, TrackingSetup, accuracy_and_facts
from depthjax.tasks.flip_flop import SPLITS
from depthjax.training import where_trained
from depthjax.verify import Cell, Quantity, measured

FLOOR = float(np.finfo(np.float32).eps)  # probabilities are rounded once
RARELY = 1e-6  # how often a share of the first letters may lie beyond its bound


def measure(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Share of the words that are misread at the last position, for every split and seed."""
    return _measured(cell, key, table, permuted=False)


def _measured(cell: Cell, key: jax.Array, table: np.ndarray, permuted: bool) -> xr.Dataset:
    splits = (SPLITS["in distribution"], cell.sparse, cell.dense)
    laws = jnp.array([[p, (1 - p) / 2, (1 - p) / 2] for p in splits], jnp.float32)
    first = jnp.array([0.0, 0.5, 0.5], jnp.float32)
    only = TrackedAutomaton(jnp.asarray(table, jnp.int32), laws[0], first, laws, jnp.asarray(permuted))
    task = jax.tree.map(lambda part: part[None], only)
    setup = TrackingSetup(
        str(cell.kind), 3, 2, cell.instructions, 1, cell.width, batch=cell.batch, steps=cell.steps, test=cell.words
    )
    found, facts = jax.tree.map(lambda part: np.asarray(part)[0], accuracy_and_facts(key, task, setup, cell.seeds))
    right = found.right  # (seeds, splits, positions)
    wrong = 1 - right[..., -1]
    trained, sparse, dense = wrong.T
    worse = (sparse > 0) & (sparse >= 2 * trained)
    return measured(
        sparse_exact=Quantity(where_trained(sparse == 0, sparse), "seed", label="no misread sparse word"),
        dense_exact=Quantity(where_trained(dense == 0, dense), "seed", label="no misread dense word"),
        exact_at_once=Quantity(where_trained(right[:, 1, 0] == 1, sparse), "seed", label="no misread word at the first write"),
        all_exact=Quantity(where_trained(_reads_all(wrong), sparse), "seed", label="no misread word of any split"),
        sparse_worse=Quantity(
            where_trained(worse, sparse), "seed", label="twice as many misread sparse words as in distribution"
        ),
        misread=Quantity(wrong.T, "split seed", label="share of misread words"),
        laws=Quantity(
            np.stack([task.first[0], task.law[0], *task.tests[0]]), "law letter", floor=FLOOR, label="probability of a letter"
        ),
        tried=Quantity(
            _reads_all(np.array(list(product((0.0, 0.5), repeat=len(splits))))).astype(int),
            "pattern",
            label="counts as without a misread word, by the splits that have some",
        ),
        written_at_once=_more_frequent(found.constant[:, :, 0], cell.words),
        asked=Quantity([len(right), _words(found.constant), right.shape[-1]], "size", label="networks, words, instructions"),
        **{name: Quantity(values, "seed", floor=floor, label=label) for name, (values, floor, label) in facts.named().items()},
        split=list(SPLITS),
    )


def _more_frequent(shares: np.ndarray, words: int) -> Quantity:
    """The largest share over seeds of the words with the more frequent first bit.

    By Hoeffding's inequality each of the shares passes its bound with a chance of 2 exp(-2 words bound^2).
    """
    bound = math.sqrt(math.log(2 * shares.size / RARELY) / (2 * words))
    return Quantity(
        shares.max(axis=0),
        "split",
        FLOOR,
        sampling=bound,
        rate=RARELY,
        label="share of the words with the more frequent first bit",
    )


def _reads_all(wrong: np.ndarray) -> np.ndarray:
    """Whether no split has a misread word, from the shares of misread words in each."""
    return (wrong == 0).all(axis=1)


def _words(shares: np.ndarray) -> int:
    """How many words were tested: the least number of which all shares are whole parts; powers of two are exact in floats."""
    return max(Fraction(float(share)).denominator for share in shares.ravel())


def permuted(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Networks that are trained on the states of other words."""
    return _measured(cell, key, table, permuted=True)
