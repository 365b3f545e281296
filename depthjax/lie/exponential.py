r"""Matrix exponentials kept as 1 + a, so that small ones lose nothing to rounding.

Scaling and squaring of a Taylor polynomial: with |X| <= 3/4 the first 16 terms leave out less than |X| (3/4)^16 / 17!, under
3e-17 |X|, and (1 + a)^2 = 1 + (2a + a^2). Matrix products only. The usual Pade approximants solve linear systems, and several
batched calls of LAPACK at once can stand still: jaxlib's wait for tasks of the very threads that they occupy.

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

    Cost: 6 matrix products, and one for each doubling of the largest norm beyond 3/4. Reverse-mode derivatives are not
    defined (the number of squarings depends on the values); forward-mode ones are.
    """
    norms = jnp.abs(generators).sum(axis=-2).max(axis=-1)[..., None, None]
    squarings = jnp.maximum(jnp.frexp(norms / _RADIUS)[1], 0)
    powers = [generators * jnp.exp2(-squarings.astype(generators.dtype))]
    while len(powers) < _BLOCK:
        powers.append(powers[-1] @ powers[0])
    excess = jnp.zeros_like(generators)
    for block in reversed(range(_BLOCK)):
        terms = sum(power / math.factorial(_BLOCK * block + i) for i, power in enumerate(powers, start=1))
        excess = excess @ powers[-1] + terms

    def square(done: Array, excess: Array) -> Array:
        return jnp.where(done < squarings, excess_product(excess, excess), excess)

    return jax.lax.fori_loop(0, squarings.max(initial=0), square, excess)


def excess_product(*excesses: Float[Array, "*shape size size"]) -> Float[Array, "*shape size size"]:
    """Return (1 + a)(1 + b)... - 1, the first factor on the left."""
    return reduce(lambda a, b: a + b + a @ b, excesses)
