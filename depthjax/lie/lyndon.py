r"""Integer tables of the Lyndon basis of a free nilpotent Lie algebra.

A Lyndon word is strictly smaller than each of its proper suffixes. Its standard factorisation is w = uv with v the
longest proper Lyndon suffix, its bracket P_w = [P_u, P_v], and P_letter = letter. The P_w of at most `nilpotency` letters
are a basis of the free nilpotent Lie algebra of that class. Expanded into words, P_w = w + (larger words of the same
multidegree); hence the coefficients at the Lyndon words alone determine a Lie element, and the change between the two
kinds of coordinates is an integer matrix with ones on the diagonal.

All tables are integers in numpy or sparse matrices of scipy, built once for each (letters, degree) and cached; treat them as
read-only. Words are tuples of 0-based letters. The basis is ordered by degree, then lexicographically. A word of degree d also
serves as the base-`letters` number of its position in a flattened array of shape (letters,) * d.

Cost: P_w has at most 2 ** (degree - 1) words, and only pairs of a left and a right factor within the class are multiplied out:
tens of milliseconds for two letters to class 12, three to class 8, forty to class 3.

Source: Reutenauer, Free Lie Algebras (1993), section 5.1; Chen, Fox and Lyndon, Annals of Mathematics 68 (1958).
"""

from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np
from scipy.sparse import coo_array, csr_array

from depthjax.checks import at_least
from depthjax.cost import power, refuse

Word = tuple[int, ...]

_EXACT = 2.0**52  # integers below this are exact in float64, so that BLAS may carry them


@dataclass(frozen=True)
class LyndonBasis:
    """The Lyndon basis of the free nilpotent Lie algebra of class `nilpotency` on `letters` letters.

    Attributes:
        letters: Number of letters.
        nilpotency: Largest degree.
        words: Lyndon words by degree, then lexicographically.
        factors: Positions (u, v) of the standard factorisation of each word, (-1, -1) for a letter.
        degrees: Length of each word.
        offsets: The words of degree d are `offsets[d - 1] : offsets[d]`.

    >>> basis = lyndon_basis(2, 4)
    >>> [basis.words[i] for i in basis.factors[-1]]
    [(0, 1, 1), (1,)]
    """

    letters: int
    nilpotency: int
    words: tuple[Word, ...] = field(repr=False)
    factors: np.ndarray = field(repr=False, compare=False)
    degrees: np.ndarray = field(repr=False, compare=False)
    offsets: np.ndarray = field(repr=False, compare=False)

    @property
    def dimension(self) -> int:
        """Number of basis elements, the sum of the Witt numbers of degrees 1 to `nilpotency`."""
        return len(self.words)

    def block(self, degree: int) -> slice:
        """Return the positions of the words of this degree."""
        return slice(int(self.offsets[degree - 1]), int(self.offsets[degree]))


@dataclass(frozen=True)
class BracketTable:
    """Sparse structure constants: [P_left, P_right] has the coefficient `value` on P_target.

    There is one entry for each unordered pair; `left` has the smaller position, so [A, B]_target = sum of value * (A_left
    B_right
    - A_right B_left). Entries are sorted by target.
    """

    left: np.ndarray
    right: np.ndarray
    target: np.ndarray
    value: np.ndarray


@cache
def lyndon_words(letters: int, degree: int) -> tuple[Word, ...]:
    """Return the Lyndon words of exactly this degree in lexicographic order, by Duval's algorithm.

    >>> lyndon_words(2, 4)
    ((0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1))
    """
    at_least("letters", letters, 1)
    at_least("degree", degree, 1)
    _affordable(letters, degree)
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


def _affordable(letters: int, degree: int) -> None:
    """Refuse more Lyndon words than fit: letters ** degree / degree of them, nearly all of the highest degree."""
    if letters > 1:
        gib = power(letters, degree) / degree * (64 + 8 * degree) / 2**30
        refuse(f"the Lyndon words of degree {degree} in {letters} letters", gib)


@lru_cache(maxsize=None, typed=True)  # True is not the class 1
def lyndon_basis(letters: int, nilpotency: int) -> LyndonBasis:
    """Return the Lyndon basis up to degree `nilpotency`.

    >>> lyndon_basis(2, 3).words
    ((0,), (1,), (0, 1), (0, 0, 1), (0, 1, 1))
    """
    at_least("nilpotency", nilpotency, 1, "a nilpotent algebra of class 0 has no elements")
    at_least("letters", letters, 1)
    _affordable(letters, nilpotency)
    by_degree = [lyndon_words(letters, degree) for degree in range(1, nilpotency + 1)]
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
    return LyndonBasis(letters, nilpotency, words, *map(_frozen, (factors, degrees, offsets)))


@cache
def word_indices(letters: int, degree: int) -> np.ndarray:
    """Return the position of each Lyndon word of this degree among all letters ** degree words."""
    words = np.array(lyndon_words(letters, degree)).reshape(-1, degree)
    return _frozen(words @ letters ** np.arange(degree - 1, -1, -1))


