"""The least machine of a task, against partition refinement of the machine that keeps every letter's last follower."""

from itertools import product

import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.instruments.least_machine import at_last, least_machine, right_answers
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


def test_answers_at_the_last_position_are_those_of_every_word(monkeypatch):
    monkeypatch.setattr("depthjax.instruments.least_machine.AT_ONCE", 4)
    asked = at_last(lambda words: hop_labels(words, 9, 1), 7)
    for length in (1, 3, 7):
        words = np.random.default_rng(length).integers(0, 3, (10, length))
        assert asked(words).tolist() == hop_answers(words).tolist()


def test_a_stream_begins_with_a_word_to_its_state():
    machine, streams = least_machine(hop_answers, 2), np.zeros((5, 6), int)
    first = np.arange(machine.states)
    begun = np.array([[*machine.access[state], *[0] * 6][:6] for state in first])

    def labels(words):
        assert words.tolist() == begun.tolist()
        return jnp.asarray(machine.run(begun)).at[0, 0].add(1)

    assert right_answers(machine, labels, streams[: len(first)], first) == begun.size - 1
    assert not streams.any()
