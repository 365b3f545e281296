r"""Loops against writing: letters of a word that one written token, or one more loop, is worth.

A pass of a looped network repeats one layer r times. Each repetition doubles the block of letters whose map a position knows,
so a block has 2^r letters after r loops. A last layer reads the map of one block and applies it to the state at its own
position: the initial state at the last letter, or the state that a written token names. So with c written tokens

    T <= (c + 1) 2^r,       c(T, r) = ceil(T / 2^r) - 1.

Without loops T - 1 tokens are written, one a letter; without tokens ceil(log2 T) loops are run. A loop halves the passes, and
what one layer more or fewer of a loop costs in tokens doubles with every loop. In layers run one after the other, (r + 1)
(c + 1), writing alone takes T and loops alone 1 + ceil(log2 T). These are numbers of constructions. That few loops and few
tokens do not do for products in S5 is known only if TC0 is not NC1. Where nothing can be composed ahead loops save nothing:
k tables in order take k + 1 loops or k written tokens and one layer (`theory.attention.compose`).

Source: the numbers and the weights are derived here; the comparison of a graph's depth (loops) with its size (written tokens):
Xu and Sato, arXiv 2505.19245 (version 2) and 2509.25239 (version 1); the balanced tree of a product of T factors has depth
ceil(log2 T) and T - 1 inner vertices.
"""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound
from theory.checks import integer, positive_integer
from theory.registry import registered

__all__ = ["tokens_after_loops"]


@registered
def tokens_after_loops(length: int, loops: int) -> Bound:
    """Return the tokens that a looped network writes before it knows the state of an automaton.

    The number is ``ceil(T / 2^r) - 1``; it is zero from ``ceil(log2 T)`` loops on, and ``T - 1`` without loops.

    Args:
        length: Number of letters T of a word.
        loops: Repetitions r of the layer that doubles blocks, in every pass.

    Raises:
        ValueError: `length` is not an integer >= 1, or `loops` is negative.

    >>> tokens_after_loops(length=256, loops=3).at()
    31.0
    >>> [tokens_after_loops(100, loops).at() for loops in (0, 1, 4, 6, 7)]
    [99.0, 49.0, 6.0, 1.0, 0.0]
    """
    n, r = sympy.Symbol("length", positive=True, integer=True), sympy.Symbol("loops", nonnegative=True, integer=True)
    return Bound(
        expr=sympy.ceiling(n / 2**r) - 1,
        quantity="the written tokens after which explicit softmax weights with so many loops a pass know an automaton's state",
        assumes=(
            Assumption("numbers are rounded in every layer (taken as given)"),
            Assumption("a written token names a state; the network is built for words of this length (taken as given)"),
        ),
        source="blocks that loops double and written states join (derived); loops and size: arXiv 2505.19245, 2509.25239",
        values={
            n: sympy.Integer(positive_integer("length", length, "the number of letters of a word")),
            r: sympy.Integer(integer("loops", loops, "the number of repetitions", least=0)),
        },
    )
