"""Tokens per second of every mixer on one device, forward and with the gradient, and what XLA plans of memory.

A row is one mixer with its projections, or one kernel alone, in one kind of arithmetic. Times are medians of
several calls after compilation and a first call, each waited for. Operations and bytes are what XLA counts; of a loop it counts
one round, so they are left out where the program has a loop.
"""

import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from depthjax.attention import softmax, visible
from depthjax.models import sequence_model
from depthjax.models.kinds import KINDS
from depthjax.scans import gated_scan, householder_scan

Row = dict[str, Any]
REPEATS = 5
GROUP = 16  # programs that are compiled side by side


class Arithmetic(NamedTuple):
    """Type of weights and activations, and JAX's precision of products of floats."""

    dtype: str
    precision: str


ARITHMETICS = {
    "float32": Arithmetic("float32", "highest"),  # what this project computes with
    "bfloat16": Arithmetic("bfloat16", "default"),
    "tf32": Arithmetic("float32", "default"),  # JAX's own choice on GPUs
}


class Shape(NamedTuple):
    """Words of a batch, positions, and channels."""

    batch: int
    length: int
    width: int
    heads: int = 0  # of a kernel alone; a mixer chooses its own

    def __str__(self) -> str:
        return "x".join(map(str, self[: 4 if self.heads else 3]))


SHAPES = (Shape(8, 2048, 512), Shape(4, 8192, 512), Shape(8, 2048, 1024))
TOYS = (Shape(2, 32, 16),)
ALONE = (Shape(8, 1024, 512, 8), Shape(4, 2048, 2048, 16))  # shapes of published kernels, see `benchmarks.accelerator.table`
ALONE_TOYS = (Shape(2, 32, 16, 2),)
WHAT = ("forward", "gradient")
BOTH = ("float32", "bfloat16")


def limit() -> int | None:
    """Return the bytes that this process may have on the device, None where the device does not say."""
    told = jax.devices()[0].memory_stats()
    return None if not told else told.get("bytes_limit")


def rows(
    shapes: Sequence[Shape],
    late: Callable[[], bool],
    kinds: Sequence[str] = tuple(KINDS),
    room: int | None = None,
    alone: Sequence[Shape] = (),
) -> Iterator[Row]:
    """Say what is asked for, then time every mixer, and the kernels alone after the mixers of the first shape.

    A program that needs more than `room` bytes (None: what the device has) is refused with the number. Programs are compiled
    side by side and timed when all of a group are, because compilers of GPUs try out kernels on the device.
    """
    room = limit() if room is None else room
    mixers = [
        [
            (shape, arithmetic, kind, what)
            for arithmetic in ARITHMETICS
            for kind in kinds
            for what in WHAT
            if arithmetic != "tf32" or what == "gradient"
        ]
        for shape in shapes
    ]
    scans = [(shape, arithmetic, kind, what) for shape in alone for kind in KERNELS for arithmetic in BOTH for what in WHAT]
    asked = [*mixers[0], *scans, *itertools.chain(*mixers[1:])]
    yield {"asked": [_head(*one) for one in asked]}
    with ThreadPoolExecutor() as pool:
        for first in range(0, len(asked), GROUP):
            group = []
            for one in asked[first : first + GROUP]:
                if late():
                    break
                group.append((one, _begun(*one, pool)))
            wait([begun.compiled for _, begun in group if isinstance(begun, _Begun)])
            for one, begun in group:
                yield _told(one, begun, room)


def _head(shape: Shape, arithmetic: str, kind: str, what: str) -> Row:
    precision = ARITHMETICS[arithmetic].precision
    return {"mixer": kind, "shape": str(shape), "arithmetic": arithmetic, "what": what, "precision": precision}


def _told(one: Any, begun: Any, room: int | None) -> Row:
    try:
        return _head(*one) | _timed(begun, one[0], room)
    except Exception as error:
        return _head(*one) | {"failed": f"{type(error).__name__}: {str(error)[:300]}"}


class _Begun(NamedTuple):
    compiled: Future
    arguments: Any


def mixer(kind: str, shape: Shape, arithmetic: str, what: str) -> tuple[Callable[..., Any], Any]:
    """Return a program (params, inputs) of one mixer, and the shapes of its arguments.

    The gradient is that of the sum of the squared outputs, in all weights and in the inputs.
    """
    dtype = jnp.dtype(ARITHMETICS[arithmetic].dtype)
    if shape.heads:
        return _alone(kind, shape, dtype, what)
    core = sequence_model(kind, letters=2, classes=2, width=shape.width, max_depth=1, dtype=dtype).layer.mixer
    inputs = jax.ShapeDtypeStruct((shape.length, shape.batch, shape.width), dtype)
    params = jax.eval_shape(lambda x: core.init(jax.random.key(0), x[:16]), inputs)

    def loss(params: Any, inputs: Any) -> Any:
        return jnp.square(jnp.asarray(core.apply(params, inputs), jnp.float32)).sum()

    return (core.apply if what == "forward" else jax.grad(loss, argnums=(0, 1))), (params, inputs)


def _attention(queries: Any, keys: Any, values: Any) -> Any:
    """Causal softmax attention as `depthjax.models.attention` computes it, positions and projections left out."""
    at = jnp.arange(queries.shape[0])
    score = jnp.einsum("ibhd,jbhd->bhij", queries, keys).astype(jnp.float32)
    weight = softmax(score, visible(at, at, "causal")).astype(values.dtype)
    return jnp.einsum("bhij,jbhd->ibhd", weight, values)


