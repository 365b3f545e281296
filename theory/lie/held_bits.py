r"""Which states of matrices forget errors, and at which rate: updates that are affine in the state, and one that bends it.

The update of RWKV-7 is affine: S <- S M + v^T k, M = diag(w) - kappa^T (a kappa), with w, a and kappa chosen by the letter. Two
states that read one word differ by (S - S') M_1 .. M_t, whatever is written. So an error that is a share of the difference of
two memories stays that share: what forgets errors forgets memories as fast. The eigenvalues of M are the roots of

    1 = sum_i a_i kappa_i^2 / (w_i - x),

one below all w_i and one between each two neighbours. So all errors but those of one direction shrink no faster than by the
least w.

An update S <- f S + (1 - f) tanh(g S), as of M2RNN with the recurrent matrix g I and nothing written, bends the state. For
g > 1 an entry has two places where it rests, z = tanh(g z) and -z, and near these an error shrinks by

    r = f + (1 - f) g (1 - z^2) < 1

for each letter, while the memory stays. An error of -d for each letter moves the place of rest, which is there as long as d is
at most the largest value of (1 - f) (tanh(g x) - x), at tanh(g x) = sqrt(1 - 1/g). So an entry at rest survives such errors for
ever, or it is lost.

A letter writes u into the bracket: z <- f z + (1 - f) tanh(g z - u). A place of rest is one of tanh(g z - u), for f is on both
sides, and is there as long as u is at most the largest g z - artanh(z), at z = sqrt(1 - 1/g):

    u* = sqrt(g (g - 1)) - arcosh(sqrt(g)) = g d* / (1 - f).

Weights of a recurrent matrix through which other entries drive this one write as a letter does. Entries that nothing drives
rest at +-z, so they push by at most z times the sum of the absolute weights, and one of their patterns of signs pushes so.
"""

from __future__ import annotations

from collections.abc import Sequence

import mpmath
import sympy

from theory.bound import GIVEN, Assumption, Bound, Number
from theory.checks import nonnegative_number
from theory.registry import registered

__all__ = ["correctable_error", "decay_rates", "forgetting_rate", "largest_letter", "resting_place"]

_gain, _forget = sympy.symbols("gain forget", nonnegative=True)


@registered
def correctable_error(gain: Number, forget: Number = 0) -> Bound:
    r"""Return the largest constant error for each letter that a bit in a bent recurrence survives for ever.

    The bit is the sign of an entry that is held by z <- f z + (1 - f) tanh(g z), as in M2RNN with the recurrent matrix g times
    the identity. The error has the other sign. An update that is affine in its state survives no such error: the entry z is
    lost after z / d letters.

    Args:
        gain: The recurrent gain g; above 1, or there is no bit to hold.
        forget: The share f of the entry that is kept unbent, below 1.

    Raises:
        ValueError: A number is negative or not finite.

    >>> round(correctable_error(gain=2).at(), 6), round(correctable_error(gain=2, forget=0.5).at(), 6)
    (0.26642, 0.13321)
    """
    return Bound(
        (1 - _forget) * (sympy.sqrt(1 - 1 / _gain) - sympy.acosh(sympy.sqrt(_gain)) / _gain),
        "the largest constant error for each letter that a bit held by z <- f z + (1 - f) tanh(g z) survives for ever",
        (
            Assumption("gain > 1, so that two places of rest exist", _gain > 1),
            Assumption("forget < 1", _forget < 1),
            Assumption(f"nothing else is written ({GIVEN})"),
        ),
        "derived, for the update of M2RNN, arXiv 2603.14360, as known from notes",
        values={_gain: nonnegative_number("gain", gain), _forget: nonnegative_number("forget", forget)},
        side="below",
    )


def resting_place(gain: float) -> float:
    """Return the positive z with z = tanh(gain z); 0 for a gain of at most 1.

    >>> round(resting_place(2.0), 6), resting_place(1.0)
    (0.957504, 0.0)
    """
    if gain <= 1:
        return 0.0
    low, high = mpmath.acosh(mpmath.sqrt(gain)) / gain, mpmath.mpf(1)  # beyond the maximum of tanh(g z) - z
    return float(mpmath.findroot(lambda z: mpmath.tanh(gain * z) - z, (low, high), solver="anderson"))


def forgetting_rate(gain: float, forget: float) -> float:
    """Return the factor by which a letter shrinks a small error of a held entry.

    >>> round(forgetting_rate(2.0, 0.0), 6)
    0.166372
    """
    return forget + (1 - forget) * gain * (1 - resting_place(gain) ** 2)


def largest_letter(gain: float) -> float:
    """Return the largest u that is written against a held bit at every letter without changing it; 0 for a gain of at most 1.

    >>> round(largest_letter(2.0), 6), largest_letter(1.0)
    (0.53284, 0.0)
    """
    return float(mpmath.sqrt(gain * (gain - 1)) - mpmath.acosh(mpmath.sqrt(gain))) if gain > 1 else 0.0


def decay_rates(decay: Sequence[float], rate: Sequence[float], key: Sequence[float]) -> list[float]:
    """Return the eigenvalues of diag(w) - key^T (rate key), ascending, by bisection between neighbouring w.

    Args:
        decay: The numbers w, no two of them alike.
        rate: The numbers a, positive.
        key: The vector kappa, no entry of which is 0.

    >>> [round(one, 6) for one in decay_rates([0.9, 0.6], [1.0, 1.0], [0.6, 0.8])]
    [-0.310803, 0.810803]
    """
    weights = [a * k * k for a, k in zip(rate, key, strict=True)]
    places = sorted(decay)

    def excess(x: float) -> float:
        return 1 - sum(b / (w - x) for b, w in zip(weights, decay, strict=True))

    found = []
    for low, high in zip([places[0] - sum(weights), *places], places, strict=False):
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        found.append((low + high) / 2)
    return found
