r"""A regular language has a program of masked hard attention iff the monoid of its minimal automaton is aperiodic.

Statement: The period of the monoid of the minimal automaton is the period with which x u^n y enters and leaves the language as
    n grows. Where it is 1, the reset cascade of the automaton compiles to masked hard attention that is right on every word. No
    program of masked hard attention counts: from some n on its output on x u^n y stays as it is.
    $$ L \in \mathrm{UHAT}_< \iff \forall s \in M(L):\ s^{n} = s^{n+1} $$
Hypotheses: strict masks, no positions; the automaton is minimal; words up to the stated lengths.
Source: Yang, Chiang, Angluin; Schützenberger, “Masked Hard-Attention Transformers Recognize Exactly the Star-Free Languages”,
    arXiv 2310.13897.
Refuted by: a language pumped with another period, a program wrong on a word, or a program whose output never settles.
Cost: quick 10 s on a CPU, full 10 min.

The equivalence has three sides, each tried where it can be.

* *Period.* The least p with s^n = s^(n+p) in the monoid of the minimal automaton is the period of the language under pumping,
seen by membership alone. Star-free means p = 1 (Schuetzenberger 1965, McNaughton and Papert 1971). * *Aperiodic, hence a
program.* The reset cascade becomes a formula of since (Kamp 1968; derivation in `theory.logic.starfree`), and the formula
becomes masked attention. * *A program, hence aperiodic.* Random programs are pumped from the index of the monoid of their
formula's minimal automaton on.
"""

import dataclasses
import itertools
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.masked_attention import CompiledFormulas, compile_formulas
from depthjax.probe.pumping import pumping_period
from depthjax.scans.tables import prefix_products
from depthjax.tasks.short_words import short_words
from depthjax.tasks.words import padded_table
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory.automata import Semiautomaton
from theory.automata.monoid import index_and_period
from theory.logic import Dfa, Formula, Until, minimal_dfa, regular
from theory.logic.program import program
from theory.logic.sampling import random_dfa, random_formula
from theory.logic.starfree import formula_of

CLAIM = claim(Relation.EQUALS)

STAR_FREE = ("(ab)*", "(a(ab)*b)*", "(a(a(ab)*b)*b)*", ".*ab.*", "a+b+a+", ".*a..")
PERIODIC = ("(aa)*", "b*(ab*ab*)*", "(...)*", "(b*ab*ab*ab*ab*ab*)*b*", "(abab)*", "((a|b)(a|b))*a")
NAMED = (*STAR_FREE, *PERIODIC)
GUESSES = 6  # until-formulas of a random formula

