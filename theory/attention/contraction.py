r"""The doubly exponential bound on rank collapse of pure attention, with and without the entry factor.

**One layer.** Let ``E = X - 1 x^T`` for any row x, ``M = E A E^T / sqrt(d)``, ``r`` the part of the logits that all rows share
and ``p = softmax(r)``. Then ``P_ij = p_j exp(M_ij - c_i)`` with ``c_i = log sum_k p_k exp(M_ik)``, and ``P X W = 1 (..) +
(P - 1 p^T) E W``. Write ``|X|_1`` for the largest column sum and ``|X|_inf`` for the largest row sum of absolute values (both
are operator norms), and ``|X|_{1,inf}`` for the root of their product.

- *With the entry factor.* Let ``D_i`` be the range of row i of M. Then ``|P_ij - p_j| <= p_j (e^{D_i} - 1) <= 2 D_i p_j`` while
  ``D_i <= 1.2564``. Rows sum to at most ``4 max|M|``; columns to at most ``4 max(p) sum_i max_j |M_ij|``. As ``|M|_1 <= |A|_1
  |E|_{1,inf}^2 / sqrt(d)``,

      |E'|_{1,inf} <= (4 gamma beta / sqrt(d)) |E|_{1,inf}^3,   gamma^2 = max(p) sum_i max_j |M_ij| / |M|_1,

  and gamma^2 lies between 1/n and n.

- *Without the entry factor.* Keep the signs: ``|P_ij - p_j| <= phi(2 m) p_j |M_ij - c_i|`` with ``phi(x) = (e^x - 1)/x`` and
  ``m = max|M|``, and ``|c_i| <= phi(m) sum_k p_k |M_ik|``. The sum over i is at most ``kappa(m) p_j |M|_1`` with ``kappa(m) =
  phi(2 m) (1 + phi(m))``, and contains no row maxima. So ``gamma = 1`` is right while ``kappa(m) <= 4``, that is
  ``m <= 0.5089``. As m -> 0 even ``2 sqrt(max p)`` will do in place of 4.

- *Several heads.* ``|.|_{1,inf}`` satisfies no triangle inequality, but its two factors do. Take the largest ``|W_V|_1`` and
  the largest ``|W_V|_inf`` over the heads; the bound then grows by the number of heads.

- *A feed-forward part* f after each layer, applied to each row. If ``|f(x) - f(y)|_k <= sum_j Lambda_jk |x_j - y_j|``, the rows
  ``f(x_i) - f(x)`` are at most ``|E| Lambda`` entry by entry, so the bound gains the factor ``lambda = |Lambda|_{1,inf}``
  beside beta. A perceptron ``relu(x W + a) V + b`` has ``Lambda = |W| |V|``, so ``lambda <= |W|_{1,inf} |V|_{1,inf}``; with a
  skip, ``x + f(x)``, lambda is ``|1 + Lambda|_{1,inf}``. A Lipschitz constant of the rows in the 1-norm or the 2-norm is not
  enough, because columns can then grow by up to ``sqrt(d)`` in this size. For example, the rows ``e_1, .., e_d`` have size 1.
  An orthogonal matrix with entries ``+-1/sqrt(d)`` keeps their lengths and makes the size ``sqrt(d)``, and so does the map
  ``(|x|_1, 0, .., 0)``.

**Many layers.** Iterate ``E_{l+1} = sum_h (P_h - 1 p_h^T) E_l W_h`` as long as the bound contracts.
"""

from __future__ import annotations

import math
from functools import lru_cache

import sympy

from theory.bound import Bound, Hypothesis, Number
from theory.checks import nonnegative_number, positive_integer
from theory.registry import registered

__all__ = ["collapse"]

_SOURCE = (
    "arXiv 2103.03404, Theorems 2.2 and 2.3 (form; the entry factor of its second version is not quoted but derived here), "
    "with the range of the logits made explicit (derived)"
)


