"""Every question about semiautomata, one check each, against definitions taken literally.

The automata are all 729 with three states and two letters, those with a name, degenerate ones and random ones.
"""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory import bounds
from theory.automata import Semiautomaton, semiautomaton
from theory.automata.classes import CLASSES, DEPTHS, class_depth
from theory.automata.holonomy import CONSTRUCTIONS
from theory.automata.inside import never_returns
from theory.errors import OutsideHypotheses
from theory.strategies import semiautomata

EVERY_WORD_OF_6 = "0000001000011000101000111001001011001101001111010101110110111111" + "00000"
NAMES = ["C1", "parity", "C5", "C6", "C2^3", "S2", "A3", "D3", "D4", "D8", "Q8", "S3", "S4", "A4", "A5", "S5", "gridworld1"]
NAMES += ["gridworld2", "gridworld4", "gridworld9", "flip_flop", "flip_flop4", "dyck1", "dyck3", "abab", "adder", "car", "car3"]
TABLES = {
    "one state": [[0]], "two letters that do nothing": [[0, 0]], "no letter moves": [[0], [1]], "a reset": [[0], [0]],
    "a swap": [[1], [0]], "two resets": [[0, 1], [0, 1]], "many letters": [[0] * 50] * 3,
    "tall": [[0, 0], [0, 0], [1, 2]], "slides": [[2, 3, 0], [3, 2, 1], [2, 3, 0], [2, 3, 0]],
    "a shift register": [[(2 * q + x) % 16 for x in range(2)] for q in range(16)],
    "a flip-flop beside a parity": [[2 * v + (p ^ f) for v in (0, 1) for f in (0, 1)] for _ in (0, 1) for p in (0, 1)],
    "a swap of two and a reset of the third": [[1, 2], [0, 2], [2, 2]],
}  # fmt: skip
FEW = 70  # maps of a monoid whose pairs are tried


# definitions


def letters_of(automaton):
    return tuple(map(tuple, automaton.table.T.tolist()))


def then(first, second):
    """The map that moves by the first and then by the second."""
    return tuple(second[q] for q in first)


@cache
def monoid(letters):
    """The maps of the states that words induce."""
    found = {tuple(range(len(letters[0])))}
    queue = list(found)
    for x in queue:  # grows while it is walked
        for a in letters:
            if (y := then(x, a)) not in found:
                found.add(y)
                queue.append(y)
    return frozenset(found)


def image(states, x):
    return frozenset(x[q] for q in states)


def derived_orders(group):
    """Orders of a group of maps (written as tuples of images) along its derived series, from all commutators."""
    orders = [len(group)]
    while len(orders) < 2 or orders[-1] < orders[-2]:
        inverse = {x: tuple(np.argsort(x).tolist()) for x in group}
        following = {then(then(inverse[x], inverse[y]), then(x, y)) for x in group for y in group}
        while larger := {then(x, y) for x in following for y in following} - following:
            following |= larger
        group = following
        orders.append(len(group))
    return tuple(orders if orders[-1] < orders[-2] else orders[:-1])


@cache
def groups_of_images(maps):
    """For each class of images with a group of more than the identity: its size, and the orders of the derived series."""
    whole = range(len(next(iter(maps))))
    images = {image(whole, x) for x in maps}
    reached = {r: {image(r, x) for x in maps} for r in images}
    classes = {frozenset(s for s in images if s in reached[r] and r in reached[s]) for r in images}
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
    whole = frozenset(range(len(next(iter(maps)))))
    images = {image(whole, x) for x in maps}
    below = {(r, s): any(r <= image(s, x) for x in maps) for r in images for s in images}

    def longest(s):
        return 1 + max((longest(r) for r in images if len(r) > 1 and below[r, s] and not below[s, r]), default=0)

    return longest(whole) if len(whole) > 1 else 0


# checks


def check_monoid(automaton):
    """Its elements are the maps of words, each has a word that induces it, and a letter more leads where it says."""
    letters, found = letters_of(automaton), automaton.transition_monoid()
    elements = list(map(tuple, found.elements.tolist()))
    assert len(elements) == found.size and set(elements) == monoid(letters)
    for element, x in enumerate(elements):
        word = found.word(element)
        y = tuple(range(automaton.num_states))
        for letter in word:
            y = then(y, letters[letter])
        assert y == x == tuple(automaton.run(word, q)[-1] if word else q for q in range(automaton.num_states))
        assert all(elements[found.right[element, a]] == then(x, letter) for a, letter in enumerate(letters))
    lengths = [len(found.word(element)) for element in range(found.size)]
    assert lengths == sorted(lengths)


