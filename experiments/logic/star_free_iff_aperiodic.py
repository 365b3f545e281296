r"""A regular language has a program of masked hard attention iff the monoid of its minimal automaton is aperiodic.

Statement: three sides of one equivalence, each tried where it can be.

* *Period.* The least p with s^n = s^(n+p) in the monoid of the minimal automaton is the period with which x u^n y enters and
  leaves the language, seen by membership alone; star-free means p = 1.
* *Aperiodic, hence a program.* The reset cascade of the minimal automaton becomes a formula of since (derivation:
  `theory.logic.starfree`) and that masked attention, which is right on every word.
* *A program, hence aperiodic.* Random programs of masked attention, whatever they compute, never count: from some n on their
  output on x u^n y stays as it is; from which n on is read off the monoid of the formula's minimal automaton.

      L = L(hard attention)  <=>  s^n = s^(n+1) for all s in M(L).

Hypotheses: the automaton is the minimal one: another automaton of the same language may have a period that the language lacks
(control). Source: Schuetzenberger 1965, McNaughton and Papert 1971, Kamp 1968 (star-free = aperiodic = temporal logic); Yang,
Chiang, Angluin, arXiv 2310.13897 (= masked hard attention). Refuted by: another period, a wrong word, a program that counts.
Cost: 10 s on a CPU at quick size.
"""

import dataclasses
import itertools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.masked_attention import CompiledFormulas, compile_formulas
from depthjax.probe.pumping import pumping_period
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import padded_table
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from experiments.logic._words import ShortWords, short_words
from theory.automata import Semiautomaton
from theory.automata.monoid import index_and_period
from theory.logic import Dfa, Formula, Until, minimal_dfa, regular
from theory.logic.program import LogicProgram, program
from theory.logic.sampling import random_dfa, random_formula
from theory.logic.starfree import formula_of

CLAIM = Claim(
    slug="star_free_iff_aperiodic",
    title="A regular language has a masked hard attention program iff the monoid of its minimal automaton is aperiodic",
    statement=(
        "The period of the minimal automaton's monoid is the period of the language under pumping. Where it is 1 the reset "
        "cascade compiles to masked hard attention that is right on every word; and no program of masked hard attention counts."
    ),
    latex=r"L \in \mathrm{UHAT}_< \iff \forall s \in M(L):\ s^{n} = s^{n+1}",
    relation=Relation.EQUALS,
    source=Source(
        "Yang, Chiang, Angluin; Schützenberger",
        "Masked Hard-Attention Transformers Recognize Exactly the Star-Free Languages",
        "arXiv 2310.13897",
    ),
    assumes=("strict masks, no positions", "the automaton is minimal", "words up to the stated lengths"),
    refuted_by="a language pumped with another period, a program wrong on a word, or one whose output never settles",
    cost="10 s on a CPU at quick size",
)

