"""The cubic law of rank collapse, iterated over layers, and how far the next term of each layer's expansion moves it."""

import numpy as np

from theory.attention.collapse import cubic, log_residuals, quartic, quintic

__all__ = ["cubic_law"]


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
        ValueError: A cubic term vanishes, or the input has no residual (`theory.attention.collapse.log_residuals`).

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
