"""The error of a tower as a power series: beside the free Lie algebra, and beside the whole series of product and tower."""

from fractions import Fraction

import numpy as np
import pytest

from theory import bounds, lie
from theory.errors import OutsideHypotheses

SO3 = [np.array(matrix) for matrix in lie.named("so3").matrices]
WORD = (0, 1, 1, 0, 0, 1, 0, 1, 1)


@pytest.mark.parametrize(("letters", "layers"), [(2, 1), (2, 2), (3, 1), (3, 2)])
def test_first_coefficient_is_the_leading_bracket(letters, layers):
    word = tuple((5 * i * i + i) % letters for i in range(9))
    degree = lie.derived_ideal_degree(letters, layers)
    found = lie.tower_error_series(word, SO3[:letters], layers).get(degree, np.zeros((3, 3)))
    expected = lie.tower_remainder(word, letters, layers).evaluate(*SO3[:letters])
    np.testing.assert_allclose(found.astype(float), np.asarray(expected, float), rtol=1e-12, atol=1e-12)


def test_two_coefficients_of_one_layer_by_expanding_everything():
    # prod_t (1 + A + A^2/2 + A^3/6) - exp(sum A), to degree 3
    one = np.identity(3, int) + Fraction(0)
    product = {0: one}
    for letter in WORD:
        powers = [one]
        for degree in range(1, 4):
            powers.append(powers[-1] @ SO3[letter] / Fraction(degree))
        product = {d: sum((product[i] @ powers[d - i] for i in product if 0 <= d - i <= 3), start=0 * one) for d in range(4)}
    total = sum(SO3[letter] for letter in WORD)
    found = lie.tower_error_series(WORD, SO3[:2], 1, terms=2)
    for degree, divisor in ((2, 2), (3, 6)):
        expected = product[degree] - np.linalg.matrix_power(total, degree) / Fraction(divisor)
        assert (found[degree] == expected).all()


def test_commuting_letters_miss_nothing():
    diagonal = [np.diag([1, 2]), np.diag([3, -1])]
    assert all(lie.tower_error_series(WORD, diagonal, k) == {} for k in (1, 2, 3))


def test_bound_is_the_frobenius_norm_of_the_first_coefficient():
    bound = bounds.error_by_depth(WORD, layers=2, mass=Fraction(1, 2))
    leading = lie.tower_error_series(WORD, SO3[:2], 2)[5].astype(float)
    assert bound.at() == pytest.approx(np.linalg.norm(leading) * (0.5 / len(WORD)) ** 5, rel=1e-12)


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (2, 1)])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_letters_that_do_not_occur_change_nothing(pair, layers):
    """Two letters miss a word in degree 5 after two layers, whatever their numbers; three letters would in degree 4."""
    word = tuple(pair[letter] for letter in WORD)
    degree = lie.derived_ideal_degree(2, layers)
    leading = lie.tower_error_series(WORD, [SO3[letter] for letter in pair], layers)[degree].astype(float)
    found = bounds.error_by_depth(word, layers, mass=Fraction(1, 2)).at()
    assert found == pytest.approx(np.linalg.norm(leading) * (0.5 / len(word)) ** degree, rel=1e-12)
    assert bounds.error_by_depth(word, layers, "so3 x heisenberg", mass=Fraction(1, 2)).at() == found


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (((0, 0), 1), "fewer than two letters"),
        (((0, 5), 1), "3 matrices"),
        (((0, 1), 0), "layers"),
        (((0, 1), 7), "at most 6"),
        (((0, 1), 1, "nobody"), "nobody"),
        (((0, 1), 1, "so3", -0.1), "mass"),
    ],
)
def test_bad_questions_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        bounds.error_by_depth(*arguments)


def test_hypotheses_refuse():
    with pytest.raises(OutsideHypotheses, match="mass < 1"):
        bounds.error_by_depth((0, 1), layers=1, mass=2).at()
    with pytest.raises(OutsideHypotheses, match="does not vanish"):
        bounds.error_by_depth((0, 1, 1, 0), layers=1, mass=0.5).at()
    with pytest.raises(ValueError, match="terms"):
        lie.tower_error_series((0, 1), SO3[:2], 1, terms=3)
