"""The sizes and objects that the claims on learning share: gradient flow from a vanishing initialisation on exact spectra."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.tasks.composition import isotypic_part, spectral_encoding
from depthjax.training.flow import gradient_flow
from depthjax.verify import Grid, Hypothesis, axis
from theory.composition import Component, score
from theory.composition.encodings import SPECTRA, active_irreps, scalar_components
from theory.groups import group

SLOTS = 3  # cells share their shapes: irreps are repeated up to so many

# the weakest pair of C6 draws one in forty starting directions; an irrep near which too few neurons start is learned in part
WIDER = {"C6": 4}
# simulated time: the flow stands still well before its end
HORIZON = {("S3", 2): 70.0, ("S3", 3): 235.0, ("C6", 2): 105.0, ("Q8", 2): 128.0}


@dataclasses.dataclass(frozen=True)
class Flows(Grid):
    """Groups and lengths; ``width`` neurons for each letter but one, all seeds in one program."""

    group: str = axis("S3", "C6", "Q8")
    length: int = axis(2, 3)
    width: int = 80
    seeds: int = 12
    records: int = 400
    steps: int = 2
    log_scale: float = 20.0

    def allows(self) -> bool:
        """Words of three letters are many: only the smallest group has them."""
        return (self.group, self.length) in HORIZON

    @property
    def neurons(self) -> int:
        """Width of the network."""
        return self.width * WIDER.get(self.group, 1) * (self.length - 1)

    @property
    def spacing(self) -> float:
        """Time between two records."""
        return HORIZON[self.group, self.length] / self.records


GRIDS = {
    "test": Flows(group=("S3",), length=(2,)),
    "quick": Flows(),
    "full": Flows(seeds=64, width=120, steps=16),
    "paper": Flows(seeds=256, width=240, steps=32),
}


def objects(cell: Flows) -> dict[str, np.ndarray]:
    """The Cayley table, and the codes of the encoding's part in each irrep together with its conjugate."""
    irreps, components = group(cell.group).irreps(), spectrum(cell)
    table = np.asarray(group(cell.group).table)
    encoding = spectral_encoding([irrep.matrices for irrep in irreps], [float(c.norm) for c in components])  # type: ignore[arg-type]
    active = [irreps[i] for i in active_irreps(group(cell.group), components)]
    return {"table": table, "parts": np.stack([isotypic_part(encoding, i.kind, i.matrices)[table] for i in active])}


def spectrum(cell: Flows) -> list[Component]:
    """The components of all irreps."""
    return scalar_components(group(cell.group), SPECTRA[cell.group])


def learnable(cell: Flows) -> list[Component]:
    """The components of the parts that `objects` lists, in the same order."""
    components = spectrum(cell)
    return [components[i] for i in active_irreps(group(cell.group), components)]


def hypotheses(cell: Flows) -> tuple[Hypothesis, ...]:
    """Scores differ; the other two hypotheses hold by construction: scalar coefficients, and none for the trivial irrep."""
    scores = [score(component, cell.length) for component in learnable(cell)]
    return (Hypothesis("the scores of the irreps differ", len(set(scores)) == len(scores)),)


def flow(cell: Flows, key: jax.Array, task: dict[str, np.ndarray], log_scale: float):
    """The gradient flow of all seeds."""
    return gradient_flow(
        key,
        jnp.asarray(task["parts"]),
        jnp.asarray(task["table"]),
        length=cell.length,
        width=cell.neurons,
        log_scale=jnp.asarray(log_scale),
        horizon=jnp.asarray(cell.spacing * cell.records),
        seeds=cell.seeds,
        records=cell.records,
        steps=cell.steps,
    )
