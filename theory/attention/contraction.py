r"""The doubly exponential bound on rank collapse of pure attention, with a constant that is sharp at small logits.

**One layer.** Let ``E = X - 1 x^T`` for any row x, ``M = E A E^T / sqrt(d)``, ``r`` the part of the logits that all rows share
and ``p = softmax(r)``. Then ``P_ij = p_j exp(M_ij - c_i)`` with ``c_i = log sum_k p_k exp(M_ik)``, and ``P X W = 1 (..) +
(P - 1 p^T) E W``. Write ``|X|_1`` for the largest column sum and ``|X|_inf`` for the largest row sum of absolute values (both
are operator norms), and ``|X|_{1,inf}`` for the root of their product.

- *Rows.* P_i has the density ``exp(M_ij - c_i)`` against p, whose logarithm ranges over at most ``2 m_i``, ``m_i = max_j
  |M_ij|``. So ``sum_j |P_ij - p_j| <= 2 tanh(m_i / 2) <= m_i``: no row sum of ``P - 1 p^T`` exceeds ``m = max|M| <= |M|_1``.

- *Columns.* The logit of P_ij is that of p_j plus ``M_ij - L_i``, ``L_i = log E exp(M_ik)`` with k != j drawn as from p. The
  slope of the sigmoid is at most 1/4, and ``|L_i| <= phi(m) E |M_ik|`` with ``phi(x) = (e^x - 1)/x``. So the column sums of
  ``|P - 1 p^T|`` are at most ``(1 + phi(m)) |M|_1 / 4``. As ``|M|_1 <= |A|_1 |E|_{1,inf}^2 / sqrt(d)``,

      |E'|_{1,inf} <= (kappa(m) beta / sqrt(d)) |E|_{1,inf}^3,   kappa(m) = sqrt(1 + phi(m)) / 2,

  whatever the logits. kappa tends to ``1/sqrt(2)`` at small logits, which is sharp: ``E = W = 1``, ``M = [[m, -m], [0, 0]]``
  and p = (1/2, 1/2) reach it. kappa is 1 at m = 1.9038. The published constant 4 is right up to m = 5.92.

- *With the entry factor.* ``|P_ij - p_j| <= p_j (e^{2 m_i} - 1)``, so the columns sum to at most ``2 phi(2m) max(p) sum_i m_i``
  and ``gamma sqrt(2 phi(2m))`` may stand in place of kappa. Here ``gamma^2 = max(p) sum_i m_i / |M|_1`` is from 1/n to n.
  This is the smaller one if all shares are small. It is 2 gamma at m = 0.6282.

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

from depthjax.refusal import refusing
from theory.bound import Assumption, Bound, Number
from theory.checks import nonnegative_number, positive_integer
from theory.registry import registered

__all__ = ["collapse", "layer_constant"]

_SOURCE = (
    "arXiv 2103.03404, Theorems 2.2 and 2.3 (form; the entry factor of its second version is not quoted but derived here), "
    "with a sharp constant in place of 4 (derived)"
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

    The bound is ``(kappa beta H / sqrt(d))^((3^L - 1)/2) residual^(3^L)``, where kappa lies between ``1/sqrt(2)`` and 1 for
    logits up to 1.9038. It is refused where it does not contract, because it then grows with depth and is vacuous.

    Args:
        layers: Number of layers L of attention alone: no skip, mask or norm, and no feed-forward part unless `lipschitz` is
            given.
        width: Size d of queries and keys, whose root divides the logits; None leaves the width open.
        beta: Largest ``|W_QK|_1 (max_h |W_V,h|_1 max_h |W_V,h|_inf)^(1/2)`` of a layer; None leaves beta open.
        residual: ``|X - 1 x^T|_(1,inf)`` of the input for any row x: the root of its largest column sum times its largest row
            sum, of absolute values; None leaves the residual open.
        heads: Number of heads H of a layer.
        gamma: The entry factor, the largest over layers and heads: kappa is then ``gamma sqrt(2 phi(2m))``.
        query_key: Largest ``|W_QK|_1``; with it kappa is that of the logits ``m = query_key residual^2 / sqrt(d)``. Without it
            kappa is 1 (2 gamma with an entry factor), and the logits are taken to be small enough for that.
        decades: Return minus the decimal logarithm of the bound: a lower bound on the decades by which the residual lies
            below one. The bound itself leaves the range of floats after a few layers.
        lipschitz: Largest ``|Lambda|_(1,inf)`` of a map f of rows that follows each layer and satisfies
            ``|f(x) - f(y)| <= |x - y| Lambda`` entry by entry. It multiplies beta, so it slows the collapse down without
            stopping it where the bound contracts.

    Raises:
        ValueError: `layers`, `width` or `heads` is not an integer >= 1, or another number is not positive and finite.

    >>> collapse(layers=1, width=16, beta=1, residual=0.5).at()
    0.03125
    >>> round(collapse(layers=1, width=16, beta=1, residual=0.5, query_key=0.01).at() * 32, 4)  # kappa at small logits
    0.7072
    >>> collapse(8, width=16, beta=0.5, residual=0.5, decades=True).at() > 3900
    True
    >>> collapse(3, width=4, beta=1, residual=2).check()[2]
    ('kappa beta heads residual^2 < sqrt(width): it contracts; otherwise it is vacuous, growing with depth', False)
    """
    d, b, r, h, g, a, n, s = sympy.symbols("width beta residual heads gamma query_key layers lipschitz", positive=True)
    values: dict[sympy.Symbol, sympy.Expr] = {
        n: sympy.Integer(positive_integer("layers", layers, "the number of attention layers")),
        h: sympy.Integer(positive_integer("heads", heads, "the number of attention heads of a layer")),
    }
    for symbol, number in ((b, beta), (r, residual), (a, query_key), (g, gamma), (s, lipschitz)):
        if number is not None:
            values[symbol] = nonnegative_number(symbol.name, number)
            if values[symbol] == 0:
                raise ValueError(
                    f"{symbol.name} = 0: expected more than 0, because tokens without a residual stay without one and there "
                    "is nothing to bound."
                )
    if width is not None:
        values[d] = sympy.Integer(positive_integer("width", width, "the size of queries and keys"))
    logit = a * r**2 / sympy.sqrt(d)
    if query_key is not None:
        kappa = sympy.sqrt(1 + _phi(logit)) / 2 if gamma is None else g * sympy.sqrt(2 * _phi(2 * logit))
        size = Assumption("kappa is that of the largest logit, query_key residual^2 / sqrt(width) (taken as given)")
    else:
        kappa, limit = (sympy.Integer(1), _root(3)) if gamma is None else (2 * g, _root(2) / 2)
        size = Assumption(
            f"query_key residual^2 / sqrt(width) <= {math.floor(float(limit) * 1e4) / 1e4:.4f}, so that kappa is at most "
            f"{'1' if gamma is None else '2 gamma'} (taken as given: no query_key)"
        )
    slope = 1 if lipschitz is None else s
    factor = kappa * b * h * slope / sympy.sqrt(d)
    bound, logarithm = factor ** ((3**n - 1) / 2) * r ** (3**n), (3**n - 1) / 2 * sympy.log(factor) + 3**n * sympy.log(r)
    fits = Assumption("the bound is at least 1e-300, which a float holds; ask for its decades otherwise", logarithm >= -690)
    alone = "alone: no skip, mask, norm or feed-forward part"
    mapped = "and a map of rows, no skip around attention, mask or norm; |f(x) - f(y)| <= |x - y| Lambda entry by entry"
    norm = "the residual |X - 1 x^T|_(1,inf), root of largest column sum times largest row sum, after the layers"
    return Bound(
        side="below" if decades else "above",
        expr=-logarithm / sympy.log(10) if decades else bound,
        quantity=f"the decades under one of {norm} (at least)" if decades else norm,
        assumes=(
            Assumption(f"attention {alone if lipschitz is None else mapped} (taken as given)"),
            size,
            Assumption(
                f"kappa beta heads {'' if lipschitz is None else 'lipschitz '}residual^2 < sqrt(width): it contracts; "
                "otherwise it is vacuous, growing with depth",
                sympy.Lt(factor * r**2, 1),
            ),
            *(() if decades else (fits,)),
        ),
        source=_SOURCE,
        values=values,
    )


