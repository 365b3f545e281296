r"""Composing tables, the first one first: layers that a causal network needs, and how much two layers can hold.

A word is a start i, then L tables f_1, ..., f_L, entry by entry, then a letter that asks for f_L(... f_1(i)). With a causal
mask L + 1 layers do it at constant width: the last position follows one pointer a layer, the start first. A table sees no later
one, so nothing can be composed ahead; without the mask, pointers double.

*Few layers.* B bits are what the heads of a layer together hold of one table at one position, its partial sums: h (m + 1) p for
h heads of m numbers and a normaliser, p bits each. The last table has b entries in {0, 1}.

One layer: the last query does not depend on the start, so the sums over f_1 have to tell 2^b tables apart: b <= B.

Two layers: let f_1 have a entries in 0 ... b - 1. Before layer 2 the table f_1 reaches the later positions as B bits at the
last one, and as B bits at entry j of f_2, which asks as (j, f_2(j)): (2 b + 1) B bits for both values of every entry. So some
set F of more than t^a tables f_1 has the same of all these bits if

    b^a > 2^((2 b + 1) B) t^a.

A set of more than t^a tables has more than t values at some place i, which is made the start. Then i_1 = f_1(i) takes t + 1
values on F, while what the last position gets of f_2 in both layers, 2 B bits, depends on f_2 alone. With t = 2 B two tables
f_2 have the same bits and differ at one of the t + 1 values; the f_1 in F with this value completes two words with one view and
two answers. So b <= 2 B, and two halves of f_2, one read in each layer, attain it. This decomposition of the inputs into
indistinguishable ones is that of Chen, Peng and Wu; the constants are derived here, for one and two layers.

For any L the source has: no L layers compose L tables if H d p <= n^(2^(-4 L)), n the length. L = 1 needs n >= (H d p)^16.

*Passes.* A machine that reads f_L, ..., f_1 (the last one first) once holds f_L when it meets f_1: b^b states for L = 2 and
square tables. In L passes b states are enough. Published for any order of the blocks: L passes, or size Omega(N / L^6).

Source: Chen, Peng, Wu, arXiv 2412.02975 (abstract and summaries; its proof and its encoding were not read); pointer chasing:
arXiv 2402.09268 by way of Assadi and N, 2021 (notes only); all else is derived here.
"""

from __future__ import annotations

import mpmath
import sympy

from theory.bound import Assumption, Bound
from theory.checks import positive_integer
from theory.registry import registered

__all__ = ["composition_depth", "composition_layers", "composition_points", "first_table", "one_pass_states"]


@registered
def composition_depth(length: int, heads: int, width: int, bits: int) -> Bound:
    """Return up to which L as many as L layers of causal attention cannot compose L tables.

    They do not compose them, one after the other, if ``H d p <= n^(2^(-4 L))``, that is for ``L <= log16(ln n / ln(H d p))``.
    The bound is unconditional, and vacuous for words shorter than ``(H d p)^16``. With L + 1 layers a width of five is enough.

    Args:
        length: Number of tokens n of a word.
        heads: Number of heads H of a layer.
        width: Numbers d in the state of a position.
        bits: Bits p of a number.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> composition_depth(length=70000, heads=1, width=2, bits=1).at()
    1.0
    >>> composition_depth(length=10**6, heads=8, width=512, bits=16).check()[1]
    ('10^6 tokens are at least (heads width bits)^16 = 10^77.06: else the bound is vacuous here', False)
    """
    n, total = sympy.symbols("length size", positive=True)
    sizes = {"heads": heads, "width": width, "bits": bits}
    product = 1
    for name, number in sizes.items():
        product *= positive_integer(name, number, "a size of the layer")
    count = positive_integer("length", length, "the number of tokens of a word")
    shown, least = (_power_of_ten(power, size) for power, size in ((1, count), (16, product)))
    statement = f"{shown} tokens are at least (heads width bits)^16 = {least}"
    return Bound(
        side="below",
        expr=sympy.floor(sympy.log(sympy.log(n) / sympy.log(total)) / sympy.log(16)),
        quantity="the largest L for which L layers of causal attention surely cannot compose L tables",
        assumes=(
            Assumption("heads * width * bits >= 2", sympy.Ge(total, 2)),
            Assumption(f"{statement}: else the bound is vacuous here", sympy.Ge(sympy.log(n), 16 * sympy.log(total))),
            Assumption("causal masks in every layer; any feed-forward parts; tables as in the source (taken as given)"),
        ),
        source="Chen, Peng, Wu, arXiv 2412.02975 (constants as in its abstract; proof not read)",
        values={n: sympy.Integer(count), total: sympy.Integer(product)},
    )


