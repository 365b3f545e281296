"""Every scan, mixer and network of the project as a program: a function of arrays alone, and arguments to call it with.

The correctness of kernels, their speed and their lowering to other platforms read this one table, so a kernel that is added
here is tried everywhere. Arguments are float64 numpy arrays on the host; `cast` makes them numbers of another type.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.attention.prefix import prefix_average, prefix_hard, prefix_softmax
from depthjax.models import polynomial, sequence_model
from depthjax.models.kinds import KINDS
from depthjax.scans import (
    affine_scan,
    gated_scan,
    householder_scan,
    matrix_affine_scan,
    matrix_products,
    prefix_products,
    prefix_sum,
)
from depthjax.scans.cascade import ScanCascade, Stage
from depthjax.scans.counters import ROUTES, last_write, modular_sum

NARROW = ("float32", "bfloat16")
COMPLEX = {"float64": "complex128", "float32": "complex64"}  # half types have no complex numbers
LETTERS = 5


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Sizes of the arguments; the length is a multiple of 16, so that every chunked form cuts it."""

    length: int = 64
    batch: int = 2
    width: int = 32


@dataclasses.dataclass(frozen=True)
class Program:
    """A function of arrays.

    Attributes:
        name: Of the kernel and its form.
        make: dtype -> the function, which computes in this type. Integers among its arguments stay as they are.
        reference: The same by the form with one step after the other, in float64.
        draw: (generator, sizes) -> arguments, in float64.
        exact: The results are integers, which no rounding may change; they have no gradient.
        types: The narrow types that the kernel has.
    """

    name: str
    make: Callable[[str], Callable[..., Any]]
    reference: Callable[..., Any]
    draw: Callable[[np.random.Generator, Sizes], tuple[Any, ...]]
    exact: bool = False
    types: tuple[str, ...] = NARROW


def cast(arguments: Any, dtype: str) -> Any:
    """Return a tree of arguments as numpy arrays of a type, integers kept, complex numbers of the matching width."""

    def one(leaf: Any) -> np.ndarray:
        leaf = np.asarray(leaf)
        if np.issubdtype(leaf.dtype, np.complexfloating):
            return leaf.astype(COMPLEX[dtype])
        return leaf if np.issubdtype(leaf.dtype, np.integer) else leaf.astype(jnp.dtype(dtype))

    return jax.tree.map(one, arguments)


def programs() -> list[Program]:
    """Return every program, scans first."""
    return [*_scans(), *_accumulations(), *_mixers(), *_networks(), *_composers()]


def _scans() -> list[Program]:
    cheap, all_states = ("sequential", "chunked", "associative"), ("sequential", "chunked")
    kinds = {
        "affine_scan": (affine_scan, cheap, _affine, NARROW),
        "affine_scan, complex": (affine_scan, cheap, _turning, ("float32",)),
        "matrix_products": (matrix_products, cheap, lambda rng, sizes: (_rotations(rng, sizes),), NARROW),
        "matrix_affine_scan": (matrix_affine_scan, cheap, _matrices, NARROW),
        "gated_scan": (gated_scan, all_states, _gated, NARROW),
        "householder_scan": (householder_scan, all_states, _reflections, NARROW),
    }
    found = []
    for name, (scan, forms, draw, types) in kinds.items():
        plain = partial(scan, method="sequential")
        for form in forms:
            run = partial(scan, method=form)
            found.append(Program(f"{name}, {form}", lambda dtype, run=run: run, plain, draw, types=types))
    return found


