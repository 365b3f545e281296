r"""The average error of a tower over random words is exact to leading order: its exponent and its constant, by depth.

Statement: Let the letters of a word be independent and uniform. The root mean square error of the tower of k abelian layers is
    c_k eps^(m_k) to leading order, where eps is the total generator mass, and c_k^2 the mean of |C_k|^2 over all words, a
    rational number: a combination of the binomials C(T, 0), ..., C(T, 2 m_k) in the length T.
    $$ \Bigl(\mathbb{E}\,\|\mathrm{err}_k\|_F^2\Bigr)^{1/2} = c_k(T)\,\varepsilon^{m_k} + O(\varepsilon^{m_k + 1}) $$
Hypotheses: the leading term does not vanish on all words (checked); three layers at most are measured.
Source: this project, beside `error_by_depth`, which has the constant of one word.
Refuted by: a mean error over all words of another order or constant, at some depth, algebra or length.
Cost: quick 5 s on one core, full about 2 min.

All words of the length are listed on both sides, so nothing is sampled. The prediction is made of brackets of whole numbers
(`theory.lie.average`); the measurement runs towers of matrices in fixed-point numbers, without brackets or degrees. Words of up
to 2 m_k letters give the mean at any length, by a fact about iterated sums: here the mean of one layer over words of five
letters and more is predicted from words of four, and tests try it at two layers. At one mass the mean error
of one layer falls as T^(-1/2), because the mean letter makes no error, and as 1/T if that letter commutes with all others.
"""

import dataclasses
import itertools
from functools import partial

import numpy as np

from depthjax.verify import (
    Grid,
    Hypothesis,
    Prediction,
    Relation,
    among,
    axis,
    claim,
    control,
    domain,
    off_by,
    rival,
    scaled,
    whole,
)
from experiments.lie._generators import generators
from theory import lie
from theory.lie.average import mean_square

CLAIM = claim(Relation.ORDER, needs_float64=True)
HEADLINE = "error_3"
LAYERS = 3
ROWS = {"so3": 3, "sl2": 2, "sl3": 3, "gl3": 3}  # of the matrices
DIMENSIONS = {"so3": 3, "sl2": 3, "sl3": 8, "gl3": 9}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters, the algebra and its generators, letters of a word; steps of eps; binary digits."""

    letters: int = axis(2, 3)
    algebra: str = axis("so3")
    draw: int = 1
    length: int = axis(4, 5)
    coarsest: int = 6
    steps: int = 7
    bits: int = 320

    def allows(self) -> bool:
        """Whether the words are few enough to list."""
        return self.letters**self.length <= 300

    @property
    def masses(self) -> np.ndarray:
        """Halving masses."""
        return 2.0 ** -np.arange(self.coarsest, self.coarsest + self.steps)


DOMAIN = domain(
    letters=whole(2, 4, quick=3),
    algebra=among("so3", "sl2", "sl3", "gl3", quick=("so3", "sl2")),
    draw=whole(1, 2**16),
    length=whole(4, 8, test=5),
    where={
        "a leading term of three layers": lambda cell: _visible(cell),
    },
    counts={"quick": 1, "full": 6},
)
GRIDS = {
    "test": Sizes(letters=axis(2), length=axis(4)),
    "quick": Sizes(),
    "full": Sizes(letters=axis(2, 3, 4), algebra=axis("so3", "sl2", "sl3"), length=axis(4, 5, 6, 7, 8)),
    "paper": Sizes(
        letters=axis(2, 3, 4), algebra=axis("so3", "sl2", "sl3", "gl3"), length=axis(4, 5, 6, 7, 8), steps=9, bits=400
    ),
}


def _visible(cell: Sizes) -> bool:
    return all(mean_square(list(_matrices(cell)), k, cell.length) for k in range(1, LAYERS + 1))


def _matrices(cell: Sizes) -> np.ndarray:
    return generators(cell.algebra, cell.letters, cell.draw)


def objects(cell: Sizes) -> np.ndarray:
    """Generators, shape (letters, size, size)."""
    return _matrices(cell)


def predict(cell: Sizes, matrices: np.ndarray) -> tuple[Prediction, ...]:
    """Exponents from graded dimensions, constants from exact means over all words; the same for words of pairs of letters."""
    equals = partial(Prediction, relation=Relation.EQUALS)
    in_pairs = (_in_pairs(cell, matrices, k) for k in range(1, LAYERS + 1))
    return (
        *(_prediction(cell, matrices, k) for k in range(1, LAYERS + 1)),
        *(prediction for prediction in in_pairs if prediction),
        equals([ROWS[cell.algebra], min(cell.letters, DIMENSIONS[cell.algebra])], "span", ("of",)),
    )


def _prediction(cell: Sizes, matrices: np.ndarray, layers: int) -> Prediction:
    exponent = lie.derived_ideal_degree(cell.letters, layers)
    square = mean_square(list(matrices), layers, cell.length)
    constant = float(square) ** 0.5 / cell.length**exponent
    visible = Hypothesis(f"the leading term of {layers} layers does not vanish on all words", square > 0)
    formula = rf"{constant:.3g}\,\varepsilon^{{{exponent}}}"
    return Prediction(exponent, of=f"error_{layers}", constant=constant, hypotheses=(visible,), formula=formula)


def _in_pairs(cell: Sizes, matrices: np.ndarray, layers: int) -> Prediction | None:
    """The exponent and the constant of words in which every letter comes twice, from power series of every such word.

    Short ones may lack the lowest degree. None: two degrees vanish on all of them.
    """
    words = list(itertools.product(range(cell.letters), repeat=(cell.length + 1) // 2))
    series = [lie.tower_error_series(np.repeat(word, 2).tolist(), list(matrices), layers, terms=2) for word in words]
    exponent = min((degree for each in series for degree in each), default=None)
    if exponent is None:
        return None
    leading = np.array([each.get(exponent, 0 * matrices[0]) for each in series], float)
    constant = float((leading**2).sum() / len(words)) ** 0.5 / (2 * len(words[0])) ** exponent
    return Prediction(exponent, of=f"error_{layers}_pairs", constant=constant)


def _longer(cell: Sizes, matrices: np.ndarray) -> list[Prediction]:
    """The constants of words longer by a letter, at the same mass."""
    longer = dataclasses.replace(cell, length=cell.length + 1)
    return [_prediction(longer, matrices, k) for k in range(1, LAYERS + 1)]


CONTROLS = (
    control(
        "one layer fewer",
        "k - 1 layers have the mean error of k",
        instead={f"error_{k}": f"error_{k - 1}" for k in range(2, LAYERS + 1)},
    ),
    control(
        "letters in pairs",
        "letters need not be independent",
        instead={f"error_{k}": f"error_{k}_pairs" for k in range(1, LAYERS + 1)},
    ),
)

RIVALS = (
    rival("words longer by a letter", _longer, "at one mass the mean error does not depend on the length"),
    rival(
        "2^(k-1) + 1",
        lambda cell, matrices: [Prediction(2 ** (k - 1) + 1, of=f"error_{k}") for k in range(2, LAYERS + 1)],
        "the published exponent is the order",
    ),
    off_by(-1, of=tuple(f"error_{k}" for k in range(1, LAYERS + 1)), name="exponent one lower"),
    scaled(1.5, of="constant", name="constants half as large again"),
)
