"""What the claim measures."""

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.word_problem import WordProblemSetup, trained
from depthjax.training import where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.training.second_layer_learns_groups.common import KIND

SWITCHES = (("state", 8), ("expand", 1))


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Shares of new words whose whole product is right, for every set of letters and seed; both share a program."""
    sizes = {name: getattr(cell, name) for name in ("width", "length", "batch", "steps", "rate", "tests")}
    parts = {"level": Quantity(np.float64(cell.level), label="share that counts as learned")}
    table, letters = given["table"], given["letters"]
    setup = WordProblemSetup(kind=KIND, switches=SWITCHES, order=len(table), depth=cell.deepest, times=2, **sizes)
    found = trained(jax.random.fold_in(key, 0), setup, [table] * len(letters), cell.seeds, [*letters.values()], cell.depth)
    for name, share in zip(letters, found.last, strict=True):
        text = f"{name}: share of words of {cell.length} letters that are right"
        learned = where_trained(share >= cell.level, share)
        parts[f"share_{name}"] = Quantity(share, "seed", label=text)
        parts[f"learned_{name}"] = Quantity(learned, "seed", label=f"{name}: {cell.level:.0%} of words are right")
    return measured(**parts)
