"""Temporal logic, exactly: formulas, their truth, their minimal automata, and what attention needs to compute them.

>>> formula = parse("a & H (a -> !Y a)")  # ends with a, and before that no two in a row
>>> formula.depth, evaluate(formula, ["aba", "aab"])[:, -1].tolist()
(2, [True, False])
>>> dfa = minimal_dfa(formula)
>>> dfa.num_states, dfa.is_star_free, dfa.counts(6)
(4, True, (0, 1, 2, 3, 5, 8, 13))
>>> regular("(aa)*").is_star_free, formula_of(regular("(ab)*")).depth
(False, 2)

A formula runs as attention, one layer for each level of its depth: ``experiments.networks.formula(formula)`` builds the
network, which answers on strings and shows what its layers know.

>>> from experiments import networks
>>> networks.formula(formula)("aba")
(True, False, True)
"""

from theory.automata import Dfa, regular
from theory.logic.automaton import difference, minimal_dfa
from theory.logic.formula import FALSE, TRUE, And, AtLeast, Atom, Count, Formula, Not, Or, Since, Truth, Until
from theory.logic.starfree import formula_of
from theory.logic.syntax import parse
from theory.logic.truth import evaluate

__all__ = [
    "FALSE",
    "TRUE",
    "And",
    "AtLeast",
    "Atom",
    "Count",
    "Dfa",
    "Formula",
    "Not",
    "Or",
    "Since",
    "Truth",
    "Until",
    "difference",
    "evaluate",
    "formula_of",
    "minimal_dfa",
    "parse",
    "regular",
]
