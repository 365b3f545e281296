"""What attention below quadratic cost cannot hold or reach: states of linear attention, and windows.

A kernelised linear attention layer keeps ``sum_t phi(k_t) (v_t, 1)``: r features times d values and a normaliser. Its answer to
a query depends on the context through these ``r (d + 1)`` numbers alone. Contexts that assign a bit to each of n keys need 2^n
different states, because some query tells any two of them apart. So ``n <= r (d + 1) p`` with p bits a number. Keys that write
single binary digits of single numbers attain this.

If every bit is read off as a linear threshold of the state, then ``n <= r (d + 1)``, in real numbers of any precision. Let
``m_kj`` be the effect of bit j on the number that is read off for key k. The threshold is right in every context iff ``m_kk >
sum_{j != k} |m_kj|``. So the matrix m is strictly diagonally dominant and has rank n, while it factors through the ``r (d +
1)`` numbers of the state. Keys that write a unit to single numbers attain this: further digits serve nonlinear readouts alone.

A layer with a window w sees the w positions before its own. So after L layers a position depends on the ``w L`` positions
before it and on no others, and layers that copy from the far end of the window attain this.
"""

from __future__ import annotations

import sympy

from theory.bound import Assumption, Bound
from theory.checks import positive_integer
from theory.registry import registered

__all__ = ["linear_readout", "subquadratic", "window_reach"]


@registered
def subquadratic(features: int, width: int, bits: int) -> Bound:
    """Return the most keys whose bits one kernelised linear attention layer can recall.

    Args:
        features: Number of features r of the kernel.
        width: Numbers d in a value.
        bits: Bits p of a number of the state.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> subquadratic(features=16, width=64, bits=16).at()
    16640.0
    """
    r, d, p = sympy.symbols("features width bits", positive=True)
    sizes = {r: features, d: width, p: bits}
    return Bound(
        expr=r * (d + 1) * p,
        quantity="the keys whose bits one kernelised linear attention layer can recall, one bit a key",
        assumes=(
            Assumption("the state is r (d + 1) numbers of p bits: values and a normaliser (taken as given)"),
            Assumption("any embeddings, any features of the query and any MLP after the state is read (taken as given)"),
        ),
        source="one state for each assignment of bits (derived); the task is that of arXiv 2402.09268, section 5",
        values={s: sympy.Integer(positive_integer(s.name, number, "a size of the layer")) for s, number in sizes.items()},
    )


@registered
def linear_readout(features: int, width: int) -> Bound:
    """Return the most keys whose bits linear thresholds of the state of linear attention recall.

    The bound holds at any precision.

    Args:
        features: Number of features r of the kernel.
        width: Numbers d in a value.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> linear_readout(features=16, width=64).at()
    1040.0
    """
    r, d = sympy.symbols("features width", positive=True)
    sizes = {r: features, d: width}
    return Bound(
        expr=r * (d + 1),
        quantity="the keys whose bits are linear thresholds of the state of one kernelised linear attention layer",
        assumes=(Assumption("the state is r (d + 1) real numbers, and each bit is a linear threshold of it (taken as given)"),),
        source="a strictly diagonally dominant matrix is regular (derived); the task is that of arXiv 2402.09268, section 5",
        values={s: sympy.Integer(positive_integer(s.name, number, "a size of the layer")) for s, number in sizes.items()},
    )


@registered
def window_reach(window: int, layers: int, length: int | None = None) -> Bound:
    """Return how far back a position can depend on the word after layers of windowed attention.

    Args:
        window: Positions w before its own that a layer sees, at least 1.
        layers: Number of layers L, at least 1.
        length: Number of letters of a word; a window that holds the whole word is refused. None leaves the length open.

    Raises:
        ValueError: A number is not an integer >= 1.

    >>> window_reach(window=4, layers=3).at()
    12.0
    """
    w, depth = sympy.symbols("window layers", positive=True)
    sizes = {w: window, depth: layers}
    values = {s: sympy.Integer(positive_integer(s.name, number, "a size of the network")) for s, number in sizes.items()}
    shorter = ()
    if length is not None:
        fits = int(values[w]) < positive_integer("length", length, "the number of letters of a word")
        shorter = (Assumption(f"the window is shorter than a word of {length} letters", sympy.true if fits else sympy.false),)
    return Bound(
        expr=w * depth,
        quantity="the distance to the farthest position on which layers of windowed attention can depend",
        assumes=(Assumption("a layer sees w positions before its own and nothing global (taken as given)"), *shorter),
        source="composition of windows (derived)",
        values=values,
    )
