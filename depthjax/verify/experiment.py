"""A claim's room, read and checked: the one form in which the runner, the report and the command line know a claim.

The file ``claim.py`` of a room has, in this order, its card (the docstring), ``CLAIM``, ``DOMAIN``, ``GRIDS``, ``predict``, and
``CONTROLS`` or ``RIVALS``. Where both sides need the same mathematical object (a Cayley table, the matrices of an algebra),
``objects`` makes it from the cell. ``DEFINITIONS`` says why an object that equals a predicted number is a definition, and
``HEADLINE`` which quantity the title speaks of. The file ``measure.py`` beside it has ``measure``, and the measurements that
controls name; ``picture.py`` has ``PICTURES``.

Objects that are drawn at random are ``objects(cell, seed)``: the number follows from the run's seed, the claim and the cell, so
another run sees other objects, and the claim's prediction and measurement see the same ones.
"""

import dataclasses
import difflib
import hashlib
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import xarray as xr

from depthjax.card import CardError, defined, read_card, room_of
from depthjax.located import spec_of
from depthjax.verify.claim import Claim, claim
from depthjax.verify.domain import Domain
from depthjax.verify.grid import SIZES as SIZES
from depthjax.verify.grid import Grid
from depthjax.verify.prediction import Predictions
from depthjax.verify.relation import Relation
from depthjax.verify.trials import Control, Rival, Said, several

PARTS = ("CLAIM", "DOMAIN", "GRIDS", "CONTROLS", "RIVALS", "DEFINITIONS", "HEADLINE", "READS")
"""The names under which a claim's file defines its parts, beside functions."""


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
    """A claim with everything that its file ``claim.py`` defines. Measurements and pictures load when they are asked for.

    >>> [field.name for field in dataclasses.fields(Experiment)][:5]
    ['claim', 'topic', 'grids', 'predict', 'controls']
    """

    claim: Claim
    topic: str
    grids: Mapping[str, Grid]
    predict: Callable[..., Predictions]
    controls: tuple[Control, ...] = ()
    rivals: tuple[Rival, ...] = ()
    objects: Callable[..., Any] | None = None
    definitions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    reads: tuple[str, ...] = ()
    module: str = ""
    domain: Domain | None = None

    def cells(self, size: str, seed: int = 0) -> tuple[Any, ...]:
        """Return the chosen cells of a size, and those that a run with this seed draws from the domain."""
        grid = self.grids[size]
        found = () if self.domain is None else self.domain.cells(grid, size, f"{seed} {self.claim.slug} domain")
        return (*grid.cells(), *found)

    @property
    def trials(self) -> tuple[Control | Rival, ...]:
        """The controls, then the rivals."""
        return self.controls + self.rivals

    @property
    def measure(self) -> Callable[..., xr.Dataset]:
        """The claim's measurement: cell, key[, objects] -> dataset."""
        return self.measurement("measure")

    def measurement(self, name: str) -> Callable[..., xr.Dataset]:
        """Return a function of ``measure.py``, such as one that a control names."""
        return getattr(importlib.import_module(f"{self.module}.measure"), name)

    @property
    def pictures(self) -> "tuple[Picture, ...]":
        """What ``picture.py`` draws; empty where there is none."""
        if spec_of(f"{self.module}.picture") is None:
            return ()
        return tuple(getattr(importlib.import_module(f"{self.module}.picture"), "PICTURES", ()))

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

    def said(self, cell: Grid, given: tuple) -> Said:
        """Return the claim's predictions for a cell."""
        return several(self.predict(cell, *given))

    @classmethod
    def of(cls, room: ModuleType) -> "Experiment":
        """Read a claim's room. Its measurements are not imported.

        Raises:
            TypeError: names the file and every part that is missing or of the wrong kind, and what to write.
        """
        folder = room_of(room.__name__)
        module = importlib.import_module(f"{room.__name__}.claim")
        found, grids = getattr(module, "CLAIM", None), getattr(module, "GRIDS", {})
        problems: list[str] = []
        controls, rivals = (
            _trials(module, "CONTROLS", "control(...)", problems),
            _trials(module, "RIVALS", "off_by(...)", problems),
        )
        if not isinstance(found, Claim):
            problems.append("CLAIM must be claim(Relation.X, ...)")
        else:
            try:
                found = claim_of(room.__name__)
            except CardError as error:
                problems.append(str(error))
        problems += [f"GRIDS lacks {size!r}" for size in SIZES if size not in grids]
        if isinstance(grids, Mapping):
            problems += [
                f"GRIDS has {one!r:.60} as {size!r}: write Sizes(...)"
                for size, one in grids.items()
                if not isinstance(one, Grid)
            ]
        if not callable(getattr(module, "predict", None)):
            problems.append("predict must be a function")
        problems += _measurements(controls, folder / "measure.py")
        problems += [f"CONTROLS holds {one!r}: write control(...)" for one in controls if not isinstance(one, Control)]
        problems += [f"RIVALS holds {one!r}: write off_by(...), scaled(...)" for one in rivals if not isinstance(one, Rival)]
        domain = getattr(module, "DOMAIN", None)
        if domain is not None and not isinstance(domain, Domain):
            problems.append("DOMAIN must be domain(field=whole(...), ...), or listed(why)")
        reads = getattr(module, "READS", ())
        if not isinstance(reads, tuple | list) or not all(isinstance(name, str) for name in reads):
            problems.append('READS must be a tuple of texts, such as ("data/table.csv", "mypackage.helper")')
            reads = ()
        for name in reads:
            if not (folder / name).exists() and spec_of(name) is None:
                problems.append(f"READS names {name!r}, and there is neither such a file from {folder} on nor such a module")
        for kind, trials in (("CONTROLS", controls), ("RIVALS", rivals)):
            names = [one.name for one in trials if isinstance(one, Control | Rival)]
            if twice := sorted({name for name in names if names.count(name) > 1}):
                problems.append(f"{kind} has {twice[0]!r} twice: each has a name of its own, under which its verdict is found")
        if not controls and not rivals:
            problems.append("it has neither CONTROLS nor RIVALS: a verdict that nothing could change has no known power")
        problems += _misspelt(module)
        if problems:
            raise TypeError(f"{room.__name__} ({module.__file__}) is not a claim: " + "; ".join(problems))
        assert isinstance(found, Claim)
        return cls(
            claim=found,
            topic=room.__name__.split(".")[-2],
            grids=grids,
            predict=module.predict,
            controls=controls,
            rivals=rivals,
            objects=getattr(module, "objects", None),
            definitions=dict(getattr(module, "DEFINITIONS", {})),
            reads=tuple(reads),
            module=room.__name__,
            domain=domain,
        )


