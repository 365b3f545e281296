"""The floating point formats that bounds on rounding speak of."""

from __future__ import annotations

import sympy

__all__ = ["MANTISSAS", "SUBNORMALS", "ulp"]

MANTISSAS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
"""Bits of the significand, including the hidden one."""

SUBNORMALS = {"bfloat16": -133, "float16": -24, "float32": -149}
"""Exponent of the smallest positive number, a power of two."""


def ulp(dtype: str) -> sympy.Rational:
    """Return the distance from 1 to the next larger number of the type ("bfloat16", "float16" or "float32").

    Raises:
        ValueError: The type is not one of these.

    >>> ulp("bfloat16")
    1/128
    """
    if dtype not in SUBNORMALS:
        raise ValueError(f"dtype = {dtype!r}: expected one of {', '.join(SUBNORMALS)}, the types whose rounding is analysed.")
    return sympy.Rational(1, 2 ** (MANTISSAS[dtype] - 1))  # type: ignore[return-value]
