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
L_{k+4}, and the two words have equal length, letter counts and last letter. At depth 1 a formula knows the two letter counts
and the last letter. For u = a^p b^q with p > C and q >= C (p + 3), no test c_a #a + c_b #b >= c with |c_a|, |c_b|, |c| <= C
changes on the tail: there #a is in p .. p + 2 and #b in q + 1 .. q + 2; if c_b != 0 then |c_b #b| >= q + 1 > C (p + 2) + C, so
the sign of c_b decides, and if c_b = 0 != c_a then |c_a #a| >= p > C does. Hence on the tail every depth-1 formula with such
coefficients is a function of the letter, each tail has two of each letter, and no depth-2 formula over them tells the two words
apart, whatever *its own* outer coefficients are. `depthjax.probe.counting` enumerates the tests.

*Depth 3.* Let S >= C bound the sum of the |coefficients| of a depth-2 test, and its bound. For u = a^p b^q a^r with

    p > C,    r > S (p + C (p + 1) + 1),    q > C (p + 1) + S (r + p + C (p + 1) + 3)

(a middle block that outweighs the third, which outweighs the first), all inner tests have one common set of results v on the
third block, on the tail, and on the second block except its first e <= C (p + 1) letters: if c_b != 0 then |c_b #b| > C (p + r
+ 3) outweighs the rest there, else c_a decides, as before. So a depth-1 formula f holds on the tail by letter, and #[f] is
there

    [f holds at (a, v)] (r + x) + [f holds at (b, v)] (q - e + y) + R_f,     0 <= x, y <= 2,  0 <= R_f <= p + C (p + 1).

In a depth-2 test these add up to alpha (r + x) + gamma (q - e + y) + R with |alpha|, |gamma| <= S, |R| <= S (p + C (p + 1)):
the sign of gamma decides, else that of alpha, else nothing changes. So depth-2 formulas are functions of the letter on the
tail as well, and no depth-3 formula over them tells u s s t t from u s t s t. Blocks that grow from left to right do *not*
fool depth 3, however fast they grow: see `crossing`. Random formulas hardly ever notice.

*Parity, two-sided, depth 2*: the number of ones is odd iff some position holds a one with #[1] = #>[1]: the i-th of m ones
has i ones up to it and m - i + 1 from it on.

Sources: Yang, Cadilhac, Chiang, arXiv 2506.16055 (hierarchy, pairs); both families of formulas are derived here.
"""

from __future__ import annotations

from math import comb

import numpy as np

from theory.checks import integer, positive_integer
from theory.logic.formula import TRUE, And, AtLeast, Atom, Count, Formula, Not, Or
from theory.logic.operators import all_of

__all__ = ["blind_lengths", "block_counts", "blocks", "crossing", "fooling_pair", "parity", "predictor", "recogniser"]


def blocks(number: int, first: str = "a") -> Formula:
    """A_m (first = "a") or B_m (first = "b"): a pattern of m alternating letters that starts with `first` ends here.

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


def block_counts(k: int, length: int) -> tuple[int, ...]:
    """Number of words of length 0, 1, ... in L_k: the compositions of n into k parts, C(n - 1, k - 1).

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
    """Block lengths of words u that fool bounded counting formulas: (p, q) for depth 2, (p, q, r) for depth 3.

    Args:
        size: C, the largest inner coefficient.
        total: S >= C, the largest sum of coefficients of the tests in between. None asks for depth 2.

    >>> blind_lengths(3), blind_lengths(2, 6)
    ((4, 21), (3, 531, 73))
    """
    size = positive_integer("size", size, "a bound on integer coefficients")
    p = size + 1
    if total is None:
        return p, size * (p + 3)
    total = integer("total", total, "a bound on sums of integer coefficients")
    if total < size:
        raise ValueError(f"total = {total} is less than size = {size}: a sum of coefficients bounds each of them")
    early = size * (p + 1)
    r = total * (p + early + 1) + 1
    return p, early + total * (r + p + early + 3) + 1, r


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
