r"""A regular language has a program of masked hard attention iff the monoid of its minimal automaton is aperiodic.

Statement: The period of the monoid of the minimal automaton is the period with which x u^n y enters and leaves the language as
    n grows. Where it is 1, the reset cascade of the automaton compiles to masked hard attention that is right on every word. No
    program of masked hard attention counts: from some n on its output on x u^n y stays as it is, and this n is where the
    minimal automaton of its formula settles.
    $$ L \in \mathrm{UHAT}_< \iff \forall s \in M(L):\ s^{n} = s^{n+1} $$
Hypotheses: strict masks, no positions; the automaton is minimal; words up to the stated lengths.
Source: Yang, Chiang, Angluin; Schützenberger, “Masked Hard-Attention Transformers Recognize Exactly the Star-Free Languages”,
    arXiv 2310.13897.
Refuted by: a language pumped with another period, a program wrong on a word, or a program that settles at another n or never.
Cost: quick 10 s on one core, full about 6 min.

The equivalence has three sides, each tried where it can be.

* *Period.* The least p with s^n = s^(n+p) in the monoid of the minimal automaton is the period of the language under pumping,
  seen by membership alone. Star-free means p = 1 (Schuetzenberger 1965, McNaughton and Papert 1971).
* *Aperiodic, hence a program.* The reset cascade becomes a formula of since (Kamp 1968; derivation in `theory.logic.starfree`),
  and the formula becomes masked attention.
* *A program, hence aperiodic.* Half of the programs are the latest to settle among many, half are as drawn. Each must
  settle exactly where its automaton does, and stay so for four more repetitions.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, off_by, rival, whole
from experiments.logic._programs import programs
from experiments.logic.star_free_iff_aperiodic.common import PUMPS
from experiments.logic.star_free_iff_aperiodic.farthest import right_by_the_farthest
from experiments.logic.star_free_iff_aperiodic.late import late_formulas, settling
from theory.automata import Dfa, Semiautomaton
from theory.automata.monoid import index_and_period
from theory.logic import Formula, regular
from theory.logic.sampling import random_dfa
from theory.logic.starfree import formula_of

CLAIM = claim(Relation.EQUALS)

STAR_FREE = ("(ab)*", "(a(ab)*b)*", "(a(a(ab)*b)*b)*", ".*ab.*", "a+b+a+", ".*a..")

PERIODIC = ("(aabaab)*", "b*(ab*ab*)*", "(...)*", "(b*ab*ab*ab*ab*ab*)*b*", "(aa)*", "((a|b)(a|b))*a")

NAMED = (*STAR_FREE, *PERIODIC)

GUESSES = 6  # until-formulas of a random formula

BEYOND = 4  # values of n that are tried after the latest program has settled


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Where the languages come from is the axis: named, of random automata, or of random programs."""

    kind: str = axis("named", "random", "programs")
    languages: int = len(NAMED)
    states: int = 5
    depth: int = 3
    length: int = 10
    draws: int = 100  # programs, of which those are judged that settle last


LARGE = Sizes(kind=axis("random", "programs"), languages=100, length=12, draws=1000)

DOMAIN = domain(
    kind=among("random", "programs"), states=whole(2, 6), depth=whole(2, 4, quick=3), languages=whole(6, 24, step=2, quick=12)
)
GRIDS = {
    "test": Sizes(kind=axis("named", "programs"), languages=8, length=6, draws=12),
    "quick": Sizes(),
    "full": dataclasses.replace(LARGE, languages=60, draws=600),
    "paper": LARGE,
}


def _languages(cell: Sizes, seed: int) -> list[tuple[Dfa, Formula | None]]:
    """Minimal automata, and a formula of each language where there is one."""
    rng = np.random.default_rng(seed)
    if cell.kind == "programs":
        half = cell.languages // 2  # the latest of many, and as many that are not chosen
        return [f for draws in (cell.draws, half) for f in late_formulas(rng, "ab", cell.depth, half, draws, GUESSES, PUMPS)]
    sizes = rng.integers(2, cell.states + 1, cell.languages)
    named = cell.kind == "named"
    found = [regular(NAMED[i], "ab") if named else random_dfa(rng, "ab", int(size)) for i, size in enumerate(sizes)]
    return [(dfa, formula_of(dfa) if dfa.is_star_free else None) for dfa in found]


