"""What a claim measures: quantities with their axes, error budgets and units, gathered in one dataset.

A quantity is stored as a variable. What belongs to it is stored beside it and named in its attribute ``ancillary_variables``,
as the CF conventions for netCDF have it; the attribute ``role`` of such a variable says what it is: its rounding floor, its
sampling error, the positive control of an impossibility, a marked place on its axis, or its prediction.
"""

import dataclasses
from typing import Any

import numpy as np
import xarray as xr

ROLES = ("floor", "sampling", "possible", "mark", "prediction")


@dataclasses.dataclass(frozen=True)
class Quantity:
    """Measured numbers and how far they can be trusted.

    Attributes:
        values: Array of any shape.
        dims: Names of its axes, separated by spaces: ``"word algebra step"``; empty for a number.
        floor: What rounding alone explains. It broadcasts against ``values`` by numpy's rules. Floats that are judged by a
            distance need one; write 0.0 where nothing is rounded.
        sampling: A bound on what sampling, or an iteration that was ended, adds; broadcasts like ``floor``.
        rate: How often sampling passes that bound; 0 where never.
        possible: Outcomes of the same code on the neighbouring possible task, for `Relation.IMPOSSIBLE`.
        mark: A place on the last axis that the figure marks with a line.
        label: Words for an axis of a figure.
        unit: Unit or norm, such as "operator norm".

    >>> Quantity([0.1, 0.02], "step", floor=1e-16, unit="operator norm").dims
    'step'
    """

    values: Any
    dims: str = ""
    floor: Any = None
    sampling: Any = None
    rate: float = 0.0
    possible: Any = None
    mark: float | None = None
    label: str = ""
    unit: str = ""

    def variables(self, name: str) -> dict[str, xr.Variable]:
        """Return the quantity and what belongs to it as variables of a dataset.

        Raises:
            ValueError: the number of axes is not that of ``dims``, or a part does not broadcast against the values.
        """
        values, dims = np.asarray(self.values), tuple(self.dims.split())
        if values.ndim != len(dims):
            raise ValueError(f"the quantity {name!r} has shape {values.shape}, but its axes are {dims}: name every axis once")
        found = {}
        for role in ("floor", "sampling", "mark"):
            if (part := getattr(self, role)) is not None:
                found[f"{name}_{role}"] = _broadcast(name, role, np.asarray(part), values, dims)
        if self.possible is not None:
            trials = np.asarray(self.possible)
            axes = tuple(f"{name}_trial_{axis}" for axis in range(trials.ndim))
            found[f"{name}_possible"] = xr.Variable(axes, trials, {"role": "possible"})
        if self.sampling is not None and self.rate:
            found[f"{name}_sampling"].attrs["rate"] = self.rate
        attributes = {"long_name": self.label, "units": self.unit, "ancillary_variables": " ".join(found)}
        return {name: xr.Variable(dims, values, {key: text for key, text in attributes.items() if text}), **found}


def measured(**parts: Any) -> xr.Dataset:
    """Return one dataset of what was measured in a cell.

    Args:
        parts: Quantities by name. Other arrays are the coordinates of the axis of that name; a `Quantity` whose only axis has
            its own name is a coordinate too, with a label and a unit.

    Raises:
        ValueError: a coordinate is not one-dimensional, or axes of one name differ in length.

    >>> data = measured(step=[0.5, 0.25], error=Quantity([0.1, 0.02], "step", floor=1e-16, unit="operator norm"))
    >>> data["error"].attrs["units"], float(part(data, "error", "floor"))
    ('operator norm', 1e-16)
    """
    variables: dict[str, xr.Variable] = {}
    for name, given in parts.items():
        if isinstance(given, Quantity):
            variables |= given.variables(name)
        else:
            variables |= Quantity(given, name).variables(name)
    coordinates = {name for name, variable in variables.items() if variable.dims == (name,)}
    data = {name: variable for name, variable in variables.items() if name not in coordinates}
    return xr.Dataset(data, coords={name: variables[name] for name in coordinates})


def part(dataset: xr.Dataset, name: str, role: str) -> xr.DataArray | None:
    """Return what belongs to a quantity in this role, None if nothing does."""
    for other in dataset[name].attrs.get("ancillary_variables", "").split():
        if other in dataset and dataset[other].attrs.get("role") == role:
            return dataset[other]
    return None


def attach(dataset: xr.Dataset, name: str, role: str, values: Any) -> xr.Dataset:
    """Return the dataset with one more variable that belongs to a quantity.

    Args:
        dataset: Holds the quantity.
        name: The quantity.
        role: One of `ROLES`.
        values: A number, an array with named axes, or ``(dims, array)``.

    Raises:
        ValueError: there is no such role.
    """
    if role not in ROLES:
        raise ValueError(f"{role!r} is no role of what belongs to a quantity; there are {', '.join(ROLES)}")
    values = xr.Dataset({role: values})[role]
    others = dataset[name].attrs.get("ancillary_variables", "").split()
    new, count = f"{name}_{role}", 2
    while new in dataset:
        new, count = f"{name}_{role}_{count}", count + 1
    quantity = dataset[name].assign_attrs(ancillary_variables=" ".join([*others, new]))
    return dataset.assign({name: quantity, new: values.assign_attrs(role=role)})


def cell_names(dataset: xr.Dataset) -> list[str]:
    """Return the name of each cell of a run's dataset: the values of the grid's axes, ``all`` for a grid without axes.

    The dataset of a single cell that was drawn has the name itself, because it tells more than the axes.
    """
    if "cell_name" in dataset.attrs:
        return [str(dataset.attrs["cell_name"])]
    axes = str(dataset.attrs.get("grid_axes", "")).split()
    if not axes:
        return ["all"] if dataset.sizes["cell"] == 1 else [str(index) for index in range(dataset.sizes["cell"])]
    columns = [dataset[axis].to_numpy().tolist() for axis in axes]
    return [",".join(f"{axis}={value}" for axis, value in zip(axes, row, strict=True)) for row in zip(*columns, strict=True)]


def _broadcast(name: str, role: str, given: np.ndarray, values: np.ndarray, dims: tuple[str, ...]) -> xr.Variable:
    """A part with those axes of the quantity along which it varies."""
    try:
        np.broadcast_to(given, values.shape)
    except ValueError:
        raise ValueError(
            f"the {role} of {name!r} has shape {given.shape}, which does not broadcast against its shape {values.shape} "
            f"over {dims}: write floor[:, None] for a floor along the first axis"
        ) from None
    named = dims[len(dims) - given.ndim :]
    kept = [axis for axis in range(given.ndim) if given.shape[axis] == values.shape[len(dims) - given.ndim + axis] != 1]
    return xr.Variable(tuple(named[axis] for axis in kept), given.reshape([given.shape[axis] for axis in kept]), {"role": role})
