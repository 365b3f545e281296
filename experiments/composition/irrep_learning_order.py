r"""From vanishing initialisation a network learns irreps by falling score ||x^||_op^(k+1) / (C n)^((k-1)/2).

Statement: Gradient flow of a two-layer network from vanishing initialisation, with the rate log(1/alpha) ||theta||^(1-k) for
    every neuron, learns the irreps of the task (each with its conjugate) by falling score. C = 1 for real type and 2
    otherwise.
    $$ t_\rho < t_{\rho'} \iff \frac{\|\hat x[\rho]\|_{\mathrm{op}}^{k+1}}{(C_\rho n_\rho)^{(k-1)/2}} >
       \frac{\|\hat x[\rho']\|_{\mathrm{op}}^{k+1}}{(C_{\rho'} n_{\rho'})^{(k-1)/2}} $$
Hypotheses: initialisation vanishes; some neuron starts in the basin of every irrep; the scores differ.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, Theorem 4.1 (v2).
Refuted by: a typical seed that learns the irreps in another order.
Cost: 10 s on a CPU.

An irrep is learned when the output has half of the irrep's part of the target. The tasks are chosen such that the power n
||x^||_F^2 orders their irreps otherwise.
"""

import jax
import numpy as np
import xarray as xr

from depthjax.figures.panels import COLOURS
from depthjax.training.flow import jump_times
from depthjax.verify import Hypothesis, Picture, Prediction, Quantity, Relation, claim, measured, rival
from experiments.composition._flows import GRIDS as GRIDS
from experiments.composition._flows import SLOTS, Flows, flow
from experiments.composition._flows import objects as objects
from theory.composition import linear_loss, score
from theory.composition.encodings import spectral_task
from theory.groups import group

CLAIM = claim(Relation.RANKING, needs_float64=True, trains=True)


def predict(cell: Flows, task: dict) -> Prediction:
    """Ranks by falling score."""
    return _falling(cell, _scores(cell))


def _falling(cell: Flows, sizes: list[float]) -> Prediction:
    met = Hypothesis("the scores of the irreps differ", spectral_task(group(cell.group)).scores_differ(cell.length))
    return Prediction(-np.resize(sizes, SLOTS), of="time", dims=("irrep",), hypotheses=(met,))


def _scores(cell: Flows) -> list[float]:
    return [float(score(component, cell.length)) for component in spectral_task(group(cell.group)).parts]


def _powers(cell: Flows) -> list[float]:
    """N ||x^||_F^2, conjugates together: each irrep's share of the squared norm of the encoding, up to one factor."""
    finite = group(cell.group)
    return [(2 if c.kind == "complex" else 1) * 2 * float(linear_loss([c], finite.order)) for c in spectral_task(finite).parts]


def measure(cell: Flows, key: jax.Array, task: dict) -> xr.Dataset:
    """When every seed has half of every irrep's part of the target."""
    times = np.asarray(jump_times(flow(cell, key, task, cell.log_scale)))
    columns = np.resize(np.arange(times.shape[1]), SLOTS)
    return measured(time=Quantity(times[:, columns], "seed irrep", label="time of the jump"))


RIVALS = (
    rival(
        "by power",
        lambda cell, task: _falling(cell, _powers(cell)),
        "irreps are learned by falling power n ||x^||_F^2, conjugates together",
    ),
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """When an irrep is learned, against its score and against its power."""
    axes = figure.subplots(1, 2, sharey=True)
    for index, (name, length) in enumerate(zip(dataset["group"].to_numpy(), dataset["length"].to_numpy(), strict=True)):
        cell = Flows(group=str(name), length=int(length))
        times = dataset["time"].isel(cell=index).transpose("seed", "irrep").to_numpy()
        for axis, sizes in zip(axes, (_scores(cell), _powers(cell)), strict=True):
            order = np.argsort(sizes)
            low, middle, high = np.quantile(times[:, order], [0.25, 0.5, 0.75], axis=0)
            bars = np.stack([middle - low, high - middle])
            label = f"{name}, k = {length}"
            axis.errorbar(np.array(sizes)[order], middle, yerr=bars, marker="o", color=COLOURS[index], label=label)
    axes[0].set(yscale="log", xlabel="score", ylabel="time of the jump\n(median, quartiles)")
    axes[0].yaxis.set_major_formatter("{x:g}")
    axes[0].yaxis.set_minor_formatter("{x:g}")
    axes[1].set(xlabel="power")
    axes[0].set_title("falls with the score", loc="left", fontsize=8.5)
    axes[1].set_title("not with the power", loc="left", fontsize=8.5)
    axes[0].legend(fontsize=7)


PICTURES = (Picture(3.0, _draw),)
