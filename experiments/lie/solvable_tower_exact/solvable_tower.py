r"""The tower of a solvable matrix Lie algebra: as many prefix sums as its derived length, and exact.

Let g = g^(0) > g^(1) > ... > g^(k) = 0 be the derived series and V_j a complement of g^(j) in g^(j-1). Write a group
element as

    g = sigma_k(u_k) ... sigma_1(u_1),        u_j in V_j,    sigma_j(u) = exp(u),

and multiply it on the right by the letter n_1 = exp(x). Layer j holds u_j. It reads the class of the letter in the abelian
quotient exp(g^(j-1)) / exp(g^(j)) and passes the remainder n_{j+1} of the letter to the layer above:

    d_j = the coordinates of log n_j on V_j,      u_j <- u_j + d_j,      n_{j+1} = sigma_j(u_j) n_j sigma_j(u_j + d_j)^{-1},

with u_j taken before the letter. Then n_{j+1} lies in exp(g^(j)), and nothing remains after layer k: the cascade is exact. The
first logarithm is the letter x itself. All deeper ones are of unipotent matrices, because [g, g] acts nilpotently, so they are
polynomials. Hence the sections are global, for letters of any size. The algebra of an affine layer h' = A h + b is that of the
homogenised generators [[A, b], [0, 0]].

Source: derived here; it is Krener's cascade decomposition and Theorem "Kstacks" of Heo et al., arXiv 2603.05573, in
coordinates of the second kind adapted to the derived series.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depthjax.lie.exponential import excess_product, exponential_excess
from depthjax.scans.cascade import Below, ScanCascade, Stage


@partial(jax.tree_util.register_dataclass, data_fields=["complements", "coordinates"], meta_fields=[])
@dataclass(frozen=True)
class SolvableTower:
    """The tower over complements of the derived series, a tree of arrays; build it with `solvable_tower`.

    Attributes:
        complements: Basis of the complement of each layer, shape (its dimension, size, size).
        coordinates: Dual basis, shape (dimension, size, size): it maps a matrix of the algebra to its coordinates on all
            complements in order.
    """

    complements: tuple[Array | np.ndarray, ...]
    coordinates: Array | np.ndarray

    @property
    def layers(self) -> int:
        """Number of layers: the derived length."""
        return len(self.complements)

    def padded(self, dimensions: Sequence[int], size: int) -> "SolvableTower":
        """Return the same tower with zeros up to these dimensions of layers and this size of matrices.

        The added coordinates stay zero, so towers of several algebras share one program.

        Raises:
            ValueError: The tower has more layers, a larger dimension or larger matrices.
        """
        have = [len(basis) for basis in self.complements] + [0] * (len(dimensions) - self.layers)
        grow = size - self.coordinates.shape[-1]
        if len(have) != len(dimensions) or grow < 0 or any(room < need for room, need in zip(dimensions, have, strict=True)):
            raise ValueError(f"a tower of dimensions {have} does not fit into {tuple(dimensions)} with matrices of size {size}")
        firsts = np.cumsum([0, *have])

        def rows(family, room: int) -> np.ndarray:
            return np.pad(np.asarray(family), ((0, room - len(family)), (0, grow), (0, grow)))

        none = np.zeros((0, *self.coordinates.shape[1:]))
        bases = (*self.complements, *[none] * (len(dimensions) - self.layers))
        parts = [self.coordinates[first : first + need] for first, need in zip(firsts, have, strict=False)]
        return SolvableTower(
            tuple(rows(basis, room) for basis, room in zip(bases, dimensions, strict=True)),
            np.concatenate([rows(part, room) for part, room in zip(parts, dimensions, strict=True)]),
        )

    def start(self, batch: int, dtype: jnp.dtype = jnp.float64) -> tuple[Array, ...]:
        """Return the initial states, the identity: arrays of shape (batch, dimension of the complement)."""
        return tuple(jnp.zeros((batch, len(basis)), dtype) for basis in self.complements)

    def cascade(self) -> ScanCascade:
        """Return the tower as a cascade over matrices x of the algebra, arrays of shape (length, batch, size, size).

        A letter multiplies on the right by exp(x). States are as in `start`.
        """
        return ScanCascade(tuple(Stage(partial(self._increment, layer)) for layer in range(self.layers)))

    def evaluate(self, states: Sequence[Float[Array, "*shape _"]]) -> Float[Array, "*shape size size"]:
        """Return sigma_k(u_k) ... sigma_1(u_1) - 1; with fewer states than layers, the product of the lowest ones."""
        return excess_product(*reversed([self._section(layer, state)[0] for layer, state in enumerate(states)]))

    def _section(self, layer: int, *us: Array) -> tuple[Array, ...]:
        basis = jnp.asarray(self.complements[layer], us[0].dtype)
        elements = jnp.einsum("...v,vij->...ij", jnp.stack(us), basis)
        # above the first layer elements are nilpotent and the exponential is a polynomial
        return tuple(exponential_excess(elements) if layer == 0 else _nilpotent_exponential(elements))

    def _increment(self, layer: int, letters: Array, below: tuple[Below, ...]) -> Array:
        if layer == 0:
            return self._on_complement(0, letters)
        rest = exponential_excess(letters)
        for lower, stage in enumerate(below):
            before, after = self._section(lower, stage.before, -(stage.before + stage.increment))
            rest = excess_product(before, rest, after)
        return self._on_complement(layer, _unipotent_logarithm(rest))

    def _on_complement(self, layer: int, x: Array) -> Array:
        first = sum(len(basis) for basis in self.complements[:layer])
        rows = self.coordinates[first : first + len(self.complements[layer])]
        return jnp.einsum("vij,...ij->...v", jnp.asarray(rows, x.dtype), x)


def solvable_tower(complements: Sequence[Float[np.ndarray, "_ size size"]]) -> SolvableTower:
    """Return the tower of the algebra that is the direct sum of these spaces of matrices.

    Args:
        complements: Bases of the complements of g^(j) in g^(j-1), j = 1, ..., k, lowest layer first.

    Raises:
        ValueError: There are no complements or empty ones (a perfect algebra has none: no tower is exact), the matrices are
            dependent, or the spaces are not the complements of a derived series.
    """
    spaces = tuple(np.asarray(basis, float) for basis in complements)
    if not spaces or any(basis.ndim != 3 or len(basis) == 0 for basis in spaces):
        raise ValueError(
            "solvable_tower needs a basis of matrices for every layer: an algebra whose derived series stops before 0 has "
            "none, and no number of layers is exact for it"
        )
    everything = np.concatenate(spaces)
    flat = everything.reshape(len(everything), -1)
    if np.linalg.matrix_rank(flat) < len(flat):
        raise ValueError("the matrices of the complements are linearly dependent: their direct sum must be the algebra")
    coordinates = np.linalg.pinv(flat).T.reshape(everything.shape)
    brackets = np.einsum("aij,bjk->abik", everything, everything)
    brackets = brackets - brackets.transpose(1, 0, 2, 3)
    found = np.einsum("vij,abij->abv", coordinates, brackets)
    closed = np.allclose(np.einsum("abv,vij->abij", found, everything), brackets)
    first = 0
    for basis in spaces:
        # brackets of what is left must lie beyond this complement
        closed = closed and np.allclose(found[first:, first:, : first + len(basis)], 0)
        first += len(basis)
    if not closed:
        raise ValueError(
            "the brackets of a layer and the ones above it must lie in the ones above: give complements of g^(j) in g^(j-1) "
            "along the derived series, such as theory.lie.LieAlgebra.derived_complements"
        )
    return SolvableTower(spaces, coordinates)


def _nilpotent_exponential(element: Array) -> Array:
    """e^X - 1 of a nilpotent X: a polynomial of degree size - 1."""
    power, total = element, element
    for k in range(2, element.shape[-1]):
        power = power @ element / k
        total = total + power
    return total


def _unipotent_logarithm(excess: Array) -> Array:
    """log(1 + E) of a nilpotent E: a polynomial of degree size - 1."""
    size = excess.shape[-1]
    power, total = excess, excess
    for k in range(2, size):
        power = power @ excess
        total = total + (-1) ** (k + 1) / k * power
    return total
