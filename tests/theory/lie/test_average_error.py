"""Mean errors of towers over random words, against every word's own power series and against all words of greater lengths."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sympy

from theory import bounds
from theory.cost import TooExpensive
from theory.lie import named
from theory.lie.average import average_error, error_moments
from theory.lie.derived import derived_ideal_degree
from theory.lie.graded import tower_error_series

CASES = [
    ("so3", 3, 1, 4),
    ("so3", 3, 2, 5),
    ("sl2", 3, 3, 4),
    ("so4", 4, 2, 3),
    ("sl2", 2, 1, 4),
    ("so3", 2, 2, 6),
    ("so4", 5, 2, 3),
]


@pytest.mark.parametrize(("algebra", "letters", "layers", "length"), CASES)
def test_the_moments_are_those_of_every_word(algebra, letters, layers, length):
    matrices, degree = list(named(algebra).matrices[:letters]), derived_ideal_degree(letters, layers)
    squares = []
    for word in itertools.product(range(letters), repeat=length):
        error = tower_error_series(word, matrices, layers).get(degree)
        squares.append(Fraction(0) if error is None else sum(entry**2 for entry in error.flat))
    expected = Fraction(sum(squares), len(squares)), sum(square**2 for square in squares) / Fraction(len(squares))
    assert error_moments(matrices, layers, length) == expected


@pytest.mark.parametrize(
    ("letters", "layers", "lengths"), [(3, 1, (5, 6, 7, 8)), (2, 1, (5, 9)), (3, 2, (9,)), (2, 2, (11, 12))]
)
def test_short_words_give_the_mean_at_any_length(letters, layers, lengths):
    matrices = list(named("so3").matrices[:letters])
    for length in lengths:
        bound = average_error(letters, layers, length)
        (square,) = error_moments(matrices, layers, length, orders=(2,))
        degree = derived_ideal_degree(letters, layers)
        assert bound.expr.subs(sympy.Symbol("mass", positive=True), length) == sympy.sqrt(
            sympy.Rational(*square.as_integer_ratio())
        )
        assert bound.expr.as_powers_dict()[sympy.Symbol("mass", positive=True)] == degree


def test_one_layer_by_pairs_and_triples():
    basis = np.array(named("so3").matrices, int)
    brackets = {(a, b): basis[a] @ basis[b] - basis[b] @ basis[a] for a in range(3) for b in range(a)}
    codes = np.eye(3, dtype=int)
    for length in (2, 3, 10, 1000):
        pairs, triples = length * (length - 1) // 2, length * (length - 1) * (length - 2) // 6
        total = Fraction(0)
        for (a, b), first in brackets.items():
            for (c, d), second in brackets.items():
                together = Fraction(2 * int((a, b) == (c, d)), 9) * pairs
                shared = Fraction(2 * int((codes[a] - codes[b]) @ (codes[c] - codes[d])), 27) * triples
                total += Fraction(int((first * second).sum()), 4) * (together + shared)
        value = average_error(3, 1, length, mass=Fraction(1, 2)).at()
        assert value == pytest.approx(float(total) ** 0.5 / length**2 / 4, rel=1e-12)


def test_fractions_among_the_entries_scale_as_the_letters_do():
    matrices = list(named("so3").matrices)
    thirds = [np.array([[Fraction(int(x), 3) for x in row] for row in matrix], object) for matrix in matrices]
    for layers, degree in ((1, 2), (2, 4)):
        whole, parts = (error_moments(some, layers, 4) for some in (matrices, thirds))
        assert parts == tuple(moment / Fraction(9) ** (degree * power) for power, moment in enumerate(whole, 1))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1, 1, 4), "letters = 1"),
        ((4, 1, 4), "letters = 4"),
        ((3, 5, 4), "layers = 5"),
        ((2, 4, 4), "layers = 4"),
        ((3, 0, 4), "layers = 0"),
        ((3, 1, 0), "length = 0"),
        ((3, 1, 4, "nonsense"), "nonsense"),
    ],
)
def test_bad_input_is_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        bounds.average_error(*arguments)


def test_too_many_words_are_refused_before_any_is_listed():
    with pytest.raises(TooExpensive, match="all 3\\^16 words"):
        bounds.average_error(3, 3, 10**6)
    with pytest.raises(ValueError, match="even numbers"):
        error_moments(list(named("so3").matrices), 1, 3, orders=(3,))
