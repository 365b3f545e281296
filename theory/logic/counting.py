r"""Alternating blocks: the depth of counting that recognises and predicts them, and the words that fool less depth.

L_1 = a+ and L_{k+1} = L_k b+ or L_k a+ in turn: k blocks of equal letters, the first of them a's. Formulas of temporal logic
with counts of the past (C-RASP, one-sided), letters in turn:

    A_1 = a,  A_{m+1} = s and #[A_m] >= 1  (s = b, a, b, ...),         B_m the same with the letters exchanged.

*Recogniser of depth k.* A_m(j) says: w_j is the last letter of L_m and some a-first pattern of m alternating letters ends at j,
that is, at least m blocks up to j counted from the first a. So w is in L_k iff #[A_k] >= 1 and #[B_k] = 0 at its last position:
the first says that there are at least k blocks from an a on; a word that starts with b, or has k + 1 blocks, contains the b-first
pattern of length k, and a word of L_k does not, its b-first patterns starting in its second block at the earliest. A_k and B_k
have depth k - 1, the counts around them make it k.

*Predictor of depth k - 2* (k >= 3). Promised that w is a prefix of a word of L_k: it is in L_k iff its last letter is that of L_k
and #[B_{k-2}] >= 1. The word starts with a, so B_{k-2} says at least k - 1 blocks; there are at most k, and the last letter
fixes the parity. For k = 2 the letter alone decides (depth 0), for k = 1 everything is in L_1.

*Fooling pairs.* Let u be in L_{k+1}, s its last letter and t the other one: u s s t t is in L_{k+2} and u s t s t in L_{k+4}; the
two have equal length, letter counts and last letter. At depth 1 a formula knows the two letter counts and the last letter. For
u = a^p b^q with p > C and q >= C (p + 3), no test c_a #a + c_b #b >= c with |c_a|, |c_b|, |c| <= C changes on the tail: there #a
is in p .. p + 2 and #b in q + 1 .. q + 2; if c_b != 0 then |c_b #b| >= q + 1 > C (p + 2) + C, so the sign of c_b decides, and if
c_b = 0 != c_a then |c_a #a| >= p > C does. (The reference asks q > C (p + 3); equality is enough.) Hence on the tail every
depth-1 formula with such coefficients is a function of the letter, each tail has two of each letter, and no depth-2 formula
over them tells the two words apart, whatever *its own* outer coefficients are. `depthjax.measure.counting` enumerates the tests.

*Parity, two-sided, depth 2*: the number of ones is odd iff some position holds a one with #[1] = #>[1]: the i-th of m ones
has i ones up to it and m - i + 1 from it on.

Sources: Yang, Cadilhac, Chiang, arXiv 2506.16055 (hierarchy, pairs); both families of formulas are derived here.
"""

from __future__ import annotations

from math import comb

import numpy as np

from theory.bounds.bound import positive_integer
from theory.logic.formula import TRUE, And, AtLeast, Atom, Count, Formula, Not, all_of

__all__ = ["blind_lengths", "block_counts", "blocks", "fooling_pair", "parity", "predictor", "recogniser"]


def blocks(number: int, first: str = "a") -> Formula:
    """A_m (first = "a") or B_m (first = "b"): a pattern of m alternating letters that starts with `first` ends here.

    >>> print(blocks(3))
    a & #[b & #[a] >= 1] >= 1
    """
    positive_integer("number", number, "a number of blocks")
    letters = ("a", "b") if first == "a" else ("b", "a")
    formula: Formula = Atom(letters[0])
    for m in range(1, number):
        formula = And((Atom(letters[m % 2]), _some(formula)))
    return formula


def recogniser(k: int, pattern: int | None = None) -> Formula:
    """A formula of depth k that holds at the last position of exactly the words of L_k.

    Args:
        k: blocks.
        pattern: length of the patterns, k unless a deliberately shallower formula is wanted.
    """
    positive_integer("k", k, "a number of blocks")
    length = k if pattern is None else positive_integer("pattern", pattern, "a length")
    return And((_some(blocks(length, "a")), Not(_some(blocks(length, "b")))))


def predictor(k: int, pattern: int | None = None) -> Formula:
    """A formula of depth k - 2 (0 for k <= 2): on prefixes of words of L_k, whether the word may end here.

    Args:
        k: blocks.
        pattern: length of the pattern, k - 2 unless a deliberately shallower formula is wanted; 0 asks the letter alone.
    """
    positive_integer("k", k, "a number of blocks")
    length = max(k - 2, 0) if pattern is None else pattern
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
    """How many words of length 0, 1, ... are in L_k: the compositions of n into k parts, C(n - 1, k - 1).

    >>> block_counts(3, 6)
    (0, 0, 0, 1, 3, 6, 10)
    """
    return tuple(comb(n - 1, k - 1) if n >= 1 else 0 for n in range(length + 1))


def fooling_pair(lengths: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """U s s t t and u s t s t for u with these block lengths: int arrays, letter 0 is a. See the module for which u fool whom.

    >>> ["".join("ab"[i] for i in word) for word in fooling_pair((1, 2))]
    ['abbbbaa', 'abbbaba']
    """
    if not lengths or min(lengths) < 1:
        raise ValueError(f"block lengths {lengths}: expected one or more positive integers")
    u = np.repeat(np.arange(len(lengths)) % 2, lengths)
    s, t = u[-1], 1 - u[-1]
    return np.concatenate([u, [s, s, t, t]]), np.concatenate([u, [s, t, s, t]])


def blind_lengths(size: int) -> tuple[int, int]:
    """Block lengths (p, q) of u = a^p b^q that fool depth 2 with inner coefficients of absolute value <= size: see the module.

    >>> blind_lengths(3)
    (4, 21)
    """
    positive_integer("size", size, "a bound on integer coefficients")
    return size + 1, size * (size + 4)


def _some(formula: Formula) -> Formula:
    return AtLeast((Count(1, formula),), 1)
