"""Counts equal their prediction; strings, booleans and wide integers survive the disk."""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source

CLAIM = Claim(
    slug="exact_counts",
    title="Powers of two count subsets",
    statement="A set of n elements has 2^n subsets.",
    latex=r"|2^S| = 2^{|S|}",
    relation=Relation.EQUALS,
    source=Source("folklore", "subsets"),
    assumes=("finite sets",),
    refuted_by="a count that differs",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    elements: tuple[int, ...] | int = (3, 10, 40)


GRIDS = {size: Sizes() for size in ("quick", "full", "paper")}


def setting(cell):
    return {"elements": cell.elements}


def predict(cell, given):
    return (
        Prediction(2 ** given["elements"], of="subsets", formula="2^{|S|}"),
        Prediction(0, of="errors", dims=()),
        Prediction(1, of="finite", resolution=1.0),
    )


def measure(cell, key: jax.Array, given):
    return xr.Dataset(
        {
            "subsets": ((), np.int64(2 ** given["elements"]), {"long_name": "subsets", "units": "sets"}),
            "errors": ("word", np.zeros(4, np.int64), {"long_name": "wrong words"}),
            "finite": ((), True),
            "kind": ((), "a set"),
        },
        coords={"word": ["aa", "ab", "ba", "ü"]},
    )


def _shifted(cell, key, given):
    return measure(cell, key, given).assign(subsets=((), np.int64(2 ** given["elements"] + 1)))


CONTROLS = (
    Control("one subset more", "2^n + 1", lambda cell, given: Prediction(2 ** given["elements"] + 1, of="subsets")),
    Control(
        "another set", "2^n of another set", lambda cell, given: Prediction(2 ** given["elements"], of="subsets"), _shifted
    ),
)
