r"""Solvable automata are simulated at a depth that does not depend on the length of the word.

Statement: If every group inside an automaton is solvable, a cascade of abelian and reset layers gives its states on words of
    any length. Each level of the holonomy decomposition takes as many layers as the derived length of its groups, and one more
    if some letter is not a permutation.
    $$ \mathrm{depth} = \sum_{\mathrm{levels}} \bigl(d(G_i) + [\mathrm{resets}]\bigr) $$
Hypotheses: every group inside is solvable (checked); counters stay below 2^22 in float32, and positions are integers.
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, Theorem 2.
Refuted by: a wrong state at some length by some route, another number of layers, or commutators of a perfect group that die
    out.
Cost: quick 20 s on a CPU, full 5 min.

The construction is re-derived in `depthjax.constructions.automaton_cascade`. It runs by prefix scans, by diagonal recurrences
or by attention; doubling, whose depth does grow, gives the same states. Parity, C_n and C2^3 take 1 layer; dihedral groups, Q8,
Alt(4) and the car on a circle take 2; Sym(4) takes 3.

Alt(5) and Sym(5) have no such cascade. In a solvable group the commutators of commutators of ... die out after as many steps as
the derived length; in these two groups they go on filling the perfect subgroup of order 60, and the compiler names it when it
refuses (`tests/depthjax/test_automata.py`).
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.automaton_cascade import CompiledAutomaton, compile_cascade
from depthjax.constructions.automaton_doubling import scan_automaton
from depthjax.figures.layer_stacks import draw_stacks
from depthjax.runs.compiler import lean_options
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import iterated_commutators, padded_table, uniform_words
from depthjax.verify import Grid, Hypothesis, Picture, Prediction, Quantity, Relation, claim, control, measured, rival
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
    """The automaton is the axis; for doubling, the last route, all are padded to the same numbers of states and letters."""

    automaton: tuple[str, ...] | str = NAMES
    routes: str = "attention,recurrence,scan,doubling"
    longest: int = 10_000
    samples: int = 2
    states: int = 9
    letters: int = 3
    commutators: int = 3  # how often commutators are formed
    draws: int = 20_000


FULL = Sizes((*NAMES, *MORE), samples=64, states=16, letters=5)
GRIDS = {"test": Sizes(("Q8",), "attention,doubling", longest=100, draws=4_000), "quick": Sizes(), "full": FULL, "paper": FULL}


def objects(cell: Sizes) -> dict:
    """The table and the cascade of the automaton as plain arrays; the Cayley tables of perfect and of solvable groups."""
    automaton = semiautomaton(str(cell.automaton))
    return {
        "table": automaton.table,
        "cascade": automaton.holonomy().program()._replace(depth=0),
        "perfect": [groups.group(name).table for name in PERFECT],
        "solvable": [groups.group(name).table for name in SOLVABLE],
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No wrong state at any length, the depth from the derived lengths of the levels, and the orders of perfect subgroups."""
    automaton = semiautomaton(str(cell.automaton))
    solvable = (Hypothesis("every group inside is solvable", automaton.is_solvable),)
    return (
        Prediction(0, of="wrong_states", hypotheses=solvable),
        Prediction(int(bounds.automaton(automaton).bound.at()), of="depth", hypotheses=solvable),
        Prediction([bounds.group(name).derived_orders[-1] for name in PERFECT], of="perfect_order", dims=("group",)),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Wrong states among the first 10, 100, ... letters of random words, by every route; the layers of the program."""
    table = given["table"]
    words = uniform_words(key, table.shape[1], cell.samples, cell.longest)
    expected = prefix_products(jnp.asarray(table), words)
    first, *others, doubling = cell.routes.split(",")
    compiled = compile_cascade(given["cascade"], to=first)
    run = _states(compiled)
    states = [run(words, jnp.asarray(-1))]
    states += [_states(compile_cascade(given["cascade"], to=route))(words, jnp.asarray(-1)) for route in others]
    states += [_doubled(jnp.asarray(padded_table(table, cell.states, cell.letters)), words)]
    lengths = [length for length in LENGTHS if length <= cell.longest]
    wrong = [[int((found != expected)[:, :length].sum()) for length in lengths] for found in states]
    fewer = (run(words, jnp.asarray(compiled.depth - 1)) != expected).sum()
    return measured(
        wrong_states=Quantity(wrong, "route length", label="states read wrongly"),
        wrong_with_fewer=Quantity(fewer, label="states read wrongly, the last layer switched off"),
        depth=Quantity(compiled.depth, label="layers"),
        layers=Quantity("|".join(compiled.layers), label="what each layer does, lowest first"),
        perfect_order=_surviving(cell, key, given["perfect"]),
        length=lengths,
        route=[first, *others, doubling],
    )


def _states(compiled: CompiledAutomaton):
    # an attention layer sees the whole word; the other two may go through it in pieces
    chunk = None if compiled.to == "attention" else 25
    options = lean_options(jax.default_backend(), once=True)
    return jax.jit(lambda words, off: compiled(words, chunk=chunk, off=off), compiler_options=options)


@jax.jit
def _doubled(table: jax.Array, words: jax.Array) -> jax.Array:
    """The states by doubling, a word at a time, because its maps take length * states^2 numbers."""
    return jax.lax.map(lambda word: scan_automaton(table, word[None])[0], words)


def _surviving(cell: Sizes, key: jax.Array, tables: list[np.ndarray]) -> Quantity:
    """How many elements of each group are random commutators of commutators of ... of its elements."""
    values = [iterated_commutators(key, jnp.asarray(t), len(t), cell.draws, cell.commutators + 1)[-1] for t in tables]
    return Quantity([len(np.unique(found)) for found in values], "group", label="elements that are iterated commutators")


def _solvable_groups(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(perfect_order=_surviving(cell, key, given["solvable"]))


def _draw(place, dataset: xr.Dataset) -> None:
    stacks = [str(text).split("|") if str(text) else [] for text in dataset["layers"].to_numpy()]
    title = "the cascade of each automaton: blue counts, orange remembers the last write"
    draw_stacks(place, dataset["automaton"].to_numpy().tolist(), stacks, title)


CONTROLS = (
    control(
        "one layer fewer",
        "the cascade simulates the automaton with its last layer switched off",
        instead={"wrong_states": "wrong_with_fewer"},
    ),
    control("solvable groups", "the iterated commutators of Alt(4) and Sym(4) never die out", measure=_solvable_groups),
)
RIVALS = (
    rival(
        "one level, one layer",
        lambda cell, given: Prediction(len(given["cascade"].levels), of="depth"),
        "the depth is the number of levels: a level takes one layer, whatever its group",
        everywhere=False,
    ),
)
PICTURES = (Picture(3.2, _draw),)
