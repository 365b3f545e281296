"""The optimiser of the published experiments, for comparison: clipped gradients and a rate for every neuron."""

import jax
import jax.numpy as jnp
import optax

from depthjax.models.polynomial import TwoLayer


def per_neuron(rate: float, degree: int, clip: float | None = 0.1) -> optax.GradientTransformation:
    """Return steps of `rate` ||theta_i||^{1-(degree-1)} against the gradient clipped to a global norm, neuron by neuron.

    `degree` is that of homogeneity, k + 1; the exponent is 1 - k as in the theory, but clipping comes first and the factor
    log(1/alpha) is absent, so time is not that of the gradient flow (`depthjax.training.flow`).

    Args:
        rate: of a neuron of norm one.
        degree: of a neuron in its weights.
        clip: global norm of the gradient, None for none.
    """

    def update(
        gradient: TwoLayer, state: optax.EmptyState, weights: TwoLayer | None = None
    ) -> tuple[TwoLayer, optax.EmptyState]:
        if weights is None:
            raise ValueError("the rate depends on the norms of the neurons: call update(gradients, state, weights)")
        speed = rate * neuron_norms(weights) ** (2 - degree)
        return TwoLayer(-speed[None, None] * gradient.inputs, -speed[None] * gradient.out), state

    scaled = optax.GradientTransformation(lambda _: optax.EmptyState(), update)  # type: ignore[arg-type]
    return scaled if clip is None else optax.chain(optax.clip_by_global_norm(clip), scaled)


def neuron_norms(weights: TwoLayer) -> jax.Array:
    """Return ||theta_i|| over all input blocks and the output of every neuron, at least the smallest normal number."""
    squares = (weights.inputs**2).sum(axis=(0, 1)) + (weights.out**2).sum(axis=0)
    return jnp.sqrt(jnp.maximum(squares, jnp.finfo(squares.dtype).tiny))
