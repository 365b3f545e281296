r"""The tail of the Magnus series stays under three explicit bounds for the worst token sequences that a search finds.

Statement: Let s = sum_t ||A_t|| be the mass of a sequence of tokens, Omega_n the term of degree n of log(exp A_1 ... exp
    A_T), and A(n, d) the Eulerian numbers. In operator norm, the terms beyond degree N sum to at most the sharp tail for s
    < 2. Two older tails hold on a smaller disc: with q = 0.920075 s, the recent one for q <= 1 and the classical one for q
    < 1. The product of the exponentials differs from exp(Omega_1 + ... + Omega_N) by at most the sharp tail times exp(s +
    the sharp tail beyond degree one).
    $$ \Bigl\|\sum_{n>N}\Omega_n\Bigr\| \le \sum_{n>N}\Theta_n s^n \le \frac{\Theta_{N+1}s^{N+1}}{1-s/2},\qquad
       \Theta_n = \frac1{n!}\sum_d A(n,d)\frac{d!\,(n-1-d)!}{n!},\quad s = \sum_t \|A_t\| $$
Hypotheses: the norm is an operator norm; the mass is below 2 (checked).
Source: Mielnik, Plebański, “Combinatorial approach to Baker-Campbell-Hausdorff exponents”, Ann. Inst. H. Poincaré A 12
    (1970), tail derived in `theory.bounds`.
Refuted by: a token sequence whose series leaves out more than one of the bounds inside its radius.
Cost: quick 5 s on a CPU, most of it compilation.

The older tails are

    recent:     4 q^(N+1) min(1/N, 1/((N+1)^2 (1-q)))     (Apel, Cubitt, Onorati, arXiv 2509.18312)
    classical:  pi q^(N+1) / (1-q)                        (Blanes, Casas, Oteo, Ros 1998)

No constants below Theta_n hold in every Banach algebra, but operators on a Hilbert space leave less. The exact witness, one
pair of integer matrices that are each held for half of the time, says how loose the sharp tail is there (rival).
"""

import dataclasses
import math
from fractions import Fraction
from functools import lru_cache
from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.lie.tails import Sequences, random_sequences, searched, tails, with_mass
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory import bounds, lie

CLAIM = claim(Relation.AT_MOST, needs_float64=True)

MASSES = tuple(Fraction(k, 4) for k in (1, 3, 5, 7))  # from an eighth to seven eighths of the radius 2

# integer matrices of operator norm one, two of which form the exact witness
UNITS = (((1, 0), (0, -1)), ((0, 1), (-1, 0)), ((0, 1), (1, 0)), ((0, 1), (0, 0)), ((0, 0), (1, 0)), ((1, 0), (0, 0)))
WORD = (0, 0, 1, 1)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The last degree that is kept; how many sequences, of which size, are climbed for how long."""

    order: int = axis(1, 2, 3, 5, 7)
    sequences: int = 8
    length: int = 4
    size: int = 2
    rounds: int = 100
    highest: int = 8  # degree of the series that is cut


GRIDS = {
    "test": Sizes(order=axis(2), highest=4),
    "quick": Sizes(),
    "full": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), sequences=64, size=3, rounds=1000),
    "paper": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), sequences=256, length=8, size=4, rounds=4000),
}


def objects(cell: Sizes) -> dict:
    """The pair of unit matrices whose next term on the word is the largest."""
    return {"pair": _witness(cell.order)[0]}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The three tails and the distance of the flows at every mass; infinity where a tail's radius is exceeded."""
    three = bounds.magnus, bounds.magnus_recent, bounds.magnus_classical
    sharp, recent, classical = ([_inside(tail(cell.order, s)) for s in MASSES] for tail in three)
    sizes = [float(s) + bounds.magnus(1, s).at() for s in MASSES]
    flow = [bounds.flow(gap=gap, size=size).at() for gap, size in zip(sharp, sizes, strict=True)]
    small = (Hypothesis("every mass is below 2", math.isfinite(max(sharp))),)

    def at_most(of: str, values: list[float], formula: str) -> Prediction:
        return Prediction(np.array(values), of=of, resolution=UNSHARP, dims=("mass",), hypotheses=small, formula=formula)

    return (
        at_most("tail", sharp, r"\sum_{n>N} \Theta_n s^n"),
        at_most("tail", recent, r"4 q^{N+1} \min\bigl(\tfrac1N, \tfrac1{(N+1)^2(1-q)}\bigr)"),
        at_most("tail", classical, r"\pi q^{N+1} / (1-q)"),
        at_most("flow_error", flow, r"\sum_{n>N} \Theta_n s^n e^{s + \dots}"),
        at_most("witness", sharp, r"\sum_{n>N} \Theta_n s^n"),
    )


