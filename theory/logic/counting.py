r"""Alternating blocks: the depth of counting that recognises and predicts them, and the words that fool less depth.

L_1 = a+ and L_{k+1} = L_k b+ or L_k a+ in turn: k blocks of equal letters, the first of them a's. Formulas of temporal logic
with counts of the past (C-RASP, one-sided), letters in turn:

    A_1 = a,  A_{m+1} = s and #[A_m] >= 1  (s = b, a, b, ...),         B_m the same with the letters exchanged.

*Recogniser of depth k.* A_m(j) says that w_j is the last letter of L_m and that some a-first pattern of m alternating letters
ends at j: there are at least m blocks up to j, counted from the first a. So w is in L_k iff #[A_k] >= 1 and #[B_k] = 0 at its
last position. The first condition says that there are at least k blocks from an a on. A word that starts with b, or has k + 1
blocks, contains the b-first pattern of length k. A word of L_k does not, because its b-first patterns start in its second block
at the earliest. A_k and B_k have depth k - 1, and the counts around them make it k.

*Predictor of depth k - 2* (k >= 3). Suppose that w is a prefix of a word of L_k. Then w is in L_k iff its last letter is that
of L_k and #[B_{k-2}] >= 1. The word starts with a, so B_{k-2} says that there are at least k - 1 blocks; there are at most k,
and the last letter fixes the parity. For k = 2 the letter alone decides (depth 0); for k = 1 every prefix is in L_1.

*Fooling pairs.* Let u be in L_{k+1}, s its last letter and t the other letter. Then u s s t t is in L_{k+2} and u s t s t in
L_{k+4}, and the two words have equal length, letter counts and last letter. They differ in the order of two letters s, t only:
with (x, y) letters s, t after u, there is an s at (2, 0) and a t at (2, 1) in the first word, a t at (1, 1) and an s at (2, 1)
in the second. So a formula tells the words apart only if a test inside it changes between (2, 0) and (2, 1), or between (1, 1)
and (2, 1), and some formula around a test that does tells them apart.

*Depth 2.* At depth 1 the tests are c_a #a + c_b #b >= c with |c_a|, |c_b|, |c| <= C. For u = a^p b^q none of them changes iff

    p > C,    q >= C (p + 2).

If c_b != 0, then |c_b #b| > C (p + 1) + C there, so the sign of c_b decides; if c_b = 0 != c_a, then |c_a #a| >= p > C does.
One letter less is too few: -#a >= -C changes at p = C, and C #a - #b >= -C at q = C (p + 2) - 1. So below these lengths no
depth-2 formula tells the words apart, whatever *its own* outer coefficients are.

*Depth 3.* Let the |coefficients| of a depth-2 test have a sum of at most S, and its bound be at most S >= C. For
u = a^p b^q a^r and e = C (p + 1) no such test changes iff

    p > C,    r > (S - 1)(p + e + 1),    q >= C (p + r + 3) + 1,    q >= (S - 1)(r + p + e + 3) + e + 2

(a middle block that outweighs the third, which outweighs the first). All tests of depth 1 have one common set of results v on
the third block, on the tail, and on the second block except its first e letters: if c_b != 0 then |c_b #b| outweighs the rest
there, else c_a decides. A depth-2 test weighs the letters by their class with integers whose largest and smallest differ by at
most S, so it is gamma (q - e + y) + alpha (r + x) + R, with y and x letters b and a of the tail, and R from the p + e other
letters. If gamma != 0, the other weights are at most S - 1 against it, and what is left of (q - e + y) is above S. If gamma = 0
!= alpha, what is left of (r + x) is above S; else nothing changes. One letter less is too few: take the weight -1 for the block
that is too short, S - 1 for what stands against it, and the bound -S. Blocks that grow from left to right do *not* fool depth
3, however fast they grow: see `crossing`. The claim `alternation_pairs_blind` enumerates the tests of both depths.

*Parity, two-sided, depth 2*: the number of ones is odd iff some position holds a one with #[1] = #>[1]: the i-th of m ones
has i ones up to it and m - i + 1 from it on.

Sources: Yang, Cadilhac, Chiang, arXiv 2506.16055 (hierarchy, pairs); both families of formulas are derived here.
"""

from __future__ import annotations

import math
from math import comb

import numpy as np

from depthjax.refusal import refusing
from theory.checks import integer, positive_integer
from theory.cost import Estimate, power, refuse
from theory.logic.formula import TRUE, And, AtLeast, Atom, Count, Formula, Not, Or
from theory.logic.operators import all_of

__all__ = ["blind_lengths", "block_counts", "blocks", "crossing", "fooling_pair", "parity", "predictor", "recogniser"]


@refusing(lambda number, first: _can_be_nested(number, first))
def blocks(number: int, first: str = "a") -> Formula:
    """A_m (first = "a") or B_m (first = "b"): a pattern of m alternating letters that starts with `first` ends here.

    Raises:
        ValueError: `number` is not an integer >= 1, or there is no such letter.
        TooExpensive: There are too many blocks, see `theory.cost`.

    >>> print(blocks(3))
    a & #[b & #[a] >= 1] >= 1
    """
    number = positive_integer("number", number, "a number of blocks")
    letters = ("a", "b") if first == "a" else ("b", "a")
    formula: Formula = Atom(letters[0])
    for m in range(1, number):
        formula = And((Atom(letters[m % 2]), _some(formula)))
    return formula


def recogniser(k: int, pattern: int | None = None) -> Formula:
    """A formula of depth k that holds at the last position of exactly the words of L_k.

    Args:
        k: Number of blocks.
        pattern: Length of the patterns; k unless a deliberately shallower formula is wanted.
    """
    k = positive_integer("k", k, "a number of blocks")
    length = k if pattern is None else positive_integer("pattern", pattern, "a length")
    return And((_some(blocks(length, "a")), Not(_some(blocks(length, "b")))))


