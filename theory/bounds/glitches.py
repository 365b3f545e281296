r"""How often attention to the most recent write reads the wrong bit of a flip-flop: its margin is its glitch rate.

A word of T instructions begins with a write and ends with a read; those between are, independently, a write or a read with
probability (1 - p)/2 each, or ignored with probability p; bits are fair. A head scores position j of a write with beta j and
nothing else, so with q = e^-beta the write d positions before the last one weighs q^d against 1. Let W be the weight of the
earlier writes of the other bit and R that of all writes: a bit drawn from the head's own distribution is wrong with
probability W / R. Given the position k > 0 of the last write, positions 1 .. k-1 are writes independently with probability
w = (1 - p)/2 and position 0 is one; half of them hold the other bit. Summing over k, with n = T - 2,

    E[W] = (w/2) (q + q^2 + ... + q^n)                                              exactly,

because what position 0 adds, being always a write, is what the end of the series lost. Since 1 <= R <= 1/(1 - q),

    (1 - q) E[W]  <=  glitch rate  <=  E[W]:     w/2 e^-beta to leading order.

On every single word W / R <= q, and the most likely bit is right whenever beta >= ln 2: own weight 1 against at most
q + q^2 + ... < 1. Below ln 2 enough writes of the other bit in a row outweigh the last one.
"""

from __future__ import annotations

import sympy

from theory.bounds.bound import Bound, Hypothesis, exact_number, positive_integer

__all__ = ["glitch_rate", "least_glitch_rate", "unanimous_margin", "worst_glitch"]

_SOURCE = "derived here; the language and its name: Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2306.00946"
_MARGIN = sympy.Symbol("margin", nonnegative=True)
_IGNORE = sympy.Symbol("ignore", nonnegative=True)
_LENGTH = sympy.Symbol("length", positive=True)


def glitch_rate(ignore: object = None, length: int | None = None) -> Bound:
    """Upper bound on the probability that a bit drawn from the head's weights at the last read is wrong; a function of margin.

    Args:
        ignore: probability that an instruction is ignored (default: left open).
        length: number of instructions (default: left open).

    Raises:
        ValueError: a length below 2, or a negative probability.

    >>> round(glitch_rate(ignore=0.8, length=256).at(margin=4.0), 6), glitch_rate(ignore=0.5, length=10).at(margin=0)
    (0.000933, 1.0)
    """
    fading = sympy.exp(-_MARGIN)
    write = (1 - _IGNORE) / 2
    graded = write / 2 * fading * (1 - fading ** (_LENGTH - 2)) / (1 - fading)
    # at margin 0 all writes weigh the same: the geometric sum has length - 2 terms of 1
    expr = sympy.Piecewise((graded, _MARGIN > 0), (write / 2 * (_LENGTH - 2), True))
    return _bound(expr, "from above", ignore, length)  # type: ignore[arg-type]


def least_glitch_rate(ignore: object = None, length: int | None = None) -> Bound:
    """Lower bound on the same probability: a factor ``1 - e^-margin`` below `glitch_rate`.

    Raises:
        ValueError: a length below 2, or a negative probability.

    >>> round(least_glitch_rate(0.8, 256).at(margin=4.0) / glitch_rate(0.8, 256).at(margin=4.0) + 2.718281828459045**-4, 12)
    1.0
    """
    fading = sympy.exp(-_MARGIN)
    write = (1 - _IGNORE) / 2
    return _bound(write / 2 * fading * (1 - fading ** (_LENGTH - 2)), "from below", ignore, length)


def worst_glitch() -> Bound:
    """Upper bound on the weight of the wrong bit on any word: ``e^-margin``, approached by writes of one bit before another.

    >>> worst_glitch().at(margin=0)
    1.0
    """
    margin = sympy.Symbol("margin", nonnegative=True)
    return Bound(sympy.exp(-margin), "the weight of the wrong bit on any word", (), _SOURCE)


def unanimous_margin() -> Bound:
    """The margin from which on the heavier bit is the right one on every word, of any number of values: ``ln 2``.

    >>> round(unanimous_margin().at(), 6)
    0.693147
    """
    return Bound(sympy.log(2), "the margin from which on the heaviest value is the last one written", (), _SOURCE)


def _bound(expr: sympy.Expr, side: str, ignore: object, length: int | None) -> Bound:
    values = {} if ignore is None else {_IGNORE: exact_number("ignore", ignore)}
    if length is not None:
        values[_LENGTH] = sympy.Integer(positive_integer("length", length, "a number of instructions"))
    return Bound(
        side="above" if side == "from above" else "below",
        expr=expr,
        quantity=f"the glitch rate of attention to the most recent write, at the last of so many instructions, {side}",
        assumes=(
            Hypothesis("ignore <= 1", sympy.Le(_IGNORE, 1)),
            Hypothesis("length is an integer >= 2", sympy.Ge(_LENGTH, 2) & sympy.Eq(_LENGTH, sympy.floor(_LENGTH))),
            Hypothesis("positions enter the score as integers: one position is worth one margin (taken as given)"),
        ),
        source=_SOURCE,
        values=values,
    )
