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
Refuted by: a pair whose series leaves out more than the bound, letters whose series stays a hundredth away from it, or words of
    two tokens beyond degree 12 that sum to more than what they are bounded by together.
Cost: quick 20 s on one core, full about 5 min.

A gradient ascent over matrices up to 6 x 6 reaches 0.96 of the next term at N = 1, 2, 3 in the spectral norm, and 0.4 of it at
N = 7. In the free algebra the coefficients of words are computed from the cuts of a word
(`depthjax.instruments.free_words`), and not from Goldberg's integral. They attain the bound while words through degree 12 are
most of it, as for small sums of norms. At ||X|| = ||Y|| = 7/8 they attain 0.57 of it beyond degree 1 and 0.03 beyond degree 7.
"""

import dataclasses
import math
from functools import partial

import numpy as np

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, among, axis, claim, control, domain, real, rival, scaled, whole
from theory import bounds
from theory.lie.goldberg import pair_constants
from theory.lie.tails import permutation_constant

CLAIM = claim(Relation.AT_MOST, needs_float64=True)
HEADLINE = "free_tail"
SUMS = 1 / 8, 6 / 8, 10 / 8  # of the two norms, beside the largest one of the cell; the radius is 2
BEYOND = 9 / 4  # a sum outside the radius of the bound
TOGETHER = 12  # degree beyond which the bound takes words together


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The last degree kept, the share of X in the sum of the norms, the largest sum; pairs, rounds of their ascent."""

    order: int = axis(1, 2, 4, 7)
    share: float = axis(0.5, 0.25)
    largest: float = 1.75  # sum of the norms
    pairs: int = 12
    size: int = 6
    rounds: int = 100
    highest: int = 8  # degree of the series that is cut
    free: int = 12  # degree through which tails in the free algebra are summed

    @property
    def sums(self) -> tuple[float, ...]:
        """The sums of the norms inside the radius."""
        return *SUMS, self.largest


DOMAIN = domain(
    order=whole(1, 7, test=3),
    share=real(0.05, 0.95),
    largest=real(0.05, 1.75),
    size=among(2, 3, 4, 5, 6, quick=(6,), test=(3,)),
)


GRIDS = {
    "test": Sizes(order=axis(3), share=axis(0.25), highest=4, pairs=4, rounds=20, size=3),
    "quick": Sizes(),
    "full": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), pairs=96, rounds=500),
    "paper": Sizes(order=axis(1, 2, 3, 4, 5, 6, 7), pairs=384, rounds=4000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """The tail at every sum of norms, infinity where the bound does not hold; the constants of the next degree."""
    norms = [(cell.share * s, s - cell.share * s) for s in (*cell.sums, BEYOND)]
    values = np.array([_inside(bounds.bch(cell.order, *pair)) for pair in norms])
    last = np.array(pair_constants(cell.order), float)  # of the letters X, from none on
    degrees = np.arange(cell.order + 1)
    earlier = values + [float((last * x**degrees * y ** degrees[::-1]).sum()) for x, y in norms]
    constants = [*reversed(pair_constants(cell.order + 1)), *[0] * (cell.highest - cell.order - 1)]
    beyond = np.array([_inside(bounds.bch(TOGETHER, *pair)) for pair in norms[:-1]])
    equals = partial(Prediction, relation=Relation.EQUALS)
    formula = r"\sum_{|w|>N} |g_w|\,\|X\|^{i}\|Y\|^{j}"
    return (
        Prediction(values[:-1], of="tail", resolution=UNSHARP, dims=("sum",), formula=formula),
        Prediction(values, of="free_tail", dims=("reach",), resolution=0.01, formula=formula),
        Prediction(np.array(constants, float), of="free_constants", relation=Relation.EQUALS, dims=("letters_y",)),
        equals(0.0, "commuting"),
        Prediction(values[:-1], of="not_commuting", resolution=UNSHARP, dims=("sum",)),
        Prediction(earlier, of="free_tail_earlier", dims=("reach",), resolution=0.01),
        # where letters commute, x + y is all that is left
        equals(np.zeros(cell.highest + 1), "free_constants_added", ("letters_y",), resolution=1e-3 * max(constants)),
        equals([cell.pairs, 2 ** (cell.order + 1)], "tried", ("of",)),
        equals([cell.share, 1 - cell.share], "norms", ("letter",), resolution=0.01),
        Prediction(beyond, of="together", resolution=0.01, dims=("sum",), formula=r"\sum_{n>12} \Theta_n (s^n - x^n - y^n)"),
    )


def _inside(bound: bounds.Bound) -> float:
    return bound.at() if all(holds for _, holds in bound.check()) else math.inf


def _larger(cell: Sizes) -> tuple[Prediction, ...]:
    """The norms that are really run, and the bound that holds for them; how near it pairs come is not known."""
    letters = 1.5 * np.array([cell.share, 1 - cell.share])
    tails = np.array([_inside(bounds.bch(cell.order, *(s * letters))) for s in cell.sums])
    norms = Prediction(letters, of="norms_run", dims=("letter",), relation=Relation.EQUALS, resolution=0.01)
    return norms, Prediction(tails, of="tail", dims=("sum",), resolution=UNSHARP)


CONTROLS = (
    control(
        "one degree fewer",
        "the bound holds for a series that is cut one degree earlier",
        instead={"free_tail": "free_tail_earlier"},
    ),
    control(
        "letters that commute",
        "the constants are the sums of the coefficients, as if letters commuted",
        instead={"free_constants": "free_constants_added"},
    ),
    control("pairs that do not commute", "no term beyond degree N is left of any pair", instead={"commuting": "not_commuting"}),
    control(
        "a norm taken too small",
        "the bound holds for pairs half as large again",
        measure="larger",
        finds=_larger,
        everywhere=False,
    ),
)


def _of_the_magnus_series(cell: Sizes) -> Prediction | None:
    """The constants if words with equal numbers of X and of Y did not cancel; in degree two they do not."""
    n = cell.order + 1
    inner = [float(permutation_constant(n)) * math.comb(n, i) for i in range(1, n)]
    values = np.array([0, *inner, *[0] * (cell.highest - cell.order)], float)
    return Prediction(values, of="free_constants", relation=Relation.EQUALS, dims=("letters_y",)) if n > 2 else None


RIVALS = (
    scaled(0.98, of="free_tail", name="a bound smaller by a fiftieth"),
    scaled(0.98, of="free_constants", name="constants smaller by a fiftieth"),
    rival(
        "the Magnus series of two tokens",
        _of_the_magnus_series,
        "the words with i letters X and j letters Y sum to Theta_n n! / (i! j!)",
    ),
)
