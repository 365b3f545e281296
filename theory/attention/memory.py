"""Unconditional lower bounds on memory: the bits without which one attention layer or a recurrence cannot solve a task."""

from __future__ import annotations

import dataclasses
import math

import sympy

from theory.bound import Assumption, Bound
from theory.checks import nonnegative_number, positive_integer
from theory.cost import digits, power, refuse
from theory.registry import registered

__all__ = ["induction_head_states", "one_layer", "one_layer_sort", "recurrent_bits", "self_exclusion_bits"]

_FACTORS = 1000  # of a binomial coefficient that is written out
_SUMS = Assumption("the partial sums of a head fit in p bits a number, fixed scale (taken as given)")


@registered
def one_layer(heads: int, width: int, bits: int, length: int | None = None) -> Bound:
    """Return the longest word on which one attention layer can solve the induction head.

    The induction head is hop_1, and the longest word has ``2 h (m + 1) p + 1`` letters. INDEX with n bits fits in a word of N
    = 2 n + 1 letters over three symbols. The query of the last letter does not depend on the bits, so each head passes on only
    m partial numerators and a partial denominator. All heads together pass on h (m + 1) p bits, and n bits are needed.

    Args:
        heads: Number of heads h.
        width: Numbers m that a head returns.
        bits: Bits p of a number.
        length: Number of letters of a word. The bound says nothing about words that are no longer than its value; for them it
            is refused as vacuous.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> one_layer(heads=1, width=16, bits=32).at()
    1089.0
    >>> one_layer(heads=1, width=16, bits=32, length=64).check()[-1]
    ('words of 64 letters are longer than 1089: else the bound is vacuous here', False)
    """
    h, m, p = sympy.symbols("heads width bits", positive=True)
    sizes = {h: heads, m: width, p: bits}
    sizes = {s: sympy.Integer(positive_integer(s.name, number, "a size of the layer")) for s, number in sizes.items()}
    longest = 2 * h * (m + 1) * p + 1
    vacuous = ()
    if length is not None:
        long_enough = positive_integer("length", length, "the number of letters of a word") > longest
        statement = f"words of {length} letters are longer than {longest.subs(sizes)}: else the bound is vacuous here"
        vacuous = (Assumption(statement, long_enough),)
    return Bound(
        expr=longest,
        quantity="the longest word on which one attention layer can solve the induction head (vacuous for shorter words)",
        assumes=(
            _SUMS,
            Assumption("three or more letters; any MLP; the output at the last position counts (taken as given)"),
            *vacuous,
        ),
        source="one-way communication of INDEX (derived); arXiv 2408.14332, Theorem 1, states h m p = Omega(N)",
        values=sizes,
    )


@registered
def one_layer_sort(length: int, letters: int) -> Bound:
    """Return the bits that the sums of one attention layer must hold to sort words.

    These are the sums at one position. The number of bits is ``log2 C(n + V - 1, n)`` with n = N / 2. Alice holds the last n
    letters. Letter n is the largest one, so the query of position n is fixed. Bob fills the n - 1 positions before it with the
    smallest letter, a < n times, and otherwise with the largest. The n-th letter of the sorted word is then the (n - a)-th
    smallest letter of Alice. So the contribution of her positions at position n determines her multiset.

    Args:
        length: Number of letters N of a word, at least 2.
        letters: Size V of the alphabet.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> round(one_layer_sort(length=12, letters=6).at(), 3)
    8.852
    >>> one_layer_sort(2048, 1024).at() > 1000
    True
    >>> round(one_layer_sort(10**12, 10**9).at() / 1e10, 3)
    1.041
    """
    n = positive_integer("length", length, "the number of letters of a word") // 2
    v = positive_integer("letters", letters, "the size of the alphabet")
    size, values = sympy.Symbol("multisets", positive=True), {}
    if min(n, v) <= _FACTORS:
        expr, values = sympy.log(size, 2), {size: sympy.Integer(math.comb(n + v - 1, n))}
    else:  # the number itself has too many digits
        logarithms = [sympy.loggamma(x, evaluate=False) for x in map(sympy.Integer, (n + v, n + 1, v))]
        expr = (logarithms[0] - logarithms[1] - logarithms[2]) / sympy.log(2)
    return Bound(
        side="below",
        expr=expr,
        quantity="the bits of one attention layer's sums at one position, h (m + 1) p, without which it cannot sort",
        assumes=(
            _SUMS,
            Assumption("any embeddings and MLP; one output position counts (taken as given)"),
            Assumption("length >= 2", sympy.true if length >= 2 else sympy.false),
        ),
        source="one-way communication of a multiset (derived)",
        values=values,
    )


