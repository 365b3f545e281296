"""What a training objective determines: hidden Markov models from masked prediction, Gaussians from noise contrast."""

from theory.identify.jennrich import best_directions, eigenvalue_ratios, sampling_variance
from theory.identify.markov import HiddenMarkov, kruskal_rank
from theory.identify.pairs import allowed_turn, cayley, pair_freedom, rotated, three_cycle, turn_angle
from theory.identify.triples import SIX, freedom, joint, solutions

__all__ = [
    "SIX",
    "HiddenMarkov",
    "allowed_turn",
    "best_directions",
    "cayley",
    "eigenvalue_ratios",
    "freedom",
    "joint",
    "kruskal_rank",
    "pair_freedom",
    "rotated",
    "sampling_variance",
    "solutions",
    "three_cycle",
    "turn_angle",
]
