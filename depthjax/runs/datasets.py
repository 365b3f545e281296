"""The dataset of a run: all cells of a claim in one, with numeric coordinates, and predictions beside what was measured."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from depthjax.verify.quantity import attach
from depthjax.verify.relation import Relation
from depthjax.verify.trials import Said


def over_cells(datasets: Sequence[xr.Dataset], cells: Sequence[Any], axes: Sequence[str]) -> xr.Dataset:
    """Return the cells over the dimension ``cell``; every axis of the grid is a coordinate along it.

    Raises:
        ValueError: an axis of the grid has the name of something measured.
    """
    if taken := [axis for axis in axes if axis in datasets[0].variables or axis in datasets[0].dims]:
        raise ValueError(
            f"the measurement has {', '.join(map(repr, taken))}, which is an axis of the grid as well: rename one of the two"
        )
    joined = xr.concat(
        datasets, "cell", data_vars="all", coords="different", compat="equals", join="exact", combine_attrs=_shared
    )
    coordinates = {axis: ("cell", np.array([getattr(cell, axis) for cell in cells])) for axis in axes}
    return joined.assign_coords(coordinates).assign_attrs(grid_axes=" ".join(axes))


def _shared(attributes: Sequence[dict[str, Any]], context: Any = None) -> dict[str, Any]:
    """What no cell says otherwise; a label that names a number of its cell keeps the words that all cells share."""
    said = {name: [each[name] for each in attributes if name in each] for name in {n for each in attributes for n in each}}
    same = {name: values[0] for name, values in said.items() if all(np.array_equal(values[0], value) for value in values)}
    if "long_name" in said and "long_name" not in same:
        labels = [label.split() for label in said["long_name"]]
        words = [words[0] if len(set(words)) == 1 else "…" for words in zip(*labels, strict=False)]
        if any(word != "…" for word in words):
            same["long_name"] = " ".join(words if len(set(map(len, labels))) == 1 else [*words, "…"])
    return same


def with_predictions(dataset: xr.Dataset, predictions: Sequence[Said], relation: Relation) -> xr.Dataset:
    """Return the dataset with each prediction beside its quantity, as the variable ``<quantity>_prediction``.

    Cells of which nothing is said hold NaN. Predictions of one quantity in another relation get a variable each. Values that no
    number of netCDF holds exactly (integers beyond 64 bits) are left to the verdict.
    """
    tables: dict[tuple, dict[int, xr.DataArray]] = {}
    for cell, said in enumerate(predictions):
        counts: dict[tuple, int] = {}
        for prediction in said or ():
            name = prediction.of, (prediction.relation or relation).value, prediction.one_sided
            counts[name] = counts.get(name, 0) + 1
            tables.setdefault((*name, counts[name]), {})[cell] = prediction.array()
    for (of, words, one_sided, _), found in tables.items():
        if of not in dataset:
            continue
        empty = xr.full_like(next(iter(found.values())), np.nan)
        rows = [found.get(cell, empty) for cell in range(len(predictions))]
        if len({(row.dims, row.shape) for row in rows}) == 1:
            values = xr.concat([row.drop_vars(list(row.coords)) for row in rows], "cell")
            values.attrs["relation"] = f"{words} at least" if one_sided else words
            dataset = attach(dataset, of, "prediction", values)
    return dataset
