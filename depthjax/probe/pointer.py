"""Following a pointer twice by sums over the positions: a search for the best of all single heads without an MLP."""

from functools import partial

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Int, Key

from depthjax.tasks.words import all_words


def pointer_tables(entries: int, query: int = 0) -> tuple[Int[Array, "tables entries"], Int[Array, " tables"]]:
    """Return all tables f of `entries` numbers, and f(f(query)) of each: entries ** entries rows."""
    tables = all_words(entries, entries)
    return tables, jnp.take_along_axis(tables, tables[:, query, None], axis=1)[:, 0]


@partial(jax.jit, static_argnames=("entries", "starts", "steps", "together"))
def best_sum(
    key: Key[Array, ""], entries: int, starts: int, steps: int, together: int = 1, rate: float = 0.3
) -> Int[Array, ""]:
    """Return the largest number of tables, of entries ** entries, on which a sum over positions was seen to answer f(f(0)).

    The sum answers argmax_c sum_j g_c(j, f(j)); the search is over the functions g.
    Uniform attention with the values g is such a sum, so a head attains every number that is found. By symmetry it is the same
    for every query. The search is Adam on the cross-entropy over all tables, from random starts; every step is a candidate.

    Args:
        key: Key of the starts.
        entries: Numbers of the table.
        starts: Number of starts.
        steps: Steps from each start.
        together: Entries that a term of the sum reads: 1 for a head, 2 for sums over pairs of positions.
        rate: Rate of Adam.
    """
    tables, answers = pointer_tables(entries)
    seen = jax.nn.one_hot(tables, entries, dtype=jnp.float32).reshape(len(tables), -1)
    terms = seen
    for _ in range(together - 1):
        terms = (terms[:, :, None] * seen[:, None]).reshape(len(tables), -1)
    optimiser = optax.adam(rate)

    def loss(g: Array) -> tuple[Array, Array]:
        logits = terms @ g
        right = (logits.argmax(axis=1) == answers).sum()
        return optax.softmax_cross_entropy_with_integer_labels(logits, answers).mean(), right

    def step(state: tuple, _: None) -> tuple[tuple, Array]:
        g, moments = state
        (_, right), slope = jax.value_and_grad(loss, has_aux=True)(g)
        with jax.numpy_dtype_promotion("standard"):  # optax raises floats to integer powers
            moves, moments = optimiser.update(slope, moments)
        return (optax.apply_updates(g, moves), moments), right

    def search(key: Array) -> Array:
        g = jax.random.normal(key, (terms.shape[1], entries), jnp.float32)
        return jax.lax.scan(step, (g, optimiser.init(g)), None, length=steps)[1].max()

    return jax.lax.map(search, jax.random.split(key, starts)).max()
