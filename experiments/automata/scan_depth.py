r"""Doubling: any semiautomaton reads words of length T in ceil(log2 T) attention layers, and needs them all on this route.

Statement: layer l of explicit softmax weights composes the maps of 2^(l-1) letters with those of the 2^(l-1) before them, so
after L layers position t knows the map of the letters in (t - 2^L, t]. All states are right at L = ceil(log2 T). With L - 1
layers position T has not seen the first letter, and an automaton that remembers it errs.

Hypotheses: a table of finitely many states; softmax sharp enough that the wrong mass is under 1/4 (checked in the docstring of
the construction). Source: Liu et al., arXiv 2210.10749, Theorem 1. Refuted by: one wrong state. Cost: 5 s on a CPU.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.automaton_doubling import scan_automaton
from depthjax.constructions.doubling import doubling_depth
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import padded_table, uniform_words
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source
from theory.automata import semiautomaton
from theory.bounds import scan

CLAIM = Claim(
    slug="scan_depth",
    title="Any semiautomaton reads words of length T in ceil(log2 T) attention layers by doubling",
    statement=(
        "Explicit attention layers that double the reach of every position give all states of any semiautomaton on words of "
        "length T exactly with ceil(log2 T) layers; with one layer fewer some word is read wrongly."
    ),
    latex=r"L = \lceil \log_2 T \rceil",
    relation=Relation.EQUALS,
    source=Source(
        "Liu, Ash, Goel, Krishnamurthy, Zhang", "Transformers Learn Shortcuts to Automata", "arXiv 2210.10749", "Theorem 1"
    ),
    assumes=("finitely many states", "the softmax's wrong mass is below 1/4, which the feed-forward part forgives"),
    refuted_by="a wrong state with ceil(log2 T) layers",
    cost="5 s on a CPU at quick size",
)

NAMES = ("parity", "C2^3", "D4", "Q8", "A5", "S5", "gridworld9", "flip_flop", "dyck3", "abab")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell an automaton, all padded to the same number of states and letters."""

    automaton: tuple[str, ...] | str = NAMES
    length: int = 128
    samples: int = 24
    states: int = 9
    letters: int = 3


GRIDS = {"quick": Sizes(), "full": Sizes(samples=1000), "paper": Sizes(samples=1000)}


def setting(cell: Sizes) -> tuple[np.ndarray, np.ndarray, int]:
    """The table, padded with states and letters that never occur; words that hang on their first letter; letters in use."""
    automaton = semiautomaton(str(cell.automaton))
    table = padded_table(automaton.table, cell.states, cell.letters)
    # one letter, then two others in turn for ever: x y z y z ...
    first = np.array([[x, y, z] for x in range(3) for y in range(3) for z in range(3)]) % automaton.num_letters
    turns = first[:, 1 + np.arange(cell.length - 1) % 2]
    return table, np.concatenate([first[:, :1], turns], axis=1), automaton.num_letters


def predict(cell: Sizes, given: tuple) -> tuple[Prediction, ...]:
    """No wrong state, with as many layers as the doubling of the reach asks for."""
    return (
        Prediction(0, of="wrong_states"),
        Prediction(int(scan(cell.length).at()), of="layers", formula=r"\lceil \log_2 T \rceil"),
    )


def measure(cell: Sizes, key: jax.Array, given: tuple, missing: int = 0) -> xr.Dataset:
    """Wrong states on random words and on words that hang on their first letter."""
    table, hanging, letters = given
    layers = doubling_depth(cell.length) - missing
    random = uniform_words(key, letters, cell.samples, cell.length)
    words = jnp.concatenate([jnp.asarray(hanging, random.dtype), random])
    wrong = _wrong(jnp.asarray(table), words, layers)
    return xr.Dataset(
        {
            "wrong_states": ((), int(wrong.sum()), {"long_name": "states read wrongly"}),
            "layers": ((), layers, {"long_name": "attention layers"}),
        }
    )


@partial(jax.jit, static_argnames="layers")
def _wrong(table: jax.Array, words: jax.Array, layers: int) -> jax.Array:
    return scan_automaton(table, words, layers=layers) != prefix_products(table, words)


CONTROLS = (
    Control(
        "one layer fewer",
        "ceil(log2 T) - 1 layers give all states",
        lambda cell, given: Prediction(0, of="wrong_states"),
        partial(measure, missing=1),
    ),
)
