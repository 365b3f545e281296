r"""How wrong a tower of abelian layers is on the average word: exact moments of the constant in front of eps^(m_k).

Letters are independent and uniform, T of them, and letter i is ``eps A_i``. The leading term of the error on a word is ``eps^m
C`` with ``C`` the sum of the parts of lowest degree of what layer k + 1 would be driven by (`theory.lie.graded`):

    three letters or more   inc_1 = A,   u_j = sum of inc_j,   inc_(j+1) = [u_j, inc_j] / 2,   m_k = 2^k
    two letters             as above but for inc_3 = ([u_2, q] + [u_2', p]) / 2 of degree 5, since all brackets of degree 2 are
                            multiples of one; p and q are the parts of log(e^u e^A e^-(u + A)) of degree 2 and 3,
                            p = [u, A] / 2,   q = [u, [u, A]] / 12 + [A, [A, u]] / 12 + [u + A, [u, A]] / 4.

``C`` is a sum over m places of the word, in order, with repetitions. So the mean of ``|C|^2`` is a sum over 2 m places at most,
and its value is a combination of the binomials C(T, 0), ..., C(T, 2 m): all words of up to 2 m letters give it at any length.
The mean letter makes no error, so |C|^2 grows as T^3 for one layer and not as T^4: long random words of one total mass are
followed better, by one layer as T^(-1/2). If the mean letter commutes with all others it grows as T^2.

Source: derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np
import sympy

from theory.bound import Assumption, Bound, Number, given
from theory.checks import exact_entries, positive_integer
from theory.cost import Estimate, power, refuse
from theory.lie.derived import derived_ideal_degree
from theory.lie.given import named
from theory.registry import registered

__all__ = ["average_error", "error_moments", "mean_square"]

_LAYERS = {2: 3}  # letters -> the most layers; two letters and four layers need further degrees
_MOST_LAYERS = 4
_SECONDS, _BYTES = 4e-6, 32  # of one word, its letters and an entry of a matrix


@registered
def average_error(letters: int, layers: int, length: int, algebra: str = "so3", mass: Number | None = None) -> Bound:
    """Return the root mean square of the leading term of a tower's error over random words.

    Words have independent, uniform letters. The mean is exact; one or two layers have it at any length, more at short ones.

    Args:
        letters: Number of letters, at least 2; letter i is the i-th basis matrix of the algebra.
        layers: Number of abelian layers, at most 4, and at most 3 for two letters.
        length: Number of letters of a word; each weighs the same share of the mass.
        algebra: A Lie algebra of matrices.
        mass: Sum of the weights of all letters, below 1; None leaves it open.

    Raises:
        ValueError: A number is out of its range, no algebra has this name, or it has fewer matrices than letters are asked for.
        TooExpensive: There are too many words to list.

    >>> average_error(letters=2, layers=1, length=2, algebra="sl2").expr
    mass**2/8
    >>> [round(average_error(letters=3, layers=1, length=length, mass=0.1).at(), 6) for length in (4, 400, 40000)]
    [0.001062, 9.6e-05, 1e-05]
    """
    letters, matrices = _matrices(letters, layers, algebra)
    length = positive_integer("length", length, "the number of letters of a word")
    degree = derived_ideal_degree(letters, layers)
    square = mean_square(matrices, layers, length)
    total = sympy.Symbol("mass", positive=True)
    constant = sympy.sqrt(sympy.Rational(square.numerator, square.denominator)) / sympy.Integer(length) ** degree
    return Bound(
        side="exact",
        expr=constant * total**degree,
        quantity=f"the root mean square, over random words, of the leading error of {layers} abelian layers (Frobenius norm)",
        assumes=(
            Assumption("letters are independent and uniform (taken as given)"),
            Assumption("the leading term does not vanish on all words", sympy.true if square else sympy.false),
            Assumption("the layers are the tower of the derived series of the free Lie algebra (taken as given)"),
            Assumption("mass < 1", total < 1),
        ),
        source="moments of iterated sums over all words (derived, theory.lie.average)",
        values=given({total: mass}),
    )


def error_moments(
    matrices: Sequence[np.ndarray], layers: int, length: int, orders: Sequence[int] = (2, 4)
) -> tuple[Fraction, ...]:
    """Return the exact means of ``|C|^2``, ``|C|^4``, ... over all words of a length, |.| the Frobenius norm.

    Args:
        matrices: One square matrix of exact numbers for each letter, at least two.
        layers: Number of abelian layers, from 1 to 4, and to 3 for two letters.
        length: Number of letters of a word.
        orders: Even powers.

    Raises:
        ValueError: A number is out of its range, or a power is odd.
        TooExpensive: There are too many words to list.

    >>> error_moments([np.array([[0, 1], [0, 0]]), np.array([[0, 0], [1, 0]])], layers=1, length=2)
    (Fraction(1, 4), Fraction(1, 8))
    """
    letters, layers = len(matrices), positive_integer("layers", layers, "the number of abelian layers")
    _sizes(letters, layers)
    if any(order < 2 or order % 2 for order in orders):
        raise ValueError(f"orders = {tuple(orders)}: expected even numbers from 2 on, because powers of |C|^2 are rational.")
    squares, scale = _squares(matrices, layers, positive_integer("length", length, "the number of letters of a word"))
    return tuple(
        Fraction(sum(square ** (order // 2) for square in squares), len(squares)) / scale ** (order // 2) for order in orders
    )


def mean_square(matrices: Sequence[np.ndarray], layers: int, length: int) -> Fraction:
    """Return the exact mean of ``|C|^2`` over all words of a length, also where these are too many to list.

    Words of up to 2 m letters, m being the degree of the error, are listed; a longer length takes the combination of binomials
    that they give.

    Args:
        matrices: One square matrix of exact numbers for each letter, at least two.
        layers: Number of abelian layers.
        length: Number of letters of a word.

    Raises:
        ValueError: A number is out of its range.
        TooExpensive: There are too many words to list.

    >>> pair = [np.array([[0, 1], [0, 0]]), np.array([[0, 0], [1, 0]])]
    >>> mean_square(pair, 1, 2), mean_square(pair, 1, 400)  # T (T^2 - 1) / 24
    (Fraction(1, 4), Fraction(2666650, 1))
    """
    _sizes(len(matrices), positive_integer("layers", layers, "the number of abelian layers"))
    places = 2 * derived_ideal_degree(len(matrices), layers)
    if positive_integer("length", length, "the number of letters of a word") <= places:
        return error_moments(matrices, layers, length, orders=(2,))[0]
    refuse(_listing(len(matrices), places, len(matrices[0])))
    differences = [Fraction(0), *(error_moments(matrices, layers, short, orders=(2,))[0] for short in range(1, places + 1))]
    total = Fraction(0)
    for j in range(places + 1):
        total += differences[0] * comb(length, j)
        differences = [after - before for before, after in pairwise(differences)]
    return total


def _matrices(letters: int, layers: int, algebra: str) -> tuple[int, list[np.ndarray]]:
    letters = positive_integer("letters", letters, "the number of letters")
    _sizes(letters, positive_integer("layers", layers, "the number of abelian layers of the tower"))
    matrices = named(algebra).matrices
    if matrices is None:
        raise ValueError(f"algebra = {algebra!r}: its elements have no matrices, and the error is measured in their norm.")
    if letters > len(matrices):
        raise ValueError(f"letters = {letters}: expected at most {len(matrices)}, because {algebra} has so many matrices.")
    return letters, list(matrices[:letters])


def _sizes(letters: int, layers: int) -> None:
    if letters < 2:
        raise ValueError(f"letters = {letters}: expected at least 2, because one letter commutes.")
    most = _LAYERS.get(letters, _MOST_LAYERS)
    if layers > most:
        raise ValueError(f"layers = {layers}: expected at most {most}, because more layers need parts of further degrees.")


def _listing(letters: int, length: int, size: int) -> Estimate:
    words = power(letters, length)
    work = f"the errors of all {letters}^{length} words"
    return Estimate(work, seconds=words * length * _SECONDS, gib=words * size**2 * _BYTES / 2**30)


def _squares(matrices: Sequence[np.ndarray], layers: int, length: int) -> tuple[list[int], Fraction]:
    """The squares of |C| of all words as whole numbers, and what they are multiplied by."""
    refuse(_listing(len(matrices), length, len(matrices[0])))
    exact = [exact_entries("matrices", matrix) + Fraction(0) for matrix in matrices]
    common = int(np.lcm.reduce([entry.denominator for matrix in exact for entry in matrix.flat], dtype=object))
    letters = np.stack([np.vectorize(int, otypes=[object])(matrix * common) for matrix in exact])
    two = len(letters) == 2
    zero = np.zeros((1, *letters.shape[1:]), object)
    states = {(j, part): zero for j in range(1, layers + 2) for part in ("low", "next")}
    for _ in range(length):
        # every word, followed by every letter
        states = {name: np.repeat(state, len(letters), axis=0) for name, state in states.items()}
        letter = np.tile(letters, (len(states[1, "low"]) // len(letters), 1, 1))
        low, following = letter, 0 * letter
        for j in range(1, layers + 2):
            before, after = states[j, "low"], states[j, "next"]
            states[j, "low"], states[j, "next"] = before + low, after + following
            if two and j == 1:  # both times 12, so that the parts of degree 3 are whole
                p = _bracket(before, low)
                q = _bracket(before, p) - _bracket(low, p) + 3 * _bracket(before + low, p)
                low, following = p, q
            elif two and j == 2:
                low, following = _bracket(before, following) + _bracket(after, low), 0 * letter
            else:
                low, following = _bracket(before, low), 0 * letter
    scale = 1  # of the last layer, against inc_(j + 1) = [u_j, inc_j] / 2
    for j in range(1, layers + 1):
        scale = 48 if two and j == 2 else 2 * scale**2
    degree = derived_ideal_degree(len(letters), layers)
    squares = (states[layers + 1, "low"] ** 2).sum(axis=(1, 2))
    return [int(square) for square in squares], Fraction(scale * common**degree) ** 2


def _bracket(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return left @ right - right @ left
