"""How to have XLA compile less: fewer programs, and simpler ones on CPUs, where its defaults compile long and gain little."""

import os
import re

import jax

LEVEL = "xla_backend_optimization_level"
# seen in benchmarks/ensemble.py and in quick runs: a half to two thirds of the seconds of compilation, programs of small arrays
# no slower, large ones up to an eighth. A program in one part instead of 32 saves another sixth: every part sets LLVM up anew,
# and the other cores compile other claims
LEAN = {
    LEVEL: 1,
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}
TRIED = (0, 10)  # of JAX; XLA refuses options that it does not know, and does not promise to keep any


def lean_options(backend: str, once: bool = False) -> dict[str, int | bool] | None:
    """Return `compiler_options` of `jax.jit` for programs that train small networks; None means XLA's own choice.

    A level of optimisation in XLA_FLAGS is theirs too, because an option of a program would win over it.

    Args:
        backend: Name of the backend, such as "cpu".
        once: The program runs once and for a second at most, so that optimising it costs more than it saves.
    """
    if backend != "cpu" or jax.__version_info__[:2] != TRIED:
        return None
    given = re.findall(rf"--{LEVEL}=(\d)(?!\S)", os.environ.get("XLA_FLAGS", ""))  # XLA takes the last
    return LEAN | {LEVEL: 0 if once else int(given[-1]) if given else LEAN[LEVEL]}


def lean_flags() -> tuple[str, ...]:
    """Return the same as words of XLA_FLAGS, for a whole process."""
    return tuple(f"--{name}={str(value).lower()}" for name, value in (lean_options("cpu") or {}).items())


def common_size(size: int, *sizes: int) -> int:
    """Return the least of `sizes` that holds `size`, or `size` itself: arrays padded to few shapes share their programs."""
    return min((common for common in sizes if common >= size), default=size)
