"""Least machines that are found from answers on streams, their right answers, and how many answers memories tell apart."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.least_machine import Answer, Labels, at_last, least_machine, right_answers
from depthjax.probe.machine import Machine
from depthjax.tasks.hops import hop_labels, hop_words, keyed_words
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """States of the machines that are found from answers on streams, their answers on random streams, and rows of answers."""
    found = [least_machine(_answer(cell), letters) for letters in cell.alphabets]
    first = [least_machine(_first_match, letters).states for letters in cell.alphabets]
    return measured(
        **_axes(cell),
        states=Quantity([machine.states for machine in found], "alphabet", label="states of the least machine"),
        states_of_first=Quantity(first, "alphabet", label="the same for the first match"),
        right=Quantity([_right(cell, key, machine) for machine in found], "alphabet", label="right answers on random streams"),
        pairs=Quantity(
            [_pairs(cell, key, letters) for letters in cell.alphabets], "alphabet kind", label="pairs of neighbours"
        ),
        classes=Quantity([_classes(cell, n, n) for n in cell.keys], "recalled", label="distinct rows of answers"),
        classes_of_one=Quantity([_classes(cell, n, 1) for n in cell.keys], "recalled", label="the same for one key"),
    )


def _axes(cell: Cell) -> dict[str, Quantity]:
    return {
        "alphabet": Quantity(np.array(cell.alphabets), "alphabet", label="letters V"),
        "recalled": Quantity(np.array(cell.keys), "recalled", label="keys n"),
    }


def _labels(cell: Cell) -> Labels:
    """The task: hop_1 at every position."""
    return partial(hop_labels, alphabet=cell.longest, hops=1)


def _answer(cell: Cell) -> Answer:
    return at_last(_labels(cell), cell.longest)


def _first_match(words: np.ndarray) -> np.ndarray:
    """The letter behind the first occurrence of the last letter; -1 where there is none."""
    after = np.argmax(words == words[:, -1:], axis=1) + 1
    return np.column_stack([words, np.full(len(words), -1)])[np.arange(len(words)), after]


def _streams(cell: Cell, key: jax.Array, letters: int) -> tuple[np.ndarray, np.ndarray]:
    """Random streams without equal neighbours, and with them."""
    plain, loose, _ = jax.random.split(jax.random.fold_in(key, letters), 3)
    drawn = partial(hop_words, alphabet=letters, batch=cell.streams, length=cell.length)
    return np.asarray(drawn(plain)), np.asarray(drawn(loose, equal_neighbours=True))


def _right(cell: Cell, key: jax.Array, machine: Machine) -> int:
    """Right answers on random streams, with and without equal neighbours, each of which begins with a way to some state."""
    letters = machine.table.shape[1]
    streams = np.concatenate(_streams(cell, key, letters))
    places = np.asarray(jax.random.uniform(jax.random.split(jax.random.fold_in(key, letters), 3)[2], (len(streams),)))
    return right_answers(machine, _labels(cell), streams, (places * machine.states).astype(int))


def _pairs(cell: Cell, key: jax.Array, letters: int) -> list[int]:
    """Distinct pairs of neighbours in the streams of each kind."""
    return [len(np.unique(each[:, :-1] * letters + each[:, 1:])) for each in _streams(cell, key, letters)]


def _classes(cell: Cell, keys: int, asked: int) -> int:
    """Distinct rows of answers of the words k_1 b_1 ... k_n b_n, if the first `asked` of the keys are asked for."""
    bits = jnp.asarray(np.arange(2**keys)[:, None] >> np.arange(keys) & 1)
    rows = [_answer(cell)(np.asarray(keyed_words(bits, jnp.full(len(bits), key)))) for key in range(asked)]
    return len(np.unique(np.stack(rows, axis=1), axis=0))


def a_state_fewer(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The most right answers of machines in which one state takes the place of another."""
    draw, most, entered = np.random.default_rng(np.asarray(jax.random.key_data(key))), [], []
    for letters in cell.alphabets:
        machine = least_machine(_answer(cell), letters)
        states = np.arange(machine.states)  # the first is left at once, so another one is dropped
        dropped = draw.choice(states[1:], cell.merges)
        merged = [machine.merged(int(draw.choice(states[states != state])), int(state)) for state in dropped]
        most.append(max(_right(cell, key, one) for one in merged))
        entered.append([len(np.union1d(one.table, [0])) for one in merged])
    return measured(
        **_axes(cell),
        right=Quantity(most, "alphabet"),
        entered=Quantity(entered, "alphabet machine", label="states that a merged machine can be in"),
    )
