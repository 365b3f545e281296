"""The transitions of a layer, in the forms in which people have them, as matrices that act on states.

The state of an affine layer h -> A h + b gets a constant entry 1, so that every letter is one matrix [[A, b], [0, 1]]. Complex
matrices become real ones of twice the size.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jaxtyping import Float

from depthjax.checks import at_least

TRIALS = 4  # random states at which a map that is said to be affine is compared with its linearisation
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
        TypeError: `given` is none of these.
    """
    if time not in ("discrete", "continuous"):
        raise ValueError(f"time {time!r}: expected 'discrete' (h <- A h) or 'continuous' (dh/dt = A h)")
    sampled = states is not None and not isinstance(states, int)
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
    epsilon = float(np.finfo(matrices.dtype).eps)
    if not np.isfinite(matrices).all() or (vectors is not None and not np.isfinite(vectors).all()):
        raise ValueError("the transitions hold NaN or infinity: nothing can be said of them; look at the layer's parameters")
    corner = 1.0 if time == "discrete" else 0.0
    if vectors is not None:
        matrices = np.stack([_homogenised(a, b, corner) for a, b in zip(matrices, vectors, strict=True)])
    return Transitions(_real(matrices).astype(float), names, vectors is not None, sampled, epsilon)


def principal_logarithms(
    matrices: Float[np.ndarray, "letters size size"], tolerance: float
) -> tuple[Float[np.ndarray, "letters size size"] | None, str]:
    """Return the principal logarithms, or None and the reason why a matrix has none.

    A real matrix has one if and only if no eigenvalue is zero or negative.
    """
    found = []
    for letter, matrix in enumerate(matrices):
        values = np.linalg.eigvals(matrix)
        size = max(1.0, np.abs(values).max())
        bad = values[(np.abs(values.imag) <= tolerance * size) & (values.real <= tolerance * size)]
        if len(bad):
            return None, f"letter {letter} has the eigenvalue {bad[0].real:.3g}, and no principal logarithm"
        found.append(np.real(scipy.linalg.logm(matrix)))
    return np.stack(found), "every letter has a principal logarithm"


def _counted(letters: Any) -> list[Any]:
    if letters is None:
        raise ValueError("a function needs letters=: their number, or the letters themselves")
    if isinstance(letters, (int, np.integer)) and not isinstance(letters, bool):
        return list(range(at_least("letters", int(letters), 1)))
    found: list[Any] = [*letters]  # type: ignore[misc]
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
            f"transitions of type {type(given).__name__}: expected an array (letters, n, n), a pair of arrays (A, b), a "
            "function of a letter, or a step (state, letter) with states="
        ) from None


def _numbers(given: Any) -> np.ndarray:
    array = np.asarray(given)
    if array.dtype == bool or not np.issubdtype(jnp.asarray(array[:0] if array.ndim else array).dtype, np.number):
        raise TypeError("not numbers")
    return array if np.issubdtype(array.dtype, np.inexact) and array.dtype.itemsize > 2 else array.astype(float)


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
    said = isinstance(states, int)
    size = at_least("states", states, 1) if said else np.shape(states)[-1]
    if said:
        points = np.random.default_rng(0).normal(size=(1 + TRIALS, size))
        points[0] = 0
    else:
        points = np.asarray(states, float).reshape(-1, size)
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
        if off > 1e3 * np.finfo(start.dtype).eps * size:
            raise ValueError(
                f"letter {letter!r}: the step is not affine in the state, as states={len(point)} says; at a random state it "
                f"is {off:.2g} away from its linearisation at 0. Give states to linearise at, an array (count, {len(point)})"
            )


def _homogenised(matrix: np.ndarray, vector: np.ndarray, corner: float) -> np.ndarray:
    size = len(matrix)
    whole = np.zeros((size + 1, size + 1), np.result_type(matrix, vector))
    whole[:size, :size], whole[:size, size], whole[size, size] = matrix, vector, corner
    return whole


def _real(matrices: np.ndarray) -> np.ndarray:
    real, imaginary = np.real(matrices), np.imag(matrices)
    return np.block([[real, -imaginary], [imaginary, real]]) if imaginary.any() else real
