r"""Rank collapse of pure attention: exact expansions in the size of the residual, path counts, and the limits under masks.

**Expansion.** Let the tokens be ``X = 1 b^T + e R`` with centred R (columns sum to 0). Terms of the logits that are constant
along row i drop out of the softmax. The remaining logits are ``s_ij = e u_j + e^2 v_ij`` with ``u = R A^T b s`` and
``v = R A R^T s``, s the scale of the logits. The part of ``sum_j softmax(s_i)_j r_j`` that depends on i starts at
``e^2 sum_j v_ij r_j / n``, and the residual brings another factor e:

    res(SA(X)) = e^3 s/n sum_h R A_h R^T R W_h + e^4 C_4 + e^5 C_5 + ..,      res(Y) = Y - 1 (mean row of Y),

for any offset b and number of heads. By hand, ``C_4 = sum_h V_h diag(u_h) R W_h / n`` with ``V_h = s R A_h R^T``, which
vanishes without an offset; then the next term is ``C_5 = res(sum_h (V_h o V_h) R W_h) / 2n`` (o: entry by entry).
`residual_terms` finds all terms by exact power series, without these formulas; `cubic`, `quartic` and `quintic` are the
formulas.

**Many layers.** The cubic map F_l is homogeneous, so ``log r_{l+1} = 3 log r_l + log |F_l(R_l/r_l)|`` and ``log r_L = 3^L log
r_0 + sum_l 3^{L-1-l} log |F_l(direction)|``. Iterating directions and adding logarithms avoids underflow (`log_residuals`).

**Masks.** At small residual a masked row attends evenly to the tokens that it sees. The causal mean, ``P_ij = 1/i`` for
j <= i, is triangular with eigenvalues 1/i. Token 1 attends only to itself, so the distance to token 1 involves the eigenvalues
1/2, ..., 1/n. The eigenvector of 1/2 is ``i - 1``, because ``sum_{j<=i} (j - 1)/i = (i - 1)/2``. So the distance halves in
each layer. With the window {i, i - 1} the eigenvalue 1/2 has one Jordan block of size n - 1, and the distance falls like
``l^{n-2} 2^-l``.

**Skips.** ``res(X + SA(X)) = e R + e^3 F(R) + ..``, so at small residual a layer changes the size of the residual by the
relative amount ``e^2 <R, F(R)>/|R|^2``. The weights decide the sign, and no weights cube the residual. The 2d tokens
``+-rho e_i`` with ``A = I, W = -I`` keep their shape: ``rho' = rho (1 - g)`` with ``g = 2 sinh(s rho^2) / (2 cosh(s rho^2) +
2d - 2) = s rho^2/d + O(rho^6)``. So ``rho ~ sqrt(d / (2 s l))`` after l layers, and the residual ``sqrt(2d) rho`` does fall to
zero, like ``d / sqrt(s l)`` (`skip_decay`). With W = +I it never falls.

**LayerNorm** of a row y is ``sqrt(d) C y / |C y|``, C the centring of features. Near a shared row y0 with ``C y0 != 0`` it is
smooth, with derivative ``J = sqrt(d)/|C y0| (C - c c^T)``, ``c = C y0/|C y0|`` (`norm_jacobian`). So the residual after a norm
is still cubic, ``e^3 F(R) J``. On the other hand, attention and LayerNorm are odd, so tokens in pairs ``+-x`` stay in pairs.
Their mean is zero and their rows have length ``sqrt(d)``, so their residual is ``sqrt(n d)`` after any number of layers with
any weights.

Source: derived here; setting of Dong, Cordonnier, Loukas, arXiv 2103.03404.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise

import numpy as np

from theory.checks import fraction, integer
from theory.exact.integers import widened

__all__ = [
    "centred",
    "cubic",
    "distance_ratios",
    "log_residuals",
    "masked_mean",
    "norm_jacobian",
    "path_count",
    "quartic",
    "quintic",
    "residual_terms",
    "skip_decay",
]


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


def skip_decay(width: int, scale: float) -> tuple[float, float]:
    """Return exponent and constant of the residual ``constant * layers^-exponent`` of ``+-rho e_i`` with skip, A = I, W = -I.

    >>> skip_decay(4, 0.25)
    (0.5, 8.0)
    """
    return 0.5, width / math.sqrt(scale)


def norm_jacobian(row: np.ndarray) -> np.ndarray:
    """Return the derivative of LayerNorm (no gain, bias or epsilon) at a row, acting from the right; shape ``(width, width)``.

    Raises:
        ValueError: All features of the row are equal, where LayerNorm is not defined.

    >>> bool(abs(norm_jacobian(np.array([1.0, -1.0]))).max() < 1e-15)  # LayerNorm of two features is a sign
    True
    """
    row = np.asarray(row, float)
    if np.ptp(row) == 0:
        raise ValueError(
            "all features of the row are equal: expected a row that differs from its mean, because LayerNorm divides by its "
            "deviation. Take another offset or value matrix."
        )
    centring = np.eye(len(row)) - 1 / len(row)
    moved = centring @ row
    size = np.linalg.norm(moved)
    return math.sqrt(len(row)) / size * (centring - np.outer(moved, moved) / size**2)


def path_count(layers: int, heads: int, skip: bool = False) -> tuple[int, ...]:
    """Return the number of paths through L layers by the number l of attention layers passed.

    There are ``H^L`` paths of length L; with skips there are ``C(L, l) H^l`` paths of length l.

    Raises:
        ValueError: An argument is not an integer >= 0.

    >>> path_count(3, 2), path_count(3, 2, skip=True), sum(path_count(3, 2, skip=True))
    ((0, 0, 0, 8), (1, 6, 12, 8), 27)
    """
    layers, heads = (integer(name, n, f"because it counts {name}", 0) for name, n in (("layers", layers), ("heads", heads)))
    return tuple(math.comb(layers, k) * heads**k if skip or k == layers else 0 for k in range(layers + 1))


def masked_mean(tokens: int, mask: str) -> np.ndarray:
    """Return the limit of a masked layer at small residual: every row averages the tokens that it sees.

    Args:
        tokens: Number of tokens.
        mask: "causal", "window" (the token itself and the token before it) or "full".

    Returns:
        Fractions, shape ``(tokens, tokens)``.

    Raises:
        ValueError: The mask is none of these.

    >>> masked_mean(3, "causal")[2].tolist(), masked_mean(3, "window")[2].tolist()
    ([Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)], [Fraction(0, 1), Fraction(1, 2), Fraction(1, 2)])
    """
    if mask not in ("causal", "window", "full"):
        raise ValueError(f"mask = {mask!r}: expected 'causal', 'window' or 'full', the masks whose limit is known here.")
    first = {"causal": lambda i: 0, "window": lambda i: max(i - 1, 0), "full": lambda i: 0}[mask]
    last = {"causal": lambda i: i, "window": lambda i: i, "full": lambda i: tokens - 1}[mask]
    return np.array(
        [[Fraction(int(first(i) <= j <= last(i)), last(i) - first(i) + 1) for j in range(tokens)] for i in range(tokens)],
        dtype=object,
    )


def distance_ratios(profile: np.ndarray, mask: str, layers: int) -> np.ndarray:
    """Return the factor by which each layer shrinks the distance to token 1 at small residual, for orthogonal ``W_V``.

    Args:
        profile: Differences to token 1, whose own row is 0; exact, shape ``(tokens, width)``.
        mask: Mask, as in `masked_mean`.
        layers: Number of layers.

    Returns:
        Frobenius distance after each layer over the distance before it, shape ``(layers,)``; exact up to the final root. It
        tends to 1/2 for the causal mask and the window.

    >>> line = np.array([[Fraction(i)] for i in range(5)])
    >>> distance_ratios(line, "causal", 3)
    array([0.5, 0.5, 0.5])
    """
    profile = widened(np.asarray(profile))
    mean, squares = masked_mean(len(profile), mask), [(profile**2).sum()]
    for _ in range(layers):
        profile = mean @ profile
        profile = profile - profile[:1]
        squares.append((profile**2).sum())
    return np.array([math.sqrt(after / before) for before, after in pairwise(squares)])


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
