r"""The number of steps for which a count modulo m survives rounding, as a unit complex number or as a sum of angles.

Let u = ulp / 2 be the unit roundoff. The root of a letter is stored with an error of at most u, and a complex product has an
error of at most sqrt(5) u times its modulus (Brent, Percival, Zimmermann 2007; fused operations err less). So one step turns
the state too far by at most arcsin(gamma), gamma = (1 + u)(1 + sqrt(5) u) - 1 plus a little for underflow. To leading order
this angle is phi ulp, with phi the golden ratio.
"""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound, Number
from theory.checks import nonnegative_number, positive_integer
from theory.floats import SUBNORMALS, ulp
from theory.registry import registered

__all__ = ["angle_horizon", "angle_loss", "phase_horizon", "phase_loss"]

_COSINES = sympy.Rational(1, 2**50)  # allowance for the error of cosines and sines before they are rounded
_SOURCE = "derived; complex products after Brent, Percival, Zimmermann, Math. Comp. 76 (2007)"

_order, _ulp, _tiny, _offset = sympy.symbols("order ulp tiny offset", nonnegative=True)
_gamma = (1 + _ulp / 2 + _COSINES) * (1 + sympy.sqrt(5) * _ulp / 2) - 1 + 10 * _tiny
_counts = Assumption("order >= 3", sympy.Ge(_order, 3))
_readable = Assumption(
    "one step's rounding stays below half a root: gamma < sin(pi / order)", _gamma < sympy.sin(sympy.pi / _order)
)
_once = Assumption("every operation is rounded once, to nearest, with gradual underflow (taken as given)")


@registered
def phase_horizon(order: int, dtype: str, offset: Number = 0) -> Bound:
    """Return the steps for which a count modulo m, kept as a rounded complex number, is right.

    The bound holds on every word. The state is a unit complex number and follows ``z <- exp(2 pi i a / m) z`` for the letter
    a, and the nearest m-th root of unity is read.

    Args:
        order: The modulus m, at least 3.
        dtype: Type of the real and imaginary parts: "bfloat16", "float16" or "float32".
        offset: Largest error of the angle of a letter, in radians.

    Raises:
        ValueError: The type is unknown, `order` is not an integer >= 1, or `offset` is negative or not finite.

    >>> round(phase_horizon(order=12, dtype="bfloat16").at(), 1)
    20.7
    >>> round(phase_horizon(360, "float32").at())
    45243
    """
    return Bound(
        side="below",
        expr=sympy.pi / (_order * (_offset + sympy.asin(_gamma))),
        quantity="the number of steps after which a count modulo m, kept as a rounded unit complex number, is still right",
        assumes=(_counts, _readable, _once),
        source=_SOURCE,
        values=_values(order, dtype) | {_offset: nonnegative_number("offset", offset)},
    )


@registered
def phase_loss(order: int, dtype: str, offset: Number) -> Bound:
    """Return the steps by which a count modulo m is misread, if its letter's angle is too large.

    The word consists of the letter 1 alone, whose angle is too large by `offset`.

    Args:
        order: The modulus m, at least 3.
        dtype: Type of the real and imaginary parts: "bfloat16", "float16" or "float32".
        offset: Error of the angle of the letter, in radians.

    Raises:
        ValueError: As for `phase_horizon`.

    >>> round(phase_loss(order=5, dtype="float16", offset=0.0078125).at())
    102
    >>> round(phase_horizon(5, "float16", 8 * ulp("float16")).at())
    67
    """
    surely = Assumption("the offset outweighs a step's rounding: offset > arcsin(gamma)", _offset > sympy.asin(_gamma))
    slow = Assumption("a step moves less than half a turn: offset < 1", _offset < 1)
    return Bound(
        expr=sympy.pi / (_order * (_offset - sympy.asin(_gamma))) + 1,
        quantity="the number of steps after which a count modulo m whose letter is off has been misread",
        assumes=(_counts, surely, slow, _once),
        source=_SOURCE,
        values=_values(order, dtype) | {_offset: nonnegative_number("offset", offset)},
    )


@registered
def angle_horizon(order: int, dtype: str) -> Bound:
    r"""Return the steps for which a count modulo m, kept as a rounded sum of angles, is right.

    The bound holds on every word. The sum is not reduced modulo 2 pi. Angles are stored with an error of at most 2 pi u, and
    the j-th sum, at most 2 pi j (1 + u)^j, is rounded with a relative error of at most u. So after t steps the error is below
    pi u (t^2 + 3 t) (1 + u)^{t+1}; the last factor stays below 53/50 for u <= 2^-8 and t <= (m u)^{-1/2}.

    Args:
        order: The modulus m, at least 3.
        dtype: Type of the sum: "bfloat16", "float16" or "float32".

    Raises:
        ValueError: As for `phase_horizon`.

    >>> round(angle_horizon(order=12, dtype="float32").at())
    1147
    """
    return Bound(
        side="below",
        expr=(sympy.sqrt(9 + 4 / (sympy.Rational(53, 50) * _order * _ulp / 2)) - 3) / 2,
        quantity="the number of steps after which a count modulo m, kept as a rounded sum of angles, is still right",
        assumes=(_counts, Assumption("ulp <= 2^-7", sympy.Le(_ulp, sympy.Rational(1, 2**7))), _once),
        source="derived",
        values=_values(order, dtype),
    )


@registered
def angle_loss(order: int, dtype: str) -> Bound:
    r"""Return the steps by which a count modulo m, kept as a rounded sum of angles, is misread.

    The number is 3 / ulp + 1, and the word consists of the letter 1 alone. Let s be the rounded angle and d the spacing of the
    sum. A binade holds 1 / ulp numbers, and a step within it moves by the nearest multiple of d to s. In the last binade where
    the sum moves, s < d, a step moves by d; in the j-th binade below it 2^(j-1) d <= s, so a step moves by at least 2^(j-1) d.
    So the sum moves in at most (1 + 1 + 1/2 + 1/4 + ..) / ulp = 3 / ulp steps. The first step at which it stands still repeats
    a reading, and one of the two is wrong.

    Args:
        order: The modulus m, at least 3.
        dtype: Type of the sum: "bfloat16", "float16" or "float32".

    Raises:
        ValueError: As for `phase_horizon`.

    >>> angle_loss(order=5, dtype="bfloat16").at()
    385.0
    """
    return Bound(
        expr=3 / _ulp + 1,
        quantity="the number of steps after which a count modulo m, kept as a rounded sum of angles, has been misread",
        assumes=(_counts, _once),
        source="derived",
        values=_values(order, dtype),
    )


def _values(order: int, dtype: str) -> dict:
    count = sympy.Integer(positive_integer("order", order, "the number of roots"))
    return {_order: count, _ulp: ulp(dtype), _tiny: sympy.Rational(1, 2 ** -SUBNORMALS[dtype])}
