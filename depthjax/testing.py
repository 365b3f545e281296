"""Laws that tests of layers and kernels share: trace counts, and the agreement of a model's two forms.

A law raises AssertionError where it fails.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import chex
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Integer


def traced_at_most(times: int, function: Callable) -> Callable:
    """Return `jax.jit(function)` that raises AssertionError when it is traced more than `times` times.

    Counts of functions that were wrapped earlier start again from zero.

    >>> double = traced_at_most(1, lambda x: 2 * x)
    >>> int(double(jnp.array(1))), int(double(jnp.array(2)))
    (2, 4)
    """
    chex.clear_trace_counter()
    return jax.jit(chex.assert_max_traces(n=times)(function))


def parallel_matches_stepwise(
    model: Any, params: Any, tokens: Integer[Array, "batch length"], *, rtol: float = 1e-9, atol: float = 1e-10
) -> Float[Array, "batch length outputs"]:
    """Assert that the parallel form of a sequence model agrees with its stepwise form, and return the parallel outputs.

    Args:
        model: Hashable, with `apply(params, tokens)`, `initial(batch, length)` and `step(params, state, tokens)`, as
            `depthjax.models.SequenceModel`. Both forms are compiled once for each model and shape.
        params: Parameters of the model.
        tokens: Letters.
        rtol: Relative tolerance.
        atol: Absolute tolerance.

    Raises:
        AssertionError: The two forms differ by more than the tolerance.

    >>> from depthjax.models import sequence_model
    >>> model = sequence_model("gla", letters=2, width=8, max_depth=1, classes=2)
    >>> params = model.init(jax.random.key(0))
    >>> parallel_matches_stepwise(model, params, jnp.array([[0, 1, 1, 0]]), rtol=1e-4, atol=1e-5).shape
    (1, 4, 2)
    """
    parallel, stepwise = _both_forms(model, params, tokens)
    chex.assert_trees_all_close(parallel, stepwise, rtol=rtol, atol=atol)
    return parallel


@partial(jax.jit, static_argnums=0)
def _both_forms(model: Any, params: Any, tokens: Array) -> tuple[Array, Array]:
    steps = jax.lax.scan(lambda state, now: model.step(params, state, now), model.initial(*tokens.shape), tokens.T)[1]
    return model.apply(params, tokens), jnp.swapaxes(steps, 0, 1)