@registered
def recurrent_bits(length: int | None = None) -> Bound:
    """Return the bits of state that any left-to-right machine needs for the induction head.

    The number of bits for hop_1 on words of N letters is ``(N - 1) / 2``.

    Args:
        length: Number of letters N of a word; None leaves the length open.

    Raises:
        ValueError: `length` is not an integer >= 1.

    >>> recurrent_bits(length=9).at()
    4.0
    """
    n = sympy.Symbol("length", positive=True)
    return Bound(
        side="below",
        expr=sympy.floor((n - 1) / 2),
        quantity="the bits of state that a recurrent model needs for the induction head",
        assumes=(Assumption("the alphabet has at least (length - 1) / 2 + 2 letters (taken as given)"),),
        source="Myhill-Nerode classes of k_1 b_1 .. k_n b_n followed by a key (derived)",
        values={} if length is None else {n: sympy.Integer(positive_integer("length", length, "the number of letters"))},
    )


def induction_head_states(letters: int) -> int:
    """Return the number of states of the least machine that answers hop_1 at every position of every stream of letters.

    A state is the last letter and, for every other letter that was seen, the letter that last came behind it. These last exits
    are later and later along a path, so they form a tree on the letters seen, rooted at the last letter. A walk along the
    edges of any tree, deepest letters first, has this tree. The next letter tells two trees apart. There are ``s^(s - 1)``
    rooted trees on s letters (Cayley) and one state before the first letter: ``1 + sum_s C(V, s) s^(s - 1)``.

    Raises:
        ValueError: `letters` is not an integer >= 1.

    >>> [induction_head_states(letters) for letters in range(1, 7)]
    [2, 5, 19, 117, 1061, 12703]
    """
    letters = positive_integer("letters", letters, "the size of the alphabet")
    one = digits(
        f"the trees on {letters:.6g} letters" if letters < 10**300 else "the trees",
        power(letters, 1) * 2 * math.log2(letters + 1),
    )
    refuse(dataclasses.replace(one, seconds=one.seconds * power(letters, 1)))
    return 1 + sum(math.comb(letters, seen) * seen ** (seen - 1) for seen in range(1, letters + 1))


@registered
def self_exclusion_bits(length: int, width: int) -> Bound:
    """Return the bits on either side of the binary point that a causal head needs to find the last match.

    The head stands in layer 1 and has the plain causal mask. Its keys and queries are fixed point numbers with p bits before
    the binary point and p bits after it; the bound says that p is at least about ``N / (2 m)``. Let every position show the
    same letter, and let u_l in R^r, r <= m, be the difference of the keys at l + 1 and l. The head must find a query g_i with
    ``g_i.u_l > 0`` for l <= i - 2 (a later match wins) and ``sum_(l<i) g_i.u_l < 0`` (position i itself matches too, and loses
    against the first). With the norms ``|g|_i = sum_(l<i) |g.u_l|``, the step from i - 1 to i therefore at least doubles the
    norm of g_i. So every step that does not raise the dimension at least halves the volume of the unit ball, because the
    marginal of exp(-|g|) is log-concave with tails no lighter than exp(-|s|). Cross-polytopes bound the volumes at both ends,
    because their determinants are multiples of 2^(-p r). Together:

        N - 1 - r <= r (2 p + 1 + log2 N).

    At constant width and O(log N) bits the floor law is therefore out of reach of this head. The bound speaks of no other
    mechanism. With a wide exponent two directions are enough: the score l - 2 N (4 N)^(l - i) rises for l < i and is lowest
    at l = i.

    Args:
        length: Number of letters N of a word.
        width: Numbers m in a key, fewer than `length`.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> self_exclusion_bits(length=4096, width=4).at() > 500
    True
    """
    n, m = sympy.symbols("length width", positive=True)
    needed = ((n - 1 - m) / m - 1 - sympy.log(n, 2)) / 2
    return Bound(
        side="below",
        expr=needed,
        quantity="the bits on either side of the binary point (fixed point) with which one causally masked head can rank the "
        "last match first",
        assumes=(
            Assumption("tokenwise embeddings of letter and position, arbitrary otherwise (taken as given)"),
            Assumption("everywhere the head prefers the last earlier match to other matches and itself (taken as given)"),
            Assumption("width < length", m < n),
            Assumption("length / width is so large that some bits are needed: else the bound is vacuous here", needed > 0),
        ),
        source="volumes of unit balls of nested variation norms (stated here first)",
        values={s: nonnegative_number(s.name, positive_integer(s.name, x, "a size")) for s, x in ((n, length), (m, width))},
    )
