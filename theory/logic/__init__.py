"""Temporal logic, exactly: formulas, their truth, their minimal automata, and what attention needs to compute them.

>>> from theory.logic import evaluate, formula_of, minimal_dfa, parse, regular
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

from depthjax.doors import opened

opened(__name__)
