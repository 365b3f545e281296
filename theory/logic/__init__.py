"""Temporal logic, exactly: formulas, their truth, their minimal automata, and what attention needs to compute them.

>>> formula = parse("a & H (a -> !Y a)")  # ends with a, and before that no two in a row
>>> formula.depth, evaluate(formula, ["aba", "aab"])[:, -1].tolist()
(2, [True, False])
>>> dfa = minimal_dfa(formula)
>>> dfa.num_states, dfa.is_star_free, dfa.counts(6)
(4, True, (0, 1, 2, 3, 5, 8, 13))
>>> regular("(aa)*").is_star_free, formula_of(regular("(ab)*")).depth
(False, 2)

A formula runs as attention, one layer for each level of its depth:
``depthjax.constructions.compile_formula(theory.logic.program.program(formula))``.
"""

from theory.logic.automaton import Dfa as Dfa
from theory.logic.automaton import difference as difference
from theory.logic.automaton import minimal_dfa as minimal_dfa
from theory.logic.formula import FALSE as FALSE
from theory.logic.formula import TRUE as TRUE
from theory.logic.formula import And as And
from theory.logic.formula import AtLeast as AtLeast
from theory.logic.formula import Atom as Atom
from theory.logic.formula import Count as Count
from theory.logic.formula import Formula as Formula
from theory.logic.formula import Not as Not
from theory.logic.formula import Or as Or
from theory.logic.formula import Since as Since
from theory.logic.formula import Truth as Truth
from theory.logic.formula import Until as Until
from theory.logic.regular import regular as regular
from theory.logic.starfree import formula_of as formula_of
from theory.logic.syntax import FormulaError as FormulaError
from theory.logic.syntax import parse as parse
from theory.logic.words import all_words as all_words
from theory.logic.words import evaluate as evaluate
