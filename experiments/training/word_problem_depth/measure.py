"""What the claim measures."""

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.trained import Facts
from depthjax.instruments.word_problem import WordProblemSetup, resets, trained
from depthjax.training import where_trained
from depthjax.verify import Cell, Quantity, measured

SMALL = (("state", 4), ("expand", 1))
SWITCHES = {"mamba": SMALL, "signed_mamba": SMALL}
RESETS = 6  # elements of the monoid of resets, as many as S3 has


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Tests of every seed on the groups; not a number where nothing was trained."""
    whole, parts = cell.times * cell.length, {}
    for number, name in enumerate(cell.groups):
        solved = prefix = np.full(cell.seeds, np.nan)
        facts, drawn = Facts(solved, solved, solved, solved), np.full((cell.seeds, 2), np.nan)
        if name in given["tables"]:
            solved, prefix, facts, drawn = _trained(cell, jax.random.fold_in(key, number), given["tables"][name])
        parts[f"solved_{name}"] = Quantity(solved, "seed", label=f"{name}: nine of ten words of {whole} letters right")
        parts[f"prefix_{name}"] = Quantity(prefix, "seed", label=f"{name}: letters until nine of ten words are right")
        parts |= _said(name, facts, drawn)
    return measured(**parts)


def on_resets(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same tests on the monoid of resets, in place of every group that is judged, and what was trained."""
    solved, _, facts, drawn = _trained(cell, key, resets(RESETS))
    return measured(**{f"solved_{name}": Quantity(solved, "seed") for name in given["tables"]}, **_said("resets", facts, drawn))


def _said(name: str, facts: Facts, drawn: np.ndarray) -> dict[str, Quantity]:
    """What was trained, for every seed."""
    said = {
        f"{what}_{name}": Quantity(values, "seed", floor=floor, label=f"{name}: {label}")
        for what, (values, floor, label) in facts.named().items()
    }
    label = f"{name}: words of a step, and tokens of each"
    return said | {f"drawn_{name}": Quantity(drawn, "seed extent", floor=0.0, label=label)}


def _trained(cell: Cell, key: jax.Array, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, Facts, np.ndarray]:
    """Which seeds solve the words of a table, how many letters of nine of ten words are right, and what was trained."""
    result, facts, drawn = jax.tree.map(
        lambda part: np.asarray(part[0]), trained(key, _setup(cell, len(table)), [table], cell.seeds, depth=cell.depth)
    )
    return where_trained(result.prefix >= cell.times * cell.length, result.prefix), result.prefix, facts, drawn


def _setup(cell: Cell, order: int) -> WordProblemSetup:
    """The network for tables of this order, and its recipe."""
    shared = {name: getattr(cell, name) for name in ("length", "times", "batch", "steps", "rate", "tests")}
    width = {"lstm": cell.lstm_width, "signed_mamba": cell.signed_width}.get(cell.model, cell.width)
    return WordProblemSetup(
        kind=cell.model, switches=SWITCHES.get(cell.model, ()), order=order, depth=cell.deepest, width=width, **shared
    )
