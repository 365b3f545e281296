"""Prefix sums: the commutative accumulation that one layer can do."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Num

from depthjax.checks import dimension


def prefix_sum(
    terms: Num[Array, "length ..."],
    initial: Num[Array, "..."] | None = None,
    *,
    inclusive: bool = True,
) -> Num[Array, "length ..."]:
    """Return the running sums along the leading axis, each with `initial` added.

    Inclusive sums are result[t] = initial + terms[0] + ... + terms[t]. Exclusive sums leave out terms[t], so result[0] is
    `initial` itself and result[t] the state *before* step t. The rounding error is that of pairwise summation. Cost: time and
    memory linear in the size of `terms`, depth logarithmic in the length on parallel hardware.

    Raises:
        ValueError: `initial` does not have the shape of one term.

    >>> prefix_sum(jnp.arange(4)).tolist(), prefix_sum(jnp.arange(4), inclusive=False).tolist()
    ([0, 1, 3, 6], [0, 0, 1, 3])
    """
    if initial is None:
        initial = jnp.zeros(terms.shape[1:], terms.dtype)
    for axis, size in enumerate(terms.shape[1:]):
        dimension("initial", initial, axis, size, "what one term counts there")
    if terms.shape[0] == 0:
        return terms
    if not inclusive:
        terms = jnp.concatenate([initial[None], terms[:-1]])
    else:
        terms = terms.at[0].add(initial)
    return jax.lax.associative_scan(jnp.add, terms) if terms.shape[0] > 1 else terms
