"""The sharpness from which on lookups are right, by bisection, and the longest words whose scores are exact."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.attention.lookup import default_sharpness
from depthjax.constructions.directions.hop import hop_transformer
from depthjax.rounding import rounding_floor
from depthjax.tasks.hops import hop_labels, hop_words, late_letter_word
from depthjax.verify import Cell, Quantity, measured
from experiments.attention.softmax_sharpness.common import DRAWN, KINDS

LEAST, MOST, STEPS = 1.0, 32.0, 45  # ends and steps of the bisection
TARGETS = 6000  # beyond the longest exact words of any type


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The sharpness below which 0 ... 0 1 0 is wrong, and below which any word is; exact lengths by trying."""
    return measured(
        **_onsets(cell, key),
        **_counts(cell, key),
        weak_onset=_onsets(cell, key, 0.5)["onset"],
        dtype=KINDS,
        longest_exact=_longest_exact(lambda t, p: 2 * t * p - p * p, TARGETS),
        longest_of_distances=_longest_exact(lambda t, p: -(t - p) * (t - p), 40 * cell.length),
        drawn=np.array(DRAWN),
        used=Quantity([default_sharpness(n) for n in DRAWN], "drawn", label="sharpness that the weights use"),
    )


def _onsets(cell: Cell, key: jax.Array, kept: float = 1.0) -> dict[str, Quantity]:
    words = _words(cell, key)
    low, high = _bisected(cell, words[-1:], LEAST, kept)
    onset, floor = (low + high) / 2, _floor(cell, low, high)
    excess = onset - np.log(4 * cell.length - 8)
    stubborn = words[_right(cell, high, words, kept) < cell.length]
    if len(stubborn):
        low, high = _bisected(cell, stubborn, high, kept)
    return {
        "onset": Quantity(onset, floor=floor, label="sharpness below which 0 ... 0 1 0 is wrong"),
        "excess": Quantity(excess, floor=floor, label="the same above ln(4 N - 8)"),
        "worst_onset": Quantity((low + high) / 2, floor=_floor(cell, low, high), label="sharpness below which a word is wrong"),
    }


def _bisected(cell: Cell, words: np.ndarray, low: float, kept: float) -> tuple[float, float]:
    """A short interval: some of these words are wrong at its lower end, none at its upper end."""
    high = MOST
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if (_right(cell, middle, words, kept) < cell.length).any() else (low, middle)
    return low, high


def _floor(cell: Cell, low: float, high: float) -> float:
    """Rounding of a threshold, and the interval in which it was found.

    Scores are differences of products of size 2 beta N^2, and the gap between the best two is beta itself. The retrieved
    pointer, a mean of numbers up to N, moves about half as fast as the sharpness when it passes 1/2.
    """
    score = rounding_floor(4, jnp.dtype(float), 2 * high * cell.length**2)
    pointer = rounding_floor(cell.length, jnp.dtype(float), float(cell.length))
    return float(score + 2 * pointer) + (high - low) / 2


def _words(cell: Cell, key: jax.Array) -> np.ndarray:
    """Words and their labels, (word, 2, position): random ones, these ending like 0 ... 0 1 0, and that word as the last."""
    words = np.asarray(hop_words(key, 4, cell.samples, cell.length))
    hardest = np.asarray(late_letter_word(cell.length))[None]
    start = np.linspace(0, cell.length - 5, cell.samples).astype(int)[:, None]
    tried = np.concatenate([words, np.where(np.arange(cell.length)[None, :] >= start, hardest, words), hardest])
    return np.stack([tried, np.asarray(hop_labels(jnp.asarray(tried), 4, 2))], axis=1)


def _counts(cell: Cell, key: jax.Array) -> dict[str, Quantity]:
    """Right positions of all words above ln(4 N), and of 0 ... 0 1 0 just below its onset."""
    words, enough = _words(cell, key), np.log(4 * cell.length)
    just_below = _right(cell, np.log(4 * cell.length - 8) - 0.01, words[-1:])
    return {
        "right": Quantity(int(_right(cell, enough + 0.01, words).sum()), label="right positions of all words"),
        "right_just_below": Quantity(int(just_below.sum()), label="right positions of 0 ... 0 1 0"),
    }


def _right(cell: Cell, sharpness: float, words: np.ndarray, kept: float = 1.0) -> np.ndarray:
    """The number of right positions of each word; the first lookup keeps this share of its scores."""
    model, weights = hop_transformer(2, cell.length, 4, dtype=jnp.dtype(float), sharpness=sharpness)
    match, lookup, *rest = weights.layers
    heads = dataclasses.replace(lookup.heads, query=kept * jnp.asarray(lookup.heads.query))
    lookup = dataclasses.replace(lookup, heads=heads)
    logits = model.apply(dataclasses.replace(weights, layers=(match, lookup, *rest)), jax.device_put(words[:, 0]))
    return (np.asarray(logits).argmax(axis=-1) == words[:, 1]).sum(axis=1)


def _longest_exact(score: Callable[[jax.Array, jax.Array], jax.Array], most: int) -> Quantity:
    """One less than the first t, up to `most`, at which the best two scores of a lookup differ by anything but 1; by type."""
    longest = []
    for kind in KINDS:
        t = jnp.arange(1, most, dtype=jnp.float32).astype(kind)
        differ = np.asarray(score(t, t) - score(t, t - 1) != 1)
        longest.append(int(np.argmax(differ)) if differ.any() else len(differ))
    return Quantity(longest, "dtype", label="longest exact length")
