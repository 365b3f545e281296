r"""The Lie algebra that matrices generate, numerically: its dimension, series, radical and semisimple part.

Every dimension is a rank, decided by singular values. The basis is orthonormal (Frobenius), and in each round those new
directions are taken whose singular values are within a factor 4 of the largest, so that rounding is not amplified by nearly
dependent ones. The closure ends when all brackets of generators with the basis lie in its span to within the tolerance: the
span of brackets with the generators is the whole algebra (left-normed brackets span it).

The radical is the orthogonal complement of [g, g] under the Killing form, in characteristic 0 (de Graaf, *Lie Algebras: Theory
and Algorithms*, chapter 2): so dim g - dim rad g is the rank of the Killing form on [g, g] x g, the dimension of a Levi part.
"""

import dataclasses
import math

import numpy as np
from jaxtyping import Float, Int

from depthjax.checks import at_least
from depthjax.probe.decision import LEAST_GAP, Decision, decided_rank, decision

ROUNDINGS = 1e3  # the usual tolerance is this many roundings for each row of a matrix
LARGEST = 256  # dimensions up to which an algebra is closed; its structure constants are dimension^3 numbers
TOGETHER = 4.0  # directions within this factor of the largest are taken in one round


@dataclasses.dataclass(frozen=True)
class GeneratedAlgebra:
    """A numerical Lie algebra of matrices.

    Attributes:
        basis: Orthonormal matrices.
        dimension: Its dimension.
        derived: Dimensions of g, [g, g], ..., down to 0 or to the first repetition.
        lower_central: Dimensions of g, [g, g], [g, [g, g]], ... likewise.
        levi: Dimension of the semisimple part, dim g - dim rad g.
        found: Relative size of each direction when it was taken, in the order of the basis.
        left: Singular values of what the last brackets have outside the span, relative likewise.
        tolerance: What counted as zero in the closure.
    """

    basis: Float[np.ndarray, "dimension size size"]
    dimension: Decision
    derived: tuple[Decision, ...]
    lower_central: tuple[Decision, ...]
    levi: Decision
    found: Float[np.ndarray, " dimension"]
    left: Float[np.ndarray, " left"]
    tolerance: float


def generated_algebra(generators: Float[np.ndarray, "letters size size"], tolerance: float) -> GeneratedAlgebra:
    """Return the real Lie algebra that real matrices generate.

    Args:
        generators: The matrices, of similar size: singular values are relative to the largest of them.
        tolerance: Relative singular values up to this one count as zero.

    Raises:
        ValueError: The algebra has more than `LARGEST` dimensions.

    Cost: singular values of letters * dimension brackets for every round of the closure, then dimension^4.
    """
    basis, found, left, dimension = _closed(np.asarray(generators, float), tolerance)
    # a direction that was small when it was taken carries the rounding of a large one
    smallest = float(found.min()) if len(found) else 1.0
    noise = min(tolerance / smallest, 0.1)
    constants = structure_constants(basis)
    derived = _series(dimension, constants, noise, lambda span: span, "derived algebra of dimension")
    whole = np.eye(len(basis))
    lower_central = _series(dimension, constants, noise, lambda span: whole, "term of the lower central series of dimension")
    return GeneratedAlgebra(
        basis, dimension, derived, lower_central, _levi(dimension, constants, noise), found, left, tolerance
    )


def derived_dimensions(matrices: Float[np.ndarray, "count size size"], steps: int) -> Int[np.ndarray, " steps_and_one"]:
    """Return the dimensions of g, [g, g], ... (`steps` of them after g), for the Lie algebra g that the matrices generate.

    For an affine layer pass the homogenised generators [[A, b], [0, 0]]: commuting A alone decide nothing. Singular values up
    to the usual tolerance count as zero.

    Raises:
        ValueError: `steps` is below 1, the algebra has more than `LARGEST` dimensions, or no gap decides a dimension.

    Cost: as for `generated_algebra`.

    >>> derived_dimensions(np.array([[[1.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]]), 2)
    array([2, 1, 0])
    """
    at_least("steps", steps, 1, "the first is [g, g]")
    derived = generated_algebra(matrices, usual_tolerance(matrices.shape[-1], float(np.finfo(matrices.dtype).eps))).derived
    if derived[-1].value is None:
        raise ValueError(f"the derived series is not known: {derived[-1].why}; scale the matrices alike, or use float64")
    series = [found.value for found in derived]
    return np.array([*series, *series[-1:] * steps][: steps + 1])  # the series has ended in its last dimension


