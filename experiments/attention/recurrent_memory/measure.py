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
    found = [least_machine(_answer(cell), letters) for letters in _alphabets(cell)]
    first = [least_machine(_first_match, letters).states for letters in _alphabets(cell)]
    right, pairs = zip(*(_read(cell, key, machine) for machine in found), strict=True)
    return measured(
        **_axes(cell),
        states=Quantity([machine.states for machine in found], "alphabet", label="states of the least machine"),
        states_of_first=Quantity(first, "alphabet", label="the same for the first match"),
        right=Quantity(right, "alphabet", label="right answers on random streams"),
        pairs=Quantity(pairs, "alphabet kind", label="pairs of neighbours"),
        classes=Quantity([_classes(cell, n, n) for n in _keys(cell)], "recalled", label="distinct rows of answers"),
        classes_of_one=Quantity([_classes(cell, n, 1) for n in _keys(cell)], "recalled", label="the same for one key"),
    )


def _alphabets(cell: Cell) -> list[int]:
    """Sizes of the alphabet."""
    return [*range(2, cell.letters + 1)]


def _keys(cell: Cell) -> list[int]:
    """Numbers of keys."""
    return [*range(1, cell.most + 1)]


def _axes(cell: Cell) -> dict[str, Quantity]:
    return {
        "alphabet": Quantity(np.array(_alphabets(cell)), "alphabet", label="letters V"),
        "recalled": Quantity(np.array(_keys(cell)), "recalled", label="keys n"),
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


def _read(cell: Cell, key: jax.Array, machine: Machine) -> tuple[int, list[int]]:
    """Right answers on random streams, each of which begins with a way to some state, and their distinct pairs of neighbours.

    The first half of the streams has no equal neighbours.
    """
    letters = machine.table.shape[1]
    streams = np.concatenate(_streams(cell, key, letters))
    places = np.asarray(jax.random.uniform(jax.random.split(jax.random.fold_in(key, letters), 3)[2], (len(streams),)))
    right = right_answers(machine, _labels(cell), streams, (places * machine.states).astype(int))
    return right, [len(np.unique(each[:, :-1] * letters + each[:, 1:])) for each in np.split(streams, 2)]


def _classes(cell: Cell, keys: int, asked: int) -> int:
    """Distinct rows of answers of the words k_1 b_1 ... k_n b_n, if the first `asked` of the keys are asked for."""
    bits = jnp.asarray(np.arange(2**keys)[:, None] >> np.arange(keys) & 1)
    rows = [_answer(cell)(np.asarray(keyed_words(bits, jnp.full(len(bits), key)))) for key in range(asked)]
    return len(np.unique(np.stack(rows, axis=1), axis=0))


def a_state_fewer(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The most right answers of machines in which one state takes the place of another; where each of them is first wrong."""
    draw, most, entered, wrong = np.random.default_rng(np.asarray(jax.random.key_data(key))), [], [], []
    for letters in _alphabets(cell):
        machine = least_machine(_answer(cell), letters)
        states = np.arange(machine.states)
        # the first state is left at once, so others are dropped, from those that are reached soon to those that are late
        dropped = 1 + np.arange(cell.merges) * (machine.states - 1) // cell.merges
        merged = [machine.merged(int(draw.choice(states[states != state])), int(state)) for state in dropped]
        most.append(max(_read(cell, key, one)[0] for one in merged))
        entered.append([len(np.union1d(one.table, [0])) for one in merged])
        wrong.append([_first_wrong(cell, one, machine.access[state]) for one, state in zip(merged, dropped, strict=True)])
    return measured(
        **_axes(cell),
        right=Quantity(most, "alphabet"),
        entered=Quantity(entered, "alphabet machine", label="states that a merged machine can be in"),
        first_wrong=Quantity(wrong, "alphabet machine", label="letters after which a merged machine is wrong"),
    )


def _first_wrong(cell: Cell, machine: Machine, word: tuple[int, ...]) -> int:
    """After how many letters the machine is first wrong, on this word with any one letter behind it."""
    letters = machine.table.shape[1]
    words = np.zeros((letters, cell.longest), int)  # of one length, so that one shape is compiled
    words[:, : len(word)], words[:, len(word)] = word, np.arange(letters)
    right = machine.run(words) == np.asarray(_labels(cell)(jnp.asarray(words)))
    return 1 + int(right[:, : len(word) + 1].all(axis=0).argmin())
