r"""Ranks of the terms of the path sum: what narrow heads leave of each path, and how many paths are not sums of others.

Rows of attention sum to one, so a row that all tokens share stays shared. With attention frozen, the output of L layers is the
sum over all paths through the heads, plus a shared row that the biases make. With skips the identity is a further head
(`path_count`).

A path through the heads h_1, .., h_l contributes ``P_l .. P_1 X W_1 .. W_l``, where the value matrix ``W_h = V_h O_h`` of a
head of width r has rank at most r. So a path through l >= 1 layers has rank at most r, and the empty path, which skips every
layer, has the rank of X. The terms are vectors of ``n d`` numbers; if they are linearly independent, no path is redundant.

Both ranks are the largest possible ones at almost all attention matrices with rows that sum to one, values and tokens, because
a rank below the largest is the vanishing of a polynomial that is not zero. They are computed at random residues modulo a prime
near 2^31: exactly, and below the largest with a probability of at most (degree of a minor) / 2^31.

Source: derived here; setting of Dong, Cordonnier, Loukas, arXiv 2103.03404, Theorem 2.1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from theory.checks import integer, positive_integer
from theory.cost import Estimate, digits, power, refuse
from theory.exact.modular import PRIMES, product, rank_modulo

__all__ = ["PathRanks", "path_count", "path_ranks"]


class PathRanks(NamedTuple):
    """Generic ranks of the terms of a path sum.

    Attributes:
        by_length: The rank of a path that passes l = 0, .., L attention layers; 0 where no such path exists.
        independent: The dimension of the span of all terms.
    """

    by_length: tuple[int, ...]
    independent: int


def path_count(layers: int, heads: int, skip: bool = False) -> tuple[int, ...]:
    """Return the number of paths through L layers by the number l of attention layers passed.

    There are ``H^L`` paths of length L; with skips there are ``C(L, l) H^l`` paths of length l.

    Raises:
        ValueError: An argument is not an integer >= 0.

    >>> path_count(3, 2), path_count(3, 2, skip=True), sum(path_count(3, 2, skip=True))
    ((0, 0, 0, 8), (1, 6, 12, 8), 27)
    """
    layers, heads = (integer(name, n, f"because it counts {name}", 0) for name, n in (("layers", layers), ("heads", heads)))
    one = digits(
        f"the paths through {layers:.6g} layers" if layers < 10**300 else "the paths", power(layers, 1) * math.log2(heads + 2)
    )
    refuse(Estimate(one.work, (one.seconds + 1e-6) * power(layers, 1), (one.gib + 1e-8) * power(layers, 1)))
    return tuple(math.comb(layers, k) * heads**k if skip or k == layers else 0 for k in range(layers + 1))


def path_ranks(layers: int, heads: int, skip: bool, *, tokens: int, width: int, head_width: int) -> PathRanks:
    """Return the generic rank of a path by its length, and the dimension of the span of all paths.

    Args:
        layers: Number of layers L.
        heads: Number of heads H of a layer.
        skip: Whether every layer may be skipped.
        tokens: Number of tokens n.
        width: Numbers d of a token.
        head_width: Rank r of the value matrix of a head, at most d.

    Raises:
        ValueError: A number is not an integer >= 1, or a head is wider than a token.

    Cost: ``(H + 1)^L`` or ``H^L`` products of matrices, and an elimination of as many rows of ``n d`` residues.

    >>> path_ranks(2, 1, True, tokens=6, width=4, head_width=2)  # X, two single layers and both
    PathRanks(by_length=(4, 2, 2), independent=4)
    >>> path_ranks(3, 2, True, tokens=6, width=4, head_width=2).independent, 6 * 4, 3**3
    (24, 24, 27)
    """
    sizes = {"layers": layers, "heads": heads, "tokens": tokens, "width": width, "head_width": head_width}
    layers, heads, tokens, width, head_width = (positive_integer(name, n, "a size of the network") for name, n in sizes.items())
    if head_width > width:
        raise ValueError(f"head_width = {head_width}: expected at most width = {width}, the rank that a value matrix can have")
    draw = np.random.default_rng(0).integers
    terms, lengths = draw(0, PRIMES[0], (tokens, 1, width)), [0]
    for _ in range(layers):
        found, passed = ([terms], list(lengths)) if skip else ([], [])
        for _ in range(heads):
            attention = draw(0, PRIMES[0], (tokens, tokens))
            attention[:, -1] = (1 - attention[:, :-1].sum(axis=1)) % PRIMES[0]
            value = product(draw(0, PRIMES[0], (width, head_width)), draw(0, PRIMES[0], (head_width, width)), PRIMES[0])
            mixed = product(attention, terms.reshape(tokens, -1), PRIMES[0])
            found.append(product(mixed.reshape(-1, width), value, PRIMES[0]).reshape(terms.shape))
            passed += [length + 1 for length in lengths]
        terms, lengths = np.concatenate(found, axis=1), passed
    paths = terms.swapaxes(0, 1)
    ranks = dict.fromkeys(range(layers + 1), 0) | {k: rank_modulo(path) for k, path in zip(lengths, paths, strict=True)}
    return PathRanks(tuple(ranks.values()), rank_modulo(paths.reshape(len(paths), -1)))