@refusing(lambda scale: _root_of_a_size(scale))
def layer_constant(
    logit: float, heads: int, scale: float, gamma: Number | None = None, lipschitz: Number | None = None
) -> float:
    """Return the bound of one layer whose input has size one, over heads, |A|_1, |W| and scale: kappa at these logits.

    Args:
        logit: ``|A|_1 scale``, the largest logit that may differ by row.
        heads: Number of heads.
        scale: Scale of the logits, 1/sqrt(size of a query).
        gamma: Entry factor, see `collapse`.
        lipschitz: Size of the entrywise slopes of a map of rows, see `collapse`.

    Raises:
        ValueError: The scale is not 1/sqrt(size) for a whole number.

    >>> round(layer_constant(1e-9, 2, 0.5) ** 2, 6)
    0.5
    """
    keys, values = logit / scale, 1e-9  # so small that the bound contracts
    sizes = {"width": round(scale**-2), "beta": keys * values, "residual": 1, "heads": heads, "query_key": keys}
    bound = collapse(1, **sizes, gamma=gamma, lipschitz=lipschitz)
    return bound.at() / (heads * keys * values * scale)


def _root_of_a_size(scale: float) -> None:
    size = 1 / scale / scale if nonnegative_number("scale", scale) else 0
    # the scale may be rounded to float32
    if not 0.5 < size < math.inf or not math.isclose(size, round(size), rel_tol=1e-6):
        raise ValueError(f"scale = {scale!r}: expected 1/sqrt(size of a query), of a whole number.")


def _phi(x: sympy.Expr) -> sympy.Expr:
    return (sympy.exp(x) - 1) / x


@lru_cache
def _root(value: int) -> sympy.Expr:
    """Return the positive x with ``phi(x) = (e^x - 1)/x`` equal to this value, above 1.

    >>> round(float(_root(3)), 4), round(float(_root(2)), 4)
    (1.9038, 1.2564)
    """
    inverse = sympy.Rational(1, value)
    return (-sympy.LambertW(-inverse * sympy.exp(-inverse), -1) - inverse).evalf(30)
