r"""The explicit tails of the Magnus series hold inside their radius, for the worst token sequences a search can find.

Statement: let s = sum_t ||A_t|| be the mass of a sequence of tokens, q = s / xi with 1/xi = 0.920075, and Omega_n the
degree-n term of log(exp A_1 ... exp A_T). Then, in the operator norm,

    || sum_{n > N} Omega_n ||  <=  4 q^(N+1) min(1/N, 1/((N+1)^2 (1-q)))     for q <= 1     (recent)
                               <=  pi q^(N+1) / (1-q)                        for q < 1      (classical)

and the product of the exponentials differs from exp(Omega_1 + ... + Omega_N) by at most the tail times exp(s + the tail
beyond degree 1).

Hypotheses: s is the sum of the norms of the tokens; the norm of the largest token will not do (control).

How loose: the witness control divides the recent bound by the power of two that an exact pair of matrices already passes;
the measured tightness of the searched sequences is in the verdict.

Source: Blanes, Casas, Oteo, Ros 1998; Apel, Cubitt, Onorati, arXiv 2509.18312; summed in `theory.bounds`. Refuted by: one
sequence whose tail passes the bound. Cost: 5 s on a CPU, most of it compilation.
"""

import dataclasses
import math
from functools import lru_cache
from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import sympy
import xarray as xr

from depthjax.measure.errors import rounding_floor
from depthjax.measure.tails import Sequences, random_sequences, searched, tails, with_mass
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory import bounds, lie
from theory.errors import OutsideHypotheses

CLAIM = Claim(
    slug="magnus_tail_bound",
    title="The explicit tails of the Magnus series hold inside their radius, for the worst sequences found",
    statement=(
        "For tokens of total norm s <= xi the Magnus series beyond degree N is at most 4 q^(N+1) min(1/N, 1/((N+1)^2 (1-q))), "
        "q = s/xi, in operator norm, and inside the radius at most pi q^(N+1)/(1-q)."
    ),
    latex=r"\Bigl\|\sum_{n>N}\Omega_n\Bigr\| \le 4 q^{N+1}\min\Bigl(\tfrac1N,\tfrac{1}{(N+1)^2(1-q)}\Bigr)"
    r" \le \frac{\pi q^{N+1}}{1-q},\qquad q = \frac{1}{\xi}\sum_t \|A_t\|",
    relation=Relation.AT_MOST,
    source=Source("Apel, Cubitt, Onorati", "termwise bound on the Magnus series", "arXiv 2509.18312", "summed here"),
    assumes=("the norm is an operator norm", "the mass, the sum of the norms of the tokens, is at most xi (checked)"),
    refuted_by="a token sequence of mass at most xi whose series leaves out more than the bound",
    cost="5 s on a CPU at quick size",
    needs_float64=True,
)

HIGHEST = 8


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The last degree kept is the cell; masses, random and searched sequences fill it."""

    order: int = axis(1, 2, 3, 5, 7)
    sequences: int = 8
    length: int = 4
    size: int = 2
    rounds: int = 100


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), sequences=64, size=3, rounds=1000),
    "paper": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), sequences=256, length=8, size=4, rounds=4000),
}

# integer matrices of operator norm one; pairs of them, each held for half of the time, are the exact witnesses
UNITS = (((1, 0), (0, -1)), ((0, 1), (-1, 0)), ((0, 1), (1, 0)), ((0, 1), (0, 0)), ((0, 0), (1, 0)), ((1, 0), (0, 0)))
WORD = (0, 0, 1, 1)


def setting(cell: Sizes) -> dict:
    """The masses, and the pair of unit matrices whose next term is the largest."""
    return {"masses": np.array([float(s) for s in _masses()]), "pair": _witness(cell.order)[0]}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The two tails, and the distance of the flows, at every mass."""
    recent = np.array([bounds.magnus(cell.order, s).at() for s in _masses()])
    classical = np.array([_at(bounds.magnus_classical(cell.order, s)) for s in _masses()])
    sizes = [float(s) + bounds.magnus(1, s).at() for s in _masses()]
    flow = [bounds.flow(gap=gap, size=size).at() for gap, size in zip(recent, sizes, strict=True)]
    inside = (
        Hypothesis("every mass is at most xi", all(holds for s in _masses() for _, holds in bounds.magnus(1, s).check())),
    )
    formula = r"4 q^{N+1} \min(1/N, 1/((N+1)^2 (1-q)))"
    return (
        Prediction(recent, of="tail", dims=("mass",), hypotheses=inside, formula=formula),
        Prediction(classical, of="tail", dims=("mass",), formula=r"\pi q^{N+1}/(1-q)"),
        Prediction(np.array(flow), of="flow_error", dims=("mass",), hypotheses=inside),
        Prediction(recent, of="witness", dims=("mass",), hypotheses=inside, formula=formula),
    )


