"""What diagonal layers know, by another count: layers are run letter by letter, on integers, until nothing new is reached."""

import itertools

import numpy as np
import pytest

from theory.automata import Semiautomaton
from theory.automata.diagonal import confused, known_share, normal_form, period
from theory.automata.limits import class_layers
from theory.bounds import permutation_diagonal
from theory.cost import TooExpensive

TABLES = [
    np.array(list(zip(*maps, strict=True))) for maps in itertools.product(itertools.product(range(3), repeat=3), repeat=2)
]


def after(known, letter, letters, modulus):
    """For every set of letters its last letter in the word, and counts of the others since then; one more letter."""
    found = []
    for (resets, last, counts), number in zip(known, range(2**letters), strict=True):
        assert number == sum(2**x for x in resets)
        if letter in resets:
            found.append((resets, letter, (0,) * letters))
        else:
            found.append((resets, last, tuple((n + (x == letter)) % modulus for x, n in enumerate(counts))))
    return tuple(found)


def closed(table):
    """Whether what the layer knows names the map of the word, over all words of any length."""
    letters = table.shape[1]
    modulus = int(np.lcm.reduce([period(column) for column in table.T]))
    nothing = tuple((tuple(x for x in range(letters) if n >> x & 1), None, (0,) * letters) for n in range(2**letters))
    seen = {nothing: tuple(range(len(table)))}
    for known in (queue := [nothing]):
        for letter in range(letters):
            next_known = after(known, letter, letters, modulus)
            move = tuple(int(table[q, letter]) for q in seen[known])
            if next_known not in seen:
                seen[next_known] = move
                queue.append(next_known)
            elif seen[next_known] != move:
                return False
    return True


@pytest.mark.parametrize("table", TABLES[::7], ids=str)
def test_the_laws_are_what_a_layer_needs(table):
    assert closed(table) == (confused(table) is None)


@pytest.mark.parametrize("seed", range(20))
def test_the_laws_with_more_letters_and_states(seed):
    rng = np.random.default_rng(seed)
    kinds = [rng.permutation(4) if seed % 2 else np.roll(np.arange(4), rng.integers(4)), np.full(4, rng.integers(4))]
    table = np.stack([kinds[rng.integers(2)] if rng.random() < 0.8 else rng.integers(0, 4, 4) for _ in range(3)], axis=1)
    assert closed(table) == (confused(table) is None)


@pytest.mark.parametrize("table", TABLES[::11], ids=str)
def test_confused_words_are_alike_to_the_layer_and_not_to_the_automaton(table):
    modulus = int(np.lcm.reduce([period(column) for column in table.T]))
    if (pair := confused(table, modulus)) is None:
        return
    found = Semiautomaton.from_table(table)
    assert normal_form(pair[0], modulus) == normal_form(pair[1], modulus)
    assert any(found.run(pair[0], q)[-1] != found.run(pair[1], q)[-1] for q in range(3))


@pytest.mark.parametrize("modulus", [1, 2, 3, 99])
def test_the_normal_form_is_what_every_set_of_letters_tells(modulus):
    nothing = tuple((tuple(x for x in range(3) if n >> x & 1), None, (0,) * 3) for n in range(8))
    by_sets, by_form = {}, {}
    for word in itertools.chain.from_iterable(itertools.product(range(3), repeat=n) for n in range(6)):
        known = nothing
        for letter in word:
            known = after(known, letter, 3, modulus)
        by_sets.setdefault(known, set()).add(word)
        by_form.setdefault(normal_form(word, modulus), set()).add(word)
    assert {frozenset(words) for words in by_sets.values()} == {frozenset(words) for words in by_form.values()}


@pytest.mark.parametrize("table", TABLES[::29], ids=str)
def test_the_share_by_listing(table):
    found, best = Semiautomaton.from_table(table), {}
    for word in itertools.product(range(2), repeat=5):
        for start in range(3):
            ends = best.setdefault((normal_form(word), start), {})
            end = found.run(word, start)[-1]
            ends[end] = ends.get(end, 0) + 1
    expected = sum(max(ends.values()) for ends in best.values()) / (3 * 32)
    assert float(known_share(table[None], 5)[0]) == pytest.approx(expected)


def test_groups_are_followed_if_they_commute():
    names = {"C2": True, "C12": True, "C2^3": True, "S3": False, "D4": False, "Q8": False, "A5": False}
    assert {name: permutation_diagonal(name).confused is None for name in names} == names


def test_one_letter_and_one_state():
    assert permutation_diagonal({"q": {"a": "q"}}).bound.at() == 1
    assert permutation_diagonal({"even": {"a": "odd"}, "odd": {"a": "even"}}).confused is None
    with pytest.raises(ValueError, match="width"):
        permutation_diagonal("S3", width=0)


def test_cycles_of_many_lengths_close_after_a_power_that_no_word_spells():
    """A letter whose cycles close together after 9 699 690 steps, and after 200 560 490 130."""
    for primes in ([2, 3, 5, 7, 11, 13, 17, 19], [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31]):
        firsts = itertools.accumulate(primes, initial=0)
        turn = [first + (place + 1) % p for first, p in zip(firsts, primes, strict=False) for place in range(p)]
        assert confused(np.array(turn)[:, None]) is None
        counts = np.array([*turn, len(turn) + 1, len(turn) + 2, len(turn) + 2])[:, None]  # beside them it counts to two
        if len(primes) < 9:
            (word, other), steps = confused(counts), period(counts[:, 0])
            assert (len(word), other) == (steps + 1, (0,))
        else:
            with pytest.raises(TooExpensive, match="confuse"):
                confused(counts)


def test_one_complex_layer_reads_the_state_before_the_last_letter():
    rng = np.random.default_rng(4)
    once = np.array([[1], [2], [2]])  # counts to two and stays: the state before the last letter is told by a reset
    assert confused(once) is not None and class_layers("complex", Semiautomaton.from_table(once)).number == 1
    for _ in range(60):
        table = rng.integers(0, 3, (3, int(rng.integers(1, 4))))
        number = class_layers("complex", Semiautomaton.from_table(table)).number
        merged = np.unique(table, axis=0, return_inverse=True)[1].ravel()
        before = merged[np.unique(table, axis=0)]
        if number is not None and number <= 1:
            assert confused(before) is None
        elif number is None:
            assert confused(before) is not None
