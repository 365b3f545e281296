r"""The Lie algebra that matrices generate, numerically: its dimension, series, radical and semisimple part.

Every dimension is a rank, decided by singular values. The basis is orthonormal (Frobenius), and in each round those new
directions are taken whose singular values are within a factor 4 of the largest. Every direction carries its own noise into all
later brackets (`depthjax.probe.spans`): |[a, b]| <= sqrt(2) |a| |b| (Boettcher and Wenzel), so the bracket of directions with
the noises m and n has at most the noise sqrt(2) (m^2 + n^2)^(1/2), if their errors are independent. The closure ends when all
brackets lie in the span to within their noise. It ends undecided when a value is neither above the noise nor inside it, or when
some bracket is nothing but noise.

The span of an algebra does not change when a generator is scaled, so each generator is scaled to norm 1 and has its own noise.

The radical is the orthogonal complement of [g, g] under the Killing form, in characteristic 0 (de Graaf, *Lie Algebras: Theory
and Algorithms*, chapter 2): so dim g - dim rad g is the rank of the Killing form on [g, g] x g, the dimension of a Levi part.
"""

import dataclasses
import math

import numpy as np
from jaxtyping import Float, Int

from depthjax.checks import at_least
from depthjax.probe.decision import LEAST_GAP, Decision, decided_rank, decision
from depthjax.probe.spans import HIDDEN, blurred, noisy_span, singular, together
from depthjax.rounding import CONFIDENCE

LARGEST = 256  # dimensions up to which an algebra is closed; its structure constants are dimension^3 numbers
TOGETHER = 4.0  # directions within this factor of the largest are taken in one round
MEMORY = 2**25  # numbers that the brackets of one round may hold


@dataclasses.dataclass(frozen=True)
class GeneratedAlgebra:
    """A numerical Lie algebra of matrices.

    Attributes:
        basis: Orthonormal matrices; None if there are too many to be written out.
        dimension: Its dimension.
        derived: Dimensions of g, [g, g], ..., down to 0 or to the first repetition.
        lower_central: Dimensions of g, [g, g], [g, [g, g]], ... likewise.
        levi: Dimension of the semisimple part, dim g - dim rad g.
        found: Size of each direction over its noise when it was taken, in the order in which they were found.
        left: Sizes over their noise of what the last brackets have outside the span.
        tolerance: Sizes up to this one counted as zero.
    """

    basis: Float[np.ndarray, "dimension size size"] | None
    dimension: Decision
    derived: tuple[Decision, ...]
    lower_central: tuple[Decision, ...]
    levi: Decision
    found: Float[np.ndarray, " dimension"]
    left: Float[np.ndarray, " left"]
    tolerance: float


