"""Depth, sharpness and memory of k-hop: what attention needs, what one layer and a recurrence cannot do.

The depths are those of explicit constructions (upper bounds); the lower bounds of the literature on depth are conditional on
the one-against-two-cycles conjecture and have unknown constants, so no number is given for them. The bounds on memory are
unconditional.
"""

from __future__ import annotations

import math
from typing import Any

import sympy

from theory.bounds.bound import Bound, Hypothesis, exact_number, positive_integer

__all__ = [
    "MANTISSAS",
    "cycle_rounds",
    "hop",
    "hop_reach",
    "hop_width",
    "one_layer",
    "one_layer_sort",
    "recurrent_bits",
    "self_exclusion_bits",
]
__all__ += ["longest_exact_length", "lookup_threshold", "sharpness"]

MANTISSAS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
_ROUTES = {
    "strict": "layer 1 has the strict mask j < i, the others the causal mask j <= i",
    "causal": "every layer has the causal mask j <= i",
}
_SOURCE = (
    "arXiv 2402.09268, Theorem 4.2 (floor) and its authors' talk (ceil); the mask that each needs: derived by construction"
)


def hop(hops: int, mask: str = "strict", length: int | None = None, dtype: str = "float32") -> Bound:
    """Attention layers with which explicit softmax weights compute hop_k: ``floor(log2 k) + 2`` or ``ceil(log2 k) + 2``.

    The formula writes ``floor(log2 k)`` as ``ceil(log2(k + 1)) - 1``, its equal at every integer.

    Raises:
        ValueError: a number that is not a positive integer, an unknown mask or dtype.

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
    assumes = [Hypothesis(f"{_ROUTES[mask]} (taken as given)")]
    if length is not None:
        values[n] = sympy.Integer(positive_integer("length", length, "the number of letters of a word"))
        wider = next((name for name in ("float32", "float64") if longest_exact_length(MANTISSAS[name]) >= length), "none")
        hint = "" if length <= limit else f" ({wider} would do)"
        assumes += [
            Hypothesis(f"length <= {limit}, the largest N with N^2 exact in {dtype}{hint}", n <= limit),
            Hypothesis("hops <= length", k <= n),
            Hypothesis(f"sharpness > ln(4 length) = {float(sympy.log(4 * length)):.4g} (taken as given)"),
        ]
    return Bound(
        expr=layers,
        quantity=f"the attention layers, one head each, that suffice for hop_k with the {mask} mask at constant width",
        assumes=(*assumes, Hypothesis("numbers are rounded in every layer (taken as given)")),
        source=_SOURCE,
        values=values,
    )


def hop_reach(layers: int, mask: str = "strict") -> int:
    """The largest k such that hop_1, .., hop_k all fit in this many layers: ``2^(L-1) - 1`` or ``2^(L-2)``, 0 for none.

    >>> [hop_reach(layers) for layers in range(1, 6)], [hop_reach(layers, "causal") for layers in range(1, 6)]
    ([0, 1, 3, 7, 15], [0, 1, 2, 4, 8])
    """
    layers = positive_integer("layers", layers, "the number of attention layers")
    return 2 ** (layers - 1) - 1 if mask == "strict" else (2**layers) // 4


def hop_width(alphabet: int, mask: str = "strict") -> int:
    """Residual directions: eight scalars and one or two codes of ``ceil(log2 alphabet)`` bits.

    >>> hop_width(4), hop_width(4, "causal"), hop_width(512)
    (10, 12, 17)
    """
    alphabet = positive_integer("alphabet", alphabet, "the number of letters")
    bits = max(1, (alphabet - 1).bit_length())
    return 8 + bits * (1 if mask == "strict" else 2)


def sharpness(length: int | None = None) -> Bound:
    """The factor on the scores above which no lookup among positions up to ``length`` rounds to a wrong number: ``ln(4 N)``.

    The weights off the target sum to ``s / (1 + s)`` with ``s < 2 e^-b / (1 - e^-3b)``, and numbers lie in ``0 .. N``: the
    error is below 1/2 once ``(2 N - 1) s < 1``.

    >>> round(sharpness(512).at(), 3)
    7.625
    """
    n = sympy.Symbol("length", positive=True)
    return Bound(
        expr=sympy.log(4 * n),
        quantity="the sharpness beyond which softmax lookups of numbers in 0 .. length are exact after rounding",
        assumes=(
            Hypothesis("scores are sharpness * (2 t p - p^2), t and p integers in 0 .. length (taken as given)"),
            Hypothesis("length >= 1", sympy.Ge(n, 1)),
        ),
        source="sum of exp(-sharpness d^2) over d != 0 (derived)",
        values={} if length is None else {n: sympy.Integer(positive_integer("length", length, "the number of letters"))},
    )


def lookup_threshold(length: int) -> float:
    """The sharpness at which the pointer looked up by the last letter of 0 .. 0 1 0 is exactly 1/2 too large.

    That letter points at position N - 1, whose own pointer is 0; position p <= N - 2 holds p (position 1 holds 0) and position
    N holds N - 1. The root of ``sum_p w_p v_p = 1/2 sum_p w_p``, ``w_p = exp(-b (p - N + 1)^2)``; very nearly ``ln(4 N - 8)``.

    >>> abs(float(sympy.log(4 * 512 - 8)) - lookup_threshold(512)) < 1e-6
    True
    """
    import mpmath

    length = positive_integer("length", length, "the number of letters")
    if length < 5:
        raise ValueError(
            f"length = {length}: expected at least 5, because shorter words have no far pointer beside a fresh letter."
        )
    target = length - 1
    values = {0: 0, 1: 0, target: 0, length: target} | {p: p for p in range(2, target)}

    def excess(b: Any) -> Any:
        weights = {p: mpmath.exp(-b * (p - target) ** 2) for p in values if abs(p - target) < 40}
        return mpmath.fsum(w * (values[p] - mpmath.mpf(1) / 2) for p, w in weights.items())

    with mpmath.workdps(30):
        low, high = mpmath.mpf(1), mpmath.log(4 * length)
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        return float(low)


def longest_exact_length(mantissa: int) -> int:
    """The largest N whose scores ``2 t p - p^2`` (t, p <= N) are all exact integers: ``N^2 <= 2^mantissa``.

    >>> [longest_exact_length(MANTISSAS[name]) for name in ("float32", "float16", "bfloat16")]
    [4096, 45, 16]
    """
    return math.isqrt(2 ** positive_integer("mantissa", mantissa, "bits of the mantissa, the hidden one included"))


def one_layer(heads: int, width: int, bits: int, length: int | None = None) -> Bound:
    """The longest word on which one attention layer can compute the induction head hop_1: ``2 h (m + 1) p + 1``.

    INDEX with n bits fits in a word of N = 2 n + 1 letters over three symbols. The last letter's query does not depend on the
    bits, so of each head only m partial numerators and a partial denominator do: h (m + 1) p bits, and n are needed. Of words
    of a given ``length`` up to that the bound says nothing, and is refused as vacuous.

    Raises:
        ValueError: a number that is not a positive integer.

    >>> one_layer(heads=1, width=16, bits=32).at()
    1089.0
    >>> one_layer(heads=1, width=16, bits=32, length=64).check()[-1]
    ('words of 64 letters are longer than 1089: else the bound is vacuous here', False)
    """
    h, m, p = sympy.symbols("heads width bits", positive=True)
    given = {h: heads, m: width, p: bits}
    given = {s: sympy.Integer(positive_integer(s.name, number, "a size of the layer")) for s, number in given.items()}
    longest = 2 * h * (m + 1) * p + 1
    vacuous = ()
    if length is not None:
        long_enough = positive_integer("length", length, "the number of letters of a word") > longest
        statement = f"words of {length} letters are longer than {longest.subs(given)}: else the bound is vacuous here"
        vacuous = (Hypothesis(statement, long_enough),)
    return Bound(
        expr=longest,
        quantity="the longest word on which one attention layer can solve the induction head (vacuous for shorter words)",
        assumes=(
            Hypothesis("the partial sums of a head fit in p bits a number, fixed scale (taken as given)"),
            Hypothesis("three or more letters; any MLP; the output at the last position counts (taken as given)"),
            *vacuous,
        ),
        source="one-way communication of INDEX (derived); arXiv 2408.14332, Theorem 1, states h m p = Omega(N)",
        values=given,
    )


def one_layer_sort(length: int, letters: int) -> Bound:
    """Bits that the sums of one attention layer must hold to sort words of this length: ``log2 C(n + V - 1, n)``, n = N / 2.

    Alice holds the last n letters. Letter n is the largest one, so that the query of position n is fixed; Bob writes a < n
    times the smallest letter and otherwise the largest into the n - 1 before it. The n-th letter of the sorted word is then
    Alice's (n - a)-th smallest: what her positions contribute at position n determines her multiset.

    >>> round(one_layer_sort(12, 6).at(), 3)
    8.852
    >>> one_layer_sort(2048, 1024).at() > 1000
    True
    """
    n = positive_integer("length", length, "the number of letters of a word") // 2
    v = positive_integer("letters", letters, "the size of the alphabet")
    size = sympy.Symbol("multisets", positive=True)
    return Bound(
        side="below",
        expr=sympy.log(size, 2),
        quantity="the bits of one attention layer's sums at one position, h (m + 1) p, without which it cannot sort",
        assumes=(
            Hypothesis("the partial sums of a head fit in p bits a number, fixed scale (taken as given)"),
            Hypothesis("any embeddings and MLP; one output position counts (taken as given)"),
            Hypothesis("length >= 2", sympy.true if length >= 2 else sympy.false),
        ),
        source="one-way communication of a multiset (derived)",
        values={size: sympy.Integer(math.comb(n + v - 1, n))},
    )


def recurrent_bits(length: int | None = None) -> Bound:
    """Bits of state that any left-to-right machine needs for hop_1 on words of this length: ``(N - 1) / 2``.

    >>> recurrent_bits(9).at()
    4.0
    """
    n = sympy.Symbol("length", positive=True)
    return Bound(
        side="below",
        expr=sympy.floor((n - 1) / 2),
        quantity="the bits of state that a recurrent model needs for the induction head",
        assumes=(Hypothesis("the alphabet has at least (length - 1) / 2 + 2 letters (taken as given)"),),
        source="Myhill-Nerode classes of k_1 b_1 .. k_n b_n followed by a key (derived)",
        values={} if length is None else {n: sympy.Integer(positive_integer("length", length, "the number of letters"))},
    )


def cycle_rounds(length: int) -> tuple[int, int]:
    """Rounds of pointer doubling on a directed N-cycle against two N/2-cycles: the last that sees too little, and enough.

    After R rounds a vertex knows the one 2^R steps ahead; while ``2^R < N / 2`` it is a new vertex in both graphs.
    ``ceil(log2 N)`` rounds reach all vertices.

    >>> cycle_rounds(16)
    (2, 4)
    """
    length = positive_integer("length", length, "the number of vertices")
    if length % 2 or length < 6:
        raise ValueError(f"length = {length}: expected an even number >= 6, because it is split into two cycles.")
    return (length // 2 - 1).bit_length() - 1, (length - 1).bit_length()


def self_exclusion_bits(length: int, width: int) -> Bound:
    """Bits a number that one head with the *plain causal* mask needs to find the last match in layer 1: about ``N / (2 m)``.

    p bits before and p after the point. Let every position show the same letter, and let u_l in R^r, r <= m, be the difference
    of the keys at l + 1 and l. The head must find a query g_i with ``g_i.u_l > 0`` for l <= i - 2 (a later match wins) and
    ``sum_(l<i) g_i.u_l < 0`` (i itself, which matches too, loses against the first). So with the norms ``|g|_i = sum_(l<i)
    |g.u_l|`` the step from i - 1 to i at least doubles the norm of g_i, and the volume of the unit ball halves at least at
    every step that does not raise the dimension (the marginal of exp(-|g|) is log-concave with tails no lighter than
    exp(-|s|)). Cross-polytopes bound the volumes at both ends, their determinants being multiples of 2^(-p r):

        N - 1 - r <= r (2 p + 1 + log2 N).

    So at constant width and O(log N) bits the floor law is out of reach of this head; it speaks of no other mechanism. With a
    wide exponent two directions are enough: the score l - 2 N (4 N)^(l - i) rises for l < i and is lowest at l = i.

    >>> self_exclusion_bits(4096, 4).at() > 500
    True
    """
    n, m = sympy.symbols("length width", positive=True)
    given = {n: length, m: width}
    needed = ((n - 1 - m) / m - 1 - sympy.log(n, 2)) / 2
    return Bound(
        side="below",
        expr=needed,
        quantity="the bits a number (fixed point) with which one causally masked head can rank the last match first",
        assumes=(
            Hypothesis("tokenwise embeddings of letter and position, arbitrary otherwise (taken as given)"),
            Hypothesis("everywhere the head prefers the last earlier match to other matches and itself (taken as given)"),
            Hypothesis("width < length", m < n),
            Hypothesis("length / width is so large that some bits are needed: else the bound is vacuous here", needed > 0),
        ),
        source="volumes of unit balls of nested variation norms (stated here first)",
        values={s: exact_number(s.name, positive_integer(s.name, x, "a size")) for s, x in given.items()},
    )
