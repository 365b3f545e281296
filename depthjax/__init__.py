"""Numerical side of the toolkit: pure functions of arrays and keys, clean under ``jit`` and ``vmap``.

The rooms `attention`, `constructions`, `figures`, `lie`, `models`, `probe`, `scans`, `testing`, `training` and `verify` load
when they are first used, and JAX with the first that needs it. Samplers of tasks are imported from the files of
`depthjax.tasks`; runs and their pages are reached through `verify`.
"""

import depthjax.displays  # noqa: F401  notebooks show what is made here
from depthjax.doors import opened

opened(__name__)
