"""The attention layers that a formula of temporal logic, a star-free language or k alternating blocks take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import sympy

from theory.automata import Dfa
from theory.automata.alphabet import listed
from theory.bound import Assumption, Bound, integral
from theory.checks import positive_integer
from theory.cost import TooExpensive, share
from theory.logic import Formula, formula_of, minimal_dfa, parse, regular
from theory.logic.formula import shortened
from theory.logic.operators import reading
from theory.logic.truth import letters_of
from theory.registry import registered

__all__ = ["alternation", "logic"]

_MASKED = "Yang, Chiang, Angluin, arXiv 2310.13897: masked hard attention = star-free"
_COUNTING = "Yang, Cadilhac, Chiang, arXiv 2506.16055"
_PART = 1 / 20  # of the limit on cost, for what the answer can do without
_LANGUAGE = "L_1 = a+, L_(k+1) = L_k b+ or L_k a+ in turn"


@registered(subject="FORMULA")
def logic(formula: str, letters: str | Sequence[str] | None = None, *, expression: bool = False) -> Bound:
    """Return the attention layers that compute a formula of temporal logic: its nesting depth.

    The layers compute the formula at every position. The quantity of the bound describes the minimal automaton of the
    formula's language, the words at whose last position it holds (LTL of other tools asks at the first one), and gives the
    exponent n with x^n = x^(n+1) that makes the language star-free. Both are left out where they would cost more than a small
    part of the limit of `theory.cost`, because the depth does not need them.

    The operators are strict: F a, G a and a U b do not look at the position where they stand. For a regular expression, the
    layers are those of a formula for its non-empty words, one for each level of its reset cascade; a language that is not
    star-free is outside the hypotheses, and the bound names a word that shows it.

    Args:
        formula: Letters, ! & | -> <->, S (since), U (until), Y P H X F G, and counts such as '#[a] - #>[b] >= 1'; see
            `theory.logic.syntax`; or a `theory.logic.Formula`.
        letters: The alphabet, one character for each letter; by default the letters that occur.
        expression: Read the text as a regular expression, such as (ab)*.

    Raises:
        ValueError: The text is no formula or expression (the error gives the position and what was expected).
        TooExpensive: The automaton of an expression is too large.

    >>> logic("a S (b & P a)").at()
    2.0
    >>> logic("(ab)*", expression=True).at()
    2.0
    >>> logic("(aa)*", expression=True).at()
    Traceback (most recent call last):
    theory.errors.OutsideHypotheses: the bound on ... star-free: ... (the word a permutes the states 0, 1 ...
    """
    if expression:
        what, depth, structure, hypothesis = _language(formula, letters)
        counts = False
    else:
        found = formula if isinstance(formula, Formula) else parse(formula)
        depth, counts = found.depth, found.counts_positions
        what = f"the formula {shortened(found, 1000)} (nesting depth {depth})"
        structure, hypothesis = _formula(found, letters)
    heads = "uniform heads for counts" if counts else "unique hard attention, the strict mask, ties to the nearest position"
    return Bound(
        expr=sympy.oo if depth is None else sympy.Integer(depth),
        quantity=f"the number of attention layers that compute {what} at every position; {'; '.join(structure)}",
        assumes=(hypothesis, Assumption(f"{heads}; feed-forward parts of any size, no positions (taken as given)")),
        source=_COUNTING if counts else f"{_MASKED}; one layer a level, weights derived (theory.logic.program)",
    )


def _language(expression: str, letters: str | Sequence[str] | None) -> tuple[str, int | None, list[str], Assumption]:
    """What is asked, the depth or None, facts, and the hypothesis that the language is star-free."""
    dfa = regular(expression, letters)
    what = f"the language {expression}"
    structure = [f"{_states(dfa)} in the minimal automaton (letters {listed(dfa.letters)})"]
    if not dfa.is_star_free:
        word, states = dfa.period_witness() or ((), ())
        fails = Assumption(
            f"the language is star-free: its minimal automaton is aperiodic (the word {' '.join(word)} permutes the states "
            f"{', '.join(map(str, states))} without fixing them; no depth is enough)",
            sympy.false,
        )
        return what, None, structure, fails
    holds = Assumption("the minimal automaton is aperiodic (checked)")
    return what, formula_of(dfa).depth, structure + _exponent(dfa), holds


def _formula(formula: Formula, letters: str | Sequence[str] | None) -> tuple[list[str], Assumption]:
    """Facts about a formula and its language, and the hypothesis that comes with them."""
    alphabet = letters_of(formula, letters)
    over = f"(letters {listed(alphabet)})"
    if formula.counts_positions:
        exact = Assumption("counts are exact: log(length) bits of precision (taken as given)")
        return [reading(formula), f"counts: the language need not be regular, no automaton {over}"], exact
    given = Assumption("a language of temporal logic without counts is star-free (taken as given)")
    try:
        with share(_PART):
            dfa = minimal_dfa(formula, alphabet)
    except ValueError as error:  # of its size; the text and the alphabet were read
        why = error.estimate.work if isinstance(error, TooExpensive) else str(error).partition(",")[0]
        return [reading(formula), f"its minimal automaton is not listed: {why} {over}"], given
    states = f"{_states(dfa)} in the minimal automaton of the words at whose last position it holds {over}"
    exponent = _exponent(dfa)
    checked = Assumption("the minimal automaton is aperiodic (checked)") if exponent else given
    return [reading(formula), states, *exponent], checked


def _states(dfa: Dfa) -> str:
    return f"{dfa.num_states} state{'s' * (dfa.num_states != 1)}"


def _exponent(dfa: Dfa) -> list[str]:
    """The exponent of the monoid of an aperiodic automaton, in words; nothing if the monoid is too large to be listed."""
    try:
        with share(_PART):
            return [f"star-free: x^{dfa.index_and_period[0]} and one more x act alike for every word x"]
    except ValueError:  # of its size
        return []


@registered
def alternation(k: int, task: Literal["recognise", "predict"] = "recognise") -> Bound:
    """Return the layers of counting attention for k alternating blocks: k, or k - 2 to predict.

    Args:
        k: Number of blocks, at least 1.
        task: "recognise" decides whole words; "predict" decides after each prefix whether the word may end there (0 layers
            for k below 2).

    Raises:
        ValueError: `k` is not an integer >= 1, or the task is unknown.

    >>> alternation(k=5, task="predict").at()
    3.0
    >>> alternation(5).at()
    5.0
    """
    if task not in ("recognise", "predict"):
        raise ValueError(
            f"task = {task!r}: expected 'recognise' (decide whole words) or 'predict' (decide after each prefix whether the "
            "word may end), because the two tasks need different depths."
        )
    symbol = sympy.Symbol("k", positive=True)
    return Bound(
        expr=symbol if task == "recognise" else sympy.Max(symbol - 2, 0),
        quantity=f"the depth of one-sided counting formulas (C-RASP) that {task} k alternating blocks, {_LANGUAGE}",
        assumes=(
            integral(symbol),
            Assumption(
                "the past alone is counted; for prediction every prefix is one of a word of the language (taken as given)"
            ),
        ),
        source=f"{_COUNTING} (that less is not enough); formulas derived (theory.logic.counting)",
        values={symbol: sympy.Integer(positive_integer("k", k, "a number of blocks"))},
    )
