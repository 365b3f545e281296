"""What a run trained, measured in the program of the run: its steps, its rates, its weights, and which of them moved.

A weight whose slope stays one tells the rates. AdamW moves it by the learning rate at every step, whatever clips the gradient,
so at the end it lies as far from zero as all rates together.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PyTree

from depthjax.models import SequenceModel
from depthjax.rounding import rounding_floor
from depthjax.training import Fit, Learner, Recipe
from depthjax.training.fit import Optimiser, fit

MOVED = 5e-3  # change of a weight that neither rounding nor the decay of weights makes, but a step or a few do
FELT = 1e-4  # change of an output, relative to the largest output, that rounding does not make


class Facts(NamedTuple):
    """What was trained, one entry a run.

    Attributes:
        steps: Steps taken.
        travel: How far training by this recipe moves a weight whose slope stays one.
        weights: Numbers that the network is made of.
        parts: Parts of the network in which some weight moved.
    """

    steps: Int[Array | np.ndarray, "*runs"] | Float[np.ndarray, "*runs"]
    travel: Float[Array | np.ndarray, "*runs"]
    weights: Int[Array | np.ndarray, "*runs"] | Float[np.ndarray, "*runs"]
    parts: Int[Array | np.ndarray, "*runs"] | Float[np.ndarray, "*runs"]

    def named(self) -> dict[str, tuple[np.ndarray, Any, str]]:
        """Return what a claim judges, by name: values with NaN for a run that failed, their rounding floor, and a label."""
        steps, travel, weights, parts = (np.asarray(part, float) for part in self)
        rounding = rounding_floor(max(float(np.nan_to_num(steps).max()), 1.0), jnp.dtype("float32"), np.nan_to_num(travel))
        return {
            "steps": (steps, 0.0, "steps of the optimiser"),
            "travel": (travel, rounding, "distance that training moves a weight of slope one"),
            "weights": (weights, 0.0, "numbers that a network is made of"),
            "parts": (parts, 0.0, "parts of a network that training moves"),
        }


def watched(learner: Learner, layers: Callable[[Any], PyTree] | None = None) -> Learner:
    """Return the learner whose test also returns the `Facts` of its run.

    Args:
        learner: What is trained.
        layers: Parameters -> arrays of stacked layers, which are then the parts of the network. None: the arrays are the parts.

    >>> from depthjax.training import Recipe, trials
    >>> def trial(setup, own):
    ...     loss = lambda params, batch: ((params["used"] ** 2).sum(), {})
    ...     params = {"used": jnp.ones(2), "free": jnp.ones(3)}
    ...     recipe = Recipe(10, 0.1, warmup=5, record_every=10)
    ...     return watched(Learner(params, loss, lambda key: (), recipe, lambda found: found.params["used"]))
    >>> _, facts = trials(trial, None, jax.random.split(jax.random.key(0), 1)).found
    >>> facts.steps.tolist(), facts.travel.round(4).tolist(), facts.weights.tolist(), facts.parts.tolist()
    ([10], [0.5], [5], [1])
    """

    def test(found: Fit) -> tuple[Any, Facts]:
        size = sum(leaf.size for leaf in jax.tree.leaves(found.params))
        parts = _moved_parts(learner.params, found.params, layers)
        return learner.test(found), Facts(found.steps, travel(learner.recipe, learner.optimiser), jnp.asarray(size), parts)

    return learner._replace(test=test)


def travel(recipe: Recipe, optimiser: Optimiser = None) -> Float[Array, ""]:
    """Return how far training moves a weight whose slope stays one.

    Without warm-up this is the rate times the steps where the rate is constant. With warm-up, and a rate that then falls like a
    cosine, it is half of that.

    Args:
        recipe: The training recipe.
        optimiser: What takes the place of the recipe's optimiser; None for nothing.

    >>> print(f"{travel(Recipe(100, 0.01, warmup=5)):.4f}", f"{travel(Recipe(100, 0.01, schedule='constant')):.4f}")
    0.5000 1.0000
    """
    plain = dataclasses.replace(recipe, record_every=recipe.steps, stop_metric="")
    return -fit(jax.random.key(0), jnp.zeros(()), lambda weight, _: (weight, {}), lambda key: (), plain, optimiser).params


def positions_read(model: SequenceModel, params: PyTree, length: int) -> Int[Array, ""]:
    """Return how many pairs of positions the mixer of the first layer joins: changing what it reads at one moves the other.

    Under the causal mask these are all n (n + 1) / 2 pairs i <= j. Under the strict one they are two fewer: the first position
    reads nothing, and the second one reads one position, whatever it asks for.

    Args:
        model: The network.
        params: Its parameters.
        length: Number of positions.

    >>> from depthjax.models import sequence_model
    >>> sizes = {"letters": 2, "width": 8, "max_depth": 1, "classes": 2}
    >>> models = [sequence_model("transformer", mask=mask, **sizes) for mask in ("causal", "strict")]
    >>> [int(positions_read(model, model.init(jax.random.key(0)), 4)) for model in models]
    [10, 8]
    """
    mixer, own = model.layer.mixer, jax.tree.map(lambda part: part[0], params["layers"]["mixer"])
    given, other = jax.random.normal(jax.random.key(0), (2, length, 1, model.width), model.dtype)
    # one word a position, with another vector there, and the word itself
    changed = jnp.eye(length + 1, length, dtype=bool).T[:, :, None]
    read = jnp.asarray(mixer.apply({"params": own}, jnp.where(changed, other, given)))
    apart = jnp.abs(read - read[:, -1:]).max(axis=-1)
    return (apart > FELT * jnp.abs(read).max()).sum()


def _moved_parts(before: PyTree, after: PyTree, layers: Callable[[Any], PyTree] | None) -> Int[Array, ""]:
    if layers is None:
        return jnp.stack(jax.tree.leaves(jax.tree.map(_moved, before, after))).sum()
    each = jax.tree.leaves(jax.tree.map(jax.vmap(_moved), layers(before), layers(after)))
    return jnp.stack(each).any(axis=0).sum()


def _moved(before: Array, after: Array) -> Bool[Array, ""]:
    return (jnp.abs(after - before) > MOVED).any()
