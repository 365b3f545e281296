r"""From vanishing initialisation a network learns irreps by falling score ||x^||_op^(k+1) / (C n)^((k-1)/2).

Statement: Gradient flow of a two-layer network from vanishing initialisation, with the rate log(1/alpha) ||theta||^(1-k) for
    every neuron, starts to learn the irreps of the task (each with its conjugate) by falling score. C = 1 for real type and 2
    otherwise.
    $$ t_\rho < t_{\rho'} \iff \frac{\|\hat x[\rho]\|_{\mathrm{op}}^{k+1}}{(C_\rho n_\rho)^{(k-1)/2}} >
       \frac{\|\hat x[\rho']\|_{\mathrm{op}}^{k+1}}{(C_{\rho'} n_{\rho'})^{(k-1)/2}} $$
Hypotheses: initialisation vanishes; some neuron starts in the basin of both irreps; the coefficients are invertible; the
    scores differ.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, Theorem 4.1 (v2).
Refuted by: a typical seed that starts with the irrep of the lower score.
Cost: quick 20 s on one core, full about 8 min.

Every cell sets two irreps against each other, a few percent from the tie of their scores: where the second coefficient is
smaller than at the tie the first irrep must come first, and where it is larger the second. A score with another exponent,
without C or n, or of another norm puts the tie elsewhere, and one of the two cells refutes it.

The coefficients are matrices with random singular vectors, drawn for every seed. All singular values below the largest are half
of it, so that operator norm, Frobenius norm and power order the irreps differently. The flow learns such an irrep in jumps: the
first neurons read and write the leading singular vectors alone, one of the n^(k+1) paths through k matrices. Learning starts
when the network has half of an average path, a share 1 / (2 n^(k+1)) of the irrep's part of the target. Set after seeing runs:
the control started from log(1/alpha) = 1 once, which left it open at the test size; records were 200.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.figures.pens import law, points
from depthjax.tasks.composition import random_isotypic
from depthjax.training.flow import Trajectory, gradient_flow, jump_times
from depthjax.verify import Grid, Hypothesis, Picture, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from experiments.composition._other_sizes import OTHER_SIZES
from theory.composition import invertible, score
from theory.composition.encodings import PAIRS
from theory.groups import group

CLAIM = claim(Relation.RANKING, needs_float64=True, trains=True)

# simulated time: both irreps have started
HORIZON = {
    ("S3", 2): 19.0,
    ("S3", 3): 39.0,
    ("C6", 2): 19.0,
    ("Q8", 2): 30.0,
    ("A4", 2): 76.0,
    ("C7:C3", 2): 178.0,
    ("S4", 2): 216.0,
    ("A5", 2): 1060.0,
}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups, lengths, and the side of the tie on which the second coefficient lies: 0 below, 1 above."""

    group: str = axis("S3", "C6", "Q8", "S4")
    length: int = axis(2, 3)
    side: int = axis(0, 1)
    width: int = 32
    seeds: int = 12
    records: int = 150
    steps: int = 2
    log_scale: float = 30.0
    large: float = 2.0

    def allows(self) -> bool:
        """Words of three letters are many: only the smallest group has them."""
        return (self.group, self.length) in HORIZON


