"""Bounds with their domain and their source: each is a `Bound` that refuses to speak outside its hypotheses."""

from theory.bounds.algebra import AlgebraDepth, algebra
from theory.bounds.automata import AutomatonDepth, automaton, scan
from theory.bounds.bound import Bound, Hypothesis
from theory.bounds.composition import composition
from theory.bounds.flow import a_posteriori, flow, order_blind
from theory.bounds.groups import GroupDepth, group
from theory.bounds.hops import (
    MANTISSAS,
    cycle_rounds,
    hop,
    hop_reach,
    hop_width,
    longest_exact_length,
    lookup_threshold,
    one_layer,
    one_layer_sort,
    recurrent_bits,
    self_exclusion_bits,
    sharpness,
)
from theory.bounds.radii import bch_radius, magnus_radius
from theory.bounds.series import bch, magnus, magnus_classical
from theory.bounds.tower import tower, tower_leading
from theory.bounds.words import word, word_dimension

__all__ = [
    "MANTISSAS",
    "AlgebraDepth",
    "AutomatonDepth",
    "Bound",
    "GroupDepth",
    "Hypothesis",
    "a_posteriori",
    "algebra",
    "automaton",
    "bch",
    "bch_radius",
    "composition",
    "cycle_rounds",
    "flow",
    "group",
    "hop",
    "hop_reach",
    "hop_width",
    "longest_exact_length",
    "lookup_threshold",
    "magnus",
    "magnus_classical",
    "magnus_radius",
    "one_layer",
    "one_layer_sort",
    "order_blind",
    "recurrent_bits",
    "scan",
    "self_exclusion_bits",
    "sharpness",
    "tower",
    "tower_leading",
    "word",
    "word_dimension",
]
