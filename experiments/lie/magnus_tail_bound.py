r"""The explicit tails of the Magnus series hold inside their radius, for the worst token sequences a search can find.

Statement: let s = sum_t ||A_t|| be the mass of a sequence of tokens, Omega_n the degree-n term of log(exp A_1 ... exp A_T),
and Theta_n = (1/n!) sum_d A(n, d) d! (n-1-d)! / n! with the Eulerian numbers A(n, d). Then, in the operator norm,

    || sum_{n > N} Omega_n ||  <=  sum_{n > N} Theta_n s^n  <=  Theta_(N+1) s^(N+1) / (1 - s/2)     for s < 2
                               <=  4 q^(N+1) min(1/N, 1/((N+1)^2 (1-q)))     for q = s/xi <= 1      (recent)
                               <=  pi q^(N+1) / (1-q)                        for q < 1              (classical)

where 1/xi = 0.920075, and the product of the exponentials differs from exp(Omega_1 + ... + Omega_N) by at most the tail times
exp(s + the tail beyond degree 1). What is judged writes out eight terms before the geometric series.

Hypotheses: s is the sum of the norms of the tokens; the norm of the largest token will not do (control).

How loose: no smaller Theta_n hold in every Banach algebra, but operators on a Hilbert space leave less. The witness control
divides the sharp bound by the power of two that an exact pair of matrices already passes; the measured tightness of the
searched sequences is in the verdict.

Source: Mielnik, Plebanski 1970; Blanes, Casas, Oteo, Ros 1998; Apel, Cubitt, Onorati, arXiv 2509.18312; summed in
`theory.bounds`. Refuted by: one sequence whose tail passes the bound. Cost: 5 s on a CPU, most of it compilation.
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

from depthjax.lie.tails import Sequences, random_sequences, searched, tails, with_mass
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import UNSHARP, Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory import bounds, lie

CLAIM = Claim(
    slug="magnus_tail_bound",
    title="The tail of the Magnus series holds inside its radius, for the worst sequences found",
    statement=(
        "For tokens of total norm s < 2 the Magnus series beyond degree N is at most sum_{n > N} Theta_n s^n in operator norm, "
        "Theta_n = (1/n!) sum_d A(n, d) d! (n-1-d)!/n!."
    ),
    latex=r"\Bigl\|\sum_{n>N}\Omega_n\Bigr\| \le \sum_{n>N}\Theta_n s^n \le \frac{\Theta_{N+1}s^{N+1}}{1-s/2},\qquad"
    r" \Theta_n = \frac1{n!}\sum_d A(n,d)\frac{d!\,(n-1-d)!}{n!},\quad s = \sum_t \|A_t\|",
    relation=Relation.AT_MOST,
    source=Source("Mielnik, Plebanski", "the Magnus series as a sum over permutations", "1970", "its tail derived here"),
    assumes=("the norm is an operator norm", "the mass, the sum of the norms of the tokens, is below 2 (checked)"),
    refuted_by="a token sequence of mass below 2 whose series leaves out more than the bound",
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
    """The tail, and the distance of the flows, at every mass."""
    sharp = np.array([bounds.magnus(cell.order, s).at() for s in _masses()])
    sizes = [float(s) + bounds.magnus(1, s).at() for s in _masses()]
    flow = [bounds.flow(gap=gap, size=size).at() for gap, size in zip(sharp, sizes, strict=True)]
    inside = (Hypothesis("every mass is below 2", all(holds for s in _masses() for _, holds in bounds.magnus(1, s).check())),)
    formula = r"\sum_{n>N} \Theta_n s^n"
    return (
        Prediction(sharp, of="tail", resolution=UNSHARP, dims=("mass",), hypotheses=inside, formula=formula),
        Prediction(np.array(flow), of="flow_error", resolution=UNSHARP, dims=("mass",), hypotheses=inside),
        Prediction(sharp, of="witness", resolution=UNSHARP, dims=("mass",), hypotheses=inside, formula=formula),
    )


def _masses() -> list[sympy.Expr]:
    """From an eighth to seven eighths of the radius 2, exactly."""
    return [sympy.Rational(k, 4) for k in (1, 3, 5, 7)]


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
    """The least power of two that takes the sharp bound, at the least mass, under half of the witness's next term."""
    mass = _masses()[0]
    return 2 ** math.ceil(math.log2(2 * bounds.magnus(order, mass).at() / (_witness(order)[1] * float(mass) ** (order + 1))))


def _halved(cell: Sizes, given: dict) -> Prediction:
    sharp = np.array([bounds.magnus(cell.order, s).at() for s in _masses()])
    return Prediction(sharp / _divisor(cell.order), of="witness", dims=("mass",))


def _one_token(cell: Sizes, given: dict) -> Prediction:
    bound = [bounds.magnus(cell.order, s / len(WORD)).at() for s in _masses()]
    return Prediction(np.array(bound), of="witness", dims=("mass",))


CONTROLS = (
    Control("the largest token for the mass", "the tails hold with the largest norm of a token for the mass", _one_token),
    Control(
        "halved until violated",
        "the sharp tail may be divided by the power of two at which it falls under half of an exact pair's next term",
        _halved,
    ),
)
