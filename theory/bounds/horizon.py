r"""How long a count modulo m survives rounding: as a unit complex number, and as a sum of angles.

Let u = ulp / 2 be the unit roundoff. A letter's root is stored within u, a complex product is right within sqrt(5) u of its
modulus (Brent, Percival, Zimmermann 2007; fused operations err less), so a step turns the state by at most arcsin(gamma) too
far, gamma = (1 + u)(1 + sqrt(5) u) - 1 and a little for underflow. To leading order that is phi ulp, phi the golden ratio.
"""

from __future__ import annotations

import sympy

from theory.bounds.bound import Bound, Hypothesis, Number, exact_number, positive_integer
from theory.bounds.hops import MANTISSAS

__all__ = ["angle_horizon", "angle_loss", "phase_horizon", "phase_loss", "ulp"]

SUBNORMALS = {"bfloat16": -133, "float16": -24, "float32": -149}  # exponents of the smallest positive numbers
COSINES = sympy.Rational(1, 2**50)  # the error that cosines and sines may have before they are rounded
SOURCE = "derived; complex products after Brent, Percival, Zimmermann, Math. Comp. 76 (2007)"

_order, _ulp, _tiny, _offset = sympy.symbols("order ulp tiny offset", nonnegative=True)
_gamma = (1 + _ulp / 2 + COSINES) * (1 + sympy.sqrt(5) * _ulp / 2) - 1 + 10 * _tiny
_counts = Hypothesis("order >= 3", sympy.Ge(_order, 3))
_readable = Hypothesis(
    "one step's rounding stays below half a root: gamma < sin(pi / order)", _gamma < sympy.sin(sympy.pi / _order)
)
_once = Hypothesis("every operation is rounded once, to nearest, with gradual underflow (taken as given)")


def phase_horizon(order: int, dtype: str, offset: Number = 0) -> Bound:
    """Steps for which the nearest root is right, for every word: z <- exp(2 pi i a / m) z.

    Args:
        order: m.
        dtype: of the components, one of bfloat16, float16, float32.
        offset: what the letters' angles are off by, at most.

    Raises:
        ValueError: an unknown type, or an order below one.

    >>> round(phase_horizon(12, "bfloat16").at(), 1), round(phase_horizon(360, "float32").at())
    (20.7, 45243)
    """
    return Bound(
        side="below",
        expr=sympy.pi / (_order * (_offset + sympy.asin(_gamma))),
        quantity="the number of steps after which a count modulo m, kept as a rounded unit complex number, is still right",
        assumes=(_counts, _readable, _once),
        source=SOURCE,
        values=_values(order, dtype) | {_offset: exact_number("offset", offset)},
    )


def phase_loss(order: int, dtype: str, offset: Number) -> Bound:
    """Steps by which the word of the letter 1 alone has been misread, when its angle is too large by `offset`.

    Raises:
        ValueError: as for :func:`phase_horizon`.

    >>> [round(bound(5, "float16", 8 * ulp("float16")).at()) for bound in (phase_horizon, phase_loss)]
    [67, 102]
    """
    surely = Hypothesis("the offset outweighs a step's rounding: offset > arcsin(gamma)", _offset > sympy.asin(_gamma))
    slow = Hypothesis("a step moves less than half a turn: offset < 1", _offset < 1)
    return Bound(
        expr=sympy.pi / (_order * (_offset - sympy.asin(_gamma))) + 1,
        quantity="the number of steps after which a count modulo m whose letter is off has been misread",
        assumes=(_counts, surely, slow, _once),
        source=SOURCE,
        values=_values(order, dtype) | {_offset: exact_number("offset", offset)},
    )


def angle_horizon(order: int, dtype: str) -> Bound:
    r"""Steps for which an unreduced sum of angles is read rightly, for every word.

    Angles are stored within 2 pi u, and the j-th sum, at most 2 pi j (1 + u)^j, is rounded within u of itself: after t steps
    the error is below pi u (t^2 + 3 t) (1 + u)^{t+1}; the last factor stays below 53/50 for u <= 2^-8 and t <= (m u)^{-1/2}.

    Raises:
        ValueError: as for :func:`phase_horizon`.

    >>> [round(angle_horizon(12, name).at()) for name in ("bfloat16", "float16", "float32")]
    [3, 11, 1147]
    """
    return Bound(
        side="below",
        expr=(sympy.sqrt(9 + 4 / (sympy.Rational(53, 50) * _order * _ulp / 2)) - 3) / 2,
        quantity="the number of steps after which a count modulo m, kept as a rounded sum of angles, is still right",
        assumes=(_counts, Hypothesis("ulp <= 2^-7", sympy.Le(_ulp, sympy.Rational(1, 2**7))), _once),
        source="derived",
        values=_values(order, dtype),
    )


def angle_loss(order: int, dtype: str) -> Bound:
    r"""Steps by which the word of the letter 1 alone has been misread from a sum of angles: 6 / ulp + 2.

    The sum moves by at least 2/3 of a step s until its spacing is beyond 2 s, at the latest when it passes 4 s / ulp; then
    s is rounded away, the sum stands still, and of the next two readings one is wrong.

    Raises:
        ValueError: as for :func:`phase_horizon`.

    >>> angle_loss(5, "bfloat16").at()
    770.0
    """
    return Bound(
        expr=6 / _ulp + 2,
        quantity="the number of steps after which a count modulo m, kept as a rounded sum of angles, has been misread",
        assumes=(_counts, _once),
        source="derived",
        values=_values(order, dtype),
    )


def ulp(dtype: str) -> sympy.Rational:
    """The distance from one to the next number of the type.

    Raises:
        ValueError: as for :func:`phase_horizon`.

    >>> ulp("bfloat16")
    1/128
    """
    if dtype not in SUBNORMALS:
        raise ValueError(f"dtype = {dtype!r}: expected one of {', '.join(SUBNORMALS)}, whose rounding is stated here.")
    return sympy.Rational(1, 2 ** (MANTISSAS[dtype] - 1))  # type: ignore[return-value]


def _values(order: int, dtype: str) -> dict:
    count = sympy.Integer(positive_integer("order", order, "the number of roots"))
    return {_order: count, _ulp: ulp(dtype), _tiny: sympy.Rational(1, 2 ** -SUBNORMALS[dtype])}
