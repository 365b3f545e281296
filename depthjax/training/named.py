"""Optimisers by name: the factories of optax, with the numbers that a configuration gives them."""

import inspect
import math
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import optax
import optax.contrib

from depthjax.checks import nearest
from depthjax.training.recipe import Recipe

OWN = ("weight_decay", "betas", "epsilon")  # numbers of a recipe that only its own AdamW reads


def named_optimiser(
    name: str, recipe: Recipe, hyperparameters: Mapping[str, Any] | None = None
) -> optax.GradientTransformation:
    """Return an optimiser of optax by its name, with the clipping and the learning-rate schedule of a recipe.

    Args:
        name: A public factory of optax with a learning rate, such as "lion", or of `optax.contrib`, such as "contrib.muon".
        recipe: Supplies the learning rate, its schedule and warmup, and the clipping.
        hyperparameters: Further arguments of the factory by name; None takes its defaults.

    Raises:
        ValueError: There is no such factory, or it has no such argument (the nearest one is suggested); an argument is
            missing, has a wrong value, or is the learning rate; or the optimiser asks for more than gradients and parameters.

    >>> lion = named_optimiser("lion", Recipe(learning_rate=1e-4), {"b1": 0.95})
    >>> named_optimiser("lino", Recipe())
    Traceback (most recent call last):
    ValueError: optax has no optimiser 'lino' (did you mean 'lion'?); it has adabelief, ...
    """
    known, numbers = factories(), dict(hyperparameters or {})
    if name not in known:
        raise ValueError(f"optax has no optimiser {name!r}{nearest(name, known)}; it has {', '.join(known)}")
    arguments = [argument for argument in inspect.signature(known[name]).parameters if argument != "learning_rate"]
    if "learning_rate" in numbers:
        raise ValueError(f"the learning rate of {name} is the recipe's, which has a schedule and a warmup; leave it out here")
    for argument, value in numbers.items():
        if argument not in arguments:
            hint = nearest(argument, arguments)
            raise ValueError(f"{name} has no argument {argument!r}{hint}; it has {', '.join(arguments) or 'none'}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name}: {argument} = {value}, expected a finite number")
    steady = recipe.schedule == "constant" and not recipe.warmup
    try:
        optimiser = known[name](learning_rate=recipe.learning_rate if steady else recipe.rate(), **numbers)
        optimiser = optimiser if recipe.clip is None else optax.chain(optax.clip_by_global_norm(recipe.clip), optimiser)
        _try(optimiser)
    except Exception as error:  # whatever a factory says of its arguments
        hint = "" if steady else '; an optimiser that takes no schedule needs schedule = "constant" and no warmup'
        raise ValueError(f"optax.{name} cannot train here: {type(error).__name__}: {error}{hint}") from error
    return optimiser


@cache
def factories() -> dict[str, Callable[..., optax.GradientTransformation]]:
    """Return the public functions of optax and `optax.contrib` that make an optimiser from a learning rate, by name."""
    return _factories(optax, "") | _factories(optax.contrib, "contrib.")


def _factories(module: ModuleType, prefix: str) -> dict[str, Callable[..., optax.GradientTransformation]]:
    public = {name: each for name, each in vars(module).items() if inspect.isfunction(each) and not name.startswith("_")}
    whole = {name: each for name, each in public.items() if not name.startswith("scale_by_")}  # these are parts of optimisers
    rated = {name: each for name, each in whole.items() if "learning_rate" in inspect.signature(each).parameters}
    return {f"{prefix}{name}": rated[name] for name in sorted(rated)}


def _try(optimiser: optax.GradientTransformation) -> None:
    """Trace one update of a matrix and a vector, as training calls it."""
    params = {"kernel": jnp.zeros((2, 2)), "bias": jnp.zeros(2)}
    with jax.numpy_dtype_promotion("standard"):  # as in `depthjax.training.fit`
        jax.eval_shape(lambda given: optimiser.update(given, optimiser.init(given), given), params)
