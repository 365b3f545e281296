import numpy as np
import pytest

from experiments.automata.krohn_rhodes_simulates.image_chains import longest_chain
from theory.automata import semiautomaton


@pytest.mark.parametrize("seed", range(12))
def test_the_longest_chain_is_the_number_of_levels(seed):
    rng = np.random.default_rng(seed)
    states = 2 + seed % 4
    automaton = semiautomaton(rng.integers(0, states, (states, 2)))
    assert longest_chain(automaton.table) == len(automaton.holonomy().levels)


def test_chains_by_hand():
    assert longest_chain(np.array([[0]])) == 0
    assert longest_chain(semiautomaton("flip_flop").table) == 1
    assert longest_chain(semiautomaton("gridworld4").table) == 3
    tall = np.array([[0, 0], [0, 0], [1, 2]])  # Q > {0, 2} > {0, 1}, and {0, 1} is an image of {0, 2} but not the reverse
    assert longest_chain(tall) == 3
    assert longest_chain(tall, moved=False) == 2
