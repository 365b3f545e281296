"""Every bound of `theory` by its public name: ``theory.bounds.<name>(...)``.

A bound stands beside the mathematics it comes from; this module collects the bounds of all rooms and completes the registry.
Each one is a `Bound` (or a report with one) and refuses to evaluate outside its hypotheses.

>>> from theory import bounds
>>> bounds.tower(letters=3, layers=2).expr
eps**4
"""

from theory.attention.contraction import collapse as collapse
from theory.attention.hops import hop as hop
from theory.attention.hops import sharpness as sharpness
from theory.attention.memory import one_layer as one_layer
from theory.attention.memory import one_layer_sort as one_layer_sort
from theory.attention.memory import recurrent_bits as recurrent_bits
from theory.attention.memory import self_exclusion_bits as self_exclusion_bits
from theory.attention.nearest import nearest_neighbour as nearest_neighbour
from theory.attention.nearest import nearest_neighbour_threshold as nearest_neighbour_threshold
from theory.attention.rank import rank as rank
from theory.attention.rank import rank_width as rank_width
from theory.attention.rounds import attention_rounds as attention_rounds
from theory.attention.rounds import mpc as mpc
from theory.attention.steps import written_steps as written_steps
from theory.attention.subquadratic import linear_readout as linear_readout
from theory.attention.subquadratic import subquadratic as subquadratic
from theory.attention.subquadratic import window_reach as window_reach
from theory.automata.depth import AutomatonDepth as AutomatonDepth
from theory.automata.depth import automaton as automaton
from theory.automata.depth import scan as scan
from theory.automata.glitches import glitch_rate as glitch_rate
from theory.automata.glitches import least_glitch_rate as least_glitch_rate
from theory.automata.glitches import unanimous_margin as unanimous_margin
from theory.automata.glitches import worst_glitch as worst_glitch
from theory.bound import Bound as Bound
from theory.bound import Hypothesis as Hypothesis
from theory.bounds.needed import LayersNeeded as LayersNeeded
from theory.bounds.needed import layers as layers
from theory.composition.narrow import narrow_loss as narrow_loss
from theory.composition.narrow import width_dichotomy as width_dichotomy
from theory.composition.networks import composition as composition
from theory.groups.depth import GroupDepth as GroupDepth
from theory.groups.depth import group as group
from theory.identify.contrast import contrastive as contrastive
from theory.identify.pairs import masked_pairs as masked_pairs
from theory.lie.depth import AlgebraDepth as AlgebraDepth
from theory.lie.depth import algebra as algebra
from theory.lie.flow import a_posteriori as a_posteriori
from theory.lie.flow import flow as flow
from theory.lie.flow import order_blind as order_blind
from theory.lie.graded import error_by_depth as error_by_depth
from theory.lie.horizon import angle_horizon as angle_horizon
from theory.lie.horizon import angle_loss as angle_loss
from theory.lie.horizon import phase_horizon as phase_horizon
from theory.lie.horizon import phase_loss as phase_loss
from theory.lie.radii import bch_radius as bch_radius
from theory.lie.radii import magnus_radius as magnus_radius
from theory.lie.rounded_roots import root_horizon as root_horizon
from theory.lie.tails import bch as bch
from theory.lie.tails import magnus as magnus
from theory.lie.tails import magnus_classical as magnus_classical
from theory.lie.tails import magnus_recent as magnus_recent
from theory.lie.tower import tower as tower
from theory.lie.tower import tower_leading as tower_leading
from theory.lie.word_problem import word as word
from theory.logic.depth import alternation as alternation
from theory.logic.depth import logic as logic
from theory.logic.log_depth import connectivity as connectivity
from theory.logic.log_depth import looped_doubling as looped_doubling
from theory.logic.log_depth import regular_language as regular_language
from theory.logic.log_depth import squarings as squarings
from theory.logic.runs import hard_attention_run as hard_attention_run
from theory.width.growth import residual as residual
from theory.width.growth import sensitivity as sensitivity
