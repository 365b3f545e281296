"""What linear layers read of the codes of a group with its irreps, and a convolution summed element by element."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.fourier_coefficients.common import entries


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The matrices read of all codes x[gh] and x[hg], and of a convolution; the convolution, and the square of the encoding."""
    table, (first, second) = given["table"], given["encodings"]
    convolution = _convolution(table, first, second)
    sizes = [float(np.abs(encoding).sum()) for encoding in (first, second)]

    def floor(size: float) -> float:
        return float(rounding_floor(4 * len(table), np.dtype(float), size))  # of a layer, and of the sums before it

    square = float(jnp.sum(jnp.abs(jnp.asarray(first)) ** 2))
    read = _read(given, first[table], floor(sizes[0]))
    return measured(
        read=read,
        compared=Quantity(np.size(read.values), label="numbers read that are compared"),
        read_other_side=_read(given, first[table.T], floor(sizes[0])),
        commuting=Quantity(int((table == table.T).sum()), label="pairs of letters with one product in both orders"),
        read_square=_square(given, first[table], floor(square)),
        of_convolution=_read(given, convolution[None], floor(sizes[0] * sizes[1])),
        convolution=Quantity(entries([convolution]), "entry", floor=floor(sizes[0] * sizes[1]), label="convolution"),
        square=Quantity(square, floor=floor(square), label="square of the encoding"),
    )


def moved_encoding(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same where the values of the first encoding moved by one place."""
    first, second = given["encodings"]
    return measure(cell, key, given | {"encodings": (np.roll(first, 1), second)})


def _convolution(table: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(x * y)[g] = sum_h x[h] y[h^-1 g]: the product x[h] y[k] goes to the element hk."""
    products = jnp.asarray(first)[:, None] * jnp.asarray(second)
    return np.asarray(jax.ops.segment_sum(products.ravel(), jnp.asarray(table).ravel(), len(table)))


def _read(given: dict, codes: np.ndarray, floor: float) -> Quantity:
    return Quantity(entries(_layers(given, codes)), "entry", floor=floor, label="entries read")


def _square(given: dict, codes: np.ndarray, floor: float) -> Quantity:
    """The squares of all entries that are read, those that `entries` leaves out as well."""
    total = float(sum(np.sum(np.abs(one) ** 2) for one in _layers(given, codes)))
    return Quantity(total, floor=len(codes) ** 2 * floor, label="square of all entries read")


def _layers(given: dict, codes: np.ndarray) -> list[np.ndarray]:
    """Each code read by a linear layer whose weights are the conjugate transposes of the matrices of an irrep."""
    return [np.asarray(jnp.einsum("gh,hji->gij", jnp.asarray(codes), jnp.asarray(rho).conj())) for rho in given["irreps"]]