def _inside(bound: bounds.Bound) -> float:
    return bound.at() if all(holds for _, holds in bound.check()) else math.inf


@lru_cache
def _witness(order: int) -> tuple[np.ndarray, float]:
    """The pair of units with the largest term of degree order + 1 on the word at mass one, and that term's norm; exact."""
    term = lie.magnus(WORD, order + 1).homogeneous(order + 1)

    def norm(pair: tuple) -> float:
        value = np.asarray(term.evaluate(*np.array(pair, dtype=object)))
        return float(np.linalg.norm(value.astype(float), 2)) / len(WORD) ** (order + 1)

    largest, pair = max((norm(pair), pair) for pair in permutations(UNITS, 2))
    return np.array(pair), largest


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Tails of random sequences, of the same sequences after the search, and of the exact witness."""
    draw_key, search_key = jax.random.split(key)
    masses = np.array(MASSES, float)
    wanted = jnp.asarray(np.repeat(masses, cell.sequences))
    start = random_sequences(draw_key, len(wanted), cell.length, 2, cell.size)
    climbed = searched(search_key, start, wanted, cell.order, cell.highest, cell.rounds)
    groups = {"random": with_mass(start, wanted), "searched": climbed, "witness": _pair_sequences(given["pair"], cell, wanted)}
    found = {name: tails(group, cell.highest) for name, group in groups.items()}

    def left_out(name: str, field: str = "series") -> np.ndarray:
        return np.asarray(getattr(found[name], field))[:, cell.order - 1].reshape(len(masses), cell.sequences)

    # a token's exponential is at most 13 products of matrices, the terms are sums of a few hundred brackets
    floor = rounding_floor(400 * cell.size * cell.length, wanted.dtype, masses * np.exp(masses))
    both = {field: np.stack([left_out("random", field), left_out("searched", field)]) for field in ("series", "flow")}
    axes, label, unit = "kind mass sequence", f"series beyond degree {cell.order}", "operator norm"
    return measured(
        mass=masses,
        kind=["random", "searched"],
        tail=Quantity(both["series"], axes, floor=floor[:, None], label=label, unit=unit),
        flow_error=Quantity(both["flow"], axes, floor=floor[:, None], label="distance of the cut flow", unit=unit),
        witness=Quantity(left_out("witness")[:, 0], "mass", floor=floor, label="tail of the exact witness", unit=unit),
    )


def _pair_sequences(pair: np.ndarray, cell: Sizes, wanted: jax.Array) -> Sequences:
    """The witness's word, then silence; as many copies as there are random sequences, so that one program serves both."""
    increments = np.zeros((len(wanted), cell.length, 2))
    increments[:, range(len(WORD)), WORD] = 1
    corner = np.zeros((len(wanted), 2, cell.size, cell.size))
    corner[:, :, :2, :2] = pair
    return with_mass(Sequences(jnp.asarray(increments), jnp.asarray(corner)), wanted)


def _one_degree_fewer(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measure(dataclasses.replace(cell, order=max(cell.order - 1, 1)), key, given)


def _one_token(cell: Sizes, given: dict) -> Prediction:
    values = [bounds.magnus(cell.order, s / len(WORD)).at() for s in MASSES]
    return Prediction(np.array(values), of="witness", dims=("mass",))


def _divided(cell: Sizes, given: dict) -> Prediction:
    """The sharp tail over the least power of two that takes it under half of the witness's next term at the least mass."""
    sharp = np.array([bounds.magnus(cell.order, s).at() for s in MASSES])
    next_term = _witness(cell.order)[1] * float(MASSES[0]) ** (cell.order + 1)
    return Prediction(sharp / 2 ** math.ceil(math.log2(2 * sharp[0] / next_term)), of="witness", dims=("mass",))


CONTROLS = (
    control(
        "one degree fewer",
        "the tails hold for a series that is cut one degree earlier",
        measure=_one_degree_fewer,
        everywhere=False,  # beyond degree 3 the bounds are looser than one degree is worth, and at degree 1 none is dropped
    ),
)

RIVALS = (
    rival("the largest token for the mass", _one_token, "the tail holds with the largest norm of a token for the mass"),
    rival(
        "halved until violated",
        _divided,
        "the sharp tail may be divided by the power of two at which it falls under half of an exact pair's next term",
    ),
)
