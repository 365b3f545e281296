r"""Explicit weights that compose two elements by squared distances: n^3 units of z^2 for an irrep of real type.

Let x be a row of rho(g) and y a column of rho(h), as real vectors, so that an entry of rho(g) rho(h) is <x, y>. Both have norm
1, because rho is unitary: ``|x + y|^2 = 2 + 2 <x, y>``. So the squares of the units cancel up to a constant, where the product
of two numbers takes two units. The constant is |x|^2 for the shortest row that there is, with output weights of its own.

For numbers with several components, <x, y> runs over the index of the matrix product and over the components of the row: each
of them meets one component of the column, up to a sign, in a component of the product.

Source: derived here. Widths are those of `theory.composition.distance_units`.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from depthjax.constructions.composition.bilinear import coordinates, multiplication
from depthjax.constructions.composition.paths import Irreps, irrep_parts
from depthjax.models.polynomial import TwoLayer


def distance_weights(encoding: Float[np.ndarray, " order"], irreps: Irreps) -> TwoLayer:
    """Return one hidden layer of z^2 that composes two elements, with a unit for each term of each squared distance.

    Arguments and errors as for `depthjax.constructions.composition.paths.two_layer_weights`.
    """
    first, second, out, rows = [], [], [], []
    for part in irrep_parts(encoding, irreps):
        read, write = coordinates(part)
        table = multiplication(part.kind)
        size, features = read.shape[1], read.shape[-1]
        # axes: component of the row, of the product; i, k, j of x_ik y_kj; feature
        shape = (len(table), len(table), size, size, size, features)
        first.append(np.broadcast_to(read[:, None, :, :, None], shape).reshape(-1, features))
        second.append(np.broadcast_to(np.einsum("abc,bkjh->ackjh", table, read)[:, :, None], shape).reshape(-1, features))
        out.append(np.broadcast_to(write[None, :, :, None] / 2, shape).reshape(-1, features))
        rows.append(read[:, 0].reshape(-1, features))
    constant = min(rows, key=len)
    # each squared distance contains |x|^2 + |y|^2 = 2
    excess = sum(2 * weights.sum(axis=0) / len(row) for weights, row in zip(out, rows, strict=True))
    first.append(constant)
    second.append(np.zeros_like(constant))
    out.append(np.broadcast_to(-np.asarray(excess), constant.shape))
    inputs = np.stack([np.concatenate(first).T, np.concatenate(second).T])
    return TwoLayer(jnp.asarray(inputs, encoding.dtype), jnp.asarray(np.concatenate(out).T, encoding.dtype))
