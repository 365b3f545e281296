"""Where numbers come from: the settings JAX ran under, versions, device, commit, and seconds spent compiling."""

import contextlib
import dataclasses
import hashlib
import importlib.metadata
import os
import platform
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

NO_NUMBERS = ("device_count",)  # parts of flags that say who computes, not what: a sweep seals its devices
SURROUNDINGS = ("xla_flags", "jax_options", "threads", "instructions")
# options of JAX that say who computes, what is told and what is kept, and two that seals name beside them
NO_OPTION = re.compile(
    "cache|log|debug|dump|trace|visible_devices|platform|timeout|num_cpu_devices|collectives|cross_host|check|explain|pprint|"
    "report|guard|profil|pgle|share_binary|source_url|preemption|recoverab|warn|enable_x64|default_matmul_precision"
)
KEYS: dict[str, Any] = {  # how keys become numbers; variables of the environment would change it
    "jax_default_prng_impl": "threefry2x32",
    "jax_threefry_partitionable": True,
    "jax_random_seed_offset": 0,
}
BLAS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")  # the first that is set counts
KERNELS = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")  # which of their kernels the libraries take
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"  # products too small to share, and a process a core
PRECISIONS = ("float64", "float32")
PACKAGES = ("depthjax", "jax", "jaxlib", "flax", "numpy", "optax", "scipy", "sympy", "xarray")
POOL = 4  # threads: this project calls LAPACK once or twice at a time; 16 made trained claims a seventh slower on two cores
COMPILE_EVENTS = "/jax/core/compile/"


def configure(precision: str, *, cache: bool = False, brief: bool = False, split: bool = False) -> None:
    """Set what every number depends on: the width of floats and, on accelerators, of products, and how keys become numbers.

    Args:
        precision: ``float64`` or ``float32``.
        cache: keep compiled programs between runs, in the user's cache directory.
        brief: programs will run for less time than they take to compile (`compile_briefly`).
        split: every core of a CPU becomes a device of its own, for work that is spread over devices.

    Raises:
        ValueError: another precision.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision {precision!r}: expected {' or '.join(PRECISIONS)}")
    import jax

    widen_pool()
    if brief:
        compile_briefly()
    if split:
        split_cores()
    jax.config.update("jax_enable_x64", precision == "float64")
    # the defaults of GPUs (TF32) and TPUs (bfloat16) lose more digits than any theorem here allows
    jax.config.update("jax_default_matmul_precision", "highest")
    for name, value in KEYS.items():
        jax.config.update(name, value)
    if cache:
        from depthjax.runs.programs import keep_programs

        keep_programs()


def compile_briefly() -> None:
    """Ask XLA for less optimisation on CPUs; this halves the time of programs that mostly compile.

    An unknown flag ends the process, so the flags are set only for the versions of XLA that were tried. They take effect only
    before JAX starts a backend. Flags that the user set in XLA_FLAGS win, in programs that train networks as well.
    """
    from depthjax.compiler import lean_flags

    if flags := lean_flags():
        _add_flags(*flags, ONE_THREAD)


def split_cores() -> None:
    """Make every core a device, so that independent runs share no loop.

    On two cores this saves 10 % of the time at width 64 and 30 % at width 16 (`benchmarks/ensemble.py`). It takes effect only
    before JAX starts a backend. A number of devices that the user set wins.
    """
    import jax

    if jax.config.values["jax_num_cpu_devices"] < 0 and "device_count" not in os.environ.get("XLA_FLAGS", ""):
        with contextlib.suppress(RuntimeError):  # a backend is running
            jax.config.update("jax_num_cpu_devices", cores())
            _add_flags(ONE_THREAD)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _add_flags(*flags: str) -> None:
    given = os.environ.get("XLA_FLAGS", "")
    if flags[0] not in given:
        os.environ["XLA_FLAGS"] = " ".join((*flags, given)).strip()


def widen_pool() -> None:
    """Ask XLA for at least four threads; a value that the user set in NPROC wins.

    In jaxlib 0.10 a batched LAPACK call holds a thread of XLA's pool while it waits for tasks of the same pool. If as many such
    calls run at once as the pool has threads, they wait for ever. The setting takes effect only before JAX starts a backend.
    """
    os.environ.setdefault("NPROC", str(max(POOL, os.cpu_count() or 1)))


def environment(*, here: bool = True) -> dict:
    """Return versions, device and precision of this process, and the commit if ``here``. Starts JAX's backend."""
    import jax

    device = jax.devices()[0]
    return {
        "commit": commit() if here else "",
        "versions": versions(),
        "device": device.device_kind if device.platform != "cpu" else cpu(),
        "devices": jax.device_count(),
        "x64": x64_enabled(),
        "matmul_precision": jax.config.values["jax_default_matmul_precision"] or "default",
        "xla_flags": os.environ.get("XLA_FLAGS", ""),
        "surroundings": surroundings(),
    }


