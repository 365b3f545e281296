"""Explicit weights and programs that realise a theorem: cascades, towers, recorders, transformers."""

from depthjax.constructions.automaton_cascade import CompiledAutomaton as CompiledAutomaton
from depthjax.constructions.automaton_cascade import compile_cascade as compile_cascade
from depthjax.constructions.automaton_doubling import scan_automaton as scan_automaton
from depthjax.constructions.gridworld import walled_walk as walled_walk
from depthjax.constructions.hop import hop_transformer as hop_transformer
from depthjax.constructions.looped_doubling import looped_automaton as looped_automaton
from depthjax.constructions.masked_attention import compile_formula as compile_formula
from depthjax.constructions.masked_attention import compile_formulas as compile_formulas
