"""What theory says of one measured quantity of one cell."""

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import xarray as xr

from depthjax import dtypes
from depthjax.verify.relation import Relation

Exact = int | float | complex | Fraction | np.integer | np.ndarray | tuple | list

UNSHARP = math.inf  # resolution of a bound that is said to hold, not to be sharp


@dataclasses.dataclass(frozen=True)
class Hypothesis:
    """A condition of the theorem and whether it holds in a cell.

    >>> Hypothesis("the group is solvable", True).holds
    True
    """

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

    >>> Prediction(3, of="error", constant=0.5).value
    3
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
        given = (
            dtypes.wide(self.value) if isinstance(self.value, np.ndarray | np.generic) else np.array(self.value, dtype=object)
        )
        return xr.DataArray(given, dims=self.dims)

    def left_out(self) -> xr.DataArray:
        """The truncation with named axes."""
        return self._named(self.truncation)

    def apart(self) -> xr.DataArray | None:
        """The stated resolution with named axes."""
        return None if self.resolution is None else self._named(self.resolution)

    def _named(self, numbers: Any) -> xr.DataArray:
        array = np.asarray(numbers, dtype=float)
        if array.ndim not in (0, len(self.dims)):
            raise ValueError(
                f"a resolution or truncation of {self.of!r} has shape {array.shape}: expected one number, or one for each "
                f"point of the prediction's axes, {', '.join(map(repr, self.dims)) or 'of which it has none'}"
            )
        return xr.DataArray(array, dims=self.dims if array.ndim else ())


Predictions = Prediction | Sequence[Prediction]
