"""Training: flows, optimisers and ensembles, each one compiled program."""

from depthjax.training.fit import Fit, Streams, fit, streams
from depthjax.training.recipe import Recipe

__all__ = ["Fit", "Recipe", "Streams", "fit", "streams"]