@registered
def collapse(
    layers: int,
    width: int | None = None,
    beta: Number | None = None,
    residual: Number | None = None,
    heads: int = 1,
    gamma: Number | None = None,
    query_key: Number | None = None,
    decades: bool = False,
    lipschitz: Number | None = None,
) -> Bound:
    """Bound the residual of pure attention after some layers, which falls doubly exponentially.

    The bound is ``(4 gamma beta H / sqrt(d))^((3^L - 1)/2) residual^(3^L)``. It is refused where it does not contract, because
    it then grows with depth and is vacuous.

    Args:
        layers: Number of layers L of attention alone: no skip, mask or norm, and no feed-forward part unless `lipschitz` is
            given.
        width: Size d of queries and keys, whose root divides the logits; None leaves the width open.
        beta: Largest ``|W_QK|_1 (max_h |W_V,h|_1 max_h |W_V,h|_inf)^(1/2)`` of a layer; None leaves beta open.
        residual: ``|X - 1 x^T|_(1,inf)`` of the input for any row x: the root of its largest column sum times its largest row
            sum, of absolute values; None leaves the residual open.
        heads: Number of heads H of a layer.
        gamma: The entry factor, the largest over layers and heads; by default 1, which is right for logits up to 0.5089.
        query_key: Largest ``|W_QK|_1``; with it the size of the logits is checked.
        decades: Return minus the decimal logarithm of the bound: a lower bound on the decades by which the residual lies
            below one. The bound itself leaves the range of floats after a few layers.
        lipschitz: Largest ``|Lambda|_(1,inf)`` of a map f of rows that follows each layer and satisfies
            ``|f(x) - f(y)| <= |x - y| Lambda`` entry by entry. It multiplies beta, so it slows the collapse down without
            stopping it where the bound contracts.

    Raises:
        ValueError: `layers`, `width` or `heads` is not an integer >= 1, or another number is not positive and finite.

    >>> round(collapse(layers=2, width=16, beta=0.5, residual=0.5).at(), 7)
    0.0001221
    >>> collapse(8, width=16, beta=0.5, residual=0.5, decades=True).at() > 2900
    True
    >>> round(collapse(2, width=16, beta=0.5, residual=0.5, lipschitz=2).at(), 7)
    0.0019531
    >>> collapse(3, width=4, beta=1, residual=1).check()[2]
    ('4 gamma beta heads residual^2 < sqrt(width): it contracts; otherwise it is vacuous, growing with depth', False)
    """
    d, b, r, h, g, a, n, s = sympy.symbols("width beta residual heads gamma query_key layers lipschitz", positive=True)
    values: dict[sympy.Symbol, sympy.Expr] = {
        n: sympy.Integer(positive_integer("layers", layers, "the number of attention layers")),
        h: sympy.Integer(positive_integer("heads", heads, "the number of attention heads of a layer")),
    }
    for symbol, number in ((b, beta), (r, residual), (a, query_key), (g, 1 if gamma is None else gamma), (s, lipschitz)):
        if number is not None:
            values[symbol] = nonnegative_number(symbol.name, number)
            if values[symbol] == 0:
                raise ValueError(
                    f"{symbol.name} = 0: expected more than 0, because tokens without a residual stay without one and there "
                    "is nothing to bound."
                )
    if width is not None:
        values[d] = sympy.Integer(positive_integer("width", width, "the size of queries and keys"))
    limit = _largest_logit() if gamma is None else _largest_range() / 2
    why = "so that no entry factor is needed" if gamma is None else "so that e^D - 1 <= 2 D for the range D of a row"
    logits = f"query_key residual^2 / sqrt(width) <= {math.floor(float(limit) * 1e4) / 1e4:.4f}, {why}"
    size = Hypothesis(f"{logits} (taken as given: no query_key)")
    if query_key is not None:
        size = Hypothesis(logits, sympy.Le(a * r**2 / sympy.sqrt(d), limit))
    slope = 1 if lipschitz is None else s
    factor = 4 * g * b * h * slope / sympy.sqrt(d)
    bound, logarithm = factor ** ((3**n - 1) / 2) * r ** (3**n), (3**n - 1) / 2 * sympy.log(factor) + 3**n * sympy.log(r)
    fits = Hypothesis("the bound is at least 1e-300, which a float holds; ask for its decades otherwise", logarithm >= -690)
    alone = "alone: no skip, mask, norm or feed-forward part"
    mapped = "and a map of rows, no skip around attention, mask or norm; |f(x) - f(y)| <= |x - y| Lambda entry by entry"
    norm = "the residual |X - 1 x^T|_(1,inf), root of largest column sum times largest row sum, after the layers"
    return Bound(
        side="below" if decades else "above",
        expr=-logarithm / sympy.log(10) if decades else bound,
        quantity=f"the decades under one of {norm} (at least)" if decades else norm,
        assumes=(
            Hypothesis(f"attention {alone if lipschitz is None else mapped} (taken as given)"),
            size,
            Hypothesis(
                f"4 gamma beta heads {'' if lipschitz is None else 'lipschitz '}residual^2 < sqrt(width): it contracts; "
                "otherwise it is vacuous, growing with depth",
                sympy.Lt(4 * g * b * h * slope * r**2, sympy.sqrt(d)),
            ),
            *(() if decades else (fits,)),
        ),
        source=_SOURCE,
        values=values,
    )


@lru_cache
def _largest_range() -> sympy.Expr:
    """Return the positive root of ``e^x - 1 = 2 x``.

    >>> round(float(_largest_range()), 4)
    1.2564
    """
    return (-sympy.LambertW(-sympy.exp(sympy.Rational(-1, 2)) / 2, -1) - sympy.Rational(1, 2)).evalf(30)


@lru_cache
def _largest_logit() -> sympy.Expr:
    """Return the root of ``kappa(m) = (e^{2m} - 1)/(2m) (1 + (e^m - 1)/m) = 4``.

    >>> round(float(_largest_logit()), 6)
    0.508951
    """
    m = sympy.Symbol("m")
    grown = (sympy.exp(2 * m) - 1) / (2 * m) * (1 + (sympy.exp(m) - 1) / m)
    return sympy.Float(sympy.nsolve(grown - 4, m, 0.5, prec=30), 30)
