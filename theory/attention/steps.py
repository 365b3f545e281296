r"""Written tokens in the place of layers: hops and products that a shallow transformer reaches by writing before it answers.

A pass of L layers with a strict mask in layer 1 doubles the pointer in each layer, so at a letter it stands at find^(2^(L-1)),
and the letter read one layer behind is hop_r for any r <= R = 2^(L-1) - 1. The pointer is written as the name of a position. A
written position starts with this pointer, say find^j, and has nothing to match in layer 1. Layers 2 to L look up pointers of
1, 2, 4, ... hops, so its pointer ends at find^(j + R), and its letter at hop_(j + r - 1): the layer that first moves the letter
reads it at find^j itself. After c written tokens j = c R + 1, so the letters are hop_(c R + r), r = 1, ..., R, and

    c written tokens reach (c + 1) R hops, the hops of c + 1 passes;      hop_k takes ceil(k / R) - 1 written tokens.

One layer has R = 0 and hops nowhere, but it runs any machine letter by letter: written token s is the state after s letters,
and the answer of words of T letters comes after T - 1 of them. Without writing, products in S5 are hard for NC1 (Barrington),
and networks of a constant number of layers and log precision are in TC0, so none compute them unless TC0 = NC1.

Source: derived; the layers of one pass are `theory.attention.hops`; that written steps add power: arXiv 2310.07923.
"""

from __future__ import annotations

import sympy

from theory.attention.hops import hop_reach
from theory.bound import Assumption, Bound
from theory.checks import integer, positive_integer
from theory.registry import registered

__all__ = ["state_steps", "steps_reach", "written_steps"]


@registered
def written_steps(hops: int, layers: int) -> Bound:
    """Return the tokens that a transformer of few layers writes before it answers k hops.

    The number is ``ceil(k / (2^(L-1) - 1)) - 1``; it is zero where the layers alone are enough.

    Args:
        hops: Number of hops k, at least 1.
        layers: Number of attention layers L; a single one cannot hop.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> written_steps(hops=64, layers=3).at()
    21.0
    >>> [written_steps(64, layers).at() for layers in (2, 4, 7, 8, 500, 10**12)]
    [63.0, 9.0, 1.0, 0.0, 0.0, 0.0]
    """
    k, depth = sympy.symbols("hops layers", positive=True, integer=True)
    values = {
        k: sympy.Integer(positive_integer("hops", hops, "the number of hops")),
        depth: sympy.Integer(positive_integer("layers", layers, "the number of attention layers")),
    }
    return Bound(
        expr=sympy.ceiling(k / (2 ** (depth - 1) - 1)) - 1,
        quantity="the written tokens after which explicit softmax weights of this many layers answer hop_k",
        assumes=(
            Assumption("layers >= 2: one layer moves no pointer", sympy.Ge(depth, 2)),
            Assumption("layer 1 has the strict mask, and numbers are rounded in every layer (taken as given)"),
            Assumption("a written token names one of the positions 0 .. length (taken as given)"),
        ),
        source="pointer doubling that written positions continue (derived); one pass: arXiv 2402.09268, Theorem 4.2",
        values=values,
    )


def steps_reach(layers: int, written: int) -> int:
    """Return the largest k such that hop_1, .., hop_k are answered after at most c written tokens: ``(c + 1) R``.

    Raises:
        ValueError: `layers` is not an integer >= 1, or `written` is negative.

    >>> [steps_reach(3, written) for written in (0, 1, 2)], steps_reach(1, 9)
    ([3, 6, 9], 0)
    """
    return (integer("written", written, "the number of written tokens", least=0) + 1) * hop_reach(layers)


def state_steps(length: int) -> int:
    """Return the tokens that one layer writes before it answers with the state after a word: one fewer than it has letters.

    Raises:
        ValueError: `length` is not an integer >= 1.
    """
    return positive_integer("length", length, "the number of letters of a word") - 1
