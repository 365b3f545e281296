r"""The tail of the Magnus series stays under an explicit bound in every operator norm, and no smaller constants do.

Statement: Let s = sum_t ||A_t|| be the mass of a sequence of tokens, Omega_n the term of degree n of log(exp A_1 ... exp
    A_T), and A(n, d) the Eulerian numbers. In every operator norm and for s < 2, the terms beyond degree N sum to at most the
    sharp tail. Tokens that are different letters of the free associative algebra attain it in the limit of many tokens, so no
    Theta_n may be smaller. Two older tails hold on a smaller disc: with q = 0.920075 s, the recent one for q <= 1 and the
    classical one for q < 1. The product of the exponentials differs from exp(Omega_1 + ... + Omega_N) by at most the sharp
    tail times exp(s + the sharp tail beyond degree one).
    $$ \Bigl\|\sum_{n>N}\Omega_n\Bigr\| \le \sum_{n>N}\Theta_n s^n \le \frac{\Theta_{N+1}s^{N+1}}{1-s/2},\qquad
       \Theta_n = \frac1{n!}\sum_d A(n,d)\frac{d!\,(n-1-d)!}{n!},\quad s = \sum_t \|A_t\| $$
Hypotheses: the norm is an operator norm; the mass is below 2 (checked; beyond it nothing is predicted).
Source: Mielnik, Plebański, “Combinatorial approach to Baker-Campbell-Hausdorff exponents”, Ann. Inst. H. Poincaré A 12
    (1970), tail derived in `theory.bounds`.
Refuted by: a token sequence whose series leaves out more than one of the bounds, or a sharp tail that stays a tenth away.
Cost: quick 15 s on one core, full about 5 min.

The older tails are

    recent:     4 q^(N+1) min(1/N, 1/((N+1)^2 (1-q)))     (Apel, Cubitt, Onorati, arXiv 2509.18312)
    classical:  pi q^(N+1) / (1-q)                        (Blanes, Casas, Oteo, Ros 1998)

Two searches attack the bounds. In the spectral norm, a gradient ascent over tokens and matrices up to 6 x 6 reaches 0.6 of the
next term at N = 1 and 0.02 at N = 7: operators on a Hilbert space leave less. In the free algebra the worst tokens are
known, and their tails are read off the coefficients of words, which `depthjax.probe.free_words` computes from the cuts of a
word and not from Eulerian numbers. Degrees 9 to 16 are means over random words.
"""

import dataclasses
import math
from fractions import Fraction
from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.free_words import different_letters, logarithm_coefficients
from depthjax.probe.rounding import rounding_floor
from depthjax.probe.tails import Sequences, climbed, of_norm_one, tail_floor, tails, varied_sequences, with_mass
from depthjax.verify import UNSHARP, Grid, Prediction, Quantity, Relation, axis, claim, control, measured, scaled
from theory import bounds
from theory.lie.tails import permutation_constant

CLAIM = claim(Relation.AT_MOST, needs_float64=True)

MASSES = tuple(Fraction(k, 8) for k in (1, 6, 10, 14))  # from a sixteenth to seven eighths of the radius 2
BEYOND = Fraction(9, 4)  # a mass outside every radius
TOKENS = 10**6  # different letters of the free algebra


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The last degree that is kept; the sequences, the rounds of their ascent, and the random words of each degree."""

    order: int = axis(1, 2, 3, 5, 7)
    sequences: int = 12
    length: int = 4
    size: int = 6
    rounds: int = 100
    highest: int = 8  # degree of the series that is cut
    free: int = 16  # degree through which tails in the free algebra are summed
    samples: int = 1024


GRIDS = {
    "test": Sizes(order=axis(3), highest=4, sequences=4, length=4, rounds=20, size=3),
    "quick": Sizes(),
    "full": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), sequences=96, rounds=500, samples=2**14),
    "paper": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), sequences=384, length=16, rounds=4000, samples=2**18),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The tails and the distance of the flows at every mass, infinity where a radius is exceeded; the next constant."""
    three = bounds.magnus, bounds.magnus_recent, bounds.magnus_classical
    sharp, recent, classical = ([_inside(tail(cell.order, s)) for s in (*MASSES, BEYOND)] for tail in three)
    sizes = [float(s) + bounds.magnus(1, s).at() for s in MASSES]
    flow = [bounds.flow(gap=gap, size=size).at() for gap, size in zip(sharp, sizes, strict=False)]
    formula = r"\sum_{n>N} \Theta_n s^n", r"4 q^{N+1} \min\bigl(\tfrac1N, \tfrac1{(N+1)^2(1-q)}\bigr)", r"\pi q^{N+1} / (1-q)"
    n = cell.order + 1
    constant = float(permutation_constant(n) * Fraction(math.factorial(n), n**n))

    def at_most(of: str, values: list[float], formula: str, sharp: bool = False) -> Prediction:
        values, dim = (values, "reach") if of == "free_tail" else (values[: len(MASSES)], "mass")
        return Prediction(np.array(values), of=of, resolution=None if sharp else UNSHARP, dims=(dim,), formula=formula)

    return (
        *(at_most("tail", values, words) for values, words in zip((sharp, recent, classical), formula, strict=True)),
        at_most("flow_error", flow, r"\sum_{n>N} \Theta_n s^n e^{s + \dots}"),
        at_most("free_tail", sharp, formula[0], sharp=True),
        at_most("free_tail", recent, formula[1]),
        at_most("free_tail", classical, formula[2]),
        Prediction(constant, of="free_constant", relation=Relation.EQUALS, formula=r"\Theta_n n! / n^n"),
    )


