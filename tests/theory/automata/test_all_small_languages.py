"""Languages of all complete automata of few states against definitions that speak of words alone.

A language counts modulo nothing if x u^m y belongs to it for all large m or for none, whatever the words x, u and y are.
Words that move all states alike are one word here, so finitely many words stand for all of them.
"""

import itertools
import re
from collections import Counter
from functools import cache

import numpy as np
import pytest

from theory.automata import Dfa, Semiautomaton, regular
from theory.logic import evaluate
from theory.logic.starfree import formula_of

SIZES = [*((1, states) for states in (1, 2, 3, 4)), *((2, states) for states in (1, 2, 3)), (3, 2)]  # letters, states
TURNS = {1: 1, 2: 2, 3: 6, 4: 12}  # a multiple of every period that powers of a word have on so many states
SHORT = {1: 9, 2: 5, 3: 4}  # for each number of letters, the length of words that are tried one by one


@cache
def maps_of(columns):
    """A shortest word for each map of the states that words induce."""
    words = {tuple(range(len(columns[0]))): ()}
    for x in (queue := list(words)):  # grows while it is walked
        for letter, column in enumerate(columns):
            y = tuple(column[q] for q in x)
            if y not in words:
                words[y] = (*words[x], letter)
                queue.append(y)
    return words


def languages(letters, states):
    """All tables with all sets of accepting states."""
    for columns in itertools.product(itertools.product(range(states), repeat=states), repeat=letters):
        for accepting in itertools.product((False, True), repeat=states):
            yield columns, accepting


def belongs(columns, accepting, word):
    state = 0
    for letter in word:
        state = columns[letter][state]
    return accepting[state]


def power(x, exponent):
    y = tuple(range(len(x)))
    for _ in range(exponent):
        y = tuple(x[q] for q in y)
    return y


@cache
def powers_of(columns):
    """For each word u the maps of u^0, u^1, ..: as many as show where they settle, and one turn beyond."""
    states = len(columns[0])
    return [[power(u, m) for m in range(states + 2 * TURNS[states])] for u in maps_of(columns)]


def futures(columns, accepting):
    """For each state the words, as maps, that lead from it to acceptance."""
    return [tuple(accepting[y[q]] for y in maps_of(columns)) for q in range(len(accepting))]


def index_and_period(columns, accepting):
    """The least n and p such that x u^m y belongs exactly if x u^(m+p) y does, for all m >= n."""
    states, future = len(accepting), futures(columns, accepting)
    reached = {x[0] for x in maps_of(columns)}
    last = states + TURNS[states]
    rows = [[tuple(future[u[x]] for x in reached) for u in powers] for powers in powers_of(columns)]
    period = next(p for p in range(1, TURNS[states] + 1) if all(row[last - 1] == row[last - 1 + p] for row in rows))
    return next(n for n in range(last) if all(row[m] == row[m + period] for row in rows for m in range(n, last))), period


def check_star_free(dfa, columns, accepting):
    """Star-free exactly if no word counts; and the witness is a word that counts, whatever the number of times."""
    states, (index, period) = len(accepting), index_and_period(columns, accepting)
    assert dfa.is_star_free == (period == 1)
    assert dfa.index_and_period == (index, period)
    witness = dfa.period_witness()
    assert (witness is None) == (period == 1)
    if witness is not None:
        word = tuple(dfa.letters.index(letter) for letter in witness[0])
        ends = [dfa.minimal.automaton.run(word, q)[-1] for q in witness[1]]
        assert sorted(ends) == sorted(witness[1]) and ends != list(witness[1])
        assert any(
            len({belongs(columns, accepting, (*x, *word * m, *y)) for m in range(states, states + TURNS[states])}) == 2
            for x, y in itertools.product(maps_of(columns).values(), repeat=2)
        )
    if len(columns) == 1:  # star-free over one letter: finite, or all but finitely many words
        tail = [belongs(columns, accepting, (0,) * m) for m in range(states, states + TURNS[states])]
        assert dfa.is_star_free == (len(set(tail)) == 1)


