"""How one layer of pure attention shrinks inputs of growing size, as it is and with a perceptron behind it.

Residuals are measured by `depthjax.probe.collapse.composite`, the root of the largest column sum times the largest row sum.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.probe.collapse import Scale, Tokens, Weights, collapse, composite


class Perceptron(NamedTuple):
    """The map ``relu(x inward + bias) outward`` of rows."""

    inward: Float[Array, "width hidden"]
    outward: Float[Array, "hidden width"]
    bias: Float[Array, " hidden"]

    def __call__(self, rows: Float[Array, "rows width"]) -> Float[Array, "rows width"]:
        """Map every row."""
        return jnp.maximum(rows @ self.inward + self.bias[None], 0) @ self.outward


class Contraction(NamedTuple):
    """Sizes of the residual after a layer over its size before."""

    attention: Float[Array, " sizes"]
    perceptron: Float[Array, " sizes"]
    subtracted: Float[Array, " sizes"]  # entries behind the perceptron, summed, over the size before: what is subtracted there


@jax.jit
def contraction(
    layer: Weights, start: Tokens, sizes: Float[Array, " sizes"], scale: Scale, perceptron: Perceptron
) -> Contraction:
    """Run one layer on the same tokens with residuals of several sizes.

    Args:
        layer: Weights of one layer, without an axis of layers.
        start: Tokens; the size of their residual is replaced.
        sizes: Sizes of the residual before the layer.
        scale: Scale of the logits, 1/sqrt(size of a query).
        perceptron: Follows the layer; its residual is taken against what it makes of the shared row.
    """
    only, unit = jax.tree.map(lambda w: w[None], layer), composite(start.direction)

    def one(size: Array) -> Contraction:
        after, report = collapse(only, start._replace(log_size=jnp.log(size / unit)), scale, recentre=False)
        mapped = perceptron(after.common[None] + jnp.exp(after.log_size) * after.direction)
        moved = composite(mapped - perceptron(after.common[None]))
        return Contraction(report.coefficient[0] * size**2, moved / size, jnp.abs(mapped).sum() / size)

    return jax.vmap(one)(sizes)
