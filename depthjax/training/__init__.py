"""Training: single runs, runs of many rows, depths and seeds, and gradient flows, each as one compiled program."""

from depthjax.training.checkpoints import CheckpointError, Checkpoints, configuration_hash
from depthjax.training.ensemble import Ensemble, Segment, ensemble
from depthjax.training.fit import Fit, Streams, fit, streams
from depthjax.training.layout import chosen_lanes, chosen_layout, depth_is_data
from depthjax.training.learner import Learner
from depthjax.training.named import named_optimiser
from depthjax.training.recipe import Recipe
from depthjax.training.stretches import Stretch, Together
from depthjax.training.trials import Trials, trials, where_trained

__all__ = [
    "CheckpointError",
    "Checkpoints",
    "Ensemble",
    "Fit",
    "Learner",
    "Recipe",
    "Segment",
    "Streams",
    "Stretch",
    "Together",
    "Trials",
    "chosen_lanes",
    "chosen_layout",
    "configuration_hash",
    "depth_is_data",
    "ensemble",
    "fit",
    "named_optimiser",
    "streams",
    "trials",
    "where_trained",
]
