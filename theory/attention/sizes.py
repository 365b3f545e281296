"""The size ``|.|_{1,inf}`` of matrices, and the constants of attention weights in the bound on rank collapse.

``|X|_1`` is the largest column sum and ``|X|_inf`` the largest row sum of absolute values; both are operator norms. The bound
(`theory.bounds.collapse`) measures residuals in ``|X|_{1,inf}``, the root of their product, which has no triangle inequality.
"""

import math

import numpy as np

__all__ = ["beta", "composite", "largest_query_key"]


def composite(matrix: np.ndarray) -> float:
    """Return ``|X|_{1,inf}``, the root of the largest column sum times the largest row sum of absolute values.

    >>> composite(np.array([[1.0, -1.0], [1.0, 1.0]]))
    2.0
    """
    size = np.abs(matrix)
    return math.sqrt(float(size.sum(axis=0).max()) * float(size.sum(axis=1).max()))


def largest_query_key(query_key: np.ndarray) -> float:
    """Return the largest ``|W_QK|_1`` over all leading axes, such as layers and heads.

    >>> largest_query_key(np.stack([np.eye(2), 3 * np.eye(2)]))
    3.0
    """
    return float(np.abs(query_key).sum(axis=-2).max())


def beta(query_key: np.ndarray, value: np.ndarray) -> float:
    """Return the largest ``|W_QK|_1 (max_h |W_V,h|_1 max_h |W_V,h|_inf)^(1/2)`` of a layer.

    Args:
        query_key: Shape ``(layers, heads, width, width)``.
        value: Shape ``(layers, heads, width, width)``; input features along the rows.

    >>> beta(2 * np.ones((1, 1, 2, 2)), np.ones((1, 1, 2, 2)))
    8.0
    """
    sizes = np.abs(value).astype(float)
    columns, rows = (sizes.sum(axis=axis).max(axis=(-2, -1)) for axis in (-2, -1))
    keys = np.abs(query_key).astype(float).sum(axis=-2).max(axis=(-2, -1))
    return float((keys * np.sqrt(columns * rows)).max())
