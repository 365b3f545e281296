r"""One, two and three layers first confuse signed words of 2, 7 and 24 letters; four layers confuse two of 78.

Statement: k prefix sums in which a letter and its inverse undo each other confuse two words if and only if the two have one
    image in the free group modulo its k-th derived subgroup. The shortest have L_k letters, half of the length of the shortest
    word of that subgroup: L_k = 2, 7, 24 in two generators and 2, 7, 22 in three for k = 1, 2, 3. Four layers confuse two words
    of 78 letters, and two of 74. L_(k+1) is the fewest letters of three words that k layers confuse. If a, b, c are three such
    words, then k + 1 layers confuse a b^-1 c and c b^-1 a, and no layer more does if the paths of the three meet at their ends
    alone.
    $$ L_{k+1} = \min \{|a| + |b| + |c| : s_k(a) = s_k(b) = s_k(c)\}, \qquad 3 L_k \le L_{k+1} \le 4 L_k $$
Hypotheses: no clock: a letter's inverse undoes it; arithmetic is exact; the cascades are generic.
Source: this project, “stated here first”, with Magnus for the flows (Annals of Mathematics 40); Elkasapy and Thom, arXiv
    1311.0138, bound the growth of such lengths.
Refuted by: a number of short words that share the states of the lowest layers other than that of exact lists; two of the
    shortest words, or two words made of three, that share the states of more layers or of fewer.
Cost: quick 9 s on one core, full about 30 s.

Derivation (`theory.lie.confused`): the k-th derived subgroup is the fundamental group of the Cayley graph of what k layers
keep. A word lies one class deeper if its path runs along each edge as often forwards as backwards. The shortest such path that
is not trivial fills three paths between two vertices, once in either direction. For k = 1 these are two squares of the lattice
side by side, 7 edges. For k = 2 lists of all words of at most 8 letters decide, and for k = 3 all words of at most 52 letters
in the third derived subgroup, which fill three paths again. `word_problem_log_depth` finds the 7 in towers.

That no shorter words are confused by three layers is measured by the three words that two layers confuse. That none of fewer
than 78 letters are by four is proved there, and not measured. For k = 5 the least length is open: from 234 to 248 letters, by a
search.
"""

