r"""k layers simulate a solvable Lie algebra of derived length k exactly, and k - 1 layers do not.

Statement: Let g be a solvable matrix Lie algebra of derived length k. For an affine layer h' = A h + b it is the algebra of
    the homogenised generators [[A, b], [0, 0]]. (a) The cascade of k prefix sums over complements of the derived series
    reproduces every product exp(x_1) ... exp(x_T), x_t in g, for any length. (b) No cascade of k - 1 prefix sums driven by
    signed increments does, with any readout: a law w of class k - 1, a word that is trivial in every solvable group of that
    class, returns its state to the initial one, but its product differs from the identity by a bracket that does not vanish
    in g. So the error on w or on the empty word is at least half of that difference.
    $$ g_T = \sigma_k(u_k)\cdots\sigma_1(u_1),\qquad s_{k-1}(w) = s_{k-1}(\varnothing),\quad
       \Bigl\|\prod_t e^{\varepsilon A_{w_t}} - 1\Bigr\| = \|\Lambda_w(A)\|\,\varepsilon^{m} + O(\varepsilon^{m+1}) $$
Hypotheses: the algebra of the homogenised generators is solvable (checked); for (b) increments are signed, and the law's
    leading bracket does not vanish on the generators (checked exactly).
Source: Heo et al., “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, Kstacks (v1).
Refuted by: an error of k layers beyond rounding, k - 1 layers moved by a law of their class, or another derived series than
    that of the algebra's name.
Cost: quick 10 s on one core, full about a minute.

The construction and (b) are derived here; (b) is measured on the tower's own layers and on random cascades. Each token is held
for a unit of time, so the flow at the tokens is the product. The published proof uses a local section; here [g, g] acts
nilpotently, so that the sections are global and there is no horizon. `solvable_error` derives the rounding
floor. Derived lengths: Heisenberg 2, aff(1) 2, se(2) 2, upper triangular 3, 4, 5: 3, 3, 4. so(3) is perfect: it has no tower.
graded3 is spanned by diag(3, 2, 1), N and N^2 for a Jordan block N: its second layer needs the square in log(1 + E).
"""

import dataclasses
from fractions import Fraction

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
from experiments.lie.solvable_tower_exact.common import LETTERS, SERIES
from theory import bounds, lie