def _accumulations() -> list[Program]:
    def sums(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
        return (rng.normal(size=(sizes.length, sizes.batch, sizes.width)),)

    def read(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
        return rng.normal(size=sizes.length), rng.normal(size=(sizes.length, sizes.width))

    def summed(terms: Any) -> Any:
        return jax.lax.scan(lambda total, term: (total + term,) * 2, jnp.zeros_like(terms[0]), terms)[1]

    def quadratic(scores: Any, values: Any) -> Any:
        seen = np.tril(np.ones((len(scores),) * 2, bool))
        return jax.nn.softmax(jnp.where(seen, scores[None, :], -jnp.inf)) @ values

    found = [
        Program("prefix_sum", lambda dtype: prefix_sum, summed, sums),
        Program("prefix_softmax", lambda dtype: prefix_softmax, quadratic, read),
        Program("prefix_hard", lambda dtype: prefix_hard, prefix_hard, read),
        Program("prefix_average", lambda dtype: prefix_average, prefix_average, sums),
        Program("prefix_products", lambda dtype: _follow, _followed, _words, exact=True, types=("float32",)),
    ]
    for counter, make in (("modular_sum", _counting), ("last_write", _writing)):
        for route in ROUTES:
            cascade = make(route)
            name = f"ScanCascade, {counter} by {route}"
            run = partial(_final, cascade)
            plain = partial(_final, make("scan"))
            found.append(Program(name, lambda dtype, run=run: run, plain, _rows(counter), exact=True, types=("float32",)))
    return found


def _mixers() -> list[Program]:
    return [_mixer(name, kind, switches) for name, (kind, switches) in MIXERS.items()]


# every kind, and the switches that have arithmetic of their own
MIXERS: dict[str, tuple[str, dict[str, Any]]] = {kind: (kind, {}) for kind in KINDS} | {
    "transformer, hard": ("transformer", {"attention": "hard", "mask": "strict", "positions": "none"}),
    "transformer, average": ("transformer", {"attention": "average"}),
    "dense, orthogonal": ("dense", {"transition": "orthogonal"}),
    "gla, convolution": ("gla", {"convolution": True}),
}
SMALL: dict[str, dict[str, Any]] = {kind: {"state": 4} for kind in ("mamba", "signed_mamba", "aussm")}
SCANNED = ("gla", "mamba", "signed_mamba", "aussm", "delta_product", "dense")


def _core(kind: str, switches: dict[str, Any], width: int, dtype: str, **more: Any) -> Any:
    own = SMALL.get(kind, {}) | switches | more
    return sequence_model(kind, letters=LETTERS, classes=3, width=width, max_depth=1, dtype=dtype, **own).layer.mixer


def _mixer(name: str, kind: str, switches: dict[str, Any]) -> Program:
    slow = {"scan": "sequential"} if kind in SCANNED else {}

    def run(dtype: str, params: Any, inputs: Any, **more: Any) -> Any:
        return _core(kind, switches, inputs.shape[-1], dtype, **more).apply(params, inputs)

    def draw(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
        core = _core(kind, switches, sizes.width, "float64")
        inputs = rng.normal(size=(sizes.length, sizes.batch, sizes.width))
        return jax.tree.map(np.asarray, jax.jit(core.init)(jax.random.key(rng.integers(2**31)), inputs)), inputs

    return Program(f"mixer {name}", lambda dtype: partial(run, dtype), partial(run, "float64", **slow), draw)


def _networks() -> list[Program]:
    return [_network(kind) for kind in KINDS]


def _network(kind: str) -> Program:
    slow = {"scan": "sequential"} if kind in SCANNED else {}

    def model(width: int, dtype: str, **more: Any) -> Any:
        own: dict[str, Any] = SMALL.get(kind, {}) | more
        return sequence_model(kind, letters=LETTERS, classes=3, width=width, max_depth=2, dtype=dtype, mlp=True, **own)

    def run(dtype: str, params: Any, words: Any, **more: Any) -> Any:
        return model(params["embedding"].shape[-1], dtype, **more).apply(params, words)

    def draw(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
        params = jax.jit(model(sizes.width, "float64").init)(jax.random.key(rng.integers(2**31)))
        return jax.tree.map(np.asarray, params), rng.integers(0, LETTERS, (sizes.batch, sizes.length), np.int32)

    return Program(f"network {kind}", lambda dtype: partial(run, dtype), partial(run, "float64", **slow), draw)


def _composers() -> list[Program]:
    """The quadratic networks read short words: their values grow as a power of the length."""

    def blocks(rng: np.random.Generator, width: int, **shapes: tuple[int, ...]) -> dict[str, Any]:
        return {name: rng.normal(size=shape) * shape[-2] ** -0.5 for name, shape in shapes.items()}

    def words(rng: np.random.Generator, batch: int) -> tuple[Any, ...]:
        return rng.normal(size=(LETTERS, LETTERS)), rng.integers(0, LETTERS, (batch, 4), np.int32)

    def two_layer(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
        wide = sizes.width
        own = blocks(rng, wide, inputs=(4, LETTERS, wide), out=(LETTERS, wide))
        return own, *words(rng, sizes.batch)

    def recurrent(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
        wide = sizes.width
        own = blocks(rng, wide, first=(LETTERS, wide), drive=(LETTERS, wide), mix=(wide, wide), out=(LETTERS, wide))
        return own, *words(rng, sizes.batch)

    def tree(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
        wide = sizes.width
        own = {"first": (LETTERS, wide), "drive": (LETTERS, wide), "mix": (wide, wide), "join": (wide, wide)}
        return blocks(rng, wide, **own, out=(LETTERS, wide)), *words(rng, sizes.batch)

    def network(kind: Callable[..., Any], run: Callable[..., Any]) -> Callable[..., Any]:
        """The network as a function of its weights by name."""
        return lambda weights, *words: run(kind(**jax.tree.map(jnp.asarray, weights)), *words)

    known = {
        two_layer: (polynomial.TwoLayer, polynomial.two_layer),
        recurrent: (polynomial.Recurrent, polynomial.recurrent),
        tree: (polynomial.Tree, polynomial.tree),
    }
    programs = {draw.__name__: (draw, network(*parts)) for draw, parts in known.items()}
    return [Program(f"network {name}", lambda dtype, run=run: run, run, draw) for name, (draw, run) in programs.items()]


def _affine(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
    shape = (sizes.length, sizes.batch, sizes.width)
    return 1 / (1 + np.exp(-rng.normal(size=shape))), rng.normal(size=shape)


def _turning(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
    shape = (sizes.length, sizes.batch, sizes.width)
    return np.exp(1j * rng.normal(size=shape)), rng.normal(size=shape) + 1j * rng.normal(size=shape)


def _rotations(rng: np.random.Generator, sizes: Sizes) -> np.ndarray:
    """Orthogonal blocks of four: no product of them grows or shrinks, so no rounding is amplified or forgotten."""
    return np.linalg.qr(rng.normal(size=(sizes.length, sizes.batch, sizes.width // 4, 4, 4)))[0]


def _matrices(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
    return 0.9 * _rotations(rng, sizes), rng.normal(size=(sizes.length, sizes.batch, sizes.width // 4, 4))


def _gated(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
    query, key, value, gate = rng.normal(size=(4, sizes.length, sizes.batch, sizes.width // 8, 8))
    return query, key, value, (1 / (1 + np.exp(-gate))) ** (1 / 16)


def _reflections(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
    shape = (sizes.length, sizes.batch, sizes.width // 8)
    key = rng.normal(size=(*shape, 2, 8))
    key /= np.linalg.norm(key, axis=-1, keepdims=True)
    strength = 2 / (1 + np.exp(-rng.normal(size=(*shape, 2))))
    return rng.normal(size=(*shape, 8)), key, rng.normal(size=(*shape, 2, 8)), strength


def _words(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
    table = np.argsort(rng.normal(size=(LETTERS, 60)), axis=-1).T.astype(np.int32)  # every letter permutes sixty states
    return table, rng.integers(0, LETTERS, (sizes.batch, sizes.length), np.int32)


def _follow(table: Any, words: Any) -> Any:
    return prefix_products(table, words)


def _followed(table: Any, words: Any) -> Any:
    return jax.lax.scan(lambda state, letter: (table[state, letter],) * 2, jnp.zeros(len(words), jnp.int32), words.T)[1].T


def _counting(route: str) -> ScanCascade:
    """A counter modulo 6, and one modulo 4 that counts where the first stands at 0 before the letter."""
    lower = Stage(lambda rows, below: rows, modular_sum([6], to=route))
    upper = Stage(lambda rows, below: jnp.where(below[0].before == 0, rows, 0), modular_sum([4], to=route))
    return ScanCascade((lower, upper))


def _writing(route: str) -> ScanCascade:
    return ScanCascade((Stage(lambda rows, below: rows, last_write(3, to=route)),))


def _rows(counter: str) -> Callable[[np.random.Generator, Sizes], tuple[Any, ...]]:
    def draw(rng: np.random.Generator, sizes: Sizes) -> tuple[Any, ...]:
        if counter == "modular_sum":
            return (rng.integers(0, 4, (sizes.length, 1), np.int32),)
        flags = rng.integers(0, 2, (sizes.length, 1), np.int32)
        return (np.concatenate([flags, flags * rng.integers(0, 4, (sizes.length, 1), np.int32)], axis=1),)

    return draw


def _final(cascade: ScanCascade, rows: Any) -> Any:
    return cascade.run(rows, tuple(jnp.zeros(rows.shape[1:], rows.dtype) for _ in cascade.stages), stream=True)
