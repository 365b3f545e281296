"""Masked prediction in a hidden Markov model: predictors by enumeration, directions they do not fix, recovery from triplets.

Laws of three symbols are small, so they are numpy arrays of any type: derivatives are taken with complex steps, exact to
rounding, and nothing is compiled. Recovery runs for thousands of samples at once and is JAX.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Inexact, Key

from depthjax.checks import at_least
from depthjax.rounding import rounding_floor

PAIRS = ("2|1", "3|1", "1|2", "1|3")
TRIPLETS = ("23|1", "13|2", "12|3")
SINGLES = ("1|23", "2|13", "3|12")


def joint_law(
    emission: Inexact[np.ndarray, "symbols states"],
    transition: Inexact[np.ndarray, "states states"],
    start: Float[np.ndarray, " states"] | None = None,
) -> Inexact[np.ndarray, "symbols symbols symbols"]:
    """Return P(x1, x2, x3) of three consecutive symbols, summed over all paths.

    Args:
        emission: Columns sum to 1.
        transition: Columns sum to 1.
        start: Law of the first state; None for the uniform law.
    """
    states = emission.shape[1]
    first = np.full(states, 1 / states) if start is None else start
    return np.einsum("h,xh,gh,yg,fg,zf->xyz", first, emission, transition, emission, transition, emission)


def predictors(joint: Inexact[np.ndarray, "symbols symbols symbols"], *names: str) -> dict[str, np.ndarray]:
    """Return the conditional laws "a|b", "ab|c" or "a|bc" of the positions 1, 2, 3, the condition last; all by default.

    Raises:
        ValueError: A name is unknown.
    """
    found = {}
    known = PAIRS + TRIPLETS + SINGLES
    for name in names or known:
        if name not in known:
            raise ValueError(f"no predictor {name!r}; there are {', '.join(known)}")
        wanted, _, given = name.partition("|")
        axes = [int(position) - 1 for position in wanted + given]
        unseen = tuple(axis for axis in range(3) if axis not in axes)
        kept = sorted(axes)
        law = np.transpose(joint.sum(axis=unseen), [kept.index(axis) for axis in axes])
        found[name] = law / law.sum(axis=tuple(range(len(wanted))), keepdims=True)
    return found


def slopes(
    emission: Float[np.ndarray, "symbols states"], transition: Float[np.ndarray, "states states"]
) -> dict[str, np.ndarray]:
    """Return the derivative of every predictor along all stochastic directions, by name: shape (entries, directions).

    The directions preserve the column sums of the emission, and the row and column sums of the transition; there are
    states (symbols - 1) + (states - 1)^2 of them.
    """
    (symbols, states), step = emission.shape, 1e-20
    outer, inner = _centred(symbols), _centred(states)
    found = {name: [] for name in PAIRS + TRIPLETS + SINGLES}
    for column in range(states):
        for direction in outer.T:
            moved = emission.astype(complex)
            moved[:, column] += 1j * step * direction
            for name, law in predictors(joint_law(moved, transition)).items():
                found[name].append(np.imag(law).ravel() / step)
    for row in inner.T:
        for direction in inner.T:
            turned = transition + 1j * step * np.outer(row, direction)
            for name, law in predictors(joint_law(emission, turned)).items():
                found[name].append(np.imag(law).ravel() / step)
    return {name: np.stack(columns, axis=1) for name, columns in found.items()}


def flat_directions(*slopes: Float[np.ndarray, "entries directions"]) -> tuple[int, float]:
    """Return the number of directions that change no stacked predictor, and the smallest relative slope of the others.

    A direction counts as flat if rounding alone explains its singular value relative to the largest.
    """
    stacked = np.concatenate(slopes)
    values = np.linalg.svd(stacked, compute_uv=False)
    values = np.concatenate([values, np.zeros(max(stacked.shape[1] - len(values), 0))]) / values.max()
    flat = values < rounding_floor(stacked.size, jnp.dtype(float))
    return int(flat.sum()), float(values[~flat].min())


def _centred(size: int) -> np.ndarray:
    """An orthonormal basis of the vectors with sum zero, in columns."""
    return np.linalg.qr(np.concatenate([np.ones((size, 1)), np.eye(size)[:, 1:]], axis=1))[0][:, 1:]


def first_negative_angle(
    emission: Float[np.ndarray, "symbols states"], transition: Float[np.ndarray, "states states"], grid: int = 1 << 12
) -> tuple[float, float]:
    """Return the angle about the diagonal of the first three states where an entry of (O R, R^t T R) first turns negative.

    The second number bounds the effect of rounding on this angle. The search is a grid over half a turn, then bisection; both
    numbers are infinite if no entry turns negative.
    """

    def least(angle: float) -> float:
        turn, (c, s) = np.eye(emission.shape[1]), (np.cos(angle), np.sin(angle) / np.sqrt(3))
        entries = (1 + 2 * c) / 3, (1 - c) / 3 - s, (1 - c) / 3 + s
        turn[:3, :3] = [[entries[(j - i) % 3] for j in range(3)] for i in range(3)]
        return min((emission @ turn).min(), (turn.T @ transition @ turn).min())

    angles = np.linspace(0, np.pi, grid)
    negative = [angle for angle in angles if least(angle) < 0]
    if not negative:
        return np.inf, np.inf
    low, high = negative[0] - angles[1], negative[0]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if least(middle) < 0 else (middle, high)
    slope = abs(least(high + 1e-6) - least(high)) / 1e-6
    return high, 64 * np.finfo(float).eps / slope


class Recovered(NamedTuple):
    """A model read off its triplet predictor.

    Attributes:
        emission: Emission matrix, columns in the order of the eigenvalues.
        transition: Transition matrix, in the same order.
        amplification: First-order bound of the amplification of rounding of the predictor.
    """

    emission: Float[Array, "symbols states"]
    transition: Float[Array, "states states"]
    amplification: Float[Array, ""]


def jennrich(law: Float[Array, "symbols symbols condition"], directions: Float[Array, "2 condition"], states: int) -> Recovered:
    """Return the model whose predictor 23|1 is `law`, by simultaneous diagonalisation; states in the order of the eigenvalues.

    M_u = sum_x u_x law(x) = O diag(C u) (O T)^t; in the span U of its left singular vectors the eigenvectors of
    U^t M_u (U^t M_v)^+ are U^t O up to scale. The amplification multiplies the condition numbers of O, of M_v and of the gap
    between eigenvalues.

    Raises:
        ValueError: There are more states than symbols.
    """
    at_least("symbols", law.shape[0], states, "the states' laws must be independent")
    first, second = jnp.einsum("abx,ux->uab", law, directions, precision="highest")
    span = jnp.linalg.svd(second)[0][:, :states]
    inverse = jnp.linalg.pinv(span.T @ second, rtol=0.0)
    values, vectors = jnp.linalg.eig(span.T @ first @ inverse)
    order = jnp.argsort(values.real)
    values, vectors = values.real[order], vectors.real[:, order]
    emission = span @ vectors
    emission = emission / emission.sum(axis=0, keepdims=True)
    left = jnp.linalg.pinv(emission, rtol=0.0)
    following = (left @ second).T
    transition = left @ (following / following.sum(axis=0, keepdims=True))
    gap = jnp.diff(values).min() / jnp.abs(values).max()
    sizes = jnp.linalg.norm(emission) * jnp.linalg.norm(left) * jnp.linalg.norm(second) * jnp.linalg.norm(inverse)
    return Recovered(emission, transition, sizes * jnp.linalg.norm(left) / gap)


def recover(
    law: Float[Array, "symbols symbols condition"], name: str, directions: Float[Array, "2 condition"], states: int
) -> Recovered:
    """Return the model whose predictor `name` of two symbols given the third is `law`.

    12|3 is the predictor 23|1 of the reversed chain, whose transition is T^t. From 13|2 = sum_i (O T^t)_i (O T)_i Phi_i the
    eigenvectors are those of O T^t. Its row sums are those of O, which turn the posterior Phi into O.

    Raises:
        ValueError: There is no such predictor, or there are more states than symbols.
    """
    if name == "23|1":
        return jennrich(law, directions, states)
    if name == "12|3":
        found = jennrich(law.swapaxes(0, 1), directions, states)
        return found._replace(transition=found.transition.T)
    if name != "13|2":
        raise ValueError(f"no predictor {name!r} of two symbols; there are {', '.join(TRIPLETS)}")
    before, step, amplification = jennrich(law, directions, states)
    left, right = (jnp.linalg.pinv(matrix, rtol=0.0) for matrix in (before, before @ step))
    posterior = jnp.einsum("ia,abx,ib->ix", left, law, right, precision="highest")
    emission = before.sum(axis=1, keepdims=True) * posterior.T
    inverse = jnp.linalg.pinv(emission, rtol=0.0)
    worse = jnp.linalg.norm(left) * jnp.linalg.norm(right) * jnp.linalg.norm(inverse)
    return Recovered(emission, (inverse @ before).T, amplification * worse)


def sampled_frequencies(
    key: Key[Array, ""], joint: Float[np.ndarray, "symbols symbols symbols"], samples: int, seeds: int
) -> Float[np.ndarray, "seeds symbols symbols symbols"]:
    """Return the frequencies of the triples among `samples` independent ones, for every seed.

    The counts are multinomial, drawn by numpy from the bits of the key, so the cost does not depend on the number of samples.
    """
    draw = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    return draw.multinomial(samples, joint.ravel(), size=seeds).reshape(seeds, *joint.shape) / samples


def laws_of(
    frequencies: Float[np.ndarray, "*batch symbols symbols symbols"],
) -> Float[np.ndarray, "*batch symbols symbols symbols"]:
    """Return the predictors 23|1, indexed [second, third, first], that belong to frequencies of triples."""
    return np.moveaxis(frequencies / frequencies.sum(axis=(-2, -1), keepdims=True), -3, -1)
