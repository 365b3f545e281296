"""Ends and flows of words against Fox derivatives, and the laws of solvable groups."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.lie.word_problem_log_depth.paths import collisions, end, flow, reduced_words, sharing
from theory.lie import commutator, inverse, solvable_law

SIGNED = st.lists(st.tuples(st.integers(0, 1), st.sampled_from((1, -1))), max_size=7).map(tuple)


def fox(word, generator, letters=2):
    """The Fox derivative by one generator in the group ring of Z^letters: exponents with their coefficients."""
    found, place = Counter(), [0] * letters
    for letter, sign in word:
        before = tuple(place)
        place[letter] += sign
        if letter == generator:
            found[before if sign > 0 else tuple(place)] += sign
    return {exponents: c for exponents, c in found.items() if c}


@given(SIGNED, SIGNED)
def test_flows_agree_where_fox_derivatives_do(v, w):
    same = all(fox(v, generator) == fox(w, generator) for generator in (0, 1))
    assert (flow(v) == flow(w)) == same
    assert (end(v) == end(w)) or not same


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_laws_vanish_from_their_class_on(layers):
    law = solvable_law(2, layers)
    assert end(law) == ()
    assert (flow(law) == ()) == (layers >= 2)


@given(SIGNED, SIGNED)
def test_a_commutator_of_commutators_has_no_flow(v, w):
    a, b = ((0, 1),), ((1, 1),)
    inner = commutator(v, a), commutator(w, b)
    assert flow(commutator(*inner)) == ()
    assert flow((*v, *inverse(v))) == ()


def test_shortest_collisions():
    assert [collisions(reduced_words(2, length), 2) for length in (5, 6, 7)] == [0, 0, 28]
    first, second = ("abABAba", "AbaBabA")  # capitals are inverses
    first, second = (tuple((int(x in "bB"), 1 if x.islower() else -1) for x in word) for word in (first, second))
    assert flow(first) == flow(second) and first != second
    with pytest.raises(ValueError, match="class 1 and 2"):
        collisions([], 3)


@pytest.mark.parametrize(("letters", "length", "layers", "words"), [(2, 3, 1, 44), (2, 7, 2, 56), (3, 4, 2, 0)])
def test_words_that_share_are_those_that_another_word_equals(letters, length, layers, words):
    """Twin: every pair of words is compared."""
    images = [(end, flow)[layers - 1](word) for word in reduced_words(letters, length)]
    if len(images) < 1000:
        assert words == sum(any(a == b for j, b in enumerate(images) if j != i) for i, a in enumerate(images))
    assert sharing(reduced_words(letters, length), layers) == words
