"""Every semiautomaton with three states and two letters, 729 of them, against definitions taken literally."""

import itertools

import pytest

from theory.automata import semiautomaton

MAPS = list(itertools.product(range(3), repeat=3))
IDENTITY = (0, 1, 2)
EVERY_WORD_OF_6 = "0000001000011000101000111001001011001101001111010101110110111111" + "00000"


def then(first, second):
    """The map that moves by the first and then by the second."""
    return tuple(second[q] for q in first)


def monoid(letters):
    found = {IDENTITY}
    while larger := {then(x, a) for x in found for a in letters} - found:
        found |= larger
    return found


def image(states, x):
    return frozenset(x[q] for q in states)


def derived_orders(group):
    """Orders of a group of maps (written as tuples of images) along its derived series, from all commutators."""
    orders = [len(group)]
    while len(orders) < 2 or orders[-1] < orders[-2]:
        inverse = {x: next(y for y in group if then(x, y) == tuple(sorted(x))) for x in group}
        following = {then(then(inverse[x], inverse[y]), then(x, y)) for x in group for y in group}
        while larger := {then(x, y) for x in following for y in following} - following:
            following |= larger
        group = following
        orders.append(len(group))
    return tuple(orders if orders[-1] < orders[-2] else orders[:-1])


def groups_of_images(maps):
    """For each class of images with a group of more than the identity: its size, and the orders of the derived series."""
    images = {image(range(3), x) for x in maps}
    classes = {frozenset(s for s in images if any(image(r, x) == s for x in maps) and any(image(s, x) == r for x in maps))
               for r in images}  # fmt: skip
    found = []
    for members in classes:
        states = sorted(next(iter(members)))
        group = {tuple(states.index(x[q]) for q in states) for x in maps if image(states, x) == set(states)}
        if len(group) > 1:
            found.append((len(states), derived_orders(group)))
    return sorted(found)


def maximal_subgroups(maps):
    """Orders of the groups of units of e M e, e idempotent."""
    found = set()
    for e in maps:
        if then(e, e) == e:
            local = [x for x in maps if then(then(e, x), e) == x]
            found.add(sum(any(then(x, y) == e == then(y, x) for y in local) for x in local))
    return found


def height(maps):
    """The longest chain of images of several states below the set of all, each inside an image of the one before."""
    images = {image(range(3), x) for x in maps}
    below = {(r, s): any(r <= image(s, x) for x in maps) for r in images for s in images}

    def longest(s):
        return 1 + max((longest(r) for r in images if len(r) > 1 and below[r, s] and not below[s, r]), default=0)

    return longest(frozenset(range(3)))


def check(first, second):
    letters = (first, second)
    automaton = semiautomaton([[first[q], second[q]] for q in range(3)])
    maps = monoid(letters)
    found = automaton.transition_monoid()
    assert sorted(map(tuple, found.elements.tolist())) == sorted(maps)
    for element in range(found.size):
        word = found.word(element)
        by_word = IDENTITY
        for letter in word:
            by_word = then(by_word, letters[letter])
        assert by_word == tuple(found.elements[element].tolist())

    aperiodic = all(then(cube, x) == cube for x in maps for cube in [then(then(x, x), x)])
    groups = groups_of_images(maps)
    subgroups = maximal_subgroups(maps)
    assert automaton.is_aperiodic == found.is_aperiodic == aperiodic == (not groups) == (subgroups == {1})
    assert sorted((len(g.states), g.derived_orders) for g in automaton.groups_inside) == groups
    assert automaton.is_solvable == all(orders[-1] == 1 for _, orders in groups)
    # a maximal subgroup is the group of the image of its idempotent
    assert subgroups <= {1} | {orders[0] for _, orders in groups}
    witness = automaton.period_witness()
    assert (witness is None) == aperiodic
    if witness is not None:
        word, states = witness
        ends = [automaton.run(word, q)[-1] for q in states]
        assert sorted(ends) == sorted(states) and ends != list(states)
    check_cascade(automaton, letters, maps)


def check_cascade(automaton, letters, maps):
    cascade = automaton.holonomy()
    assert cascade.height == len(cascade.levels) == height(maps)
    start = {cascade.encode(q): q for q in range(3)}
    assert len(start) == 3 and all(cascade.decode(c) == q for c, q in start.items())
    # pairs of coordinates and state that some word reaches: no two of them disagree, so none of all words errs
    pairs = list(start.items())
    for coordinates, q in pairs:
        for a, letter in enumerate(letters):
            pair = cascade.step(coordinates, a), letter[q]
            if pair not in pairs:
                assert cascade.decode(pair[0]) == pair[1]
                pairs.append(pair)
    # a level moves as the coordinates above and the letter say, by a permutation or a reset
    for level in range(cascade.height):
        for a in range(2):
            moves = {}
            for coordinates, _ in pairs:
                moves.setdefault(coordinates[:level], {}).setdefault(coordinates[level], set()).add(
                    cascade.step(coordinates, a)[level]
                )
            for here in moves.values():
                assert all(len(targets) == 1 for targets in here.values())
                targets = [min(there) for there in here.values()]
                assert len(set(targets)) in (1, len(targets))


def test_the_word_holds_every_word_of_six_letters():
    assert {EVERY_WORD_OF_6[i : i + 6] for i in range(64)} == set(map("".join, itertools.product("01", repeat=6)))


@pytest.mark.parametrize("first", MAPS, ids=lambda x: "".join(map(str, x)))
def test_every_automaton(first):
    for second in MAPS:
        check(first, second)


def test_every_cascade_runs_as_its_table_on_every_word_of_six_letters():
    word = list(map(int, EVERY_WORD_OF_6))
    for (first, second), start in zip(itertools.product(MAPS, repeat=2), itertools.cycle(range(3))):
        automaton = semiautomaton([[first[q], second[q]] for q in range(3)])
        state, expected = start, []
        for letter in word:
            state = (first, second)[letter][state]
            expected.append(state)
        assert automaton.holonomy().run(word, start) == tuple(expected)
