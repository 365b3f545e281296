r"""The tail of the Baker-Campbell-Hausdorff series holds inside its radius, for the worst pairs a search can find.

Statement: let Z_n be the term of degree n of log(exp X exp Y), x = ||X||, y = ||Y||, s = x + y. Then, in operator norm,

    || sum_{n > N} Z_n ||  <=  -log(2 - e^s) - sum_{n <= N} a_n s^n            for s < log 2       (elementary)
                           <=  4 q^(N+1) min(1/N, 1/((N+1)^2 (1-q)))          for q = s/xi <= 1   (recent)

with a_n the coefficients of -log(2 - e^s) and 1/xi = 0.920075; the smaller of the two is judged. Both depend on the norms
through their sum alone, so the search is free to share it between X and Y. If X and Y commute there is no tail.

Hypotheses: s <= xi. The radii of convergence are larger (2.898 in Banach algebras, pi for operators on a Hilbert space) but
say nothing of a tail: put for xi into the formula they fail already inside xi (controls).

Source: Blanes, Casas, Oteo, Ros 1998; Apel, Cubitt, Onorati, arXiv 2509.18312; Lakos, arXiv 1709.01791. Refuted by: one pair
whose tail passes the bound. Cost: 10 s on a CPU, most of it compilation.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import sympy
import xarray as xr

from depthjax.measure.errors import rounding_floor
from depthjax.measure.tails import Sequences, random_sequences, searched, tails, with_mass
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory import bounds

CLAIM = Claim(
    slug="bch_tail_bound",
    title="The tail of the BCH series holds inside its radius, for the worst pairs found",
    statement=(
        "For ||X|| + ||Y|| = s <= xi the BCH series beyond degree N is at most the smaller of the elementary tail (s < log 2) "
        "and 4 q^(N+1) min(1/N, 1/((N+1)^2 (1-q))), q = s/xi, in operator norm; for commuting pairs it is zero."
    ),
    latex=r"\Bigl\|\sum_{n>N} Z_n(X,Y)\Bigr\| \le \min\Bigl(-\log(2-e^{s}) - \sum_{n\le N} a_n s^n,\;"
    r" 4 q^{N+1}\min\bigl(\tfrac1N,\tfrac{1}{(N+1)^2(1-q)}\bigr)\Bigr),\qquad s = \|X\|+\|Y\|",
    relation=Relation.AT_MOST,
    source=Source("Apel, Cubitt, Onorati", "termwise bound on the Magnus series", "arXiv 2509.18312", "summed here"),
    assumes=("the norm is an operator norm", "||X|| + ||Y|| is at most xi (checked)"),
    refuted_by="a pair with ||X|| + ||Y|| <= xi whose series leaves out more than the bound",
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
    inside = Hypothesis("every ||X|| + ||Y|| is at most xi", all(holds for s in _sums() for _, holds in bound.check(x=s, y=0)))
    values = np.array([bound.at(x=s, y=0) for s in _sums()])
    return (
        Prediction(values, of="tail", dims=("sum",), hypotheses=(inside,), formula=r"\min(\text{elementary}, \text{recent})"),
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
    """An eighth of the radius to the radius, exactly: on both sides of log 2."""
    radius = next(value for symbol, value in bounds.bch(1).values.items() if str(symbol) == "xi")
    return [radius * k / 8 for k in (1, 2, 5, 8)]


def _pairs(matrices: jax.Array) -> Sequences:
    """X, then Y, then silence: sequences of the length that `magnus_tail_bound` uses, so that one program serves both."""
    increments = jnp.broadcast_to(jnp.eye(4, 2, dtype=matrices.dtype)[None], (len(matrices), 4, 2))
    return Sequences(increments, matrices)


def _with_radius(radius: sympy.Expr):
    def predict_with(cell: Sizes, sums: np.ndarray) -> Prediction:
        bound = bounds.bch(cell.order)
        stretched = dataclasses.replace(bound, values={symbol: radius for symbol in bound.values})
        return Prediction(np.array([stretched.at(x=s, y=0) for s in _sums()]), of="tail", dims=("sum",))

    return predict_with


_SHARP = sympy.Rational(bounds.magnus_radius("hilbert").at())

CONTROLS = (
    Control(
        "the sharp radius in the tail",
        "the tail holds with the radius of convergence of operators for xi",
        _with_radius(_SHARP),
    ),
    Control(
        "a radius beyond the sharp one",
        "the tail holds with a radius a third beyond the sharp one",
        _with_radius(_SHARP * 4 / 3),
    ),
)
