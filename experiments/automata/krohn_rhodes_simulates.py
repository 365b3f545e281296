r"""The holonomy cascade simulates the automaton: random tables, every word.

Statement: the coordinates of the holonomy decomposition, computed by a cascade of permutation-reset levels and decoded, are
the states of the automaton on every word from every state. The number of levels is the height of the state set in the
subduction order of the images (P below R when P lies inside an image of R), at most the number of classes of images with
several states.

It is *not* at most |Q| - 1, as is often said of this construction: classes of images of equal size can lie strictly
above each other. Three states and the letters (0, 0, 1), (0, 0, 2) have the chain Q > {0, 2} > {0, 1} of three levels.

Hypotheses: every group inside is solvable (checked), so that the cascade compiles to layers. Source: Krohn and Rhodes 1965;
Zeiger 1967; the levels re-derived here. Refuted by: one wrong state. Cost: 10 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.automaton_cascade import compile_cascade
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.automata._compile import jit
from theory.automata import Semiautomaton, semiautomaton

CLAIM = Claim(
    slug="krohn_rhodes_simulates",
    title="The holonomy cascade simulates its automaton on every word",
    statement=(
        "Encoded into the coordinates of the holonomy decomposition, run by permutation-reset levels and decoded, every word "
        "moves every state as the automaton does; the levels are as many as the height of the state set among its images."
    ),
    latex=r"\mathrm{decode}(\mathrm{cascade}_w(\mathrm{encode}(q))) = q \cdot w",
    relation=Relation.EQUALS,
    source=Source(
        "Krohn, Rhodes", "Algebraic theory of machines I", "Transactions of the AMS 116 (1965)", "Prime decomposition theorem"
    ),
    assumes=("every group inside is solvable (checked)",),
    refuted_by="a state that the cascade reaches wrongly",
    cost="10 s on a CPU at quick size",
)

TALL = ((0, 0), (0, 0), (1, 2))  # the smallest automaton with more than |Q| - 1 levels


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell a random automaton; number 0 is the tall one."""

    number: int = axis(0, 1, 2, 3)
    length: int = 8
    letters: int = 2


GRIDS = {"quick": Sizes(), "full": Sizes(axis(*range(60))), "paper": Sizes(axis(*range(201)))}


def _automaton(cell: Sizes) -> Semiautomaton:
    if cell.number == 0:
        return semiautomaton(TALL)
    rng = np.random.default_rng(cell.number)
    states = 2 + int(rng.integers(5))
    return semiautomaton(rng.integers(0, states, (states, cell.letters)))


def setting(cell: Sizes) -> tuple:
    """The table and the cascade as plain arrays."""
    automaton = _automaton(cell)
    return automaton.table, automaton.holonomy().program()


def predict(cell: Sizes, given: tuple) -> tuple[Prediction, ...]:
    """No wrong state; at most as many levels as there are classes of images with several states."""
    automaton = _automaton(cell)
    images = automaton.images
    classes = len(np.unique(images.classes[images.sizes > 1]))
    solvable = Hypothesis("every group inside is solvable", automaton.is_solvable)
    return (
        Prediction(0, of="wrong_states", hypotheses=(solvable,)),
        Prediction(classes, of="levels", relation=Relation.AT_MOST, hypotheses=(solvable,)),
    )


def measure(cell: Sizes, key: jax.Array, given: tuple) -> xr.Dataset:
    """Wrong states on all words of the length, from all states; shorter words are their prefixes."""
    table, program = given
    compiled = compile_cascade(program, to="recurrence")
    words = all_words(table.shape[1], cell.length)
    # a first letter that leads to the state stands for the start, since products start at 0
    number = len(table)
    to_start = np.concatenate([table, np.broadcast_to(np.arange(number), (number, number))], axis=1)

    def wrong_from(state: jax.Array, off: jax.Array) -> jax.Array:
        first = jnp.full((len(words), 1), table.shape[1], words.dtype) + state
        expected = prefix_products(jnp.asarray(to_start), jnp.concatenate([first, words], axis=1))[:, 1:]
        return (compiled(words, state, off=off) != expected).sum()

    starts = jnp.arange(number, dtype=words.dtype)
    wrong = jit(lambda off: jax.lax.map(lambda state: wrong_from(state, off), starts).sum())
    return xr.Dataset(
        {
            "wrong_states": ((), int(wrong(jnp.asarray(-1))), {"long_name": "states reached wrongly"}),
            "wrong_with_fewer": ((), int(wrong(jnp.asarray(0))), {"long_name": "states reached wrongly, a layer switched off"}),
            "levels": ((), len(compiled.levels), {"long_name": "levels of the cascade"}),
        }
    )


CONTROLS = (
    Control(
        "a level dropped",
        "the cascade simulates the automaton with its first layer switched off",
        lambda cell, given: Prediction(0, of="wrong_with_fewer"),
        everywhere=False,
    ),
    Control(
        "at most |Q| - 1 levels",
        "the holonomy decomposition has at most |Q| - 1 levels",
        lambda cell, given: Prediction(len(given[0]) - 1, of="levels", relation=Relation.AT_MOST),
        everywhere=False,
    ),
)