def check_groups(automaton):
    """Aperiodic if no power of a word goes on to move; solvable if the group of every image is; and the witnesses."""
    maps, n = monoid(letters_of(automaton)), automaton.num_states
    powers = {x: x for x in maps}
    for _ in range(n):
        powers = {x: then(y, x) for x, y in powers.items()}
    aperiodic = all(then(y, x) == y for x, y in powers.items())
    assert automaton.is_aperiodic == automaton.transition_monoid().is_aperiodic == aperiodic
    witness = automaton.period_witness()
    assert (witness is None) == aperiodic
    if witness is not None:
        word, states = witness
        ends = [automaton.run(word, q)[-1] for q in states]
        assert sorted(ends) == sorted(states) and ends != list(states)
    if len(maps) > FEW:
        return
    groups, subgroups = groups_of_images(maps), maximal_subgroups(maps)
    assert aperiodic == (not groups) == (subgroups == {1})
    assert sorted((len(g.states), g.derived_orders) for g in automaton.groups_inside) == groups
    assert automaton.is_solvable == all(orders[-1] == 1 for _, orders in groups)
    assert (automaton.perfect_witness() is None) == automaton.is_solvable
    # a maximal subgroup is the group of the image of its idempotent
    assert subgroups <= {1} | {orders[0] for _, orders in groups}


def check_images(automaton):
    """The sets onto which words map all states, with the singletons; and states that never return."""
    n = automaton.num_states
    expected = {image(range(n), x) for x in monoid(letters_of(automaton))} | {frozenset({q}) for q in range(n)}
    found = automaton.images
    assert {frozenset(found.members(i)) for i in range(found.number)} == expected and found.number == len(expected)
    for i, letter in itertools.product(range(found.number), range(automaton.num_letters)):
        assert set(found.members(found.move[i, letter])) == {automaton.table[q, letter] for q in found.members(i)}
    reach = [{x[q] for x in monoid(letters_of(automaton))} for q in range(n)]
    apart = all(p == q or q not in reach[p] or p not in reach[q] for p in range(n) for q in range(n))
    assert never_returns(automaton) == apart and (not apart or automaton.is_aperiodic)


def check_cascade(automaton, by):
    """No two of the pairs of coordinates and state that words reach disagree, and a level moves as the coordinates above say.

    Equal pairs have equal futures, so these pairs stand for all words; by a permutation, or by a reset where it is said to.
    """
    cascade = automaton.holonomy(by)
    pairs = {(cascade.encode(q), q): None for q in range(automaton.num_states)}
    assert len({coordinates for coordinates, _ in pairs}) == automaton.num_states and cascade.height == len(cascade.levels)
    steps = {}
    for coordinates, state in (queue := list(pairs)):  # grows while it is walked
        assert cascade.decode(coordinates) == state
        for letter in range(automaton.num_letters):
            steps[coordinates, letter] = cascade.step(coordinates, letter)
            there = steps[coordinates, letter], int(automaton.table[state, letter])
            if there not in pairs:
                pairs[there] = None
                queue.append(there)
    for level, letter in itertools.product(range(cascade.height), range(automaton.num_letters)):
        moves = {}
        for coordinates, _ in pairs:
            after = steps[coordinates, letter][level]
            assert moves.setdefault(coordinates[:level], {}).setdefault(coordinates[level], after) == after
        for here in moves.values():
            injective = len(set(here.values())) == len(here)
            assert injective or (cascade.levels[level].resets and len(set(here.values())) == 1)
    return cascade


def check_cascades(automaton):
    """All constructions; one has levels by the longest chain of images, one at most a level a size, one grows no group."""
    found = {by: check_cascade(automaton, by) for by in CONSTRUCTIONS}
    least = automaton.holonomy("fewest")
    known = [cascade.layers for cascade in found.values() if cascade.layers is not None]
    assert least.layers == (min(known) if known else None) and automaton.is_solvable == bool(known)
    assert (found["group"].layers is not None) == automaton.is_solvable
    assert all(cascade.program().depth == cascade.layers for cascade in found.values() if cascade.layers is not None)
    images = automaton.images
    assert found["height"].height <= len(np.unique(images.classes[images.sizes > 1]))
    if len(monoid(letters_of(automaton))) <= FEW:
        assert found["height"].height == height(monoid(letters_of(automaton)))
    if found["size"].by == "size":
        assert found["size"].height <= max(automaton.num_states - 1, 0)
    grown = [part for level in found["group"].levels for part in level.components if part.generators]
    orders = {group.order for group in automaton.groups_inside}
    # the group of the tiles is a quotient of the group of the states of an image
    assert all(any(order % part.group.order == 0 for order in orders) for part in grown)
    assert automaton.is_aperiodic == (not any(p.generators for level in found["height"].levels for p in level.components))
    word = np.random.default_rng(0).integers(0, automaton.num_letters, 12).tolist()
    for state in range(automaton.num_states):
        assert least.run(word, state) == found["height"].run(word, state) == automaton.run(word, state)
    if automaton.is_solvable:
        assert bounds.automaton(automaton).at() == least.program().depth == least.layers
        assert bounds.layers(automaton=automaton).number == least.layers
    else:
        for ask in (least.program, bounds.automaton(automaton).at):
            with pytest.raises(OutsideHypotheses, match="solvable"):
                ask()


