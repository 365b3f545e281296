"""What a claim is: a statement, its grid of cells, what is predicted of each cell, and its neighbouring falsehoods.

A claim is a module with five names, in this order: ``CLAIM``, ``GRIDS``, ``predict``, ``measure``, ``CONTROLS``, and, where
both sides need the same mathematical object (a Cayley table, the matrices of an algebra), a sixth: ``setting``; ``PICTURES``
are figures of its own. This file defines the types behind them; :class:`Experiment` is such a module, checked.
"""

import dataclasses
import enum
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import xarray as xr

Exact = int | float | complex | Fraction | np.integer | np.ndarray | tuple | list

UNSHARP = math.inf  # resolution of a bound that is said to hold, not to be sharp


class Relation(enum.Enum):
    """How a measured quantity should stand to the predicted one."""

    EQUALS = "equals"
    AT_MOST = "at most"
    AT_LEAST = "at least"
    ORDER = "order"
    RANKING = "ranking"
    IMPOSSIBLE = "impossible"
    TREND = "trend"


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a statement comes from.

    Attributes:
        authors: as the paper gives them, shortened to the usual form.
        title: of the paper; "this project" where the statement is stated here first.
        identifier: arXiv number or the like, empty where there is none.
        locator: the theorem and its version, such as "Corollary 3.6 (v1)".
    """

    authors: str
    title: str
    identifier: str = ""
    locator: str = ""

    def cite(self) -> str:
        """One line that finds the statement again."""
        return ", ".join(part for part in (self.authors, f"“{self.title}”", self.identifier, self.locator) if part)


@dataclasses.dataclass(frozen=True)
class Claim:
    """A statement that a measurement can contradict.

    Attributes:
        slug: file name, and the claim's name everywhere.
        title: at most a line.
        statement: the theorem in plain words, hypotheses included.
        latex: the same as a formula.
        relation: between measured and predicted; a prediction may state another for its own quantity.
        source: where the statement is from.
        assumes: its hypotheses, one sentence each.
        refuted_by: the observation that would refute it.
        cost: how long each size takes, and on what.
        needs_float64: refuse to run in a narrower type: an order or an exact identity is judged.
    """

    slug: str
    title: str
    statement: str
    latex: str
    relation: Relation
    source: Source
    assumes: tuple[str, ...]
    refuted_by: str
    cost: str = ""
    needs_float64: bool = False


@dataclasses.dataclass(frozen=True)
class Hypothesis:
    """A condition of the theorem and whether it holds in a cell."""

    statement: str
    holds: bool


@dataclasses.dataclass(frozen=True)
class Prediction:
    """What the theory says of one measured variable of one cell.

    Attributes:
        value: the exact value (for ORDER the exponent, for RANKING the scores by item, for TREND and IMPOSSIBLE whether the
            typical run succeeds); an array follows ``dims``.
        of: the variable of the measured dataset it speaks of.
        dims: the names of an array's axes.
        relation: if it differs from the claim's.
        one_sided: ORDER only: an upper bound on the error (exponent at least ``value``) instead of the exact exponent.
        constant: ORDER only: the predicted leading constant, error = constant * step**value * (1 + o(1)).
        constant_resolution: ORDER only: the nearest rival constant, as a share of this one: 0.05 tells 1 from 1.05.
        mean: the dimension over which the variable holds independent samples: the prediction speaks of their expectation.
        skewness: bound on the skewness of one such sample, as in ``means``; None for the one stated there.
        resolution: how far the nearest rival statement lies; a budget wider than half of it has no power. None: for ORDER 1;
            for EQUALS between integers 1, between floats the distance to two thirds of the value (of the largest value of the
            cell where this one is 0, of 1 where all are); for AT_MOST and AT_LEAST a share of the bound, 0.1, within which the
            data must come (UNSHARP: nowhere in particular; such a verdict is marked loose); for IMPOSSIBLE the success rate to
            exclude, 0.01. An array, for EQUALS only, follows ``dims``.
        truncation: size of the next symbolic term that ``value`` leaves out; it widens the budget; an array follows ``dims``.
        hypotheses: checked conditions; a cell where one fails is INCONCLUSIVE.
        formula: the quantity in LaTeX, for the report.
    """

    value: Exact
    of: str = "measured"
    dims: tuple[str, ...] = ()
    relation: Relation | None = None
    one_sided: bool = False
    constant: float | None = None
    constant_resolution: float = 0.05
    mean: str = ""
    skewness: float | None = None
    resolution: float | np.ndarray | None = None
    truncation: float | np.ndarray = 0.0
    hypotheses: tuple[Hypothesis, ...] = ()
    formula: str = ""

    def array(self) -> xr.DataArray:
        """The value as floats with named axes."""
        return self.exact().astype(float)

    def exact(self) -> xr.DataArray:
        """The value with named axes, as it was given: Python integers and fractions of any size, or numpy's numbers."""
        given = self.value if isinstance(self.value, np.ndarray | np.generic) else np.array(self.value, dtype=object)
        return xr.DataArray(given, dims=self.dims)

    def left_out(self) -> xr.DataArray:
        """The truncation with named axes."""
        return self._named(self.truncation)

    def apart(self) -> xr.DataArray | None:
        """The stated resolution with named axes."""
        return None if self.resolution is None else self._named(self.resolution)

    def _named(self, numbers: Any) -> xr.DataArray:
        array = np.asarray(numbers, dtype=float)
        return xr.DataArray(array, dims=self.dims if array.ndim else ())


