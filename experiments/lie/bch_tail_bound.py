r"""The tail of the Baker-Campbell-Hausdorff series stays under its bound in every operator norm, and no smaller constants do.

Statement: Let Z_n be the term of degree n of log(exp X exp Y), and let |g_w| be the absolute Goldberg coefficient of a word w
    with i(w) letters X and j(w) letters Y. In every operator norm and for ||X|| + ||Y|| < 2 the terms beyond degree N sum to at
    most the sum of the |g_w|, weighted by the norms. Letters X and Y of the free associative algebra attain every term. Words
    beyond degree 12 are bounded together, by the tail of the Magnus series of two tokens. If X and Y commute, every term beyond
    degree one vanishes.
    $$ \Bigl\|\sum_{n>N} Z_n(X,Y)\Bigr\| \le \sum_{|w|>N} |g_w|\,\|X\|^{i(w)}\|Y\|^{j(w)},\qquad
       \sum_{|w|=n} |g_w|\,\|X\|^{i(w)}\|Y\|^{j(w)} \le \Theta_n (\|X\|+\|Y\|)^n $$
Hypotheses: the norm is an operator norm; ||X|| + ||Y|| is below 2 (checked; beyond it nothing is predicted).
Source: Goldberg, “The formal power series for log e^x e^y”, Duke Math. J. 23 (1956), sum of absolute values and tail derived
    in `theory.bounds`.
Refuted by: a pair whose series leaves out more than the bound, or letters whose series stays a tenth away from it.
Cost: quick 20 s on one core, full about 4 min.

A gradient ascent over matrices up to 6 x 6 reaches 0.96 of the next term at N = 1, 2, 3 in the spectral norm, and 0.4 of it at
N = 7. In the free algebra the coefficients of words are computed from the cuts of a word (`depthjax.probe.free_words`), and
not from Goldberg's integral.
"""

import dataclasses
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.free_words import pair_coefficients, pair_norms
from depthjax.probe.rounding import rounding_floor
from depthjax.probe.tails import Sequences, climbed, of_norm_one, tail_floor, tails, varied_sequences
from depthjax.verify import UNSHARP, Grid, Prediction, Quantity, Relation, axis, claim, control, measured, scaled
from theory import bounds
from theory.lie.goldberg import pair_constants

CLAIM = claim(Relation.AT_MOST, needs_float64=True)

SUMS = tuple(Fraction(k, 8) for k in (1, 6, 10, 14))  # of the two norms: from a sixteenth to seven eighths of the radius 2
BEYOND = Fraction(9, 4)  # a sum outside the radius of the bound


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The last degree that is kept, the share of X in the sum of the norms; the pairs and the rounds of their ascent."""

    order: int = axis(1, 2, 3, 5, 7)
    share: float = axis(0.5, 0.25)
    pairs: int = 12
    size: int = 6
    rounds: int = 100
    highest: int = 8  # degree of the series that is cut
    free: int = 12  # degree through which tails in the free algebra are summed

    def norms(self, total: Fraction | float) -> tuple[float, float]:
        """The norms of X and Y with this sum; no number of the grids is rounded."""
        return self.share * float(total), (1 - self.share) * float(total)


GRIDS = {
    "test": Sizes(order=axis(3), share=axis(0.25), highest=4, pairs=4, rounds=20, size=3),
    "quick": Sizes(),
    "full": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), pairs=96, rounds=500),
    "paper": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), pairs=384, rounds=4000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The tail at every sum of norms, infinity where the bound does not hold; the constants of the next degree."""
    values = np.array([_inside(bounds.bch(cell.order, *cell.norms(s))) for s in (*SUMS, BEYOND)])
    constants = [*reversed(pair_constants(cell.order + 1)), *[0] * (cell.highest - cell.order - 1)]
    formula = r"\sum_{|w|>N} |g_w|\,\|X\|^{i}\|Y\|^{j}"
    return (
        Prediction(values[: len(SUMS)], of="tail", resolution=UNSHARP, dims=("sum",), formula=formula),
        Prediction(values, of="free_tail", dims=("reach",), formula=formula),
        Prediction(np.array(constants, float), of="free_constants", relation=Relation.EQUALS, dims=("letters_y",)),
        Prediction(0.0, of="commuting", relation=Relation.EQUALS),
    )


