r"""Even lengths need half as many units again as the flattened target has ranks: three outputs, crossed.

Let k be even. Take any three linear functionals of the output. The part of a unit of z^k that depends on every letter is a
product ``b c`` of a function of the letters 1, 3, .., k - 1 and one of the letters 2, 4, .., k, times three numbers o. With the
matrix [o] of the cross product with o, which has rank 2, the units H add up to a matrix of rank 2 H at most,

    sum of [o] (x) b c' = [[0, M_3, -M_2], [-M_3, 0, M_1], [M_2, -M_1, 0]],

where M_1, M_2, M_3 are the three outputs of the target with odd letters as rows and even letters as columns.

In an irrep of dimension n the target is a ring of k + 1 sites whose bonds have dimension n. Of these k - 1 join odd letters to
even ones, and two meet in the output. So M_i is the tensor product of the identity of size ``n^(k-1)`` and a matrix W_i of size
n, which is any matrix for some functional, because the Fourier coefficient is invertible. If W_1 is the identity, the crossed
matrix of the W_i has the rank of 2 n and of ``W_2 W_3 - W_3 W_2``, which for n >= 2 is regular for some W_2, W_3. For n = 1 it
has rank 2. Functions in entries of different irreps are linearly independent, and functionals are chosen for each of them:
ranks add up. So there are at least **L = the sum of 3/2 n^k over n >= 2, and of 1 over n = 1** units.

**One unit more with a sign s.** Powers are not negative for even k, so the mean over all words of each unit is positive, and
that of ``s(g_1) .. s(g_k)`` is zero. So at least two units write to s. Let one of them write o, and not to s alone. Functionals
that vanish on o need not vanish on s, and they are free elsewhere. They give the same rank, and this unit has no part in it:
there are L others. If all units that write to s write to s alone, these are two at least, and the others compose the rest, for
which there are L - 1.

For odd k the ring has an even number of sites, and all ``n^(k+1)`` paths are a sum of products that is as short as the rank of
its flattening. So no bound on the part that depends on all letters is better there: what is more has to come from the parts of
fewer letters, which powers bring along.

Source: derived here, after V. Strassen, Linear Algebra Appl. 52 (1983), and J. M. Landsberg, G. Ottaviani, Theory of Computing
11 (2015), who cross more outputs. Sums over rings: M. Christandl, J. Zuiddam, Comput. Complexity 28 (2019).
"""

from __future__ import annotations

from collections.abc import Iterable

from theory.composition.bilinear import Typed
from theory.composition.lengths import word_length

__all__ = ["crossed_units"]


def crossed_units(irreps: Iterable[Typed], length: int) -> int:
    """Return the lower bound that is proved above on the hidden units of one layer of z^length, for even lengths.

    Args:
        irreps: The non-trivial irreps whose Fourier coefficient is not zero, with both members of each complex pair.
        length: Number of elements k, an even number.

    Raises:
        ValueError: `length` is not an even integer >= 2.
        TooExpensive: The answer has too many digits, see `theory.cost`.

    >>> from theory.groups import group
    >>> [crossed_units(group(name).irreps[1:], 4) for name in ("C3", "C2xC2", "S3", "A4", "Q8")]
    [2, 4, 26, 124, 28]
    """
    found = list(irreps)
    length = word_length(length, 2, sizes=(irrep.dimension for irrep in found))
    if length % 2:
        raise ValueError(f"length = {length}: expected an even number, because the ring has one site more.")
    twice = sum(2 if irrep.dimension == 1 else 3 * irrep.dimension**length for irrep in found)
    return -(-twice // 2) + any(irrep.kind == "real" and irrep.dimension == 1 for irrep in found)
