"""Words that a rounded count misreads: states that words reach, in arithmetic of the type itself, with the word of each.

Every product and every sum is one operation on arrays of the type (`ml_dtypes`), so nothing here says how it rounds. States are
looked up by their bits, and each keeps the letter and the state that it came from.
"""

from typing import NamedTuple

import ml_dtypes
import numpy as np
from jaxtyping import Int

from depthjax.checks import at_least

HALF = 0.5 - 1e-9  # of the angle between neighbouring roots: halfway counts as misread
NATIVE = {"float8_e4m3": "float8_e4m3fn"}  # the type of accelerators; it differs in its largest numbers alone


class Misread(NamedTuple):
    """A shortest word that is misread, its length and the states that shorter words reach; no word and 0 if none is."""

    word: Int[np.ndarray, " length"]
    step: int
    states: int


def shortest_misread_word(order: int, dtype: str, *, offset: float = 0.0, snapped: bool = False) -> Misread:
    """Return a shortest word that is misread by z <- w_a z, all operations in a type.

    Args:
        order: Number of roots, at least 2.
        dtype: Name of a type of `ml_dtypes`.
        offset: Turns that are added to every root before it is rounded.
        snapped: Every state is replaced by the nearest rounded root, so that errors do not add up.

    Cost: states * order operations; a second for some hundred thousand states.

    Raises:
        ValueError: There are fewer than two roots.
    """
    at_least("order", order, 2)
    kind = np.dtype(getattr(ml_dtypes, NATIVE.get(dtype, dtype)))
    turns = 2 * np.pi * (np.arange(order) / order + offset)
    cos, sin = (np.round(part, 15).astype(kind) for part in (np.cos(turns), np.sin(turns)))
    plain = 2 * np.pi * np.arange(order) / order
    roots = tuple(np.round(part, 15).astype(kind) for part in (np.cos(plain), np.sin(plain)))
    x, y, counts, origin = roots[0][:1], roots[1][:1], np.zeros(1, int), np.zeros(1, int)
    seen, parents = _bits(x, y), np.full((1, 2), -1)  # of every state the place of the one before it, and the letter
    step = 0
    while len(x):
        step += 1
        real, imaginary = x[:, None] * cos - y[:, None] * sin, x[:, None] * sin + y[:, None] * cos
        found = (counts[:, None] + np.arange(order)) % order
        angle = np.arctan2(imaginary.astype(float), real.astype(float)) * order / (2 * np.pi)
        ahead = angle - found
        wrong = np.abs(ahead - order * np.rint(ahead / order)) >= HALF
        wrong |= (real.astype(float) == 0) & (imaginary.astype(float) == 0)
        if wrong.any():
            state, letter = np.argwhere(wrong)[0]
            word, place = [int(letter)], int(origin[state])
            while parents[place, 0] >= 0:
                place, letter = parents[place]
                word.append(int(letter))
            return Misread(np.array(word[::-1]), step, len(seen))
        if snapped:
            nearest = np.rint(angle).astype(int) % order
            real, imaginary = roots[0][nearest], roots[1][nearest]
        bits, first = np.unique(_bits(real, imaginary), return_index=True)
        first = first[~np.isin(bits, seen, assume_unique=True)]
        places = np.arange(len(first)) + len(seen)
        parents = np.concatenate([parents, np.stack([origin[first // order], first % order], axis=1)])
        x, y, counts = real.ravel()[first], imaginary.ravel()[first], found.ravel()[first]
        seen, origin = np.concatenate([seen, _bits(x, y)]), places
    return Misread(np.zeros(0, int), 0, len(seen))


def _bits(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Both numbers as one integer; zero has one sign."""
    high, low = ((part.ravel().astype(np.float32) + np.float32(0)).view(np.uint32).astype(np.uint64) for part in (x, y))
    return (high << np.uint64(32)) | low