def predictor(k: int, pattern: int | None = None) -> Formula:
    """A formula of depth k - 2 (0 for k <= 2): on prefixes of words of L_k, whether the word may end here.

    Args:
        k: Number of blocks.
        pattern: Length of the pattern; k - 2 unless a deliberately shallower formula is wanted, 0 for the letter alone.
    """
    k = positive_integer("k", k, "a number of blocks")
    length = max(k - 2, 0) if pattern is None else integer("pattern", pattern, "a length", least=0)
    last = TRUE if k == 1 else Atom("ab"[(k - 1) % 2])
    return all_of([last, _some(blocks(length, "b")) if length else TRUE])


def parity(two_sided: bool = True) -> Formula:
    """An odd number of ones, over 0 and 1, at the last position; the one-sided variant is wrong and serves as a control.

    >>> parity().depth
    2
    """
    one = Atom("1")
    same = (Count(1, one), Count(-1, one, two_sided))
    other = (Count(-1, one), Count(1, one, two_sided))
    return _some(And((one, AtLeast(same, 0), AtLeast(other, 0))))


@refusing(lambda k, length: _can_be_listed(k, length))
def block_counts(k: int, length: int) -> tuple[int, ...]:
    """Number of words of length 0, 1, ... in L_k: the compositions of n into k parts, C(n - 1, k - 1).

    Raises:
        ValueError: `k` is not an integer >= 1, or `length` not one >= 0.
        TooExpensive: The numbers are too many or too long, see `theory.cost`.

    >>> block_counts(3, 6)
    (0, 0, 0, 1, 3, 6, 10)
    """
    k, length = positive_integer("k", k, "a number of blocks"), integer("length", length, "of the longest words", least=0)
    return tuple(comb(n - 1, k - 1) if n >= 1 else 0 for n in range(length + 1))


def fooling_pair(lengths: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The words u s s t t and u s t s t for u with these block lengths; letter 0 is a. The module says which u fool whom.

    >>> ["".join("ab"[i] for i in word) for word in fooling_pair((1, 2))]
    ['abbbbaa', 'abbbaba']
    """
    if len(lengths) == 0:
        raise ValueError("no block lengths: expected one or more positive integers")
    lengths = tuple(positive_integer("a block length", length, "a number of letters") for length in lengths)
    u = np.repeat(np.arange(len(lengths)) % 2, lengths)
    s, t = u[-1], 1 - u[-1]
    return np.concatenate([u, [s, s, t, t]]), np.concatenate([u, [s, t, s, t]])


def blind_lengths(size: int, total: int | None = None) -> tuple[int, ...]:
    """Least block lengths of words u that fool bounded counting formulas: (p, q) for depth 2, (p, q, r) for depth 3.

    Each length is the least for those before it, in the order p, r, q.

    Args:
        size: C, the largest inner coefficient.
        total: S >= C, the largest sum of coefficients of the tests in between. None asks for depth 2.

    >>> blind_lengths(3), blind_lengths(2, 6)
    ((4, 18), (3, 385, 61))
    """
    size = positive_integer("size", size, "a bound on integer coefficients")
    p = size + 1
    if total is None:
        return p, size * (p + 2)
    total = integer("total", total, "a bound on sums of integer coefficients")
    if total < size:
        raise ValueError(f"total = {total} is less than size = {size}: a sum of coefficients bounds each of them")
    early = size * (p + 1)
    r = (total - 1) * (p + early + 1) + 1
    q = max(size * (p + r + 3) + 1, (total - 1) * (r + p + early + 3) + early + 2)
    return p, q, r


def crossing() -> Formula:
    """A formula of depth 3, with unit coefficients, that separates the pair for every u = a^p b^q a^r with r > q - p > 0.

    On u there are q positions a with #[a] <= #[b] or no b before them: p in the first block and q - p in the third. So "more b
    than such positions" turns true at the first b of the tail, and only u s t s t has an a after that.

    >>> crossing().depth
    3
    """
    a, b = Atom("a"), Atom("b")
    none_yet = Not(_some(b))
    behind = AtLeast((Count(1, b), Count(-1, a)), 0)
    more = AtLeast((Count(1, b), Count(-1, And((a, Or((behind, none_yet)))))), 1)
    return _some(And((a, _some(b), more, Not(behind))))


def _some(formula: Formula) -> Formula:
    return AtLeast((Count(1, formula),), 1)


def _can_be_nested(number: int, first: str) -> None:
    size = power(positive_integer("number", number, "a number of blocks"), 1)
    refuse(Estimate(f"a formula of {size:.6g} blocks", 1e-5 * size, 2e-6 * size))
    if first not in ("a", "b"):
        raise ValueError(f"first = {first!r}: expected 'a' or 'b', the letters of the blocks.")


def _can_be_listed(k: int, length: int) -> None:
    """Refuse binomials C(n - 1, k - 1) that are too many or too long; m factors give at most m log2(e length / m) bits."""
    k, length = positive_integer("k", k, "a number of blocks"), integer("length", length, "of the longest words", least=0)
    size, factors = power(length, 1), min(k, max(length - k + 1, 0))
    bits = power(factors, 1) * (math.log2(length) - math.log2(factors) + 1.45) if factors else 0.0
    seconds = size * (3e-7 + power(factors, 1) * (2.5e-7 + 4e-11 * bits))
    refuse(Estimate(f"{size:.6g} numbers of up to {bits:.3g} bits", seconds, size * (40 + bits / 8) / 2**30))
