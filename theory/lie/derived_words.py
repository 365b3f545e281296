r"""How deep a word lies in the derived series of the free group, by flows, and words that lie deeper, by cycles that overlap.

F is a free group, ``F^(0) = F``, and ``F^(k+1)`` is the commutator subgroup of ``F^(k)``. The *graph of class k* is the Cayley
graph of ``F / F^(k)``. A word is a path in it, and its flow counts how often the path runs along each edge, runs against the
edge subtracted.

**Membership.** ``F^(k)`` is the fundamental group of the graph of class k. So a word of ``F^(k)`` is a closed path, and it lies
in ``F^(k+1)`` if and only if its flow vanishes: homology is the fundamental group made abelian. Two words have one image in
``F / F^(k+1)`` if and only if their flows agree, so the vertices of each graph are flows in the graph of one class less.

**Deeper words.** Let two different cycles of x and y letters share a path of p letters. Then three paths a, b, c of p, x - p
and y - p letters join two vertices, and ``a b^-1 c a^-1 b c^-1`` runs along each of them once in either direction: it lies one
class deeper, and has ``2 (x + y - p)`` letters.

Words are tuples of signed letters ``(index, +1 or -1)``, as in `theory.lie.commutator`. A cycle is a tuple of numbers, 2 i for
the letter i and 2 i + 1 for its inverse, that stands for its rotations and their inverses.

Source: W. Magnus, *On a theorem of Marshall Hall*, Annals of Mathematics 40 (1939); deeper words are derived here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from theory.checks import integer
from theory.cost import refuse
from theory.lie.cost import reduced
from theory.lie.words import check_sizes

__all__ = ["Theta", "cycles_of_class_two", "deeper_cycles", "derived_class", "same_state", "shortest_theta", "state_labels"]
__all__ += ["thetas", "words_by_flow"]

SignedWord = tuple[tuple[int, int], ...]
Cycle = tuple[int, ...]


class Theta(NamedTuple):
    """Three paths between two vertices, as numbers of signed letters; two cycles share the first one."""

    shared: Cycle
    second: Cycle
    third: Cycle

    @property
    def edges(self) -> int:
        """Edges of all three paths."""
        return sum(map(len, self))

    @property
    def pair(self) -> tuple[SignedWord, SignedWord]:
        """The words ``a b^-1 c`` and ``c b^-1 a``, reduced, which have one image a class deeper than the paths."""
        a, b, c = self
        first, second = (_reduced((*v, *_inverse(b), *w)) for v, w in ((a, c), (c, a)))
        return _signed(first), _signed(second)

    @property
    def cycle(self) -> Cycle:
        """The word ``a b^-1 c a^-1 b c^-1`` of the three paths a, b, c, reduced at its ends as well."""
        a, b, c = self
        return _cyclically_reduced((*a, *_inverse(b), *c, *_inverse(a), *b, *_inverse(c)))


def state_labels(word: SignedWord, layers: int) -> list[int]:
    """Return a label for every prefix of a word, alike for prefixes that have one image in ``F / F^(layers)``.

    Labels count from 0 in the order in which images appear, so the empty prefix has label 0.

    Args:
        word: Signed letters, reduced or not.
        layers: The class, at least 0; in class 0 all words are alike.

    Raises:
        ValueError: `layers` is no integer >= 0, or the word is no sequence of pairs of a letter and its sign.

    Cost: O(layers * length * log(length)).

    >>> state_labels(((0, 1), (1, 1), (0, -1), (1, -1)), 1)
    [0, 1, 2, 3, 0]
    """
    layers = integer("layers", layers, "the class of the free solvable group", least=0)
    word = _read(word)
    labels = [0] * (len(word) + 1)
    for _ in range(layers):
        edges = [(labels[i] if sign > 0 else labels[i + 1], letter) for i, (letter, sign) in enumerate(word)]
        labels = _flows(edges, [sign for _, sign in word])
    return labels


def same_state(v: SignedWord, w: SignedWord, layers: int) -> bool:
    """Return whether two words have one image in the free solvable group of a class: k layers without a clock confuse them.

    Raises:
        ValueError: As for `state_labels`.

    Cost: O(layers * length * log(length)).

    >>> v, w = ((0, 1), (1, 1)), ((1, 1), (0, 1))
    >>> same_state(v, w, 1), same_state(v, w, 2)
    (True, False)
    """
    back = ((letter, -sign) for letter, sign in reversed(_read(w)))
    return state_labels((*_read(v), *back), layers)[-1] == 0


def derived_class(word: SignedWord) -> int:
    """Return the greatest k for which the word lies in the k-th derived subgroup of the free group.

    Raises:
        ValueError: The word is trivial in the free group, so it lies in all of them; or as for `state_labels`.

    Cost: O(k^2 * length * log(length)).

    >>> from theory.lie import solvable_law
    >>> [derived_class(solvable_law(2, k)) for k in (1, 2, 3)]
    [1, 2, 3]
    """
    word = _read(word)
    if not _reduced(2 * letter + (sign < 0) for letter, sign in word):
        raise ValueError(f"the word {word!r} is trivial: it lies in every derived subgroup, so there is no greatest one.")
    # a word of F^(k) that is not trivial has at least 4 * 3^(k-1) letters (`theory.lie.confused`), so this ends
    return next(k for k in itertools.count() if state_labels(word, k + 1)[-1] != 0)


def _read(word: SignedWord) -> SignedWord:
    """The word as a tuple of pairs of a letter and its sign, checked."""
    try:
        read = tuple((letter, sign) for letter, sign in word)
        if all(sign in (1, -1) for _, sign in read):
            return read
    except (TypeError, ValueError):  # no sequence, or no pairs in it
        pass
    raise ValueError(f"the word {word!r:.80} was given: expected pairs of a letter and its sign, +1 or -1.")


def _flows(edges: list[tuple[int, int]], signs: list[int]) -> list[int]:
    """A label for the flow along the first 0, 1, ... edges, alike for flows that are equal; 0 for no flow.

    The counts of all edges are the leaves of a binary tree in which equal subtrees of one height have one name. A step changes
    one leaf and the names above it, and two flows are equal if and only if their roots have one name.
    """
    place = {edge: number for number, edge in enumerate(dict.fromkeys(edges))}
    leaves = 1 << max(len(place) - 1, 0).bit_length()
    tree, names, known, found = [0] * (2 * leaves), {(0, 0): 0}, {0: 0}, [0]
    for edge, sign in zip(edges, signs, strict=True):
        node = leaves + place[edge]
        tree[node] += sign
        while node > 1:
            node //= 2
            tree[node] = names.setdefault((tree[2 * node], tree[2 * node + 1]), len(names))
        found.append(known.setdefault(tree[1], len(known)))
    return found


def words_by_flow(letters: int, length: int) -> list[list[Cycle]]:
    """Return the reduced words of at most `length` letters that share their flow in the lattice, those of one flow together.

    All words are listed with the sum of random numbers of 64 bits over their flows. Those whose sums agree are compared in
    full, so the answer is exact.

    Raises:
        ValueError: `letters` is no integer >= 1, or `length` no integer >= 0.
        TooExpensive: There are too many words, see `theory.cost`.

    >>> groups = words_by_flow(2, 7)
    >>> len(groups), {len(group) for group in groups}, {len(word) for group in groups for word in group}
    (28, {2}, {7})
    """
    letters, _ = check_sizes(letters, max(integer("length", length, "of a word", least=0), 1), "length")
    refuse(reduced(letters, max(length, 1)))
    listed = list(_listed_flows(letters, length))
    words, sums = (np.concatenate(columns) for columns in zip(*listed, strict=True))
    lengths = np.repeat(np.arange(length + 1), [len(some) for some, _ in listed])
    found = []
    for group in _alike(sums):
        alike = [_spelt(int(words[i]), int(lengths[i]), 2 * letters) for i in group]
        while alike:  # once, as long as no sums agree by chance
            first, *others = alike
            same = [first, *(word for word in others if same_state(_signed(first), _signed(word), 2))]
            alike = [word for word in others if word not in same]
            found += [same] if len(same) > 1 else []
    return found


def cycles_of_class_two(letters: int, longest: int) -> set[Cycle]:
    """Return all cyclically reduced words of ``F^(2)`` of at most `longest` letters, one for its rotations and inverses.

    Such a word has as many letters as inverse letters, so it falls into two reduced words of one length and one flow.

    Raises:
        ValueError: A size is no integer >= 1.
        TooExpensive: There are too many words, see `theory.cost`.

    >>> [len(cycles_of_class_two(2, longest)) for longest in (12, 14, 16)]
    [0, 2, 4]
    """
    letters, longest = check_sizes(letters, longest, "longest")
    found: set[Cycle] = set()
    for group in words_by_flow(letters, longest // 2):
        for v, w in itertools.combinations(group, 2):
            cycle = (*v, *_inverse(w))
            if len(v) == len(w) and len(_cyclically_reduced(cycle)) == len(cycle):
                found.add(_least(cycle))
    return found


def deeper_cycles(cycles: Iterable[Cycle], longest: int) -> set[Cycle]:
    """Return the words one class deeper of at most `longest` letters that two of the cycles give by a path that they share.

    >>> [len(cycle) for cycle in deeper_cycles(cycles_of_class_two(2, 18), 48)]
    [48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48]
    """
    found = _thetas(*_rotations(cycles), longest // 2)
    return {_least(cycle) for theta in found if 0 < len(cycle := theta.cycle) <= longest}


def thetas(cycles: Iterable[Cycle], edges: int) -> list[Theta]:
    """Return the paths that two of the cycles give, with at most so many edges, in order of the words that they share.

    >>> len(thetas(cycles_of_class_two(2, 16), 24))
    24
    """
    return [theta for theta in _thetas(*_rotations(cycles), edges) if theta.cycle]


def shortest_theta(cycles: Iterable[Cycle]) -> Theta:
    """Return three paths of the fewest letters in all that join two vertices of two of the cycles.

    Raises:
        ValueError: No two different cycles go through one vertex.

    >>> shortest_theta(cycles_of_class_two(2, 18)).edges, shortest_theta(cycles_of_class_two(3, 16)).edges
    (24, 22)
    """
    rows, common = _rotations(cycles)
    girth = min(map(len, rows), default=0)  # the three cycles of a theta have twice its edges
    sizes = range(girth + (girth + 1) // 2, 2 * girth + 1)
    found = next((theta for edges in sizes for theta in _thetas(rows, common, edges) if theta.cycle), None)
    if found is None:
        raise ValueError(f"{len(rows)} rotations of cycles were given: expected two different cycles through one vertex.")
    return found


def _rotations(cycles: Iterable[Cycle]) -> tuple[list[Cycle], list[int]]:
    """All rotations of the cycles and their inverses in order, and how many letters each has in common with the next."""
    rows = sorted({d[k:] + d[:k] for c in cycles for d in (c, _inverse(c)) for k in range(len(d))})
    return rows, [_common(v, w) for v, w in itertools.pairwise(rows)]


def _thetas(rows: list[Cycle], neighbours: list[int], edges: int) -> Iterator[Theta]:
    """All pairs of rotations that share a path, with at most so many edges in all."""
    shortest = min(map(len, rows), default=0)
    for i, first in enumerate(rows):
        common = len(first)
        for j in range(i + 1, len(rows)):
            common = min(common, neighbours[j - 1])
            if len(first) + shortest - common > edges:
                break
            if len(first) + len(rows[j]) - common <= edges:
                yield Theta(first[:common], _inverse(first[common:]), _inverse(rows[j][common:]))


def _common(v: Cycle, w: Cycle) -> int:
    least = min(len(v), len(w))
    return next((k for k in range(least) if v[k] != w[k]), least)


def _listed_flows(letters: int, length: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Reduced words of 0, 1, ..., `length` letters as numbers in base 2 n, and the sums of random numbers over their flows."""
    size = 2 * length + 3
    weights = np.random.default_rng(0).integers(0, 2**63, (letters, *(size,) * letters), dtype=np.uint64)
    words, sums = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    at, last = np.full((1, letters), length + 1), np.full(1, -1)
    yield words, sums
    for _ in range(length):
        parts = []
        for letter in range(letters):
            for sign in (0, 1):
                number = 2 * letter + sign
                kept = last != (number ^ 1)
                place = at[kept]
                place[:, letter] -= sign
                weight = weights[(letter, *place.T)]
                place[:, letter] += 1 - sign
                following = sums[kept] - weight if sign else sums[kept] + weight
                spelt = words[kept] * np.uint64(2 * letters) + np.uint64(number)
                parts.append((spelt, following, place, np.full(len(place), number)))
        words, sums, at, last = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        yield words, sums


