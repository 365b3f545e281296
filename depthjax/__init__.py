"""Numerical side of the toolkit: pure functions of arrays and keys, clean under ``jit`` and ``vmap``."""

from depthjax.signature import log_signature as log_signature
