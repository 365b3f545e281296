r"""The least machine of the induction head has a state for every rooted tree of letters, and 2^n for the recall of n keys.

Statement: A machine reads letters from left to right and answers hop_1 at every position of every stream over V letters. The
    least such machine has one state before the first letter and one for every rooted tree on some of the letters. On the words
    k_1 b_1 ... k_n b_n k alone, N = 2 n + 1 letters, any machine has 2^n states before it reads the key k, whatever its depth.
    $$ |Q| = 1 + \sum_{s=1}^{V} \binom{V}{s} s^{s-1},\qquad \log_2 |\text{states}| \ge n = \tfrac{N-1}{2} $$
Hypotheses: the answer is right at every position of every stream; for the second part n distinct keys beside two values, and
    right answers at the last position.
Source: Sanford, Hsu, Telgarsky, “Transformers, Parallel Computation, and Logarithmic Depth”, arXiv 2402.09268, on recurrence.
Refuted by: another number of states, a wrong answer of that machine in any stream, or another number of rows of answers.
Cost: quick 6 s on one core, full about 2 min.

The tree says which letter last came behind each letter seen; its root is the last letter. The source has Omega(N); both counts
are derived here (`theory.attention.memory`). The machine is found from the task's answers on letter streams: a state is a word
whose answers to the next letter no shorter word has, so no two states can be merged. That it needs no more states is seen on
random streams, on which it makes no error. What trained recurrences reach is not judged.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.least_machine import Answer, Labels, at_last, least_machine, wrong_answers
from depthjax.probe.machine import Machine
from depthjax.tasks.hops import hop_labels, hop_words, keyed_words
from depthjax.verify import Grid, Prediction, Quantity, Relation, claim, control, measured, rival, scaled
from theory import bounds
from theory.attention.memory import induction_head_states

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters 2 to `letters`; keys 2, 4, ..., `most`; length and number of random streams; merged machines that are tried."""

    letters: int = 5
    most: int = 10
    length: int = 256
    streams: int = 64
    merges: int = 16

    @property
    def keys(self) -> tuple[int, ...]:
        """Numbers of keys."""
        return tuple(range(2, self.most + 1, 2))

    @property
    def alphabets(self) -> tuple[int, ...]:
        """Sizes of the alphabet."""
        return tuple(range(2, self.letters + 1))

    @property
    def longest(self) -> int:
        """Letters of the longest word that is asked about: twice each letter, or all keys with their bits."""
        return 2 * max(self.letters, self.most) + 1


GRIDS = {
    "test": Sizes(letters=3, most=4, length=64, streams=8),
    "quick": Sizes(),
    "full": Sizes(letters=6, most=14, streams=256, merges=256),
    "paper": Sizes(letters=7, most=16, streams=1024, merges=1024),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """One state for every rooted tree and one more, no error on any stream, and 2^n rows of answers."""
    states = [induction_head_states(letters) for letters in cell.alphabets]
    bits = [int(bounds.recurrent_bits(2 * n + 1).at()) for n in cell.keys]
    return (
        Prediction(states, of="states", dims=("alphabet",), formula=r"1 + \sum_s \binom{V}{s} s^{s-1}"),
        Prediction([0] * len(states), of="errors", dims=("alphabet",)),
        Prediction([2**n for n in bits], of="classes", dims=("recalled",), formula="2^n"),
    )


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """States of the machines that are found from answers on streams, their errors on random streams, and rows of answers."""
    found = [least_machine(_answer(cell), letters) for letters in cell.alphabets]
    errors = [_errors(cell, key, machine) for machine in found]
    return measured(
        **_axes(cell),
        states=Quantity([machine.states for machine in found], "alphabet", label="states of the least machine"),
        errors=Quantity(errors, "alphabet", label="wrong answers on random streams"),
        classes=Quantity([_classes(cell, n, n) for n in cell.keys], "recalled", label="distinct rows of answers"),
    )


def _axes(cell: Sizes) -> dict[str, Quantity]:
    return {
        "alphabet": Quantity(np.array(cell.alphabets), "alphabet", label="letters V"),
        "recalled": Quantity(np.array(cell.keys), "recalled", label="keys n"),
    }


def _labels(cell: Sizes) -> Labels:
    """The task: hop_1 at every position."""
    return partial(hop_labels, alphabet=cell.longest, hops=1)


def _answer(cell: Sizes) -> Answer:
    return at_last(_labels(cell), cell.longest)


def _first_match(words: np.ndarray) -> np.ndarray:
    """The letter behind the first occurrence of the last letter; -1 where there is none."""
    after = np.argmax(words == words[:, -1:], axis=1) + 1
    return np.column_stack([words, np.full(len(words), -1)])[np.arange(len(words)), after]


def _errors(cell: Sizes, key: jax.Array, machine: Machine) -> int:
    """Wrong answers on random streams, with and without equal neighbours, each of which begins with a way to some state."""
    letters = machine.table.shape[1]
    plain, loose, which = jax.random.split(jax.random.fold_in(key, letters), 3)
    drawn = partial(hop_words, alphabet=letters, batch=cell.streams, length=cell.length)
    streams = np.concatenate([np.asarray(drawn(plain)), np.asarray(drawn(loose, equal_neighbours=True))])
    places = np.asarray(jax.random.uniform(which, (len(streams),)))
    return wrong_answers(machine, _labels(cell), streams, (places * machine.states).astype(int))


def _classes(cell: Sizes, keys: int, asked: int) -> int:
    """Distinct rows of answers of the words k_1 b_1 ... k_n b_n, if the first `asked` of the keys are asked for."""
    bits = jnp.asarray(np.arange(2**keys)[:, None] >> np.arange(keys) & 1)
    rows = [_answer(cell)(np.asarray(keyed_words(bits, jnp.full(len(bits), key)))) for key in range(asked)]
    return len(np.unique(np.stack(rows, axis=1), axis=0))


def _other_task(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """States of the least machine that finds the first match, and rows of answers if one key is asked for."""
    found = [least_machine(_first_match, letters).states for letters in cell.alphabets]
    return measured(
        **_axes(cell),
        states=Quantity(found, "alphabet"),
        classes=Quantity([_classes(cell, n, 1) for n in cell.keys], "recalled"),
    )


def _a_state_fewer(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """The fewest errors of machines in which one state takes the place of another."""
    draw, least = np.random.default_rng(np.asarray(jax.random.key_data(key))), []
    for letters in cell.alphabets:
        machine = least_machine(_answer(cell), letters)
        states = np.arange(machine.states)  # the first is left at once, so another one is dropped
        dropped = draw.choice(states[1:], cell.merges)
        merged = [machine.merged(int(draw.choice(states[states != state])), int(state)) for state in dropped]
        least.append(min(_errors(cell, key, one) for one in merged))
    return measured(**_axes(cell), errors=Quantity(least, "alphabet"))


CONTROLS = (
    control(
        "another task",
        "to find the first match takes as many states, and one key asked for as many as all",
        measure=_other_task,
    ),
    control("a state fewer", "the machine makes no error where one state takes the place of another", measure=_a_state_fewer),
)
RIVALS = (
    rival(
        "any letter behind any other",
        lambda cell: Prediction([v * (v + 1) ** (v - 1) for v in cell.alphabets], of="states", dims=("alphabet",)),
        "a state is the last letter and, for every other, any letter or none",
    ),
    scaled(0.5, of="classes", name="half the classes", statement="there are 2^(n - 1) classes"),
)
