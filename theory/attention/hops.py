"""The layers, width and sharpness with which explicit softmax weights compute k-hop.

The depths are those of constructions, so they are upper bounds. The published lower bounds on depth are conditional on the
one-against-two-cycles conjecture and have unknown constants; they give no number. Unconditional lower bounds on memory stand in
`theory.attention.memory`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import sympy

from depthjax.refusal import refusing
from theory.bound import Assumption, Bound
from theory.checks import positive_integer
from theory.cost import digits, power, refuse
from theory.floats import MANTISSAS
from theory.registry import registered

__all__ = ["hop", "hop_reach", "hop_width", "longest_exact_length", "lookup_excess", "lookup_threshold", "sharpness"]

_ROUTES = {
    "strict": "layer 1 has the strict mask j < i, the others the causal mask j <= i",
    "causal": "every layer has the causal mask j <= i",
}
_MOST_LAYERS = 10_000
_SOURCE = (
    "arXiv 2402.09268, Theorem 4.2 (floor) and its authors' talk (ceil); the mask that each needs: derived by construction"
)


@registered
def hop(hops: int, mask: str = "strict", length: int | None = None, dtype: str = "float32") -> Bound:
    """Return the attention layers with which explicit softmax weights compute k hops.

    The width is constant. The number of layers is ``floor(log2 k) + 2`` with the strict mask in layer 1 and ``ceil(log2 k) +
    2`` with the causal mask. The formula writes ``floor(log2 k)`` as ``ceil(log2(k + 1)) - 1``, which is equal at every
    integer.

    Args:
        hops: Number of hops k, at least 1.
        mask: Mask of layer 1: "strict" sees earlier positions, "causal" sees the position itself as well.
        length: Number of letters of a word; checked against `hops` and against the precision of `dtype`.
        dtype: Type that holds the scores: "float64", "float32", "float16" or "bfloat16".

    Raises:
        ValueError: A number is not an integer >= 1, or the mask or the type is unknown.

    >>> hop(hops=3, mask="causal", length=512, dtype="float32").at()
    4.0
    >>> [hop(k).at() for k in (1, 2, 3, 4, 64)], [hop(k, "causal").at() for k in (1, 2, 3, 4, 64)]
    ([2.0, 3.0, 3.0, 4.0, 8.0], [2.0, 3.0, 4.0, 4.0, 8.0])
    >>> hop(3, length=5000).check()[1]
    ('length <= 4096, the largest N with N^2 exact in float32 (float64 would do)', False)
    """
    if mask not in _ROUTES:
        raise ValueError(f"mask = {mask!r}: expected 'strict' or 'causal', because the two routes need different depths.")
    if dtype not in MANTISSAS:
        raise ValueError(f"dtype = {dtype!r}: expected one of {', '.join(MANTISSAS)}, because its mantissa limits the length.")
    k, n = sympy.symbols("hops length", positive=True, integer=True)
    layers = sympy.ceiling(sympy.log(k + 1, 2)) + 1 if mask == "strict" else sympy.ceiling(sympy.log(k, 2)) + 2
    values = {k: sympy.Integer(positive_integer("hops", hops, "the number of hops"))}
    limit = longest_exact_length(MANTISSAS[dtype])
    assumes = [Assumption(f"{_ROUTES[mask]} (taken as given)")]
    if length is not None:
        values[n] = sympy.Integer(positive_integer("length", length, "the number of letters of a word"))
        wider = next((name for name in ("float32", "float64") if longest_exact_length(MANTISSAS[name]) >= length), "none")
        hint = "" if length <= limit else f" ({wider} would do)"
        assumes += [
            Assumption(f"length <= {limit}, the largest N with N^2 exact in {dtype}{hint}", n <= limit),
            Assumption("hops <= length", k <= n),
            Assumption(f"sharpness > ln(4 length) = {float(sympy.log(4 * length)):.4g} (taken as given)"),
        ]
    return Bound(
        expr=layers,
        quantity=f"the attention layers, one head each, that suffice for hop_k with the {mask} mask at constant width",
        assumes=(*assumes, Assumption("numbers are rounded in every layer (taken as given)")),
        source=_SOURCE,
        values=values,
    )


@registered
def sharpness(length: int | None = None) -> Bound:
    """Return the factor on the scores above which softmax lookups are exact after rounding.

    The factor is ``ln(4 N)``. The lookups go to the positions 0 .. N, which hold numbers from 0 to N. The weights off the
    target sum to ``s / (1 + s)`` with ``s < 2 e^-b / (1 - e^-3b)``, b the factor, so the error is below 1/2 once ``(2 N - 1) s
    < 1``.

    Args:
        length: Number of letters N; None leaves the length open.

    Raises:
        ValueError: `length` is not an integer >= 1.

    >>> round(sharpness(length=512).at(), 3)
    7.625
    """
    n = sympy.Symbol("length", positive=True)
    return Bound(
        expr=sympy.log(4 * n),
        quantity="the sharpness beyond which softmax lookups of numbers in 0 .. length are exact after rounding",
        assumes=(
            Assumption("scores are sharpness * (2 t p - p^2), t and p integers in 0 .. length (taken as given)"),
            Assumption("length >= 1", sympy.Ge(n, 1)),
        ),
        source="sum of exp(-sharpness d^2) over d != 0 (derived)",
        values={} if length is None else {n: sympy.Integer(positive_integer("length", length, "the number of letters"))},
    )


@refusing(lambda mask: _known(mask))
def hop_reach(layers: int, mask: str = "strict") -> int:
    """Return the largest k such that hop_1, .., hop_k all fit in this many layers: ``2^(L-1) - 1`` or ``2^(L-2)``, 0 for none.

    Raises:
        ValueError: `layers` is not an integer from 1 to 10,000, or the mask is unknown.

    >>> [hop_reach(layers) for layers in range(1, 6)], [hop_reach(layers, "causal") for layers in range(1, 6)]
    ([0, 1, 3, 7, 15], [0, 1, 2, 4, 8])
    """
    layers = positive_integer("layers", layers, "the number of attention layers")
    if layers > _MOST_LAYERS:
        raise ValueError(f"layers = {layers}: expected at most {_MOST_LAYERS}, because the reach has thousands of digits.")
    return 2 ** (layers - 1) - 1 if mask == "strict" else (2**layers) // 4


@refusing(lambda mask: _known(mask))
def hop_width(alphabet: int, mask: str = "strict", hops: int = 2) -> int:
    """Return the number of residual directions: eight scalars, and one or two codes of ``ceil(log2 alphabet)`` bits.

    One hop by the causal route reads its letter in the layer that finds it. So it needs neither the pointer nor the place from
    which the pointer is rounded: two directions fewer.

    Raises:
        ValueError: `alphabet` or `hops` is not an integer >= 1, or the mask is unknown.

    >>> hop_width(4), hop_width(4, "causal"), hop_width(512), hop_width(4, "causal", hops=1)
    (10, 12, 17, 10)
    """
    alphabet = positive_integer("alphabet", alphabet, "the number of letters")
    hops = positive_integer("hops", hops, "the number of hops")
    bits = max(1, (alphabet - 1).bit_length())
    if mask == "strict":
        return 8 + bits
    return (8 if hops > 1 else 6) + 2 * bits


def lookup_threshold(length: int) -> float:
    """Return the sharpness at which the last letter of the word 0 .. 0 1 0 looks up a pointer that is too large by exactly 1/2.

    This letter points at position N - 1, whose own pointer is 0. Each position p <= N - 2 holds p, except that position 1
    holds 0, and position N holds N - 1. The sharpness b is the root of ``sum_p w_p v_p = 1/2 sum_p w_p`` with
    ``w_p = exp(-b (p - N + 1)^2)``, which is ``ln(4 N - 8)`` and a little more (`lookup_excess`).

    Raises:
        ValueError: `length` is not an integer >= 5.

    >>> abs(float(sympy.log(4 * 512 - 8)) - lookup_threshold(512)) < 1e-6
    True
    >>> [round(float(lookup_threshold(n) - sympy.log(4 * n - 8)) * n**3 * 128, 2) for n in (33, 100, 512)]
    [1.15, 1.05, 1.01]
    """
    length = _length_of_late_letter(length)
    target = length - 1
    # positions 40 or more from the target weigh less than e^-1600
    near = range(max(target - 39, 0), length + 1)
    values = {p: 0 if p in (0, 1, target) else p - (p == length) for p in near}

    def excess(b: Any) -> Any:
        weights = {p: mpmath.exp(-b * (p - target) ** 2) for p in values}
        return mpmath.fsum(w * (values[p] - mpmath.mpf(1) / 2) for p, w in weights.items())

    with mpmath.workdps(30):
        low, high = mpmath.mpf(1), mpmath.log(4 * length)
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        return float(low)


def lookup_excess(length: int) -> Fraction:
    """Return eps, by which `lookup_threshold` lies above ``ln(4 N - 8)``: ``(N - 7/2) / (128 (N - 2)^4)``, near N^-3 / 128.

    With ``x = exp(-b)`` the threshold solves ``(2 N - 4) x + (N - 7/2) x^4 + O(N x^9) = 1/2``. The exact excess is
    ``eps - 7 eps^2 / 2 + O(N^-8)``.

    Raises:
        ValueError: `length` is not an integer >= 5.

    >>> eps = lookup_excess(64)
    >>> eps, abs(lookup_threshold(64) - float(sympy.log(4 * 64 - 8)) - eps) < 1e-14
    (Fraction(121, 3782742016), True)
    """
    length = _length_of_late_letter(length)
    return (length - Fraction(7, 2)) / (128 * (length - 2) ** 4)


def _length_of_late_letter(length: int) -> int:
    length = positive_integer("length", length, "the number of letters")
    if length < 5:
        raise ValueError(
            f"length = {length}: expected at least 5, because shorter words have no far pointer beside a fresh letter."
        )
    return length


def longest_exact_length(mantissa: int) -> int:
    """Return the largest N whose scores ``2 t p - p^2`` (t, p <= N) are all exact integers: ``N^2 <= 2^mantissa``.

    Raises:
        ValueError: `mantissa` is not an integer >= 1.

    >>> [longest_exact_length(MANTISSAS[name]) for name in ("float32", "float16", "bfloat16")]
    [4096, 45, 16]
    """
    mantissa = positive_integer("mantissa", mantissa, "bits of the mantissa, the hidden one included")
    refuse(digits("the root of a number of this many bits", power(mantissa, 1)))
    return math.isqrt(2**mantissa)


def _known(mask: str) -> None:
    if mask not in _ROUTES:
        raise ValueError(f"mask = {mask!r}: expected 'strict' or 'causal', because the two routes need different depths.")
