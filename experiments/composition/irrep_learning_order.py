r"""From vanishing initialisation a two-layer network learns irreps in the order of their scores, not of their power.

Statement: under gradient flow with the rate log(1/alpha) ||theta||^{1-k} for every neuron, irreps (with their conjugates)
are learned by falling

    score(rho) = ||x^[rho]||_op^{k+1} / (C_rho n_rho)^{(k-1)/2}.

The tasks are chosen so that the power n ||x^||_F^2 orders their irreps otherwise. An irrep is learned when the output has
half of its part of the target.

Hypotheses: vanishing initialisation; enough neurons for one to start in every irrep's basin; scores that differ. Source:
Theorem 4.1 of arXiv 2602.03655. Refuted by: a typical seed that learns in another order. Cost: 10 s on a CPU.
"""

import jax
import numpy as np
import xarray as xr

from depthjax.training.flow import jump_times
from depthjax.verify import Claim, Control, Prediction, Relation, Source
from experiments.composition._learning import GRIDS as GRIDS
from experiments.composition._learning import SLOTS, Flows, LearningTask, course, learning_task
from experiments.composition._pictures import ORDER
from theory.composition import score

CLAIM = Claim(
    slug="irrep_learning_order",
    title="Irreps are learned in the order of the score ||x^||_op^(k+1) / (C n)^((k-1)/2)",
    statement=(
        "From vanishing initialisation, gradient flow with the rate log(1/alpha) ||theta||^(1-k) for every neuron "
        "learns the irreps of the task by falling score."
    ),
    latex=r"t_\rho < t_{\rho'} \iff \frac{\|\hat x[\rho]\|_{\mathrm{op}}^{k+1}}{(C_\rho n_\rho)^{(k-1)/2}} > "
    r"\frac{\|\hat x[\rho']\|_{\mathrm{op}}^{k+1}}{(C_{\rho'} n_{\rho'})^{(k-1)/2}}",
    relation=Relation.RANKING,
    source=Source(
        "Marchetti, Kunin, Myers, Acosta, Miolane", "Sequential Group Composition", "arXiv 2602.03655", "Theorem 4.1 (v2)"
    ),
    assumes=("initialisation vanishes", "some neuron starts in the basin of every irrep", "the scores differ"),
    refuted_by="a typical seed that learns the irreps in another order",
    cost="10 s on a CPU",
    needs_float64=True,
)

setting = learning_task


def predict(cell: Flows, task: LearningTask) -> Prediction:
    """Ranks by falling score."""
    scores = [float(score(component, cell.length)) for component in task.components]
    return Prediction(-np.resize(scores, SLOTS), of="time", dims=("irrep",), hypotheses=task.hypotheses(cell.length))


def measure(cell: Flows, key: jax.Array, task: LearningTask) -> xr.Dataset:
    """When every seed has half of every irrep's part of the target."""
    times = np.asarray(jump_times(course(cell, key, task, cell.log_scale)))
    columns = np.resize(np.arange(times.shape[1]), SLOTS)
    return xr.Dataset({"time": (("seed", "irrep"), times[:, columns], {"long_name": "time of the jump"})})


def _by_power(cell: Flows, task: LearningTask) -> Prediction:
    powers = [float((2 if c.kind == "complex" else 1) * c.dimension * c.square_norm) for c in task.components]  # type: ignore[operator]
    return Prediction(-np.resize(powers, SLOTS), of="time", dims=("irrep",))


CONTROLS = (Control("by power", "irreps are learned by falling power n ||x^||_F^2, conjugates together", _by_power),)

PICTURES = (ORDER,)
