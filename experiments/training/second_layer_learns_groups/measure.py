"""What the claim measures."""

from collections.abc import Sequence
from fractions import Fraction

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
    return measured(**_trained(cell, key, given["table"], given["letters"]))


def letters_that_commute(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Whether seeds learn words in two letters that commute."""
    found = _trained(cell, key, given["table"], given["commuting"])
    return measured(**{name: each for name, each in found.items() if name not in ("level", "share", "fewest")})


def _trained(cell: Cell, key: jax.Array, table: np.ndarray, letters: Sequence[int]) -> dict[str, Quantity]:
    sizes = {name: getattr(cell, name) for name in ("width", "length", "batch", "steps", "rate", "tests")}
    setup = WordProblemSetup(kind=KIND, switches=SWITCHES, order=len(table), depth=cell.deepest, times=2, **sizes)
    runs = trained(jax.random.fold_in(key, 0), setup, [table], cell.seeds, [letters], cell.depth)
    result, facts, drawn = jax.tree.map(lambda part: part[0], runs)
    share, guessed = np.asarray(result.last), np.asarray(result.guessed)
    shares = np.arange(cell.tests + 1) / cell.tests
    return {
        "level": Quantity(np.float64(cell.level), label="share that counts as learned"),
        "share": Quantity(share, "seed", label=f"share of words of {cell.length} letters that are right"),
        "fewest": Quantity(int(np.argmax(_learned(cell, shares))), label="right words from which the group counts as learned"),
        "learned": Quantity(where_trained(_learned(cell, share), share), "seed", label=f"{cell.level:.0%} of words are right"),
        "guessed": Quantity(guessed, "seed", label="share of words whose product is the identity"),
        "asked": Quantity([len(share), _words(np.stack([share, guessed]))], "size", label="networks, and words of a test"),
        "drawn": Quantity(drawn, "seed extent", floor=0.0, label="words of a step, and tokens of each"),
        **{name: Quantity(values, "seed", floor=floor, label=label) for name, (values, floor, label) in facts.named().items()},
    }


def _learned(cell: Cell, share: np.ndarray) -> np.ndarray:
    return np.asarray(share >= cell.level)


def _words(shares: np.ndarray) -> int:
    """How many words were tested: the least number of which all shares are whole parts; powers of two are exact in floats."""
    return max(Fraction(float(share)).denominator for share in shares[np.isfinite(shares)])
