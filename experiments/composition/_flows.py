"""The sizes and objects that the claims on learning share: gradient flow from a vanishing initialisation on exact spectra."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.tasks.composition import isotypic_part, spectral_encoding
from depthjax.training.flow import gradient_flow
from depthjax.verify import Grid, axis
from theory.composition.encodings import spectral_task
from theory.groups import group

SLOTS = 3  # cells share their shapes: irreps are repeated up to so many

# the weakest pair of C6 draws one in forty starting directions; an irrep near which too few neurons start is learned in part
WIDER = {"C6": 4}
# simulated time: the flow stands still well before its end
HORIZON = {("S3", 2): 70.0, ("S3", 3): 235.0, ("C6", 2): 105.0, ("Q8", 2): 128.0, ("D4", 2): 90.0}


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
    "test": Flows(group=axis("S3"), length=axis(2)),
    "quick": Flows(),
    "full": Flows(seeds=64, width=120, steps=16),
    "paper": Flows(seeds=256, width=240, steps=32),
}


def objects(cell: Flows) -> dict[str, np.ndarray]:
    """The Cayley table, and the codes of the encoding's part in each irrep together with its conjugate."""
    task, table, irreps = spectral_task(group(cell.group)), group(cell.group).table, group(cell.group).irreps
    encoding = spectral_encoding([irrep.matrices for irrep in irreps], [float(c.norm) for c in task.components])  # type: ignore[arg-type]
    parts = [isotypic_part(encoding, irreps[i].kind, irreps[i].matrices)[table] for i in task.active]
    return {"table": np.asarray(table), "parts": np.stack(parts)}


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
