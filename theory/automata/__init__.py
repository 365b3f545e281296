"""Finite automata, exactly: transition monoids, the groups inside, Krohn-Rhodes decompositions, and regular languages."""

from theory.automata.cascade import Cascade
from theory.automata.dfa import Dfa
from theory.automata.named import load, semiautomaton
from theory.automata.regular import regular
from theory.automata.semiautomaton import Semiautomaton

__all__ = ["Cascade", "Dfa", "Semiautomaton", "load", "regular", "semiautomaton"]
