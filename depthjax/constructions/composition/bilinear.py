r"""Explicit weights that compose two elements with few products: schemes of matrix multiplication, one for each irrep.

The entries of rho(g) are linear in the code of g, so that composing two elements is a product in the group algebra: of matrices
over the real numbers, the complex numbers or the quaternions, by the type of the irrep. A scheme of R products writes such a
product as sum_r w_r p_r(x) q_r(y) with linear p_r and q_r, and 4 p q = (p + q)^2 - (p - q)^2 takes two units of z^2 each.

Real 1, complex 3 and quaternionic 8 products for one number; 7 for 2 x 2 matrices (Strassen) and 23 for 3 x 3 (Laderman). Sizes
that 2 or 3 divides are made of blocks, and the others get a border. Only p and q are written down; w solves linear equations.

Source: V. Strassen, Numer. Math. 13 (1969); J. Laderman, Bull. AMS 82 (1976); T. Howell and J.-C. Lafon, Cornell TR 75-245.
"""

from functools import cache
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jaxtyping import Float

from depthjax.constructions.composition.paths import Irreps, Part, irrep_parts
from depthjax.models.polynomial import TwoLayer

_COMPONENTS = {"real": 1, "complex": 2, "quaternionic": 4}


class Scheme(NamedTuple):
    """A bilinear product as sum_r out[r] <left[r], x> <right[r], y>; each array has R rows, of numbers or of matrices."""

    left: np.ndarray
    right: np.ndarray
    out: np.ndarray


def scheme(size: int, kind: str = "real") -> Scheme:
    """Return a scheme for square matrices over the numbers of a kind; arrays of shape (R, components, size, size).

    Raises:
        ValueError: The size is below 1, or the kind is unknown.
    """
    if size < 1 or kind not in _COMPONENTS:
        raise ValueError(f"size = {size}, kind = {kind!r}: expected a size of at least 1 and one of {', '.join(_COMPONENTS)}")
    numbers, matrices = _numbers(kind), _matrices(size)
    pairs = zip(numbers, matrices, strict=True)
    return Scheme(*(np.einsum("rc,sij->rscij", a, b).reshape(-1, a.shape[1], size, size) for a, b in pairs))


def bilinear_weights(encoding: Float[np.ndarray, " order"], irreps: Irreps) -> TwoLayer:
    """Return one hidden layer of z^2 that composes two elements, with two units for each product of the schemes.

    Arguments and errors as for `depthjax.constructions.composition.paths.two_layer_weights`.
    """
    first, second, out = [], [], []
    for part in irrep_parts(encoding, irreps):
        read, write = coordinates(part)
        products = scheme(read.shape[1], part.kind)
        p, q = (np.einsum("rcij,cijh->rh", rows, read) for rows in (products.left, products.right))
        w = np.einsum("rcij,cijh->rh", products.out, write) / 4
        first += [p, p]
        second += [q, -q]
        out += [w, -w]
    inputs = np.stack([np.concatenate(first).T, np.concatenate(second).T])
    return TwoLayer(jnp.asarray(inputs, encoding.dtype), jnp.asarray(np.concatenate(out).T, encoding.dtype))


def without_dependent_units(weights: TwoLayer, codes: Float[np.ndarray, "order order"]) -> TwoLayer:
    """Return a network of two letters with the same answers, in which no unit is a linear combination of the others.

    Cost: a pivoted QR decomposition of the units' values at all pairs of letters.
    """
    inputs, out = np.asarray(weights.inputs), np.asarray(weights.out)
    first, second = codes @ inputs[0], codes @ inputs[1]
    values = np.square(first[:, None] + second[None]).reshape(-1, inputs.shape[-1])
    sizes = np.linalg.norm(values, axis=0)
    triangle, order = scipy.linalg.qr(values / sizes, mode="r", pivoting=True)  # type: ignore[misc]  # its stubs know one form
    left = np.abs(np.diag(triangle))
    rank = int((left > max(values.shape) * np.finfo(values.dtype).eps * left[0]).sum())
    kept = np.sort(order[:rank])
    fitted = np.linalg.lstsq(values[:, kept] / sizes[kept], values @ out.T)[0] / sizes[kept, None]
    return TwoLayer(jnp.asarray(inputs[..., kept]), jnp.asarray(fitted.T))


def coordinates(part: Part) -> tuple[Float[np.ndarray, "components n n order"], Float[np.ndarray, "components n n order"]]:
    """Return real coordinates of an irrep's matrices: the vectors that read them off a code, and those that write them."""
    rows = part.rows
    read, write = part.read[:rows], part.write[:, :rows].swapaxes(0, 1)
    if part.kind == "real":
        return np.real(read)[None], np.real(write)[None]
    halves = [slice(None)] if part.kind == "complex" else [slice(rows), slice(rows, None)]
    return (
        np.stack([f(read[:, half]) for half in halves for f in (np.real, np.imag)]),
        np.stack([f(write[:, half]) for half in halves for f in (np.real, lambda z: -np.imag(z))]),
    )


