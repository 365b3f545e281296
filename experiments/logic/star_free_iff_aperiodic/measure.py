"""Languages pumped at words x u^n y, and their programs as networks on all short words."""

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.compiled.formulas import CompiledFormulas
from depthjax.verify import Cell, Quantity, measured
from experiments.logic._compiled import compiled
from experiments.logic.star_free_iff_aperiodic.common import PUMPS
from experiments.logic.star_free_iff_aperiodic.pumping import first_settled, pumping_period, right_words


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The period of each language under pumping, or when its program's output settles; whether its program is always right."""
    network = compiled(given["programs"])
    pumps = [len(set(PUMPS)), sum(len(part) for pump in PUMPS for part in pump)]
    return measured(
        pumps=Quantity(pumps, "counted", label="different words x, u, y and their letters"),
        **_pumped(cell, given, network, shift=0),
        **_right(cell, given, network),
    )


def _pumped(cell: Cell, given: dict, network: CompiledFormulas, shift: int) -> dict[str, Quantity]:
    """What pumping says of the language that comes so much later in the list."""
    periods, settled = np.zeros(cell.languages, int), np.ones((cell.languages, len(PUMPS)), int)
    if cell.kind == "programs":
        settled = np.roll(first_settled(network, PUMPS, int(given["last"])), -shift, axis=0)
    else:
        longest = given["longest"] if shift == 0 else np.full(cell.languages, given["longest"].max())
        pumped = zip(given["automata"][shift:] + given["automata"][:shift], longest, strict=True)
        periods = [pumping_period(table, accepting, int(most)) for (table, accepting), most in pumped]
    return {
        "period": Quantity(periods, "language", label="period of x u^n y in n"),
        "settled": Quantity(settled, "language loop", label="n from which on the output stays"),
    }


def _right(cell: Cell, given: dict, network: CompiledFormulas) -> dict[str, Quantity]:
    """Whether each language has a program, and one that is right on all words; on how many it is."""
    right, which = np.zeros(cell.languages, int), np.flatnonzero(given["has_program"])
    right[which], asked = right_words(network, [given["automata"][index] for index in which], cell.length)
    return {
        "right_program": Quantity((right == asked).astype(int), "language", label="a program that is right on all words"),
        "right_words": Quantity(right, "language", label="words on which a program is right"),
    }


def ties_reversed(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The programs with ties to the farthest position, in place of the nearest."""
    return measured(**_right(cell, given, compiled(given["programs"], ties="farthest")))


def next_language(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """What pumping says of the next language in the list, in place of the language itself."""
    return measured(**_pumped(cell, given, compiled(given["programs"]), shift=1))
