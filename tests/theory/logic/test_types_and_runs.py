"""Types of positions beside formulas and a game, and the layers that runs of letters take beside all small cases."""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory import bounds
from theory.errors import OutsideHypotheses
from theory.logic import evaluate
from theory.logic.runs import run_formula, run_pair
from theory.logic.sampling import random_formula
from theory.logic.types import Types

SIDES = ("past", "both")
WORDS = {n: ["".join(word) for word in itertools.product("ab", repeat=n)] for n in range(1, 6)}


def wins(first, second, depth, both):
    """Whether the second player keeps two pebbles alike for so many rounds of the since-until game, by trying every move."""

    @cache
    def keeps(i, j, rounds):
        if first[i] != second[j]:
            return False
        if not rounds:
            return True
        sides = [(range(i), range(j)), (range(i + 1, len(first)), range(j + 1, len(second)))]
        return all(
            _answered(i, j, here, there, lambda x, y: keeps(x, y, rounds - 1))
            and _answered(j, i, there, here, lambda y, x: keeps(x, y, rounds - 1))
            for here, there in sides[: 1 + both]
        )

    return keeps(len(first) - 1, len(second) - 1, depth)


def _answered(i, j, here, there, alike):
    """For each move x there is an answer y, and everything between y and j is alike to something between x and i."""
    return all(
        any(
            alike(x, y)
            and all(any(alike(u, v) for u in here if abs(u - i) < abs(x - i)) for v in there if abs(v - j) < abs(y - j))
            for y in there
        )
        for x in here
    )


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_types_are_what_the_game_tells_apart(sides, depth):
    types = Types(sides)
    words = WORDS[3] + WORDS[4][::3]
    for first, second in itertools.combinations(words, 2):
        same = types.of(first, depth)[-1] == types.of(second, depth)[-1]
        assert same == wins(first, second, depth, sides == "both"), (first, second)


@pytest.mark.parametrize("sides", SIDES)
def test_the_formula_of_a_type_holds_where_the_type_is(sides):
    types = Types(sides)
    rows = np.array([types.of(word, 2) for word in WORDS[4]])
    for number in np.unique(rows)[::5].tolist():
        formula = types.formula(number)
        assert formula.depth <= 2
        np.testing.assert_array_equal(evaluate(formula, WORDS[4], "ab"), rows == number)


@given(st.integers(0, 10**6), st.integers(0, 3), st.sampled_from(SIDES))
@settings(max_examples=20)
def test_formulas_agree_where_types_do(seed, depth, sides):
    formula = random_formula(np.random.default_rng(seed), "ab", depth, past=sides == "past")
    types, held = Types(sides), {}
    for word, truths in zip(WORDS[5], evaluate(formula, WORDS[5], "ab").tolist(), strict=True):
        for number, truth in zip(types.of(word, depth), truths, strict=True):
            assert held.setdefault(number, truth) == truth


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("letters", range(1, 8))
def test_runs_take_as_many_layers_as_said(sides, letters):
    layers = int(bounds.hard_attention_run(letters, sides).at())
    formula, types = run_formula(letters, sides), Types(sides)
    assert formula.depth == layers
    assert [types.of(w, layers - 1)[-1] for w in run_pair(letters)].count(types.of(run_pair(letters)[0], layers - 1)[-1]) == 2
    first, second = (types.of(word, layers)[-1] for word in run_pair(letters))
    assert first != second
    for words in WORDS.values():
        assert evaluate(formula, words, "ab")[:, -1].tolist() == ["a" * letters in word for word in words]


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_long_runs_are_alike(sides, depth):
    """The lemma on words of three runs: lengths at least N are not told apart."""
    least = depth if sides == "past" else 2 * depth - 1
    types = Types(sides)
    found = {
        types.of("b" * x + "a" * y + "b" * z + "a", depth)[-1] for x, y, z in itertools.product((least, least + 1), repeat=3)
    }
    assert len(found) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Types("ahead"), "expected 'past'"),  # type: ignore[arg-type]
        (lambda: Types().of("ab", -1), "depth = -1"),
        (lambda: run_pair(0), "letters = 0"),
        (lambda: run_formula(2, "ahead"), "expected 'past'"),  # type: ignore[arg-type]
        (lambda: bounds.hard_attention_run(0), "the number of equal letters"),
        (lambda: bounds.hard_attention_run(2.5), "the number of equal letters"),  # type: ignore[arg-type]
        (lambda: bounds.hard_attention_run(3, "ahead"), "expected 'past'"),  # type: ignore[arg-type]
    ],
)
def test_refusals(call, words):
    with pytest.raises((ValueError, OutsideHypotheses), match=words):
        call()
