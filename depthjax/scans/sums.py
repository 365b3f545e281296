"""Prefix sums, and prefix compositions of maps of a finite set.

`prefix_sum` is the commutative accumulation that one layer can do. Its depth is logarithmic in the length on parallel
hardware and its rounding error that of pairwise summation.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Integer, Num

from depthjax.checks import dimension, in_alphabet, marked


def prefix_sum(
    terms: Num[Array, "length ..."],
    initial: Num[Array, "..."] | None = None,
    *,
    inclusive: bool = True,
) -> Num[Array, "length ..."]:
    """Return the running sums along the leading axis, each with `initial` added.

    Inclusive: result[t] = initial + terms[0] + ... + terms[t]; exclusive: the same without terms[t], so that result[0]
    is `initial` itself, the state *before* each step. Time and memory are linear in the size of `terms`.

    Raises:
        ValueError: `initial` has another shape than one term.
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


def table_composition(tables: Integer[Array, "length states"]) -> Int[Array, "length states"]:
    """Return the composition of every prefix of maps of a finite set, each given as the table of its values.

    result[t][q] = tables[t][... tables[1][tables[0][q]] ...]: the first map acts first. Composition of maps is associative,
    so the depth is ceil(log2(length)) on parallel hardware; work and memory are O(length * states).

    Raises:
        ValueError: a value that is no state. Under jit every value that it leads to is -1.
    """
    tables = in_alphabet("tables", tables, tables.shape[-1])
    if tables.shape[0] <= 1:
        return tables

    def after(first: Array, then: Array) -> Array:
        return marked(jnp.take_along_axis(then, first, axis=-1), first < 0)

    return jax.lax.associative_scan(after, tables)