def _alike(sums: np.ndarray) -> Iterator[np.ndarray]:
    """The places of each number that stands at two or more."""
    order = np.argsort(sums, kind="stable")
    follows = np.concatenate([[False], sums[order][1:] == sums[order][:-1], [False]])
    firsts = np.flatnonzero(~follows[:-1] & follows[1:])
    lasts = np.flatnonzero(follows[:-1] & ~follows[1:])
    for first, last in zip(firsts, lasts, strict=True):
        yield order[first : last + 1]


def _spelt(number: int, length: int, base: int) -> Cycle:
    letters = []
    for _ in range(length):
        number, letter = divmod(number, base)
        letters.append(letter)
    return tuple(reversed(letters))


def _signed(cycle: Cycle) -> SignedWord:
    return tuple((number // 2, -1 if number % 2 else 1) for number in cycle)


def _inverse(cycle: Cycle) -> Cycle:
    return tuple(number ^ 1 for number in reversed(cycle))


def _reduced(numbers: Iterable[int]) -> Cycle:
    left: list[int] = []
    for number in numbers:
        if left and left[-1] == number ^ 1:
            left.pop()
        else:
            left.append(number)
    return tuple(left)


def _cyclically_reduced(numbers: Iterable[int]) -> Cycle:
    word = _reduced(numbers)
    ends = 0
    while len(word) - 2 * ends > 1 and word[ends] == word[-1 - ends] ^ 1:
        ends += 1
    return word[ends : len(word) - ends]


def _least(cycle: Cycle) -> Cycle:
    """The first of the rotations of a cycle and of its inverse."""
    return min(d[k:] + d[:k] for d in (cycle, _inverse(cycle)) for k in range(len(cycle)))
