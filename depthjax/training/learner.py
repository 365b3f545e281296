"""What a run trains, as a claim says it and as programs are told it."""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import jax
from jaxtyping import Array, PyTree

from depthjax.training.fit import Fit, Loss, Optimiser, Sample, streams
from depthjax.training.recipe import Recipe


class Learner(NamedTuple):
    """A network, its training and its test.

    Attributes:
        params: Initial parameters.
        loss: (Parameters, batch) -> (mean loss, metrics).
        sample: Key -> batch.
        recipe: Training recipe.
        test: Finished run -> what is kept of it, a tree of arrays.
        validate: Key -> validation batch. None takes `sample`, with a key of its own.
        optimiser: Any optax transformation, which then decides rates, decay and clipping. None takes the recipe's.

    >>> learner = Learner((), lambda params, batch: (0.0, {}), lambda key: (), Recipe(10, 0.1), lambda found: found.params)
    >>> learner.validate is None
    True
    """

    params: PyTree
    loss: Loss
    sample: Sample
    recipe: Recipe
    test: Callable[[Fit], Any]
    validate: Sample | None = None
    optimiser: Optimiser = None


class Asked(NamedTuple):
    """What shapes a program, beside arrays.

    Attributes:
        trial: (setup, streams of a run, *row, *shared) -> what is trained.
        setup: Whatever is not an array.
        impl: How keys become numbers.

    >>> Asked._fields
    ('trial', 'setup', 'impl')
    """

    trial: Callable[..., Learner]
    setup: Hashable
    impl: str

    def of(self, key: Array, row: tuple, shared: tuple) -> tuple[Array, Learner]:
        """Return the key of a run, and what is trained."""
        key = jax.random.wrap_key_data(key, impl=self.impl)
        return key, self.trial(self.setup, streams(key), *row, *shared)
