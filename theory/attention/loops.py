r"""Loops against writing: letters of a word that one written token, or one more loop, is worth.

A looped network repeats one layer r times in every pass. A word of T letters stands in front of a token that names the state it
begins from; every pass writes a further token, and the last one gives the state of an automaton after all letters. In a layer a
position reads one position beside itself.

*Enough.* A letter knows the map of a block of letters that ends with it, and the block doubles in every loop. A token goes
through blocks of 1, 2, 4, ... letters, one in a loop, so a pass goes through 2^r - 1:

    T <= (c + 1) (2^r - 1),       c(T, r) = ceil(T / (2^r - 1)) - 1.

*Needed.* Let a position name the one it reads by what it knows, in any way, and let tokens and layers be any. Fix a word. What
a position knows after l layers depends on 2^l positions at most, itself among them. The position that writes is a token, so a
pass depends on 2^r - 1 letters at most, and all c + 1 passes on (c + 1) (2^r - 1). If a letter of the word is not among them,
another letter in its place changes nothing that was read, no token, and not the answer. But if the letters permute the states,
and the word goes through states at which two letters differ, then the letter can be changed so that the state differs behind
it, and so at the end. The number is exact for every network of this kind, and says nothing of attention that weighs all
positions by what they hold.

With one loop T - 1 tokens are written, one for every letter but the last; without tokens ceil(log2(T + 1)) loops are run. In
layers run one after the other, r (c + 1), writing alone takes T and loops alone ceil(log2(T + 1)). That no network of constant
depth does products in S5 with few loops and few tokens is known only if TC0 is not NC1. Where nothing can be composed ahead
loops save nothing: k tables in order take k + 1 loops or k written tokens and one layer (`theory.attention.compose`).

Source: derived here, both sides; the comparison of a graph's depth (loops) with its size (written tokens): Xu and Sato,
arXiv 2505.19245 (version 2) and 2509.25239 (version 1).
"""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound
from theory.checks import positive_integer
from theory.registry import registered

__all__ = ["tokens_after_loops"]


@registered
def tokens_after_loops(length: int, loops: int) -> Bound:
    """Return the tokens that a looped network writes before it knows the state of an automaton.

    The number is ``ceil(T / (2^r - 1)) - 1``: zero from ``ceil(log2(T + 1))`` loops on, and ``T - 1`` with one. It is attained,
    and no network whose layers let a position read one other does with fewer.

    Args:
        length: Number of letters T of a word, in front of a token that names its first state.
        loops: Layers r of every pass, each of which lets a position read one position beside itself.

    Raises:
        ValueError: `length` or `loops` is not an integer >= 1.

    >>> tokens_after_loops(length=256, loops=3).at()
    36.0
    >>> [tokens_after_loops(100, loops).at() for loops in (1, 2, 4, 6, 7)]
    [99.0, 33.0, 6.0, 1.0, 0.0]
    """
    n, r = sympy.symbols("length loops", positive=True, integer=True)
    return Bound(
        side="exact",
        expr=sympy.ceiling(n / (2**r - 1)) - 1,
        quantity="the least number of written tokens after which networks with so many loops a pass know an automaton's state",
        assumes=(
            Assumption("letters permute the states; some at which two letters differ lead to such states (taken as given)"),
            Assumption("in a layer a position reads one other, which it names by what it knows (taken as given)"),
            Assumption("enough: a token names a state; weights for this length, rounded in every layer (taken as given)"),
        ),
        source="blocks that loops double, and positions on which a pass depends (derived)",
        values={
            n: sympy.Integer(positive_integer("length", length, "the number of letters of a word")),
            r: sympy.Integer(positive_integer("loops", loops, "the number of layers of a pass")),
        },
    )
