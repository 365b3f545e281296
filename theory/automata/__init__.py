"""Finite automata, exactly: transition monoids, the groups inside, and Krohn-Rhodes decompositions."""

from theory.automata.cascade import Cascade as Cascade
from theory.automata.named import load as load
from theory.automata.named import semiautomaton as semiautomaton
from theory.automata.semiautomaton import Semiautomaton as Semiautomaton
