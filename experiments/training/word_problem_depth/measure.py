"""What the claim measures."""

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.word_problem import WordProblemSetup, resets, trained
from depthjax.training import where_trained
from depthjax.verify import Cell, Quantity, measured

SMALL = (("state", 4), ("expand", 1))
SWITCHES = {"mamba": SMALL, "signed_mamba": SMALL}
RESETS = 6  # elements of the monoid of resets, as many as S3 has


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Tests of every seed on the groups and on resets; not a number where nothing was trained."""
    tables = given["tables"] | ({"resets": resets(RESETS)} if cell.controlled else {})
    whole, parts = cell.times * cell.length, {}
    for number, name in enumerate((*cell.groups, "resets")):
        solved = prefix = np.full(cell.seeds, np.nan)
        if name in tables:
            own, setup = jax.random.fold_in(key, number), _setup(cell, len(tables[name]))
            prefix = np.asarray(trained(own, setup, [tables[name]], cell.seeds, depth=cell.depth).prefix[0])
            solved = where_trained(prefix >= whole, prefix)
        parts[f"solved_{name}"] = Quantity(solved, "seed", label=f"{name}: nine of ten words of {whole} letters right")
        parts[f"prefix_{name}"] = Quantity(prefix, "seed", label=f"{name}: letters until nine of ten words are right")
    return measured(**parts)


def _setup(cell: Cell, order: int) -> WordProblemSetup:
    """The network for tables of this order, and its recipe."""
    shared = {name: getattr(cell, name) for name in ("length", "times", "batch", "steps", "rate", "tests")}
    width = cell.lstm_width if cell.model == "lstm" else cell.width
    return WordProblemSetup(
        kind=cell.model, switches=SWITCHES.get(cell.model, ()), order=order, depth=cell.deepest, width=width, **shared
    )
