"""Layers that formulas, star-free languages, alternating blocks, regular languages and connectivity take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import sympy

from theory.bounds.bound import Bound, Hypothesis, integer, positive_integer

__all__ = ["alternation", "connectivity", "logic", "looped_doubling", "reach", "regular_language", "squarings"]

_MASKED = "Yang, Chiang, Angluin, arXiv 2310.13897: masked hard attention = star-free"
_DEEP = "Yang, Cadilhac, Chiang, arXiv 2506.16055"
_LITTLE = "Merrill, Sabharwal, arXiv 2503.03961"


def logic(formula: str, letters: str | Sequence[str] | None = None, *, expression: bool = False) -> Bound:
    """Attention layers that compute a formula at every position: its nesting depth.

    The quantity names the minimal automaton of the formula's language at the last position, and the exponent n with x^n =
    x^(n+1) that makes it star-free.

    Args:
        formula: of temporal logic, see `theory.logic.syntax`; or, with `expression`, a regular expression.
        letters: the alphabet; by default the letters that occur.
        expression: the text is a regular expression: the layers are those of a formula for its non-empty words, the levels of
            its reset cascade; a language that is not star-free is outside the hypotheses.

    Raises:
        ValueError: no formula (position, and what was expected), or too large an automaton.

    >>> logic("a S (b & P a)").at()
    2.0
    >>> logic("(ab)*", expression=True).at()
    2.0
    >>> logic("(aa)*", expression=True).at()
    Traceback (most recent call last):
    theory.errors.OutsideHypotheses: the bound on ... star-free: ... (the word a permutes the states 0, 1 ...
    """
    # the automata of theory.logic need bounds on their input, which are here
    from theory.logic import minimal_dfa, parse, regular
    from theory.logic.starfree import formula_of

    if expression:
        dfa = regular(formula, letters)
        found = formula_of(dfa) if dfa.is_star_free else None
        what, depth = f"the language {formula}", None if found is None else found.depth
    else:
        found = parse(formula)
        dfa = None if found.counts_positions else minimal_dfa(found, letters)
        what, depth = f"the formula {found} (nesting depth {found.depth})", found.depth
    structure = [] if dfa is None else [f"{dfa.num_states} states in the minimal automaton (letters {', '.join(dfa.letters)})"]
    star_free = Hypothesis("a language of temporal logic without counts is star-free (taken as given)")
    if dfa is None:
        structure.append("counts: the language need not be regular, no automaton")
        star_free = Hypothesis("counts are exact: log(length) bits of precision (taken as given)")
    elif depth is not None:
        structure.append(f"star-free: x^{dfa.index_and_period()[0]} and one more x act alike for every word x")
        star_free = Hypothesis("the minimal automaton is aperiodic (checked)")
    else:
        word, states = dfa.period_witness() or ((), ())
        star_free = Hypothesis(
            f"the language is star-free: its minimal automaton is aperiodic (the word {' '.join(word)} permutes the states "
            f"{', '.join(map(str, states))} without fixing them; no depth is enough)",
            sympy.false,
        )
    heads = (
        "uniform heads for counts" if dfa is None else "unique hard attention, the strict mask, ties to the nearest position"
    )
    return Bound(
        expr=sympy.oo if depth is None else sympy.Integer(depth),
        quantity=f"the number of attention layers that compute {what} at every position; {'; '.join(structure)}",
        assumes=(star_free, Hypothesis(f"{heads}; feed-forward parts of any size, no positions (taken as given)")),
        source=f"{_DEEP}" if dfa is None else f"{_MASKED}; one layer a level, weights derived (theory.logic.program)",
    )


def alternation(k: int, task: Literal["recognise", "predict"] = "recognise") -> Bound:
    """Layers of counting attention for k alternating blocks: k to recognise, k - 2 to predict (none below k = 2).

    >>> alternation(5).at(), alternation(5, "predict").at()
    (5.0, 3.0)
    """
    if task not in ("recognise", "predict"):
        raise ValueError(f"task = {task!r}: 'recognise' whole words, or 'predict' after each prefix whether the word may end")
    symbol = sympy.Symbol("k", positive=True)
    return Bound(
        expr=symbol if task == "recognise" else sympy.Max(symbol - 2, 0),
        quantity=f"the depth of one-sided counting formulas (C-RASP) that {task} k alternating blocks, {_LANGUAGE}",
        assumes=(
            Hypothesis("k is an integer >= 1", sympy.Ge(symbol, 1) & sympy.Eq(symbol, sympy.floor(symbol))),
            Hypothesis(
                "the past alone is counted; for prediction every prefix is one of a word of the language (taken as given)"
            ),
        ),
        source=f"{_DEEP} (that less is not enough); formulas derived (theory.logic.counting)",
        values={symbol: sympy.Integer(positive_integer("k", k, "a number of blocks"))},
    )


_LANGUAGE = "L_1 = a+, L_(k+1) = L_k b+ or L_k a+ in turn"


def regular_language(length: int, *, uniform: bool = False) -> Bound:
    """Layers that the literature's log-depth transformer uses for any regular language: 4 ceil(log2 n) + 5.

    Whence the number: a tree over the letters, one level a doubling, and one level more, in which the last token takes up the
    root; a level is four layers (the position before, what it holds, the last block whose turn it was, the product and the
    clearing of cells), or eight where whose turn it is must be counted modulo two by layers that repeat; a last layer looks the
    answer up: 4 (ceil(log2 n) + 1) + 1, or 8 (ceil(log2 n) + 1) + 1 for one looped network (``uniform``). It is an upper bound
    of one construction: the same model does it in :func:`looped_doubling` layers, and given positions in :func:`scan`.

    >>> regular_language(100).at(), regular_language(100, uniform=True).at()
    (33.0, 65.0)
    """
    symbol = sympy.Symbol("length", positive=True)
    repeated, fixed = (8, 9) if uniform else (4, 5)
    return Bound(
        expr=repeated * sympy.ceiling(sympy.log(symbol, 2)) + fixed,
        quantity="the number of layers of the published log-depth transformer that recognises a regular language",
        assumes=(
            Hypothesis("length is an integer >= 1", sympy.Ge(symbol, 1) & sympy.Eq(symbol, sympy.floor(symbol))),
            Hypothesis("averaging hard attention, causal mask, begin token, no positions, log(length) bits (taken as given)"),
        ),
        source=f"{_LITTLE}, {'Theorem 1' if uniform else 'Corollary 1.1'} (constants quoted)",
        values={symbol: sympy.Integer(positive_integer("length", length, "a number of letters"))},
    )


def looped_doubling(length: int, precision: int | None = None) -> Bound:
    """Layers in which a looped transformer without positions reads a word by any automaton: 1 + ceil(log2 n).

    One layer counts the letters before each position, and the same layer, repeated, doubles the block that a position knows and
    moves its pointer to the block in front. The model is that of :func:`regular_language`. The pointers are compared by the
    cosine of ``(i, 1)`` and ``(j, 1)``, whose square is ``1 - (i - j)^2 / ((i^2 + 1)(j^2 + 1))``: with p bits words of length n
    are safe while the gap ``1/(2 (n^2 + 1)((n + 1)^2 + 1))`` is at least eight units in the last place.

    Args:
        length: n, letters.
        precision: bits of the significand, 53 for float64, from which the length is checked.

    >>> [looped_doubling(n).at() for n in (1, 2, 3, 100)]
    [1.0, 2.0, 3.0, 8.0]
    >>> looped_doubling(100, precision=24).at()
    Traceback (most recent call last):
    theory.errors.OutsideHypotheses: the bound on ... 2^4 (n^2 + 1)((n + 1)^2 + 1) <= 2^(precision - 1) ...
    """
    symbol, bits = sympy.Symbol("length", positive=True), sympy.Symbol("precision", positive=True)
    gap = "the pointers differ by more than rounding: 2^4 (n^2 + 1)((n + 1)^2 + 1) <= 2^(precision - 1)"
    fine = Hypothesis(f"{gap} (taken as given: no precision)")
    values = {symbol: sympy.Integer(positive_integer("length", length, "a number of letters"))}
    if precision is not None:
        fine = Hypothesis(gap, sympy.Le(16 * (symbol**2 + 1) * ((symbol + 1) ** 2 + 1), 2 ** (bits - 1)))
        values[bits] = sympy.Integer(positive_integer("precision", precision, "bits of a significand"))
    return Bound(
        expr=sympy.ceiling(sympy.log(symbol, 2)) + 1,
        quantity="the number of layers of a looped transformer without positions that reads every prefix by an automaton",
        assumes=(
            Hypothesis("averaging hard attention, causal mask, begin token, masked pre-norm, no positions (taken as given)"),
            fine,
        ),
        source=f"the model of {_LITTLE}; pointers and weights derived (depthjax.constructions.looped_doubling)",
        values=values,
    )


def squarings(vertices: int) -> Bound:
    """Squarings of the reachability relation after which every graph on n vertices is done: ceil(log2(n - 1)).

    A shortest path has at most n - 1 edges and r squarings of A + I reach paths of 2^r edges; the path graph has a pair of
    vertices at distance n - 1, so it needs them all.

    >>> [squarings(n).at() for n in (2, 3, 5, 6, 9, 10)]
    [0.0, 1.0, 2.0, 3.0, 3.0, 4.0]
    """
    symbol = sympy.Symbol("vertices", positive=True)
    return Bound(
        expr=sympy.ceiling(sympy.log(symbol - 1, 2)),
        quantity="the number of squarings of the reachability matrix that settle every graph on so many vertices",
        assumes=(Hypothesis("vertices is an integer >= 2", sympy.Ge(symbol, 2) & sympy.Eq(symbol, sympy.floor(symbol))),),
        source="paths of 2^r edges after r squarings (derived)",
        values={symbol: sympy.Integer(positive_integer("vertices", vertices, "a number of vertices"))},
    )


def connectivity(vertices: int) -> Bound:
    """Layers that the literature's log-depth transformer uses for connectivity: 2 ceil(log2 n) + 18; the constants are quoted.

    >>> connectivity(64).at()
    30.0
    """
    symbol = sympy.Symbol("vertices", positive=True)
    return Bound(
        expr=2 * sympy.ceiling(sympy.log(symbol, 2)) + 18,
        quantity="the number of layers of the published log-depth transformer that decides connectivity",
        assumes=(
            Hypothesis("vertices is an integer >= 1", sympy.Ge(symbol, 1) & sympy.Eq(symbol, sympy.floor(symbol))),
            Hypothesis("causal and unmasked heads, n^2 + n^3 tokens of padding (taken as given)"),
        ),
        source=f"{_LITTLE}, Theorem 2 (constants quoted)",
        values={symbol: sympy.Integer(positive_integer("vertices", vertices, "a number of vertices"))},
    )


def reach(layers: int, repeated: int, fixed: int) -> int:
    """The largest n with repeated * ceil(log2 n) + fixed <= layers: 2^floor((layers - fixed) / repeated), 0 if none.

    Derivation: ceil(log2 n) <= m iff n <= 2^m for integers m >= 0, and the budget says m = floor((layers - fixed) /
    repeated). Without the floor the exponent is too large wherever `repeated` does not divide: 2^((layers - 5) / 4) allows n
    = 3 at 12 layers, where 4 ceil(log2 3) + 5 = 13.

    >>> reach(12, 4, 5), reach(13, 4, 5), reach(4, 4, 5)
    (2, 4, 0)
    """
    layers, fixed = integer("layers", layers, "the budget"), integer("fixed", fixed, "layers beside the doublings")
    repeated = positive_integer("repeated", repeated, "layers a doubling")
    return 0 if layers < fixed else 2 ** ((layers - fixed) // repeated)
