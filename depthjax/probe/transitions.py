"""The transitions of a layer, in the forms in which people have them, as matrices that act on states.

The state of an affine layer h -> A h + b gets a constant entry 1, so that every letter is one matrix [[A, b], [0, 1]]. Complex
matrices become real ones of twice the size.
"""

import dataclasses
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jaxtyping import Bool, Float, Int

from depthjax.checks import at_least

TRIALS = 4  # random states at which a map that is said to be affine is compared with its linearisation
FAR = 64  # exponents of two from which a matrix is scaled before its logarithm is taken
DRAWS = 4  # in which the error of a logarithm is measured
SMALL = 1e-8  # steps by which it is measured at most: their squares are rounding
ROUGH = 1e3  # roundings by which the exponential of a logarithm may miss its matrix
Time = Literal["discrete", "continuous"]


@dataclasses.dataclass(frozen=True)
class Transitions:
    """What each letter does to a state.

    Attributes:
        matrices: One matrix for each letter (and state of linearisation), homogenised if there are vectors b, real.
        names: The letter of each matrix, and the state where it was linearised.
        affine: Whether vectors b are there, so that the last entry of a state is constant.
        sampled: Whether the matrices are linearisations at some states only.
        epsilon: Relative rounding of the numbers that were given.
    """

    matrices: Float[np.ndarray, "letters size size"]
    names: tuple[str, ...]
    affine: bool
    sampled: bool
    epsilon: float


def read_transitions(given: Any, letters: Any, states: Any, time: Time) -> Transitions:
    """Return the transitions of a layer from an array, a pair of arrays, a function of a letter, or a step.

    Args:
        given: Matrices (letters, n, n); a pair of matrices and vectors (letters, n); a function from a letter to a matrix or
            to such a pair; or, with `states`, a step (state, letter) -> next state.
        letters: Number of letters, or the letters; None for all rows of an array.
        states: Size n of the state of a step that is affine, which is checked at random states; or states (count, n) at which
            any differentiable step is linearised.
        time: What the last row of homogenised matrices is: "discrete" steps keep the constant entry, and generators of
            "continuous" flows do not change it.

    Raises:
        ValueError: Matrices are not square, not finite or of different sizes, a letter does not exist, or a step that is said
            to be affine is not.
        TypeError: `given` has another type.
    """
    if time not in ("discrete", "continuous"):
        raise ValueError(f"time {time!r}: expected 'discrete' (h <- A h) or 'continuous' (dh/dt = A h)")
    sampled = states is not None and np.ndim(states) > 0
    if states is not None:
        matrices, vectors, names = _of_step(given, _counted(letters), states)
    elif callable(given):
        alphabet = _counted(letters)
        matrices, vectors = _pairs([_asked(given, letter) for letter in alphabet], alphabet)
        names = tuple(map(str, alphabet))
    else:
        matrices, vectors = _arrays(given)
        chosen = _rows(letters, len(matrices))
        matrices, vectors = matrices[chosen], None if vectors is None else vectors[chosen]
        names = tuple(map(str, chosen))
    epsilon = max(float(jnp.finfo(part.dtype).eps) for part in (matrices, vectors) if part is not None)
    matrices, vectors = _wide(matrices), None if vectors is None else _wide(vectors)
    if not np.isfinite(matrices).all() or (vectors is not None and not np.isfinite(vectors).all()):
        raise ValueError("the transitions hold NaN or infinity: nothing can be said of them; look at the layer's parameters")
    matrices, vectors = _real(matrices, vectors)
    if vectors is not None:
        corner = 1.0 if time == "discrete" else 0.0
        matrices = np.stack([_homogenised(a, b, corner) for a, b in zip(matrices, vectors, strict=True)])
    return Transitions(matrices, names, vectors is not None, sampled, epsilon)


def entry_errors(
    matrices: Float[np.ndarray, "letters size size"], parts: Sequence[Int[np.ndarray, " _"]]
) -> Float[np.ndarray, "letters size size"]:
    """Return the error of every entry, in units of the relative rounding of matrices.

    Matrices are known up to a share of their norm. A block between two parts of the pattern of exact zeros is a matrix of its
    own: a small drive keeps its relative precision, and what is exactly zero has no error.
    """
    labels = np.empty(matrices.shape[-1], int)
    for part, coordinates in enumerate(parts):
        labels[coordinates] = part
    letters, rows, columns = np.ix_(np.arange(len(matrices)), labels, labels)
    largest, squares = np.zeros((2, len(matrices), len(parts), len(parts)))
    np.maximum.at(largest, (letters, rows, columns), np.abs(matrices))
    spread = largest[letters, rows, columns]
    np.add.at(squares, (letters, rows, columns), np.square(matrices / np.where(spread > 0, spread, 1.0)))
    counts = np.array([len(part) for part in parts])
    return spread * np.sqrt(squares / (counts[:, None] * counts))[letters, rows, columns]


