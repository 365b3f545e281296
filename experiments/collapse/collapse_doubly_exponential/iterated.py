r"""The cubic law of rank collapse, iterated over layers, and how far the next term of each layer's expansion moves it.

The cubic map F_l of a layer (`theory.attention.expansion.cubic`) is homogeneous, so ``log r_{l+1} = 3 log r_l + log
|F_l(R_l/r_l)|`` and ``log r_L = 3^L log r_0 + sum_l 3^{L-1-l} log |F_l(direction)|``. Iterating directions and adding
logarithms avoids underflow.
"""

import math

import numpy as np

from theory.attention.expansion import centred, cubic, quartic, quintic

__all__ = ["cubic_law", "log_residuals"]


def log_residuals(direction: np.ndarray, query_key: np.ndarray, value: np.ndarray, scale: float, log_size: float) -> np.ndarray:
    """Return the natural logarithms of the Frobenius residuals before and after each layer, by the cubic law alone; floats.

    Args:
        direction: Direction of the residual, shape ``(tokens, width)``; it is centred and scaled to norm one.
        query_key: Query-key matrices, shape ``(layers, heads, width, width)``.
        value: Value matrices, of the same shape.
        scale: Scale of the logits.
        log_size: Logarithm of the residual of the input.

    Returns:
        Shape ``(layers + 1,)``. The relative error has the order of the residual itself with an offset, and of its square
        without one.

    Raises:
        ValueError: The input has no residual, or the cubic term of a layer vanishes, so that there is no next direction.
    """
    logs, current = [float(log_size)], centred(np.asarray(direction, float))
    for index in range(len(query_key) + 1):
        norm = float(np.linalg.norm(current))
        if not norm > 0:
            raise ValueError(
                f"the residual before layer {index + 1} is zero: expected a direction, because the cubic law maps directions. "
                "Take tokens that differ and weights whose cubic term does not vanish."
            )
        if index:
            logs.append(3 * logs[-1] + math.log(norm))
        if index < len(query_key):
            current = cubic(current / norm, query_key[index], value[index], scale)
    return np.array(logs)


def cubic_law(
    offset: np.ndarray, direction: np.ndarray, query_key: np.ndarray, value: np.ndarray, scale: float, log_size: float
) -> tuple[np.ndarray, float]:
    """Return ``-log r_l / 3^l`` after each layer by the cubic law, and an estimate of what the law leaves out of it.

    The next term of the expansion (order 4 with an offset, 5 without) moves the first layer. It moves the others much less,
    because their residuals are smaller; a factor of two covers them and all later terms.

    Args:
        offset: The row that all tokens share, shape ``(width,)``.
        direction: The residual of the input up to a factor, shape ``(tokens, width)``.
        query_key: Shape ``(layers, heads, width, width)``, two layers at least.
        value: Shape ``(layers, heads, width, width)``.
        scale: Scale of the logits.
        log_size: Natural logarithm of the Frobenius residual of the input.

    Returns:
        Floats of shape ``(layers,)``, and the estimate.

    Raises:
        ValueError: A cubic term vanishes, or the input has no residual (`log_residuals`).

    >>> one = np.ones((2, 1, 1, 1))
    >>> law, left_out = cubic_law(np.zeros(1), np.array([[1.0], [-1.0]]), one, one, 1.0, -5.0)
    >>> law.round(3).tolist(), left_out < 1e-4  # a layer divides by n = 2: 5 + log(2)/3, 5 + log(2)/3 + log(2)/9
    ([5.231, 5.308], True)
    """
    offset, direction, query_key, value = (np.asarray(part, float) for part in (offset, direction, query_key, value))
    unit, size = direction / np.linalg.norm(direction), float(np.exp(log_size))
    logs = log_residuals(unit, query_key, value, scale, log_size)[1:]
    if offset.any():
        following = size * quartic(offset, unit, query_key[0], value[0], scale)
    else:
        following = size**2 * quintic(unit, query_key[0], value[0], scale)
    moved = cubic(unit, query_key[0], value[0], scale) + following
    first = 3 * log_size + float(np.log(np.linalg.norm(moved)))
    change = log_residuals(moved, query_key[1:], value[1:], scale, first) - logs
    power = 3.0 ** np.arange(1, len(logs) + 1)
    return -logs / power, float(2 * np.abs(change / power).max())
