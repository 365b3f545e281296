"""The task that the claims of this topic share: a group, an encoding, the irreps that take part."""

import dataclasses
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.models.polynomial import Recurrent, Tree, TwoLayer
from depthjax.verify import Hypothesis
from theory import groups
from theory.composition import Component, invertible, spectrum

Network = TypeVar("Network", TwoLayer, Recurrent, Tree)


@dataclasses.dataclass(frozen=True)
class Task:
    """Plain arrays of a composition task.

    Attributes:
        table: Cayley table.
        encoding: x, float64.
        components: of the non-trivial irreps, all of them.
        irreps: kind and matrices, in the same order.
    """

    table: np.ndarray
    encoding: np.ndarray
    components: tuple[Component, ...]
    irreps: tuple[tuple[str, np.ndarray], ...]

    @property
    def codes(self) -> np.ndarray:
        """Row g is the code of g."""
        return self.encoding[self.table]

    @property
    def order(self) -> int:
        """Of the group."""
        return len(self.table)

    @property
    def active(self) -> tuple[Component, ...]:
        """The components that are not zero."""
        return tuple(component for component in self.components if component.norm != 0)

    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """The paper's (a) and (b)."""
        centred = abs(self.encoding.sum()) < 1e-12 * np.abs(self.encoding).sum()
        return (
            Hypothesis("the encoding is centred", bool(centred)),
            Hypothesis("each Fourier coefficient is zero or invertible", invertible(list(self.components))),
        )


def padded(weights: Network, task: Task, order: int, width: int) -> tuple[Network, jax.Array, jax.Array]:
    """The network, the codes and the Cayley table, all filled up with zeros: features and units that change nothing."""
    sizes = {name: width if name in ("mix", "join") else order for name in vars(weights)}
    wide = {name: _filled(block, sizes[name], width) for name, block in vars(weights).items()}
    return (
        dataclasses.replace(weights, **wide),
        _filled(task.codes, order, order),
        _filled(task.table, order, order),
    )


def _filled(block: np.ndarray | jax.Array, rows: int, columns: int) -> jax.Array:
    more = [(0, 0)] * (block.ndim - 2) + [(0, rows - block.shape[-2]), (0, columns - block.shape[-1])]
    return jnp.asarray(np.pad(np.asarray(block), more))


def generic_task(name: str, centred: bool = True) -> Task:
    """A group with a generic integer encoding (non-scalar coefficients), centred without rounding unless told otherwise."""
    group = groups.group(name)
    rng = np.random.default_rng([ord(letter) for letter in name])
    entries = rng.integers(-99, 100, size=group.order)
    encoding = group.order * entries - entries.sum() if centred else group.order * entries
    encoding = encoding / (group.order * float(np.sqrt(entries @ entries)))
    return _task(group, encoding)


def one_hot_task(name: str) -> Task:
    """A group with the centred one-hot encoding."""
    group = groups.group(name)
    return _task(group, (np.arange(group.order) == 0) - 1 / group.order)


def _task(group: groups.FiniteGroup, encoding: np.ndarray) -> Task:
    keep = [i for i, irrep in enumerate(group.irreps()) if not _is_trivial(irrep.matrices)]
    components = spectrum(group, encoding)
    irreps = [group.irreps()[i] for i in keep]
    matrices = tuple((irrep.kind, np.asarray(irrep.matrices)) for irrep in irreps)
    return Task(np.asarray(group.table), encoding, tuple(components[i] for i in keep), matrices)


def _is_trivial(matrices: np.ndarray) -> bool:
    return matrices.shape[1] == 1 and bool(np.abs(matrices - 1).max() < 1e-9)
