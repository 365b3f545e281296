"""Programs that run once or for seconds: they are compiled quickly, not well."""

from collections.abc import Callable
from typing import Any

import jax


def jit(function: Callable[..., Any], level: int = 0, **options: Any) -> Callable[..., Any]:
    """`jax.jit` at an optimisation level of the CPU's code generator (0 ... 3); the highest takes longer than what it saves."""
    quick = {"xla_backend_optimization_level": level} if jax.default_backend() == "cpu" else {}
    return jax.jit(function, compiler_options=quick, **options)
