r"""At fixed mass the error of a tower falls doubly exponentially in its depth: every layer squares it or does better.

Statement: On a word of total generator mass eps the tower of k abelian layers over the free Lie algebra misses the product of
    the letters' exponentials by c_k eps^(m_k), to leading order, where m_k = m_k(n) is at least 2^k: 2, 4, 8, 16 for three
    letters and more, and 2, 5, 10, 21 for two. So the logarithm of the error doubles, at least, with every layer.
    $$ \log \mathrm{err}_k = m_k \log\varepsilon + \log c_k + O(\varepsilon), \qquad m_k \ge 2^k $$
Hypotheses: the leading bracket of the word does not vanish on the generators, for any k (checked).
Source: this project; Heo et al., arXiv 2603.05573, have the exponent 2^(k-1) + 1 and no constant (v1; v2 of
    June 2026 corrects Corollary 3.6 and Proposition 3.7).
Refuted by: an error of k = 1, .., 4 layers, in some 150 digits, of another order or constant, or another logarithm.
Cost: quick 2 s on one core, full 20 s.

Derivation. The tower leaves out the factor exp(v) with v in the k-th derived ideal (`tower_error_order`), whose lowest degree
m_k at least doubles with k. `theory.lie.graded` runs the tower on matrices of power series in eps, over the rationals. The
first coefficient of the error is c_k, and the second one corrects it at a mass that is not zero.

The measurement runs towers of matrices on fixed-point numbers and subtracts them from the product, without series in eps and
without a free Lie algebra: four layers are 1e-60 away and less. Words are drawn by the seed.
"""

import dataclasses
from functools import lru_cache, partial

import numpy as np