@registered
def composition_points(layers: int, bits: int, first: int | None = None) -> Bound:
    """Return the most entries of a last table that one or two layers of causal attention compose.

    The number is ``L B`` for L layers, L tables with a start in front, and a last table of zeros and ones. It is attained.

    Args:
        layers: One or two; for more layers no such number is derived.
        bits: Bits B that all heads of a layer hold together of one table at one position, h (m + 1) p.
        first: Entries of the first of two tables; the bound needs many of them.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> composition_points(layers=2, bits=34).at(), first_table(69, 34)
    (68.0, 224390)
    >>> composition_points(layers=2, bits=1, first=9).check()[-1]
    ('the first of two tables has at least 12 entries: else the bound is vacuous here', False)
    """
    depth, held, entries = sympy.symbols("layers bits first", positive=True, integer=True)
    values = {
        depth: sympy.Integer(positive_integer("layers", layers, "the number of attention layers")),
        held: sympy.Integer(positive_integer("bits", bits, "the bits that a layer holds of a table")),
    }
    needed = first_table(2 * int(values[held]) + 1, int(values[held]))
    long_enough = f"the first of two tables has at least {needed} entries"
    if first is None:
        many = Assumption(f"{long_enough} (taken as given)")
    else:
        values[entries] = sympy.Integer(positive_integer("first", first, "the entries of the first table"))
        many = Assumption(f"{long_enough}: else the bound is vacuous here", sympy.Ge(entries, needed) | sympy.Le(depth, 1))
    return Bound(
        expr=depth * held,
        quantity="the most entries, each 0 or 1, of a last table that as many layers as tables compose with those before it",
        assumes=(
            Assumption("layers <= 2: for more layers only orders are known", sympy.Le(depth, 2)),
            Assumption(
                "causal masks; the start comes first, then the tables in order; any feed-forward parts (taken as given)"
            ),
            many,
        ),
        source="indistinguishable decompositions, after arXiv 2412.02975 (constants derived in theory.attention.compose)",
        values=values,
    )


def composition_layers(tables: int, mask: str = "causal") -> int:
    """Return the layers with which pointers compose so many tables: L + 1 under the causal mask, ceil(log2(L + 2)) without.

    Without a mask layer r doubles the pointers of the tables, and the last position has passed 2 + 4 + ... + 2^(r - 1) of them.

    Raises:
        ValueError: `tables` is not an integer >= 1, or the mask is not "causal" or "full".

    >>> [composition_layers(tables) for tables in (1, 2, 6, 7)], [composition_layers(k, "full") for k in (1, 2, 3, 6, 7)]
    ([2, 3, 7, 8], [2, 2, 3, 3, 4])
    """
    tables = positive_integer("tables", tables, "the number of tables")
    if mask not in ("causal", "full"):
        raise ValueError(f"mask = {mask!r}: expected 'causal' or 'full', because they need different depths.")
    return tables + 1 if mask == "causal" else (tables + 1).bit_length()


def first_table(points: int, bits: int) -> int:
    """Return the least length a of a first table at which two layers fail: ``b^a > 2^((2 b + 1) B) (2 B)^a``.

    Args:
        points: Entries b of the last table, more than 2 B.
        bits: Bits B that a layer holds of a table at a position.

    Raises:
        ValueError: A number is not an integer >= 1, or the last table has no more than 2 B entries.

    >>> [first_table(points, 1) for points in (3, 4, 5)], [first_table(2 * bits + 1, bits) for bits in (2, 3)]
    ([12, 10, 9], [69, 203])
    """
    b, held = positive_integer("points", points, "the entries of the last table"), positive_integer("bits", bits, "bits")
    if b <= 2 * held:
        raise ValueError(f"points = {b}: expected more than 2 * bits = {2 * held}, because two layers hold so many entries.")
    with mpmath.workdps(40 + 6 * len(str(b))):
        exact = (2 * b + 1) * held * mpmath.log(2) / mpmath.log(mpmath.mpf(b) / (2 * held))
        return int(mpmath.floor(exact + mpmath.mpf(10) ** (-mpmath.mp.dps // 3))) + 1


def one_pass_states(points: int) -> int:
    """Return the states of a machine that reads the last of two square tables before the first one, once: ``n^n``.

    Raises:
        ValueError: `points` is not an integer from 1 to 1000.
    """
    points = positive_integer("points", points, "the entries of a table")
    if points > 1000:
        raise ValueError(f"points = {points}: expected at most 1000, because the number of tables has thousands of digits.")
    return points**points


def _power_of_ten(power: int, size: int) -> str:
    """A power of a whole number as a power of ten, for people."""
    return f"10^{float(power * mpmath.log10(size)):.4g}"
