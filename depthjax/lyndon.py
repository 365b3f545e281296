r"""Integer tables of the Lyndon basis of a free nilpotent Lie algebra.

A Lyndon word is strictly smaller than each of its proper suffixes. Its standard factorisation is w = uv with v the
longest proper Lyndon suffix, its bracket P_w = [P_u, P_v], and P_letter = letter. The P_w of at most `klass` letters
are a basis of the free nilpotent Lie algebra of that class. Expanded into words, P_w = w + (larger words of the same
multidegree); hence the coefficients at the Lyndon words alone determine a Lie element, and the change between the two
kinds of coordinates is an integer matrix with ones on the diagonal.

Everything here is numpy and integers, built once per (letters, klass) and cached. Words are tuples of 0-based letters;
the basis is ordered by degree, then lexicographically; a word of degree d doubles as the base-`letters` number of its
position in a flattened array of shape (letters,) * d. Arrays are returned read-only. The tables hold letters ** (klass
- 1) entries for every word of degree klass - 1 (three letters, class 8: 5 MB; two letters, class 12: 3 MB).

Source: Reutenauer, Free Lie Algebras (1993), section 5.1; Chen, Fox and Lyndon, Annals of Mathematics 68 (1958).
"""

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from depthjax.checks import at_least

Word = tuple[int, ...]

_EXACT = 2.0**52  # integers below this are exact in float64, so that BLAS may carry them


@dataclass(frozen=True)
class LyndonBasis:
    """The Lyndon basis of the free nilpotent Lie algebra of class `klass` on `letters` letters.

    `words` lists it by degree, then lexicographically. `factors[i]` holds the positions (u, v) of the standard
    factorisation of word i, (-1, -1) for a letter. `degrees[i]` is the length of word i, and the words of degree d are
    `offsets[d - 1] : offsets[d]`.
    """

    letters: int
    klass: int
    words: tuple[Word, ...] = field(repr=False)
    factors: np.ndarray = field(repr=False, compare=False)
    degrees: np.ndarray = field(repr=False, compare=False)
    offsets: np.ndarray = field(repr=False, compare=False)

    @property
    def dimension(self) -> int:
        """Number of basis elements, the sum of the Witt numbers of degrees 1 to `klass`."""
        return len(self.words)

    def block(self, degree: int) -> slice:
        """Return the positions of the words of this degree."""
        return slice(int(self.offsets[degree - 1]), int(self.offsets[degree]))


@dataclass(frozen=True)
class BracketTable:
    """Sparse structure constants: [P_left, P_right] has the coefficient `value` on P_target.

    One entry per unordered pair: `left` has the smaller position of the two, so that
    [A, B]_target = sum of value * (A_left B_right - A_right B_left). Entries are sorted by target.
    """

    left: np.ndarray
    right: np.ndarray
    target: np.ndarray
    value: np.ndarray


@cache
def lyndon_words(letters: int, degree: int) -> tuple[Word, ...]:
    """Return the Lyndon words of exactly this degree in lexicographic order (Duval's generation)."""
    at_least("letters", letters, 1)
    at_least("degree", degree, 1)
    found = []
    word = [-1]
    while word:
        word[-1] += 1
        if len(word) == degree:
            found.append(tuple(word))
        word = [word[i % len(word)] for i in range(degree)]
        while word and word[-1] == letters - 1:
            word.pop()
    return tuple(found)


@cache
def lyndon_basis(letters: int, klass: int) -> LyndonBasis:
    """Return the Lyndon basis up to degree `klass`."""
    at_least("klass", klass, 1, "a nilpotent algebra of class 0 has no elements")
    by_degree = [lyndon_words(letters, degree) for degree in range(1, klass + 1)]
    words = tuple(word for block in by_degree for word in block)
    position = {word: i for i, word in enumerate(words)}
    factors = np.full((len(words), 2), -1)
    for i, word in enumerate(words):
        # the longest proper Lyndon suffix is the first one found from the left
        for cut in range(1, len(word)):
            if word[cut:] in position:
                factors[i] = position[word[:cut]], position[word[cut:]]
                break
    offsets = np.cumsum([0, *map(len, by_degree)])
    degrees = np.array([len(word) for word in words])
    return LyndonBasis(letters, klass, words, *map(_frozen, (factors, degrees, offsets)))


@cache
def word_indices(letters: int, degree: int) -> np.ndarray:
    """Return the position of each Lyndon word of this degree among all letters ** degree words."""
    words = np.array(lyndon_words(letters, degree)).reshape(-1, degree)
    return _frozen(words @ letters ** np.arange(degree - 1, -1, -1))


@cache
def words_from_brackets(letters: int, degree: int) -> np.ndarray:
    """Return the integers M[v, w], the coefficient of the Lyndon word v in P_w: word coordinates = M @ bracket ones."""
    return _frozen(np.rint(_on_lyndon_words(letters, degree).T).astype(np.int64))