Predictions = Prediction | Sequence[Prediction]


def axis(*values: Any) -> Any:
    """Values of a grid's axis, as the default of a field that is annotated with the type of a single one."""
    return values


@dataclasses.dataclass(frozen=True)
class Grid:
    """The sizes of one run: fields whose default is a tuple are axes, the others are shared; a cell has one value per axis.

    Subclasses are frozen dataclasses with plain fields, all with defaults; override :meth:`allows` where the mathematics
    leaves cells out.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Small(Grid):
    ...     letters: int = axis(2, 3)
    ...     samples: int = 8
    >>> [cell.name for cell in Small(samples=4).cells()]
    ['letters=2', 'letters=3']
    """

    @classmethod
    def axes(cls) -> tuple[str, ...]:
        """Names of the fields that are axes."""
        return tuple(f.name for f in dataclasses.fields(cls) if isinstance(f.default, tuple))

    def cells(self) -> tuple[Any, ...]:
        """The product of the axes, in order, without the forbidden cells."""
        axes = self.axes()
        values = [value if isinstance(value := getattr(self, axis), tuple) else (value,) for axis in axes]
        cells = (dataclasses.replace(self, **dict(zip(axes, choice, strict=True))) for choice in itertools.product(*values))
        return tuple(cell for cell in cells if cell.allows())

    def allows(self) -> bool:
        """Whether the mathematics permits this cell."""
        return True

    @property
    def name(self) -> str:
        """The cell's coordinates, ``all`` for a grid without axes: stable, and part of the key of the cell's randomness."""
        return ",".join(f"{axis}={getattr(self, axis)}" for axis in self.axes()) or "all"


@dataclasses.dataclass(frozen=True)
class Control:
    """A neighbouring falsehood, which the same judge must refute from comparable data.

    Attributes:
        name: short, such as "one layer fewer".
        statement: the false statement.
        predict: cell -> prediction of the false statement, or None for a cell it does not speak of.
        measure: cell, key[, setting] -> dataset; None: the claim's own measurement.
        everywhere: whether every judged cell must refute it, or one is enough.
    """

    name: str
    statement: str
    predict: Callable[..., Predictions | None]
    measure: Callable[..., xr.Dataset] | None = None
    everywhere: bool = True


@dataclasses.dataclass(frozen=True)
class Picture:
    """What a claim draws itself, above the panels that follow from its relations.

    Attributes:
        height: inches.
        draw: an empty part of a matplotlib figure, and the measured dataset over ``cell``.
    """

    height: float
    draw: Callable[[Any, xr.Dataset], None]


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A claim's module, with its names present and of the right kind."""

    claim: Claim
    topic: str
    grids: Mapping[str, Grid]
    predict: Callable[..., Predictions]
    measure: Callable[..., xr.Dataset]
    controls: tuple[Control, ...]
    setting: Callable[..., Any] | None = None
    module: str = ""
    pictures: tuple[Picture, ...] = ()

    @classmethod
    def of(cls, module: ModuleType) -> "Experiment":
        """Read a claim's module.

        Raises:
            TypeError: names every part that is missing or of the wrong kind.
        """
        topic, _, slug = module.__name__.rpartition(".")
        claim = getattr(module, "CLAIM", None)
        grids = getattr(module, "GRIDS", {})
        problems = []
        if not isinstance(claim, Claim):
            problems.append("CLAIM must be a depthjax.verify.Claim")
        elif claim.slug != slug:
            problems.append(f"its slug is {claim.slug!r} but its file is {slug!r}")
        problems += [f"GRIDS lacks {size!r}" for size in ("quick", "full", "paper") if size not in grids]
        problems += [f"{name} must be a function" for name in ("predict", "measure") if not hasattr(module, name)]
        if not getattr(module, "CONTROLS", ()):
            problems.append("CONTROLS needs at least one neighbouring falsehood: a verdict without one has no known power")
        if problems:
            raise TypeError(f"{module.__name__} is not a claim: " + "; ".join(problems))
        assert isinstance(claim, Claim)
        return cls(
            claim=claim,
            topic=topic.rpartition(".")[2],
            grids=grids,
            predict=module.predict,
            measure=module.measure,
            controls=tuple(module.CONTROLS),
            setting=getattr(module, "setting", None),
            module=module.__name__,
            pictures=tuple(getattr(module, "PICTURES", ())),
        )
