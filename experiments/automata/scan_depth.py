r"""Attention that doubles its reach reads any semiautomaton on words of length T in ceil(log2 T) layers.

Statement: Explicit attention layers, each of which doubles the reach of every position, give all states of any semiautomaton on
    words of length T with ceil(log2 T) layers. One layer fewer misreads some word of an automaton that remembers its first
    letter.
    $$ L = \lceil \log_2 T \rceil $$
Hypotheses: finitely many states; the wrong mass of the softmax is below 1/4, which the feed-forward part forgives.
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, Theorem 1.
Refuted by: a wrong state with ceil(log2 T) layers, or no wrong state with fewer.
Cost: quick 5 s on a CPU, full 30 s.

Derivation: layer l composes the map of the last 2^(l-1) letters with the map of the 2^(l-1) letters before them, so that after
L layers position t knows the map of the letters in (t - 2^L, t]. With L < log2 T position T has not seen the first letter. The
weights, and why the softmax is sharp enough, are in `depthjax.constructions.automaton_doubling`.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.automaton_doubling import scan_automaton
from depthjax.probe.layers_needed import fewest_layers
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import padded_table, uniform_words
from depthjax.verify import Grid, Prediction, Quantity, Relation, claim, control, measured, off_by
from theory.automata import semiautomaton
from theory.bounds import scan

CLAIM = claim(Relation.EQUALS)

NAMES = ("parity", "C2^3", "D4", "Q8", "A5", "S5", "gridworld9", "flip_flop", "dyck3", "abab")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The automaton is the axis; all are padded to the same numbers of states and letters, so that they share programs."""

    automaton: tuple[str, ...] | str = NAMES
    length: int = 128
    layers: int = 7  # of the network
    samples: int = 24
    states: int = 9
    letters: int = 3


GRIDS = {
    "test": Sizes(automaton=("flip_flop",), length=32, layers=5, samples=4),
    "quick": Sizes(),
    "full": Sizes(samples=1000),
    "paper": Sizes(samples=1000),
}


def objects(cell: Sizes) -> tuple[np.ndarray, np.ndarray, int]:
    """The table, padded with states and letters that never occur; words x y z y z ... for all x, y, z; letters in use."""
    automaton = semiautomaton(str(cell.automaton))
    table = padded_table(automaton.table, cell.states, cell.letters)
    first = np.array([[x, y, z] for x in range(3) for y in range(3) for z in range(3)]) % automaton.num_letters
    turns = first[:, 1 + np.arange(cell.length - 1) % 2]
    return table, np.concatenate([first[:, :1], turns], axis=1), automaton.num_letters


def predict(cell: Sizes, given: tuple) -> tuple[Prediction, ...]:
    """No wrong state, with as many layers as doublings of the reach that cover the word."""
    layers = int(scan(cell.length).at())
    return Prediction(0, of="wrong_states"), Prediction(layers, of="needed", formula=r"\lceil \log_2 T \rceil")


def measure(cell: Sizes, key: jax.Array, given: tuple) -> xr.Dataset:
    """Wrong states of the network, and the fewest layers without one, on random words and on words that alternate."""
    table, alternating, letters = given
    random = uniform_words(key, letters, cell.samples, cell.length)
    words = jnp.concatenate([jnp.asarray(alternating, random.dtype), random])

    def errors(layers: int) -> int:
        return int(_wrong(jnp.asarray(table), words, layers))

    return measured(
        wrong_states=Quantity(errors(cell.layers), label="states read wrongly"),
        needed=Quantity(fewest_layers(errors, cell.layers), label="attention layers needed"),
    )


@partial(jax.jit, static_argnames="layers")
def _wrong(table: jax.Array, words: jax.Array, layers: int) -> jax.Array:
    return (scan_automaton(table, words, layers=layers) != prefix_products(table, words)).sum()


def _one_layer_fewer(cell: Sizes, key: jax.Array, given: tuple) -> xr.Dataset:
    return measure(dataclasses.replace(cell, layers=cell.layers - 1), key, given)


CONTROLS = (control("one layer fewer", "ceil(log2 T) - 1 layers give all states", measure=_one_layer_fewer),)
RIVALS = (off_by(-1, of="needed"), off_by(1, of="needed"))