GRIDS = {
    "test": Sizes(group=axis("S3", "C6"), length=axis(2), seeds=16),  # real and complex type
    "quick": Sizes(),
    "full": Sizes(group=axis("S3", "C6", "Q8", "A4", "C7:C3", "S4", "A5"), width=48, log_scale=60.0, steps=4),
    "paper": Sizes(group=axis("S3", "C6", "Q8", "A4", "C7:C3", "S4", "A5"), width=128, log_scale=120.0, steps=8, seeds=64),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table, the two irreps, and the singular values of their coefficients."""
    finite, pair = group(cell.group), PAIRS[cell.group, cell.length]
    irreps = [finite.irreps[number] for number in pair.irreps]
    return {
        "table": np.asarray(finite.table),
        "irreps": [(irrep.kind, np.asarray(irrep.matrices)) for irrep in irreps],
        "singular_values": [np.array(values, float) for values in pair.singular_values(finite, cell.side)],
    }


def predict(cell: Sizes, task: dict) -> Prediction:
    """Ranks by falling score."""
    return _falling(cell, partial(score, length=cell.length))


def _falling(cell: Sizes, size) -> Prediction:
    components = PAIRS[cell.group, cell.length].components(group(cell.group), cell.side)
    sizes = [float(size(component)) for component in components]
    met = (
        Hypothesis("the coefficients are invertible", invertible(components)),
        Hypothesis("the sizes of the irreps differ", sizes[0] != sizes[1]),
    )
    return Prediction(-np.array(sizes), of="time", dims=("irrep",), hypotheses=met)


def measure(cell: Sizes, key: jax.Array, task: dict) -> xr.Dataset:
    """When every seed has half of one path of either irrep's part of the target."""
    return _starts(cell, key, task, cell.log_scale)


def _not_small(cell: Sizes, key: jax.Array, task: dict) -> xr.Dataset:
    """The same from an initialisation that is not small."""
    return _starts(cell, key, task, cell.large)


def _starts(cell: Sizes, key: jax.Array, task: dict, log_scale: float) -> xr.Dataset:
    start, *draws = jax.random.split(key, 1 + cell.seeds)
    codes = np.stack([_codes(draw, task) for draw in draws])
    spans = jnp.asarray([log_scale, HORIZON[cell.group, cell.length]])
    shared = dataclasses.replace(cell, side=0)  # both sides of a tie share one program
    runs = _flows(jax.random.split(start, cell.seeds), jnp.asarray(codes), jnp.asarray(task["table"]), spans, shared)
    paths = np.array([matrices.shape[-1] ** (cell.length + 1) for _, matrices in task["irreps"]])
    times = jax.vmap(partial(jump_times, share=0.5 / paths))(runs)[:, 0]
    return measured(time=Quantity(np.asarray(times), "seed irrep", label="time at which learning starts"))


def _codes(key: jax.Array, task: dict) -> np.ndarray:
    """The codes of a random encoding, irrep by irrep."""
    parts = zip(jax.random.split(key), task["irreps"], task["singular_values"], strict=True)
    return np.stack([random_isotypic(key, kind, matrices, values)[task["table"]] for key, (kind, matrices), values in parts])


@partial(jax.jit, static_argnames="cell")
def _flows(keys: jax.Array, codes: jax.Array, table: jax.Array, spans: jax.Array, cell: Sizes) -> Trajectory:
    """A gradient flow for every seed, each with its own encoding."""
    sizes = {"length": cell.length, "width": cell.width, "records": cell.records, "steps": cell.steps}
    return jax.vmap(
        lambda key, parts: gradient_flow(key, parts, table, log_scale=spans[0], horizon=spans[1], seeds=1, **sizes)
    )(keys, codes)


CONTROLS = (
    control(
        "initialisation not small", "the order is that of the scores at log(1/alpha) = 2", measure=_not_small, everywhere=False
    ),
)
# a rival differs from the score on one side of a tie
RIVALS = tuple(
    rival(name, lambda cell, task, size=size: _falling(cell, partial(size, length=cell.length)), statement, everywhere=False)
    for name, statement, size in OTHER_SIZES
)


def _draw(figure, dataset: xr.Dataset) -> None:
    """Ratio of the times at which two irreps start to be learned, against the inverse ratio of scores.

    Points: the median seed with its 95 % interval. Full line: times inverse to the scores. Points right of 1 lie above 1, and
    points left of it below: the irrep of the higher score starts first.
    """
    axes = figure.subplots()
    ratios = []
    for index, (name, length, side) in enumerate(zip(*(dataset[field].to_numpy() for field in Sizes.axes()), strict=True)):
        components = PAIRS[str(name), int(length)].components(group(str(name)), int(side))
        first, second = (float(score(component, int(length))) for component in components)
        times = dataset["time"].isel(cell=index).transpose("irrep", "seed").to_numpy()
        ratios.append(first / second)
        label = f"{name}, k = {length}" if side == 0 else None
        points(axes, ratios[-1:], (times[1] / times[0])[None], index // 2, label)
    ends = [min(ratios) - 0.05, max(ratios) + 0.05]
    axes.plot(ends, ends, **law(label="time inverse to the score"))
    axes.axhline(1, **law(3, "both at once", linewidth=0.9))
    axes.set(xlabel="score of the first irrep / score of the second", ylabel="start of the second / start of the first")
    axes.legend(fontsize=7)


PICTURES = (Picture(3.0, _draw),)
