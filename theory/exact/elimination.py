r"""Coordinates of a Lie polynomial in the Lyndon basis, by repeated Lazard elimination.

Let ``y`` be the largest letter. Lazard: the free Lie algebra on ``x_0, x_1, .., y`` is ``K y`` plus the free Lie algebra on the
new letters ``(x, i) = [..[[x, y], y].., y]`` (i times), ordered by ``x`` and then ``i``. A Lyndon word other than ``y`` is a
word ``x y^i x' y^i' ..`` in the new letters. It is a Lyndon word there too, with the same standard bracketing, because its
longest proper Lyndon suffix cannot begin inside a block. So the largest letter is eliminated until every word is a single
letter, which gives all Lyndon coordinates without solving a triangular system. Each step splits a multidegree into finer ones.

**One step.** Fix the letters ``x_1 .. x_P`` between which the ``y`` stand, and write ``y^a0 x_1 y^a1 .. x_P y^aP`` as the
commuting monomial ``t_0^a0 .. t_P^aP``. The new letter ``(x_j, i)`` expands to ``(t_j - t_{j-1})^i``, so with ``t_0 = 0``
(words that start with some x) the coefficients in the new letters are those of the same polynomial in ``s``, where ``t_j =
s_1 + .. + s_j``. A Lyndon word begins with its smallest letter ``(x_0, i)``, so only words that begin with ``x_0`` are kept.
If there are fewer ``y`` than ``x_0``, then the smallest ``i`` is 0, so only words with ``a1 = 0`` are needed.

The words of a multidegree ``m`` (how often each letter occurs, largest letter last) are the rows of ``input_words(m)``. The
result has the lexicographic order of ``lyndon_block(m)``. All steps have non-negative integer entries and work in any ring of
numpy scalars: int64 (that is, modulo 2^64), float64, or Python integers and Fractions (dtype object).

Source: C. Reutenauer, *Free Lie Algebras*, section 0.3 (Lazard) and chapter 5 (Lyndon basis); the step in t and s is derived
above.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import pairwise
from math import comb
from typing import NamedTuple

import numpy as np

__all__ = ["input_words", "lyndon_block", "lyndon_coordinates", "row_sum"]

Multidegree = tuple[int, ...]

_DENSE = 1 << 14  # a block with at most this many matrix entries is one cached matrix


def lyndon_coordinates(m: Multidegree, values: np.ndarray) -> np.ndarray:
    """Coordinates of Lie polynomials in the standard brackets of the Lyndon words of multidegree ``m``.

    Args:
        m: How often each letter 0, 1, .. occurs; every entry at least 1.
        values: Shape ``(len(input_words(m)), columns)``: the coefficients of the Lie polynomials on those words.

    Returns:
        Shape ``(len(lyndon_block(m)), columns)``, same dtype. The result is meaningless if the values are not those of a Lie
        polynomial.

    >>> lyndon_coordinates((2, 1), np.array([[1]]))  # [0,[0,1]] has coefficient 1 on the word 001
    array([[1]])
    """
    if len(m) == 1:
        return values if m[0] == 1 else values[:0]
    if len(lyndon_block(m)) * len(input_words(m)) <= _DENSE:
        return _matrix(m, values.dtype) @ values
    return _eliminate(m, values)


@lru_cache(maxsize=4096)
def lyndon_block(m: Multidegree) -> np.ndarray:
    """The Lyndon words of multidegree ``m``, one per row, in lexicographic order (unsigned)."""
    if len(m) == 1:
        return np.zeros((int(m[0] == 1), m[0]), np.uint8)
    words = np.concatenate([part for step in _steps(m) for part in step.words])
    return words[_lexicographic(words)]


@lru_cache(maxsize=4096)
def input_words(m: Multidegree) -> np.ndarray:
    """The words of multidegree ``m`` whose coefficients `lyndon_coordinates` reads, one per row (unsigned)."""
    if len(m) == 1:
        return np.zeros((1, m[0]), np.uint8)
    variables, others = _variables(m)
    exponents = _led_by_zeros(_compositions(variables, m[-1]), others)
    return _interleave(_skeletons(m[:-1]), exponents, len(m) - 1)


class _Step(NamedTuple):
    """The blocks of one multidegree in the new letters."""

    m: Multidegree
    rows: np.ndarray  # (blocks, input words of m): the rows of their coefficients after the substitution
    words: list[np.ndarray]  # the Lyndon words of each block, in the old letters


def _eliminate(m: Multidegree, values: np.ndarray) -> np.ndarray:
    variables, _ = _variables(m)
    columns = values.shape[1]
    moved = _accumulate(values.reshape(comb(variables + m[-1] - 1, m[-1]), -1), variables, m[-1]).reshape(-1, columns)
    parts = []
    for step in _steps(m):
        blocks, size = step.rows.shape
        batch = moved[step.rows].transpose(1, 0, 2).reshape(size, blocks * columns)
        solved = lyndon_coordinates(step.m, batch).reshape(-1, blocks, columns)
        parts.append(solved.transpose(1, 0, 2).reshape(-1, columns))
    return np.concatenate(parts)[_output_order(m)]


@lru_cache(maxsize=4096)
def _matrix(m: Multidegree, dtype: np.dtype) -> np.ndarray:
    if dtype != np.float64:
        real = _matrix(m, np.dtype(np.float64))
        if real.sum(axis=1).max(initial=0) < 2.0**53:  # no entry is negative, so this bounds every sum on the way
            return real.astype(np.int64).astype(dtype)
    identity = np.eye(len(input_words(m)), dtype=np.float64 if dtype == np.float64 else object)
    return _eliminate(m, identity).astype(dtype)


@lru_cache(maxsize=4096)
def row_sum(m: Multidegree) -> float:
    """The largest sum of a row of the matrix from the input words to the Lyndon coordinates, in floating point.

    >>> row_sum((2, 1)), row_sum((3, 3))
    (1.0, 10.0)
    """
    return float(lyndon_coordinates(m, np.ones((len(input_words(m)), 1))).max(initial=0))


@lru_cache(maxsize=4096)
def _output_order(m: Multidegree) -> np.ndarray:
    return _lexicographic(np.concatenate([part for step in _steps(m) for part in step.words]))


@lru_cache(maxsize=4096)
def _steps(m: Multidegree) -> tuple[_Step, ...]:
    """All blocks with a Lyndon word that result from eliminating the largest letter of ``m``."""
    variables, others = _variables(m)
    largest, top = m[-1], len(m) - 1
    compositions = _compositions(variables, largest)
    exponents = _led_by_zeros(compositions[_lexicographic(compositions)], others)
    letters = (_skeletons(m[:-1])[None].astype(np.int64) * (largest + 1) + exponents[:, None]).reshape(-1, others)
    ordered = np.sort(letters, axis=1)
    base = top * (largest + 1)
    codes, keys = _pack(letters, base), _pack(ordered, base)
    sorting = np.lexsort((codes, keys))
    starts = np.flatnonzero(keys[sorting][1:] != keys[sorting][:-1]) + 1
    found: dict[Multidegree, tuple[list, list]] = {}
    for group in np.split(sorting, starts):
        present = Counter(ordered[group[0]].tolist())  # ascending
        alphabet, child = np.array(list(present)), tuple(present.values())
        if len(child) == 1 and others > 1:
            continue  # a power of one letter: no Lyndon word
        wanted = _pack(alphabet[input_words(child)], base)
        rows, words = found.setdefault(child, ([], []))
        rows.append(group[np.searchsorted(codes[group], wanted)])
        words.append(_expand(alphabet[lyndon_block(child)], largest, top))
    return tuple(_Step(child, np.array(rows), words) for child, (rows, words) in found.items())


def _variables(m: Multidegree) -> tuple[int, int]:
    """Number of free exponents, and of letters other than the largest."""
    others = sum(m[:-1])
    return (others - 1 if m[-1] < m[0] else others), others


def _accumulate(values: np.ndarray, variables: int, degree: int) -> np.ndarray:
    """Substitute ``t_j = s_1 + .. + s_j``; rows are monomials of this degree, last exponent major in t, first major in s.

    The variables are substituted one at a time, the last first: ``t_j = s_j + t_{j-1}``. This keeps the sum of the exponents
    j-1 and j and all other exponents. So all rows with the same sum are shifted together, by Pascal's rule.
    """
    values = values.copy()
    spare = np.empty_like(values)
    for order, ends in _pairings(variables, degree):
        values, spare = values.take(order, axis=0, out=spare, mode="clip"), values  # "raise" would copy the result once more
        for total, (start, end) in enumerate(pairwise(ends), 1):
            part = values[start:end].reshape(total + 1, -1)
            for low in range(total - 1, -1, -1):
                part[low:-1] += part[low + 1 :]
    return values


@lru_cache(maxsize=1024)
def _pairings(variables: int, degree: int) -> tuple[tuple[np.ndarray, list[int]], ...]:
    """For each j = variables .. 2: how to order the rows for its substitution, and where each sum 0, 1, .. of exponents ends.

    The order is by the sum of the exponents j-1 and j, then by the exponent j; the last order, without sums, is that of s.
    Each order is a choice of rows from the order before it.
    """
    exponents = _compositions(variables, degree)
    place, found = np.arange(len(exponents)), []
    for j in range(variables - 1, 0, -1):
        sums = (exponents[:, j - 1] + exponents[:, j]).astype(np.min_scalar_type((degree + 1) ** 2))
        order = np.argsort(sums * (degree + 1) + exponents[:, j], kind="stable")  # the others keep their order
        found.append((place[order], np.bincount(sums).cumsum().tolist()))
        place[order] = np.arange(len(order))
    return (*found, (place[_lexicographic(exponents)], []))


@lru_cache(maxsize=1024)
def _compositions(parts: int, total: int) -> np.ndarray:
    """All tuples of ``parts`` non-negative integers with this sum, last entry major."""
    if parts == 1:
        return np.array([[total]], np.min_scalar_type(total))
    before = [_compositions(parts - 1, total - c) for c in range(total + 1)]
    last = np.repeat(np.arange(total + 1, dtype=np.min_scalar_type(total)), [len(block) for block in before])
    return np.column_stack([np.concatenate(before), last])


def _led_by_zeros(rows: np.ndarray, width: int) -> np.ndarray:
    result = np.zeros((len(rows), width), rows.dtype)
    result[:, width - rows.shape[1] :] = rows
    return result


@lru_cache(maxsize=1024)
def _skeletons(m: Multidegree) -> np.ndarray:
    """All words of multidegree ``m`` that start with the letter 0."""
    if len(m) == 1:
        return np.zeros((1, m[0]), np.uint8)
    return _interleave(_skeletons(m[:-1]), _compositions(sum(m[:-1]), m[-1]), len(m) - 1)


def _interleave(skeletons: np.ndarray, exponents: np.ndarray, letter: int) -> np.ndarray:
    """The words ``x_1 y^a1 .. x_P y^aP`` for every exponent row (major) and skeleton (minor)."""
    pairs = np.broadcast_to(exponents[:, None], (len(exponents), *skeletons.shape)).reshape(-1, skeletons.shape[1])
    return _fill(np.tile(skeletons, (len(exponents), 1)), pairs, letter)


def _expand(words: np.ndarray, largest: int, letter: int) -> np.ndarray:
    return _fill(words // (largest + 1), words % (largest + 1), letter)


def _fill(skeletons: np.ndarray, exponents: np.ndarray, letter: int) -> np.ndarray:
    if not len(skeletons):
        return np.zeros((0, 0), np.uint8)
    lengths = exponents.ravel().astype(np.int64) + 1
    filled = np.full(lengths.sum(), letter, np.min_scalar_type(letter))
    filled[np.cumsum(lengths) - lengths] = skeletons.ravel()
    return filled.reshape(len(skeletons), -1)


def _pack(words: np.ndarray, base: int) -> np.ndarray:
    """One integer per row, in lexicographic order."""
    kind = np.int64 if base ** words.shape[1] < 2**63 else object
    packed = np.zeros(len(words), kind)
    for column in words.T:
        packed = packed * base + column
    return packed


def _lexicographic(words: np.ndarray) -> np.ndarray:
    return np.argsort(_pack(words, int(words.max(initial=0)) + 1), kind="stable")
