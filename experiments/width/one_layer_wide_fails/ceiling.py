r"""Following a pointer twice: what a single attention head without an MLP cannot get right, at any width.

The input is a table f of n numbers below n and a query q, the answer is f(f(q)). One head reads, at the query's
position, ``x_q + sum_j w_j v_j / sum_j w_j``, where the weight w_j > 0 and the value v_j depend on q, j and f(j) alone. The
denominator, and a norm before a readout without a bias, scale all logits by one positive number. So the answer is
``argmax_c sum_j g_c(j, f(j))`` with some functions g that depend on q: the logits add up over the positions.

**Ceiling.** Take i, i' other than q, letters x, y that differ, and all other entries alike. The four
tables

    f(q), f(i), f(i') = i, x, y     i', y, x   (answer x)      i, y, x     i', x, y   (answer y)

use the same entries at the same positions in the first two as in the last two, so ``g_x - g_y`` has the same sum over both
pairs. It is positive for each table with the right answer x and negative for each with the right answer y: one of the four is
wrong. There are ``C(n-1,2) C(n,2) n^(n-3)`` such quadruples for a query, and a table is in at most n - 2 of them. So at least
``(n-1)^2 n^(n-2)/4`` of the n^n tables are wrong, a share of ``(n-1)^2/(4 n^2)``.

Several heads have several denominators, and an MLP reads sums that are not added: neither is bound by this.

Source: derived here.
"""

from __future__ import annotations

from fractions import Fraction

from theory.checks import integer

__all__ = ["one_head_ceiling"]


def one_head_ceiling(entries: int) -> Fraction:
    """Return the largest share of tables and queries on which one head without MLP can give f(f(q)): ``1 - (n-1)^2/(4 n^2)``.

    Raises:
        ValueError: there are fewer than 3 entries, so that no quadruple exists.

    >>> [str(one_head_ceiling(n)) for n in (3, 4, 5)]
    ['8/9', '55/64', '21/25']
    """
    entries = integer("entries", entries, "the numbers of the table", least=3)
    return 1 - Fraction((entries - 1) ** 2, 4 * entries**2)
