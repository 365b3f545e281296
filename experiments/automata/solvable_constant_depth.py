r"""Solvable automata are simulated at a depth that does not depend on the length of the word.

Statement: If every group inside an automaton is solvable, a cascade of abelian and reset layers gives its states on words of
    any length. Each level of the holonomy decomposition takes as many layers as the derived length of its groups, and one more
    if some letter is not a permutation.
    $$ \mathrm{depth} = \sum_{\mathrm{levels}} \bigl(d(G_i) + [\mathrm{resets}]\bigr) $$
Hypotheses: every group inside is solvable (checked); counters stay below 2^22 in float32, and positions are integers.
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, Theorem 2.
Refuted by: a wrong state at some length by some route, another number of layers without which states are wrong, or commutators
    of a perfect group that die out.
Cost: quick 25 s on one core, full about 5 min.

The construction is re-derived in `depthjax.constructions.compiled.automaton`. It runs by prefix scans, by diagonal recurrences
or by attention. Parity, C_n and C2^3 take 1 layer; dihedral groups, Q8, Alt(4) and the car on a circle take 2; Sym(4) takes 3.
The depth is read off the errors: each layer is switched off in turn, and those without which some state is wrong are counted.

Alt(5) and Sym(5) have no such cascade. In a solvable group the commutators of commutators of ... die out after as many steps as
the derived length; in these two groups they go on filling the perfect subgroup of order 60, and the compiler names it when it
refuses (`tests/depthjax/test_automata.py`).
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.compiled.automaton import CompiledAutomaton, compile_cascade
from depthjax.figures.layer_stacks import draw_stacks
from depthjax.runs.compiler import lean_options
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import iterated_commutators, uniform_words
from depthjax.verify import Grid, Hypothesis, Picture, Prediction, Quantity, Relation, claim, control, measured, off_by, rival
from theory import bounds, groups
from theory.automata import semiautomaton

CLAIM = claim(Relation.EQUALS)

NAMES = ("parity", "Q8", "S4", "flip_flop", "gridworld4", "abab", "car")
MORE = ("C5", "C2^3", "D3", "D4", "D6", "D8", "A4", "gridworld2", "gridworld9", "flip_flop4", "dyck3", "adder", "car6")
PERFECT, SOLVABLE = ("A5", "S5"), ("A4", "S4")
LENGTHS = (10, 100, 1_000, 10_000)  # prefixes of one word
DEFINITIONS = {f"cascade.0.{level}.0": "the height of a level numbers it in the cascade" for level in range(20)}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The automaton is the axis."""

    automaton: tuple[str, ...] | str = NAMES
    routes: str = "attention,recurrence"  # on the longest words; the scan reads the short ones
    longest: int = 10_000
    samples: int = 2  # words of that length
    short: int = 64  # length of the words that are also read with a layer switched off
    words: int = 128
    commutators: int = 3  # how often commutators are formed
    draws: int = 20_000


FULL = Sizes((*NAMES, *MORE), samples=64, words=2048)
GRIDS = {
    "test": Sizes(("Q8", "parity"), "attention", longest=100, words=16, draws=4_000),
    "quick": Sizes(),
    "full": FULL,
    "paper": FULL,
}


