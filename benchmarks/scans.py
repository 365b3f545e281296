"""Every form of every scan, forward and with its gradient: ``python -m benchmarks.scans [scan ...]``.

Figures are milliseconds of processor time on a CPU (insensitive to other work on the machine) and of wall-clock time
elsewhere, the smallest of several runs after compilation, then each form's ratio to the sequential one. The last column is
what `depthjax.scans.choice` takes. Sizes are those of a layer: length x batch x entries.
"""

import sys
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp

from depthjax.scans import affine_scan, gated_scan, householder_scan, matrix_affine_scan, matrix_products
from depthjax.scans.choice import chosen

SIZES = ((16, 64, 16), (64, 64, 64), (256, 16, 64), (1024, 4, 64))
FORMS = ("sequential", "chunked", "associative")


def inputs(scan: str, length: int, batch: int, width: int) -> tuple[jax.Array, ...]:
    """Normal draws of the shapes that a layer of this width gives the scan; matrices have blocks of 4, heads 8 channels."""
    draws = iter(jax.random.split(jax.random.key(0), 8))

    def normal(*shape: int) -> jax.Array:
        return jax.random.normal(next(draws), (length, batch, *shape))

    if scan == "affine":
        return jax.nn.sigmoid(normal(width)), normal(width)
    if scan == "affine, complex":
        angle = normal(width)
        return jax.lax.complex(jnp.cos(angle), jnp.sin(angle)), jax.lax.complex(normal(width), normal(width))
    if scan == "matrix products":
        return (0.5 * normal(width // 4, 4, 4),)
    if scan == "matrix affine":
        return 0.5 * normal(width // 4, 4, 4), normal(width // 4, 4)
    if scan == "gated":
        heads = [normal(width // 8, 8) for _ in range(4)]
        return (*heads[:3], jax.nn.sigmoid(heads[3]) ** (1 / 16))
    key = normal(width // 8, 2, 8)
    key = key / jnp.linalg.norm(key, axis=-1, keepdims=True)
    return normal(width // 8, 8), key, normal(width // 8, 2, 8), 2 * jax.nn.sigmoid(normal(width // 8, 2))


SCANS: dict[str, Callable] = {
    "affine": affine_scan,
    "affine, complex": affine_scan,
    "matrix products": matrix_products,
    "matrix affine": matrix_affine_scan,
    "gated": gated_scan,
    "householder": householder_scan,
}


def milliseconds(run: Callable, parts: tuple[jax.Array, ...], repeats: int = 7) -> float:
    """The smallest time of one call."""
    clock = time.process_time if jax.default_backend() == "cpu" else time.perf_counter
    compiled = jax.jit(run).lower(*parts).compile()
    jax.block_until_ready(compiled(*parts))
    found = []
    for _ in range(repeats):
        begin = clock()
        jax.block_until_ready(compiled(*parts))
        found.append(clock() - begin)
    return 1e3 * min(found)


def main() -> None:
    """One line for each scan and size: forward and gradient, sequential first, then ratios to it."""
    print(f"{jax.devices()[0].device_kind}: ms of the sequential form, then ratios to it (above 1: slower)")
    print(f"{'scan':16} {'size':>14} {'':9} " + " ".join(f"{form:>12}" for form in FORMS) + "  chosen")
    for name in sys.argv[1:] or SCANS:
        for size in SIZES:
            parts = inputs(name, *size)
            forms = FORMS[:2] if name in ("gated", "householder") else FORMS

            def forward(*parts, form, scan=SCANS[name]):
                return scan(*parts, method=form)

            def loss(*parts, form, run=forward):
                return (jnp.abs(run(*parts, form=form)) ** 2).sum()

            slope = jax.grad(loss, argnums=tuple(range(len(parts))))
            for what, run in (("forward", forward), ("gradient", slope)):
                cost = [milliseconds(lambda *parts, form=form, run=run: run(*parts, form=form), parts) for form in forms]
                shown = [f"{cost[0]:9.2f} ms", *(f"{each / cost[0]:12.2f}" for each in cost[1:])]
                best = chosen(SCANS[name].__name__, size[0])[0]
                print(f"{name:16} {'x'.join(map(str, size)):>14} {what:9} " + " ".join(shown) + f"  {best}", flush=True)


if __name__ == "__main__":
    main()
