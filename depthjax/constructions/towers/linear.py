r"""Random cascades driven linearly by their increments, in which a signed letter and its inverse undo each other.

Layer 1 sums the increments; layer j + 1 sums linear images of them whose coefficients are smooth functions of the
layers below:

    u_1 += x,        u_{j+1} += f_j(m_1, ..., m_j) x,        m_i = u_i + inc_i / 2,

where x is the increment, f_j a random field of matrices and m_i the midpoint of layer i over the step. The step of -x from the
end of a step of x has the same midpoints and the opposite increments, so it is the exact inverse (to rounding, in floating
point). The letters thus act as a group, each layer by translations that depend on the layers below: a subgroup of a k-fold
wreath product of abelian groups, solvable of derived length at most k. Hence every word that is trivial in the free solvable
group of class k returns every cascade of k layers to its start. With the state before the step in place of the midpoint, x and
-x do not undo each other and the statement is false.

Source: Magnus, Annals of Mathematics 40 (1939), for the embedding; the midpoint construction is derived here.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Key

from depthjax.checks import at_least, in_alphabet
from depthjax.scans.cascade import Below, ScanCascade, Stage


def random_linear_cascade(
    key: Key[Array, ""], letters: int, layers: int, width: int, *, dtype: DTypeLike = jnp.float64
) -> ScanCascade:
    """Return a cascade of `layers` layers over increments of shape (length, letters, batch).

    Layer 1 has states of shape (letters, batch), every further layer (width, batch). The field of a layer is
    f(m) = A sin(B m + c), with A, B, c normal: bounded, smooth and generic. `linear_cascade_start` gives the initial states.
    """
    at_least("letters", letters, 1)
    at_least("layers", layers, 1)
    at_least("width", width, 1)
    shapes = []
    for inputs in (letters + below * width for below in range(layers - 1)):
        hidden = 2 * (inputs + width)
        shapes += [(hidden, inputs), (hidden,), (width, letters, hidden)]
    # one draw for all: each draw costs as much to compile as the rest of the cascade
    ends = np.cumsum([0, *(math.prod(shape) for shape in shapes)])
    normals = jax.random.normal(key, (int(ends[-1]),), dtype)
    arrays = [normals[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]
    stages = [Stage(lambda increments, below: increments)]
    for inner, shift, outer in zip(arrays[::3], arrays[1::3], arrays[2::3], strict=True):
        stages.append(Stage(_field(inner * (2 / inner.shape[1] ** 0.5), shift, outer / shift.size**0.5)))
    return ScanCascade(tuple(stages))


def linear_cascade_start(
    letters: int, layers: int, width: int, batch: int, dtype: DTypeLike = jnp.float64
) -> tuple[Array, ...]:
    """Return initial states of zeros."""
    return tuple(jnp.zeros((letters if layer == 0 else width, batch), dtype) for layer in range(layers))


def signed_letters(
    words: Array, letters: int, scale: float = 1.0, *, dtype: DTypeLike = jnp.float64
) -> Float[Array, "length letters batch"]:
    """Return the increments of signed words of shape (length, batch): letter i is +scale e_i, i + letters is -scale e_i.

    Raises:
        ValueError: A letter is out of range (under jit: NaN for that letter).
    """
    words = in_alphabet("words", words, 2 * letters)
    one_hot = jax.nn.one_hot(words, 2 * letters, dtype=dtype, axis=1)
    one_hot = jnp.where(words[:, None] < 0, jnp.asarray(jnp.nan, dtype), one_hot)
    return scale * (one_hot[:, :letters] - one_hot[:, letters:])


def _field(inner: Array, shift: Array, outer: Array):
    def increment(letters: Array, below: tuple[Below, ...]) -> Array:
        middle = jnp.concatenate([stage.before + stage.increment / 2 for stage in below], axis=1)
        features = jnp.sin(jnp.einsum("hi,tib->thb", inner, middle) + shift[None, :, None])
        return jnp.einsum("wlh,thb,tlb->twb", outer, features, letters)

    return increment