def claim_of(room: str) -> Claim:
    """Return the claim that a room's card states; nothing of it is imported.

    Raises:
        CardError: as `read_card`, or the relation is none, or ``claim`` takes no such option.
    """
    card = read_card(room)
    if card.relation not in Relation.__members__:
        raise CardError(f"{room}: there is no Relation.{card.relation}; expected one of {', '.join(Relation.__members__)}")
    try:
        bare = claim(Relation[card.relation], **card.options)
    except TypeError as error:
        raise CardError(f"{room}: CLAIM = claim(...): {error}") from None
    names = ("slug", "title", "statement", "latex", "source", "assumes", "refuted_by", "cost", "headline")
    return dataclasses.replace(bare, **{name: getattr(card, name) for name in names})


def _misspelt(module: ModuleType) -> list[str]:
    """Names that are nearly those of a claim's parts and that the file itself never reads, while the part is absent."""
    absent = [part for part in PARTS if not hasattr(module, part)]
    words = Counter(re.findall(r"\w+", inspect.getsource(module)))
    unread = (name for name in vars(module) if name.isupper() and words[name] == 1)
    near = ((name, difflib.get_close_matches(name, absent, n=1, cutoff=0.85)) for name in unread)
    return [f"{name} is no part of a claim: did you mean {found[0]}?" for name, found in near if found]


def _trials(module: ModuleType, name: str, example: str, problems: list[str]) -> tuple:
    """The controls or the rivals of a claim; what is no tuple of them joins the problems."""
    found = getattr(module, name, ())
    if isinstance(found, tuple | list):
        return tuple(found)
    problems.append(f"{name} must be a tuple, also of one: write {name} = ({example},), with its comma")
    return (found,)


def _measurements(controls: tuple, file: Path) -> list[str]:
    """What is wrong with the names of measurements that controls give."""
    there = defined(file)
    problems = [] if there & {"*", "measure"} else [f"{file} lacks def measure(cell, key)"]
    for one in controls:
        if isinstance(one, Control) and one.measure is not None and not isinstance(one.measure, str):
            problems.append(f"the control {one.name!r} has a function as measure=: write the name of a function of {file.name}")
        elif isinstance(one, Control) and one.measure is not None and not there & {"*", one.measure}:
            problems.append(f"the control {one.name!r} names {one.measure!r}: {file.name} has no function of this name")
    return problems
