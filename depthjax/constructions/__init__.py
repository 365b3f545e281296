"""Explicit programs that realise a theorem: cascades, towers, recorders."""

from depthjax.constructions.automaton_cascade import CompiledAutomaton as CompiledAutomaton
from depthjax.constructions.automaton_cascade import compile_cascade as compile_cascade
from depthjax.constructions.doubling import scan_automaton as scan_automaton
from depthjax.constructions.gridworld import walled_walk as walled_walk
