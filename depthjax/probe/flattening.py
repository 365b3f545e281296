"""The rank of a tensor over words: how many products of functions of single letters it takes at least.

A tensor that is a sum of H products of functions of one axis each has matrices of rank at most H, whichever axes become rows.
"""

import numpy as np
from jaxtyping import Float

from depthjax.probe.rounding import rounding_floor


def centred(tensor: Float[np.ndarray, "*letters outputs"]) -> Float[np.ndarray, "*letters outputs"]:
    """Return the part that depends on every letter: its mean over any letter is zero. All axes but the last are letters."""
    for axis in range(tensor.ndim - 1):
        tensor = tensor - tensor.mean(axis=axis, keepdims=True)
    return tensor


def flattening_rank(tensor: Float[np.ndarray, "..."], rounding: float | None = None) -> int:
    """Return the rank of the matrix whose rows are the even axes and whose columns are the odd ones.

    Singular values below what rounding explains do not count.

    Args:
        tensor: Any array.
        rounding: How far an entry may be from its true value, where the tensor is what is left of larger numbers; None for one
            rounding of the largest singular value for each entry of a row and of a column.
    """
    axes = [*range(0, tensor.ndim, 2), *range(1, tensor.ndim, 2)]
    rows = int(np.prod(tensor.shape[::2]))
    matrix = np.transpose(tensor, axes).reshape(rows, -1)
    values = np.linalg.svd(matrix, compute_uv=False)
    if rounding is None:
        floor = float(rounding_floor(sum(matrix.shape), matrix.dtype, float(values[0])))
    else:
        floor = rounding * matrix.size**0.5  # the Frobenius norm of the errors
    return int((values > floor).sum())
