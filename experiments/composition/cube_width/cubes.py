r"""Explicit weights that compose three elements with one cube for each path, and few more that clean up.

Let X, Y, Z be rho(g_1), rho(g_2), rho(g_3) as orthogonal matrices of size d. An entry of XYZ is the sum of x_a Y_ab z_b over
paths (a, b), with a row x of X and a column z of Z. The cube (x_a + Y_ab + z_b)^3 contains 6 x_a Y_ab z_b. Rows and columns
have norm 1, so summed over the paths most of the rest depends on one letter: the sum of x_a Y_ab^2 is that of x_a, the sum of
x_a^2 z_b is that of z_b. Two sums depend on two letters, and other units take them away:

* 3 sum_a x_a^2 l_a, with l_a the sum of row a of Y. As the x_a^2 add up to 1, only m_a = l_a - l_d matters, for a < d, and
  (m + x)^3 + (m - x)^3 = 6 x^2 m + 2 m^3 costs two units each. The squares of all rows of X add up to 1 as well, so that the
  last row needs no units of its own.
* 3 sum_b l'_b z_b^2 with sums of columns, likewise; only real type has all columns of Z among its entries.

What remains are functions of one letter. Each is one cube, up to a constant: for every f there is a number c such that the cube
root of f + c has mean zero, and a function of mean zero is linear in a code with all its coefficients but the trivial one.
One more cube takes the constant away.

Source: derived here. Widths are those of `theory.composition.cube_units`.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import root_scalar

from depthjax.constructions.composition.bilinear import coordinates, multiplication
from depthjax.constructions.composition.paths import Irreps, Part, irrep_parts
from depthjax.models.polynomial import TwoLayer


class CubeUnits(NamedTuple):
    """The vectors with which units read three letters, shape (3, units, features), and those that they write."""

    read: np.ndarray
    write: np.ndarray


def cube_weights(
    encoding: Float[np.ndarray, " order"], irreps: Irreps, table: Int[np.ndarray, "order order"]
) -> tuple[TwoLayer, TwoLayer]:
    """Return the two parts of one hidden layer of z^3 that composes three elements: units of several letters, and of one.

    Args:
        encoding: The real encoding x, of mean zero. Weights are computed in float64 and returned in its dtype.
        irreps: Kind and matrices of every non-trivial irrep. One member of a complex pair is enough; both are allowed.
        table: The Cayley table.

    Raises:
        ValueError: A non-trivial Fourier coefficient is singular, or the given irreps do not span the encoding.
    """
    codes = np.asarray(encoding, float)[table]
    if (rank := int(np.linalg.matrix_rank(codes))) < len(codes) - 1:
        raise ValueError(
            f"the codes span {rank} dimensions: expected {len(codes) - 1}, because functions of one letter must be linear in "
            "its code; choose an encoding whose non-trivial Fourier coefficients are invertible"
        )
    blocks = [block for part in irrep_parts(encoding, irreps) for block in _blocks(part)]
    mixed = CubeUnits(np.concatenate([b.read for b in blocks], axis=1), np.concatenate([b.write for b in blocks]))
    return _network(mixed, encoding.dtype), _network(_singles(mixed, codes, table), encoding.dtype)


def _network(units: CubeUnits, dtype: np.dtype) -> TwoLayer:
    return TwoLayer(jnp.asarray(units.read.swapaxes(1, 2), dtype), jnp.asarray(units.write.T, dtype))


def _blocks(part: Part) -> tuple[CubeUnits, CubeUnits, CubeUnits]:
    """The units of an irrep: those of its paths, and those that take away functions of two neighbours."""
    read, write = coordinates(part)
    size, features = read.shape[2:]
    d = len(read) * size
    matrix = np.einsum("abc,aikh->ickbh", multiplication(part.kind), read).reshape(d, d, features)
    columns, out = (array.swapaxes(0, 1).reshape(d, size, features) for array in (read, write))
    # axes: r, a, b, j of x_ra Y_ab z_bj
    paths = np.broadcast_arrays(matrix[:, :, None, None], matrix[:, :, None], columns, out[:, None, None] / 6)
    first, second, third, weights = (array.reshape(-1, features) for array in paths)
    x, rows, row_weights = _squares(matrix[:, :-1], matrix.sum(axis=1), out.sum(axis=1), complete=True)
    z, sums, column_weights = _squares(columns[:-1].swapaxes(0, 1), matrix.sum(axis=0), out.sum(axis=0), complete=size == d)
    return (
        CubeUnits(np.stack([first, second, third]), weights),
        CubeUnits(np.stack([x, rows, np.zeros_like(x)]), row_weights),
        CubeUnits(np.stack([np.zeros_like(z), sums, z]), column_weights),
    )


def _squares(entries: np.ndarray, sums: np.ndarray, out: np.ndarray, *, complete: bool) -> tuple[np.ndarray, ...]:
    """What units (m_a + x_ra)^3 and (m_a - x_ra)^3 read and write to take x_ra^2 m_a / 2 away; r goes without if `complete`."""
    if complete:  # the squares of all rows add up to 1
        entries, out = entries[:-1], out[:-1] - out[-1]
    signs = np.array([1, -1])[:, None, None, None]
    arrays = np.broadcast_arrays(signs * entries, sums[:-1] - sums[-1], -out[:, None] / 12)
    return tuple(array.reshape(-1, entries.shape[-1]) for array in arrays)


def _singles(mixed: CubeUnits, codes: np.ndarray, table: np.ndarray) -> CubeUnits:
    """The units of one letter: what others leave is a sum of functions of one letter, seen where the other letters are 0."""
    letters, functions, weights, constant, floor = [], [], [], 0, 0.0
    for letter in range(3):
        word = [np.arange(len(codes)) if place == letter else np.zeros(len(codes), int) for place in range(3)]
        cubes = sum(codes[at] @ read.T for at, read in zip(word, mixed.read, strict=True)) ** 3
        left = codes[table[table[word[0], word[1]], word[2]]] - cubes @ mixed.write
        floor = max(floor, left.size * np.finfo(float).eps * (np.abs(cubes) @ np.abs(mixed.write)).max())
        basis, sizes, out = np.linalg.svd(left - left.mean(axis=0))
        count = int((sizes > floor).sum())
        # any basis does; roots are taken of this one, and a cube root is not smooth where a structured one is zero
        turned = np.linalg.qr(np.random.default_rng(letter).normal(size=(count, count)))[0]
        letters += [letter] * count
        functions += list(turned @ basis.T[:count])
        weights += list(turned @ (sizes[:count, None] * out[:count]))
        constant = constant + left.mean(axis=0) - (left[0] if letter else 0)
    constant = constant - np.array([_shift(f) for f in functions]) @ np.array(weights)
    if np.abs(constant).max() > floor:
        # one more cube, of a sum of functions whose shift is not the sum of theirs
        first = functions[: letters.count(0)]
        factors = 1.0 + np.arange(len(first))
        mixture = factors @ np.array(first)
        share = constant / (_shift(mixture) - factors @ np.array([_shift(f) for f in first]))
        weights = [*(np.array(weights[: len(first)]) - np.outer(factors, share)), *weights[len(first) :], share]
        letters, functions = [*letters, 0], [*functions, mixture]
    roots = np.cbrt([f + _shift(f) for f in functions])
    read = np.zeros((3, len(letters), codes.shape[1]))
    read[letters, np.arange(len(letters))] = np.linalg.lstsq(codes, roots.T)[0].T
    return CubeUnits(read, np.array(weights))


def _shift(values: np.ndarray) -> float:
    """The number c such that the cube root of the values plus c has mean zero."""
    eps, bracket = float(np.finfo(float).eps), (-values.max(), -values.min())
    return root_scalar(lambda c: np.cbrt(values + c).sum(), bracket=bracket, xtol=eps**2, rtol=4 * eps).root