def generated_algebra(
    generators: Float[np.ndarray, "letters size size"],
    tolerance: float,
    noise: Float[np.ndarray, " letters"] | None = None,
    room: int | None = None,
) -> GeneratedAlgebra:
    """Return the real Lie algebra that real matrices generate.

    Args:
        generators: The matrices.
        tolerance: Relative size of errors; singular values up to this one count as zero.
        noise: Error of each generator, over its norm and over the tolerance; None takes 1 for all.
        room: Largest dimension that is possible; None takes that of all matrices.

    Raises:
        ValueError: The algebra has more than `LARGEST` dimensions.

    Cost: singular values of dimension^2 brackets, then dimension^4.
    """
    generators = np.asarray(generators, float)
    scaled, norms = of_norm_one(generators)
    noise = np.ones(len(generators)) if noise is None else noise
    whole = generators.shape[-1] ** 2 if room is None else room
    basis, spoiled, found, left, dimension = _closed(scaled[norms > 0], noise[norms > 0], tolerance, whole)
    constants = structure_constants(basis)
    traces = np.abs(np.trace(scaled, axis1=1, axis2=2)) / math.sqrt(generators.shape[-1])
    most = len(basis) - bool((traces > LEAST_GAP * tolerance * noise).any())  # commutators have no trace
    all_of_it = np.eye(len(basis)), spoiled
    derived = _series(dimension, constants, spoiled, tolerance, most, lambda span: span, "derived algebra of dimension")
    what = "term of the lower central series of dimension"
    central = _series(dimension, constants, spoiled, tolerance, most, lambda span: all_of_it, what)
    return GeneratedAlgebra(
        basis, dimension, derived, central, _levi(dimension, constants, spoiled, tolerance), found, left, tolerance
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
    """Return the relative error of matrices of a number of rows that are a product of a few others.

    An entry is a sum of `size` products, with up to 4 size roundings of at most epsilon / 2 (`depthjax.rounding`).
    """
    return CONFIDENCE * math.sqrt(4 * size) * epsilon / 2


def of_norm_one(matrices: Float[np.ndarray, "count size size"]) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrices scaled to Frobenius norm 1, and their norms; powers of two keep the norms in range."""
    largest = np.abs(matrices).max(axis=(1, 2), initial=0.0)
    powers = np.ldexp(1.0, np.frexp(largest)[1] - 1)
    near_one = matrices / np.where(largest > 0, powers, 1.0)[:, None, None]
    norms = np.linalg.norm(near_one, axis=(1, 2))
    return near_one / np.where(norms > 0, norms, 1.0)[:, None, None], norms * powers


def structure_constants(basis: Float[np.ndarray, "d size size"]) -> Float[np.ndarray, "d d d"]:
    """Return c[i, j, k], the coefficients of [e_i, e_j] on an orthonormal basis e of matrices."""
    if not len(basis):
        return np.zeros((0, 0, 0))
    flat = basis.reshape(len(basis), -1)
    return np.stack([_brackets(basis[i : i + 1], basis) @ flat.T for i in range(len(basis))])


def bracket_noise(a: Float[np.ndarray, " a"], b: Float[np.ndarray, " b"]) -> Float[np.ndarray, "a b"]:
    """Return the noise of all [a_i, b_j] of matrices of norm 1 from theirs."""
    return math.sqrt(2) * np.hypot(a[:, None], b[None])


def _closed(
    letters: np.ndarray, noise: np.ndarray, tolerance: float, room: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Decision]:
    """The basis, its noise, the size of each direction when it was taken, what is left, and the dimension."""
    size = letters.shape[-1]
    span, spoiled, found = np.zeros((0, size * size)), np.zeros(0), np.zeros(0)
    pending, worst = _outside(letters.reshape(-1, size * size), noise, span, spoiled)
    hidden = float(noise.max(initial=0.0))
    while True:
        values, rows = singular(pending)
        top = float(values[0]) if len(values) else 0.0
        if top <= LEAST_GAP * tolerance or len(span) >= room:
            break
        count = int((values >= max(top / TOGETHER, LEAST_GAP * tolerance)).sum())
        new = np.linalg.qr((rows[:count] - (rows[:count] @ span.T) @ span).T)[0].T
        span, spoiled = np.concatenate([span, new]), np.concatenate([spoiled, 1 / values[:count]])
        found = np.concatenate([found, values[:count]])
        if len(span) > LARGEST:
            raise ValueError(
                f"the matrices of {size} rows generate a Lie algebra of more than {LARGEST} dimensions: its series would take "
                "too long; give the blocks of a block-diagonal layer one by one, or fewer channels"
            )
        # the letters alone would do; brackets of early directions with each other carry less noise than long nested ones
        most = max(MEMORY // (count * size * size) - len(letters), 0)
        others, theirs = (
            np.concatenate([letters.reshape(-1, size * size), span[:most]]),
            np.concatenate([noise, spoiled[:most]]),
        )
        fresh = _brackets(new.reshape(-1, size, size), others.reshape(-1, size, size))
        outside, worst = _outside(fresh, bracket_noise(spoiled[-count:], theirs).ravel(), span, spoiled)
        # exact zeros hide nothing
        hidden = max(hidden, worst)
        kept = values[count:] > tolerance / 1e3
        pending = np.concatenate([values[count:][kept, None] * rows[count:][kept], outside])
    values = values if len(span) < room else values[:0]
    above = int((values > tolerance).sum())
    kept, dropped = float(found.min(initial=math.inf)), float(values[0]) if len(values) else 0.0
    if above:
        decided = decision(len(span) + above, len(span), dropped, 0.0, tolerance, "dimension")
    elif len(span) < room and hidden * tolerance > HIDDEN:
        decided = blurred(len(span), hidden * tolerance, "dimension")
    else:
        decided = decision(len(span), len(span), kept, dropped, tolerance, "dimension")
    return span.reshape(-1, size, size), spoiled, found, values, decided


def _outside(rows: np.ndarray, noise: np.ndarray, span: np.ndarray, spoiled: np.ndarray) -> tuple[np.ndarray, float]:
    """What rows have outside a span, over its noise, and the largest noise of a row that is not exactly zero."""
    inside = rows @ span.T
    rest = rows - inside @ span
    rest -= (rest @ span.T) @ span
    noise = np.hypot(noise, np.sqrt(inside**2 @ spoiled**2))
    return rest / together(noise, rows.shape[1])[:, None], float(noise[rows.any(axis=1)].max(initial=0.0))


def _series(
    whole: Decision, constants: np.ndarray, spoiled: np.ndarray, tolerance: float, most: int, other, what: str
) -> tuple[Decision, ...]:
    """Dimensions of spans V, [W, V], ... where W = other(V); spans are vectors and their noise. [V, V] has `most` at most."""
    series, span = [whole], (np.eye(len(constants)), spoiled)
    while whole.value is not None and series[-1].value:
        vectors, noise = other(span)
        products = np.einsum("ai,bj,ijk->abk", vectors, span[0], constants, optimize=True).reshape(-1, len(constants))
        found = noisy_span(products, bracket_noise(noise, span[1]).ravel(), tolerance, what, most)
        series.append(found.rank)
        if found.rank.value in (None, series[-2].value):
            break
        span = found.vectors, found.noise
    return tuple(series)


def _levi(dimension: Decision, constants: np.ndarray, spoiled: np.ndarray, tolerance: float) -> Decision:
    """The rank of the Killing form on [g, g] x g; an error of ad x changes a trace by at most its norm times that of ad y."""
    what = "semisimple part of dimension"
    if dimension.value is None:
        return Decision(None, "numerical", "the dimension of the algebra is not decided")
    if not len(constants):
        return decided_rank(np.zeros(0), tolerance, what)
    pairs = bracket_noise(spoiled, spoiled)
    derived = noisy_span(constants.reshape(-1, len(constants)), pairs.ravel(), tolerance, what)
    if derived.rank.value is None:
        return Decision(None, "numerical", derived.rank.why, derived.rank.kept, derived.rank.dropped)
    adjoint = np.tensordot(derived.vectors, constants, 1)
    size = np.linalg.norm(constants) or 1.0
    killing = np.einsum("iab,jba->ij", adjoint, constants, optimize=True) / size
    errors = np.hypot(
        math.sqrt(2) * np.sqrt(len(spoiled) * derived.noise**2 + (spoiled**2).sum()),
        np.linalg.norm(adjoint, axis=(1, 2)) * np.linalg.norm(pairs) / size,
    )
    return noisy_span(killing, errors, tolerance, what).rank


def _brackets(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """All [a_i, b_j] as rows of numbers; a has one matrix, or the rows come in the order (i, j)."""
    products = a[:, None] @ b[None] - b[None] @ a[:, None]
    return products.reshape(len(a) * len(b), -1)
