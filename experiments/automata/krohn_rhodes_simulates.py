r"""The holonomy cascade simulates its automaton on every word.

Statement: Encode a state into the coordinates of the holonomy decomposition, run the cascade of permutation-reset levels on a
    word, and decode: the result is the state to which the word moves the automaton. The number of levels is at most the number
    of classes of images with several states.
    $$ \mathrm{decode}(\mathrm{cascade}_w(\mathrm{encode}(q))) = q \cdot w $$
Hypotheses: every group inside the automaton is solvable (checked), so that the cascade compiles to layers.
Source: Krohn, Rhodes, “Algebraic theory of machines I”, Transactions of the AMS 116 (1965), Prime decomposition theorem.
Refuted by: a state that the cascade reaches wrongly.
Cost: quick 10 s on a CPU, full 4 min.

The number of levels is the height of the state set in the subduction order of the images: P lies below R when P is contained in
an image of R. (Levels as in Zeiger 1967, re-derived in `theory.automata.holonomy`.) The number of levels is *not* at most |Q| -
1, as is often said of this construction, because classes of images of equal size can lie strictly above each other. Three
states and the letters (0, 0, 1), (0, 0, 2) have the chain Q > {0, 2} > {0, 1} of three levels.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.automaton_cascade import compile_cascade
from depthjax.runs.compiler import lean_options
from depthjax.tasks.words import all_words, prefix_products
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory.automata import Semiautomaton, semiautomaton

CLAIM = claim(Relation.EQUALS)

TALL = ((0, 0), (0, 0), (1, 2))  # the smallest automaton with more than |Q| - 1 levels
DEFINITIONS = {f"cascade.0.{level}.0": "the height of a level numbers it in the cascade" for level in range(20)}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of a random automaton is the axis; number 0 is the tall one. All words of one length."""

    number: int = axis(0, 1, 2, 3)
    length: int = 8
    letters: int = 2


GRIDS = {
    "test": Sizes(number=axis(0), length=5),
    "quick": Sizes(),
    "full": Sizes(number=axis(*range(60))),
    "paper": Sizes(number=axis(*range(201))),
}


def _automaton(cell: Sizes) -> Semiautomaton:
    if cell.number == 0:
        return semiautomaton(TALL)
    rng = np.random.default_rng(cell.number)
    states = 2 + int(rng.integers(5))
    return semiautomaton(rng.integers(0, states, (states, cell.letters)))


def objects(cell: Sizes) -> dict:
    """The table of the automaton, and its cascade as plain arrays."""
    automaton = _automaton(cell)
    return {"table": automaton.table, "cascade": automaton.holonomy().program()._replace(depth=0)}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No wrong state; at most as many levels as there are classes of images with several states."""
    automaton = _automaton(cell)
    images = automaton.images
    classes = len(np.unique(images.classes[images.sizes > 1]))
    solvable = Hypothesis("every group inside is solvable", automaton.is_solvable())
    return (
        Prediction(0, of="wrong_states", hypotheses=(solvable,)),
        Prediction(classes, of="levels", relation=Relation.AT_MOST, hypotheses=(solvable,)),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Wrong states on all words of the length, from all states; shorter words are their prefixes."""
    table, compiled = given["table"], compile_cascade(given["cascade"], to="recurrence")
    states, letters = table.shape
    words = all_words(letters, cell.length)
    # products start at state 0, so a first letter that leads there stands for another start
    to_start = np.concatenate([table, np.broadcast_to(np.arange(states), (states, states))], axis=1)

    def wrong_from(state: jax.Array, off: jax.Array) -> jax.Array:
        first = jnp.full((len(words), 1), letters, words.dtype) + state
        expected = prefix_products(jnp.asarray(to_start), jnp.concatenate([first, words], axis=1))[:, 1:]
        return (compiled(words, state, off=off) != expected).sum()

    def wrong(off: jax.Array) -> jax.Array:
        return jax.lax.map(lambda state: wrong_from(state, off), jnp.arange(states, dtype=words.dtype)).sum()

    counted = jax.jit(wrong, compiler_options=lean_options(jax.default_backend(), once=True))
    return measured(
        wrong_states=Quantity(counted(jnp.asarray(-1)), label="states reached wrongly"),
        wrong_with_fewer=Quantity(counted(jnp.asarray(0)), label="states reached wrongly, the first layer switched off"),
        levels=Quantity(len(compiled.levels), label="levels of the cascade"),
    )


CONTROLS = (
    control(
        "a level dropped",
        "the cascade simulates the automaton with its first layer switched off",
        instead={"wrong_states": "wrong_with_fewer"},
        everywhere=False,
    ),
)
RIVALS = (
    rival(
        "at most |Q| - 1 levels",
        lambda cell, given: Prediction(len(given["table"]) - 1, of="levels", relation=Relation.AT_MOST),
        "the holonomy decomposition has at most |Q| - 1 levels",
        everywhere=False,
    ),
)
