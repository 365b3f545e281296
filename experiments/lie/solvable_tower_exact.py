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
Refuted by: an error of k layers beyond rounding, or k - 1 layers moved by a law of their class.
Cost: quick 10 s on one core, full about a minute.

The construction and (b) are derived here; (b) is measured on the tower's own layers and on random cascades. Each token is held
for a unit of time, so the flow at the tokens is the product. The published proof uses a local section; here [g, g] acts
nilpotently, so that the sections are global and there is no horizon. `depthjax.probe.solvable_error` derives the rounding
floor. Derived lengths: Heisenberg 2, aff(1) 2, se(2) 2, upper triangular 3, 4, 5: 3, 3, 4. so(3) is perfect: it has no tower.
graded3 is spanned by diag(3, 2, 1), N and N^2 for a Jordan block N: its second layer needs the square in log(1 + E).
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.towers.solvable import solvable_tower
from depthjax.lie.products import exponential_product
from depthjax.probe.generated_algebra import derived_dimensions
from depthjax.probe.laws import followed_by_silence, law_changes, law_excess, signed_generators
from depthjax.probe.rounding import rounding_floor
from depthjax.probe.solvable_error import solvable_errors
from depthjax.verify import (
    Grid,
    Hypothesis,
    Prediction,
    Quantity,
    Relation,
    axis,
    claim,
    control,
    measured,
    off_by,
    rival,
    scaled,
)
from theory import bounds, lie

CLAIM = claim(Relation.EQUALS, needs_float64=True)

