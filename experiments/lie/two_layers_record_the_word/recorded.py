r"""How long two sums may record a word, if the first of them takes finitely many values.

A recorder of two layers keeps a sum s of steps x_l in a finite abelian group A, and above it a sum of values g(s, l), where s
is the first sum before the letter l. Whatever g is, the states at the end depend only on how often every pair (s, l) came up.

Let the letters a and b have the steps x and y, let d be the order of x, and let f be the index of <x> in <x, y>. The word a^d
leads through a whole coset of <x>, the same one before and after b^f, because f y lies in <x>. So a^d b^f and b^f a^d leave the
same states. Their length d + f is at most |A| + 1, since d f is at most |A|. The clock modulo M, x = y = 1, confuses no two
words of at most M letters. Hence M values of the first layer record M letters, and no fewer values do.

Source: derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm

import numpy as np

from theory.checks import positive_integer

__all__ = ["confusion_length", "first_layers"]


def confusion_length(moduli: Sequence[int], x: Sequence[int], y: Sequence[int]) -> int:
    """Return a length at which two words of two letters leave the same states, the lesser one of the two letters' d + f.

    Args:
        moduli: Orders of the cyclic factors of the group.
        x: Step of the first letter, one number for each factor.
        y: Step of the second letter.

    Raises:
        ValueError: A modulus is not an integer >= 1.

    Cost: one step for each element of the group that x and y generate.

    >>> confusion_length([5], [1], [1]), confusion_length([6], [2], [3])
    (6, 5)
    """
    moduli = [positive_integer("a modulus", modulus, "the order of a cyclic factor") for modulus in moduli]
    orders = [lcm(*(modulus // gcd(modulus, entry) for modulus, entry in zip(moduli, step, strict=True))) for step in (x, y)]
    reached = {
        tuple((i * a + j * b) % modulus for a, b, modulus in zip(x, y, moduli, strict=True))
        for i in range(orders[0])
        for j in range(orders[1])
    }
    return min(order + len(reached) // order for order in orders)


def first_layers(values: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return all first layers of two letters: each abelian group of two generators and few elements, with all steps.

    Args:
        values: The most elements of a group.

    Returns:
        Pairs of the moduli (p, q), where q divides p, and of the steps, shape ((p q)^2, letters, 2).

    Raises:
        ValueError: `values` is not an integer >= 1.

    >>> [(moduli.tolist(), steps.shape) for moduli, steps in first_layers(2)]
    [([1, 1], (1, 2, 2)), ([2, 1], (4, 2, 2))]
    """
    values = positive_integer("values", values, "the most elements of a group")
    moduli = [(p, q) for p in range(1, values + 1) for q in range(1, values // p + 1) if p % q == 0]
    elements = [np.indices(pair).reshape(2, -1).T for pair in moduli]
    return [
        (np.array(pair), np.array([(x, y) for x in some for y in some])) for pair, some in zip(moduli, elements, strict=True)
    ]
