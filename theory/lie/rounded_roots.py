r"""How long a rounded unit complex number counts right, from the rounded roots of one order themselves.

A state z = r exp(i f) of count k is ahead by e = f - 2 pi k / m, and the letter a with stored root w turns it by the angle of w
and by the part of the rounding error that is tangential at t = f + arg w. Its size is at most, with h(v) half the spacing of
the type's numbers at v,

    |sin t| (h(x c) + h(y s) + h(Re z w)) + |cos t| (h(x s) + h(y c) + h(Im z w)),    z = (x, y), w = (c, s),

where products with powers of two are not rounded, and sums with zero neither. Over a word e is at most a sum of such costs
along a walk of counts. The range 0 .. pi / m is cut into bands. After the last step that begins below a band only its own
costs count, so it takes at least the steps of the costliest walk. The costliest walk is a step F of the max-plus algebra,
which is monotone and commutes with the addition of constants: if p steps add at most g, then n p steps add at most n g.
Conjugate words err by opposite angles, so states behind their roots need no bound of their own.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import sympy

from theory.bound import Assumption, Bound
from theory.checks import positive_integer
from theory.cost import Estimate, power, refuse
from theory.floats import MANTISSAS, SUBNORMALS, ulp
from theory.lie.horizon import phase_horizon
from theory.registry import registered

__all__ = ["nearest", "reachable_states", "root_horizon", "rounded_roots"]

BANDS = 1, 4  # of the range 0 .. pi / m; every number of bands gives a bound, and a step is lost at each
PERIOD = 12  # steps of the largest walk whose growth is repeated; even, because the worst words go to and fro
CELLS = 0.01, 0.02  # widest cell of angles, of logarithms of the modulus

Root = tuple[Fraction, Fraction]


def nearest(x: Fraction, dtype: str) -> Fraction:
    """Return the number of the type that is nearest to x, ties to even, with gradual underflow and no overflow.

    >>> nearest(Fraction(1, 3), "bfloat16"), nearest(Fraction(1, 2**26), "float16")
    (Fraction(171, 512), Fraction(0, 1))
    """
    if not x:
        return x
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length()
    exponent -= abs(x) < Fraction(2) ** exponent
    step = Fraction(2) ** max(exponent - MANTISSAS[dtype] + 1, SUBNORMALS[dtype])
    return round(x / step) * step


def rounded_roots(order: int, dtype: str) -> list[Root]:
    """Return the m-th roots of unity, 1 first, whose real and imaginary parts are rounded to the type.

    Raises:
        ValueError: The type is unknown, or `order` is not an integer >= 1.
        TooExpensive: There are too many roots, see `theory.cost`.

    >>> [tuple(map(float, root)) for root in rounded_roots(3, "bfloat16")]
    [(1.0, 0.0), (-0.5, 0.8671875), (-0.5, -0.8671875)]
    """
    order = positive_integer("order", order, "the number of roots")
    ulp(dtype)  # refuses an unknown type
    refuse(Estimate(f"{order} rounded roots", 4e-5 * power(order, 1), 1e-6 * power(order, 1)))
    with mpmath.workprec(120):
        turns = [mpmath.mpf(2 * a) / order for a in range(order)]
        exact = [(mpmath.cospi(turn), mpmath.sinpi(turn)) for turn in turns]
        # parts of roots are 0, +-1/2, +-1 or irrational (Niven), so only these need to be right to the last bit
        whole = [tuple(Fraction(int(mpmath.nint(part * 2**100)), 2**100) for part in pair) for pair in exact]
    return [(nearest(c, dtype), nearest(s, dtype)) for c, s in whole]


def reachable_states(order: int, dtype: str, most: int = 200) -> int | None:
    """Return how many rounded states all words together reach from 1, if all are read right; then no word is ever misread.

    Returns None if there are more than `most` states, or one of them is misread.

    Raises:
        ValueError: `order` or `most` is not an integer >= 1.
        TooExpensive: There are too many roots or states, see `theory.cost`.

    Cost: the number of states times the order. With more roots than states there is none: the roots are states.

    >>> reachable_states(5, "float16"), reachable_states(12, "bfloat16"), reachable_states(24, "bfloat16")
    (5, 108, None)
    """
    order, most = positive_integer("order", order, "the number of roots"), positive_integer("most", most, "a number of states")
    ulp(dtype)  # refuses an unknown type
    if order > most:
        return None  # two roots that are rounded alike are misread, and otherwise the roots are too many states
    refuse(Estimate(f"{most} states of {order} rounded roots", 2e-5 * power(most, 1) * order, 2e-7 * power(most, 1)))
    roots = rounded_roots(order, dtype)
    counts, waiting = {roots[0]: 0}, [roots[0]]
    while waiting:
        x, y = state = waiting.pop()
        for letter, (c, s) in enumerate(roots):
            real = nearest(nearest(x * c, dtype) - nearest(y * s, dtype), dtype)
            imaginary = nearest(nearest(x * s, dtype) + nearest(y * c, dtype), dtype)
            count = (counts[state] + letter) % order
            turns = np.arctan2(float(imaginary), float(real)) * order / (2 * np.pi) - count
            if abs(turns - order * round(turns / order)) > 0.49:
                return None
            if (real, imaginary) not in counts:
                counts[real, imaginary] = count
                waiting.append((real, imaginary))
                if len(counts) > most:
                    return None
    return len(counts)


@registered
def root_horizon(order: int, dtype: str) -> Bound:
    """Return the steps for which a count modulo m, kept as a rounded complex number, is surely right.

    The bound holds on every word. It is the larger of two: one from the rounded roots, in float64 with an allowance for its
    rounding, which is the larger one up to some hundred roots, and the closed form `phase_horizon`.

    Args:
        order: The modulus m, at least 3.
        dtype: Type of the real and imaginary parts: "bfloat16", "float16" or "float32".

    Raises:
        ValueError: The type is unknown, or `order` is not an integer >= 1.
        TooExpensive: The order is too large, see `theory.cost`.

    Cost: some hundred max-plus products of a vector with an order x order matrix; 1 to 2 s for order 360 in float32.

    >>> root_horizon(order=24, dtype="bfloat16").at(), phase_horizon(24, "bfloat16").at() < 11
    (16.0, True)
    """
    order = positive_integer("order", order, "the number of roots")
    simple = phase_horizon(order, dtype)
    steps = 0
    if all(hypothesis.holds(simple.values) for hypothesis in simple.assumes):
        refuse(Estimate(f"the guarantee for {order} rounded roots", 8e-7 * power(order, 2), 8e-8 * power(order, 2)))
        turn = np.pi / order / float(simple.at())  # a step's largest error
        radial = -np.log1p(-np.sin(turn))  # a step's largest change of the logarithm of the modulus
        most = int(5 / 2 * float(simple.at()))  # beyond this the modulus is not followed
        steps = min(most, max(_crossing(order, dtype, most * radial, turn, bands) for bands in BANDS))
        steps = max(steps, int(simple.at()))  # with many roots in few bits every step is as bad as the closed form says
    return Bound(
        side="below",
        expr=sympy.Integer(steps),
        quantity=simple.quantity,
        assumes=(*simple.assumes, Assumption("the stored roots are the nearest numbers of the type (taken as given)")),
        source="derived",
        values=simple.values,
    )


def _crossing(order: int, dtype: str, spread: float, turn: float, bands: int) -> int:
    """Return steps within which no state gets ahead by pi / m, if logarithms of moduli stay within the spread."""
    counts, letters = np.arange(order)[:, None], np.arange(order)
    before = (counts - letters) % order
    edges, total = np.linspace(0, np.pi / order, bands + 1), 0
    for low, high in itertools.pairwise(edges):
        costs = _costs(order, dtype, (low - turn, high), spread)[before, letters]
        ahead = np.full(order, low)
        while True:
            start, taken = ahead, 0
            while taken < PERIOD and (further := (ahead[before] + costs).max(axis=1)).max() < high:
                ahead, taken = further, taken + 1
            total += taken
            if taken < PERIOD:
                break
            growth = (ahead - start).max()
            repeats = int((high - ahead.max()) / growth)
            ahead, total = ahead + repeats * growth, total + repeats * PERIOD
    return total


def _costs(order: int, dtype: str, band: tuple[float, float], spread: float) -> np.ndarray:
    """Return the largest angles by which letters put states of a band further ahead: (count, letter)."""
    u, tiny = float(ulp(dtype)) / 2, 2.0 ** SUBNORMALS[dtype]
    roots = 2 * np.pi * np.arange(order) / order
    c, s = np.array(rounded_roots(order, dtype), float).T
    size, angle = np.hypot(c, s), np.arctan2(s, c)
    off = (angle - roots + np.pi) % (2 * np.pi) - np.pi
    c, s, summed = np.abs(c), np.abs(s), c * s != 0
    by_c, by_s = (np.frexp(part)[0] != 0.5 for part in (c, s))  # products with powers of two are not rounded

    spread = min(spread, np.log(2) / 2)  # all moduli, because errors double with the modulus
    cells, rings = (int(np.ceil(w / most)) for w, most in zip((band[1] - band[0], 2 * spread), CELLS, strict=True))
    width = (band[1] - band[0]) / cells
    moduli = np.exp(np.linspace(-spread, spread, rings + 1))[:, None, None]
    inner, outer = moduli[:-1], moduli[1:]
    largest = np.zeros((order, order))
    for middle in band[0] + width * (np.arange(cells) + 0.5):
        f = (roots + middle)[:, None]
        cos_f, sin_f, cos_t, sin_t = (
            np.minimum(np.abs(part) + width / 2, 1) for part in (np.cos(f), np.sin(f), np.cos(f + angle), np.sin(f + angle))
        )
        x, y, real, imaginary = outer * cos_f, outer * sin_f, outer * size * (cos_t + 4 * u), outer * size * (sin_t + 4 * u)
        across = sin_t * (by_c * _half(x * c, u) + by_s * _half(y * s, u) + _half(real, u))
        across += cos_t * (by_s * _half(x * s, u) + by_c * _half(y * c, u) + _half(imaginary, u))
        largest = np.maximum(largest, (across / (inner * size)).max(axis=0))
    # an error of at most 5 u / 2 may also shorten the product; underflow and this sum of floats have their own allowances
    return np.where(summed, largest / (1 - 5 * u / 2), 0) + 10 * tiny + off + u / 2**30


def _half(size: np.ndarray, u: float) -> np.ndarray:
    """Return half the spacing of the numbers of this size."""
    return np.ldexp(u, np.frexp(size)[1] - 1)
