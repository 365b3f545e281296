"""What the claim measures."""

from collections.abc import Sequence

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.word_problem import WordProblemSetup, trained
from depthjax.training import where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.training.second_layer_learns_groups.common import KIND

SWITCHES = (("state", 8), ("expand", 1))


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Shares of new words whose whole product is right, for every seed."""
    return _trained(cell, key, given["table"], given["letters"])


def letters_that_commute(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Whether seeds learn words in two letters that commute."""
    return _trained(cell, key, given["table"], given["commuting"])[["learned"]]


def _trained(cell: Cell, key: jax.Array, table: np.ndarray, letters: Sequence[int]) -> xr.Dataset:
    sizes = {name: getattr(cell, name) for name in ("width", "length", "batch", "steps", "rate", "tests")}
    setup = WordProblemSetup(kind=KIND, switches=SWITCHES, order=len(table), depth=cell.deepest, times=2, **sizes)
    found = trained(jax.random.fold_in(key, 0), setup, [table], cell.seeds, [letters], cell.depth)
    share, shares = np.asarray(found.last[0]), np.arange(cell.tests + 1) / cell.tests
    return measured(
        level=Quantity(np.float64(cell.level), label="share that counts as learned"),
        share=Quantity(share, "seed", label=f"share of words of {cell.length} letters that are right"),
        fewest=Quantity(int(np.argmax(_learned(cell, shares))), label="right words from which the group counts as learned"),
        learned=Quantity(where_trained(_learned(cell, share), share), "seed", label=f"{cell.level:.0%} of words are right"),
        guessed=Quantity(np.asarray(found.guessed[0]), "seed", label="share of words whose product is the identity"),
    )


def _learned(cell: Cell, share: np.ndarray) -> np.ndarray:
    return np.asarray(share >= cell.level)
