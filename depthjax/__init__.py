"""Numerical side of the toolkit: pure functions of arrays and keys, clean under ``jit`` and ``vmap``."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from depthjax.lie.signature import log_signature as log_signature


def __getattr__(name: str) -> Any:
    """Import `log_signature`, and with it JAX, on first use: reading the verdicts of a run does not need JAX."""
    if name != "log_signature":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from depthjax.lie.signature import log_signature

    return log_signature
