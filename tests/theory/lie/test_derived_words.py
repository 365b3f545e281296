"""The derived series of the free group by labels of prefixes, against the wreath products of Magnus and exhaustive lists."""

import itertools
import random
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.lie.word_problem_log_depth.paths import end, flow, reduced_words
from theory.cost import TooExpensive
from theory.groups import group as named_group
from theory.lie import commutator, derived_class, inverse, same_state, solvable_law
from theory.lie.confused import confused_pair, known_lengths
from theory.lie.derived_words import cycles_of_class_two, deeper_cycles, shortest_theta, state_labels

LETTERS = st.tuples(st.integers(0, 1), st.sampled_from((1, -1)))
WORDS = st.lists(LETTERS, max_size=9).map(tuple)


def spelt(text):
    return tuple(("abc".index(x.lower()), 1 if x.islower() else -1) for x in text)


class Element:
    """Twin: an element of the free solvable group, as its image one class below and a function on the edges there."""

    def __init__(self, below, edges):
        self.below, self.edges = below, frozenset((edge, n) for edge, n in edges if n)

    def __eq__(self, other):
        return self.below == other.below and self.edges == other.edges

    def __hash__(self):
        return hash((self.below, self.edges))

    def __mul__(self, other):
        total = Counter(dict(self.edges))
        for (vertex, letter), n in other.edges:
            total[self.below * vertex, letter] += n
        return Element(self.below * other.below, total.items())


class One:
    """The element of the trivial group."""

    def __mul__(self, other):
        return self

    def __eq__(self, other):
        return isinstance(other, One)

    def __hash__(self):
        return 1


def letter(index, sign, layers):
    if layers == 0:
        return One()
    below, unit = letter(index, sign, layers - 1), one(layers - 1)
    return Element(below, [((unit if sign > 0 else below, index), sign)])


def one(layers):
    return One() if layers == 0 else Element(one(layers - 1), [])


