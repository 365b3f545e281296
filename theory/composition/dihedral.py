r"""Squared distances are the narrowest network of z^2 for one real irrep of dimension 2 and signs: 10 units for S3, 12 for D4.

Let a code have one real irrep rho of dimension 2, whose image is a dihedral group D_n, and t >= 1 signs s_1, .., s_t. Then its
algebra is ``A = R^t + M_2``. A unit writes ``w (a(g) + b(h))^2``. Its mixed part is the product ``2 w a b``. Its pure parts
``w a^2`` and ``w b^2`` must add up to nothing over all units. Squared distances take t + 9 units, one more than
`least_units` proves for other codes. **t + 8 units do not suffice**, if t >= 2 or n is not 4.

*Products.* The product of A has the t + 7 terms ``s_i * s_i * s_i`` and Strassen's seven. The tensors ``a * b`` of what two of
its terms read, ``a_k ^ a_l (x) b_k ^ b_l`` for k < l, are linearly independent (checked in the tests), so they span no tensors
of rank one but multiples of their own. This and the argument of `least_units` show that t + 7 terms are these, up to the choice
of Strassen's algorithm, which is unique up to changes of basis (de Groote 1978).

*Signs.* The mean of the squares over all pairs is positive for each unit and adds up to nothing. So at least two units write to
each sign, with weights of both signs.

*One unit more.* Let u be a unit that writes to the sign s. Modulo its output vector the others compute the product of the rest,
and ``l s(g) s(h)``, with l what u writes elsewhere. If l is zero for every such u, two units write to s and to nothing else,
and the others are as few as can be. If it is not, take another unit that reads s, and restrict g to where it reads nothing. The
remaining units compute the rest, as few as can be, so they are known. Their part in ``s(h)`` is of rank one, in the span of the
tensors above: it is zero, or that of one unit whose output is parallel to l. Put back, this leaves four kinds of networks, in
which all units but a few are terms of the list:

(i) one unit reads one of the letters only, and writes anything;
(ii) two units compute one term of the list in place of one, its output split in any way;
(iii) three units compute two terms of the list, one of them a sign's, and write to the outputs of these two;
(iv) two units compute ``s(g) s(h)`` and write to s alone, whatever they read.

*The determinant.* One of Strassen's terms reads ``tr N rho(g)`` with N regular; let v be its output. The part of its square in
the sign ``d = det rho`` is det N. The other six read matrices of rank one, whose squares have no such part. What is written to
M_2 can be balanced only by units of the few that write there, and that read N or d in either letter. Kind (i) has none for one
of the letters, (iv) has none at all, and (iii) has one only if it writes to v. In (ii) the term that is split is that of v, or
a sign's and its output is split by a multiple of v.

*Two signs and more.* Kind (iii) and (iv) leave one unit alone with another sign, or write to signs alone. In (ii) two units
split a term, and both write to each other sign s_b. If they read a sign s_a, their parts in s_a add up to nothing there, where
nothing else has any, and so they do on v. If they read N, they write a multiple of d to s_b, not zero, because on v they have
to; the unit that is s_b cannot take it away unless s_b is d, and not every sign is.

*The plane, one sign.* All of the few units that are left write to s and v alone. So a functional on M_2 that vanishes on v sees
terms of Strassen's alone, and some ``Z -> p' Z r`` see two of them. The two would write ``p' rho(g h) r``, the product of a
point m of the orbit of p with a point n of that of r. The mean of their squares adds up to nothing, so their output weights
have both signs, and a difference of squares is a product of sums: for all m and n,

    <m, n> = (<q, m> + <k, n> + c) (<q', m> + <k', n> + c').

On m alone ``<q, m> <q', m> + c' <q, m> + c <q', m>`` is constant. Read the plane as complex numbers: the first term is half of
``Re(conj(q q') m^2)`` and a constant. For n > 4 no function of m^2 is linear in m. For n = 3 it is if ``m^3 = P |p|^2`` on the
orbit, with a real number P = +-|p|, and likewise R for r. Then, as the dual basis of q, q' is
``k' = -i q' / D`` and ``k = i q / D`` with D their determinant,

    c' q + c q' = -P conj(q q') / 2,    i (c' q - c q') = -R conj(q q') / (2 D),    2 c c' = <q, q'> (|r|^2 / D^2 - |p|^2).

With ``x = R / (P D)`` the first two say ``c' q (i - x) = c q' (i + x)``, and neither c nor c' is zero. So
``<q, q'> = |q|^2 (c' / c) (1 - x^2) / (1 + x^2)``, and the third says ``2 c^2 = -|p q|^2 (1 - x^2)^2 / (1 + x^2)``, which no
real c does.

For n = 4 two units do write ``p' rho(g h) r`` for some p and r, and beside one sign alone the question is open.

Source: derived here. V. Strassen, Numer. Math. 13 (1969). S. Winograd, Linear Algebra Appl. 4 (1971): seven products are
needed. H. F. de Groote, Theoret. Comput. Sci. 7 (1978): the algorithm is unique. The last two are cited, not derived again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

import sympy

from theory.composition.bilinear import Typed

__all__ = ["plane_and_signs"]

_SQUARE = (-2, 0, 2)  # the traces of D4, in its irrep of dimension 2


@runtime_checkable
class _Characterised(Protocol):
    """An irrep whose character is known."""

    @property
    def character(self) -> tuple[sympy.Expr, ...]:
        """One value for each conjugacy class."""
        ...


def plane_and_signs(irreps: Iterable[Typed]) -> bool:
    """Return whether the proof above holds: one real irrep of dimension 2, and signs; one sign alone only beside no D4.

    An irrep without a ``character`` may be that of D4.

    Args:
        irreps: The non-trivial irreps whose Fourier coefficient is not zero.

    >>> from theory.groups import group
    >>> [plane_and_signs(group(name).irreps[1:]) for name in ("S3", "D4", "D5", "Q8", "S4", "C2xC2")]
    [True, True, False, False, False, False]
    >>> plane_and_signs([irrep for irrep in group("D4").irreps[1:] if irrep.number != 1])
    True
    >>> plane_and_signs([irrep for irrep in group("D4").irreps[1:] if irrep.number > 2])
    False
    """
    found = list(irreps)
    planes = [irrep for irrep in found if irrep.dimension == 2]
    signs = [irrep for irrep in found if irrep.dimension == 1]
    if len(planes) != 1 or not signs or len(planes) + len(signs) < len(found) or any(irrep.kind != "real" for irrep in found):
        return False
    plane = planes[0]
    return len(signs) > 1 or (isinstance(plane, _Characterised) and any(value not in _SQUARE for value in plane.character))