def usual_tolerance(size: int, epsilon: float) -> float:
    """Return the relative singular value up to which matrices of a number of rows and a rounding count as dependent."""
    return ROUNDINGS * size * epsilon


def structure_constants(basis: Float[np.ndarray, "d size size"]) -> Float[np.ndarray, "d d d"]:
    """Return c[i, j, k], the coefficients of [e_i, e_j] on an orthonormal basis e of matrices."""
    if not len(basis):
        return np.zeros((0, 0, 0))
    flat = basis.reshape(len(basis), -1)
    return np.stack([_brackets(basis[i : i + 1], basis) @ flat.T for i in range(len(basis))])


def _closed(generators: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, Decision]:
    size = generators.shape[-1]
    scale = np.linalg.norm(generators, axis=(1, 2)).max(initial=0.0)
    scaled = generators / (scale or 1.0)
    pending, span = scaled.reshape(-1, size * size), np.zeros((0, size * size))
    found: list[float] = []
    rounds: list[tuple[int, float]] = []  # dimension before a round, and the largest value in it
    while True:
        pending = pending - (pending @ span.T) @ span
        values, rows = _singular(pending)
        if not len(values) or values[0] <= tolerance:
            break
        rounds.append((len(span), float(values[0])))
        new = rows[: int((values > max(values[0] / TOGETHER, tolerance)).sum())]
        new = np.linalg.qr((new - (new @ span.T) @ span).T)[0].T
        found += values[: len(new)].tolist()
        span = np.concatenate([span, new])
        if len(span) > LARGEST:
            raise ValueError(
                f"the matrices of {size} rows generate a Lie algebra of more than {LARGEST} dimensions: its series would take "
                "too long; give the blocks of a block-diagonal layer one by one, or fewer channels"
            )
        fresh = _brackets(scaled, new.reshape(-1, size, size)).reshape(-1, size * size)
        pending = np.concatenate([pending[np.linalg.norm(pending, axis=1) > tolerance / 1e3], fresh])
    kept, dropped = min((value for _, value in rounds), default=math.inf), float(values[0]) if len(values) else 0.0
    low = next((before for before, value in rounds if value < LEAST_GAP * dropped), len(span))
    high = len(span) + int((values > kept / LEAST_GAP).sum())
    decided = decision(len(span), low, high, kept, dropped, "dimension")
    return span.reshape(-1, size, size), np.array(found), values, decided


def _series(whole: Decision, constants: np.ndarray, noise: float, other, what: str) -> tuple[Decision, ...]:
    """Dimensions of spans V, [W, V], ... where W = other(V)."""
    series, span = [whole], np.eye(len(constants))
    while whole.value is not None and series[-1].value:
        products = np.einsum("ai,bj,ijk->abk", other(span), span, constants, optimize=True).reshape(-1, len(constants))
        values, rows = _singular(products)
        series.append(decided_rank(values, noise, what))
        if series[-1].value in (None, series[-2].value):
            break
        span = rows[: series[-1].value]
    return tuple(series)


def _levi(dimension: Decision, constants: np.ndarray, noise: float) -> Decision:
    if dimension.value is None:
        return Decision(None, "numerical", "the dimension of the algebra is not decided")
    count = len(constants)
    values, rows = _singular(constants.reshape(count * count, count) if count else np.zeros((0, 0)))
    derived = rows[: int((values > noise).sum())]
    killing = np.einsum("iab,jba->ij", constants, constants, optimize=True)
    return decided_rank(_singular(derived @ killing)[0], noise, "semisimple part of dimension")


def _brackets(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """All [a_i, b_j] as rows of numbers; a has one matrix, or the rows come in the order (i, j)."""
    products = a[:, None] @ b[None] - b[None] @ a[:, None]
    return products.reshape(len(a) * len(b), -1)


def _singular(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Singular values and right vectors of rows; tall arrays are reduced to a square first."""
    if not rows.size:
        return np.zeros(0), np.zeros((0, rows.shape[-1]))
    if len(rows) > 2 * rows.shape[1]:
        rows = np.asarray(np.linalg.qr(rows, mode="r"))
    _, values, vectors = np.linalg.svd(rows, full_matrices=False)
    return values, vectors