def product(word, layers):
    """The product of the letters, halves first, so that no prefix is labelled."""
    if len(word) <= 1:
        return letter(*word[0], layers) if word else one(layers)
    return product(word[: len(word) // 2], layers) * product(word[len(word) // 2 :], layers)


@given(WORDS, WORDS, st.integers(0, 3))
def test_labels_are_alike_where_the_elements_of_the_wreath_product_are(v, w, layers):
    word = (*v, *w, *inverse(v), *inverse(w))
    labels = state_labels(word, layers)
    elements = [product(word[:i], layers) for i in range(len(word) + 1)]
    for i, j in itertools.combinations(range(0, len(word) + 1, 3), 2):
        assert (labels[i] == labels[j]) == (elements[i] == elements[j])


@given(WORDS, WORDS)
def test_classes_one_and_two_are_ends_and_flows(v, w):
    assert same_state(v, w, 0)
    assert same_state(v, w, 1) == (end(v) == end(w))
    assert same_state(v, w, 2) == (flow(v) == flow(w))


@given(WORDS, WORDS)
def test_a_commutator_of_commutators_lies_in_class_two(v, w):
    deep = commutator(commutator(v, ((0, 1),)), commutator(w, ((1, 1),)))
    assert not reduced(deep) or derived_class(deep) >= 2
    deeper = commutator(deep, (*w, *deep, *inverse(w)))
    assert not reduced(deeper) or derived_class(deeper) > 2


def reduced(word):
    left = []
    for x in word:
        if left and left[-1] == (x[0], -x[1]):
            left.pop()
        else:
            left.append(x)
    return tuple(left)


@pytest.mark.parametrize("letters", [2, 3])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_laws_lie_in_their_class_and_no_deeper(letters, k):
    assert derived_class(solvable_law(letters, k)) == k


def test_shortest_words_of_class_one_and_two_by_listing_all_words():
    words = reduced_words(2, 7)
    assert min(len(word) for word in words[1:] if end(word) == ()) == 4
    flows = Counter(map(flow, words))
    shared = [word for word in words if flows[flow(word)] > 1]
    assert {len(word) for word in shared} == {7} and len(shared) == 56
    assert min(map(len, cycles_of_class_two(2, 18))) == 14 and not cycles_of_class_two(2, 13)


@pytest.mark.parametrize(("letters", "longest"), [(2, 14), (2, 16), (3, 10)])
def test_cycles_are_all_pairs_of_halves_with_one_flow(letters, longest):
    found = set()
    for half in range(longest // 2 + 1):
        groups = {}
        for word in reduced_words(letters, max(half, 1)):
            if len(word) == half:
                groups.setdefault(flow(word), []).append(word)
        for group in groups.values():
            for v, w in itertools.permutations(group, 2):
                cycle = [2 * i + (s < 0) for i, s in (*v, *inverse(w))]
                if all(a != b ^ 1 for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True)):
                    turns = [tuple(cycle[k:] + cycle[:k]) for k in range(len(cycle))]
                    found.add(min(turns + [tuple(x ^ 1 for x in reversed(turn)) for turn in turns]))
    assert cycles_of_class_two(letters, longest) == found


def test_three_words_of_one_flow_have_as_many_letters_as_a_smallest_theta():
    """Twin of class 3: all reduced words of ten letters, the three shortest of every flow, the flow a running sum."""
    draws = random.Random(0)
    weights, lengths = defaultdict(lambda: draws.getrandbits(64)), {}
    stack = [(0, 0, 0, None, 0)]
    while stack:
        x, y, total, last, length = stack.pop()
        lengths.setdefault(total, []).append(length)
        for index, sign in itertools.product((0, 1), (1, -1)):
            if length < 10 and last != (index, -sign):
                to = (x + sign * (index == 0), y + sign * (index == 1))
                edge = weights[(x, y) if sign > 0 else to, index]
                stack.append((*to, total + sign * edge, (index, sign), length + 1))
    assert min(sum(sorted(found)[:3]) for found in lengths.values() if len(found) > 2) == known_lengths(2)[2]


def test_lengths_of_two_letters_by_cycles_that_overlap():
    two = cycles_of_class_two(2, 18)
    assert shortest_theta([cycle for cycle in two if len(cycle) <= 16]).edges == known_lengths(2)[2] == 24
    three = deeper_cycles(two, 52)  # all of at most 52 letters, which decide
    assert min(map(len, three)) == 48 and all(derived_class(word(cycle)) == 3 for cycle in three)
    theta = shortest_theta(three)
    assert theta.edges == known_lengths(2)[3] == 78
    assert len(theta.cycle) == 156 and derived_class(word(theta.cycle)) == 4


def test_three_letters_have_shorter_words_of_class_three():
    assert shortest_theta(cycles_of_class_two(3, 16)).edges == known_lengths(3)[2] == 22
    for letters in (3, 4):  # three paths of seven letters
        words = [w for cycle in cycles_of_class_two(letters, 14) for w in (cycle, tuple(x ^ 1 for x in reversed(cycle)))]
        halves = [turn[:7] for w in words for turn in (w[k:] + w[:k] for k in range(14))]
        assert len(set(halves)) == len(halves)


@pytest.mark.slow
def test_three_letters_of_class_four():
    theta = shortest_theta(deeper_cycles(cycles_of_class_two(3, 18), 50))
    assert theta.edges == known_lengths(3)[3] == 74


def word(cycle):
    return tuple((number // 2, -1 if number % 2 else 1) for number in cycle)


@pytest.mark.parametrize("letters", [2, 3, 4])
def test_the_shortest_words_are_confused_by_their_layers_and_by_no_more(letters):
    for layers, length in enumerate(known_lengths(letters), 1):
        v, w = map(spelt, confused_pair(layers, letters))
        assert len(v) == len(w) == length and v == reduced(v) and w == reduced(w) and v != w
        assert same_state(v, w, layers) and not same_state(v, w, layers + 1)
        assert derived_class((*v, *inverse(w))) == layers


@pytest.mark.parametrize(
    "call",
    [
        lambda: derived_class(()),
        lambda: derived_class(((0, 1), (0, -1))),
        lambda: state_labels(((0, 2),), 1),
        lambda: state_labels((), -1),
        lambda: state_labels((), 1.5),
        lambda: shortest_theta([]),
        lambda: shortest_theta([(0,)]),
        lambda: cycles_of_class_two(0, 4),
        lambda: cycles_of_class_two(2, 0),
        lambda: known_lengths(1),
        lambda: confused_pair(5),
        lambda: confused_pair(4, letters=4),
        lambda: confused_pair(0),
    ],
)
def test_bad_calls_are_value_errors(call):
    with pytest.raises(ValueError, match=r"expected|trivial"):
        call()


def test_long_lists_are_refused():
    with pytest.raises(TooExpensive):
        cycles_of_class_two(4, 40)


@pytest.mark.parametrize(("name", "length"), [("S3", 2), ("D5", 2), ("A4", 2), ("S4", 3), ("SL2_3", 3), ("GL2_3", 4)])
def test_confused_words_are_alike_in_groups_of_their_derived_length_and_not_in_longer_ones(name, length):
    """A group of derived length k is a quotient of ``F / F^(k)``, whatever elements the letters are."""
    table = np.asarray(named_group(name).table)
    inverses = np.argmax(table == 0, axis=1)
    pairs = np.random.default_rng(0).integers(0, len(table), (400, 2))

    def products(word):
        found = np.zeros(len(pairs), int)
        for letter, sign in spelt(word):
            element = pairs[:, letter]
            found = table[found, element if sign > 0 else inverses[element]]
        return found

    for layers in range(1, len(known_lengths()) + 1):
        first, second = map(products, confused_pair(layers))
        assert (first == second).all() == (layers >= length)


def labels_by_sets(word, layers):
    """Twin: each flow is written out as the set of its edges and their counts."""
    labels = [0] * (len(word) + 1)
    for _ in range(layers):
        counts, known, found = Counter(), {frozenset(): 0}, [0]
        for i, (index, sign) in enumerate(word):
            counts[labels[i + (sign < 0)], index] += sign
            flow_now = frozenset((edge, count) for edge, count in counts.items() if count)
            found.append(known.setdefault(flow_now, len(known)))
        labels = found
    return labels


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from((1, -1))), max_size=40).map(tuple), st.integers(0, 4))
def test_labels_are_those_of_the_flows_written_out(word, layers):
    closed = (*word, *inverse(word))
    assert state_labels(closed, layers) == labels_by_sets(closed, layers)


def test_words_of_thousands_of_letters_are_judged():
    assert [derived_class(solvable_law(2, k)) for k in (5, 6)] == [5, 6]
    v, w = ((0, 1),) * 4000, ((1, 1),) * 4000
    assert same_state((*v, *w), (*w, *v), 1) and not same_state((*v, *w), (*w, *v), 2)


@pytest.mark.parametrize("word", [5, None, "ab", ((0, 2),), ((0,),), ((0, 1, 1),), [1, 2], ((0, 0),)])
def test_what_is_no_word_of_signed_letters_is_said(word):
    for asked in (lambda: derived_class(word), lambda: same_state(word, ((0, 1),), 2), lambda: state_labels(word, 1)):
        with pytest.raises(ValueError, match="pairs of a letter and its sign"):
            asked()
