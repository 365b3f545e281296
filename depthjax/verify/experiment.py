"""A claim's room, read and checked: the one form in which the runner, the report and the command line know a claim.

The file ``claim.py`` of a room has, in this order, its card (the docstring), ``CLAIM``, ``GRIDS``, ``predict``, and
``CONTROLS`` or ``RIVALS``. Where both sides need the same mathematical object (a Cayley table, the matrices of an algebra),
``objects`` makes it from the cell. ``DEFINITIONS`` says why an object that equals a predicted number is a definition. The file
``measure.py`` beside it has ``measure``, and the measurements that controls name; ``picture.py`` has ``PICTURES``.

Objects that are drawn at random are ``objects(cell, seed)``: the number follows from the run's seed, the claim and the cell, so
another run sees other objects, and the claim's prediction and measurement see the same ones.
"""

import dataclasses
import hashlib
import importlib
import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import xarray as xr

from depthjax.card import CardError, claim_file, is_room, read_card
from depthjax.located import spec_of
from depthjax.verify.cell import Cell
from depthjax.verify.claim import Claim
from depthjax.verify.grid import Grid
from depthjax.verify.prediction import Predictions
from depthjax.verify.trials import Control, Rival, Said, several

SIZES = ("test", "quick", "full", "paper")


@dataclasses.dataclass(frozen=True)
class Picture:
    """What a claim draws itself, above the panels that follow from its relations.

    Attributes:
        height: Inches.
        draw: An empty part of a matplotlib figure, and the measured dataset over ``cell`` -> None. Its docstring is the
            caption: what is drawn, and what a reader sees where the theorem holds.

    >>> Picture(2.5, lambda place, dataset: None).height
    2.5
    """

    height: float
    draw: Callable[[Any, xr.Dataset], None]

    @property
    def caption(self) -> str:
        """What the picture shows, as one paragraph; empty where the drawing function says nothing."""
        return " ".join((inspect.getdoc(self.draw) or "").split())


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A claim with everything that its module defines.

    >>> [field.name for field in dataclasses.fields(Experiment)][:5]
    ['claim', 'topic', 'grids', 'predict', 'measure']
    """

    claim: Claim
    topic: str
    grids: Mapping[str, Grid]
    predict: Callable[..., Predictions]
    measure: Callable[..., xr.Dataset]
    controls: tuple[Control, ...] = ()
    rivals: tuple[Rival, ...] = ()
    objects: Callable[..., Any] | None = None
    definitions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    module: str = ""
    room: bool = False
    pictures: tuple[Picture, ...] = ()

    @property
    def trials(self) -> tuple[Control | Rival, ...]:
        """The controls, then the rivals."""
        return self.controls + self.rivals

    def given(self, cell: Grid, seed: int = 0) -> tuple:
        """Return the objects of a cell, of a run with this seed, as the further arguments of the claim's functions."""
        return () if self.objects is None else (self.made(self.objects, cell, seed),)

    def made(self, objects: Callable[..., Any], cell: Grid, seed: int) -> Any:
        """Return what a claim's or a control's ``objects`` make of a cell, in a run with this seed.

        Objects that take a ``seed`` are drawn: they get a number below 2^63 that is the cell's own.
        """
        if "seed" not in inspect.signature(objects).parameters:
            return objects(cell)
        named = f"{seed} {self.claim.slug} {cell.name}"
        return objects(cell, seed=int.from_bytes(hashlib.sha256(named.encode()).digest()[:8], "big") >> 1)

    def crossing(self, cell: Grid) -> Any:
        """Return what a measurement gets of a cell."""
        return Cell.of(cell) if self.room else cell

    def said(self, cell: Grid, given: tuple) -> Said:
        """Return the claim's predictions for a cell."""
        return several(self.predict(cell, *given))

    @classmethod
    def of(cls, module: ModuleType) -> "Experiment":
        """Read a claim's room, or a module that is a claim by itself.

        Raises:
            TypeError: names the file and every part that is missing or of the wrong kind, and what to write.
        """
        room = module
        if is_room(room.__name__):
            module = _joined(room.__name__)
        topic, _, slug = module.__name__.rpartition(".")
        found, grids = getattr(module, "CLAIM", None), getattr(module, "GRIDS", {})
        controls, rivals = tuple(getattr(module, "CONTROLS", ())), tuple(getattr(module, "RIVALS", ()))
        problems = []
        if not isinstance(found, Claim):
            problems.append("CLAIM must be claim(Relation.X, ...)")
        elif not found.slug:
            try:
                found = _with_words(found, module.__name__)
            except CardError as error:
                problems.append(str(error))
        elif found.slug != slug:
            problems.append(f"its slug is {found.slug!r} but its file is {slug!r}")
        problems += [f"GRIDS lacks {size!r}" for size in SIZES if size not in grids]
        problems += [
            f"{name} must be a function" for name in ("predict", "measure") if not callable(getattr(module, name, None))
        ]
        problems += [f"CONTROLS holds {one!r}: write control(...)" for one in controls if not isinstance(one, Control)]
        controls, unknown = _with_measurements(controls, module)
        problems += unknown
        problems += [f"RIVALS holds {one!r}: write off_by(...), scaled(...)" for one in rivals if not isinstance(one, Rival)]
        reads = getattr(module, "READS", ())
        if not isinstance(reads, tuple | list) or not all(isinstance(name, str) for name in reads):
            problems.append('READS must be a tuple of texts, such as ("data/table.csv", "mypackage.helper")')
        for kind, trials in (("CONTROLS", controls), ("RIVALS", rivals)):
            names = [one.name for one in trials if isinstance(one, Control | Rival)]
            if twice := sorted({name for name in names if names.count(name) > 1}):
                problems.append(f"{kind} has {twice[0]!r} twice: each has a name of its own, under which its verdict is found")
        if not controls and not rivals:
            problems.append("it has neither CONTROLS nor RIVALS: a verdict that nothing could change has no known power")
        if problems:
            file = getattr(module, "__file__", None)
            raise TypeError(f"{module.__name__} ({file}) is not a claim: " + "; ".join(problems))
        assert isinstance(found, Claim)
        return cls(
            claim=found,
            topic=topic.rpartition(".")[2],
            grids=grids,
            predict=module.predict,
            measure=module.measure,
            controls=controls,
            rivals=rivals,
            objects=getattr(module, "objects", None),
            definitions=dict(getattr(module, "DEFINITIONS", {})),
            module=module.__name__,
            room=module is not room,
            pictures=tuple(getattr(module, "PICTURES", ())),
        )


