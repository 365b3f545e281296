r"""Noise contrastive losses for Gaussians on a grid: Hessians by automatic differentiation, plain and normalised descent.

Noise N(0, 1), data N(R, 1), model log p/q = theta x - a; the position is the offset (s, b) from the optimum (R, R^2/2). Losses
are scaled by e^{R^2/8} so that nothing underflows for large R. With u = x - R/2 and z = R u + s (u + R/2) - b

    NCE  int phi(u) [e^{Ru/2} log(1 + e^-z) + e^{-Ru/2} log(1 + e^z)] / 2,     eNCE  the same with e^{-z/2} and e^{z/2}.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

LOSSES = ("nce", "ence")
REACH = 12.0  # |u| beyond which the normal density is below 1e-32


def scaled_loss(
    position: Float[Array, "2"], radius: Float[Array, ""], grid: Float[Array, " points"], loss: str
) -> Float[Array, ""]:
    """Return e^{R^2/8} times the loss, by the trapezoidal rule on an equidistant grid: exponentially accurate.

    Raises:
        ValueError: The loss is not one of `LOSSES`.
    """
    if loss not in LOSSES:
        raise ValueError(f"loss {loss!r}: expected one of {', '.join(LOSSES)}")
    z = radius * grid + position[0] * (grid + radius / 2) - position[1]
    log_normal, tilt = -(grid**2) / 2 - 0.5 * jnp.log(2 * jnp.pi), radius * grid / 2
    if loss == "nce":
        terms = jnp.exp(log_normal + tilt) * jnp.logaddexp(0.0, -z) + jnp.exp(log_normal - tilt) * jnp.logaddexp(0.0, z)
    else:
        terms = jnp.exp(log_normal + tilt - z / 2) + jnp.exp(log_normal - tilt + z / 2)
    return terms.sum() * (grid[1] - grid[0]) / 2


@partial(jax.jit, static_argnames=("loss", "points"))
def curvature(
    position: Float[Array, "2"], radius: Float[Array, ""], loss: str, points: int = 1 << 12
) -> tuple[Float[Array, "2"], Float[Array, "2 2"]]:
    """Return gradient and Hessian of the scaled loss.

    The integrand at the optimum is analytic in a strip of width pi / R, so the error of a grid of spacing h is exp(-2 pi^2 /
    (R h)): below rounding for 4096 points and R up to 90. The integrand of NCE falls like exp(-R |u| / 2), and its grid ends
    where that is e^-500. So the error is below rounding for every R, and no factor leaves the range of float64.
    """
    grid = (REACH if loss == "ence" else jnp.minimum(REACH, 1000 / radius)) * jnp.linspace(-1, 1, points)
    slope = jax.grad(scaled_loss)
    return slope(position, radius, grid, loss), jax.jacfwd(slope)(position, radius, grid, loss)


def condition_number(hessian: Float[Array, "2 2"]) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Return the condition number of a symmetric 2 x 2 matrix, and its amplification of relative errors of the entries.

    Both come from trace and determinant, which lose fewer digits than the smaller eigenvalue.
    """
    determinant = hessian[0, 0] * hessian[1, 1] - hessian[0, 1] ** 2
    t = jnp.trace(hessian) / jnp.sqrt(determinant)
    return ((t + jnp.sqrt(t**2 - 4)) / 2) ** 2, 4 * hessian[0, 0] * hessian[1, 1] / determinant


class Descent(NamedTuple):
    """The result of a descent that starts from the noise; values that it did not reach are infinite.

    Attributes:
        steps: Steps until the distance to the optimum is first below each mark.
        distances: Distances at these steps.
        level_steps: Steps until the loss is first below the level.
    """

    steps: Float[Array, " marks"]
    distances: Float[Array, " marks"]
    level_steps: Float[Array, ""]


@partial(jax.jit, static_argnames=("loss", "points", "normalised"))
def descend(
    radius: Float[Array, ""],
    step: Float[Array, ""],
    marks: Float[Array, " marks"],
    reach: Float[Array, ""],
    most: Float[Array, ""],
    *,
    loss: str,
    normalised: bool = False,
    points: int = 256,
) -> Descent:
    """Run gradient descent from the noise until it reaches the last mark (plain) or the level (normalised).

    Args:
        radius: Distance R of the means.
        step: Learning rate for the unscaled loss, or the length of a normalised step.
        marks: Distances to the optimum, descending.
        reach: The level is the largest loss over 256 directions at this distance from the optimum.
        most: Largest number of steps.
        loss: "nce" or "ence".
        normalised: Whether steps have the length `step` along the gradient.
        points: Number of grid points; 256 suffice up to R = 6.
    """
    grid, start = jnp.linspace(-REACH, REACH, points), -jnp.stack([radius, radius**2 / 2])
    angles = jnp.linspace(0, 2 * jnp.pi, 256)
    circle = reach * jnp.stack([jnp.cos(angles), jnp.sin(angles)], axis=1)
    value = jax.value_and_grad(partial(scaled_loss, radius=radius, grid=grid, loss=loss))
    level = jax.vmap(value)(circle)[0].max()

    def move(state: tuple) -> tuple:
        position, slope, count, found = state
        rate = step / jnp.hypot(slope[0], slope[1]) if normalised else step * jnp.exp(-(radius**2) / 8)
        position, count = position - rate * slope, count + 1
        distance, (height, slope) = jnp.hypot(position[0], position[1]), value(position)
        first = (distance < marks) & jnp.isinf(found.steps)
        below = (height <= level) & jnp.isinf(found.level_steps)
        found = Descent(
            jnp.where(first, count, found.steps),
            jnp.where(first, distance, found.distances),
            jnp.where(below, count, found.level_steps),
        )
        return position, slope, count, found

    def on(state: tuple) -> Bool[Array, ""]:
        last = state[3].level_steps if normalised else state[3].steps[-1]
        return jnp.isinf(last) & (state[2] < most)

    never = jnp.full(marks.shape, jnp.inf)
    state = start, value(start)[1], jnp.zeros((), start.dtype), Descent(never, never, jnp.array(jnp.inf))
    return jax.lax.while_loop(on, move, state)[3]