def principal_logarithms(
    matrices: Float[np.ndarray, "letters size size"],
    errors: Float[np.ndarray, "letters size size"],
    tolerance: float,
    allowed: Bool[np.ndarray, "size size"],
) -> tuple[Float[np.ndarray, "letters size size"] | None, Float[np.ndarray, "letters size size"], str]:
    """Return the principal logarithms with the errors of their entries, or None and the reason why a matrix has none.

    A real matrix has one if and only if no eigenvalue is zero or negative, or if pairs of blocks make up for it, which is not
    looked into: that logarithm is not principal. Errors are found by moving the matrices within theirs.

    Args:
        matrices: The matrices.
        errors: Errors of their entries, in units of the tolerance.
        tolerance: The unit.
        allowed: Where products of the matrices have entries.
    """
    found, spoiled, draw = [], [], np.random.default_rng(0)
    for letter, (matrix, error) in enumerate(zip(matrices, errors, strict=True)):
        power = np.frexp(np.abs(matrix).max())[1]
        unit = np.ldexp(1.0, power if abs(power) > FAR else 0)
        near, moved = matrix / unit, error / unit
        values = np.linalg.eigvals(near)
        size = np.abs(values).max(initial=0.0)
        bad = values[(np.abs(values.imag) <= tolerance * size) & (values.real <= tolerance * size)]
        if len(bad):
            return None, errors, f"letter {letter} has the eigenvalue {bad[0].real * unit:.3g}, and no principal logarithm"
        logarithm = _logarithm(near)
        off = np.linalg.norm(scipy.linalg.expm(logarithm) - near)
        if not off <= ROUGH * max(tolerance, np.finfo(float).eps * len(near)) * np.linalg.norm(near):
            return None, errors, f"letter {letter} has an eigenvalue so near to 0 or below that no logarithm is known"
        step = min(tolerance, SMALL)
        moves = [_logarithm(near + step * draw.normal(size=near.shape) * moved) - logarithm for _ in range(DRAWS)]
        spoiled.append(allowed * np.sqrt(np.mean(np.square(moves), axis=0)) / step)
        found.append(allowed * (logarithm + math.log(unit) * np.eye(len(near))))
    return np.stack(found), np.stack(spoiled), "every letter has a principal logarithm"


def _logarithm(matrix: np.ndarray) -> np.ndarray:
    """The real part of the principal logarithm; near the identity, to the relative precision of what is left without it."""
    excess = matrix - np.eye(len(matrix))
    if np.linalg.norm(excess) > 0.5:
        with warnings.catch_warnings():  # how exact it is, `principal_logarithms` sees by its exponential
            warnings.filterwarnings("ignore", "logm result may be inaccurate", RuntimeWarning)
            return np.real(scipy.linalg.logm(matrix))
    # as in `depthjax.lie.logarithm`: 16 nodes err by less than 1e-17 there
    points, weights = np.polynomial.legendre.leggauss(16)
    systems = np.eye(len(matrix)) + (points[:, None, None] + 1) / 2 * excess
    return np.tensordot(weights / 2, np.linalg.solve(systems, np.broadcast_to(excess, systems.shape)), 1)


def _counted(letters: Any) -> list[Any]:
    if letters is None:
        raise ValueError("a function needs letters=: their number, or the letters themselves")
    if isinstance(letters, (int, np.integer)) and not isinstance(letters, bool):
        return list(range(at_least("letters", int(letters), 1)))
    found: list[Any] = [*(np.asarray(letters) if isinstance(letters, jax.Array) else letters)]  # type: ignore[misc]
    if not found:
        raise ValueError("letters is empty: give the number of letters, or the letters themselves")
    return found


def _rows(letters: Any, count: int) -> list[int]:
    if letters is None:
        return list(range(count))
    chosen = _counted(letters)
    if missing := [letter for letter in chosen if not isinstance(letter, (int, np.integer)) or not 0 <= letter < count]:
        raise ValueError(f"letter {missing[0]!r} does not exist: there are matrices for the letters 0 .. {count - 1}")
    return chosen


def _arrays(given: Any) -> tuple[np.ndarray, np.ndarray | None]:
    if isinstance(given, (tuple, list)) and len(given) == 2 and np.ndim(given[0]) == 3 and np.ndim(given[1]) == 2:
        matrices, vectors = _numbers(given[0]), _numbers(given[1])
        if vectors.shape != matrices.shape[:2]:
            raise ValueError(f"vectors of shape {vectors.shape} for matrices of shape {matrices.shape}: expected (letters, n)")
        return _square(matrices), vectors
    try:
        return _square(_numbers(given)), None
    except TypeError:
        raise TypeError(
            f"transitions of type {_typed(given)}: expected an array of numbers (letters, n, n), a pair of arrays (A, b), a "
            "function of a letter, or a step (state, letter) with states="
        ) from None


def _typed(given: Any) -> str:
    dtype = getattr(given, "dtype", None)
    return f"{type(given).__name__}{f' with entries of type {dtype}' * (dtype is not None)}"


