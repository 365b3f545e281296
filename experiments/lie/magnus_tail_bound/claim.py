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
Refuted by: a token sequence whose series leaves out more than one of the bounds, a sharp tail that stays a hundredth away, and
    what sampling adds, or an older tail below the sum of its terms.
Cost: quick 15 s on one core, full about 5 min.

The older tails are

    recent:     4 q^(N+1) min(1/N, 1/((N+1)^2 (1-q)))     (Apel, Cubitt, Onorati, arXiv 2509.18312)
    classical:  pi q^(N+1) / (1-q)                        (Blanes, Casas, Oteo, Ros 1998)

and sum the terms 4 q^n / n^2 and pi q^n. These terms are summed as well: beyond the discs their sums have no bound.

Two searches attack the bounds. In the spectral norm, a gradient ascent over tokens and matrices up to 6 x 6 reaches 0.6 of the
next term at N = 1 and 0.02 at N = 7: operators on a Hilbert space leave less. In the free algebra the worst tokens are
known, and their tails are read off the coefficients of words, which `depthjax.instruments.free_words` computes from the cuts of
a word and not from Eulerian numbers. Degrees 9 to 16 are means over random words, and what lies beyond is not summed.
"""

import dataclasses
import math
from fractions import Fraction
from functools import partial

import numpy as np

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, among, axis, claim, control, domain, real, rival, scaled, whole
from theory import bounds
from theory.lie.tails import permutation_constant

CLAIM = claim(Relation.AT_MOST, needs_float64=True)
HEADLINE = "free_sharp"
MASSES = 1 / 8, 6 / 8, 10 / 8  # beside the largest one of the cell; the radius is 2
BEYOND = 9 / 4  # a mass outside every radius

OLDER = "recent_terms", "classical_terms"  # the series that the older tails sum; beyond their discs these have no bound


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The last degree that is kept, the largest mass; sequences, the rounds of their ascent, random words of each degree."""

    order: int = axis(1, 2, 4, 7)
    largest: float = 1.75  # mass
    sequences: int = 12
    length: int = 4
    size: int = 6
    rounds: int = 100
    highest: int = 8  # degree of the series that is cut
    free: int = 16  # degree through which tails in the free algebra are summed
    samples: int = 1024

    @property
    def masses(self) -> tuple[float, ...]:
        """The masses inside the radius."""
        return *MASSES, self.largest


DOMAIN = domain(
    order=whole(1, 7, test=3),
    largest=real(0.05, 1.75),
    length=among(2, 3, 4, 6, 8, quick=(4,)),
    size=among(2, 3, 4, 5, 6, quick=(6,), test=(3,)),
)