LETTERS = 3  # generators in the law
SERIES = 5  # steps of the derived series that are compared
ROOM = (5, 4, 5, 1), 5  # dimensions of layers and a size of matrices that every algebra fits into: one program for all


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The algebra; random words, steps of eps for the law, and random cascades with the width of their layers."""

    algebra: str = axis("heisenberg3", "aff1", "se2", "graded3", "upper3", "upper4", "upper5")
    length: int = 256
    words: int = 8
    steps: int = 16
    cascades: int = 8
    width: int = 6


GRIDS = {
    "test": Sizes(algebra=axis("se2"), length=32),
    "quick": Sizes(),
    "full": Sizes(length=4096, words=64),
    "paper": Sizes(length=2**16, words=64),
}


def objects(cell: Sizes) -> dict:
    """Complements of the derived series, a law of class k - 1 (i + n is the inverse of letter i), and generic generators."""
    algebra = lie.named(cell.algebra)
    count, rows = algebra.dimension, range(LETTERS)
    # rational combinations of the basis, no two coefficients alike: generic, and exact
    weights = [[Fraction((-1) ** (v + i), 2 + (3 * v + 2 * i * v + i) % 7) for v in range(count)] for i in rows]
    return {
        "complements": tuple(basis.astype(float) for basis in algebra.derived_complements()),
        "word": np.array([letter if sign > 0 else letter + LETTERS for letter, sign in _law(cell)]),
        "generators": np.tensordot(np.array(weights), np.array(algebra.matrices, dtype=object), axes=1),
    }


def _law(cell: Sizes) -> tuple:
    return lie.solvable_law(LETTERS, (lie.named(cell.algebra).derived_length or 1) - 1)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Exactness of k layers, no change of k - 1 under the law, the law's gap; the derived series."""
    algebra = lie.named(cell.algebra)
    layers = int(bounds.algebra(algebra).bound.at())
    order, bracket = lie.derived_ideal_degree(LETTERS, layers - 1), lie.leading_bracket(_law(cell))
    value = np.asarray(bracket.evaluate(*given["generators"][: bracket.letters]))
    constant = float(np.linalg.norm(value.astype(float), 2))
    visible = Hypothesis("the law's leading bracket does not vanish on the generators", constant > 0)
    solvable = Hypothesis("the homogenised algebra is solvable", algebra.is_solvable)
    series = algebra.derived_dimensions()
    return (
        Prediction(0.0, of="error", hypotheses=(solvable,)),
        Prediction(layers, of="layers", formula=r"\min\{k : g^{(k)} = 0\}"),
        Prediction(np.array([*series, *[series[-1]] * SERIES][: SERIES + 1]), of="derived_dimensions", dims=("series",)),
        Prediction(0.0, of="state_change", hypotheses=(visible,)),
        Prediction(0.0, of="any_change", hypotheses=(visible,)),
        Prediction(order, of="gap", relation=Relation.ORDER, constant=constant, hypotheses=(visible,)),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors of towers on random words by the number of layers; the law's product, and what it does to the layers."""
    layers, size = len(given["complements"]), given["complements"][0].shape[-1]
    tower = solvable_tower(given["complements"]).padded(*ROOM)
    basis = jnp.asarray(np.concatenate(tower.complements))
    words = jax.random.normal(key, (cell.words, cell.length, len(basis))) / cell.length**0.5
    product = exponential_product(words, basis, jnp.ones(1))[0]
    generators, scales = given["generators"].astype(float), 2.0 ** (-np.arange(cell.steps) / 2)
    norm = np.linalg.norm(generators, ord=2, axis=(1, 2)).max()
    signed, law = signed_generators(generators, basis.shape[-1]), followed_by_silence(given["word"], LETTERS, cell.length)
    excess = law_excess(law, signed, scales)
    # one run for the random words and, as the last one, the law
    letters = np.concatenate([np.einsum("btl,lij->tbij", words, basis), signed[law][:, None]], axis=1)
    products = np.concatenate([product, np.eye(basis.shape[-1]) + excess[:1]])
    found = solvable_errors(tower, jnp.asarray(letters), jnp.asarray(products))
    errors, states = np.asarray(found.errors)[:, :-1], [np.abs(state[:, -1]) for state in found.states[:layers]]
    # every letter is at most 13 products of matrices a layer
    floor = rounding_floor(13 * size * layers * cell.length, basis.dtype, np.asarray(found.magnified)[:-1])
    # factors are kept as 1 + a and cancel in pairs: what is rounded is of the size of a few letters, not of the whole word
    gap_floor = rounding_floor(16 * len(given["word"]), scales.dtype, scales * norm * np.exp(scales * norm))
    # as for the errors; the law stays within a few letters, and so do the sections
    reach = np.exp(4 * norm) * max(1.0, *(state.max() for state in states))
    change_floor = rounding_floor(13 * size * layers * len(given["word"]), scales.dtype, reach)
    any_change, any_floor = law_changes(key, given["word"], LETTERS, layers, cell.width, cell.cascades)
    gap, change = np.linalg.norm(excess, ord=2, axis=(1, 2)), [state[-1].max() for state in states]
    dimensions, unit = derived_dimensions(np.concatenate(given["complements"]), SERIES), "operator norm"
    return measured(
        step=Quantity(scales, "step", label="ε"),
        error=Quantity(errors[layers - 1], "word", floor=floor, label="error of k layers", unit=unit),
        error_fewer=Quantity(errors[layers - 2], "word", floor=floor, label="error of k - 1 layers", unit=unit),
        layers=Quantity(1 + np.argmax((errors <= floor).all(axis=1)), label="fewest layers whose error is rounding"),
        derived_dimensions=Quantity(dimensions, "series", label="dimensions of the derived series"),
        gap=Quantity(gap, "step", floor=gap_floor, label="distance of the law's product from 1", unit=unit),
        state_change=Quantity(max(change[:-1]), floor=change_floor, label="change of k - 1 layers"),
        top_change=Quantity(change[-1], floor=change_floor, label="change of layer k"),
        any_change=Quantity(any_change[:, :-1].max(axis=1, initial=0), "cascade", floor=any_floor, label="random k - 1 layers"),
        any_top_change=Quantity(any_change[:, -1], "cascade", floor=any_floor, label="random layer k"),
    )


def _linear_length(cell: Sizes, given: dict) -> Prediction | None:
    """The derived length of the linear parts of an affine algebra."""
    matrices = np.array(lie.named(cell.algebra).matrices)
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
)

RIVALS = (
    rival("the affine trap", _linear_length, "the derived length of the linear parts A is enough for an affine layer (A, b)"),
    off_by(+1, of="gap", name="exponent one higher"),
    scaled(1.5, of="constant", name="constant half as large again"),
)