def _numbers(given: Any) -> np.ndarray:
    """An array of floating-point or complex numbers of any size, in its own type."""
    array = np.asarray(given)
    if array.dtype == object or not jnp.issubdtype(array.dtype, jnp.number):
        raise TypeError("not numbers")
    return array if jnp.issubdtype(array.dtype, jnp.inexact) else array.astype(float)


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(complex if jnp.issubdtype(array.dtype, jnp.complexfloating) else float)


def _square(matrices: np.ndarray) -> np.ndarray:
    if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2] or not matrices.size:
        raise ValueError(f"transitions of shape {matrices.shape}: expected one square matrix for each letter, (letters, n, n)")
    return matrices


def _asked(given: Callable, letter: Any) -> Any:
    try:
        return given(letter)
    except (IndexError, KeyError) as error:
        raise ValueError(f"letter {letter!r} does not exist: the function raised {type(error).__name__}: {error}") from error


def _pairs(answers: Sequence[Any], alphabet: list[Any]) -> tuple[np.ndarray, np.ndarray | None]:
    pairs = [answer if isinstance(answer, (tuple, list)) and np.ndim(answer[0]) == 2 else (answer, None) for answer in answers]
    shapes = [(np.shape(a), np.shape(b) if b is not None else None) for a, b in pairs]
    for letter, shape in zip(alphabet, shapes, strict=True):
        if shape != shapes[0]:
            raise ValueError(f"letter {alphabet[0]!r} has the shapes {shapes[0]} and letter {letter!r} has {shape}: one size")
    matrices = _square(np.stack([_numbers(a) for a, _ in pairs]))
    if pairs[0][1] is None:
        return matrices, None
    return _arrays((matrices, np.stack([_numbers(b) for _, b in pairs])))


def _of_step(step: Callable, alphabet: list[Any], states: Any) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """The linearisations h -> f(s) + J (h - s)."""
    if not callable(step):
        raise TypeError(f"states= goes with a step (state, letter) -> next state, not with {type(step).__name__}")
    said = np.ndim(states) == 0
    if said:
        size = at_least("states", int(states) if isinstance(states, np.integer) else states, 1)
        points = np.random.default_rng(0).normal(size=(1 + TRIALS, size))
        points[0] = 0
    else:
        points = np.asarray(states, float)
        if not points.size:
            raise ValueError(f"states of shape {points.shape}: expected states to linearise at, an array (count, n)")
        size = points.shape[-1]
        points = points.reshape(-1, size)
    matrices, vectors, names = [], [], []
    for letter in alphabet:
        images = [_linearised(step, jnp.asarray(point, jnp.result_type(float)), letter) for point in points]
        for value, _ in images:
            if value.shape != (size,):
                raise ValueError(f"the step maps states of {size} numbers to shape {value.shape}: expected ({size},)")
        if said:
            _check_affine(letter, points, images)
            images = images[:1]
        for number, (value, jacobian) in enumerate(images):
            matrices.append(jacobian)
            vectors.append(value - jacobian @ points[number].astype(value.dtype))
            names.append(f"{letter}" if said else f"{letter} at state {number}")
    return np.stack(matrices), np.stack(vectors), tuple(names)


def _linearised(step: Callable, point: jax.Array, letter: Any) -> tuple[np.ndarray, np.ndarray]:
    value = _asked(lambda letter: step(point, letter), letter)
    return np.asarray(value), np.asarray(jax.jacfwd(lambda state: step(state, letter))(point))


def _check_affine(letter: Any, points: np.ndarray, images: list[tuple[np.ndarray, np.ndarray]]) -> None:
    start, jacobian = images[0]
    for point, (value, _) in zip(points[1:], images[1:], strict=True):
        expected = start + jacobian @ point.astype(start.dtype)
        size = np.abs(start).max() + np.abs(jacobian).max() * np.abs(point).sum()
        off = float(np.abs(value - expected).max())
        if off > 1e3 * float(jnp.finfo(start.dtype).eps) * size:
            raise ValueError(
                f"letter {letter!r}: the step is not affine in the state, as states={len(point)} says; at a random state it "
                f"is {off:.2g} away from its linearisation at 0. Give states to linearise at, an array (count, {len(point)})"
            )


def _homogenised(matrix: np.ndarray, vector: np.ndarray, corner: float) -> np.ndarray:
    size = len(matrix)
    whole = np.zeros((size + 1, size + 1), np.result_type(matrix, vector))
    whole[:size, :size], whole[:size, size], whole[size, size] = matrix, vector, corner
    return whole


def _real(matrices: np.ndarray, vectors: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """Complex matrices and vectors as real ones of twice the size."""
    if not np.imag(matrices).any() and (vectors is None or not np.imag(vectors).any()):
        return np.real(matrices), None if vectors is None else np.real(vectors)
    real, imaginary = np.real(matrices), np.imag(matrices)
    vectors = None if vectors is None else np.concatenate([np.real(vectors), np.imag(vectors)], axis=1)
    return np.block([[real, -imaginary], [imaginary, real]]), vectors