def _inside(bound: bounds.Bound) -> float:
    return bound.at() if all(holds for _, holds in bound.check()) else math.inf


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Tails of random sequences, of the same sequences after the ascent, and of different letters of the free algebra."""
    start_key, word_key = jax.random.split(key)
    start = varied_sequences(start_key, cell.sequences, cell.length, 2, cell.size)
    climb = climbed(start, cell.order, cell.highest, cell.rounds)
    letters = different_letters(word_key, cell.order + 1, cell.order + 1, cell.samples)
    constant, floor = letters.values[-1], letters.floor[-1]
    return _spectral(cell, {"random": start, "searched": of_norm_one(climb)}).merge(
        measured(
            reach=[*map(float, MASSES), float(BEYOND)],
            free_tail=_free_tail(cell, word_key),
            free_constant=Quantity(constant, floor=floor, label="norm of the first degree left out, different letters"),
        )
    )


def _spectral(cell: Sizes, groups: dict[str, Sequences], factor: float = 1.0) -> xr.Dataset:
    """Tails and flows of groups of sequences at every mass, multiplied by a factor as far as the series converges."""
    masses = np.array(MASSES, float)
    wanted = jnp.asarray(np.repeat(np.minimum(factor * masses, masses[-1]), cell.sequences))
    repeated = [jax.tree.map(lambda part: jnp.concatenate([part] * len(masses)), group) for group in groups.values()]
    found = [tails(with_mass(group, wanted), cell.highest) for group in repeated]
    floor = tail_floor(masses, cell.length, cell.size)[:, None]

    def quantity(field: str, label: str) -> Quantity:
        values = np.stack([np.asarray(getattr(tail, field))[:, cell.order - 1] for tail in found])
        values = values.reshape(len(found), len(masses), -1)
        return Quantity(values, "kind mass sequence", floor=floor, label=label, unit="operator norm")

    return measured(
        mass=masses,
        kind=list(groups),
        tail=quantity("series", f"series beyond degree {cell.order}"),
        flow_error=quantity("flow", "distance of the cut flow"),
    )


def _free_tail(cell: Sizes, key: jax.Array, order: int | None = None) -> Quantity:
    """The norm of what the series of different letters leaves out, through the last degree that is summed."""
    norms = different_letters(key, cell.free, TOKENS, cell.samples)
    powers = np.array([[float(s) ** n for n in range(1, cell.free + 1)] for s in (*MASSES, BEYOND)])
    powers[:, : cell.order if order is None else order] = 0
    values, floor, sampling = (powers @ part for part in norms)
    label = f"series of different letters beyond degree {cell.order}"
    return Quantity(values, "reach", floor=floor, sampling=sampling, rate=1e-8, label=label, unit="free norm")


def _one_degree_fewer(cell: Sizes, key: jax.Array) -> xr.Dataset:
    return measured(free_tail=_free_tail(cell, key, cell.order - 1))


def _largest_token(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """Sequences whose mass is the length times the number that stands for it: no token is larger than that number."""
    start = varied_sequences(key, cell.sequences, cell.length, 2, cell.size)
    climb = climbed(start, cell.order, cell.highest, cell.rounds)
    return _spectral(cell, {"searched": of_norm_one(climb)}, factor=cell.length)


def _twice(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The first of n letters once more in place of the second: e^x e^x is e^(2x), so its words of two x count four times."""
    n = cell.order + 1
    words = np.unique(np.maximum(list(permutations(range(n))), 1), axis=0)
    coefficients, sizes = 4 / n**n * logarithm_coefficients(words)
    floor = rounding_floor(n**3, np.dtype(float), sizes.sum())
    return measured(free_constant=Quantity(np.abs(coefficients).sum(), floor=floor))


CONTROLS = (
    control("one degree fewer", "the sharp tail holds for a series that is cut one degree earlier", measure=_one_degree_fewer),
    control("one token for the mass", "the tails hold with the norm of a token for the mass", measure=_largest_token),
    control("a letter that comes twice", "tokens that are equal attain the constants too", measure=_twice, everywhere=False),
)

RIVALS = (
    scaled(0.9, of="free_tail", name="constants smaller by a tenth"),
    scaled(0.98, of="free_constant", name="a constant smaller by a fiftieth"),
)
