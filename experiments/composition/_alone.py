"""The sizes and objects of plateaus: tasks of several irreps with scalar coefficients, or of one with two singular values."""

import dataclasses
from fractions import Fraction

import numpy as np

from depthjax.verify import axis
from experiments.composition._flows import Flows
from theory.composition import Component, learning_order, split
from theory.composition.encodings import spectral_task
from theory.groups import group

ALONE = {"S3": 150.0}  # groups whose last irrep is also tried alone, with two singular values; the horizon


@dataclasses.dataclass(frozen=True)
class Sizes(Flows):
    """The flows of this topic; with a ratio of singular values below one the irrep that is learned last, alone."""

    group: str = axis("S3", "C6", "Q8")
    ratio: float = axis(1.0, 0.6)

    def allows(self) -> bool:
        """Scalars where the topic has a horizon; two singular values for words of two letters."""
        return super().allows() if self.ratio == 1 else self.length == 2 and self.group in ALONE

    @property
    def spacing(self) -> float:
        """Time between two records."""
        return super().spacing if self.ratio == 1 else ALONE[self.group] / self.records


def parts(cell: Sizes) -> dict[int, Component]:
    """The components of the task, by the number of the irrep."""
    task = spectral_task(group(cell.group))
    last = learning_order(task.parts, cell.length)[-1]
    if cell.ratio < 1:
        return {task.active[last]: split(task.parts[last], Fraction(str(cell.ratio)))}
    return dict(zip(task.active, task.parts, strict=True))


def objects(cell: Sizes) -> dict:
    """The Cayley table; kind, matrices and singular values of every irrep, once for each value with the others set to zero."""
    irreps = []
    for number, part in parts(cell).items():
        irrep = group(cell.group).irreps[number]
        values = np.array([part.norm] + [part.smallest] * (part.dimension - 1), float)
        irreps.append((irrep.kind, np.asarray(irrep.matrices), [values * (values == own) for own in sorted(set(values))]))
    return {"table": np.asarray(group(cell.group).table), "irreps": irreps}
