r"""The largest utility that a neuron finds in an irrep is its score, exactly.

Statement: over unit vectors u_1, ..., u_k, w the maximum of E_{g_1..g_k} <w, x_{g_1..g_k}> prod_j <u_j, x_{g_j}>, with x
restricted to one irrep and its conjugate, is

    score(rho) / |G|^{(k+1)/2},    score(rho) = ||x^[rho]||_op^{k+1} / (C_rho n_rho)^{(k-1)/2},    C = 1 for real type,
    otherwise 2.

Source: the score, Theorem 4.1 of arXiv 2602.03655; the exact value derived here. Refuted by: alternating maximisation that
ends higher, or lower, for some irrep. Cost: 5 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.rounding import rounding_floor
from depthjax.probe.utility import largest_utility
from depthjax.runs.compiler import common_size
from depthjax.tasks.composition import isotypic_part
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from experiments.composition._task import Task, generic_task
from theory.composition import utility_maximum
from theory.groups import group

SLOTS = 10  # cells share their shapes: the irreps are repeated up to so many

CLAIM = Claim(
    slug="utility_maximum",
    title="The largest utility of a neuron in an irrep is ||x^||_op^(k+1) / (C n)^((k-1)/2) / |G|^((k+1)/2)",
    statement=(
        "Over unit vectors, the utility of a neuron for an encoding restricted to one irrep and its conjugate has the "
        "maximum score / |G|^((k+1)/2), score = ||x^||_op^(k+1) / (C n)^((k-1)/2), C = 1 for real type and 2 otherwise."
    ),
    latex=r"\max U = |G|^{-\frac{k+1}{2}}\, \frac{\|\hat x[\rho]\|_{\mathrm{op}}^{k+1}}{(C_\rho n_\rho)^{(k-1)/2}}",
    relation=Relation.EQUALS,
    source=Source(
        "Marchetti, Kunin, Myers, Acosta, Miolane",
        "Sequential Group Composition",
        "arXiv 2602.03655",
        "Theorem 4.1 (score); the exact value derived here",
    ),
    assumes=("the encoding is real",),
    refuted_by="an irrep whose utility has another maximum",
    cost="5 s on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups with irreps of every type, all their non-trivial irreps at once, and the length."""

    group: str = axis("S3", "D4", "Q8", "C10", "C11", "S4", "A5")
    length: int = axis(2, 3)
    starts: int = 8
    sweeps: int = 200
    largest: int = 4000

    def allows(self) -> bool:
        """Whether the group is small enough for this length at this size of run."""
        return group(self.group).order ** self.length <= self.largest


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(length=axis(2, 3, 4), starts=64, sweeps=2000, largest=10**9),
    "paper": Sizes(length=axis(2, 3, 4, 5), starts=64, sweeps=2000, largest=10**9),
}


def setting(cell: Sizes) -> Task:
    """A generic centred encoding, whose Fourier coefficients are not scalar."""
    return generic_task(cell.group)


def predict(cell: Sizes, task: Task) -> Prediction:
    """The maximum for every irrep."""
    return _prediction(cell, task)


def _prediction(cell: Sizes, task: Task, **changed: str) -> Prediction:
    components = (dataclasses.replace(component, **changed) for component in task.components)
    values = [float(utility_maximum(component, cell.length, task.order)) for component in components]
    return Prediction(np.resize(values, SLOTS), of="utility", dims=("irrep",), formula=CLAIM.latex)


def measure(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """The best of all starts; what the second half of its sweeps gained says how far from the end it may be."""
    parts = np.stack([isotypic_part(task.encoding, kind, matrices) for kind, matrices in task.irreps])
    size = common_size(task.order, 11, 60)
    # larger groups of the grid have fewer irreps than smaller ones
    codes = np.zeros((SLOTS if size == 11 else len(parts), size, size))
    codes[:, : task.order, : task.order] = np.resize(parts, (len(codes), task.order))[:, task.table]
    table = np.tile(np.arange(size), (size, 1))
    table[: task.order, : task.order] = task.table
    values, gained = largest_utility(
        key, jnp.asarray(codes), jnp.asarray(table), cell.length, cell.starts, cell.sweeps, task.order
    )
    # absolute values: a vector reads at most sqrt(order) times the code's norm
    norms = np.linalg.norm(parts, axis=1) ** (cell.length + 1)
    return xr.Dataset(
        {
            "utility": ("irrep", np.resize(values, SLOTS), {"long_name": "largest utility"}),
            "utility_floor": ("irrep", np.resize(rounding_floor((cell.length + 1) * task.order, values.dtype, norms), SLOTS)),
            "utility_sampling": ("irrep", np.resize(np.maximum(gained, 0.0), SLOTS)),  # rounding may take some away
        }
    )


def _without_type(cell: Sizes, task: Task) -> Prediction | None:
    if all(component.kind == "real" for component in task.components):
        return None
    return _prediction(cell, task, kind="real")


def _frobenius(cell: Sizes, task: Task) -> Prediction | None:
    # quaternionic coefficients of dimension two are quaternions: multiples of a unitary matrix, like numbers
    if all(abs(c.norm - c.smallest) < 1e-9 * c.norm for c in task.components):  # type: ignore[operator]
        return None
    components = [
        dataclasses.replace(c, norm=float(c.square_norm / c.dimension) ** 0.5)  # type: ignore[operator]
        for c in task.components
    ]
    values = [float(utility_maximum(component, cell.length, task.order)) for component in components]
    return Prediction(np.resize(values, SLOTS), of="utility", dims=("irrep",))


CONTROLS = (
    Control("without C", "complex and quaternionic irreps score like real ones of their dimension", _without_type),
    Control("mean singular value", "the root mean square of the singular values stands for the operator norm", _frobenius),
)