def surroundings() -> dict[str, str]:
    """Return what numbers depend on besides versions, device and what `configure` was told; starts no backend.

    It is the same in two processes of which the second was started by the first with the same words for `configure`.

    - ``xla_flags``: what XLA is told.
    - ``jax_options``: a digest of the options of JAX, and those that environment variables set.
    - ``threads``: of XLA and of BLAS, because a sum that is split is rounded otherwise: products and decompositions of numpy
      and LAPACK differ in their last digits from size 300 on.
    - ``instructions``: the vector instructions of the CPU, by which libraries choose their kernels.
    """
    import jax

    options = {name: str(value) for name, value in jax.config.values.items() if not NO_OPTION.search(name)}
    given = [
        f"{name.upper()}={os.environ[name.upper()]}"
        for name in sorted(options)
        if name.upper() in os.environ and name not in KEYS
    ]
    digest = hashlib.sha256(repr(sorted(options.items())).encode()).hexdigest()[:8]
    flags = [flag for flag in os.environ.get("XLA_FLAGS", "").split() if not any(part in flag for part in NO_NUMBERS)]
    blas = next((os.environ[name] for name in BLAS if os.environ.get(name)), cores())
    return {
        "xla_flags": " ".join(sorted(flags)),
        "jax_options": " ".join((digest, *given)),
        "threads": f"{os.environ.get('NPROC', cores())} of XLA, {blas} of BLAS",
        "instructions": " ".join((*instructions(), *(f"{name}={os.environ[name]}" for name in KERNELS if name in os.environ))),
    }


def instructions() -> tuple[str, ...]:
    """Return the vector instructions of this machine's CPU, among those by which libraries choose; Linux alone says them."""
    try:
        known = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split()
    except OSError:
        return ()
    return tuple(name for name in ("avx2", "fma", "avx512f", "avx512bw", "avx512_bf16", "asimd", "sve") if name in known)


def cpu() -> str:
    """What this machine's CPU is called in records."""
    return f"cpu ({platform.machine()})"


def numerics() -> dict[str, str]:
    """Return what the numbers of this process depend on besides seed, source code and devices. Starts JAX's backend."""
    place = environment(here=False)
    named = {name: str(place[name]) for name in ("device", "x64", "matmul_precision")}
    return named | {"versions": listed(place["versions"])} | place["surroundings"]


def listed(versions: Mapping[str, str]) -> str:
    """Versions on one line."""
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))


def x64_enabled() -> bool:
    """Whether floats may be 64 bits wide."""
    import jax

    return bool(jax.config.values["jax_enable_x64"])


def versions() -> dict[str, str]:
    """Python and the packages that numbers depend on."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def commit() -> str:
    """The checkout's commit, with ``+changes`` where files differ from it; empty outside a checkout."""
    here = Path(__file__).resolve().parents[2]
    if not (here / ".git").exists():
        return ""
    try:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, timeout=10)
        status = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no"], cwd=here, capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return head.stdout.strip() + ("+changes" if status.stdout.strip() else "") if head.returncode == 0 else ""


@dataclasses.dataclass
class Seconds:
    """Wall seconds of a stretch of work; ``run`` is what compiling left."""

    compile: float = 0.0
    run: float = 0.0


@contextlib.contextmanager
def timed() -> Iterator[Seconds]:
    """Measure the block's seconds, split into JAX's tracing, lowering and compiling on one side and the rest on the other."""
    import jax

    spans: list[tuple[float, float]] = []

    def listen(event: str, duration_secs: float, **_: Any) -> None:
        if event.startswith(COMPILE_EVENTS):
            spans.append((time.monotonic() - duration_secs, time.monotonic()))

    seconds, start = Seconds(), time.monotonic()
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield seconds
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
        seconds.compile = _covered(spans)
        seconds.run = max(time.monotonic() - start - seconds.compile, 0.0)


def _covered(spans: list[tuple[float, float]]) -> float:
    """Length of the union: tracing a function reports the functions inside it as well."""
    total, end = 0.0, -float("inf")
    for left, right in sorted(spans):
        total += max(right - max(left, end), 0.0)
        end = max(end, right)
    return total
