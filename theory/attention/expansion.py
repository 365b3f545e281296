r"""One layer of pure attention on tokens with a small residual: its exact expansion in the size of the residual.

Let the tokens be ``X = 1 b^T + e R`` with centred R (columns sum to 0). Terms of the logits that are constant along row i drop
out of the softmax. The remaining logits are ``s_ij = e u_j + e^2 v_ij`` with ``u = R A^T b s`` and ``v = R A R^T s``, s the
scale of the logits. The part of ``sum_j softmax(s_i)_j r_j`` that depends on i starts at ``e^2 sum_j v_ij r_j / n``, and the
residual brings another factor e:

    res(SA(X)) = e^3 s/n sum_h R A_h R^T R W_h + e^4 C_4 + e^5 C_5 + ..,      res(Y) = Y - 1 (mean row of Y),

for any offset b and number of heads. By hand, ``C_4 = sum_h V_h diag(u_h) R W_h / n`` with ``V_h = s R A_h R^T``, which
vanishes without an offset; then the next term is ``C_5 = res(sum_h (V_h o V_h) R W_h) / 2n`` (o: entry by entry).
`residual_terms` finds all terms by exact power series, without these formulas; `cubic`, `quartic` and `quintic` are the
formulas.

Source: derived here; setting of Dong, Cordonnier, Loukas, arXiv 2103.03404.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce

import numpy as np

from depthjax.refusal import refusing
from theory.checks import fraction, integer
from theory.cost import Estimate, power, refuse
from theory.exact.integers import widened

__all__ = ["centred", "cubic", "quartic", "quintic", "residual_terms"]


def centred(tokens: np.ndarray) -> np.ndarray:
    """Return the tokens minus their mean row; shape ``(tokens, width)``, exact for Fractions.

    >>> centred(np.array([[Fraction(1)], [Fraction(2)]])).tolist()
    [[Fraction(-1, 2)], [Fraction(1, 2)]]
    """
    return (
        tokens - tokens.sum(axis=0, keepdims=True) / Fraction(len(tokens))
        if tokens.dtype == object
        else (tokens - tokens.mean(axis=0, keepdims=True))
    )


@refusing(lambda direction, query_key, order: _affordable(direction, query_key, order))
def residual_terms(
    offset: np.ndarray,
    direction: np.ndarray,
    query_key: np.ndarray,
    value: np.ndarray,
    scale: Fraction,
    order: int,
) -> list[np.ndarray]:
    """Return the coefficients of e^0, .., e^order in the residual of one attention layer on ``1 offset^T + e direction``.

    All arrays hold Fractions (dtype object).

    Args:
        offset: The offset b, shape ``(width,)``.
        direction: The direction R, shape ``(tokens, width)``, not necessarily centred.
        query_key: The matrices A_h, shape ``(heads, width, width)``.
        value: The matrices W_h, of the same shape.
        scale: Scale of the logits, ``1/sqrt(d)``; rational, so d is a square.
        order: Last power of e.

    Cost: ``heads * tokens^2 * order^2`` products of Fractions.

    Raises:
        ValueError: `order` is not an integer >= 0, or the scale is not rational.
        TooExpensive: The order is too high, see `theory.cost`.

    >>> one = np.array([[[Fraction(1)]]])
    >>> terms = residual_terms(one[0, 0], np.array([[Fraction(1)], [Fraction(-1)]]), one, one, Fraction(1), 3)
    >>> [term[0, 0] for term in terms]  # e^3 R R^T R / n
    [Fraction(0, 1), Fraction(0, 1), Fraction(0, 1), Fraction(1, 1)]
    """
    offset, direction, query_key, value = (widened(np.asarray(part)) for part in (offset, direction, query_key, value))
    scale = fraction("scale", scale)
    tokens = [offset[None] + 0 * direction, direction]
    total = [0 * direction for _ in range(order + 1)]
    for a, w in zip(query_key, value, strict=True):
        logits = [scale * _total(tokens[i] @ a @ tokens[k - i].T for i in range(2) if 0 <= k - i < 2) for k in range(3)]
        # a constant along a row drops out: subtract the score against the first token
        logits = [part - part[:, :1] for part in logits]
        weights = _exponential(logits[1:], order)
        norms = [part.sum(axis=1, keepdims=True) for part in weights]
        attention = _quotient(weights, norms)
        for k in range(order + 1):
            total[k] = total[k] + sum(attention[k - i] @ tokens[i] @ w for i in range(2) if k >= i)
    return [centred(part) for part in total]


def cubic(direction: np.ndarray, query_key: np.ndarray, value: np.ndarray, scale: Fraction | float) -> np.ndarray:
    """Return the coefficient of e^3, ``scale/n sum_h R A_h R^T R W_h``, R the centred direction; shapes as `residual_terms`."""
    r = centred(direction)
    return _over(len(r), scale * _total(r @ a @ (r.T @ r) @ w for a, w in zip(query_key, value, strict=True)))


def quartic(
    offset: np.ndarray, direction: np.ndarray, query_key: np.ndarray, value: np.ndarray, scale: Fraction | float
) -> np.ndarray:
    """Return the coefficient of e^4 for a centred direction; it is zero without an offset."""
    r = centred(direction)
    parts = ((scale * r @ a @ r.T) * (scale * r @ a.T @ offset)[None] @ r @ w for a, w in zip(query_key, value, strict=True))
    return _over(len(r), _total(parts))


def quintic(direction: np.ndarray, query_key: np.ndarray, value: np.ndarray, scale: Fraction | float) -> np.ndarray:
    """Return the coefficient of e^5 for a centred direction without an offset."""
    r = centred(direction)
    return _over(2 * len(r), centred(_total((scale * r @ a @ r.T) ** 2 @ r @ w for a, w in zip(query_key, value, strict=True))))


def _exponential(series: Sequence[np.ndarray], order: int) -> list[np.ndarray]:
    """Return the exponential of a power series that is given from e^1 on: ``k w_k = sum_j j s_j w_{k-j}``."""
    result = [0 * series[0] + Fraction(1)]
    for k in range(1, order + 1):
        terms = (j * series[j - 1] * result[k - j] for j in range(1, min(k, len(series)) + 1))
        result.append(sum(terms) / Fraction(k))
    return result


def _quotient(top: Sequence[np.ndarray], bottom: Sequence[np.ndarray]) -> list[np.ndarray]:
    result: list[np.ndarray] = []
    for k, part in enumerate(top):
        result.append((part - sum(result[k - j] * bottom[j] for j in range(1, k + 1))) / bottom[0])
    return result


def _total(arrays: Iterable[np.ndarray]) -> np.ndarray:
    return reduce(operator.add, arrays)


def _over(number: int, array: np.ndarray) -> np.ndarray:
    return array / Fraction(number) if array.dtype == object else array / number


def _affordable(direction: np.ndarray, query_key: np.ndarray, order: int) -> None:
    order = integer("order", order, "the last power of e", least=0)
    entries = len(query_key) * power(len(direction), 2)
    # the Fractions have as many digits as the order
    refuse(Estimate(f"the residual to order {power(order, 1):.6g}", 2e-7 * entries * power(order, 3)))