@cache
def brackets_from_words(letters: int, degree: int) -> np.ndarray:
    """Return the inverse of `words_from_brackets`, again integers: bracket coordinates = result @ word ones."""
    matrix = words_from_brackets(letters, degree).astype(float)
    # one multidegree at a time; inside it the matrix is lower triangular with ones on the diagonal
    inverse = np.eye(len(matrix))
    counts = np.array([[word.count(a) for a in range(letters)] for word in lyndon_words(letters, degree)])
    _, block_of = np.unique(counts, axis=0, return_inverse=True)
    for block in range(block_of.max(initial=-1) + 1):
        rows = np.flatnonzero(block_of == block)
        inverse[np.ix_(rows, rows)] = _unitriangular_inverse(matrix[np.ix_(rows, rows)])
    return _frozen(inverse.astype(np.int64))


@cache
def structure_constants(letters: int, klass: int) -> BracketTable:
    """Return the structure constants of the Lyndon basis for all pairs of total degree at most `klass`."""
    offsets = lyndon_basis(letters, klass).offsets
    entries = []
    for degree in range(2, klass + 1):
        to_brackets = brackets_from_words(letters, degree).T.astype(float)
        for i in range(1, degree // 2 + 1):
            products = _brackets_on_lyndon_words(letters, i, degree - i)
            value = products.reshape(-1, products.shape[-1]) @ to_brackets
            if np.abs(value).max(initial=0) >= _EXACT:
                raise OverflowError(f"structure constants of degree {degree} exceed 2**52; use a smaller klass")
            pair, target = np.nonzero(value)
            left, right = np.divmod(pair, products.shape[1])
            keep = slice(None) if 2 * i < degree else left < right
            block = np.stack([left + offsets[i - 1], right + offsets[degree - i - 1], target + offsets[degree - 1]])
            entries.append(np.concatenate([block, np.rint(value[pair, target])[None]])[:, keep])
    table = np.concatenate([np.zeros((4, 0)), *entries], axis=1).astype(np.int64)
    order = np.lexsort((table[1], table[0], table[2]))
    return BracketTable(*map(_frozen, table[:, order]))


def _unitriangular_inverse(matrix: np.ndarray) -> np.ndarray:
    """Invert an integer lower unitriangular matrix exactly (float64 holds the integers)."""
    size = len(matrix)
    if size == 1:
        return np.ones((1, 1))
    half = size // 2
    top, bottom = _unitriangular_inverse(matrix[:half, :half]), _unitriangular_inverse(matrix[half:, half:])
    corner = -bottom @ matrix[half:, :half] @ top
    if np.abs(corner).max() >= _EXACT:
        raise OverflowError("the inverse of the word matrix exceeds 2**52; use a smaller degree")
    return np.block([[top, np.zeros((half, size - half))], [corner, bottom]])


def _brackets_on_lyndon_words(letters: int, i: int, j: int) -> np.ndarray:
    """Coefficients of [P_u, P_v] at the Lyndon words of degree i + j, for u of degree i and v of degree j."""
    first, second = _on_all_words(letters, i), _on_all_words(letters, j)
    words = word_indices(letters, i + j)
    # a word splits in one way into a prefix for the left factor and a suffix for the right one
    uv = first[:, None, words // letters**j] * second[None, :, words % letters**j]
    vu = second[None, :, words // letters**i] * first[:, None, words % letters**i]
    return uv - vu


@cache
def _on_lyndon_words(letters: int, degree: int) -> np.ndarray:
    """Row w: coefficients of P_w at the Lyndon words of its degree (as float64 integers)."""
    return _expanded(letters, degree, word_indices(letters, degree))


@cache
def _on_all_words(letters: int, degree: int) -> np.ndarray:
    """Row w: coefficients of P_w at all words of its degree (as float64 integers)."""
    return _expanded(letters, degree, np.arange(letters**degree))


def _expanded(letters: int, degree: int, words: np.ndarray) -> np.ndarray:
    if degree == 1:
        return np.eye(letters)[:, words]
    basis = lyndon_basis(letters, degree)
    block = basis.block(degree)
    factors = basis.factors[block]
    result = np.empty((block.stop - block.start, len(words)))
    for i in range(1, degree):
        rows = np.flatnonzero(basis.degrees[factors[:, 0]] == i)
        if rows.size:
            j = degree - i
            first = _on_all_words(letters, i)[factors[rows, 0] - basis.offsets[i - 1]]
            second = _on_all_words(letters, j)[factors[rows, 1] - basis.offsets[j - 1]]
            result[rows] = first[:, words // letters**j] * second[:, words % letters**j]
            result[rows] -= second[:, words // letters**i] * first[:, words % letters**i]
    return result


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