def _gated(queries: Any, keys: Any, values: Any, gates: Any) -> Any:
    return gated_scan(queries, keys, values, jax.nn.sigmoid(gates))


def _reflected(queries: Any, keys: Any, values: Any, strengths: Any) -> Any:
    """One step for each token, as a delta rule has."""
    return householder_scan(queries, keys[..., None, :], values[..., None, :], jax.nn.sigmoid(strengths[..., :1]))


KERNELS: dict[str, tuple[Callable[..., Any], int]] = {  # and the number of arrays of (length, batch, heads, size) it reads
    "softmax attention, kernel alone": (_attention, 3),
    "gated_scan, kernel alone": (_gated, 4),
    "householder_scan of one step, kernel alone": (_reflected, 4),
}


def _alone(kind: str, shape: Shape, dtype: Any, what: str) -> tuple[Callable[..., Any], Any]:
    run, reads = KERNELS[kind]
    given = jax.ShapeDtypeStruct((shape.length, shape.batch, shape.heads, shape.width // shape.heads), dtype)

    def loss(*parts: Any) -> Any:
        return jnp.square(run(*parts).astype(jnp.float32)).sum()

    return (run if what == "forward" else jax.grad(loss, argnums=tuple(range(reads)))), (given,) * reads


def _begun(shape: Shape, arithmetic: str, kind: str, what: str, pool: ThreadPoolExecutor) -> Any:
    try:
        run, arguments = mixer(kind, shape, arithmetic, what)
        with jax.default_matmul_precision(ARITHMETICS[arithmetic].precision):
            lowered = jax.jit(run).lower(*arguments)
        return _Begun(pool.submit(_compiled, lowered), arguments)
    except Exception as error:  # told where its row is due
        return error


def _compiled(lowered: Any) -> tuple[Any, float]:
    begun = time.perf_counter()
    return lowered.compile(), time.perf_counter() - begun


def _timed(begun: Any, shape: Shape, room: int | None) -> Row:
    if isinstance(begun, Exception):
        raise begun
    program, seconds = begun.compiled.result()
    plan = planned(program)
    row: Row = {"compile_seconds": seconds, "planned_bytes": plan}
    if room is not None and plan is not None and plan > room:
        return row | {"refused": f"needs {plan:,} bytes, and this device has {room:,}"}
    arguments = drawn(begun.arguments)
    jax.block_until_ready(program(*arguments))
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        jax.block_until_ready(program(*arguments))
        times.append(time.perf_counter() - start)
    median = statistics.median(times)
    row |= {"seconds": median, "tokens_per_second": shape.batch * shape.length / median}
    if "while" not in program.as_text():
        counts = program.cost_analysis() or {}
        counts = counts[0] if isinstance(counts, list) else counts
        if counts.get("flops", 0) > 0:
            row |= {"tflops": counts["flops"] / median / 1e12, "gb_per_second": counts.get("bytes accessed", 0) / median / 1e9}
    return row


def planned(program: Any) -> int | None:
    """Return the bytes of arguments, results and scratch that XLA plans for a compiled program, None where it does not say."""
    told = program.memory_analysis()
    if told is None:
        return None
    return told.argument_size_in_bytes + told.output_size_in_bytes + told.temp_size_in_bytes - told.alias_size_in_bytes


def drawn(shapes: Any) -> Any:
    """Return normal numbers of these shapes, small enough that no recurrence explodes."""
    leaves, tree = jax.tree.flatten(shapes)
    keys = jax.random.split(jax.random.key(0), len(leaves))

    def all_of(keys: Any) -> list[Any]:
        return [0.02 * jax.random.normal(key, leaf.shape, leaf.dtype) for key, leaf in zip(keys, leaves, strict=True)]

    return jax.block_until_ready(jax.tree.unflatten(tree, jax.jit(all_of)(keys)))


def memory_rows(
    shape: Shape, late: Callable[[], bool], kinds: Sequence[str] = tuple(KINDS), room: int | None = None
) -> Iterator[Row]:
    """Say how many bytes a token takes in the gradient of every mixer, as XLA plans it, and the largest batch that fits.

    Two batches are compiled and none is run; a line through the two tells what does not grow with the batch.
    """
    room = limit() if room is None else room
    heads = [{"mixer": kind, "length": shape.length, "width": shape.width} for kind in kinds]
    yield {"asked": heads}
    pair = [shape, shape._replace(batch=2 * shape.batch)]
    with ThreadPoolExecutor() as pool:
        begun = [[] if late() else [_begun(one, "float32", kind, "gradient", pool) for one in pair] for kind in kinds]
        for head, both in zip(heads, begun, strict=True):
            if late() or not both:
                break
            try:
                one, two = (planned(each.compiled.result()[0]) or 0 for each in both)
                yield head | _line(one, two, shape, room)
            except Exception as error:
                yield head | {"failed": f"{type(error).__name__}: {str(error)[:300]}"}
        pool.shutdown(wait=False, cancel_futures=True)


def _line(one: int, two: int, shape: Shape, room: int | None) -> Row:
    each = (two - one) / shape.batch
    fixed = one - each * shape.batch
    row: Row = {"bytes_per_token": each / shape.length, "fixed_bytes": fixed}
    return row if room is None else row | {"device_bytes": room, "largest_batch": int((room - fixed) / each)}