def objects(cell: Sizes, seed: int) -> dict:
    """For each language its minimal automaton, and its program, if it has one.

    `longest` is the length of the words u with which an automaton is pumped, enough for its whole monoid; programs are pumped
    up to `last` repetitions.
    """
    languages = _languages(cell, seed)
    monoids = [dfa.automaton.transition_monoid() for dfa, _ in languages]
    return {
        "automata": [(dfa.automaton.table, dfa.accepting) for dfa, _ in languages],
        "longest": np.array([len(monoid.word(monoid.size - 1)) for monoid in monoids]),
        "last": np.array(max(dfa.index_and_period[0] for dfa, _ in languages) + BEYOND),
        "programs": programs((formula for _, formula in languages if formula is not None), "ab"),
        "has_program": np.array([formula is not None for _, formula in languages]),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The period of each monoid, a program that is right where it is 1, and when the output of a drawn program settles."""
    languages = [Dfa(Semiautomaton.from_table(table), accepting, tuple("ab")) for table, accepting in given["automata"]]
    periods = [dfa.index_and_period[1] for dfa in languages]
    right = Prediction([int(period == 1) for period in periods], of="right_program", dims=("language",))
    # 14 words u of up to three letters, three words x and three y, two of which are letters
    pumps = Prediction([14 * 3**2, 3**2 * (2 * 1 + 4 * 2 + 8 * 3) + 14 * 3 * (2 + 2)], of="pumps", dims=("counted",))
    words = _right_words([_words(cell) * (period == 1) for period in periods])
    if cell.kind == "programs":
        late = [settling(dfa, PUMPS) for dfa in languages]
        return right, words, pumps, Prediction(late, of="settled", dims=("language", "loop"), formula="n")
    both = Hypothesis("languages with and without a period are there", len(set(periods)) > 1)
    return right, words, pumps, Prediction(periods, of="period", dims=("language",), hypotheses=(both,))


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


def _of_next(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """What is known of every language, moved by one place: the last place is that of the first language."""
    said = {one.of: one for one in predict(cell, given)}
    moved = [said[of] for of in ("period", "settled") if of in said]
    return tuple(Prediction(np.roll(np.array(one.value), -1, axis=0), of=one.of, dims=one.dims) for one in moved)


def _by_the_farthest(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """On how many words programs are right if ties go to the farthest position, each part of a program read by itself."""
    right, which = np.zeros(cell.languages, int), np.flatnonzero(given["has_program"])
    each = zip(*given["programs"].values(), strict=True)
    for index, parts in zip(which, each, strict=True):
        program = dict(zip(given["programs"], parts, strict=True))
        table, accepting = given["automata"][index]
        right[index] = right_by_the_farthest(program, table, accepting, cell.length)
    return _right_words(right.tolist()), Prediction(
        (right == _words(cell)).astype(int).tolist(), "right_program", ("language",)
    )


def _right_words(numbers: list[int]) -> Prediction:
    return Prediction(numbers, of="right_words", dims=("language",))


def _words(cell: Sizes) -> int:
    """Words of one letter and more over two letters."""
    return 2 ** (cell.length + 1) - 2


FALSE = "the programs are right with ties to the farthest position"  # random languages of few states need no ties

CONTROLS = (
    control("ties reversed", FALSE, measure="ties_reversed", finds=_by_the_farthest, everywhere=False),
    control(
        "another language",
        "pumping says the same of a language and of the next one in the list",
        measure="next_language",
        finds=_of_next,
    ),
)

RIVALS = (
    off_by(1, of="settled"),
    rival("parity is star-free", _all_star_free, "languages that count modulo 2, 3 or 5 have a period of 1 and a program"),
    rival("an automaton that is not minimal", _not_minimal, "the period may be read off any automaton of the language"),
)
