r"""A solvable automaton is simulated by layers whose number does not depend on the length of the word.

Statement: let every group inside the automaton be solvable. The holonomy cascade, each level as the abelian stages of its
groups and one reset stage, gives every state on words of any length, with

    depth = sum over levels of (derived length + 1 if some letter is not a permutation).

Parity, C_n, C2^3: 1. Dihedral groups, Q8, Alt(4), the car on a circle: 2. Sym(4): 3. Alt(5) and Sym(5) have no such cascade:
the compiler refuses and names the perfect subgroup.

Hypotheses: every group inside is solvable (checked: sympy's derived series of each); counters and positions are exact, which
float32 grants to sums below 2^22. Source: Liu et al., arXiv 2210.10749, Theorem 2; the construction is re-derived. Refuted by:
one wrong state at any length. Cost: a minute on a CPU.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.automaton_cascade import CompiledAutomaton, compile_cascade
from depthjax.tasks.words import prefix_products, uniform_words
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source
from theory import bounds
from theory.automata import semiautomaton

CLAIM = Claim(
    slug="solvable_constant_depth",
    title="Solvable automata are simulated at a depth that does not depend on the length of the word",
    statement=(
        "An automaton all of whose groups are solvable is simulated on words of any length by a cascade of abelian and reset "
        "layers; their number is the sum over the holonomy levels of the derived length, and one for the resets."
    ),
    latex=r"\mathrm{depth} = \sum_{\mathrm{levels}} \bigl(d(G_i) + [\mathrm{resets}]\bigr)",
    relation=Relation.EQUALS,
    source=Source(
        "Liu, Ash, Goel, Krishnamurthy, Zhang", "Transformers Learn Shortcuts to Automata", "arXiv 2210.10749", "Theorem 2"
    ),
    assumes=("every group inside is solvable (checked)", "counters below 2^22 in float32, positions as integers"),
    refuted_by="a wrong state at some length, or a layer more than predicted",
    cost="a minute on a CPU at quick size",
)

NAMES = ("parity", "D4", "Q8", "S4", "flip_flop", "gridworld4", "abab", "car")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell an automaton; the lengths are prefixes of one word."""

    automaton: tuple[str, ...] | str = NAMES
    routes: str = "attention,recurrence"
    longest: int = 10_000
    samples: int = 2


GRIDS = {
    "quick": Sizes(),
    "full": Sizes((*NAMES, "C5", "C2^3", "A4", "D6", "dyck3", "adder", "gridworld9"), "scan,attention,recurrence", samples=64),
    "paper": Sizes((*NAMES, "C5", "C2^3", "A4", "D6", "dyck3", "adder", "gridworld9"), "scan,attention,recurrence", samples=64),
}


def setting(cell: Sizes) -> tuple:
    """The table and the cascade as plain arrays."""
    automaton = semiautomaton(str(cell.automaton))
    return automaton.table, automaton.holonomy().program()


def predict(cell: Sizes, given: tuple) -> tuple[Prediction, ...]:
    """No wrong state at any length, and the depth from the derived lengths of the levels."""
    automaton = semiautomaton(str(cell.automaton))
    solvable = Hypothesis("every group inside is solvable", automaton.is_solvable())
    return (
        Prediction(0, of="wrong_states", hypotheses=(solvable,)),
        Prediction(int(bounds.automaton(automaton).bound.at()), of="depth", hypotheses=(solvable,)),
    )


def measure(cell: Sizes, key: jax.Array, given: tuple, off: bool = False) -> xr.Dataset:
    """Wrong states among the first 10, 100, ... letters of random words, by every route; the depth of the program."""
    table, program = given
    words = uniform_words(key, table.shape[1], cell.samples, cell.longest)
    expected = prefix_products(jnp.asarray(table), words)
    routes, lengths = cell.routes.split(","), [n for n in (10, 100, 1_000, 10_000) if n <= cell.longest]
    wrong = []
    for route in routes[:1] if off else routes:
        compiled = compile_cascade(program, to=route)
        depth = compiled.depth
        compiled = compiled.without(depth - 1) if off else compiled
        errors = np.asarray(_wrong(compiled, route)(words, expected))
        wrong.append([int(errors[:, :length].sum()) for length in lengths])
    return xr.Dataset(
        {
            "wrong_states": (("route", "length"), np.array(wrong), {"long_name": "states read wrongly"}),
            "depth": ((), depth, {"long_name": "layers"}),
        },
        coords={"length": lengths, "route": routes[: len(wrong)]},
    )


def _wrong(compiled: CompiledAutomaton, route: str):
    # an attention layer sees the whole word; the other two may go through it in pieces
    run = partial(compiled, chunk=None if route == "attention" else 100)
    return jax.jit(lambda words, expected: run(words) != expected)


def _one_layer_fewer(cell: Sizes, given: tuple) -> Prediction:
    return Prediction(0, of="wrong_states")


CONTROLS = (
    Control(
        "one layer fewer",
        "the cascade simulates the automaton with its last layer switched off",
        _one_layer_fewer,
        partial(measure, off=True),
    ),
    Control(
        "one level, one layer",
        "the depth is the number of levels: a level needs one layer, whatever its group",
        lambda cell, given: Prediction(len(given[1].levels), of="depth"),
        everywhere=False,
    ),
)
