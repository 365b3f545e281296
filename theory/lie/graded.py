r"""What a tower of abelian layers misses of a word's product, as a power series in the size of the letters, exactly.

Let every letter be ``eps A_i`` with exact matrices. Then the tower of `theory.lie.tower` can be run on matrices of power series
in eps, whatever its number of layers, without a basis of the free Lie algebra: the coefficient of ``eps^d`` is the part of
degree d. Layer j + 1 is driven by ``R(u_j, inc_j)``, where ``R(U, V) = log(e^U e^V e^{-(U+V)})`` starts in twice the lowest
degree of layer j. So ``inc_{k+1}`` is needed in the degrees ``m_k, m_k + 1, ..`` only, and each layer below in few degrees: for
two letters and four layers ``m_4 = 21``, and no layer is needed beyond degree 11.

The error is ``(e^v - 1) e^{u_k} .. e^{u_1}`` with ``v`` the sum of the ``inc_{k+1}`` in all degrees below ``2 m_k``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import sympy

from theory.bound import Assumption, Bound, Number, given
from theory.checks import exact_entries, integer, positive_integer
from theory.cost import Estimate, power, refuse
from theory.lie.derived import derived_ideal_degree
from theory.lie.given import named
from theory.registry import registered

__all__ = ["error_by_depth", "tower_error_series"]

Series = dict[int, np.ndarray]  # degree -> coefficient of that power of eps; zero where it is missing

_MOST_LAYERS = 6


@registered
def error_by_depth(word: Sequence[int], layers: int, algebra: str = "so3", mass: Number | None = None) -> Bound:
    """Return the leading term of a tower's error on one word of matrices, by the number of layers.

    The exponent at least doubles with every layer, so at a fixed small mass each layer squares the error or does better.

    Args:
        word: Letters from 0 on; each weighs the same share of the mass. It names at least two letters.
        layers: Number of abelian layers, from 1 to 6.
        algebra: A Lie algebra of matrices; letter i is its i-th basis matrix.
        mass: Sum of the weights of all letters, below 1; None leaves it open.

    Raises:
        ValueError: A number is out of its range, no algebra has this name, or it has fewer matrices than the word has letters.
        TooExpensive: The word is too long, see `theory.cost`.

    >>> error_by_depth((0, 0, 1, 0, 0, 1, 1, 1), layers=4, mass=0.1).at() < 1e-40
    True
    >>> error_by_depth((0, 1), layers=1, algebra="sl2").expr
    sqrt(2)*mass**2/8
    >>> error_by_depth((0, 2, 0, 2, 2), layers=2).expr  # two of the three letters of so3
    sqrt(65)*mass**5/37500
    """
    layers = positive_integer("layers", layers, "the number of abelian layers of the tower")
    if layers > _MOST_LAYERS:
        raise ValueError(f"layers = {layers}: expected at most {_MOST_LAYERS}, because the error has degree 2^layers or more.")
    word = [integer("word", letter, "a letter, which is the number of a matrix", least=0) for letter in word]
    matrices, letters = named(algebra).matrices or (), sorted(set(word))
    if len(letters) < 2:
        raise ValueError(
            f"the word {tuple(word)!s:.60} names fewer than two letters: expected two, because one letter commutes."
        )
    if letters[-1] >= len(matrices):
        raise ValueError(
            f"the word {tuple(word)!s:.60} has the letter {letters[-1]!s:.30}, but {algebra} has {len(matrices)} matrices: "
            "expected one for each letter; choose a larger algebra, or letters from 0 on."
        )
    refuse(_following(len(word), layers, len(matrices[letters[0]])))
    # letters that do not occur generate nothing, and the error of two letters starts in another degree than that of three
    degree = derived_ideal_degree(len(letters), layers)
    place = {letter: number for number, letter in enumerate(letters)}
    leading = tower_error_series([place[letter] for letter in word], [matrices[letter] for letter in letters], layers).get(
        degree
    )
    squares = Fraction(0) if leading is None else sum((entry * entry for entry in leading.flat), Fraction(0))
    total = sympy.Symbol("mass", positive=True)
    constant = sympy.sqrt(sympy.Rational(squares.numerator, squares.denominator)) / len(word) ** degree
    return Bound(
        side="exact",
        expr=constant * total**degree,
        quantity=f"the leading term of the error of {layers} abelian layers on this word of {algebra}, in the Frobenius norm",
        assumes=(
            Assumption(
                "the leading bracket of the word does not vanish on these matrices",
                sympy.false if leading is None else sympy.true,
            ),
            Assumption("the layers are the tower of the derived series of the free Lie algebra (taken as given)"),
            Assumption("mass < 1", total < 1),
        ),
        source="exact power series of the tower on matrices (derived, theory.lie.graded)",
        values=given({total: mass}),
    )


def tower_error_series(word: Sequence[int], matrices: Sequence[np.ndarray], layers: int, terms: int = 1) -> Series:
    """Return the first coefficients of ``prod_t exp(eps A_t) - e^{u_k} .. e^{u_1}`` in powers of eps, from degree m_k on.

    Args:
        word: Letters from 0 on.
        matrices: One square matrix of exact numbers for each letter, at least two.
        layers: Number k of abelian layers, at least 1.
        terms: Number of coefficients, from 1 to m_k.

    Returns:
        Degree -> matrix of Fractions; coefficients that vanish are left out.

    Cost: a few products of matrices for each letter, layer and pair of degrees; four layers take a tenth of a second a letter.

    Raises:
        ValueError: A letter has no matrix, the matrices are not square and of one size, or a number is out of its range.

    >>> tower_error_series((0, 1), [np.array([[0, 1], [0, 0]]), np.array([[0, 0], [1, 0]])], layers=1)[2].tolist()
    [[Fraction(1, 2), Fraction(0, 1)], [Fraction(0, 1), Fraction(-1, 2)]]
    """
    layers = positive_integer("layers", layers, "the number of abelian layers of the tower")
    letters = len(matrices)
    if any(not 0 <= letter < letters for letter in word):
        raise ValueError(f"the word {tuple(word)} has a letter outside 0..{letters - 1}: expected one matrix for each letter.")
    generators = [exact_entries("matrices", matrix) + Fraction(0) for matrix in matrices]
    if any(matrix.ndim != 2 or matrix.shape != (len(generators[0]),) * 2 for matrix in generators):
        raise ValueError(f"the matrices have the shapes {[m.shape for m in generators]}: expected square ones of one size.")
    lowest = [1, *(derived_ideal_degree(letters, k) for k in range(1, layers + 1))]
    if not 1 <= terms <= lowest[layers]:
        raise ValueError(f"terms = {terms}: expected 1 to {lowest[layers]}, because later degrees mix dropped increments.")
    needed = [lowest[layers] + terms - 1]
    for j in range(layers, 0, -1):
        needed.append(needed[-1] - lowest[j - 1])
    needed.reverse()  # needed[j] is the highest degree of u_{j+1} and inc_{j+1} that the error depends on
    states: list[Series] = [{} for _ in range(layers)]
    missed: Series = {}
    for letter in word:
        increment: Series = {1: generators[letter]}
        for j in range(layers):
            following = _ladder(states[j], increment, needed[j + 1])
            states[j] = _sum(states[j], increment)
            increment = following
        missed = _sum(missed, increment)
    product: Series = {0: np.identity(len(generators[0]), object)}
    for state in reversed(states):
        product = _product(product, _exponential(state, terms - 1, product[0]), terms - 1)
    return {degree: value for degree, value in _product(missed, product, needed[layers]).items() if value.any()}


def _following(length: int, layers: int, size: int) -> Estimate:
    """Estimate the cost of a tower on a word: from four layers on nearly all parts of the layers above vanish."""
    seconds = 1e-4 * power(4, min(layers, 4)) * power(max(size / 3, 1), 3)
    return Estimate(f"the error of {layers} layers on a word of {length} letters", seconds * length)


def _ladder(u: Series, v: Series, degree: int) -> Series:
    """``log(e^u e^v e^{-(u+v)})`` up to a degree."""
    if not u or not v:
        return {}
    one = np.identity(len(next(iter(u.values()))), object)
    factors = [_exponential(x, degree, one) for x in (u, v, _scaled(_sum(u, v), Fraction(-1)))]
    excess = _product(_product(factors[0], factors[1], degree), factors[2], degree)
    power = excess = {d: m for d, m in excess.items() if d and m.any()}
    result, count = dict(excess), 1
    while power := _product(power, excess, degree):
        count += 1
        result = _sum(result, _scaled(power, Fraction((-1) ** (count + 1), count)))
    return result


def _exponential(x: Series, degree: int, one: np.ndarray) -> Series:
    term: Series = {0: one}
    result, count = dict(term), 0
    while term := _product(term, x, degree):
        count += 1
        term = _scaled(term, Fraction(1, count))
        result = _sum(result, term)
    return result


def _product(a: Mapping[int, np.ndarray], b: Mapping[int, np.ndarray], degree: int) -> Series:
    result: Series = {}
    for i, left in a.items():
        for j, right in b.items():
            if i + j <= degree:
                result[i + j] = result[i + j] + left @ right if i + j in result else left @ right
    return result


def _sum(a: Mapping[int, np.ndarray], b: Mapping[int, np.ndarray]) -> Series:
    return {d: a[d] + b[d] if d in a and d in b else a[d] if d in a else b[d] for d in {**a, **b}}


def _scaled(a: Mapping[int, np.ndarray], factor: Fraction) -> Series:
    return {d: m * factor for d, m in a.items()}
