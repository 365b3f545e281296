"""What the lowest layers of a Lie tower keep of words: its states after many words, and the words that share them."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int, Num

from depthjax.constructions.towers.lie import derived_lowest_degrees, lie_tower
from depthjax.lie.lyndon import lyndon_basis
from depthjax.rounding import rounding_floor
from depthjax.tasks.words import all_words

DIGITS = 6  # of the coordinates, which are fractions with small denominators


def positive_increments(letters: int, longest: int) -> Int[np.ndarray, "words longest letters"]:
    """Return all words of at most this many letters as unit increments, shortest first, with silence at the end."""
    silent = np.zeros((1, longest), int) + letters
    words = [np.asarray(all_words(letters, length)) for length in range(1, longest + 1)]
    rows = [np.pad(word, ((0, 0), (0, longest - word.shape[1])), constant_values=letters) for word in words]
    return np.eye(letters + 1, letters, dtype=int)[np.concatenate([silent, *rows])]


def of_length(increments: Num[np.ndarray, "words longest letters"], length: int) -> np.ndarray:
    """Return which words have at most this many letters."""
    return np.abs(increments[:, length:]).sum(axis=(1, 2)) == 0


def tower_states(increments: np.ndarray, nilpotency: int, degree: int | None = None) -> list[Float[np.ndarray, "words _"]]:
    """Return the state of each layer of the whole tower of a class, cut after a degree.

    The tower of a lower class is the one of a higher class, cut after that degree: the towers are graded.

    Args:
        increments: Words as increments, shape (words, length, letters).
        nilpotency: Class of the tower.
        degree: Highest degree that is kept, by default the class.

    Cost: as `LieTower.apply`.
    """
    letters = increments.shape[-1]
    tower = lie_tower(letters, len(derived_lowest_degrees(letters, nilpotency)), nilpotency)
    degrees = lyndon_basis(letters, nilpotency).degrees
    states = tower.apply(jnp.asarray(increments, float), chunk=1)
    kept = [degrees[span.rows(letters)] <= (nilpotency if degree is None else degree) for span in tower.spans]
    return [np.asarray(state)[:, rows] for state, rows in zip(states, kept, strict=True)]


def shared_states(states: list[np.ndarray], most: int) -> list[int]:
    """Return how many words share the states of the lowest 1, 2, ..., `most` layers with an earlier word."""
    return [int(sum(counts) - len(counts)) for counts in _alike(states, most)]


def words_that_share(states: list[np.ndarray], most: int) -> list[int]:
    """Return how many words share the states of the lowest 1, 2, ..., `most` layers with another word, earlier or later."""
    return [int(counts[counts > 1].sum()) for counts in _alike(states, most)]


def _alike(states: list[np.ndarray], most: int) -> list[np.ndarray]:
    """How many words have each state of the lowest 1, 2, ..., `most` layers."""
    rows = [np.round(np.concatenate(states[:layers], axis=1), DIGITS) for layers in range(1, most + 1)]
    return [np.unique(row, axis=0, return_counts=True)[1] for row in rows]


def layers_used(states: list[np.ndarray], length: int) -> int:
    """Return how many layers hold more than rounding after some word."""
    largest = max(np.abs(state).max(initial=0) for state in states)
    floor = rounding_floor(length * sum(state.shape[1] for state in states) ** 2, jnp.dtype(float), largest)
    return sum(bool(np.abs(state).max(initial=0) > floor) for state in states)