@cache
def multiplication(kind: str) -> Float[np.ndarray, "left right product"]:
    """Return the products of the components of two numbers of a kind: one sign or zero for each component of the product."""
    if kind == "real":
        return np.ones((1, 1, 1))
    table = {(0, 0): (0, 1), (0, 1): (1, 1), (1, 0): (1, 1), (1, 1): (0, -1)}
    if kind == "quaternionic":
        table = {(0, c): (c, 1) for c in range(4)} | {(c, 0): (c, 1) for c in range(4)} | {(c, c): (0, -1) for c in range(1, 4)}
        for i, j, k in ((1, 2, 3), (2, 3, 1), (3, 1, 2)):
            table |= {(i, j): (k, 1), (j, i): (k, -1)}
    size = _COMPONENTS[kind]
    structure = np.zeros((size,) * 3)
    for (i, j), (k, sign) in table.items():
        structure[i, j, k] = sign
    return structure


# p and q of each product; Laderman's entries are numbered 1 .. 9 by rows, and a minus sign negates
_STRASSEN = [
    ((1, 4), (1, 4)), ((3, 4), (1,)), ((1,), (2, -4)), ((4,), (3, -1)), ((1, 2), (4,)), ((3, -1), (1, 2)), ((2, -4), (3, 4))
]  # fmt: skip
_LADERMAN = [
    ((1, 2, 3, -4, -5, -8, -9), (5,)), ((1, -4), (-2, 5)), ((5,), (-1, 2, 4, -5, -6, -7, 9)), ((-1, 4, 5), (1, -2, 5)),
    ((4, 5), (-1, 2)), ((1,), (1,)), ((-1, 7, 8), (1, -3, 6)), ((-1, 7), (3, -6)), ((7, 8), (-1, 3)),
    ((1, 2, 3, -5, -6, -7, -8), (6,)), ((8,), (-1, 3, 4, -5, -6, -7, 8)), ((-3, 8, 9), (5, 7, -8)), ((3, -9), (5, -8)),
    ((3,), (7,)), ((8, 9), (-7, 8)), ((-3, 5, 6), (6, 7, -9)), ((3, -6), (6, -9)), ((5, 6), (-7, 9)), ((2,), (4,)),
    ((6,), (8,)), ((4,), (3,)), ((7,), (2,)), ((9,), (9,)),
]  # fmt: skip
_GAUSS = [((1,), (1,)), ((2,), (2,)), ((1, 2), (1, 2))]
_QUATERNIONS = [
    ((1, 2), (1, 2)), ((4, -3), (3, -4)), ((2, -1), (3, 4)), ((3, 4), (2, -1)), ((2, 4), (2, 3)), ((2, -4), (2, -3)),
    ((1, 3), (1, -4)), ((1, -3), (1, 4)),
]  # fmt: skip


@cache
def _matrices(size: int) -> Scheme:
    """A scheme for real matrices of a size; arrays of shape (R, size, size)."""
    if size == 1:
        return Scheme(*np.ones((3, 1, 1, 1)))
    known = {2: _STRASSEN, 3: _LADERMAN}
    if size in known:
        structure = np.einsum("ia,jk,bl->ijklab", np.eye(size), np.eye(size), np.eye(size)).reshape(size**2, size**2, -1)
        return Scheme(*(rows.reshape(-1, size, size) for rows in _solved(known[size], structure)))
    for block in known:
        if size % block == 0:
            return _blocks(_matrices(block), _matrices(size // block))
    return _bordered(_matrices(size - 1))


@cache
def _numbers(kind: str) -> Scheme:
    """A scheme for the numbers of a kind; arrays of shape (R, components)."""
    if kind == "real":
        return Scheme(*np.ones((3, 1, 1)))
    return _solved(_GAUSS if kind == "complex" else _QUATERNIONS, multiplication(kind))


def _solved(products: list, structure: np.ndarray) -> Scheme:
    """The scheme with these products: its outputs solve the linear equations of the bilinear map."""
    size = len(structure)
    left, right = (np.array([_row(pair[side], size) for pair in products]) for side in (0, 1))
    both = np.einsum("ra,rb->abr", left, right).reshape(size**2, -1)
    out = np.linalg.lstsq(both, structure.reshape(size**2, -1))[0]
    if np.abs(both @ out - structure.reshape(size**2, -1)).max() > 1e-9:
        raise AssertionError("these products do not span the bilinear map")
    return Scheme(left, right, out)


def _row(entries: tuple[int, ...], size: int) -> np.ndarray:
    row = np.zeros(size)
    row[np.abs(entries) - 1] = np.sign(entries)
    return row


def _blocks(outer: Scheme, inner: Scheme) -> Scheme:
    """Matrices of blocks: the scheme of the blocks' products inside that of the matrix of blocks."""
    size = outer.left.shape[-1] * inner.left.shape[-1]
    pairs = zip(outer, inner, strict=True)
    return Scheme(*(np.einsum("rij,sab->rsiajb", a, b).reshape(-1, size, size) for a, b in pairs))


def _bordered(core: Scheme) -> Scheme:
    """One row and one column more: every product that they take part in is a product of entries."""
    last = core.left.shape[-1]
    arrays = [[np.pad(row, ((0, 1), (0, 1))) for row in rows] for rows in core]
    unit = np.eye((last + 1) ** 2).reshape(last + 1, last + 1, last + 1, last + 1)
    for i, j, k in np.ndindex((last + 1,) * 3):
        if last in (i, j, k):
            for rows, row in zip(arrays, (unit[i, j], unit[j, k], unit[i, k]), strict=True):
                rows.append(row)
    return Scheme(*(np.array(rows) for rows in arrays))