from depthjax.verify import (
    Grid,
    Hypothesis,
    Prediction,
    Relation,
    Rival,
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

CLAIM = claim(Relation.ORDER, needs_float64=True)
HEADLINE = "error_4"
LAYERS = 4
ROWS = {"so3": 3, "sl2": 2, "sl3": 3, "so4": 4, "gl3": 3, "sp4": 4}  # of the matrices
DIMENSIONS = {"so3": 3, "sl2": 3, "sl3": 8, "so4": 6, "gl3": 9, "sp4": 10}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters, algebras and their generators; the length of the word, steps of eps, and which of them is the fixed mass."""

    letters: int = axis(2, 3, 4)
    algebra: str = axis("so3", "sl2")
    draw: int = 0  # of the generators; 0: the first elements of the basis
    length: int = 12
    coarsest: int = 6
    steps: int = 7
    fixed: int = 4
    bits: int = 500

    def allows(self) -> bool:
        """Whether the cell is a drawn one, or one of the chosen ones, where so(3) has two letters or four."""
        return self.draw > 0 or self.letters != (3 if self.algebra == "so3" else 4)

    @property
    def masses(self) -> np.ndarray:
        """Halving masses."""
        return 2.0 ** -np.arange(self.coarsest, self.coarsest + self.steps)


DOMAIN = domain(
    letters=whole(2, 6, quick=4),
    algebra=among("so3", "sl2", "sl3", "so4", "gl3", "sp4", quick=("so3", "sl2", "sl3")),
    draw=whole(1, 2**16),
    length=whole(8, 64, quick=16, test=12),
)
GRIDS = {
    "test": Sizes(letters=axis(2), algebra=axis("sl2")),
    "quick": Sizes(),
    "full": Sizes(length=64, bits=600),
    "paper": Sizes(length=256, bits=700),
}


def objects(cell: Sizes, seed: int) -> dict:
    """Generators of the algebra, and a random word in which every letter occurs and two terms of whose errors do not vanish."""
    rng, matrices = np.random.default_rng(seed), generators(cell.algebra, cell.letters, cell.draw)
    word = rng.permutation(np.resize(np.arange(cell.letters), cell.length))
    while any(len(_series(tuple(word.tolist()), _entries(matrices), k)) < 2 for k in range(1, LAYERS + 1)):
        word = rng.permutation(word)
    return {"matrices": matrices, "word": word}


def _entries(matrices: np.ndarray) -> tuple:
    return tuple(tuple(map(tuple, matrix.tolist())) for matrix in matrices)


@lru_cache(maxsize=64)
def _series(word: tuple[int, ...], matrices: tuple, layers: int) -> dict:
    """The first two coefficients of the error."""
    return lie.tower_error_series(word, [np.array(matrix) for matrix in matrices], layers, terms=2)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Exponents from graded dimensions, constants from power series over the rationals; logarithms at the fixed mass."""
    orders, decades, left_out, mass = [], [], [], cell.masses[cell.fixed]
    for k in range(1, LAYERS + 1):
        exponent = lie.derived_ideal_degree(cell.letters, k)
        series = _series(tuple(given["word"].tolist()), _entries(given["matrices"]), k)
        zero = np.zeros_like(given["matrices"][0])
        first, second = (np.asarray(series.get(degree, zero), float) for degree in (exponent, exponent + 1))
        step = mass / cell.length
        size, corrected, change = (float(np.linalg.norm(m, 2)) for m in (first, first + step * second, step * second))
        visible = Hypothesis(f"the word's leading bracket of {k} layers does not vanish", size > 0)
        constant = size / cell.length**exponent
        formula = rf"{constant:.3g}\,\varepsilon^{{{exponent}}}"
        orders.append(Prediction(exponent, of=f"error_{k}", constant=constant, hypotheses=(visible,), formula=formula))
        decades.append(exponent * np.log10(step) + np.log10(corrected or 1.0))
        left_out.append(np.log10(1 + change / (size or 1.0)))  # two terms are kept; what follows is smaller than the second
    logarithms = Prediction(
        np.array(decades),
        of="decades",
        dims=("layers",),
        relation=Relation.EQUALS,
        truncation=np.array(left_out),
        resolution=0.5,
        formula=r"m_k \lg \varepsilon + \lg c_k",
    )
    counts = [cell.length // cell.letters + (i < cell.length % cell.letters) for i in range(cell.letters)]
    turned = np.array([number * (np.array([1, -2, 3]) // (i + 1)) for i, number in enumerate(counts)]).sum(axis=0)
    equals = partial(Prediction, relation=Relation.EQUALS)
    fewer, more = np.array([_of_no_layer(cell, given), *decades[:-1]]), np.array([1e-9, *left_out[:-1]])
    return (
        *orders,
        logarithms,
        equals(fewer, "decades_of_fewer", ("layers",), truncation=more, resolution=0.5),
        equals([cell.length, cell.letters], "word", ("of",)),
        equals([ROWS[cell.algebra], min(cell.letters, DIMENSIONS[cell.algebra])], "span", ("of",)),
        # letters that commute: without layers the product itself is missed, and one layer misses nothing
        equals(float(np.abs(np.expm1(mass * turned / cell.length)).max()), "commuting_missed"),
        equals(np.zeros(LAYERS), "commuting_error", ("layers",)),
    )


def _of_no_layer(cell: Sizes, given: dict) -> float:
    """The logarithm of the distance of the product from 1 at the fixed mass, by Taylor polynomials of the letters."""
    product = np.identity(given["matrices"].shape[-1])
    for letter in given["word"].tolist():
        x = given["matrices"][letter].astype(float) * (cell.masses[cell.fixed] / cell.length)
        product = product + product @ (x + x @ x / 2 + x @ x @ x / 6)
    return float(np.log10(np.linalg.norm(product - np.identity(len(product)), 2)))


def _continued(logarithms: Prediction, following: str) -> Prediction | None:
    """The logarithms that continue those of one and two layers."""
    if logarithms.of != "decades":
        return None
    first, second = np.asarray(logarithms.value)[:2]
    layers = np.arange(LAYERS)
    laws = {"ratio": first + layers * (second - first), "power": first * (layers + 1.0) ** np.log2(second / first)}
    return dataclasses.replace(logarithms, value=laws[following], truncation=0.0)


def _rolled(cell: Sizes, given: dict) -> tuple[Prediction, ...] | None:
    """Orders and constants of the word whose second half comes first, where its leading brackets do not vanish."""
    if cell.algebra != "sl2":
        return None
    word, said = given["word"].tolist(), []
    turned = (*word[-(len(word) // 2) :], *word[: -(len(word) // 2)])
    for k in range(1, LAYERS + 1):
        exponent = lie.derived_ideal_degree(cell.letters, k)
        series = _series(turned, _entries(given["matrices"]), k)
        if exponent in series:
            constant = float(np.linalg.norm(np.asarray(series[exponent], float), 2)) / cell.length**exponent
            said.append(Prediction(exponent, of=f"error_{k}", constant=constant))
    return tuple(said) or None


CONTROLS = (
    control(
        "one layer fewer",
        "k - 1 layers have the error of k",
        instead={"decades": "decades_of_fewer", **{f"error_{k}": f"error_{k - 1}" for k in range(1, LAYERS + 1)}},
    ),
    control("letters that commute", "letters that commute err alike", instead={"decades": "decades_commuting"}),
    control(
        "halves exchanged",
        "the error depends on how often each letter comes, and not on their order",
        measure="halves_exchanged",
        finds=_rolled,
        where=lambda cell, given: cell.algebra == "sl2",
        everywhere=False,
    ),
)


RIVALS = (
    Rival("a constant ratio", "each layer gains one factor", reword=lambda own: _continued(own, "ratio")),
    Rival("a power of the depth", "the logarithm grows like a power of k", reword=lambda own: _continued(own, "power")),
    rival(
        "2^(k-1) + 1",
        lambda cell, given: [Prediction(2 ** (k - 1) + 1, of=f"error_{k}") for k in range(2, LAYERS + 1)],
        "the published exponent is the order",
    ),
    off_by(-1, of=tuple(f"error_{k}" for k in range(1, LAYERS + 1)), name="exponent one lower"),
    scaled(1.5, of="constant", name="constants half as large again"),
)
