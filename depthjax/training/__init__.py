"""Training: flows, optimisers and ensembles, each one compiled program."""

from depthjax.training.checkpoints import CheckpointError, Checkpoints, configuration_hash
from depthjax.training.ensemble import Ensemble, Segment, chosen_lanes, chosen_layout, ensemble
from depthjax.training.fit import Fit, Streams, fit, streams
from depthjax.training.recipe import Recipe

__all__ = [
    "CheckpointError",
    "Checkpoints",
    "Ensemble",
    "Fit",
    "Recipe",
    "Segment",
    "Streams",
    "chosen_lanes",
    "chosen_layout",
    "configuration_hash",
    "ensemble",
    "fit",
    "streams",
]