STAR_FREE = {
    "(ab)*": "alternation",
    "(a(ab)*b)*": "brackets nested twice",
    "(a(a(ab)*b)*b)*": "brackets nested three times",
    ".*ab.*": "contains ab",
    "a+b+a+": "three blocks",
    ".*a..": "third letter from the end is a",
}
PERIODIC = {
    "(aa)*": "even number of letters a, nothing else",
    "b*(ab*ab*)*": "parity of a",
    "(...)*": "length divisible by 3",
    "(b*ab*ab*ab*ab*ab*)*b*": "a counted modulo 5",
    "(abab)*": "two letters repeated an even number of times",
    "((a|b)(a|b))*a": "odd length, a last",
}
NAMED = (*STAR_FREE, *PERIODIC)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Named languages, languages of random automata, or languages of random programs; so many of each."""

    kind: str = axis("named", "random", "programs")
    languages: int = len(NAMED)
    states: int = 5
    depth: int = 3
    length: int = 10


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(kind=axis("random", "programs"), languages=100, length=12),
    "paper": Sizes(kind=axis("random", "programs"), languages=100, length=12),
}


class Language(NamedTuple):
    """An automaton as plain arrays, words to pump, and a program where there is one.

    Attributes:
        table, accepting: the minimal automaton.
        longest: length of the words u with which the automaton is pumped; enough for its whole monoid.
        start: repetitions of u after which a program is watched.
        program: of masked attention, None where there is none.
    """

    table: np.ndarray
    accepting: np.ndarray
    longest: int
    start: int
    program: LogicProgram | None


def setting(cell: Sizes) -> tuple[list[Language], ShortWords]:
    """The languages and the words on which their programs are tried."""
    return [_language(cell, i) for i in range(cell.languages)], short_words(2, cell.length)


def _formula(cell: Sizes, index: int) -> Formula | None:
    """In the cell of programs the formula that a language is made from, with few until-operators; None elsewhere."""
    rng = np.random.default_rng(index)
    while cell.kind == "programs":
        formula = random_formula(rng, "ab", cell.depth)
        if sum(isinstance(part, Until) for part in formula.subformulas()) <= 6:
            return formula
    return None


def _dfa(cell: Sizes, index: int) -> Dfa:
    if formula := _formula(cell, index):
        return minimal_dfa(formula, "ab")
    rng = np.random.default_rng(index)
    return regular(NAMED[index], "ab") if cell.kind == "named" else random_dfa(rng, "ab", int(rng.integers(2, cell.states + 1)))


def _language(cell: Sizes, index: int) -> Language:
    dfa = _dfa(cell, index)
    monoid = dfa.automaton.transition_monoid()
    longest = len(monoid.word(monoid.size - 1))
    formula = _formula(cell, index) or (formula_of(dfa) if dfa.is_star_free else None)
    found = None if formula is None else program(formula, "ab")
    return Language(dfa.automaton.table, dfa.accepting, longest, dfa.index_and_period()[0], found)


def predict(cell: Sizes, given: tuple) -> tuple[Prediction, ...]:
    """The period of each monoid, and as many programs as there are monoids without one."""
    periods = [_dfa(cell, i).index_and_period()[1] for i in range(cell.languages)]
    both = Hypothesis("languages with and without a period are there", cell.kind == "programs" or len(set(periods)) > 1)
    return (
        Prediction(periods, of="period", dims=("language",), hypotheses=(both,)),
        Prediction(periods.count(1), of="right_programs"),
    )


def measure(cell: Sizes, key: jax.Array, given: tuple) -> xr.Dataset:
    """The period of each language under pumping, by the automaton or by the program, and how many programs are always right."""
    languages, words = given
    programs = [entry.program for entry in languages if entry.program is not None]
    model = compile_formulas(programs)
    truth = iter(np.asarray(model(words.words, lengths=words.lengths)))
    right = [_is_right(entry, words, next(truth)) for entry in languages if entry.program is not None]
    if cell.kind == "programs":
        periods = _watched(model, max(entry.start for entry in languages))
    else:
        periods = [pumping_period(entry.table, entry.accepting, entry.longest) for entry in languages]
    return xr.Dataset(
        {
            "period": ("language", np.array(periods), {"long_name": "period of x u^n y in n"}),
            "right_programs": ((), sum(right), {"long_name": "languages whose program is right on all words"}),
        }
    )


_states = jax.jit(prefix_products)


def _is_right(language: Language, words: ShortWords, truth: np.ndarray) -> bool:
    """Whether a program's truth at the last position is membership, on all words."""
    table = padded_table(language.table, -(-len(language.table) // 16) * 16)  # few shapes: few compilations
    states = np.asarray(_states(jnp.asarray(table), jnp.asarray(words.words, jnp.int32)))
    last = np.arange(len(words.lengths)), words.lengths - 1
    return bool((truth[last] == language.accepting[states[last]]).all())


def _watched(model: CompiledFormulas, start: int, repeats: int = 4) -> list[int]:
    """The period of each program's output on x u^n y for a few n from `start` on, words u of one to three letters."""
    pumped = [[*x, *(u * n), *y] for x, u, y in PUMPS for n in range(start, start + repeats)]
    lengths = np.array([max(len(word), 1) for word in pumped])
    words = np.zeros((len(pumped), lengths.max()), np.int8)
    for row, word in zip(words, pumped, strict=True):
        row[: len(word)] = word
    truth = np.asarray(model(words, lengths=lengths))
    outputs = truth[:, np.arange(len(lengths)), lengths - 1].reshape(len(truth), -1, repeats)
    shifts = [(outputs[..., p:] == outputs[..., :-p]).all(axis=(1, 2)) for p in range(1, repeats)]
    return [next((p for p, same in enumerate(row, 1) if same), repeats) for row in zip(*shifts, strict=True)]


SHORT = [word for n in range(1, 4) for word in itertools.product((0, 1), repeat=n)]
PUMPS = [(x, u, y) for u in SHORT for x in ((), *SHORT[:2]) for y in ((), *SHORT[:2])]


def _all_star_free(cell: Sizes, given: tuple) -> tuple[Prediction, ...] | None:
    if cell.kind == "programs":
        return None
    return Prediction([1] * cell.languages, of="period", dims=("language",)), Prediction(cell.languages, of="right_programs")


def _not_minimal(cell: Sizes, given: tuple) -> Prediction | None:
    """The period of another automaton of the same language: the minimal one beside a clock modulo 2."""
    if cell.kind == "programs":
        return None
    periods = []
    for language in given[0]:
        n = len(language.table)
        clocked = np.concatenate([language.table + n, language.table])
        periods.append(index_and_period(Semiautomaton.from_table(clocked))[1])
    return Prediction(periods, of="period", dims=("language",))


CONTROLS = (
    Control("parity is star-free", "languages that count modulo 2, 3 or 5 have a period of 1 and a program", _all_star_free),
    Control("an automaton that is not minimal", "the period may be read off any automaton of the language", _not_minimal),
)