def objects(cell: Sizes) -> dict:
    """The table and the cascade of the automaton as plain arrays; the Cayley tables of perfect and of solvable groups."""
    automaton = semiautomaton(str(cell.automaton))
    return {
        "table": automaton.table,
        "cascade": automaton.holonomy("fewest").program()._replace(depth=0),
        "perfect": [groups.group(name).table for name in PERFECT],
        "solvable": [groups.group(name).table for name in SOLVABLE],
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No wrong state at any length, the layers from the derived lengths of the levels, and the orders of perfect subgroups."""
    automaton = semiautomaton(str(cell.automaton))
    solvable = (Hypothesis("every group inside is solvable", automaton.is_solvable),)
    return (
        Prediction(0, of="wrong_states", hypotheses=solvable),
        Prediction(0, of="wrong_short", hypotheses=solvable),
        Prediction(int(bounds.automaton(automaton).bound.at()), of="needed", hypotheses=solvable),
        Prediction([bounds.group(name).derived_orders[-1] for name in PERFECT], of="perfect_order", dims=("group",)),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Wrong states among the first 10, 100, ... letters of random words, by every route; the layers that are missed."""
    words = uniform_words(key, given["table"].shape[1], cell.samples, cell.longest)
    expected = prefix_products(jnp.asarray(given["table"]), words)
    lengths = [length for length in LENGTHS if length <= cell.longest]
    routes = cell.routes.split(",")
    wrong = []
    for route in routes:
        found = _states(compile_cascade(given["cascade"], to=route))(words, jnp.asarray(-1))
        wrong.append([int((found != expected)[:, :length].sum()) for length in lengths])
    return measured(
        wrong_states=Quantity(wrong, "route length", label="states read wrongly"),
        **_by_layer(cell, jax.random.fold_in(key, 1), given, given["table"].shape[1]),
        layers=Quantity("|".join(compile_cascade(given["cascade"]).layers), label="what each layer does, lowest first"),
        perfect_order=_surviving(cell, key, given["perfect"]),
        length=lengths,
        route=routes,
    )


def _by_layer(cell: Sizes, key: jax.Array, given: dict, letters: int) -> dict[str, Quantity]:
    """Wrong states on shorter words of the first letters, with all layers and with each of them switched off."""
    compiled = compile_cascade(given["cascade"])
    words = uniform_words(key, letters, cell.words, cell.short)
    expected, run = prefix_products(jnp.asarray(given["table"]), words), _states(compiled)
    full, *without = [int((run(words, jnp.asarray(off)) != expected).sum()) for off in range(-1, compiled.depth)]
    return {
        "wrong_short": Quantity(full, label=f"states read wrongly, words of {cell.short} letters"),
        "wrong_with_fewer": Quantity(without[-1], label="the same with the last layer switched off"),
        "needed": Quantity(sum(wrong > 0 for wrong in without), label="layers without which states are wrong"),
    }


def _states(compiled: CompiledAutomaton):
    # an attention layer sees the whole word; the other two may go through it in pieces
    chunk = None if compiled.to == "attention" else 25
    options = lean_options(jax.default_backend(), once=True)
    return jax.jit(lambda words, off: compiled(words, chunk=chunk, off=off), compiler_options=options)


def _surviving(cell: Sizes, key: jax.Array, tables: list[np.ndarray]) -> Quantity:
    """How many elements of each group are random commutators of commutators of ... of its elements."""
    values = [iterated_commutators(key, jnp.asarray(t), len(t), cell.draws, cell.commutators + 1)[-1] for t in tables]
    return Quantity([len(np.unique(found)) for found in values], "group", label="elements that are iterated commutators")


def _solvable_groups(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(perfect_order=_surviving(cell, key, given["solvable"]))


def _one_letter(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(needed=_by_layer(cell, key, given, 1)["needed"])


def _draw(place, dataset: xr.Dataset) -> None:
    """The layers that simulate each automaton, the lowest first.

    Blue boxes count in a group, and orange ones remember the last write. No stack grows with the length of the words.
    """
    stacks = [str(text).split("|") if str(text) else [] for text in dataset["layers"].to_numpy()]
    title = "the cascade of each automaton: blue counts, orange remembers the last write"
    draw_stacks(place, dataset["automaton"].to_numpy().tolist(), stacks, title)


CONTROLS = (
    control(
        "one layer fewer",
        "the cascade simulates the automaton with its last layer switched off",
        instead={"wrong_states": "wrong_with_fewer", "wrong_short": "wrong_with_fewer"},
    ),
    control("one letter alone", "words of the first letter alone need all layers", measure=_one_letter, everywhere=False),
    control("solvable groups", "the iterated commutators of Alt(4) and Sym(4) never die out", measure=_solvable_groups),
)
RIVALS = (
    off_by(-1, of="needed"),
    off_by(1, of="needed"),
    rival(
        "one level, one layer",
        lambda cell, given: Prediction(len(given["cascade"].levels), of="needed"),
        "the depth is the number of levels: a level takes one layer, whatever its group",
        everywhere=False,
    ),
)
PICTURES = (Picture(3.2, _draw),)
