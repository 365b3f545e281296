r"""The tower of abelian layers over the free Lie algebra: its states, its remainder on a word, and the order of its error.

Write a group element as ``e^{u_k} .. e^{u_2} e^{u_1}`` with ``u_j`` in the (j-1)-th derived ideal. To append a letter x is to
multiply by ``e^x`` on the right, and this means ``u_j += inc_j`` with ``inc_1 = x`` and

    inc_{j+1} = R(u_j, inc_j),        R(U, V) = log(e^U e^V e^{-(U+V)}),

because ``e^{u_j} e^{inc_j} = e^{inc_{j+1}} e^{u_j + inc_j}``. Both arguments lie in the (j-1)-th derived ideal, so
``inc_{j+1}`` lies in the j-th. Each layer is therefore a sum whose increments depend on the states before it. A tower of k
layers drops ``inc_{k+1}`` at every letter. The error is the product of the dropped increments; their lowest degree is ``m_k``,
and to that order the product is a sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import sympy

from theory.bound import Assumption, Bound, Number, given
from theory.checks import integer, positive_integer
from theory.cost import refuse
from theory.lie.cost import tower as cost
from theory.lie.derived import derived_ideal_degree
from theory.lie.free import substitute
from theory.lie.products import log_product
from theory.lie.series import LieSeries
from theory.registry import registered

__all__ = ["ladder", "tower", "tower_leading", "tower_remainder"]

_MOST_LAYERS = 10_000
_TOWER = Assumption("the layers are the tower of the derived series of the free Lie algebra (taken as given)")
_eps = sympy.Symbol("eps", nonnegative=True)


@registered
def tower(letters: int, layers: int, eps: Number | None = None) -> Bound:
    """Return the order of the error of a tower of abelian layers over the free Lie algebra.

    The tower reproduces a product of exponentials of the generators. The order of its error is the lowest degree m of the
    derived ideal that the tower does not reach. With a step size, the bound is ``eps^m``: the scale of the error, without its
    constant.

    Args:
        letters: Number of generators of the free Lie algebra, at least 2.
        layers: Number of abelian layers, from 1 to 10,000.
        eps: Size of the generators, below 1; None asks for the order itself.

    Raises:
        ValueError: A number is out of its range.

    >>> tower(letters=3, layers=2).at()
    4.0
    >>> tower(letters=3, layers=2).expr
    eps**4
    """
    layers = positive_integer("layers", layers, "the number of abelian layers of the tower")
    letters = positive_integer("letters", letters, "the number of generators")
    if layers > _MOST_LAYERS:
        raise ValueError(
            f"layers = {layers}: expected at most {_MOST_LAYERS}, because the order is 2^layers or more and has thousands of "
            "digits."
        )
    order = derived_ideal_degree(letters, layers)
    what = "order in eps" if eps is None else "scale, eps^order without the constant of the word (error_by_depth has that),"
    return Bound(
        side="exact",
        expr=_eps**order,
        quantity=f"the {what} of the error of {layers} abelian layers on words in {letters} generators of size eps",
        assumes=(
            _TOWER,
            Assumption("the length of the word is fixed while eps goes to 0 (taken as given)"),
            Assumption("eps < 1", _eps < 1),
        ),
        source="lowest degree of the derived ideal of the free Lie algebra (Shirshov-Witt dimensions; derived); sharpens the "
        "order 2^(layers-1)+1 of arXiv 2603.05573v1 (v2 of June 2026 corrects Corollary 3.6 and Proposition 3.7)",
        order=order,
        values=given({_eps: eps}),
    )


@registered
def tower_leading(
    word: Sequence[int], letters: int, layers: int, leading: Number | None = None, eps: Number | None = None
) -> Bound:
    """Return the leading term of the error of a tower of abelian layers on one word.

    The leading term is ``leading * eps^m``, and the quantity of the bound names its bracket. The error divided by ``eps^m``
    tends to its norm as eps goes to 0; at a finite eps the leading term is no bound on the error.

    Args:
        word: Letters from 0 to ``letters - 1``, each an increment of size eps.
        letters: Number of generators of the free Lie algebra.
        layers: Number of abelian layers.
        leading: Norm of the leading bracket (`theory.lie.tower_remainder`) at the generators; None leaves the norm open.
        eps: Size of the generators, below 1; None leaves the size open.

    Raises:
        ValueError: As for `theory.lie.tower_remainder`, or a number is negative or not finite.

    >>> tower_leading((0, 1), letters=2, layers=1, leading=2, eps=0.5).at()
    0.5
    >>> tower_leading((0, 1), letters=2, layers=1).expr
    eps**2*leading
    """
    layers = positive_integer("layers", layers, "the number of abelian layers of the tower")
    letters = positive_integer("letters", letters, "the number of generators")
    remainder = tower_remainder(word, letters, layers)
    norm = sympy.Symbol("leading", nonnegative=True)
    return Bound(
        side="exact",
        expr=norm * _eps ** derived_ideal_degree(letters, layers),
        quantity=f"the leading term of the error of {layers} abelian layers on this word: the norm of {remainder.as_expr()}",
        assumes=(
            _TOWER,
            Assumption(
                "the word's leading bracket does not vanish in the free Lie algebra",
                sympy.true if remainder.terms else sympy.false,
            ),
            Assumption("eps < 1", _eps < 1),
        ),
        source="exact remainder of the tower in the free Lie algebra (derived, theory.lie.tower)",
        values=given({norm: leading, _eps: eps}),
    )


def tower_remainder(word: Sequence[int], letters: int, layers: int) -> LieSeries:
    """Return the leading term of ``exp(x_w1) exp(x_w2) ..`` minus its tower ``e^{u_k} .. e^{u_1}``.

    The term has the degree m of `derived_ideal_degree`. For letters ``eps A_i`` the difference is ``eps^m`` times the value of
    this term at the ``A_i``, plus ``O(eps^(m+1))``. The term vanishes for some words.

    Raises:
        ValueError: There are fewer than two letters or fewer than one layer, or a letter lies outside ``0 .. letters - 1``.
        TooExpensive: There are too many layers or letters, see `theory.cost`.

    >>> tower_remainder((0, 1), letters=2, layers=1).as_expr()
    [X,Y]/2
    """
    layers = positive_integer("layers", layers, "the number of abelian layers of the tower")
    letters = positive_integer("letters", letters, "the number of generators")
    word = tuple(integer("a letter", letter, "the number of a generator") for letter in word)
    refuse(cost(layers, len(word)))
    if any(not 0 <= letter < letters for letter in word):
        raise ValueError(f"the word {word} has a letter outside 0..{letters - 1}, the generators; raise `letters`.")
    lowest = [1, *(derived_ideal_degree(letters, k) for k in range(1, layers + 1))]
    # inc_{j+1} is a sum of brackets of at least two factors, whose degree is at least lowest[j-1]. So the highest degree that
    # is needed of inc_{j+1} limits the degrees that are needed of the layers below.
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
    return remainder.homogeneous(lowest[layers])


def ladder(order: int) -> LieSeries:
    """Return ``R(X, Y) = log(e^X e^Y e^{-(X+Y)})`` up to this degree; the series begins with ``[X, Y] / 2``.

    Raises:
        ValueError: The order is not an integer >= 1.
        TooExpensive: The order is too high, see `theory.cost`.

    >>> ladder(3).as_expr()
    [X,Y]/2 + [X,[X,Y]]/3 + [Y,[X,Y]]/6
    """
    return _ladder(positive_integer("order", order, "the last degree of the series that is kept"))


@lru_cache(maxsize=16)
def _ladder(order: int) -> LieSeries:
    # log(e^X e^Y e^{-Z}) in three letters, then Z = X + Y.
    x, y = (LieSeries({(letter,): Fraction(1)}, 2) for letter in (0, 1))
    return substitute(log_product([(0, 1), (1, 1), (2, -1)], order), (x, y, x + y), order)
