r"""The Lie tower: `layers` prefix sums that follow a product of exponentials in a free nilpotent Lie algebra.

Let L be the free Lie algebra on `letters` letters, truncated after brackets of `nilpotency` letters, and L = L^(0) > L^(1) >
... its derived ideals, L^(j) = [L^(j-1), L^(j-1)]. A group element is written, layer by layer,

    g = e^{u_k} ... e^{u_2} e^{u_1},        u_1 in the span of the letters,  u_j in L^(j-1).

Multiply on the right by e^x with x of degree one. Put F(a, b) = log(e^a e^b e^{-(a + b)}), a sum of brackets of a and
b: in L^(j) if a and b are in L^(j-1). Then e^{u_1} e^x = e^{F(u_1, x)} e^{u_1 + x}, and the factor on the left is what
multiplies the layer above:

    u_1 += x,   inc_1 = x;        u_{j+1} += inc_{j+1},   inc_{j+1} = F(u_j, inc_j),

with u_j taken *before* the step. Each increment is a polynomial in x and in the states of the layers below, so each layer is
one prefix sum: a cascade. After k layers the factor e^{F(u_k, inc_k)} is omitted. It lies in L^(k), whose lowest degree is m_k,
so the error of the tower for prod_t e^{eps A_t} is of order eps^(m_k), and the tower is exact within the class if m_k >
nilpotency.

The tower is graded: scaling every generator by eps multiplies the coordinates of degree m by eps^m. So one run of the tower
serves every matrix algebra and every scale (`evaluate`).

Cost of `apply` for each letter and batch element: about `layers` times the number of structure constants. Memory: a few arrays
of (coordinates, chunk * batch) at a time, independent of the length unless `stream`.

Source: derived here; the cascade is that of Heo et al., arXiv 2603.05573, Corollary 3.6 (v1; v2 of June 2026
corrects it), in the Lyndon basis.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depthjax.checks import at_least, dimension, floating
from depthjax.lie.brackets import Span, bracket_matrices, graded_element
from depthjax.lie.exponential import excess_product, exponential_excess
from depthjax.lie.lyndon import lyndon_basis, structure_constants
from depthjax.lie.steps import deeper_increment, first_increment
from depthjax.scans.cascade import Below, ScanCascade, Stage

_COLUMNS = 128  # independent elements handled at once: enough to fill vectors, few enough to stay in the second-level cache


@partial(jax.tree_util.register_dataclass, data_fields=[], meta_fields=["letters", "layers", "nilpotency"])
@dataclass(frozen=True)
class LieTower:
    """A tower of `layers` prefix sums in the free nilpotent Lie algebra of class `nilpotency` on `letters` letters.

    Build it with `lie_tower`. It holds no arrays, only the three integers that determine a program.
    """

    letters: int
    layers: int
    nilpotency: int

    @property
    def spans(self) -> tuple[Span, ...]:
        """Degrees of the state of each layer, from the lowest degree of its derived ideal to the highest."""
        lowest = derived_lowest_degrees(self.letters, self.nilpotency)[: self.layers]
        return (Span(1, 1), *(Span(m, self.nilpotency) for m in lowest[1:]))

    @property
    def state_dimensions(self) -> tuple[int, ...]:
        """Number of coordinates of the state of each layer."""
        return tuple(span.dimension(self.letters) for span in self.spans)

    @partial(jax.jit, static_argnames=("stream", "chunk"))
    def apply(
        self, increments: Float[Array, "batch length letters"], *, stream: bool = False, chunk: int | None = None
    ) -> tuple[Float[Array, "batch ..."], ...]:
        """Return (u_1, ..., u_k) after the last letter, each of shape (batch, coordinates), in the dtype of `increments`.

        Letter t multiplies the product on the right by exp(sum_i increments[b, t, i] * generator_i). The coordinates of
        u_j are the Lyndon brackets of the degrees `spans[j - 1]`. With `stream` the states after every letter: (batch,
        length, coordinates).

        Args:
            increments: Letters in the coordinates of the generators, for instance one-hot rows.
            stream: Return the state after every letter.
            chunk: Number of letters handled at a time; by default enough to fill the vector registers.

        Raises:
            ValueError: The last axis does not count the letters, or the length is 0.
            TypeError: The increments are not floating point.
        """
        floating("increments", increments)
        dimension("increments", increments, -1, self.letters, "letters")
        batch = increments.shape[0]
        letters = jnp.moveaxis(increments, 0, -1)
        initial = tuple(jnp.zeros((size, batch), increments.dtype) for size in self.state_dimensions)
        chunk = max(1, _COLUMNS // max(batch, 1)) if chunk is None else chunk
        states = self.cascade().run(letters, initial, chunk=chunk, stream=stream)
        return tuple(jnp.moveaxis(state, -1, 0) for state in states)

    def cascade(self) -> ScanCascade:
        """Return the tower as a cascade over letters of shape (length, letters, batch)."""
        stages = [Stage(lambda letters, below: letters)]
        spans = self.spans
        for layer in range(1, self.layers):
            stages.append(Stage(partial(self._increment, spans[layer - 1], spans[layer])))
        return ScanCascade(tuple(stages))

    def _increment(self, span: Span, out: Span, letters: Array, below: tuple[Below, ...]) -> Array:
        time, _, batch = letters.shape
        # rows first, so that the columns of a row are contiguous
        a, b = (jnp.moveaxis(array, 1, 0).reshape(array.shape[1], -1) for array in below[-1])
        if span.highest == 1:
            result = first_increment(a, b, self.nilpotency)
        else:
            result = deeper_increment(a, b, span, out, letters=self.letters)
        return jnp.moveaxis(result.reshape(-1, time, batch), 0, 1)

    @jax.jit
    def factors(
        self,
        states: Sequence[Float[Array, "batch _"]],
        matrices: Float[Array, "letters size size"],
        scales: Float[Array, " scales"],
    ) -> tuple[Float[Array, "scales batch size size"], ...]:
        """Return e^{u_j} - 1 for every layer j, with scales * matrices for the generators; each to relative rounding.

        Raises:
            ValueError: There is not one matrix for each letter, or the states do not fit the dimensions of this tower.
        """
        dimension("matrices", matrices, 0, self.letters, "letters")
        if len(states) != self.layers:
            raise ValueError(f"states must hold one array for each of the {self.layers} layers, got {len(states)}")
        brackets = bracket_matrices(matrices, self.nilpotency)
        elements = []
        for layer, (span, state) in enumerate(zip(self.spans, states, strict=True)):
            dimension(f"states[{layer}]", state, -1, span.dimension(self.letters), "Lyndon brackets of the layer's degrees")
            elements.append(graded_element(state, brackets, span, scales, self.letters))
        return tuple(exponential_excess(jnp.stack(elements)))

    def evaluate(
        self,
        states: Sequence[Float[Array, "batch _"]],
        matrices: Float[Array, "letters size size"],
        scales: Float[Array, " scales"],
    ) -> Float[Array, "scales batch size size"]:
        """Return e^{u_k} ... e^{u_1} with scales * matrices for the generators; raises as `factors`."""
        excess = excess_product(*reversed(self.factors(states, matrices, scales)))
        return jnp.eye(matrices.shape[-1], dtype=matrices.dtype)[None, None] + excess


def lie_tower(letters: int, layers: int, nilpotency: int) -> LieTower:
    """Return the tower of `layers` layers for `letters` generators, keeping brackets of at most `nilpotency` letters.

    The error of k = `layers` layers starts at degree m_k, so it shows, as order eps^(m_k), only if nilpotency >= m_k.

    Raises:
        TypeError: An argument is not an integer.
        ValueError: A number is below 1, or the last of the layers would have nothing to sum.
    """
    at_least("letters", letters, 1)
    at_least("layers", layers, 1)
    at_least("nilpotency", nilpotency, 1)
    highest = len(derived_lowest_degrees(letters, nilpotency))
    if layers > highest:
        raise ValueError(
            f"layers must be at most {highest} for {letters} letters and class {nilpotency}, got {layers}: the next derived "
            "ideal has no bracket of so few letters; raise nilpotency or take fewer layers"
        )
    return LieTower(letters, layers, nilpotency)


@cache
def derived_lowest_degrees(letters: int, nilpotency: int) -> tuple[int, ...]:
    """Return lower bounds of the lowest degrees of the nonzero L, L', L'', ... within the class.

    The next entry is the lowest degree of a non-zero bracket of two basis elements from the last entry on: 1, 2, 5, 10, ...
    for two letters and 1, 2, 4, 8, ... for three, which are the degrees themselves.
    """
    degrees = lyndon_basis(letters, nilpotency).degrees
    table = structure_constants(letters, nilpotency)
    lowest = [1]
    while True:
        inside = (degrees[table.left] >= lowest[-1]) & (degrees[table.right] >= lowest[-1])
        if not inside.any():
            return tuple(lowest)
        lowest.append(int(degrees[table.target][inside].min()))
