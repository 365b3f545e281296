"""Numerical side of the toolkit: pure functions of arrays and keys, clean under ``jit`` and ``vmap``."""