def _masses() -> list[sympy.Expr]:
    """A quarter of the radius to the radius, exactly."""
    radius = next(value for symbol, value in bounds.magnus(1).values.items() if str(symbol) == "xi")
    return [radius * k / 4 for k in range(1, 5)]


def _at(bound: bounds.Bound) -> float:
    """The bound; infinity where it does not apply, which is no bound."""
    try:
        return bound.at()
    except OutsideHypotheses:
        return math.inf


@lru_cache
def _witness(order: int) -> tuple[np.ndarray, float]:
    """The pair of units with the largest term of degree order + 1 on the word at mass one, and that term's norm; exact."""
    term = lie.magnus(WORD, order + 1).homogeneous(order + 1)
    found = []
    for pair in permutations(UNITS, 2):
        value = np.asarray(term.evaluate(*np.array(pair, dtype=object)))
        found.append((float(np.linalg.norm(value.astype(float), 2)) / len(WORD) ** (order + 1), pair))
    norm, pair = max(found)
    return np.array(pair), norm


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Tails of random sequences, of those sequences after the search, and of the exact pair."""
    draw_key, search_key = jax.random.split(key)
    masses = np.repeat(given["masses"], cell.sequences)
    start = random_sequences(draw_key, len(masses), cell.length, 2, cell.size)
    found = searched(search_key, start, jnp.asarray(masses), cell.order, HIGHEST, cell.rounds, 1.0)
    groups = {"random": with_mass(start, jnp.asarray(masses)), "searched": found}
    results = {name: tails(group, HIGHEST) for name, group in groups.items()}
    shape = (len(given["masses"]), cell.sequences)

    def gathered(field: str) -> np.ndarray:
        return np.stack([np.asarray(getattr(r, field))[:, cell.order - 1].reshape(shape) for r in results.values()])

    pair = _pair_sequences(given, cell, len(masses))
    witness = np.asarray(tails(pair, HIGHEST).series)[:: cell.sequences, cell.order - 1]
    # a token's exponential is at most 13 products of matrices, the terms are sums of a few hundred brackets
    floor = rounding_floor(400 * cell.size * cell.length, jnp.dtype("float64"), given["masses"] * np.exp(given["masses"]))
    axes = ("kind", "mass", "sequence")
    unit = {"units": "operator norm"}
    data = {
        "tail": (axes, gathered("series"), unit | {"long_name": f"series beyond degree {cell.order}"}),
        "tail_floor": ("mass", floor),
        "flow_error": (axes, gathered("flow"), unit | {"long_name": "distance of the cut flow"}),
        "flow_error_floor": ("mass", floor),
        "witness": ("mass", witness, unit | {"long_name": "the exact pair's tail"}),
        "witness_floor": ("mass", floor),
    }
    return xr.Dataset(data, coords={"mass": ("mass", given["masses"]), "kind": list(groups)})


def _pair_sequences(given: dict, cell: Sizes, batch: int) -> Sequences:
    """The witness's word, then silence; as many copies as there are random sequences, so that one program serves both."""
    increments = np.zeros((batch, cell.length, 2))
    increments[:, range(len(WORD)), WORD] = 1
    corner = np.zeros((batch, 2, cell.size, cell.size))
    corner[:, :, :2, :2] = given["pair"]
    masses = np.repeat(given["masses"], batch // len(given["masses"]))
    return with_mass(Sequences(jnp.asarray(increments), jnp.asarray(corner)), jnp.asarray(masses))


def _divisor(order: int) -> int:
    """The least power of two that takes the recent bound, at the least mass, under half of the witness's next term."""
    mass = _masses()[0]
    return 2 ** math.ceil(math.log2(2 * bounds.magnus(order, mass).at() / (_witness(order)[1] * float(mass) ** (order + 1))))


def _halved(cell: Sizes, given: dict) -> Prediction:
    recent = np.array([bounds.magnus(cell.order, s).at() for s in _masses()])
    return Prediction(recent / _divisor(cell.order), of="witness", dims=("mass",))


def _one_token(cell: Sizes, given: dict) -> Prediction:
    bound = [bounds.magnus(cell.order, s / len(WORD)).at() for s in _masses()]
    return Prediction(np.array(bound), of="witness", dims=("mass",))


CONTROLS = (
    Control("the largest token for the mass", "the tails hold with the largest norm of a token for the mass", _one_token),
    Control(
        "halved until violated",
        "the recent tail may be divided by the power of two at which it falls under half of an exact pair's next term",
        _halved,
    ),
)
