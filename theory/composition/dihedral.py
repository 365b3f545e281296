r"""Squared distances are the narrowest network of z^2 for one real irrep of dimension 2 and signs: 10 units for S3, 12 for D4.

Let a code have one real irrep rho of dimension 2, whose image is a dihedral group D_n, and t >= 1 signs s_1, .., s_t. Then its
algebra is ``A = R^t + M_2``. A unit writes ``w (a(g) + b(h))^2``. Its mixed part is the product ``2 w a b``. Its pure parts
``w a^2`` and ``w b^2`` must add up to nothing over all units. Squared distances take t + 9 units, one more than
`least_units` proves for other codes. **t + 8 units do not suffice.**

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

For n = 4 two units do write ``p' rho(g h) r`` for some p and r, so that more of the network is needed.

*The plane of D4, one sign.* Strassen's other terms read ``p_i' X y_j`` and ``z_k' Y r_i`` for i, j, k all different, where
three p, three y and three r add up to zero and z is dual to y: ``z = i y / D`` in complex numbers, ``D = a d - b c`` for ``y_0
= a + i b`` and ``y_1 = c + i d``. For each i the functional ``Z -> p_i' Z r_i`` sees two of them. An orbit has i m beside m, so
that the function of m vanishes: c = c' = 0, and p_i^2, r_i^2 and their conjugates are orthogonal to q q'. So p_i and r_i are on
mirrors of the square, and these are of one kind, sides or diagonals. Two of the three i are of one kind and one is not. After a
turn by 45 degrees, if need be, symmetries and factors, p and r are both (1, i, -1 - i).

Then ``m^2 = p_i^2 x(g)`` with a sign x, for i = 2 another one than for the other two. Half the trace is a functional that is 1
on v, and there the units of all six terms have the same weight, -1/2 if the network writes products twice. Let unit (i, j)
scale what it reads of g by t_ij, and what it reads of h by its inverse. As the two units of each i balance, ``S = t_20^2 2 a b
= t_21^2 2 c d``. In the sign of i = 2 their squares add up to -S and, for h, to ``4 a b c d / S D^2``; the part of ``N(g)^2``
is ``-(a d + b c)``, and that of ``N(h)^2`` is ``(a d + b c) / D^2``.

*Three units.* The few, by kind (ii) and (iii), are three units that compute ``v N(g) N(h) + s s(g) s(h)``, and their outputs o
span v and s. What they read is in the span of N and s: if it is not for one letter, two of them have parallel outputs and read
the same of the other letter, so they are one term, v is balanced by N alone or s written by one unit. Let them read ``A N(g) +
A' s(g) + B N(h) + B' s(h) + C``, with ``sum o A B = v``, ``sum o A' B' = s``, ``sum o A B' = sum o A' B = 0``. Up to a factor
there is one relation ``sum e o = 0``.

If s is not d, nothing balances the determinant: ``sum o A^2 = sum o B^2 = 0``, so A^2 and B^2 are multiples of e, not zero. If
e is nowhere zero, B' is a multiple of A and A' one of B, and ``sum o A' B'`` is one of v. If it is zero for one unit, this one
reads no N, the outputs of the others are multiples of v, and it alone writes to s.

If s is d, the few have no part in the two other signs but that of N^2. If a b = c d = 0, then a d + b c is not zero, so N^2
adds up to nothing on v, and the sign of i = 0 and 1 is left: there S is replaced by numbers with the signs of ``c^2 - d^2`` and
``a^2 - b^2``, which differ, and they have to be equal. Otherwise ``sum o A^2 = K v`` and ``sum o B^2 = L v`` with ``K L (a d +
b c)^2 = 4 a b c d``, and **K L is not 1**, because D is not zero. Moreover a b c d > 0, so that N s is no multiple of N, and
``sum o A A' = sum o B B' = 0``. So A A', A B', A' B and B B' are multiples of e. Let e be nowhere zero. If A A' is not zero, B
is a multiple of A, and K L = 1. If it is zero, so are the other three, or A, A' or B' would be zero throughout. So each unit
reads N alone or s alone. If one reads N, its output is v and K L = 1. If two do, the third has the output s, so theirs are not
both multiples of v; they are independent, A^2, B^2 and A B are K, L and 1 times the coordinates of v, and K L = 1. If e is zero
for one unit, it reads N alone or s alone too, and the outputs of the others are parallel: to v in the second case, where it
alone writes to s, and to s in the first case, where K L = 1.

Source: derived here. V. Strassen, Numer. Math. 13 (1969). S. Winograd, Linear Algebra Appl. 4 (1971): seven products are
needed. H. F. de Groote, Theoret. Comput. Sci. 7 (1978): the algorithm is unique. The last two are cited, not derived again.
"""

from __future__ import annotations

from collections.abc import Iterable

from theory.composition.bilinear import Typed

__all__ = ["plane_and_signs"]


def plane_and_signs(irreps: Iterable[Typed]) -> bool:
    """Return whether the proof above holds: one real irrep of dimension 2, and at least one sign.

    Args:
        irreps: The non-trivial irreps whose Fourier coefficient is not zero.

    >>> from theory.groups import group
    >>> [plane_and_signs(group(name).irreps[1:]) for name in ("S3", "D4", "D5", "Q8", "S4", "C2xC2")]
    [True, True, False, False, False, False]
    >>> plane_and_signs(group("D4").irreps[3:]), plane_and_signs(group("D4").irreps[4:])
    (True, False)
    """
    found = list(irreps)
    planes = [irrep for irrep in found if irrep.dimension == 2]
    signs = [irrep for irrep in found if irrep.dimension == 1]
    if len(planes) != 1 or not signs or len(planes) + len(signs) < len(found):
        return False
    return all(irrep.kind == "real" for irrep in found)