def included(kind):
    """A class and all classes that it includes."""
    return {kind}.union(*(included(smaller) for smaller in CLASSES[kind].includes))


def check_classes(automaton, length=100):
    """A class needs no more layers than one that it includes, and none where one letter moves no state to another row."""
    found, table = {kind: class_depth(automaton, kind, length) for kind in DEPTHS}, automaton.table
    for kind, answer in found.items():
        assert answer.never or 0 <= answer.fewest <= answer.layers
        for smaller in included(kind):
            if not found[smaller].never:
                assert not answer.never and answer.layers <= found[smaller].layers and answer.fewest <= found[smaller].layers
    if automaton.is_solvable:
        assert found["complex"].layers <= bounds.automaton(automaton).at()
    # no layer is needed where the answers are a function of the state at the start and of the last letter
    still = all((table[table[q, x]] == table[q]).all() for q in range(len(table)) for x in range(table.shape[1]))
    for kind in set(DEPTHS) - {"window"}:
        assert (found[kind].layers == 0) == still or (kind == "attention" and length == 1)
        assert found[kind].never or (found[kind].fewest == 0) == still or (kind == "attention" and length == 1)


CHECKS = [check_monoid, check_groups, check_images, check_cascades, check_classes]
MAPS = list(itertools.product(range(3), repeat=3))


@cache
def named(name):
    return semiautomaton(TABLES.get(name, name))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("name", [*NAMES, *TABLES])
def test_automata_with_a_name(name, check):
    check(named(name))


@pytest.mark.parametrize("first", MAPS, ids=lambda x: "".join(map(str, x)))
def test_every_automaton_of_three_states_and_two_letters(first):
    for second in MAPS:
        automaton = Semiautomaton(np.array([first, second]).T)
        for check in CHECKS:
            if check is not check_classes or first <= second:  # which do not ask for the order of letters
                check(automaton)
        assert automaton.holonomy("size").height <= 2  # one level for each size, 3 and 2
        # two levels take a layer of resets and one of a group each, so four are needed only where there are groups on both
        sizes = {len(group.states) for group in automaton.groups_inside}
        assert automaton.holonomy("fewest").layers <= 4 and (automaton.holonomy("fewest").layers == 4) <= (sizes == {2, 3})


@pytest.mark.parametrize("length", [1, 2, 100])
def test_classes_agree_on_all_automata_of_two_states(length):
    for letters in (1, 2):
        for columns in itertools.product(itertools.product(range(2), repeat=2), repeat=letters):
            check_classes(Semiautomaton(np.array(columns).T), length)


def test_every_cascade_runs_as_its_table_on_every_word_of_six_letters():
    assert {EVERY_WORD_OF_6[i : i + 6] for i in range(64)} == set(map("".join, itertools.product("01", repeat=6)))
    word = list(map(int, EVERY_WORD_OF_6))
    for (first, second), start in zip(itertools.product(MAPS, repeat=2), itertools.cycle(range(3))):
        automaton = semiautomaton([[first[q], second[q]] for q in range(3)])
        state, expected = start, []
        for letter in word:
            state = (first, second)[letter][state]
            expected.append(state)
        assert automaton.holonomy().run(word, start) == tuple(expected)


@given(semiautomata(max_states=5))
@settings(max_examples=60, deadline=None)
def test_random_automata(automaton):
    for check in CHECKS:
        check(automaton)


@given(semiautomata(max_states=6))
@settings(max_examples=40, deadline=None)
def test_cascades_of_larger_random_automata(automaton):
    check_cascades(automaton)


@st.composite
def tables(draw):
    """Tables with letters that do nothing, reset, or permute, beside any others."""
    n = draw(st.integers(1, 5))
    letter = st.one_of(
        st.just(tuple(range(n))),
        st.integers(0, n - 1).map(lambda state: (state,) * n),
        st.permutations(range(n)).map(tuple),
        st.tuples(*[st.integers(0, n - 1)] * n),
    )
    return np.array(draw(st.lists(letter, min_size=1, max_size=4))).T


@given(tables(), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_classes_of_random_automata(table, length):
    check_classes(Semiautomaton(table), length)
