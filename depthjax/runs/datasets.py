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
        datasets, "cell", data_vars="all", coords="different", compat="equals", join="exact", combine_attrs="drop_conflicts"
    )
    coordinates = {axis: ("cell", np.array([getattr(cell, axis) for cell in cells])) for axis in axes}
    return joined.assign_coords(coordinates).assign_attrs(grid_axes=" ".join(axes))


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
