"""The optimisers of the published composition experiments: clipped gradients, and a learning rate for every neuron."""

import jax.numpy as jnp
import optax
from jaxtyping import Array, Float

from depthjax.models.polynomial import Recurrent, TwoLayer


def per_neuron(
    rate: float, degree: int, clip: float | None = 0.1, constant: Float[Array, " width"] | None = None
) -> optax.GradientTransformation:
    """Return gradient descent with the learning rate `rate` ||theta_i||^{2 - degree} for neuron i.

    The exponent is 1 - k, as in the theory. But the gradient is clipped first and the factor log(1/alpha) is absent, so time is
    not that of the gradient flow (`depthjax.training.flow`).

    Args:
        rate: Learning rate of a neuron of norm one.
        degree: Degree of homogeneity k + 1 of a neuron in its weights.
        clip: Gradients with a larger global norm are scaled down to this norm; None disables clipping.
        constant: Square of the norm of every neuron in the coordinates that no input has. They never move
            (`depthjax.tasks.composition.coordinates`).
    """

    def update(
        gradient: TwoLayer, state: optax.EmptyState, weights: TwoLayer | None = None
    ) -> tuple[TwoLayer, optax.EmptyState]:
        if weights is None:
            raise ValueError("the rate depends on the norms of the neurons: call update(gradients, state, weights)")
        speed = rate * neuron_norms((weights.inputs, weights.out), constant) ** (2 - degree)
        return TwoLayer(-speed[None, None] * gradient.inputs, -speed[None] * gradient.out), state

    return _clipped(clip, optax.GradientTransformation(lambda _: optax.EmptyState(), update))  # type: ignore[arg-type]


def hybrid(
    rate: float = 1.0,
    adam: float = 1e-3,
    exponent: int = -1,
    clip: float | None = 0.1,
    constant: Float[Array, " width"] | None = None,
) -> optax.GradientTransformation:
    """Return Adam for the mixing matrix of a quadratic recurrence and gradient descent for its neurons.

    The learning rate of neuron i, the columns of the input and output maps at unit i, is `rate` ||theta_i||^exponent. Other
    arguments are as for `per_neuron`.
    """
    moments = optax.adam(adam)

    def update(
        gradient: Recurrent, state: optax.OptState, weights: Recurrent | None = None
    ) -> tuple[Recurrent, optax.OptState]:
        if weights is None:
            raise ValueError("the rate depends on the norms of the neurons: call update(gradients, state, weights)")
        speed = -rate * neuron_norms((weights.first, weights.drive, weights.out), constant)[None] ** exponent
        mix, state = moments.update(gradient.mix, state)
        return Recurrent(speed * gradient.first, speed * gradient.drive, mix, speed * gradient.out), state  # type: ignore[arg-type]

    return _clipped(clip, optax.GradientTransformation(lambda weights: moments.init(weights.mix), update))  # type: ignore[arg-type]


def neuron_norms(blocks: tuple[Array, ...], constant: Float[Array, " width"] | None = None) -> Float[Array, " width"]:
    """Return the norm of every neuron (last axis) over all blocks, at least the smallest normal number."""
    squares = sum((block**2).sum(axis=tuple(range(block.ndim - 1))) for block in blocks)
    squares = squares if constant is None else squares + constant
    return jnp.sqrt(jnp.maximum(squares, jnp.finfo(blocks[0].dtype).tiny))


def _clipped(clip: float | None, scaled: optax.GradientTransformation) -> optax.GradientTransformation:
    return scaled if clip is None else optax.chain(optax.clip_by_global_norm(clip), scaled)
