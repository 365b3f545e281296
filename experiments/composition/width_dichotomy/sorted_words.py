r"""What a counting network says of every word, whole and without its last unit, from the Cayley table alone.

Whole, it says the product of the sorted word. Its last unit holds m^k, with m how often the last letter occurs, and has the
output weight w. The forms a . m of all units, with k letters in a, are told apart by k derivatives: those in the directions v_j
= e - (j / k) 1, with e the last letter and j < k, take (a . m)^k to the product of k! and a_e - j. It is zero but for a = k e.
So k!^2 w is k^k times what they make of the polynomial that the network is. That is the sum over counts a of the code of the
product of a, times the product over letters g and i < a_g of (m_g - i |m| / k), over that of all a_g!. And k derivatives of a
product of k linear forms are a permanent.
"""

import itertools
import math
from fractions import Fraction

import numpy as np

__all__ = ["errors_of_counting"]


def errors_of_counting(table: np.ndarray, codes: np.ndarray, length: int) -> tuple[float, float]:
    """Return the largest errors over all words, relative to the largest entry of a code: whole, and without the last unit.

    Args:
        table: The Cayley table.
        codes: The codes of the elements, as rows.
        length: Length k of the words.

    >>> errors_of_counting(np.array([[0, 1], [1, 0]]), np.array([[1.0, 0], [0, 1]]), 2)  # m^2 / 2 is missing
    (0.0, 2.0)
    """
    words = np.indices((len(table),) * length).reshape(length, -1)
    said, right = _products(table, np.sort(words, axis=0)), _products(table, words)
    cases = np.unique([said, right, (words == len(table) - 1).sum(axis=0)], axis=1)
    wrong = codes[cases[0]] - codes[cases[1]]
    fewer = wrong - np.outer(cases[2].astype(float) ** length, _last_weight(table, codes, length))
    largest = np.abs(codes).max()
    return float(np.abs(wrong).max() / largest), float(np.abs(fewer).max() / largest)


def _products(table: np.ndarray, words: np.ndarray) -> np.ndarray:
    found = words[0]
    for letters in words[1:]:
        found = table[found, letters]
    return found


def _last_weight(table: np.ndarray, codes: np.ndarray, length: int) -> np.ndarray:
    """The output weight of the unit that counts the last letter alone."""
    order, k = len(table), length
    shares = [Fraction(0)] * order
    for word in itertools.combinations_with_replacement(range(order), k):
        # k^2 times each linear form in each direction
        times = [word[:place].count(letter) for place, letter in enumerate(word)]
        forms = [
            [k**2 * (letter == order - 1) - k * j - i * (k - j * order) for j in range(k)]
            for letter, i in zip(word, times, strict=True)
        ]
        repeats = math.prod(math.factorial(word.count(letter)) for letter in set(word))
        product = int(_products(table, np.array(word)[:, None])[0])
        shares[product] += Fraction(_permanent(forms), k**k * math.factorial(k) ** 2 * repeats)
    return np.array(shares, float) @ codes


def _permanent(rows: list[list[int]]) -> int:
    """The sum over permutations of the products of one entry of each row and column, by sets of columns."""
    found = {0: 1}
    for row in rows:
        more: dict[int, int] = {}
        for used, value in found.items():
            for column, entry in enumerate(row):
                if not used >> column & 1:
                    more[used | 1 << column] = more.get(used | 1 << column, 0) + value * entry
        found = more
    return found[(1 << len(rows)) - 1]
