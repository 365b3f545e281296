r"""The tail of the Baker-Campbell-Hausdorff series holds inside its radius, for the worst pairs a search can find.

Statement: let Z_n be the term of degree n of log(exp X exp Y), x = ||X||, y = ||Y||, s = x + y < 2. Then, in operator norm,

    || sum_{n > N} Z_n ||  <=  sum_{n > N} Theta_n s^n,     Theta_n = (1/n!) sum_d A(n, d) d! (n-1-d)! / n!,

A(n, d) the Eulerian numbers: the tail of the Magnus series for two tokens. It depends on the norms through their sum alone, so
the search is free to share it between X and Y. If X and Y commute there is no tail.

Hypotheses: s < 2. The radii of convergence are larger (2.898 in Banach algebras, pi for operators on a Hilbert space) but say
nothing of a tail: stretched a third beyond pi the formula fails already inside 2 (control).

Source: Mielnik, Plebanski 1970; Lakos, arXiv 1709.01791; tail derived in `theory.bounds`. Refuted by: one pair whose tail
passes the bound. Cost: 10 s on a CPU, most of it compilation.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import sympy
import xarray as xr

from depthjax.lie.tails import Sequences, random_sequences, searched, tails, with_mass
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import UNSHARP, Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory import bounds

CLAIM = Claim(
    slug="bch_tail_bound",
    title="The tail of the BCH series holds inside its radius, for the worst pairs found",
    statement=(
        "For ||X|| + ||Y|| = s < 2 the BCH series beyond degree N is at most sum_{n > N} Theta_n s^n in operator norm, "
        "Theta_n = (1/n!) sum_d A(n, d) d! (n-1-d)!/n!; for commuting pairs it is zero."
    ),
    latex=r"\Bigl\|\sum_{n>N} Z_n(X,Y)\Bigr\| \le \sum_{n>N}\Theta_n s^n,\qquad"
    r" \Theta_n = \frac1{n!}\sum_d A(n,d)\frac{d!\,(n-1-d)!}{n!},\quad s = \|X\|+\|Y\|",
    relation=Relation.AT_MOST,
    source=Source("Mielnik, Plebanski", "the Magnus series as a sum over permutations", "1970", "its tail derived here"),
    assumes=("the norm is an operator norm", "||X|| + ||Y|| is below 2 (checked)"),
    refuted_by="a pair with ||X|| + ||Y|| < 2 whose series leaves out more than the bound",
    cost="10 s on a CPU at quick size",
    needs_float64=True,
)

HIGHEST = 8


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The last degree kept is the cell; norms, random, searched and commuting pairs fill it."""

    order: int = axis(1, 2, 3, 5, 7)
    pairs: int = 8
    size: int = 2
    rounds: int = 100


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), pairs=64, size=3, rounds=1000),
    "paper": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), pairs=256, size=4, rounds=4000),
}


def setting(cell: Sizes) -> np.ndarray:
    """The sums of the two norms."""
    return np.array([float(s) for s in _sums()])


def predict(cell: Sizes, sums: np.ndarray) -> tuple[Prediction, ...]:
    """The tail at every sum of norms; zero where the pair commutes."""
    bound = bounds.bch(cell.order)
    inside = Hypothesis("every ||X|| + ||Y|| is below 2", all(holds for s in _sums() for _, holds in bound.check(x=s, y=0)))
    values = np.array([bound.at(x=s, y=0) for s in _sums()])
    return (
        Prediction(
            values,
            of="tail",
            resolution=UNSHARP,
            dims=("sum",),
            hypotheses=(inside,),
            formula=r"\sum_{n>N} \Theta_n s^n",
        ),
        Prediction(0.0, of="commuting", relation=Relation.EQUALS),
    )


def measure(cell: Sizes, key: jax.Array, sums: np.ndarray) -> xr.Dataset:
    """Tails of random pairs, of those pairs after the search, and of X with a polynomial in X."""
    draw_key, search_key = jax.random.split(key)
    wanted = jnp.asarray(np.repeat(sums, cell.pairs))
    start = _pairs(random_sequences(draw_key, len(wanted), 4, 2, cell.size).matrices)
    x = start.matrices[:, 0] / jnp.linalg.norm(start.matrices[:, 0], ord=2, axis=(1, 2), keepdims=True)
    groups = {
        "random": with_mass(start, wanted),
        "searched": searched(search_key, start, wanted, cell.order, HIGHEST, cell.rounds, 0.0),
        "commuting": with_mass(_pairs(jnp.stack([x, x @ x - 2 * x], axis=1)), wanted),
    }
    shape = (len(sums), cell.pairs)
    found = {name: np.asarray(tails(g, HIGHEST).series)[:, cell.order - 1].reshape(shape) for name, g in groups.items()}
    # a token's exponential is at most 13 products of matrices, the terms are sums of a few hundred brackets
    floor = rounding_floor(400 * cell.size * 2, wanted.dtype, sums * np.exp(sums))
    unit = {"units": "operator norm"}
    return xr.Dataset(
        {
            "tail": (
                ("kind", "sum", "pair"),
                np.stack([found["random"], found["searched"]]),
                unit | {"long_name": f"series beyond degree {cell.order}"},
            ),
            "tail_floor": ("sum", floor),
            "commuting": (("sum", "pair"), found["commuting"], unit | {"long_name": "tail of commuting pairs"}),
            "commuting_floor": ("sum", floor),
        },
        coords={"sum": ("sum", sums, {"long_name": "‖X‖ + ‖Y‖"}), "kind": ["random", "searched"]},
    )


def _sums() -> list[sympy.Expr]:
    """From an eighth to seven eighths of the radius 2, exactly."""
    return [sympy.Rational(k, 4) for k in (1, 2, 4, 7)]


def _pairs(matrices: jax.Array) -> Sequences:
    """X, then Y, then silence: sequences of the length that `magnus_tail_bound` uses, so that one program serves both."""
    increments = jnp.broadcast_to(jnp.eye(4, 2, dtype=matrices.dtype)[None], (len(matrices), 4, 2))
    return Sequences(increments, matrices)


def _mean(cell: Sizes, sums: np.ndarray) -> Prediction:
    bound = bounds.bch(cell.order)
    return Prediction(np.array([bound.at(x=s / 2, y=0) for s in _sums()]), of="tail", dims=("sum",))


def _beyond_the_sharp_radius(cell: Sizes, sums: np.ndarray) -> Prediction:
    bound, radius = bounds.bch(cell.order), sympy.Rational(bounds.magnus_radius("hilbert").at()) * 4 / 3
    return Prediction(np.array([bound.at(x=2 * s / radius, y=0) for s in _sums()]), of="tail", dims=("sum",))


CONTROLS = (
    Control("the mean for the sum", "the tail holds with the mean of the two norms for their sum", _mean),
    Control(
        "a radius beyond the sharp one",
        "the tail holds with a radius a third beyond that of convergence of operators",
        _beyond_the_sharp_radius,
    ),
)