SHORT = [word for n in range(1, 4) for word in itertools.product((0, 1), repeat=n)]
PUMPS = [(x, u, y) for u in SHORT for x in ((), *SHORT[:2]) for y in ((), *SHORT[:2])]
REPEATS = 4  # values of n for which x u^n y is tried


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Where the languages come from is the axis: named, of random automata, or of random programs."""

    kind: str = axis("named", "random", "programs")
    languages: int = len(NAMED)
    states: int = 5
    depth: int = 3
    length: int = 10


FULL = Sizes(kind=axis("random", "programs"), languages=100, length=12)
GRIDS = {"test": Sizes(kind=axis("named"), languages=8, length=6), "quick": Sizes(), "full": FULL, "paper": FULL}


@cache
def _language(cell: Sizes, index: int) -> tuple[Dfa, Formula | None]:
    """A minimal automaton, and a formula of its language where there is one."""
    rng = np.random.default_rng(index)
    if cell.kind == "programs":
        formula = random_formula(rng, "ab", cell.depth)
        while sum(isinstance(part, Until) for part in formula.subformulas()) > GUESSES:
            formula = random_formula(rng, "ab", cell.depth)
        return minimal_dfa(formula, "ab"), formula
    dfa = regular(NAMED[index], "ab") if cell.kind == "named" else random_dfa(rng, "ab", int(rng.integers(2, cell.states + 1)))
    return dfa, formula_of(dfa) if dfa.is_star_free else None


def objects(cell: Sizes) -> dict:
    """For each language its minimal automaton, and its program; the programs as one network.

    `longest` is the length of the words u with which an automaton is pumped, enough for its whole monoid; programs are pumped
    from `start` repetitions on.
    """
    languages = [_language(cell, index) for index in range(cell.languages)]
    monoids = [dfa.automaton.transition_monoid() for dfa, _ in languages]
    return {
        "automata": [(dfa.automaton.table, dfa.accepting) for dfa, _ in languages],
        "longest": np.array([len(monoid.word(monoid.size - 1)) for monoid in monoids]),
        "start": np.array([dfa.index_and_period()[0] for dfa, _ in languages]),
        "network": compile_formulas([program(formula, "ab") for _, formula in languages if formula is not None]),
        "has_program": np.array([formula is not None for _, formula in languages]),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The period of each monoid, and a program that is always right where it is 1."""
    periods = [_language(cell, index)[0].index_and_period()[1] for index in range(cell.languages)]
    both = Hypothesis("languages with and without a period are there", cell.kind == "programs" or len(set(periods)) > 1)
    return (
        Prediction(periods, of="period", dims=("language",), hypotheses=(both,)),
        Prediction([int(period == 1) for period in periods], of="right_program", dims=("language",)),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """The period of each language under pumping, by the automaton or by the program; whether its program is always right."""
    if cell.kind == "programs":
        periods = _watched(given["network"], int(given["start"].max()))
    else:
        pumped = zip(given["automata"], given["longest"], strict=True)
        periods = [pumping_period(table, accepting, int(longest)) for (table, accepting), longest in pumped]
    return measured(
        period=Quantity(periods, "language", label="period of x u^n y in n"),
        right_program=_right_programs(cell, given, given["network"]),
    )


def _right_programs(cell: Sizes, given: dict, network: CompiledFormulas) -> Quantity:
    """Whether each language has a program whose truth at the last position is membership, on all words."""
    words, lengths = short_words(2, cell.length)
    last = np.arange(len(words)), lengths - 1
    truth, right = np.asarray(network(words, lengths=lengths)), np.zeros(cell.languages, int)
    for row, index in enumerate(np.flatnonzero(given["has_program"])):
        table, accepting = given["automata"][index]
        padded = padded_table(table, -(-len(table) // 16) * 16)  # few shapes: few compilations
        states = np.asarray(_states(jnp.asarray(padded), jnp.asarray(words, jnp.int32)))
        right[index] = (truth[row][last] == accepting[states[last]]).all()
    return Quantity(right, "language", label="a program that is right on all words")


_states = jax.jit(prefix_products)


def _watched(network: CompiledFormulas, start: int) -> list[int]:
    """The period of each program's output on x u^n y for a few n from `start` on, words u of one to three letters."""
    pumped = [[*x, *(u * n), *y] for x, u, y in PUMPS for n in range(start, start + REPEATS)]
    lengths = np.array([max(len(word), 1) for word in pumped])
    words = np.zeros((len(pumped), lengths.max()), np.int8)
    for row, word in zip(words, pumped, strict=True):
        row[: len(word)] = word
    truth = np.asarray(network(words, lengths=lengths))
    outputs = truth[:, np.arange(len(lengths)), lengths - 1].reshape(len(truth), -1, REPEATS)
    shifts = [(outputs[..., p:] == outputs[..., :-p]).all(axis=(1, 2)) for p in range(1, REPEATS)]
    return [next((p for p, same in enumerate(row, 1) if same), REPEATS) for row in zip(*shifts, strict=True)]


def _ties_reversed(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    network = given["network"]
    return measured(right_program=_right_programs(cell, given, dataclasses.replace(network, nearest=~network.nearest)))


def _next_language(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """The period of the next language in the list, pumped with as long words."""
    if cell.kind == "programs":
        return measured(period=Quantity(np.zeros(cell.languages, int), "language"))
    automata, longest = given["automata"][1:] + given["automata"][:1], int(given["longest"].max())
    return measured(period=Quantity([pumping_period(table, accepting, longest) for table, accepting in automata], "language"))


def _all_star_free(cell: Sizes, given: dict) -> tuple[Prediction, ...] | None:
    ones, names = [1] * cell.languages, ("period", "right_program")
    return tuple(Prediction(ones, of=name, dims=("language",)) for name in names) if cell.kind != "programs" else None


def _not_minimal(cell: Sizes, given: dict) -> Prediction | None:
    """The period of another automaton of the same language: the minimal one beside a clock modulo 2."""
    if cell.kind == "programs":
        return None
    clocked = [np.concatenate([table + len(table), table]) for table, _ in given["automata"]]
    periods = [index_and_period(Semiautomaton.from_table(table))[1] for table in clocked]
    return Prediction(periods, of="period", dims=("language",))


# random languages of few states need no ties
FALSE = "the programs are right with ties to the farthest position"
CONTROLS = (
    control("ties reversed", FALSE, measure=_ties_reversed, everywhere=False),
    control(
        "another language",
        "the monoid of a language gives the period of the next language in the list",
        measure=_next_language,
        predict=lambda cell, given: predict(cell, given)[0] if cell.kind != "programs" else None,
    ),
)
RIVALS = (
    rival("parity is star-free", _all_star_free, "languages that count modulo 2, 3 or 5 have a period of 1 and a program"),
    rival("an automaton that is not minimal", _not_minimal, "the period may be read off any automaton of the language"),
)