CLAIM = claim(Relation.EQUALS, needs_float64=True)
DEFINITIONS = {
    f"complements.{number}": "coordinates of a basis, one of which may be as large as the number of layers"
    for number in range(9)
}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The algebra, and a basis of its space; random words, steps of eps for the law, random cascades and their width."""

    algebra: str = axis("heisenberg3", "aff1", "se2", "graded3", "upper3", "upper4", "upper5")
    basis: int = 0  # of the space on which the algebra acts; 0: the standard one
    length: int = 256
    words: int = 8
    steps: int = 16
    cascades: int = 8
    width: int = 6


# solvable, not abelian, and of derived length 4 at most, because of the degree of the law's leading bracket
SMALL = "upper2", "upper3", "upper4", "strict3", "strict4", "graded2", "graded3", "graded4", "heisenberg5", "aff1", "se2"
LARGE = "upper5", "upper6", "upper7", "upper8", "strict5", "strict6", "strict7", "graded5", "graded6", "heisenberg7"
DOMAIN = domain(
    algebra=among(*SMALL, *LARGE, quick=SMALL),
    basis=whole(1, 2**16),
    width=whole(1, 12),
)
GRIDS = {
    "test": Sizes(algebra=axis("se2"), length=32),
    "quick": Sizes(),
    "full": Sizes(length=4096, words=64),
    "paper": Sizes(length=2**16, words=64),
}


def objects(cell: Sizes) -> dict:
    """Complements of the derived series, a law of class k - 1 (i + n is the inverse of letter i), and generic generators."""
    algebra = _algebra(cell)
    count, rows = algebra.dimension, range(LETTERS)
    # rational combinations of the basis, no two coefficients alike: generic, and exact
    weights = [[Fraction((-1) ** (v + i), 2 + (3 * v + 2 * i * v + i) % 7) for v in range(count)] for i in rows]
    return {
        "complements": tuple(basis.astype(float) for basis in algebra.derived_complements),
        "word": np.array([letter if sign > 0 else letter + LETTERS for letter, sign in _law(cell)]),
        "generators": np.tensordot(np.array(weights), np.array(algebra.matrices, dtype=object), axes=1),
    }


def _algebra(cell: Sizes) -> lie.LieAlgebra:
    """The algebra after a change of basis by an integer matrix of determinant one, a row added to each but the first."""
    algebra = lie.named(cell.algebra)
    if not cell.basis:
        return algebra
    matrices, rng = np.array(algebra.matrices), np.random.default_rng(cell.basis)
    size = matrices.shape[-1]
    change = np.identity(size, int)
    for row, other in enumerate(rng.permutation(size)):
        if row != other:
            change[row] += rng.choice((-1, 1)) * change[other]
    back = np.rint(np.linalg.inv(change)).astype(int)
    return lie.LieAlgebra.from_matrices(list(change @ matrices @ back), cell.algebra)


def _law(cell: Sizes) -> tuple:
    return lie.solvable_law(LETTERS, (_algebra(cell).derived_length or 1) - 1)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Exactness of k layers, no change of k - 1 under the law, the law's gap; the derived series, also by its name."""
    algebra = _algebra(cell)
    layers = int(bounds.algebra(algebra).bound.at())
    order, bracket = lie.derived_ideal_degree(LETTERS, layers - 1), lie.leading_bracket(_law(cell))
    value = np.asarray(bracket.evaluate(*given["generators"][: bracket.letters]))
    constant = float(np.linalg.norm(value.astype(float), 2))
    visible = Hypothesis("the law's leading bracket does not vanish on the generators", constant > 0)
    solvable = Hypothesis("the homogenised algebra is solvable", algebra.is_solvable)
    series, by_name = algebra.derived_dimensions, _dimensions(cell.algebra)
    return (
        Prediction(np.zeros(cell.words), of="error", dims=("word",), hypotheses=(solvable,)),
        # a random letter has a part in every space, and no two of its products commute: whatever is read moves
        Prediction(cell.words * cell.length, of="letters_read", hypotheses=(solvable,)),
        Prediction(cell.words, of="words_apart", hypotheses=(solvable,)),
        Prediction(layers, of="layers", formula=r"\min\{k : g^{(k)} = 0\}"),
        *(
            Prediction(np.array([*each, *[each[-1]] * SERIES][: SERIES + 1]), of="derived_dimensions", dims=("series",))
            for each in (series, by_name)
        ),
        Prediction(0.0, of="state_change", hypotheses=(visible,)),
        Prediction(np.zeros(cell.cascades), of="any_change", dims=("cascade",), hypotheses=(visible,)),
        Prediction(cell.cascades, of="cascades_moved", hypotheses=(visible,)),
        Prediction(order, of="gap", relation=Relation.ORDER, constant=constant, hypotheses=(visible,)),
    )


def _dimensions(name: str) -> list[int]:
    """The dimensions of the derived series of the algebra with a name, from its matrices as they are written down."""
    family, size = name.rstrip("0123456789"), int(name.lstrip("abcdefghijklmnopqrstuvwxyz"))
    # entries (i, j) with j - i >= d: brackets of two of them have j - i >= 2 d
    above = [max(size - d, 0) * max(size - d + 1, 0) // 2 for d in (0, *(2**k for k in range(size.bit_length() + 1)))]
    match family:
        case "upper":
            return above
        case "strict":
            return above[1:]
        case "heisenberg":
            return [size, 1, 0]
        case "graded":  # powers of one matrix commute
            return [size, size - 1, 0]
        case _:  # aff1 or se2, whose translations are what is left
            return [size + 1, size, 0]


def _linear_length(cell: Sizes, given: dict) -> Prediction | None:
    """The derived length of the linear parts of an affine algebra."""
    matrices = np.array(_algebra(cell).matrices)
    if matrices[:, -1].any():
        return None
    linear = [m[:-1, :-1] for m in matrices if m[:-1, :-1].any()]
    return Prediction(lie.LieAlgebra.generated_by(linear).derived_length or 0, of="layers")


CONTROLS = (
    control("one layer fewer", "k - 1 layers are exact", instead={"error": "error_fewer"}),
    control(
        "a law of the class below",
        "a law of class k - 1 returns all k layers to the initial state",
        instead={"state_change": "top_change", "any_change": "any_top_change"},
    ),
    control(
        "read backwards",
        "the order in which the layers read the letters does not matter",
        measure="read_backwards",
        # the tower reads the reverse, and errs by the distance of the two products
        finds=lambda cell, given: Prediction(np.zeros(cell.words), of="beside_reverse", dims=("word",)),
        where=lambda cell, given: cell.algebra in ("se2", "upper3"),
    ),
)


RIVALS = (
    rival(
        "the affine trap",
        _linear_length,
        "the derived length of the linear parts A is enough for an affine layer (A, b)",
        everywhere=False,
    ),
    off_by(+1, of="gap", name="exponent one higher"),
    scaled(1.5, of="constant", name="constant half as large again"),
)
