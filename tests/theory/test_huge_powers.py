"""Powers whose exponents have thousands of digits, by a logarithm, agree with mpmath's own powers."""

import mpmath
import pytest
import sympy

from theory import bounds
from theory.evaluation import evaluated

x = sympy.Symbol("x", nonnegative=True)


@pytest.mark.parametrize("shift", [64, 70, 100, 200])
def test_a_huge_power_is_the_power(shift):
    base = 1 - sympy.Rational(1, 2**shift)
    found = evaluated(x ** (3 * 2**shift), {x: base}, "exact")
    with mpmath.workdps(400):
        assert found == float((1 - mpmath.mpf(2) ** -shift) ** (3 * 2**shift))


def test_zero_and_one_stay():
    assert [evaluated(x ** (2**100), {x: sympy.Integer(n)}, "exact") for n in (0, 1)] == [0.0, 1.0]


@pytest.mark.parametrize("eps", [0.3, 0.999999])
def test_towers_of_ten_thousand_layers(eps):
    assert bounds.tower(letters=3, layers=10_000, eps=eps).at() == 5e-324
