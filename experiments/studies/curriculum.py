"""Training words that grow: each of several lengths holds for an equal part of the steps, the last one is that of the tests.

Words are drawn at their full length, and the positions beyond the present one do not count. A network that reads from left to
right then has the loss that it has on the shorter words themselves. Metrics are those of whole words, so that no run stops
because it knows short ones. Which step it is stands beside the parameters, as a number that the optimiser raises by one.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import optax
from jaxtyping import Array, Float


class Clocked(NamedTuple):
    """Parameters, and the number of steps that were taken."""

    params: Any
    clock: Float[Array, ""]


def check(curriculum: Sequence[int], length: int) -> None:
    """Refuse lengths that do not grow, or that end elsewhere than at the length of the tests.

    Raises:
        ValueError: Says which, and what to do.
    """
    given = f"curriculum is {list(curriculum)}"
    if any(shorter >= longer for shorter, longer in itertools.pairwise(curriculum)) or curriculum[0] < 1:
        raise ValueError(f"{given}: expected lengths above 0 that grow, because words get longer; put them in order")
    if curriculum[-1] != length:
        reached = "never reaches" if curriculum[-1] < length else "goes beyond"
        raise ValueError(f"{given}: it {reached} the length of the tests, {length}; end it there")


def length_at(curriculum: Sequence[int], steps: int, clock: Float[Array, ""]) -> Array:
    """Return the length of the training words after a number of steps, of `steps` in all; the last one from then on.

    >>> [int(length_at((2, 4, 8), 6, jnp.array(step))) for step in range(8)]
    [2, 2, 4, 4, 8, 8, 8, 8]
    """
    part = jnp.floor(clock * len(curriculum) / steps).astype(jnp.int32)
    return jnp.asarray(curriculum, jnp.int32)[jnp.clip(part, 0, len(curriculum) - 1)]


def counted(
    curriculum: Sequence[int],
    steps: int,
    bos: bool,
    init: Callable[[Any], Any],
    loss: Callable[[Any, Any, Any], Any],
    test: Callable[..., dict[str, Array]],
) -> tuple[Callable[[Any], Any], Callable[[Any, Any, Any], Any], Callable[..., dict[str, Array]]]:
    """Return initialisation, loss and test of parameters with a clock.

    Args:
        curriculum: Lengths in letters.
        steps: Of the training.
        bos: Whether a beginning-of-sequence token stands before the letters; it always counts.
        init: key -> parameters.
        loss: (params, batch, depth) -> (mean loss, metrics).
        test: (tests, length, key, params, depth) -> scores.
    """

    def begin(key: Any) -> Clocked:
        return Clocked(init(key), jnp.zeros((), jnp.float32))

    def of(clocked: Clocked, batch: Any, depth: Any) -> Any:
        places = jnp.arange(batch.weights.shape[1], dtype=jnp.int32)
        seen = places < length_at(curriculum, steps, clocked.clock) + int(bos)
        weights = jnp.where(seen[None, :], batch.weights, 0)
        value, _ = loss(clocked.params, batch._replace(weights=weights), depth)
        return value, loss(clocked.params, batch, depth)[1]

    def tested(tests: int, length: int, key: Any, clocked: Clocked, depth: Any) -> dict[str, Array]:
        return test(tests, length, key, clocked.params, depth)

    return begin, of, tested


def ticking(optimiser: optax.GradientTransformation) -> optax.GradientTransformation:
    """Return an optimiser of parameters with a clock, which it moves on by one at every step."""

    def init(params: Any) -> Any:
        return optimiser.init(params.params)

    def update(updates: Any, state: Any, params: Any = None, **more: Any) -> tuple[Any, Any]:
        moves, state = optimiser.update(updates.params, state, None if params is None else params.params)
        return Clocked(moves, jnp.ones((), jnp.float32)), state

    return optax.GradientTransformation(init, update)
