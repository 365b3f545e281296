r"""The rate at which attention to the most recent write reads a wrong bit of the flip-flop language, from its softmax margin.

A word of T instructions begins with a write and ends with a read. Each instruction in between is independently a write or a
read with probability (1 - p)/2 each, or ignored with probability p; the written bits are fair. The head gives a write at
position j the score beta j and sees nothing else. So with q = e^-beta the write d positions before the last write has the
weight q^d against 1. Let W be the weight of the earlier writes of the other bit and R the weight of all writes. A bit that is
drawn from the head's own distribution is wrong with probability W / R.

Given the position k > 0 of the last write, each of the positions 1 .. k-1 is a write with probability w = (1 - p)/2,
independently, and position 0 is always a write; half of the writes hold the other bit. Summing over k gives, with n = T - 2,

    E[W] = (w/2) (q + q^2 + ... + q^n)                                              exactly:

position 0 adds, because it is always a write, exactly the terms that the series loses at its end. As 1 <= R <= 1/(1 - q),

    (1 - q) E[W]  <=  glitch rate  <=  E[W]:     w/2 e^-beta to leading order.

On every word W / R <= q. The most likely bit is right whenever beta >= ln 2, because the last write then weighs 1 against at
most q + q^2 + ... < 1. Below ln 2 enough writes of the other bit in a row outweigh the last write.
"""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound, Number, given, integral
from theory.checks import positive_integer
from theory.registry import registered

__all__ = ["glitch_rate", "least_glitch_rate", "unanimous_margin", "worst_glitch"]

_SOURCE = "derived here; the language and its name: Liu, Ash, Goel, Krishnamurthy, Zhang, arXiv 2306.00946"
_USUAL = {"ignore": 0.8, "length": 256}
_margin = sympy.Symbol("margin", nonnegative=True)
_ignore = sympy.Symbol("ignore", nonnegative=True)
_length = sympy.Symbol("length", positive=True)


@registered(name="glitch", usual=_USUAL)
def glitch_rate(ignore: Number | None = None, length: int | None = None, margin: Number | None = None) -> Bound:
    """Bound how often attention to the last write reads a wrong bit of the flip-flop language.

    The bit is drawn from the head's weights at the last read of a random word.

    Args:
        ignore: Probability that an instruction is ignored; None leaves the probability open.
        length: Number of instructions of a word, at least 2; None leaves the length open.
        margin: Score that one position is worth in the softmax; None leaves the margin open.

    Raises:
        ValueError: A number is negative or not finite, or `length` is not an integer >= 1.

    >>> round(glitch_rate(ignore=0.8, length=256, margin=4).at(), 6)
    0.000933
    >>> glitch_rate(ignore=0.5, length=10).at(margin=0)
    1.0
    """
    fading = sympy.exp(-_margin)
    write = (1 - _ignore) / 2
    graded = write / 2 * fading * (1 - fading ** (_length - 2)) / (1 - fading)
    # at margin 0 all writes weigh the same, and the geometric sum has length - 2 terms equal to 1
    expr = sympy.Piecewise((graded, _margin > 0), (write / 2 * (_length - 2), True))
    return _bound(expr, "from above", ignore, length, margin)  # type: ignore[arg-type]


@registered(usual=_USUAL)
def least_glitch_rate(ignore: Number | None = None, length: int | None = None, margin: Number | None = None) -> Bound:
    """Bound from below how often attention to the last write reads a wrong flip-flop bit.

    This lower bound is ``1 - e^-margin`` times the upper bound of `glitch_rate`.

    Args:
        ignore: Probability that an instruction is ignored; None leaves the probability open.
        length: Number of instructions of a word, at least 2; None leaves the length open.
        margin: Score that one position is worth in the softmax; None leaves the margin open.

    Raises:
        ValueError: As for `glitch_rate`.

    >>> round(least_glitch_rate(ignore=0.8, length=256, margin=4).at(), 6)
    0.000916
    >>> round(least_glitch_rate(0.8, 256).at(margin=4.0) / glitch_rate(0.8, 256).at(margin=4.0) + 2.718281828459045**-4, 12)
    1.0
    """
    fading = sympy.exp(-_margin)
    write = (1 - _ignore) / 2
    return _bound(write / 2 * fading * (1 - fading ** (_length - 2)), "from below", ignore, length, margin)


@registered
def worst_glitch(margin: Number | None = None) -> Bound:
    """Bound the weight of the wrong bit on the worst word of the flip-flop language.

    The weight is at most ``e^-margin``. Words that write one bit many times and then the other bit once come arbitrarily close
    to this bound.

    Args:
        margin: Score that one position is worth in the softmax; None leaves the margin open.

    Raises:
        ValueError: `margin` is negative or not finite.

    >>> round(worst_glitch(margin=4).at(), 6)
    0.018316
    """
    return Bound(sympy.exp(-_margin), "the weight of the wrong bit on any word", (), _SOURCE, values=given({_margin: margin}))


@registered
def unanimous_margin() -> Bound:
    """Return the margin from which on the heaviest value is the last one written: ``ln 2``.

    This holds on every word, whatever the number of values.

    >>> round(unanimous_margin().at(), 6)
    0.693147
    """
    return Bound(sympy.log(2), "the margin from which on the heaviest value is the last one written", (), _SOURCE)


def _bound(expr: sympy.Expr, side: str, ignore: Number | None, length: int | None, margin: Number | None) -> Bound:
    values = given({_ignore: ignore, _margin: margin})
    if length is not None:
        values[_length] = sympy.Integer(positive_integer("length", length, "a number of instructions"))
    return Bound(
        side="above" if side == "from above" else "below",
        expr=expr,
        quantity=f"the glitch rate of attention to the most recent write, at the last of the instructions, {side}",
        assumes=(
            Assumption("ignore <= 1", sympy.Le(_ignore, 1)),
            integral(_length, least=2),
            Assumption("positions enter the score as integers: one position is worth one margin (taken as given)"),
        ),
        source=_SOURCE,
        values=values,
    )