def _joined(room: str) -> ModuleType:
    """The names of ``claim.py``, ``measure.py`` and ``picture.py`` in one module, under the name of the room."""
    joined = ModuleType(room)
    for part, wanted in (("claim", True), ("measure", True), ("picture", False)):
        if wanted or spec_of(f"{room}.{part}") is not None:
            found = vars(importlib.import_module(f"{room}.{part}"))
            names = ("measure",) if part == "measure" else ("PICTURES",) if part == "picture" else tuple(found)
            vars(joined).update({name: found[name] for name in names if name in found and not name.startswith("__")})
    joined.__file__ = str(claim_file(room))
    return joined


def _with_measurements(controls: tuple, module: ModuleType) -> tuple[tuple, list[str]]:
    """The controls with the functions of ``measure.py`` that they name, and what is wrong with those names."""
    found, problems = [], []
    for one in controls:
        if isinstance(one, Control) and isinstance(one.measure, str):
            function = getattr(importlib.import_module(f"{module.__name__}.measure"), one.measure, None)
            if callable(function):
                one = dataclasses.replace(one, measure=function)
            else:
                problems.append(f"the control {one.name!r} names {one.measure!r}: measure.py has no function of this name")
        found.append(one)
    return tuple(found), problems


def _with_words(claim: Claim, module: str) -> Claim:
    """The claim with the words of its module's card."""
    card = read_card(module)
    names = ("slug", "title", "statement", "latex", "source", "assumes", "refuted_by", "cost")
    return dataclasses.replace(claim, **{name: getattr(card, name) for name in names})
