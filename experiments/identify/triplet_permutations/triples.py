"""The law of three consecutive symbols from one predictor of a triple, and the model from that law.

The equations stand in the functions below: stationarity for five predictors, and for the middle symbol given both neighbours
maps between columns, Jennrich's algorithm and a scaling to known margins. Laws are small, so they are numpy arrays.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from depthjax.instruments import hidden_markov as markov
from depthjax.rounding import rounding_floor

SIX = markov.TRIPLETS + markov.SINGLES
DRAWS = 256  # pairs of directions of Jennrich's algorithm, of which the best conditioned is kept
ROUNDS = 200  # of the scaling to given margins; it converges geometrically, and faster the more mixing the law is


class Law(NamedTuple):
    """The law of three symbols that a predictor determines.

    Attributes:
        joint: P(x1, x2, x3), shape (symbols, symbols, symbols).
        solutions: Largest dimension of the solutions of the linear equations; 1 if they determine the law.
        amplification: First-order bound of the amplification of rounding of the predictor.
    """

    joint: Float[np.ndarray, "symbols symbols symbols"]
    solutions: int
    amplification: float


def predictor(joint: Float[np.ndarray, "symbols symbols symbols"], name: str) -> Float[np.ndarray, "symbols symbols symbols"]:
    """Return the law of the symbols before the bar given those after it; the axes stay x1, x2, x3."""
    return joint / joint.sum(axis=_places(name)[0], keepdims=True)


def law_from(key: Key[Array, ""], law: Float[np.ndarray, "symbols symbols symbols"], name: str, states: int) -> Law:
    """Return the law of three symbols whose predictor `name` is `law`, with axes x1, x2, x3.

    Args:
        key: Of the directions of Jennrich's algorithm, which only 2|13 needs.
        law: The predictor.
        name: One of "23|1", "13|2", "12|3", "1|23", "2|13", "3|12".
        states: Number of hidden states, which only 2|13 needs.

    Raises:
        ValueError: There is no such predictor.
    """
    if name != "2|13":
        return balanced(law, name)
    ratios, dimension, spread = _ratios(law, states)
    tensor = jnp.asarray(law * ratios[:, None, :]).swapaxes(0, 1)  # rows and columns still have free factors
    found = best(key, tensor, "23|1", states)
    margin = np.asarray(found.emission).mean(axis=1)
    rows = np.ones(len(law))
    for _ in range(ROUNDS):
        columns = margin / (rows @ ratios)
        rows = margin / (ratios @ columns)
    joint = law * (rows[:, None] * ratios * columns[None, :])[:, None, :]
    return Law(joint, dimension, spread * float(found.amplification))


def balanced(law: Float[np.ndarray, "symbols symbols symbols"], name: str) -> Law:
    """Return the law with the predictor `name` equal to `law` for which (x1, x2) and (x2, x3) are distributed alike."""
    given, d = _places(name)[1], len(law)
    size = d ** len(given)
    chosen = np.eye(size).reshape([d if place in given else 1 for place in range(3)] + [size])
    laws = law[..., None] * chosen
    _, values, vectors = np.linalg.svd((laws.sum(axis=2) - laws.sum(axis=0)).reshape(d * d, size), full_matrices=True)
    values = np.concatenate([values, np.zeros(size - len(values))])
    dimension = _flat(values, d**4)
    joint = laws @ vectors[-1]
    return Law(joint / joint.sum(), dimension, float(values[0] / values[-1 - dimension]) * size)


def best(key: Key[Array, ""], law: Float[Array, "symbols symbols symbols"], name: str, states: int) -> markov.Recovered:
    """Return the model read off a predictor of two symbols along the best conditioned of a few random pairs of directions."""
    tries = _recover(law, name, jax.random.normal(key, (DRAWS, 2, law.shape[-1])), states)
    chosen = int(jnp.argmin(tries.amplification))  # the algorithm's own estimate decides, not the answer
    return jax.tree.map(lambda array: array[chosen], tries)


_recover = jax.jit(jax.vmap(markov.recover, in_axes=(None, None, 0, None)), static_argnums=(1, 3))


def _ratios(law: np.ndarray, states: int) -> tuple[np.ndarray, int, float]:
    """The law of (x1, x3) up to factors of rows and columns, from 2|13; the dimension of solutions; the amplification.

    The vectors x(a, c) of a column c are images of those of column 0 under one linear map, up to the factors that are sought.
    """
    d = len(law)
    span = np.linalg.svd(law.transpose(0, 2, 1).reshape(d * d, d))[2][:states]
    points = np.einsum("abc,ib->aci", law, span)
    ratios, dimension, worst = np.ones((d, d)), 1, 1.0
    for column in range(1, d):
        mapped = np.einsum("ij,al->aijl", np.eye(states), points[:, 0]).reshape(d * states, states**2)
        scaled = -np.einsum("ab,ai->aib", np.eye(d), points[:, column]).reshape(d * states, d)
        _, values, vectors = np.linalg.svd(np.concatenate([mapped, scaled], axis=1), full_matrices=True)
        values = np.concatenate([values, np.zeros(states**2 + d - len(values))])
        free = _flat(values, d**3)
        ratios[:, column] = vectors[-1, states**2 :] / vectors[-1, states**2]
        dimension, worst = max(dimension, free), max(worst, float(values[0] / values[-1 - free]))
    return ratios, dimension, worst * d


def _flat(values: np.ndarray, operations: int) -> int:
    """How many singular values rounding alone explains."""
    return int((values < rounding_floor(operations, jnp.dtype(float)) * values[0]).sum())


def _places(name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if name not in SIX:
        raise ValueError(f"no predictor {name!r} of a triple; there are {', '.join(SIX)}")
    wanted, _, given = name.partition("|")
    return tuple(int(symbol) - 1 for symbol in wanted), tuple(int(symbol) - 1 for symbol in given)
