"""Programs that run once on integers: they are compiled quickly, not well."""

from collections.abc import Callable
from typing import Any

import jax


def jit(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """`jax.jit` without the optimisations of the CPU's code generator, which here take longer than what they save."""
    quick = {"xla_backend_optimization_level": 0} if jax.default_backend() == "cpu" else {}
    return jax.jit(function, compiler_options=quick, **options)