@cache
def words_from_brackets(letters: int, degree: int) -> csr_array:
    """Return the integers M[v, w], the coefficient of the Lyndon word v in P_w: word = M @ bracket coordinates."""
    return csr_array(word_expansion(letters, degree)[:, word_indices(letters, degree)].T)


@cache
def brackets_from_words(letters: int, degree: int) -> csr_array:
    """Return the inverse of `words_from_brackets`, also integral: bracket coordinates = result @ word coordinates."""
    matrix = words_from_brackets(letters, degree)
    words = np.array(lyndon_words(letters, degree)).reshape(-1, degree)
    # Words with the same multiset of letters form a block, whose matrix depends only on the multiplicities in the order of
    # the letters.
    letters_of = np.sort(words, axis=1)
    _, block_of = np.unique(letters_of, axis=0, return_inverse=True)
    order = np.argsort(block_of, kind="stable")
    starts = np.flatnonzero(np.diff(block_of[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    patterns = (np.diff(letters_of[order[starts]], axis=1) > 0) @ 2 ** np.arange(degree - 1)
    entries = [np.zeros((3, 0), np.int64)]
    for pattern in np.unique(patterns):
        alike = np.flatnonzero(patterns == pattern)
        members = order[starts[alike, None] + np.arange(int(sizes[alike[0]]))]  # (blocks, words of one)
        inverse = _unitriangular_inverse(matrix[members[0]][:, members[0]].toarray().astype(float))
        row, column = np.nonzero(inverse)
        values = np.broadcast_to(inverse[row, column].astype(np.int64), (len(members), len(row)))
        entries.append(np.stack([members[:, row].ravel(), members[:, column].ravel(), values.ravel()]))
    row, column, value = np.concatenate(entries, axis=1)
    return csr_array(coo_array((value, (row, column)), shape=matrix.shape))


@cache
def structure_constants(letters: int, nilpotency: int) -> BracketTable:
    """Return the structure constants of the Lyndon basis for all pairs of total degree at most `nilpotency`."""
    offsets = lyndon_basis(letters, nilpotency).offsets
    entries = [np.zeros((4, 0), np.int64)]
    for degree in range(2, nilpotency + 1):
        to_brackets = brackets_from_words(letters, degree).T
        for i in range(1, degree // 2 + 1):
            sizes = [len(lyndon_words(letters, m)) for m in (i, degree - i)]
            left, right = np.indices(sizes).reshape(2, -1)
            if 2 * i == degree:
                left, right = left[left < right], right[left < right]
            products = _commutators(letters, i, left, degree - i, right)[:, word_indices(letters, degree)]
            value = coo_array(products @ to_brackets)
            value.eliminate_zeros()
            pair, target = value.coords
            rows = left[pair] + offsets[i - 1], right[pair] + offsets[degree - i - 1], target + offsets[degree - 1]
            entries.append(np.stack([*rows, value.data]).astype(np.int64))
    table = np.concatenate(entries, axis=1)
    order = np.lexsort((table[1], table[0], table[2]))
    return BracketTable(*map(_frozen, table[:, order]))


@cache
def word_expansion(letters: int, degree: int) -> csr_array:
    """Row w: the coefficients of P_w at the words of its degree."""
    if degree == 1:
        return csr_array(np.eye(letters, dtype=np.int64))
    basis = lyndon_basis(letters, degree)
    factors = basis.factors[basis.block(degree)]
    if not len(factors):  # one letter has no brackets
        return csr_array((0, 1), dtype=np.int64)
    rows, parts = [], []
    for i in range(1, degree):
        found = np.flatnonzero(basis.degrees[factors[:, 0]] == i)
        if found.size:
            left, right = (factors[found] - basis.offsets[[i - 1, degree - i - 1]]).T
            parts.append(coo_array(_commutators(letters, i, left, degree - i, right)))
            rows.append(found[parts[-1].coords[0]])
    columns = np.concatenate([part.coords[1] for part in parts])
    values = np.concatenate([part.data for part in parts])
    return csr_array(coo_array((values, (np.concatenate(rows), columns)), shape=(len(factors), letters**degree)))


def _commutators(letters: int, i: int, left: np.ndarray, j: int, right: np.ndarray) -> csr_array:
    """Row k: the words of [P_u, P_v], u the left[k]-th Lyndon word of degree i and v the right[k]-th of degree j."""
    a, b = word_expansion(letters, i)[left], word_expansion(letters, j)[right]
    counts = np.diff(b.indptr)
    # all pairs of a word of P_u and a word of P_v
    pairs = np.diff(a.indptr) * counts
    row = np.repeat(np.arange(len(pairs)), pairs)
    within = np.arange(len(row)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    first = a.indptr[row] + within // counts[row]
    second = b.indptr[row] + within % counts[row]
    u, v = a.indices[first].astype(np.int64), b.indices[second].astype(np.int64)
    value = a.data[first] * b.data[second]
    words = np.concatenate([u * letters**j + v, v * letters**i + u])
    shape = (len(pairs), letters ** (i + j))
    result = csr_array(coo_array((np.concatenate([value, -value]), (np.tile(row, 2), words)), shape=shape))
    result.eliminate_zeros()
    return result


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


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
