"""Finite automata, exactly: transition monoids, the groups inside, Krohn-Rhodes decompositions, and regular languages."""

from theory.automata.cascade import Cascade
from theory.automata.dfa import Dfa
from theory.automata.files import load
from theory.automata.named import named_or_loaded, semiautomaton
from theory.automata.regular import regular
from theory.automata.semiautomaton import Semiautomaton

__all__ = ["Cascade", "Dfa", "Semiautomaton", "load", "named_or_loaded", "regular", "semiautomaton"]
