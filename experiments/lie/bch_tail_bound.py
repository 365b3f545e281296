r"""The tail of the Baker-Campbell-Hausdorff series stays under its bound for the worst pairs that a search finds.

Statement: Let Z_n be the term of degree n of log(exp X exp Y), and let s = ||X|| + ||Y|| < 2. In operator norm, the terms
    beyond degree N sum to at most the tail of the Magnus series of two tokens; A(n, d) are the Eulerian numbers. If X and Y
    commute, every term beyond degree one vanishes.
    $$ \Bigl\|\sum_{n>N} Z_n(X,Y)\Bigr\| \le \sum_{n>N}\Theta_n s^n,\qquad
       \Theta_n = \frac1{n!}\sum_d A(n,d)\frac{d!\,(n-1-d)!}{n!},\quad s = \|X\|+\|Y\| $$
Hypotheses: the norm is an operator norm; ||X|| + ||Y|| is below 2 (checked).
Source: Mielnik, Plebański, “Combinatorial approach to Baker-Campbell-Hausdorff exponents”, Ann. Inst. H. Poincaré A 12
    (1970), tail derived in `theory.bounds`.
Refuted by: a pair with ||X|| + ||Y|| < 2 whose series leaves out more than the bound.
Cost: quick 10 s on a CPU, most of it compilation.

The bound depends on the two norms through their sum alone, so the search may share it between X and Y. The series converges
in larger discs (2.898 in Banach algebras, pi for operators on a Hilbert space), but a radius says nothing of a tail:
stretched to a radius a third beyond pi, the formula fails already inside 2 (rival).
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.lie.tails import Sequences, random_sequences, searched, tails, with_mass
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory import bounds

CLAIM = claim(Relation.AT_MOST, needs_float64=True)

SUMS = tuple(Fraction(k, 4) for k in (1, 2, 4, 7))  # of the two norms: from an eighth to seven eighths of the radius 2


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The last degree that is kept; how many pairs, of which size, are climbed for how long."""

    order: int = axis(1, 2, 3, 5, 7)
    pairs: int = 8
    size: int = 2
    rounds: int = 100
    highest: int = 8  # degree of the series that is cut


GRIDS = {
    "test": Sizes(order=axis(2), highest=4),
    "quick": Sizes(),
    "full": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), pairs=64, size=3, rounds=1000),
    "paper": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), pairs=256, size=4, rounds=4000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The tail at every sum of norms; nothing where the pair commutes."""
    bound = bounds.bch(cell.order)
    inside = Hypothesis("every ||X|| + ||Y|| is below 2", all(holds for s in SUMS for _, holds in bound.check(x=s, y=0)))
    tail = dataclasses.replace(_tail(cell), resolution=UNSHARP, hypotheses=(inside,), formula=r"\sum_{n>N} \Theta_n s^n")
    return tail, Prediction(0.0, of="commuting", relation=Relation.EQUALS)


def _tail(cell: Sizes, stretch: Fraction | float = 1) -> Prediction:
    """The bound at the sums of norms, each multiplied by a factor."""
    bound = bounds.bch(cell.order)
    return Prediction(np.array([bound.at(x=stretch * s, y=0) for s in SUMS]), of="tail", dims=("sum",))


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Tails of random pairs, of the same pairs after the search, and of X with a polynomial in X."""
    draw_key, search_key = jax.random.split(key)
    sums = np.array(SUMS, float)
    wanted = jnp.asarray(np.repeat(sums, cell.pairs))
    start = _pairs(random_sequences(draw_key, len(wanted), 4, 2, cell.size).matrices)
    x = start.matrices[:, 0] / jnp.linalg.norm(start.matrices[:, 0], ord=2, axis=(1, 2), keepdims=True)

    def left_out(pairs: Sequences) -> np.ndarray:
        return np.asarray(tails(pairs, cell.highest).series)[:, cell.order - 1].reshape(len(sums), cell.pairs)

    climbed = searched(search_key, start, wanted, cell.order, cell.highest, cell.rounds, 0.0)
    found = np.stack([left_out(with_mass(start, wanted)), left_out(climbed)])
    commuting = left_out(with_mass(_pairs(jnp.stack([x, x @ x - 2 * x], axis=1)), wanted))
    # a token's exponential is at most 13 products of matrices, the terms are sums of a few hundred brackets
    floor = rounding_floor(400 * cell.size * 2, wanted.dtype, sums * np.exp(sums))[:, None]
    unit = "operator norm"
    return measured(
        sum=Quantity(sums, "sum", label="‖X‖ + ‖Y‖"),
        kind=["random", "searched"],
        tail=Quantity(found, "kind sum pair", floor=floor, label=f"series beyond degree {cell.order}", unit=unit),
        commuting=Quantity(commuting, "sum pair", floor=floor, label="tail of commuting pairs", unit=unit),
    )


def _pairs(matrices: jax.Array) -> Sequences:
    """X, then Y, then silence: as long as the sequences of `magnus_tail_bound`, so that one program serves both claims."""
    increments = jnp.broadcast_to(jnp.eye(4, 2, dtype=matrices.dtype)[None], (len(matrices), 4, 2))
    return Sequences(increments, matrices)


CONTROLS = (control("pairs that do not commute", "no term beyond degree N is left of any pair", instead={"commuting": "tail"}),)

RIVALS = (
    rival("the mean for the sum", lambda cell: _tail(cell, Fraction(1, 2)), "s is the mean of the two norms"),
    rival(
        "a radius beyond the sharp one",
        lambda cell: _tail(cell, 2 / (4 / 3 * np.pi)),
        "the tail holds with a radius a third beyond pi, the radius of convergence for operators",
    ),
)
