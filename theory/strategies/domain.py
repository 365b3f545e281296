"""Numbers inside and outside the hypotheses of a bound.

The hypotheses are conditions on the parameters. One parameter after another is drawn. The numbers drawn so far are put into the
conditions, and conditions on one parameter that are linear, or say that it is an integer, become an interval from which the
next number is drawn. Any other condition is tried at each of a list of simple numbers. A parameter whose conditions speak of
parameters that are still open is drawn such that some simple numbers complete it, so no example is thrown away.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import sympy
from hypothesis import strategies as st
from sympy.logic.boolalg import Boolean, to_dnf

from theory.bound import Bound, Report
from theory.strategies.pieces import Numbers, Piece

__all__ = ["inside", "outside"]

Draw = Callable[[st.SearchStrategy[Any]], Any]

_COMPLETIONS = tuple(
    Fraction(n, d) for n, d in ((1, 1), (0, 1), (1, 2), (2, 1), (3, 1), (4, 1), (1, 1000), (10, 1), (10**3, 1), (10**6, 1))
)
"""Numbers by which parameters that are still open are tried out."""


def inside(bound: Bound | Report, *, width: int = 32) -> st.SearchStrategy[dict[str, Any]]:
    """Numbers for the open parameters of a bound that meet all its hypotheses, as keywords of ``bound.at``.

    Integers and floats between 0 and 10^6; they shrink towards small ones. They are floats of 32 bits, so they meet the
    hypotheses in float32 and in float64, and none is subnormal: XLA takes those for zero.

    Args:
        bound: The bound.
        width: Bits of a float that holds the numbers exactly: 16, 32 or 64.

    Raises:
        ValueError: No simple numbers meet the hypotheses; the error names those that fail for all of them. Or there are no
            floats of this width.

    Cost: the first draw turns the hypotheses into intervals, some milliseconds to a second; further ones take microseconds.

    >>> from hypothesis import find, settings
    >>> from theory import bounds
    >>> find(inside(bounds.magnus(order=4)), lambda numbers: numbers["mass"] > 1, settings=settings(database=None))
    {'mass': 1.5}
    """
    bound, width = _bound("inside", bound), _width(width)
    conditions = [_known(hypothesis.condition, bound) for hypothesis in bound.assumes]
    for hypothesis, condition in zip(bound.assumes, conditions, strict=True):
        if not _alternatives(condition):
            raise ValueError(
                f"inside({bound!r}): the hypothesis {hypothesis.statement!r} holds for no numbers, because of what the bound "
                "was built for; build it for other arguments, or use outside(bound)."
            )
    return _drawn(bound, sympy.And(*conditions), f"inside({bound!r}): no simple numbers meet all hypotheses", width)


def outside(bound: Bound | Report, *, width: int = 32) -> st.SearchStrategy[dict[str, Any]]:
    """Numbers for the open parameters of a bound that break at least one of its hypotheses: ``bound.at`` refuses them.

    Numbers are as for `inside`, so they are sizes (finite and not negative), which every parameter is taken to be.

    Args:
        bound: The bound.
        width: As for `inside`.

    Raises:
        ValueError: Every hypothesis is taken as given or always holds, so that no number breaks one.

    >>> from hypothesis import find, settings
    >>> from theory import bounds
    >>> find(outside(bounds.magnus(order=4)), lambda numbers: True, settings=settings(database=None))
    {'mass': 2}
    """
    bound, width = _bound("outside", bound), _width(width)
    broken = [sympy.Not(_known(hypothesis.condition, bound)) for hypothesis in bound.assumes]
    found = []
    for condition in broken:
        if _alternatives(condition):
            try:
                found.append(_drawn(bound, condition, "nothing", width))
            except ValueError:
                continue  # this hypothesis holds for all sizes
    if not found:
        raise ValueError(
            f"outside({bound!r}): every hypothesis is taken as given or holds for all sizes, so no number breaks one; expected "
            "a bound with a condition on a parameter that is still open."
        )
    return st.one_of(found)


def _bound(strategy: str, given: Bound | Report) -> Bound:
    found = getattr(given, "answer", given)
    if not isinstance(found, Bound):
        raise ValueError(f"{strategy}({given!r:.60}): expected a bound, such as theory.bounds.magnus(order=4).")
    return found


def _known(condition: Boolean, bound: Bound) -> Boolean:
    return condition.subs(list(bound.values.items()))  # type: ignore[return-value]


def _open(bound: Bound, condition: Boolean) -> list[sympy.Symbol]:
    """The parameters without a value, by name."""
    symbols = {symbol for hypothesis in bound.assumes for symbol in hypothesis.condition.free_symbols}
    symbols |= bound.expr.free_symbols | condition.free_symbols
    return sorted(symbols - set(bound.values), key=str)  # type: ignore[arg-type]


def _width(width: int) -> int:
    if width not in (16, 32, 64):
        raise ValueError(f"width = {width!r}: expected the bits of a float, 16, 32 or 64.")
    return width


def _drawn(bound: Bound, condition: Boolean, failure: str, width: int) -> st.SearchStrategy[dict[str, Any]]:
    symbols = _open(bound, condition)
    if not symbols:
        return st.just({})
    domain = _Domain(symbols, condition, width)
    if not domain.pieces({}, 0):
        raise ValueError(f"{failure}; give the bound as numbers some of its parameters {', '.join(map(str, symbols))}.")

    @st.composite
    def numbers(draw: Draw) -> dict[str, Any]:
        chosen: dict[sympy.Symbol, Fraction] = {}
        found = {}
        for place, symbol in enumerate(symbols):
            pieces = domain.pieces(chosen, place)
            number = draw(st.one_of([piece.numbers() for piece in pieces]))
            found[symbol.name] = number
            chosen[symbol] = Fraction(number)
        return found

    return numbers()


class _Domain:
    """The numbers that one parameter may take, given those drawn before it."""

    def __init__(self, symbols: Sequence[sympy.Symbol], condition: Boolean, width: int) -> None:
        self.symbols, self.alternatives, self.width = symbols, _alternatives(condition), width
        self.known: dict[tuple, list[Piece]] = {}

    def pieces(self, chosen: Numbers, place: int) -> list[Piece]:
        """The pieces of the parameter at this place; each of them can be completed by the parameters after it."""
        key = tuple(chosen.values())
        if key not in self.known:
            self.known[key] = list(dict.fromkeys(self._found(chosen, place)))
        return self.known[key]

    def _found(self, chosen: Numbers, place: int) -> Iterator[Piece]:
        symbol = self.symbols[place]
        for parts in self.alternatives:
            linked = sorted(
                {s for part in parts for s in part.free_symbols if isinstance(s, sympy.Symbol)} - {symbol, *chosen}, key=str
            )
            for completion in _completions(len(linked)):
                piece = Piece.of(symbol, parts, {**chosen, **dict(zip(linked, completion, strict=True))}, self.width)
                if piece is None or piece.is_empty:
                    continue
                yield piece
                if piece.points is not None:
                    break  # trying numbers one by one is slow, and one completion will do


def _alternatives(condition: Boolean) -> list[tuple[Boolean, ...]]:
    """The condition as alternatives, each a conjunction of parts without `And`, `Or` and `Not`."""
    condition = to_dnf(sympy.sympify(condition))
    if condition == sympy.false:
        return []
    return [tuple(sympy.And.make_args(part)) for part in sympy.Or.make_args(condition)]  # type: ignore[misc]


def _completions(count: int) -> Iterator[tuple[Fraction, ...]]:
    """Numbers for some parameters: equal ones first, then others."""
    yield from ((number,) * count for number in (_COMPLETIONS if count else _COMPLETIONS[:1]))
    if count > 1:
        yield from itertools.islice(itertools.permutations(_COMPLETIONS, count), 12)
