"""When membership of x u^n y settles, against long words read letter by letter."""

import itertools

import numpy as np
import pytest

from experiments.logic.star_free_iff_aperiodic.late import late_formulas, settling
from theory.automata import regular

WORDS = [word for n in range(3) for word in itertools.product((0, 1), repeat=n)]
LOOPS = [(x, u, y) for x in WORDS for u in WORDS if u for y in WORDS]


def by_reading(dfa, most=12):
    """The last n at which some membership differs from that of many repetitions, plus one."""

    def belongs(word):
        state = 0
        for letter in word:
            state = dfa.automaton.table[state, letter]
        return bool(dfa.accepting[state])

    changes = [n for x, u, y in LOOPS for n in range(1, most) if belongs(x + u * n + y) != belongs(x + u * most + y)]
    return max(changes, default=0) + 1


@pytest.mark.parametrize("text", ["(ab)*", "(a(ab)*b)*", ".*ab.*", "aaaab*", ".*a.."])
def test_named_languages(text):
    assert max(settling(regular(text, "ab"), LOOPS)) == by_reading(regular(text, "ab"))


def test_drawn_formulas_are_the_latest_and_keep_their_order():
    drawn = late_formulas(np.random.default_rng(0), "ab", 2, 20, 20, 4, LOOPS)
    latest = late_formulas(np.random.default_rng(0), "ab", 2, 5, 20, 4, LOOPS)
    times = [max(settling(dfa, LOOPS)) for dfa, _ in drawn]
    assert times == [by_reading(dfa) for dfa, _ in drawn]
    assert sorted(max(settling(dfa, LOOPS)) for dfa, _ in latest) == sorted(times)[-5:]
    kept = [formula for _, formula in latest]
    assert kept == [formula for _, formula in drawn if formula in kept]


def test_languages_that_count_never_settle():
    with pytest.raises(ValueError, match="never settles"):
        settling(regular("(aa)*", "ab"), LOOPS)
