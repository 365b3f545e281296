"""Large automata are answered, or refused by an estimate: no search runs on without a count of its own."""

import math

import numpy as np
import pytest
from sympy.core.random import rng

import theory.automata.holonomy as constructions
from theory.automata import semiautomaton
from theory.automata.cost import alignment, decomposition, permutations, sets
from theory.automata.frames import frames
from theory.automata.inside import GroupInside
from theory.cost import TooExpensive, allow, share


def dihedral(corners):
    return (tuple((i + 1) % corners for i in range(corners)), tuple(-i % corners for i in range(corners)))


def two_group(levels):
    """A Sylow 2-subgroup of the symmetric group on 2^levels points, an iterated wreath product."""
    points, generators = 2**levels, []
    for level in range(levels):
        block = 2**level
        generators.append(tuple((i + block) % (2 * block) if i < 2 * block else i for i in range(points)))
    return tuple(generators)


def shifts(states):
    return semiautomaton([[max(q - 1, 0), min(q + 1, states - 1)] for q in range(states)])


def random_table(states, seed=0):
    return semiautomaton(np.random.default_rng(seed).integers(0, states, (states, 2)).tolist())


def solvable():
    """A random solvable automaton some of whose images share a level although they are not equivalent."""
    seed = next(seed for seed in range(100) if (a := random_table(7, seed)).is_solvable and joins(a))
    return random_table(7, seed)  # another object, for which nothing is computed yet


def joins(automaton):
    return automaton.holonomy("size").by == "size"


QUESTIONS = {
    "aperiodic": lambda a: a.is_aperiodic,
    "solvable": lambda a: a.is_solvable,
    "holonomy": lambda a: a.holonomy("fewest"),
}


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("automaton", [shifts(1000), random_table(1000), random_table(2000)], ids=["shifts", "1000", "2000"])
def test_a_large_automaton_is_refused_by_the_count_of_its_images(automaton, question):
    with pytest.raises(TooExpensive, match="sets"):
        QUESTIONS[question](automaton)


def test_small_groups_of_many_points_are_answered():
    assert GroupInside(tuple(range(600)), dihedral(600)).derived_orders == (1200, 300, 1)
    assert GroupInside(tuple(range(300)), dihedral(300)).derived_orders == (600, 150, 1)


def test_long_chains_of_stabilizers_are_refused():
    assert len(GroupInside(tuple(range(32)), two_group(5)).derived_orders) == 6
    with pytest.raises(TooExpensive, match="256 states"):
        _ = GroupInside(tuple(range(256)), two_group(8)).derived_orders


def test_the_random_numbers_of_sympy_go_on_as_before():
    before = rng.getstate()
    assert GroupInside(tuple(range(8)), two_group(3)).order == 2**7
    assert rng.getstate() == before


def test_a_regular_group_needs_one_base_point():
    cyclic_and_not = ((1, 2, 0, 4, 5, 3), (3, 5, 4, 0, 2, 1))  # S3 on itself
    assert GroupInside(tuple(range(6)), cyclic_and_not).derived_orders == (6, 3, 1)


def test_constructions_that_cost_too_much_are_left_out(monkeypatch):
    automaton = solvable()
    monkeypatch.setattr(constructions, "OTHERS", 1e-9)
    assert automaton.holonomy("fewest").by == "height"
    monkeypatch.undo()
    again = solvable()
    best = again.holonomy("fewest")
    each = [again.holonomy(by).layers for by in constructions.CONSTRUCTIONS]
    assert best.layers == min(math.inf if layers is None else layers for layers in each)


def test_the_slides_that_are_compared_are_counted():
    listed = solvable().images
    with share(1e-9), pytest.raises(TooExpensive, match="slides"):
        frames(listed, "size")
    with allow(1):
        frames(listed, "size")


@pytest.mark.parametrize(
    "estimate",
    [
        lambda n: alignment("a", n, n).seconds,
        lambda n: decomposition("a", n, n).seconds,
        lambda n: sets("a", n, n, 2).seconds,
        lambda n: permutations(n).seconds,
    ],
)
def test_estimates_grow(estimate):
    assert 0 < estimate(10) < estimate(100) < estimate(1000)
