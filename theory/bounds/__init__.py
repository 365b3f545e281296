"""Bounds with their domain and their source: each is a `Bound` that refuses to speak outside its hypotheses."""

from theory.bounds.algebra import AlgebraDepth, algebra
from theory.bounds.automata import AutomatonDepth, automaton, scan
from theory.bounds.bound import Bound, Hypothesis
from theory.bounds.collapse import collapse
from theory.bounds.composition import composition
from theory.bounds.flow import a_posteriori, flow, order_blind
from theory.bounds.glitches import glitch_rate, least_glitch_rate, unanimous_margin, worst_glitch
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
from theory.bounds.horizon import angle_horizon, angle_loss, phase_horizon, phase_loss, ulp
from theory.bounds.identify import contrastive, masked_pairs
from theory.bounds.logic import alternation, connectivity, logic, looped_doubling, reach, regular_language, squarings
from theory.bounds.radii import bch_radius, magnus_radius
from theory.bounds.residual import residual, sensitivity
from theory.bounds.separation import rank, rank_width
from theory.bounds.series import bch, magnus, magnus_classical, magnus_recent, permutation_constant
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
    "alternation",
    "angle_horizon",
    "angle_loss",
    "automaton",
    "bch",
    "bch_radius",
    "collapse",
    "composition",
    "connectivity",
    "contrastive",
    "cycle_rounds",
    "flow",
    "glitch_rate",
    "group",
    "hop",
    "hop_reach",
    "hop_width",
    "least_glitch_rate",
    "logic",
    "longest_exact_length",
    "lookup_threshold",
    "looped_doubling",
    "magnus",
    "magnus_classical",
    "magnus_radius",
    "magnus_recent",
    "masked_pairs",
    "one_layer",
    "one_layer_sort",
    "order_blind",
    "permutation_constant",
    "phase_horizon",
    "phase_loss",
    "rank",
    "rank_width",
    "reach",
    "recurrent_bits",
    "regular_language",
    "residual",
    "scan",
    "self_exclusion_bits",
    "sensitivity",
    "sharpness",
    "squarings",
    "tower",
    "tower_leading",
    "ulp",
    "unanimous_margin",
    "word",
    "word_dimension",
    "worst_glitch",
]
