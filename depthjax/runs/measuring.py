"""The process that measures: it runs ``measure.py`` and JAX, and can import neither theory nor any ``claim.py``."""

import hashlib
import importlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import xarray as xr

from depthjax.runs import provenance, rooms
from depthjax.runs.children import resident
from depthjax.runs.guards import Guard
from depthjax.runs.guest import guest
from depthjax.runs.programs import forget_programs
from depthjax.runs.provenance import configure, timed
from depthjax.runs.stored import sealed
from depthjax.verify.cell import Cell

GROWTH = 2.0**30  # bytes that the programs of earlier claims may hold


def cell_key(seed: int, slug: str, name: str, *more: str) -> jax.Array:
    """Return the key of a cell; ``more`` names a part of the cell that draws its own numbers, such as a control."""
    key = jax.random.key(seed)
    for part in (slug, name, *more):
        key = jax.random.fold_in(key, int.from_bytes(hashlib.sha256(part.encode()).digest()[:4], "big"))
    return key


class Measuring:
    """Answers what the judge asks of ``measure.py``."""

    def __init__(self) -> None:
        self.guard = Guard("measure")
        self.room, self.held = "", resident(os.getpid())

    def numerics(self, options: Mapping[str, Any]) -> dict[str, str]:
        """Return what the numbers of this process depend on."""
        configure(**options)
        return provenance.numerics()

    def environment(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return versions, device and precision of this process."""
        configure(**options)
        return provenance.environment(here=False)

    def measure(
        self,
        room: str,
        function: str,
        cell: Cell,
        key: Sequence[Any],
        given: tuple,
        reads: Sequence[str],
        options: Mapping[str, Any],
        origin: Mapping[str, str],
        place: Mapping[str, Any],
    ) -> bytes:
        """Measure a cell, and return the content of its file.

        Args:
            room: The claim's module.
            function: Name of the function of ``measure.py``.
            cell: The cell.
            key: The arguments of `cell_key`.
            given: The objects of the cell.
            reads: Files that the claim names.
            options: What `configure` is told.
            origin: What the file is sealed with.
            place: The arguments of `depthjax.runs.rooms.enter`.
        """
        folder = rooms.enter(room, **place)
        configure(**options)
        if room != self.room and resident(os.getpid()) > self.held + GROWTH:
            forget_programs()
            self.held = resident(os.getpid())
        self.room = room
        with timed() as spent, guest(), self.guard.watching(folder, reads):
            measure = getattr(importlib.import_module(f"{room}.measure"), function)
            dataset = measure(cell, cell_key(*key), *given)
            if not isinstance(dataset, xr.Dataset):
                raise TypeError(
                    f"{function} returned a {type(dataset).__name__}: expected a dataset, as measured(...) makes it"
                )
            dataset = dataset.as_numpy()
        if "cell" in dataset.dims:
            raise ValueError("a measurement is of one cell and has no dimension 'cell'")
        seconds = {"seconds_compile": spent.compile, "seconds_run": spent.run}
        return sealed(dataset.assign_attrs(seconds, slug=key[1], cell=key[2]), origin)
