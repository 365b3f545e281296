from depthjax.constructions.compiled.automaton import CompiledAutomaton as CompiledAutomaton
from depthjax.constructions.compiled.automaton import compile_cascade as compile_cascade
from depthjax.constructions.compiled.formulas import compile_formula as compile_formula
from depthjax.constructions.compiled.formulas import compile_formulas as compile_formulas
from depthjax.constructions.directions.gridworld import walled_walk as walled_walk
from depthjax.constructions.directions.hop import hop_transformer as hop_transformer
from depthjax.constructions.doubling.automaton import scan_automaton as scan_automaton
from depthjax.constructions.doubling.looped import looped_automaton as looped_automaton
