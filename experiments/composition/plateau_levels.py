r"""The loss stays at levels that the spectrum of the encoding alone decides.

Statement: on its plateaus the loss (half the squared error, summed over coordinates, averaged over words) is

    (1 / 2|G|) sum over unlearned rho of n_rho ||x^[rho]||_F^2,

conjugates together, irreps being learned in the order of the score. The level is read off where the loss is flattest
between jumps; its budget is what the loss falls from halfway to either jump; half the distance to the next sum over another
set of irreps must exceed it. An irrep near which too few neurons start is learned in part, and its level is then missed: of
three irreps of C6 with coefficients 1, 0.9 and 0.7 the last draws about one starting direction in forty, so that networks of 80
neurons miss it and networks of 320 rarely do: one of 180, fifteen runs of twelve. Of twelve, eleven must learn every irrep, so
that such a rate leaves the claim open in 2 of 1000 runs.

Source: plateaus, arXiv 2602.03655; the levels derived here. Refuted by: a plateau at another level. Cost: 15 s on
a CPU.
"""

import itertools

import jax
import numpy as np
import xarray as xr

from depthjax.probe.rounding import rounding_floor
from depthjax.training.flow import plateaus
from depthjax.verify import Claim, Control, Prediction, Relation, Source
from experiments.composition._learning import GRIDS as GRIDS
from experiments.composition._learning import SLOTS, Flows, LearningTask, course, learning_task
from experiments.composition._pictures import STAIRCASE
from theory.composition import learning_order, linear_loss, plateau_levels

CLAIM = Claim(
    slug="plateau_levels",
    title="Between jumps the loss is the power of the irreps not yet learned",
    statement=(
        "On the plateaus of gradient flow from vanishing initialisation the loss is (1/2|G|) times the sum of n "
        "||x^||_F^2 over the irreps not yet learned, which are learned in the order of the score."
    ),
    latex=r"L = \frac{1}{2|G|} \sum_{\rho\ \text{unlearned}} n_\rho \|\hat x[\rho]\|_F^2",
    relation=Relation.EQUALS,
    source=Source(
        "Marchetti, Kunin, Myers, Acosta, Miolane", "Sequential Group Composition", "arXiv 2602.03655", "levels derived here"
    ),
    assumes=("initialisation vanishes", "some neuron starts in the basin of every irrep", "the scores differ"),
    refuted_by="a plateau at another level",
    cost="15 s on a CPU",
    needs_float64=True,
)

setting = learning_task


def predict(cell: Flows, task: LearningTask) -> tuple[Prediction, ...]:
    """All levels, from the first plateau to the last; and a typical seed learns every irrep."""
    levels = [float(level) for level in plateau_levels(task.every, cell.length, len(task.table))]
    return _levels(cell, task, levels), Prediction(1, of="complete", relation=Relation.TREND)


def _levels(cell: Flows, task: LearningTask, levels: list[float]) -> Prediction:
    shares = [(2 if c.kind == "complex" else 1) * float(linear_loss([c], len(task.table))) for c in task.components]
    sums = [sum(some) for size in range(len(shares) + 1) for some in itertools.combinations(shares, size)]
    nearest = min(abs(a - b) for a, b in itertools.combinations(sums, 2))
    return Prediction(
        np.resize(levels, SLOTS + 1),
        of="level",
        dims=("plateau",),
        resolution=nearest,
        hypotheses=task.hypotheses(cell.length),
        formula=CLAIM.latex,
    )


def measure(cell: Flows, key: jax.Array, task: LearningTask) -> xr.Dataset:
    """The median seed's loss on every plateau, and how flat it is: one may lack a neuron in some irrep's basin."""
    run = course(cell, key, task, cell.log_scale)
    levels, falls = map(np.asarray, jax.jit(jax.vmap(plateaus))(run.losses, run.shares))
    columns, shares = np.resize(np.arange(levels.shape[1]), SLOTS + 1), run.shares.shape[2]
    operations = len(task.table) ** cell.length * len(task.table) * cell.neurons
    floor = rounding_floor(operations, levels.dtype, float(levels.max()))
    return xr.Dataset(
        {
            "level": ("plateau", np.median(levels, axis=0)[columns], {"long_name": "loss on the plateau, median of the seeds"}),
            "level_sampling": ("plateau", np.median(falls, axis=0)[columns]),
            "time": ("record", np.asarray(run.times)),
            "loss": (("seed", "record"), np.asarray(run.losses)),
            "share": (("record", "irrep"), np.median(np.asarray(run.shares), axis=0)[:, np.resize(range(shares), SLOTS)]),
            "complete": ("seed", np.asarray((run.shares[:, -1] > 0.5).all(axis=1)), {"long_name": "all irreps learned"}),
            "level_floor": ((), floor),
        }
    )


def _one_missing(cell: Flows, task: LearningTask) -> Prediction:
    """Without the irrep of the lowest score: every level but the last is too low."""
    kept = [component for component in task.every if component != task.components[_last(cell, task)]]
    levels = [float(level) for level in plateau_levels(kept, cell.length, len(task.table))]
    return _levels(cell, task, [*levels, 0.0])


def _last(cell: Flows, task: LearningTask) -> int:
    return learning_order(task.components, cell.length)[-1]


CONTROLS = (Control("one irrep missing", "the irrep learned last does not count", _one_missing),)

PICTURES = (STAIRCASE,)
