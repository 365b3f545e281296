"""A cascade letter by letter, with a layer switched off."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.constructions.compiled.automaton import compile_cascade
from experiments.automata._switched import switched
from theory.automata import semiautomaton

WORDS = np.array(list(itertools.product(range(2), repeat=6)))


@pytest.mark.parametrize("name", ["parity", "Q8", "S4", "abab", "car"])
def test_states_without_a_layer_are_those_of_the_layers_that_are_left(name):
    found = semiautomaton(name)
    program = found.holonomy("fewest").program()
    compiled = compile_cascade(program)
    for off in range(-1, compiled.depth):
        assert (switched(program, WORDS, 1, off) == np.asarray(compiled(jnp.asarray(WORDS), 1, off=off))).all()


def test_with_all_layers_the_states_are_right():
    table = semiautomaton([[1, 0], [2, 0], [2, 1]])
    states = np.zeros(len(WORDS), int)
    found = switched(table.holonomy().program(), WORDS, 0, -1)
    for place, letters in enumerate(WORDS.T):
        states = table.table[states, letters]
        assert (found[:, place] == states).all()
