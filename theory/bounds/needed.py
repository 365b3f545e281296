"""How many layers a group, an automaton, a regular language, a formula or a Lie algebra needs: one answer of one shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

import numpy as np
import sympy

from theory.automata import Dfa, Semiautomaton, named_or_loaded, semiautomaton
from theory.automata.alphabet import listed
from theory.automata.depth import automaton as automaton_depth
from theory.automata.depth import scan
from theory.automata.limits import ClassLayers, ClassLimits, class_layers, class_limits
from theory.bound import Bound, Report
from theory.groups import FiniteGroup, finite_group
from theory.groups.depth import group as group_depth
from theory.groups.reflections import reflections
from theory.lie.algebra import LieAlgebra
from theory.lie.depth import algebra as algebra_depth
from theory.logic import AtLeast, Formula, Until, minimal_dfa, parse
from theory.logic.depth import logic
from theory.logic.formula import shortened
from theory.logic.operators import reading
from theory.logic.truth import letters_of
from theory.registry import registered

__all__ = ["LayersNeeded", "layers"]

FACTORED = "delta_product"
"""The class whose factors are counted over all representations of a group."""

LETTERED = (FACTORED, "time_invariant", "rank_one")
"""The classes that ask what each letter does; the others ask what words do, so generators of a group tell as much."""

LARGEST = 1000
"""Order of the largest group whose representations are looked through."""


@dataclass(frozen=True, repr=False)
class LayersNeeded(Report):
    """How many layers something needs, with the reason.

    Attributes:
        of: What was asked about.
        number: Number of layers that serve words of any length; None if no number does.
        exact: Whether fewer never do; else the number is the least of the constructions that are known, and fewer may do.
        kind: The layers that are counted.
        each: What each layer does or what each level adds, in the order of the computation.
        reason: Why this number is enough, or why none is.
        bound: The number with its hypotheses; it refuses to evaluate if no number serves all lengths.
        otherwise: Layers that serve words up to a length by doubling, whatever the group inside; None where doubling does not
            apply, because states are not finitely many or the truth at a position depends on later letters.
    """

    of: str
    number: int | None
    exact: bool
    kind: str
    each: tuple[str, ...]
    reason: str
    bound: Bound
    otherwise: Bound | None

    @property
    def statement(self) -> str:
        """The answer in a sentence."""
        count = "no fixed number of" if self.number is None else f"{'' if self.exact else 'at most '}{self.number}"
        return f"{self.of}: {count} {self.kind}{'s' * (self.number != 1)}, because {self.reason}"

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """The answer in words, the layers, and the layers by doubling."""
        found = {"in words": (self.statement,), "layers": self.each}
        if self.otherwise is not None:
            found["by doubling"] = (f"{self.otherwise.expr} attention layers for words up to a length",)
        return found


@overload
def layers(
    *,
    group: str | FiniteGroup | None = None,
    automaton: str | Semiautomaton | Dfa | Mapping[Any, Any] | None = None,
    expression: str | None = None,
    formula: str | Formula | None = None,
    algebra: str | LieAlgebra | None = None,
    letters: str | Sequence[str] | None = None,
    class_: None = None,
) -> LayersNeeded: ...
@overload
def layers(
    *,
    group: str | FiniteGroup | None = None,
    automaton: str | Semiautomaton | Dfa | Mapping[Any, Any] | None = None,
    expression: str | None = None,
    formula: str | Formula | None = None,
    algebra: str | LieAlgebra | None = None,
    letters: str | Sequence[str] | None = None,
    class_: str,
) -> ClassLayers | ClassLimits: ...
@registered
def layers(
    *,
    group: str | FiniteGroup | None = None,
    automaton: str | Semiautomaton | Dfa | Mapping[Any, Any] | None = None,
    expression: str | None = None,
    formula: str | Formula | None = None,
    algebra: str | LieAlgebra | None = None,
    letters: str | Sequence[str] | None = None,
    class_: str | None = None,
) -> Report:
    """Return how many layers a group, an automaton, a language, a formula or a Lie algebra needs.

    Each kind of object is asked in its own room (`bounds.group`, `bounds.automaton`, `bounds.logic`, `bounds.algebra`), and the
    answers have one shape: the number of layers that serve words of any length, the layers, and the reason. For groups and
    algebras fewer layers never serve. For automata, languages and formulas the answer says "at most": it is the number of a
    construction, the least of those that are known.

    With a class of layers the answer counts layers of that class, at any width, or says that no number does. For a formula of
    the past they follow its minimal automaton, whose state tells its truth. A class alone is asked what it can and cannot do.

    Args:
        group: A group, its name, or what `theory.groups.finite_group` reads: Q8, S4, A5, a file; the task is to track products.
        automaton: A semiautomaton, its name, a JSON file, or a dictionary {state: {letter: next state}}; the task is the state.
        expression: A regular expression; the task is the state of its minimal automaton.
        formula: A formula of temporal logic; the task is its truth at every position.
        algebra: A Lie algebra or its name, such as se2, so3; the task is to simulate its systems exactly.
        letters: The alphabet of an expression or a formula, one character for each letter; by default the letters that occur.
        class_: A class of layers (`theory.automata.limits.LIMITS`): abelian, positive, signed, complex, time_invariant,
            delta_net, delta_product, rank_one, pd, dense, nonlinear, window or attention.

    Raises:
        ValueError: Not exactly one of them is given, there is no such object or class, or the depth of a class is not known.
        TooExpensive: The object is too large, see `theory.cost`.

    >>> layers(group="Q8").number, layers(formula="a S (b & P a)").number, layers(group="A5").number
    (2, 2, None)
    >>> layers(automaton={"even": {"a": "odd", "b": "even"}, "odd": {"a": "even", "b": "odd"}})
    <LayersNeeded: this automaton: at most 1 abelian or reset layer, because every group inside is solvable (levels by...>
    >>> [layers(group="S3", class_=name).number for name in ("signed", "complex", "delta_product")]
    [None, 2, 1]
    >>> [layers(formula="P a", class_=name).number for name in ("window", "positive")]
    [None, 1]
    """
    asked = {"group": group, "automaton": automaton, "expression": expression, "formula": formula, "algebra": algebra}
    given = [name for name, thing in asked.items() if thing is not None]
    if class_ is not None and not given:
        if letters is not None:
            raise ValueError(f"letters = {letters!r:.80}: a class of layers has no alphabet; it belongs to an expression")
        return class_limits(class_)
    if len(given) != 1:
        raise ValueError(f"expected one of {', '.join(asked)}, got {' and '.join(given) or 'none'}: each asks another question")
    if class_ is not None:
        return _of_class(class_, given[0], asked[given[0]], letters)
    match given[0]:
        case "automaton":
            return _automaton(automaton, letters)
        case "expression":
            return _expression(expression, letters)
        case "formula":
            return _formula(formula, letters)
    if letters is not None:
        raise ValueError(f"letters = {letters!r:.80}: {_a(given[0])} has no alphabet; it belongs to an expression or a formula")
    return _group(group) if given[0] == "group" else _algebra(algebra)


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'ae' else 'a'} {kind}"


def _answer(
    of: str, kind: str, each: tuple[str, ...], reason: str, bound: Bound, otherwise: Bound | None, *, exact: bool
) -> LayersNeeded:
    number = int(bound.at()) if bound.expr != sympy.oo else None
    return LayersNeeded(of, number, exact, kind, each, reason, bound, otherwise)


def _group(given: Any) -> LayersNeeded:
    found = group_depth(given)
    orders = ", ".join(map(str, found.derived_orders))
    if found.derived_length is None:
        reason = f"its derived series stops at a perfect subgroup of order {found.derived_orders[-1]}"
    else:
        reason = f"its derived series has orders {orders}"
    each = tuple(" x ".join(f"C{modulus}" for modulus in stage) for stage in found.stages)
    return _answer(found.name, "abelian layer", each, reason, found.bound, scan(), exact=True)


def _automaton(given: Any, letters: str | Sequence[str] | None = None) -> LayersNeeded:
    found = automaton_depth(given, letters=letters)
    witness = found.automaton.perfect_witness()
    reason = "every group inside is solvable" if witness is None else f"it holds {witness.description}"
    if found.is_aperiodic:
        reason = "it is aperiodic: every group inside is trivial"
    if witness is None:
        reason += f" ({found.construction})"
    of = found.automaton.name
    if isinstance(given, str) and found.automaton.letters:
        of = f"{of} (letters {listed(found.automaton.letters)})"
    return _answer(of, "abelian or reset layer", found.levels, reason, found.bound, scan(), exact=False)


def _of_class(name: str, kind: str, given: Any, letters: str | Sequence[str] | None) -> ClassLayers:
    """The layers of a class for a group, whose elements are the letters, or for an automaton, a language or a formula."""
    class_limits(name)  # an unknown class is refused before the object is built
    if kind == "algebra":
        raise ValueError(
            "an algebra and a class of layers: classes follow automata with finitely many states; ask for a group, an "
            "automaton, an expression or a formula"
        )
    if kind == "formula":
        return _of_past(name, _read(given), letters)
    if kind != "expression" and letters is not None and not (isinstance(given, str) and given.startswith("regex:")):
        raise ValueError(f"letters = {letters!r:.80}: this {kind} has its own letters; an alphabet belongs to an expression")
    if kind == "group":
        of = finite_group(given)
        columns = slice(None) if name in LETTERED else [0, *of.generators]
        moves = Semiautomaton(of.table[:, columns].astype(np.int64), of.name)
        return class_layers(name, moves, of.name, reason=_factors(of) if name == FACTORED else "")
    a = named_or_loaded(_regex(given) if kind == "expression" else given, letters)
    over = f" (letters {listed(a.letters)})" if a.letters and isinstance(given, str) else ""
    return class_layers(name, a, f"{a.name}{over}")


def _of_past(name: str, formula: Formula, letters: str | Sequence[str] | None) -> ClassLayers:
    """The layers of a class for the minimal automaton of a formula of the past, whose state tells its truth."""
    if any(isinstance(part, Until) for part in formula.subformulas):
        raise ValueError(
            f"formula = {shortened(formula, 80)} and a class of layers: layers read from left to right, and its truth depends "
            "on later letters; ask without a class, or for the expression of a language"
        )
    dfa = minimal_dfa(formula, letters)
    of = f"the automaton of {shortened(formula, 80)} (letters {listed(letters_of(formula, letters))})"
    return class_layers(name, semiautomaton(dfa), of)


def _factors(of: FiniteGroup) -> str:
    """How many factors the letters of a group need, in the best representation; of a large group what its class says."""
    if of.order > LARGEST:
        return ""
    found = reflections(of)
    parts = " and ".join(f"irrep {part.number} of {part.dimension} real dimensions" for part in found.parts)
    return (
        f"letters are products of at most {found.number} reflections in {parts} (num_householder = {found.number})"
        if parts
        else ""
    )


def _expression(given: Any, letters: str | Sequence[str] | None) -> LayersNeeded:
    return _automaton(_regex(given), letters)


def _regex(given: Any) -> str:
    if not isinstance(given, str):
        raise ValueError(
            f"expression = {given!r:.80}: expected a regular expression such as '(ab)*'; for others ask `automaton`"
        )
    return f"regex:{given}"


def _read(given: Any) -> Formula:
    formula = parse(given) if isinstance(given, str) else given
    if not isinstance(formula, Formula):
        raise ValueError(f"formula = {given!r:.80}: expected a formula, or its text such as 'a S b'.")
    return formula


def _formula(given: Any, letters: str | Sequence[str] | None) -> LayersNeeded:
    formula = _read(given)
    by_depth: dict[int, list[str]] = {}
    for part in formula.subformulas:
        if part.is_temporal:
            by_depth.setdefault(part.depth, []).append(shortened(part, 1000))
    each = tuple(", ".join(parts) for _, parts in sorted(by_depth.items()))
    alphabet = letters_of(formula, letters)
    reason = f"its operators nest {formula.depth} deep; {reading(formula)}"
    regular_past = not any(isinstance(part, (Until, AtLeast)) for part in formula.subformulas)
    otherwise = scan() if regular_past else None
    of = f"{shortened(formula, 1000)} at every position (letters {listed(alphabet)})"
    bound = logic(formula, alphabet)  # type: ignore[arg-type]
    return _answer(of, "masked attention layer", each, reason, bound, otherwise, exact=False)


def _algebra(given: Any) -> LayersNeeded:
    found = algebra_depth(given)
    dimensions = found.derived_dimensions
    each: tuple[str, ...] = ()
    if found.derived_length is None:
        reason = f"its derived series stops at dimension {dimensions[-1]}"
    else:
        reason = f"its derived series has dimensions {', '.join(map(str, dimensions))}"
        each = tuple(f"R^{first - second}" for first, second in pairwise(dimensions))
    return _answer(found.name, "abelian layer", each, reason, found.bound, None, exact=True)