def _inside(bound: bounds.Bound) -> float:
    return bound.at() if all(holds for _, holds in bound.check()) else math.inf


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Tails of random pairs, of the same pairs after the ascent, of X with a polynomial in X, and of two letters."""
    start = _pairs(cell, varied_sequences(key, cell.pairs, 2, 2, cell.size).matrices)
    x = start.matrices[:, 0]
    climb = climbed(start, cell.order, cell.highest, cell.rounds, 0.0)
    found = [_left_out(cell, pairs) for pairs in (start, climb)]
    sums, floor = np.array(SUMS, float), tail_floor(np.array(SUMS, float), 2, cell.size)[:, None]
    unit = "operator norm"
    return measured(
        sum=Quantity(sums, "sum", label="‖X‖ + ‖Y‖"),
        kind=["random", "searched"],
        reach=[*sums, float(BEYOND)],
        tail=Quantity(np.stack(found), "kind sum pair", floor=floor, label=f"series beyond degree {cell.order}", unit=unit),
        commuting=_commuting(cell, x, x @ x - 2 * x),
        free_tail=_free_tail(cell, cell.order),
        free_constants=_free_constants(cell, signed=False),
    )


def _pairs(cell: Sizes, matrices: jax.Array) -> Sequences:
    """X, then Y, of the norms that the cell wants at sum one."""
    increments = jnp.diag(jnp.array(cell.norms(1)))
    return of_norm_one(Sequences(jnp.broadcast_to(increments[None], (len(matrices), 2, 2)), matrices))


def _left_out(cell: Sizes, pairs: Sequences) -> np.ndarray:
    """Tails beyond the degree of the cell, by sum and pair."""
    count, sums = len(pairs.matrices), jnp.array(SUMS, float)
    matrices = sums[:, None, None, None, None] * of_norm_one(pairs).matrices[None]
    increments = jnp.concatenate([pairs.increments] * len(sums))
    found = tails(Sequences(increments, matrices.reshape(-1, *matrices.shape[2:])), cell.highest)
    return np.asarray(found.series)[:, cell.order - 1].reshape(len(sums), count)


def _commuting(cell: Sizes, x: jax.Array, y: jax.Array) -> Quantity:
    floor = tail_floor(np.array(SUMS, float), 2, cell.size)[:, None]
    tail = _left_out(cell, _pairs(cell, jnp.stack([x, y], axis=1)))
    return Quantity(tail, "sum pair", floor=floor, label="tail of commuting pairs", unit="operator norm")


def _free_tail(cell: Sizes, order: int) -> Quantity:
    norms = [pair_norms(cell.free, *cell.norms(s)) for s in (*SUMS, BEYOND)]
    values, floor = (np.array([getattr(n, part)[order:].sum() for n in norms]) for part in ("values", "floor"))
    return Quantity(values, "reach", floor=floor, label=f"series of two letters beyond degree {order}", unit="free norm")


def _free_constants(cell: Sizes, signed: bool) -> Quantity:
    """Sums over the words of the next degree with equal numbers of Y: of absolute coefficients, or of coefficients."""
    count, (coefficients, sizes) = pair_coefficients(cell.order + 1)
    parts = coefficients if signed else np.abs(coefficients), sizes
    summed, size = (np.bincount(count, part, cell.highest + 1) for part in parts)
    floor = rounding_floor(2 * (cell.order + 1) ** 3, np.dtype(float), size)
    return Quantity(summed, "letters_y", floor=floor, label="sum of |g_w|, by letters Y")


def _not_commuting(cell: Sizes, key: jax.Array) -> xr.Dataset:
    x, y = jnp.moveaxis(varied_sequences(key, cell.pairs, 2, 2, cell.size).matrices, 1, 0)
    return measured(commuting=_commuting(cell, x, y))


def _larger(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Pairs that are half as large again as the norms that stand for them, as far as the series converges."""
    start = _pairs(cell, varied_sequences(key, cell.pairs, 2, 2, cell.size).matrices)
    pairs = climbed(start, cell.order, cell.highest, cell.rounds, 0.0)
    return measured(tail=Quantity(_left_out(cell, pairs._replace(increments=1.5 * pairs.increments)), "sum pair", floor=0.0))


CONTROLS = (
    control(
        "one degree fewer",
        "the bound holds for a series that is cut one degree earlier",
        measure=lambda cell, key: measured(free_tail=_free_tail(cell, cell.order - 1)),
    ),
    control(
        "letters that commute",
        "the constants are the sums of the coefficients, as if letters commuted",
        measure=lambda cell, key: measured(free_constants=_free_constants(cell, signed=True)),
    ),
    control("pairs that do not commute", "no term beyond degree N is left of any pair", measure=_not_commuting),
    control("a norm taken too small", "the bound holds for pairs half as large again", measure=_larger, everywhere=False),
)

RIVALS = (
    scaled(0.9, of="free_tail", name="a bound smaller by a tenth"),
    scaled(0.98, of="free_constants", name="constants smaller by a fiftieth"),
)
