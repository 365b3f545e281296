"""Least machines that are found from answers on streams, their errors, and how many answers memories tell apart."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.least_machine import Answer, Labels, at_last, least_machine, wrong_answers
from depthjax.probe.machine import Machine
from depthjax.tasks.hops import hop_labels, hop_words, keyed_words
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """States of the machines that are found from answers on streams, their errors on random streams, and rows of answers."""
    found = [least_machine(_answer(cell), letters) for letters in cell.alphabets]
    errors = [_errors(cell, key, machine) for machine in found]
    return measured(
        **_axes(cell),
        states=Quantity([machine.states for machine in found], "alphabet", label="states of the least machine"),
        errors=Quantity(errors, "alphabet", label="wrong answers on random streams"),
        classes=Quantity([_classes(cell, n, n) for n in cell.keys], "recalled", label="distinct rows of answers"),
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


def _errors(cell: Cell, key: jax.Array, machine: Machine) -> int:
    """Wrong answers on random streams, with and without equal neighbours, each of which begins with a way to some state."""
    letters = machine.table.shape[1]
    plain, loose, which = jax.random.split(jax.random.fold_in(key, letters), 3)
    drawn = partial(hop_words, alphabet=letters, batch=cell.streams, length=cell.length)
    streams = np.concatenate([np.asarray(drawn(plain)), np.asarray(drawn(loose, equal_neighbours=True))])
    places = np.asarray(jax.random.uniform(which, (len(streams),)))
    return wrong_answers(machine, _labels(cell), streams, (places * machine.states).astype(int))


def _classes(cell: Cell, keys: int, asked: int) -> int:
    """Distinct rows of answers of the words k_1 b_1 ... k_n b_n, if the first `asked` of the keys are asked for."""
    bits = jnp.asarray(np.arange(2**keys)[:, None] >> np.arange(keys) & 1)
    rows = [_answer(cell)(np.asarray(keyed_words(bits, jnp.full(len(bits), key)))) for key in range(asked)]
    return len(np.unique(np.stack(rows, axis=1), axis=0))


def other_task(cell: Cell, key: jax.Array) -> xr.Dataset:
    """States of the least machine that finds the first match, and rows of answers if one key is asked for."""
    found = [least_machine(_first_match, letters).states for letters in cell.alphabets]
    return measured(
        **_axes(cell),
        states=Quantity(found, "alphabet"),
        classes=Quantity([_classes(cell, n, 1) for n in cell.keys], "recalled"),
    )


def a_state_fewer(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The fewest errors of machines in which one state takes the place of another."""
    draw, least = np.random.default_rng(np.asarray(jax.random.key_data(key))), []
    for letters in cell.alphabets:
        machine = least_machine(_answer(cell), letters)
        states = np.arange(machine.states)  # the first is left at once, so another one is dropped
        dropped = draw.choice(states[1:], cell.merges)
        merged = [machine.merged(int(draw.choice(states[states != state])), int(state)) for state in dropped]
        least.append(min(_errors(cell, key, one) for one in merged))
    return measured(**_axes(cell), errors=Quantity(least, "alphabet"))