import dataclasses
from fractions import Fraction

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, rival, whole
from experiments.lie.words_that_layers_confuse.common import LAYERS, LONGEST
from experiments.lie.words_that_layers_confuse.listed import fewest_of_three, words_sharing_ends, words_sharing_flows
from theory.lie import derived_class, inverse
from theory.lie.confused import confused_pair, known_lengths
from theory.lie.derived_words import cycles_of_class_two, thetas

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "shared"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters; length of the words that are all tried; which letters are renamed and inverted; which three words; cascades."""

    letters: int = axis(2, 3)
    length: int = axis(7, 9, 10)
    names: int = 0
    three: int = 0
    width: int = 4
    cascades: int = 4

    def allows(self) -> bool:
        """All words of nine and ten letters in two generators, of fewer in three."""
        return self.names > 0 or (self.letters == 3) == (self.length < 9)


DOMAIN = domain(
    letters=whole(2, 3),
    length=whole(5, LONGEST, quick=8),
    names=whole(1, 47),
    three=whole(0, 2**16),
    width=whole(4, 6, quick=4),
    where={"few words: at most 7 letters in three generators": lambda cell: cell.letters == 2 or cell.length <= 7},
)
GRIDS = {
    "test": Sizes(letters=axis(2), length=axis(10)),
    "quick": Sizes(),
    "full": Sizes(length=axis(8, 9, 10), cascades=16),
    "paper": Sizes(length=axis(8, 9, 10), cascades=64, width=6),
}


def objects(cell: Sizes) -> list[np.ndarray]:
    """Pairs of words: the shortest that 1, 2, ... layers confuse, and one of three words that two layers confuse.

    Letters are renamed and inverted; i + n is the inverse of letter i, and 2 n is silent.
    """
    return [np.stack([_indices(cell, word) for word in pair]) for pair in _pairs(cell)]


def _pairs(cell: Sizes) -> list[tuple]:
    letters = "abcABC"
    shortest = [confused_pair(k, cell.letters) for k in range(1, len(known_lengths(cell.letters)) + 1)]
    spelt = [tuple(tuple((letters.index(x) % 3, 1 if x.islower() else -1) for x in word) for word in pair) for pair in shortest]
    found = thetas(cycles_of_class_two(cell.letters, 16), 26)
    return [*spelt, found[cell.three % len(found)].pair]


def _indices(cell: Sizes, word: tuple) -> np.ndarray:
    """The word with its letters renamed and inverted, by the number `names`, and filled up with silence."""
    n, most = cell.letters, max(known_lengths(2))
    order = np.roll(np.arange(n), cell.names // 2**n)
    signs = [(-1) ** (cell.names >> i & 1) for i in range(n)]
    renamed = [order[letter] + n * (sign * signs[letter] < 0) for letter, sign in word]
    return np.array(renamed + [2 * n] * (most - len(word)))


def predict(cell: Sizes, given: list[np.ndarray]) -> tuple[Prediction, ...]:
    """Words that share the states of the lowest layers; letters of two and of three; layers that confuse each pair."""
    lists = [words_sharing_ends(cell.letters, cell.length), words_sharing_flows(cell.letters, cell.length), 0]
    two = [2 * least if least <= cell.length else 0 for least in known_lengths(cell.letters)[:LAYERS]]
    short = Hypothesis("three layers tell words of this length apart", cell.length < known_lengths(cell.letters)[2])
    found = [derived_class((*v, *inverse(w))) for v, w in _pairs(cell)]
    shared = [*range(1, len(found)), found[-1]]
    n = cell.letters
    half = words_sharing_ends(n, cell.length, back=Fraction(1, 2))
    each = [2 * n * (2 * n - 1) ** (size - 1) for size in range(1, cell.length + 1)]  # reduced words of every length
    halves = (2, 7, 24, 78) if n == 2 else (2, 7, 22, 74)
    alone = [derived_class((*_apart(v, n), *inverse(_apart(w, n)))) for v, w in _pairs(cell)]
    exact = Hypothesis("the shortest pairs lie in the derived subgroups of their layers, and no deeper", found == shared)
    return (
        Prediction([1 + sum(each), sum(size * number for size, number in enumerate(each, 1))], of="words", dims=("of",)),
        Prediction(np.repeat(halves, 2), of="pair_letters", dims=("word",), formula="L_k"),
        Prediction(cell.cascades, of="cascades"),
        Prediction(half, of="sharing_half_first"),
        *([Prediction(np.array(alone), of="shared_apart", dims=("pair",))] if n == 2 else []),
        Prediction(np.array(lists), of="sharing", dims=("layer",), hypotheses=(short,), formula=r"\#\{w : s_k(w) = s_k(v)\}"),
        Prediction(np.array(two), of="two", dims=("layer",), hypotheses=(short,), formula=r"2 L_k"),
        Prediction(fewest_of_three(cell.letters, cell.length), of="three", formula=r"L_3"),
        Prediction(
            np.array(shared), of="shared", dims=("pair",), hypotheses=(exact,), formula=r"\max\{k : v w^{-1} \in F^{(k)}\}"
        ),
    )


def _apart(word: tuple, letters: int) -> tuple:
    """The word in which the inverse of a letter is a letter of its own."""
    return tuple((letter + letters * (sign < 0), 1) for letter, sign in word)


def _of_laws(cell: Sizes, given: list[np.ndarray]) -> Prediction | None:
    """Half of the letters of a law of class 3, where three words are found."""
    return Prediction(4**LAYERS // 2, of="three") if fewest_of_three(cell.letters, cell.length) else None


def _by_recursion(cell: Sizes, given: list[np.ndarray]) -> Prediction | None:
    """Half of 3 * 14 + 2 * 4, where three words are found."""
    one, two = known_lengths(cell.letters)[:2]
    return Prediction(3 * two + 2 * one, of="three") if fewest_of_three(cell.letters, cell.length) else None


def _two_tell(cell: Sizes, given: list[np.ndarray]) -> Prediction:
    return Prediction(np.array([words_sharing_ends(cell.letters, cell.length), 0, 0]), of="sharing", dims=("layer",))


CONTROLS = (
    control(
        "letters that do not undo each other",
        "layers that count a letter and its inverse apart confuse the same words",
        instead={"shared": "shared_apart"},
        where=lambda cell, given: cell.letters == 2,
    ),
    control(
        "inverses of half the size",
        "as many short words share the states of layers in which an inverse undoes half a letter",
        instead={"sharing": "sharing_half"},
        everywhere=False,
    ),
)


RIVALS = (
    off_by(-1, of="shared", name="one layer fewer"),
    off_by(+1, of="shared", name="one layer more"),
    rival("laws are shortest", _of_laws, "k layers first confuse the halves of a law of 4^k letters", everywhere=False),
    rival(
        "a recursion",
        _by_recursion,
        "the shortest words follow from 3 times those of one class and 2 times those of the class before",
        everywhere=False,
    ),
    rival("two layers suffice", _two_tell, "two layers tell all short signed words apart", everywhere=False),
)