GRIDS = {
    "test": Sizes(order=axis(3), highest=4, sequences=4, length=4, rounds=20, size=3),
    "quick": Sizes(),
    "full": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), sequences=96, rounds=500, samples=2**14),
    "paper": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), sequences=384, length=16, rounds=4000, samples=2**18),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The tails and the distance of the flows at every mass, infinity where a radius is exceeded; the next constant."""
    three = bounds.magnus, bounds.magnus_recent, bounds.magnus_classical
    sharp, recent, classical = ([_inside(tail(cell.order, s)) for s in (*cell.masses, BEYOND)] for tail in three)
    sizes = [s + bounds.magnus(1, s).at() for s in cell.masses]
    flow = [bounds.flow(gap=gap, size=size).at() for gap, size in zip(sharp, sizes, strict=False)]
    formula = r"\sum_{n>N} \Theta_n s^n", r"4 q^{N+1} \min\bigl(\tfrac1N, \tfrac1{(N+1)^2(1-q)}\bigr)", r"\pi q^{N+1} / (1-q)"
    n = cell.order + 1
    constant = float(permutation_constant(n) * Fraction(math.factorial(n), n**n))

    last = float(permutation_constant(cell.order))
    earlier = [tail + last * s**cell.order for tail, s in zip(sharp, (*cell.masses, BEYOND), strict=True)]
    equals = partial(Prediction, relation=Relation.EQUALS)

    def at_most(of: str, values: list[float], formula: str, sharp: bool = False) -> Prediction:
        values, dim = (values, "reach") if of.startswith(("free", *OLDER)) else (values[: len(cell.masses)], "mass")
        return Prediction(np.array(values), of=of, resolution=0.01 if sharp else UNSHARP, dims=(dim,), formula=formula)

    return (
        *(at_most("tail", values, words) for values, words in zip((sharp, recent, classical), formula, strict=True)),
        at_most("flow_error", flow, r"\sum_{n>N} \Theta_n s^n e^{s + \dots}"),
        at_most("free_sharp", sharp, formula[0], sharp=True),
        at_most("free_earlier", earlier, r"\sum_{n \ge N} \Theta_n s^n", sharp=True),
        equals(cell.masses, "masses_run", ("mass",), resolution=0.01 * np.array(cell.masses)),
        equals(2 * cell.sequences, "sequences"),
        at_most("free_tail", recent, formula[1]),
        at_most("free_tail", classical, formula[2]),
        at_most("recent_terms", recent, formula[1]),
        at_most("classical_terms", classical, formula[2], sharp=True),
        Prediction(constant, of="free_constant", relation=Relation.EQUALS, formula=r"\Theta_n n! / n^n"),
    )


def _inside(bound: bounds.Bound) -> float:
    return bound.at() if all(holds for _, holds in bound.check()) else math.inf


def _of_larger_mass(cell: Sizes) -> tuple[Prediction, ...]:
    """The masses that are really run, the largest one at most, and the sharp tails that hold for them."""
    masses = np.minimum(cell.length * np.array(cell.masses), max(cell.masses))
    tails = np.array([_inside(bounds.magnus(cell.order, float(s))) for s in masses])
    return (
        Prediction(masses, of="masses_run", dims=("mass",), relation=Relation.EQUALS, resolution=0.01 * masses),
        Prediction(cell.sequences, of="sequences", relation=Relation.EQUALS),
        Prediction(tails, of="tail", dims=("mass",), resolution=UNSHARP),
    )


def _twice(cell: Sizes) -> Prediction:
    """The norm of degree n of e^(2x) e^y e^z ..., from the numbers of words with two x by their strict descents.

    A word with d of them has the coefficient c_d = (-1)^d d! (n - 1 - d)! / n!, and half of c_d + c_(d + 1) where the two x are
    neighbours. A letter larger than all before it goes to the end or into one of the descents, or makes another descent.
    """
    n = cell.order + 1

    def inserted(counts: list[int], length: int) -> list[int]:
        for size in range(length, n - (length == 1)):
            before = [0, *counts, 0]
            counts = [(d + 1) * before[d + 1] + (size - d + 1) * before[d] for d in range(len(counts) + 1)]
        return [*counts, *[0] * (n + 1 - len(counts))]

    words, beside = inserted([1], 2), inserted([1], 1)  # all of them, and those whose two x are one letter
    c = [Fraction((-1) ** d * math.factorial(d) * math.factorial(n - 1 - d), math.factorial(n)) for d in range(n)]
    total = sum((words[d] - beside[d]) * abs(c[d]) for d in range(n))
    total += sum(beside[d] * abs(c[d] + c[d + 1]) / 2 for d in range(n - 1))
    return Prediction(float(4 * total / n**n), of="free_constant", relation=Relation.EQUALS)


CONTROLS = (
    control(
        "one degree fewer",
        "the sharp tail holds for a series that is cut one degree earlier",
        instead={"free_sharp": "free_earlier"},
    ),
    control(
        "one token for the mass",
        "the tails hold with the norm of a token for the mass",
        measure="largest_token",
        predict=lambda cell: predict(cell)[:3],
        finds=_of_larger_mass,
    ),
    control(
        "a letter that comes twice",
        "tokens that are equal attain the constants too",
        measure="twice",
        finds=_twice,
        everywhere=False,
    ),
)


def _recent(cell: Sizes) -> Prediction:
    """Nine tenths of the recent tail where it holds."""
    tails = [_inside(bounds.magnus_recent(cell.order, s)) for s in (*cell.masses, BEYOND)]
    values = np.array([0.9 * tail if math.isfinite(tail) else 0.0 for tail in tails])
    return Prediction(values, of="free_tail", dims=("reach",), relation=Relation.AT_LEAST)


RIVALS = (
    scaled(0.98, of="free_sharp", name="constants smaller by a fiftieth"),
    scaled(0.98, of="free_constant", name="a constant smaller by a fiftieth"),
    rival("the recent tail", _recent, "different letters come within a tenth of the recent tail"),
)
