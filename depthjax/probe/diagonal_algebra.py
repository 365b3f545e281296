r"""The Lie algebra of diagonal recurrences with a drive, h <- a_x h + b_x, from weights and drives, without any closure.

Let a coordinate i be multiplied by A_x and the constant entry by t_x, and w_x = A_x - t_x. Then [X_x, X_y] has no diagonal, and
drives coordinate i by c_xy = w_x b_y - w_y b_x. A drive v commutes with drives, and [X_x, v] = w_x v entry by entry. So

    g = span of the letters + W,  [g, g] = W,  [W, W] = 0,

where W is what the c_xy span under multiplication by the w_x. Coordinates with the same weight w form a block, and W is the sum
over the blocks of the spans of the c_xy there (the polynomials in w separate the weights). Spans are complex where w is not
real, and the weight of a coordinate may be conjugated together with its drive. All c_xy vanish where w = 0, so [g, W] = W. On a
block of weight w != 0, b_x is w_x times one vector modulo W. So dim g is dim W and the rank of the letters' diagonals and of
their drives at weight 0.

Logarithms have the entries (log A - log t) / (A - t) b_x, which multiplies c_xy by numbers that do not vanish. So W is that of
the matrices, and only the rank of the diagonals changes.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Complex, Float

from depthjax.probe.decision import LEAST_GAP, Decision
from depthjax.probe.generated_algebra import GeneratedAlgebra
from depthjax.probe.pattern import DiagonalAffine
from depthjax.probe.spans import HIDDEN, NoisySpan, noisy_span

PAIRS = 4096  # commutators of letters that are looked at, the first ones


def diagonal_algebra(form: DiagonalAffine, tolerance: float, *, logarithms: bool) -> GeneratedAlgebra:
    """Return the Lie algebra of diagonal letters with drives.

    Args:
        form: The letters.
        tolerance: Relative error of each number.
        logarithms: Whether the logarithms of the letters generate, or the letters themselves.

    Cost: letters^2 * coordinates, and coordinates^2 * letters to compare weights.
    """
    excess = form.weights - form.constant[:, None]
    blocks, unsure = _blocks(form, excess, tolerance)
    spans = [_drives(form, excess, block, tolerance, turns) for block, turns in blocks]
    drives = _total([span.rank for span in spans], "derived algebra of dimension", unsure)
    diagonals = _diagonals(form, excess, tolerance, logarithms)
    dimension = _total([diagonals.rank, drives], "dimension", "")
    found = np.concatenate([1 / span.noise for span in (diagonals, *spans)])
    end = Decision(0, "certain", "commutators of letters are drives, and drives commute")
    derived, central = (dimension,), (dimension,)
    if dimension.value != 0:
        derived, central = (dimension, drives), (dimension, drives)
    if drives.value:
        again = Decision(drives.value, drives.standing, "no drive of the commutators has weight 0", drives.kept, drives.dropped)
        derived, central = (*derived, end), (*central, again)
    return GeneratedAlgebra(None, dimension, derived, central, end, np.sort(found)[::-1], np.zeros(0), tolerance)


def diagonal_logarithms(form: DiagonalAffine, size: int) -> Float[np.ndarray, "letters size size"]:
    """Return the principal logarithms of letters without weights that are zero or negative."""
    constant = form.constant[:, None] if form.place >= 0 else np.ones((len(form.weights), 1))
    ratio = (form.weights - constant) / constant
    logarithms = np.log1p(ratio)  # of A / t
    slopes = np.divide(logarithms, ratio, out=np.ones_like(ratio), where=ratio != 0) / constant
    found = np.zeros((len(form.weights), size, size))
    diagonal, drives = logarithms + np.log(constant), slopes * form.drives
    paired = form.second >= 0
    first, second = form.coordinates, form.second[paired]
    found[:, first, first] = np.real(diagonal)
    found[:, second, second] = np.real(diagonal)[:, paired]
    found[:, second, first[paired]], found[:, first[paired], second] = (
        np.imag(diagonal)[:, paired],
        -np.imag(diagonal)[:, paired],
    )
    if form.place >= 0:
        found[:, first, form.place], found[:, second, form.place] = np.real(drives), np.imag(drives)[:, paired]
        found[:, form.place, form.place] = np.log(form.constant)
    return np.swapaxes(found, 1, 2) if form.turned else found


def without_logarithm(form: DiagonalAffine, tolerance: float) -> str:
    """Return why some letter has no principal logarithm; empty if all have one."""
    weights = np.concatenate([form.weights, form.constant[:, None]], axis=1) if form.place >= 0 else form.weights
    bad = (np.abs(np.imag(weights)) <= tolerance * np.abs(weights)) & (np.real(weights) <= 0)
    for letter, row in enumerate(bad):
        if row.any():
            return f"letter {letter} has the eigenvalue {np.real(weights[letter][row][0]):.3g}, and no principal logarithm"
    return ""


def _drives(
    form: DiagonalAffine, excess: np.ndarray, block: np.ndarray, tolerance: float, turns: np.ndarray | None
) -> NoisySpan:
    """The span of the c_xy on a block of equal weights, over the complex numbers if they are not real.

    `turns` says which coordinates are conjugated; None, that the weights are real.
    """
    a, size = excess[:, block], np.abs(form.weights[:, block])
    b = form.drives[:, block]
    scales = np.abs(b).max(axis=0)
    b = b / np.where(scales > 0, scales, 1.0)
    if turns is not None:
        a, b = np.where(turns, a.conj(), a), np.where(turns, b.conj(), b)
    pairs = np.array([*itertools.islice(itertools.combinations(range(len(a)), 2), PAIRS)], int).reshape(-1, 2)
    x, y = pairs.T
    rows = a[x] * b[y] - a[y] * b[x]
    natural = np.linalg.norm(np.abs(a[x] * b[y]) + np.abs(a[y] * b[x]), axis=1)
    errors = np.linalg.norm((size + np.abs(a))[x] * np.abs(b[y]) + (size + np.abs(a))[y] * np.abs(b[x]), axis=1)
    natural = np.where(natural > 0, natural, 1.0)
    rows, noise = rows / natural[:, None], np.maximum(errors / natural, 1.0)
    if turns is not None:
        rows, noise = np.concatenate([rows, 1j * rows]), np.concatenate([noise, noise])
    split = np.concatenate([np.real(rows), np.imag(rows)], axis=1)
    return noisy_span(split, noise, tolerance, "drives of dimension")


def _diagonals(form: DiagonalAffine, excess: np.ndarray, tolerance: float, logarithms: bool) -> NoisySpan:
    """The rank of the diagonals of the generators, and of their drives at weight 0."""
    moving, paired = (excess != 0).any(axis=0), form.second >= 0
    entries = form.weights[:, moving]
    errors = np.abs(entries)
    if logarithms:
        constant = form.constant[:, None] if form.place >= 0 else np.ones((len(entries), 1))
        entries, errors = np.log1p((entries - constant) / constant) + np.log(constant), np.ones_like(errors)
    columns = [np.real(entries), np.imag(entries)[:, paired[moving]]]
    noise = [errors, errors[:, paired[moving]]]
    if form.place >= 0:
        corner = np.log(form.constant) if logarithms else form.constant
        still = form.drives[:, ~moving]
        scales = np.abs(still).max(axis=0, initial=0.0)
        still = still / np.where(scales > 0, scales, 1.0)
        columns += [corner[:, None], np.real(still), np.imag(still)]
        noise += [np.where(np.isin(form.constant, (0, 1)), 0.0, 1.0)[:, None], np.abs(still), np.abs(still)]
    else:
        corner = form.weights[:, ~moving]
        columns, noise = [*columns, np.real(corner), np.imag(corner)], [*noise, np.abs(corner), np.abs(corner)]
    rows, errors = np.concatenate(columns, axis=1), np.concatenate(noise, axis=1)
    sizes = np.linalg.norm(rows, axis=1)
    sizes = np.where(sizes > 0, sizes, 1.0)
    return noisy_span(
        rows / sizes[:, None], np.maximum(np.linalg.norm(errors, axis=1) / sizes, 1.0), tolerance, "diagonals of rank"
    )


def _blocks(
    form: DiagonalAffine, excess: Complex[np.ndarray, "letters count"], tolerance: float
) -> tuple[list[tuple[np.ndarray, Bool[np.ndarray, " _"] | None]], str]:
    """Coordinates with the same weight, how they are conjugated, and why this is not sure."""
    driven = np.flatnonzero((form.drives != 0).any(axis=0) & (excess != 0).any(axis=0))
    weights, sizes = form.weights[:, driven], np.abs(form.weights[:, driven])
    tilt = np.abs(np.imag(weights)) / np.where(sizes > 0, sizes, 1.0)
    clear = tilt > LEAST_GAP * tolerance
    complex_ones = np.asarray(clear.any(axis=0))
    unsure = bool(((tilt > 0).any(axis=0) & ~complex_ones).any())
    sign = np.sign(np.imag(weights)[clear.argmax(axis=0), np.arange(len(driven))])
    turned = complex_ones & (sign < 0)
    upper = np.where(turned, weights.conj(), weights)
    near = np.abs(excess[:, driven]) <= LEAST_GAP * tolerance * sizes  # may be of weight 0
    unsure |= bool(near.all(axis=0).any())
    known = (tolerance * sizes <= HIDDEN * np.abs(excess[:, driven])).any(axis=0)
    names = -np.ones(len(driven), int)
    for i in range(len(driven)):
        if names[i] >= 0:
            continue
        scale = np.maximum(sizes[:, i : i + 1], sizes)
        apart = (np.abs(upper - upper[:, i : i + 1]) / np.where(scale > 0, scale, 1.0)).max(axis=0)
        same = (apart <= tolerance) & (complex_ones == complex_ones[i]) & (names < 0)
        other = (complex_ones == complex_ones[i]) & (apart > 0)
        unsure |= bool((other & (apart <= LEAST_GAP * tolerance) & ((apart > tolerance) | ~known)).any())
        names[same] = i
    blocks = []
    for name in np.unique(names):
        members = np.flatnonzero(names == name)
        blocks.append((driven[members], turned[members] if complex_ones[name] else None))
    return blocks, "some weights differ by no more than their rounding, or nearly so" if unsure else ""


def _total(parts: Sequence[Decision], what: str, unsure: str) -> Decision:
    """The sum of decided dimensions."""
    open_ones = [part for part in parts if part.value is None]
    if open_ones:
        return open_ones[0]
    if unsure and parts:
        return Decision(None, "numerical", f"cannot decide the {what.removesuffix(' of dimension')}: {unsure}")
    kept, dropped = min((part.kept for part in parts), default=math.inf), max((part.dropped for part in parts), default=0.0)
    total = sum(part.value for part in parts)
    return Decision(total, "numerical", f"{what} {total}: from weights and drives of a diagonal form", kept, dropped)
