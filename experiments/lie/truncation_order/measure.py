"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.lie.brackets import Span, bracket_matrices, graded_element
from depthjax.lie.exponential import exponential_excess
from depthjax.lie.products import word_excess
from depthjax.lie.signature import log_signature
from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.lie._so3_and_sl2 import so3_and_sl2

HIGHEST = 9


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Spectral distance of the two exponentials for every eps; the series is the log-signature of the two-letter word."""
    scales = 2.0 ** (-jnp.arange(cell.steps) / 2)
    series = log_signature(jnp.eye(2), HIGHEST)
    degrees = np.repeat(np.arange(1, HIGHEST + 1), [Span(d, d).dimension(2) for d in range(1, HIGHEST + 1)])
    cuts = {end: jnp.where(degrees <= degree, series, 0.0) for end, degree in (("", cell.degree), ("_fewer", cell.degree - 1))}
    pairs = {name: given[name].astype(float) for name in ("so3", "sl2")}
    pairs["gl4"] = np.random.default_rng(given["seed"]).integers(-8, 9, (2, 4, 4)) / 16
    matrices = {name: np.pad(pair, ((0, 0), *[(0, 4 - pair.shape[-1])] * 2)) for name, pair in pairs.items()}

    def error(name: str, end: str) -> Quantity:
        pair = matrices[name]
        distance = np.linalg.norm(np.asarray(_difference(cuts[end], jnp.asarray(pair), scales)), ord=2, axis=(1, 2))
        mass = np.asarray(scales) * np.linalg.norm(pair, ord=2, axis=(1, 2)).sum()
        # a matrix exponential is at most 13 products of 4x4 matrices
        floor = rounding_floor(4 * 13 * 2, scales.dtype, mass * np.exp(mass))
        return Quantity(distance, "step", floor=floor, label=f"spectral error, {name}", unit="operator norm")

    return measured(
        step=Quantity(scales, "step", label="ε"),
        **{f"error_{name}{end}": error(name, end) for name in matrices for end in cuts},
        **so3_and_sl2(given["so3"], given["sl2"]),
    )


@jax.jit
def _difference(series: jax.Array, pair: jax.Array, scales: jax.Array) -> jax.Array:
    """The exponential of the series minus the product of the exponentials; one program for every degree of the cut."""
    element = graded_element(series[None], bracket_matrices(pair, HIGHEST), Span(1, HIGHEST), scales, 2)
    return (exponential_excess(element) - word_excess(jnp.array([[0, 1]]), pair, scales))[:, 0]
