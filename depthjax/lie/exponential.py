r"""Matrix exponentials as an excess over the identity, so that small ones lose nothing to rounding.

The method is scaling and squaring of a Taylor polynomial. With |X| <= 3/4 the remainder after 16 terms is below |X| (3/4)^16 /
17! < 3e-17 |X|, and (1 + a)^2 = 1 + (2a + a^2). It uses matrix products only: the usual Pade approximants solve linear systems,
and concurrent batched LAPACK calls can deadlock, because jaxlib waits for tasks of the threads that these calls occupy.

Source: Higham, Functions of Matrices (2008), sections 4.2 and 10.3; the products as Paterson and Stockmeyer arrange them.
"""

import math
from functools import reduce

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

_RADIUS = 0.75
_BLOCK = 4  # 16 terms as four blocks of four: six products


def exponential_excess(generators: Float[Array, "*shape size size"]) -> Float[Array, "*shape size size"]:
    """Return e^X - 1, to relative rounding however small X is.

    Cost: 6 matrix products, and one more for each doubling of the largest norm beyond 3/4. Only forward-mode derivatives are
    defined, because the number of squarings depends on the values.
    """
    norms = jnp.abs(generators).sum(axis=-2).max(axis=-1)[..., None, None]
    squarings = jnp.maximum(jnp.frexp(norms / _RADIUS)[1], 0)
    powers = [generators * jnp.exp2(-squarings.astype(generators.dtype))]
    while len(powers) < _BLOCK:
        powers.append(powers[-1] @ powers[0])
    excess = jnp.zeros_like(generators)
    for block in reversed(range(_BLOCK)):
        terms = sum(power / float(math.factorial(_BLOCK * block + i)) for i, power in enumerate(powers, start=1))
        excess = excess @ powers[-1] + terms

    def square(done: Array, excess: Array) -> Array:
        return jnp.where(done < squarings, excess_product(excess, excess), excess)

    return jax.lax.fori_loop(0, squarings.max(initial=0), square, excess)


def excess_product(*excesses: Float[Array, "*shape size size"]) -> Float[Array, "*shape size size"]:
    """Return (1 + a)(1 + b)... - 1, the first factor on the left."""
    return reduce(lambda a, b: a + b + a @ b, excesses)
