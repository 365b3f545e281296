r"""At two elements width is bilinear complexity: 2 dim - t <= H <= 2 R units, with schemes of matrix multiplication.

Statement: One hidden layer of z^2 that composes two elements has at least as many units as the group algebra without its
    trivial ideal takes products: 2 (|G| - 1) - t by Alder and Strassen, with t ideals. Two units for each of the R products of
    known schemes suffice, and units that depend on the others can go: 8 <= H <= 15 for S3, where index paths take 18.
    $$ 2 \dim A - t \;\le\; H \;\le\; 2 \sum_\rho c_\rho R(n_\rho), \qquad R(1), R(2), R(3) = 1, 7, 23 $$
Hypotheses: each non-trivial Fourier coefficient is zero or invertible.
Source: this project, with Strassen (1969), Laderman (1976), Howell and Lafon (1975), and Alder and Strassen (1981).
Refuted by: a pair that these weights compose wrongly, a network of another width, or an exact network below the lower bound.
Cost: quick 6 s on a CPU.

Derivation. The part of (u(g) + v(h))^2 that depends on both letters is 2 u(g) v(h): one product, with its output vector a
bilinear map of rank one. The target has no other part, so an exact network of H units is a scheme of H products. Conversely
4 p q = (p + q)^2 - (p - q)^2 makes a network of 2 R units of a scheme of R products; its factors are linear in the codes. The
factor two is not a law: values of units at pairs of elements may be linearly dependent, and then a unit can go. How many can go
depends on the scheme. The measured widths are 15 for S3, 14 for D4 and 16 for Q8; what lies between them and the bound is open.

For k >= 3 the same schemes, nested, take R^(k-1) products where index paths take n^(k+1), so that they help at k = 2 only.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.bilinear import bilinear_weights, without_dependent_units
from depthjax.models.padding import padded
from depthjax.models.polynomial import TwoLayer
from depthjax.probe.composition import two_layer_error, units_in_use
from depthjax.runs.compiler import common_size
from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from experiments.composition._tasks import without_last
from theory.composition import invertible, least_products, least_two_layer_width, products, spectrum, two_layer_width
from theory.composition.encodings import Task, generic_task
from theory.groups import group

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups."""

    group: str = axis("C2xC2", "C7", "S3", "D4", "Q8", "A4", "S3xC3", "S4")


GRIDS = {
    "test": Sizes(group=axis("S3")),
    "quick": Sizes(),
    "full": Sizes(group=axis("C2xC2", "C7", "S3", "D4", "D5", "Q8", "A4", "S3xC3", "SL2_3", "S4", "A5")),
    "paper": Sizes(group=axis("C2xC2", "C7", "S3", "D4", "D5", "Q8", "A4", "S3xC3", "SL2_3", "S4", "A5", "S5")),
}


def objects(cell: Sizes) -> Task:
    """A generic centred encoding: its Fourier coefficients are not scalar."""
    return generic_task(group(cell.group))


def predict(cell: Sizes, task: Task) -> tuple[Prediction, ...]:
    """No error with all units and with the independent ones; both widths."""
    met = (Hypothesis("each coefficient is zero or invertible", invertible(spectrum(group(cell.group), task.encoding))),)
    irreps = group(cell.group).irreps()[1:]
    least = max(least_products(irreps), least_two_layer_width(irreps, 2))
    return (
        Prediction(0, of="error", hypotheses=met),
        Prediction(0, of="error_of_independent", hypotheses=met),
        Prediction(2 * products(irreps), of="width", formula=r"2 \sum c\, R(n)"),
        Prediction(least, of="independent", relation=Relation.AT_LEAST, resolution=UNSHARP, formula=r"2 \dim A - t"),
        Prediction(2 * products(irreps), of="independent", relation=Relation.AT_MOST, resolution=UNSHARP),
    )


def measure(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """Largest errors over all pairs, and units in use: of all products, of the independent units, and of one unit fewer."""
    weights = bilinear_weights(task.encoding, task.irreps)
    independent, rest = without_dependent_units(weights, task.codes), without_last(task)
    few = without_dependent_units(bilinear_weights(rest.encoding, rest.irreps), rest.codes)
    return measured(
        error=_error(task, weights),
        error_of_independent=_error(task, independent),
        error_of_fewer=_error(task, _without_last(weights)),
        error_of_fewer_independent=_error(task, _without_last(independent)),
        width=Quantity(units_in_use(weights), label="units"),
        independent_of_rest=Quantity(units_in_use(few), label="independent units for all irreps but the last"),
        width_of_fewer=Quantity(units_in_use(_without_last(weights)), label="units without the last"),
        independent=Quantity(units_in_use(independent), label="independent units"),
    )


def _without_last(weights: TwoLayer) -> TwoLayer:
    return dataclasses.replace(weights, out=weights.out.at[:, -1].set(0))


def _error(task: Task, weights: TwoLayer) -> Quantity:
    order, width = common_size(len(task.table), 24, 60), common_size(weights.width, 110, 410)
    pairs = np.indices((len(task.table),) * 2).reshape(2, -1).T
    pairs = jnp.asarray(np.resize(pairs, (order**2, 2)))  # all pairs, some of them twice
    error, floor = two_layer_error(*padded(weights, task.codes, task.table, order=order, width=width), pairs)
    # the output weights of independent units come from a least squares problem with so many unknowns
    return Quantity(float(error), floor=weights.width * float(floor), label="largest relative error")


def _paths(cell: Sizes, task: Task) -> Prediction | None:
    """The width of the construction by index paths, where it is another one."""
    irreps = group(cell.group).irreps()[1:]
    width = two_layer_width(irreps, 2)
    return None if width == 2 * products(irreps) else Prediction(width, of="width")


CONTROLS = (
    control("a unit fewer", "the last unit is idle", instead={"error": "error_of_fewer", "width": "width_of_fewer"}),
    control(
        "an independent unit fewer",
        "the last independent unit is idle",
        instead={"error_of_independent": "error_of_fewer_independent"},
    ),
    control(
        "an irrep fewer",
        "networks without an irrep need as many units",
        instead={"independent": "independent_of_rest"},
        everywhere=False,  # the bound is not sharp: where the last irrep is small, the rest may need more units than it says
    ),
)
RIVALS = (rival("index paths", _paths, "an irrep takes n^3 products", everywhere=False),)
