import itertools
from fractions import Fraction

import pytest
import sympy

from theory import bounds
from theory.errors import OutsideHypotheses


def moments(length: int, write: Fraction, fading: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """E[W], E[W / R] and the largest W / R over all words, by listing them: idle 0, writes 1 and 2 of either bit."""
    unnormalised = rate = worst = Fraction(0)
    for rest in itertools.product((0, 1, 2), repeat=length - 2):
        word = (1, *rest, 0)
        chance = Fraction(1)
        for letter in rest:
            chance *= write / 2 if letter else 1 - write
        last = max(j for j, letter in enumerate(word) if letter)
        weights = [(fading ** (last - j), letter) for j, letter in enumerate(word) if letter]
        wrong = sum((weight for weight, letter in weights if letter != word[last]), Fraction(0))
        share = wrong / sum(weight for weight, _ in weights)
        unnormalised += chance * wrong
        rate += chance * share
        worst = max(worst, share)
    return unnormalised, rate, worst


@pytest.mark.parametrize("length", [2, 3, 5, 8])
@pytest.mark.parametrize("ignore", [Fraction(0), Fraction(4, 5), Fraction(1, 10)])
@pytest.mark.parametrize("fading", [Fraction(1, 3), Fraction(1, 20)])
def test_the_rate_lies_between_its_bounds_on_all_words(length, ignore, fading):
    unnormalised, rate, worst = moments(length, (1 - ignore) / 2, fading)
    margin = -sympy.log(sympy.Rational(fading.numerator, fading.denominator))
    values = {"ignore": ignore, "length": length, "margin": margin}
    symbols = {symbol.name: symbol for symbol in bounds.glitch_rate().expr.free_symbols}
    exact = bounds.glitch_rate().expr.subs({symbols[name]: value for name, value in values.items()})
    assert sympy.simplify(exact - sympy.Rational(unnormalised.numerator, unnormalised.denominator)) == 0
    assert (1 - fading) * unnormalised <= rate <= unnormalised
    assert worst <= fading


def test_writes_of_one_bit_before_another_approach_the_worst_case():
    fading, n = Fraction(1, 3), 40
    wrong = sum(fading**d for d in range(1, n))
    assert 0 < fading - wrong / (1 + wrong) < Fraction(1, 10**15)


def test_the_most_likely_bit_errs_exactly_below_ln_2():
    at = Fraction(1, 2)
    assert sum(at**d for d in range(1, 60)) < 1
    below = Fraction(51, 100)
    assert sum(below**d for d in range(1, 60)) > 1
    assert bounds.unanimous_margin().expr == sympy.log(2)


def test_outside_its_hypotheses_there_is_no_rate():
    with pytest.raises(OutsideHypotheses, match="length is an integer >= 2"):
        bounds.glitch_rate(ignore=0.8, length=1).at(margin=1.0)
    with pytest.raises(OutsideHypotheses, match="ignore <= 1"):
        bounds.glitch_rate(ignore=1.5, length=8).at(margin=1.0)
    with pytest.raises(ValueError, match="missing parameter margin"):
        bounds.glitch_rate(ignore=0.8, length=8).at()
