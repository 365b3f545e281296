"""Training of classifiers of single inputs, many independent runs at a time."""

from collections.abc import Callable
from typing import Any, TypeVar

import jax
from jaxtyping import Array, Float, Integer, Key

from depthjax.training.fit import Fit, fit
from depthjax.training.losses import class_loss
from depthjax.training.recipe import Recipe

Result = TypeVar("Result")
Sample = Callable[[Key[Array, ""]], tuple[Array, Integer[Array, " batch"]]]


def fit_classifier(
    key: Key[Array, ""],
    params: Any,
    logits: Callable[[Any, Array], Float[Array, "batch classes"]],
    sample: Sample,
    recipe: Recipe,
) -> Fit:
    """Minimise the mean of -log p(class) in nats; the metric "accuracy" is the share of inputs whose class is right.

    Args:
        key: Randomness of batches, as in `depthjax.training.fit`.
        params: Initial parameters.
        logits: Parameters and inputs -> logits of the classes.
        sample: Key -> a batch of inputs and their classes, in the integer type of `argmax`.
        recipe: How to train.
    """
    return fit(key, params, class_loss(logits), sample, recipe)


def every_run(run: Callable[..., Result], *given: Any) -> Result:
    """Return what a training run makes of each entry of the given arrays, or trees of arrays, stacked, in one program.

    Accelerators train all runs at a time. A CPU trains one after the other: of recurrences and transformers of width 8 to 32
    such a program took 0.57 to 1.0 of the time of a program that trains all, and compiles in two thirds of the time or less.
    """
    together = None if jax.default_backend() == "cpu" else len(jax.tree.leaves(given[0])[0])
    return jax.lax.map(lambda one: run(*one), given, batch_size=together)