def check_minimal(dfa, columns, accepting):
    """As many states as reachable states have different futures, numbered breadth first, with the same words (Nerode)."""
    minimal, reached = dfa.minimal, {x[0] for x in maps_of(columns)}
    assert minimal.num_states == len({futures(columns, accepting)[q] for q in reached})
    assert minimal.letters == dfa.letters
    assert [belongs(columns, accepting, word) for word in maps_of(columns).values()] == [
        bool(minimal.accepts(word)) for word in maps_of(columns).values()
    ]
    seen = list(dict.fromkeys([0, *minimal.automaton.table.ravel().tolist()]))
    assert seen == list(range(minimal.num_states))


def check_words(dfa, columns, accepting):
    """Membership of all short words, how many there are of each length, and a shortest one."""
    length = SHORT[len(columns)]
    words = [list(itertools.product(range(len(columns)), repeat=n)) for n in range(length + 1)]
    truths = [[belongs(columns, accepting, word) for word in short] for short in words]
    assert [dfa.accepts(np.array(short, int).reshape(len(short), n)).tolist() for n, short in enumerate(words)] == truths
    assert dfa.counts(length) == tuple(map(sum, truths))
    shortest = next((n for n, truth in enumerate(truths) if any(truth)), None)
    found = dfa.shortest_word()
    assert (found is None) == (shortest is None) and (found is None or len(found) == shortest)
    assert found is None or belongs(columns, accepting, [dfa.letters.index(letter) for letter in found])


CHECKS = [check_star_free, check_minimal, check_words]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize(("letters", "states"), SIZES)
def test_every_language(letters, states, check):
    for columns, accepting in languages(letters, states):
        dfa = Dfa(Semiautomaton(np.array(columns).T), np.array(accepting), tuple("abc"[:letters]))
        check(dfa, columns, accepting)


@cache
def minimal_languages(letters, states):
    """The different ones of these languages, each with its minimal automaton."""
    found = {}
    for columns, accepting in languages(letters, states):
        dfa = Dfa(Semiautomaton(np.array(columns).T), np.array(accepting), tuple("abc"[:letters])).minimal
        found[dfa.automaton.table.tobytes(), dfa.accepting.tobytes()] = dfa
    return list(found.values())


def test_how_many_languages_of_three_states_there_are_and_how_many_are_star_free():
    """Minimal automata by their size: 2, 24 and 1028 over two letters (Domaratzki, Kisman and Shallit 2002, Table 1)."""
    found = minimal_languages(2, 3)
    assert Counter(dfa.num_states for dfa in found) == {1: 2, 2: 24, 3: 1028}
    assert sum(dfa.is_star_free for dfa in found) == sum(index_and_period(*parts(dfa))[1] == 1 for dfa in found)


def parts(dfa):
    return tuple(map(tuple, dfa.automaton.table.T.tolist())), tuple(dfa.accepting.tolist())


@pytest.mark.parametrize(("letters", "states"), [(1, 4), (2, 2)])
def test_star_free_languages_have_formulas_and_no_others(letters, states):
    for dfa in minimal_languages(letters, states):
        if not dfa.is_star_free:
            with pytest.raises(ValueError, match="permutes its states"):
                formula_of(dfa)
            continue
        formula = formula_of(dfa)
        for length in range(1, SHORT[letters] + 1):
            words = np.array(list(itertools.product(range(letters), repeat=length)))
            assert (evaluate(formula, words, dfa.letters)[:, -1] == dfa.accepts(words)).all()


@pytest.mark.parametrize("text", ["a*", "b*a", "(ab)*", "(aa)*", "a(a|b)*b", "(a|b){2}", "a{0}", "[^ab]", "(a|b)*"])
def test_an_expression_has_the_minimal_automaton_of_its_words(text):
    """Its language is found among all languages of three states by words of five letters, which tell these apart."""
    words = ["".join(word) for n in range(6) for word in itertools.product("ab", repeat=n)]
    truth = [bool(re.fullmatch(text, word)) if text != "[^ab]" else False for word in words]
    same = [dfa for dfa in minimal_languages(2, 3) if [bool(dfa.accepts(word)) for word in words] == truth]
    found = regular(text, "ab")
    if found.num_states <= 3:
        (expected,) = same
        assert (found.automaton.table == expected.automaton.table).all() and (found.accepting == expected.accepting).all()
    else:
        assert not same
