r"""A solvable automaton is simulated by layers whose number does not depend on the length of the word.

Statement: let every group inside the automaton be solvable. The holonomy cascade, each level as the abelian stages of its
groups and one reset stage, gives every state on words of any length, by prefix scans, diagonal recurrences or attention, with

    depth = sum over levels of (derived length + 1 if some letter is not a permutation).

Parity, C_n, C2^3: 1. Dihedral groups, Q8, Alt(4), the car on a circle: 2. Sym(4): 3. Alt(5) and Sym(5) have no such cascade:
the compiler refuses and names the perfect subgroup. The doubling, whose depth does grow, gives the same states.

Hypotheses: every group inside is solvable (checked: sympy's derived series of each); counters and positions are exact, which
float32 grants to sums below 2^22. Source: Liu et al., arXiv 2210.10749, Theorem 2; the construction is re-derived. Refuted by:
one wrong state at any length. Cost: 20 s on a CPU.
"""

import dataclasses
import re

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.automaton_cascade import CompiledAutomaton, compile_cascade
from depthjax.constructions.automaton_doubling import scan_automaton
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import padded_table, uniform_words
from depthjax.verify import Claim, Control, Grid, Hypothesis, Picture, Prediction, Relation, Source
from experiments.automata._compile import jit
from experiments.automata._diagram import draw_cascades
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
    refuted_by="a wrong state at some length by some route, a layer more than predicted, or a cascade for Sym(5)",
    cost="20 s on a CPU at quick size",
)

NAMES = ("parity", "Q8", "S4", "flip_flop", "gridworld4", "abab", "car")


REFUSED = ("A5", "S5")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell an automaton; the lengths are prefixes of one word."""

    automaton: tuple[str, ...] | str = NAMES
    routes: str = "attention,recurrence,scan,doubling"
    longest: int = 10_000
    samples: int = 2
    states: int = 9
    letters: int = 3


MORE = ("C5", "C2^3", "D3", "D4", "D6", "D8", "A4", "gridworld2", "gridworld9", "flip_flop4", "dyck3", "adder", "car6")
GRIDS = {
    "quick": Sizes(),
    "full": Sizes((*NAMES, *MORE), samples=64, states=16, letters=5),
    "paper": Sizes((*NAMES, *MORE), samples=64, states=16, letters=5),
}


def setting(cell: Sizes) -> tuple:
    """The table and the cascade as plain arrays; the cascades of automata that are not solvable."""
    automaton = semiautomaton(str(cell.automaton))
    return automaton.table, automaton.holonomy().program(), [semiautomaton(name).holonomy() for name in REFUSED]


def predict(cell: Sizes, given: tuple) -> tuple[Prediction, ...]:
    """No wrong state at any length, the depth from the derived lengths of the levels, and the perfect subgroups to blame."""
    automaton = semiautomaton(str(cell.automaton))
    solvable = Hypothesis("every group inside is solvable", automaton.is_solvable)
    perfect = tuple(bounds.group(name).derived_orders[-1] for name in REFUSED)
    return (
        Prediction(0, of="wrong_states", hypotheses=(solvable,)),
        Prediction(int(bounds.automaton(automaton).bound.at()), of="depth", hypotheses=(solvable,)),
        Prediction(perfect, of="perfect_order", dims=("refused",)),
    )


def measure(cell: Sizes, key: jax.Array, given: tuple) -> xr.Dataset:
    """Wrong states among the first 10, 100, ... letters of random words, by every route; the depth of the program."""
    table, program, refused = given
    words = uniform_words(key, table.shape[1], cell.samples, cell.longest)
    expected = prefix_products(jnp.asarray(table), words)
    routes, lengths = cell.routes.split(","), [n for n in (10, 100, 1_000, 10_000) if n <= cell.longest]
    depth, layers, fewer, wrong = 0, (), 0, []
    for route in routes:
        if route == "doubling":
            errors = np.asarray(_scanned(jnp.asarray(padded_table(table, cell.states, cell.letters)), words) != expected)
        else:
            compiled = compile_cascade(program, to=route)
            depth, layers, states = compiled.depth, compiled.layers, _states(compiled, route)
            errors = np.asarray(states(words, jnp.asarray(-1)) != expected)
            if route == routes[0]:
                fewer = int((states(words, jnp.asarray(depth - 1)) != expected).sum())
        wrong.append([int(errors[:, :length].sum()) for length in lengths])
    return xr.Dataset(
        {
            "wrong_states": (("route", "length"), np.array(wrong), {"long_name": "states read wrongly"}),
            "wrong_with_fewer": ((), fewer, {"long_name": "states read wrongly, the last layer switched off"}),
            "depth": ((), depth, {"long_name": "layers"}),
            "layers": ((), "|".join(layers), {"long_name": "what each layer does, lowest first"}),
            "perfect_order": (
                "refused",
                [_blamed(cascade) for cascade in refused],
                {"long_name": "order of the perfect subgroup that a refusal names (1: not refused)"},
            ),
        },
        coords={"length": lengths, "route": routes, "refused": list(REFUSED)},
    )


def _states(compiled: CompiledAutomaton, route: str):
    # an attention layer sees the whole word; the other two may go through it in pieces
    return jit(lambda words, off: compiled(words, chunk=None if route == "attention" else 25, off=off))


@jit
def _scanned(table: jax.Array, words: jax.Array) -> jax.Array:
    """By doubling, a word at a time: its maps take length * states^2 numbers."""
    return jax.lax.map(lambda word: scan_automaton(table, word[None])[0], words)


def _blamed(cascade) -> int:
    try:
        compile_cascade(cascade)
    except ValueError as refusal:
        named = re.search(r"perfect subgroup has order (\d+)", str(refusal))
        return int(named[1]) if named else 0
    return 1


CONTROLS = (
    Control(
        "one layer fewer",
        "the cascade simulates the automaton with its last layer switched off",
        lambda cell, given: Prediction(0, of="wrong_with_fewer"),
    ),
    Control(
        "one level, one layer",
        "the depth is the number of levels: a level needs one layer, whatever its group",
        lambda cell, given: Prediction(len(given[1].levels), of="depth"),
        everywhere=False,
    ),
    Control(
        "every automaton has a cascade",
        "Alt(5) and Sym(5) compile to abelian and reset layers as well",
        lambda cell, given: Prediction((1,) * len(REFUSED), of="perfect_order", dims=("refused",)),
    ),
)

PICTURES = (Picture(3.2, draw_cascades),)
