r"""The tower of abelian layers on words of letters, exactly: its remainder in the free Lie algebra.

Write a group element as ``e^{u_k} .. e^{u_2} e^{u_1}`` with ``u_j`` in the (j-1)-th derived ideal. Appending a letter,
multiplication on the right by ``e^x``, is ``u_j += inc_j`` with ``inc_1 = x`` and

    inc_{j+1} = R(u_j, inc_j),        R(U, V) = log(e^U e^V e^{-(U+V)}),

because ``e^{u_j} e^{inc_j} = e^{inc_{j+1}} e^{u_j + inc_j}``. Both arguments lie in the (j-1)-th derived ideal, so
``inc_{j+1}`` lies in the j-th: each layer is a sum, whose increments depend on the states before it. Dropping ``inc_{k+1}``
leaves the product of the increments dropped; their lowest degree is ``m_k``, and to that order they simply add.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from theory.lie.derived import derived_ideal_degree
from theory.lie.free import substitute
from theory.lie.products import log_product
from theory.lie.series import LieSeries

__all__ = ["ladder", "tower_remainder", "tower_states"]


@lru_cache(maxsize=16)
def ladder(order: int) -> LieSeries:
    """``R(X, Y) = log(e^X e^Y e^{-(X+Y)})`` up to this degree, from ``[X, Y] / 2`` on.

    >>> ladder(3).as_expr()
    [X,Y]/2 + [X,[X,Y]]/3 + [Y,[X,Y]]/6
    """
    # log(e^X e^Y e^{-Z}) in three letters, then Z = X + Y.
    x, y = (LieSeries({(letter,): Fraction(1)}, 2) for letter in (0, 1))
    return substitute(log_product([(0, 1), (1, 1), (2, -1)], order), (x, y, x + y), order)


def tower_states(word: Sequence[int], letters: int, layers: int) -> list[LieSeries]:
    """The states ``u_1 .. u_layers`` after this word, up to the degrees that `tower_remainder` needs; unit increments.

    Raises:
        ValueError: as `tower_remainder`.

    >>> [state.as_expr() for state in tower_states((0, 1), letters=2, layers=2)]
    [X + Y, [X,Y]/2 + [X,[X,Y]]/3 + [Y,[X,Y]]/6]
    """
    return _run(word, letters, layers)[0]


def tower_remainder(word: Sequence[int], letters: int, layers: int) -> LieSeries:
    """The leading term, of degree ``m_layers(letters)``, of ``exp(x_w1) exp(x_w2) ..`` minus its tower ``e^{u_k} .. e^{u_1}``.

    For letters ``eps A_i`` the difference is ``eps^m`` times its value at the ``A_i``, plus ``O(eps^(m+1))``. It may be zero
    for a particular word.

    Raises:
        ValueError: fewer than two letters, fewer than one layer, or a letter outside ``0 .. letters - 1``.

    >>> tower_remainder((0, 1), letters=2, layers=1).as_expr()
    [X,Y]/2
    """
    return _run(word, letters, layers)[1]


def _run(word: Sequence[int], letters: int, layers: int) -> tuple[list[LieSeries], LieSeries]:
    if any(not 0 <= letter < letters for letter in word):
        raise ValueError(f"the word {tuple(word)} has a letter outside 0..{letters - 1}, the generators; raise `letters`.")
    lowest = [1, *(derived_ideal_degree(letters, k) for k in range(1, layers + 1))]
    # inc_{j+1} has at least two factors, of degree at least lowest[j-1]: what is needed of it bounds what is needed below.
    needed = [lowest[layers]]
    for j in range(layers, 0, -1):
        needed.append(needed[-1] - lowest[j - 1])
    needed.reverse()  # needed[j] is the highest degree of u_{j+1} and of inc_{j+1}
    zero = LieSeries({}, letters)
    states = [zero] * layers
    remainder = zero
    for letter in word:
        increment = LieSeries({(letter,): Fraction(1)}, letters)
        for j in range(layers):
            following = zero
            if states[j].terms:
                factors = max(needed[j + 1] // lowest[j], 2)
                following = substitute(ladder(factors), (states[j], increment), needed[j + 1])
            states[j] = states[j] + increment
            increment = following
        remainder = remainder + increment
    return states, remainder.homogeneous(lowest[layers])
