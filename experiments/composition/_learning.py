"""Tasks on which the order of learning is tried: exact spectra whose order by score differs from their order by power."""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import sympy

from depthjax.tasks.composition import isotypic_part, spectral_encoding
from depthjax.training.flow import Trajectory, gradient_flow
from depthjax.verify import Grid, Hypothesis, axis
from theory import groups
from theory.composition import Component, activation_time, score

SLOTS = 3  # cells share their shapes: irreps are repeated up to so many

# sizes of the Fourier coefficients, multiples of the identity, by dimension and kind: non-trivial irreps take them in
# turn, a conjugate that of its partner
SPECTRA = {
    "S3": {(1, "real"): (1,), (2, "real"): (Fraction(4, 5),)},
    "C6": {(1, "real"): (1,), (1, "complex"): (Fraction(9, 10), Fraction(7, 10))},
    "Q8": {(1, "real"): (1, Fraction(4, 5), 0), (2, "quaternionic"): (Fraction(17, 20),)},
}

# the weakest pair of C6 draws only one in forty starting directions to itself, and an irrep that too few neurons start near is
# learned in part: such a task takes more neurons
WIDER = {"C6": 4}


@dataclasses.dataclass(frozen=True)
class Flows(Grid):
    """Groups with their spectra, and lengths; all seeds in one program."""

    group: str = axis("S3", "C6", "Q8")
    length: int = axis(2, 3)
    width: int = 80
    seeds: int = 12
    records: int = 400
    steps: int = 2
    log_scale: float = 20.0

    def allows(self) -> bool:
        """Words of three letters are many: the smallest group alone."""
        return self.length == 2 or self.group == "S3"

    @property
    def neurons(self) -> int:
        """Width of the network."""
        return self.width * WIDER.get(self.group, 1) * (self.length - 1)


GRIDS = {"quick": Flows(), "full": Flows(seeds=64, width=120, steps=16), "paper": Flows(seeds=256, width=240, steps=32)}


@dataclasses.dataclass(frozen=True)
class LearningTask:
    """Plain arrays: Cayley table, codes of the encoding's part in every irrep (conjugates together), their components."""

    table: np.ndarray
    parts: np.ndarray
    components: tuple[Component, ...]
    every: tuple[Component, ...]
    horizon: float

    def hypotheses(self, length: int) -> tuple[Hypothesis, ...]:
        """Scores differ; coefficients are multiples of the identity, so (b) holds, and the trivial one is zero, so (a) does."""
        scores = {score(component, length) for component in self.components}
        return (Hypothesis("the scores of the irreps differ", len(scores) == len(self.components)),)


def learning_task(cell: Flows) -> LearningTask:
    """The task of a cell, and a horizon well behind the last predicted jump."""
    group = groups.group(cell.group)
    irreps = group.irreps()
    every = _components(irreps, SPECTRA[cell.group])
    encoding = spectral_encoding([irrep.matrices for irrep in irreps], [float(sympy.N(component.norm)) for component in every])
    parts: list[np.ndarray] = []
    components = []
    for irrep, component in zip(irreps, every, strict=True):
        part = isotypic_part(encoding, irrep.kind, irrep.matrices)
        if component.norm != 0 and not any(np.abs(part - other).max() < 1e-9 for other in parts):
            parts.append(part)
            components.append(component)
    last = max(float(activation_time(component, cell.length, group.order)) for component in components)
    return LearningTask(group.table, np.stack(parts)[:, group.table], tuple(components), tuple(every), 2 * last)


def _components(irreps: list, spectrum: dict) -> list[Component]:
    remaining = {place: list(sizes) for place, sizes in spectrum.items()}
    found: list[tuple[np.ndarray, Component]] = []
    for irrep in irreps:
        character = np.trace(irrep.matrices, axis1=1, axis2=2)
        partner = [component for other, component in found if np.abs(other.conj() - character).max() < 1e-9]
        if np.abs(character - 1).max() < 1e-9:
            component = Component.scalar(1, "real", sympy.Integer(0))
        elif irrep.kind == "complex" and partner:
            component = partner[0]
        else:
            component = Component.scalar(
                irrep.dimension, irrep.kind, sympy.Rational(remaining[irrep.dimension, irrep.kind].pop(0))
            )
        found.append((character, component))
    return [component for _, component in found]


def course(cell: Flows, key: jax.Array, task: LearningTask, log_scale: float) -> Trajectory:
    """The flow of all seeds."""
    return gradient_flow(
        key,
        jnp.asarray(task.parts),
        jnp.asarray(task.table),
        length=cell.length,
        width=cell.neurons,
        log_scale=jnp.asarray(log_scale),
        horizon=jnp.asarray(task.horizon),
        seeds=cell.seeds,
        records=cell.records,
        steps=cell.steps,
    )
