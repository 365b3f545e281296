"""The least machine of a task, against partition refinement of the machine that keeps every letter's last follower."""

from itertools import product

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.probe.least_machine import least_machine
from depthjax.tasks.hops import hop_labels
from theory.attention.memory import induction_head_states


def hop_answers(words):
    return np.asarray(hop_labels(jnp.asarray(words), 9, 1))[:, -1]


def moore(letters):
    """Classes of the machine whose state is (last letter, last follower of every letter), refined until they are stable."""
    start: tuple = (None, (None,) * letters)

    def step(state, letter):
        last, after = state
        after = tuple(letter if one == last else then for one, then in enumerate(after))
        return (letter, after), after[letter]

    reached: set[tuple] = {start}
    order = [start]
    for state in order:
        for letter in range(letters):
            following = step(state, letter)[0]
            if following not in reached:
                reached.add(following)
                order.append(following)
    classes = dict.fromkeys(order, 0)
    while True:
        rows = {
            state: (classes[state], *((step(state, y)[1], classes[step(state, y)[0]]) for y in range(letters)))
            for state in order
        }
        numbers = {row: number for number, row in enumerate(dict.fromkeys(rows.values()))}
        refined = {state: numbers[row] for state, row in rows.items()}
        if len(numbers) == len(set(classes.values())):
            return len(numbers)
        classes = refined


@pytest.mark.parametrize("letters", [1, 2, 3, 4])
def test_one_state_for_every_rooted_tree(letters):
    machine = least_machine(hop_answers, letters)
    assert len(machine.access) == induction_head_states(letters) == moore(letters)
    words = np.array(list(product(range(letters), repeat=6)))
    assert (machine.run(words) == np.asarray(hop_labels(jnp.asarray(words), 9, 1))).all()


def test_merged_states_err():
    machine = least_machine(hop_answers, 2)
    words = np.array(list(product(range(2), repeat=6)))
    labels = np.asarray(hop_labels(jnp.asarray(words), 9, 1))
    states = range(len(machine.access))
    for kept, dropped in product(states, states[1:]):
        assert (machine.merged(kept, dropped).run(words) != labels).any() == (kept != dropped)
