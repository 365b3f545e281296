"""Whether an accelerator computes what mathematics says: every program and its gradient beside float64 on the CPU.

The narrow numbers go into both, so the two differ by what the accelerator rounds. What rounding may do is not typed in but
measured on the CPU, in float64: every number that enters, the cotangent of the gradient included, is moved by one unit
roundoff of the narrow type, up or down by a coin. A rounding inside a recurrence or a product is such a move of a number that
enters it, and a tree of sums or products over `length` positions rounds each of them log2(length) times. So an error beyond

    CONFIDENCE * sqrt(log2(length)) * (largest change that the moves make)

is no rounding: a term is missing, or products ran in another arithmetic (TF32 is 8,192 times as coarse as float32). Where the
budget is as large as the results themselves, as for a hard maximum in bfloat16, the row says so and judges nothing.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.accelerator.programs import Program, Sizes, cast, programs
from depthjax.rounding import CONFIDENCE

WITHIN, BEYOND, SILENT = "within", "BEYOND", "says nothing"
AHEAD = 32  # cases that are compiled before the first is judged
TINY = 1e-300  # no budget is zero
COINS = 2  # draws of the moves; the larger change counts
Row = dict[str, Any]


def with_gradient(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return (cotangent, arguments) -> the result and its pullback to all arguments that are no integers."""

    def both(cotangent: Any, *arguments: Any) -> tuple[Any, list[Any]]:
        leaves, tree = jax.tree.flatten(arguments)
        inexact = [number for number, leaf in enumerate(leaves) if jnp.issubdtype(leaf.dtype, jnp.inexact)]

        def of_inexact(*parts: Any) -> Any:
            full = list(leaves)
            for number, part in zip(inexact, parts, strict=True):
                full[number] = part
            return run(*jax.tree.unflatten(tree, full))

        result, pull = jax.vjp(of_inexact, *(leaves[number] for number in inexact))
        return result, list(pull(cotangent.astype(result.dtype)))

    return both


def rows(sizes: Sizes, late: Callable[[], bool], only: Callable[[Program], bool] = lambda program: True) -> Iterator[Row]:
    """Say which programs are asked for, then judge each on the default device until `late()` holds; needs x64.

    Products run at precision "highest", which is what this project computes with.
    """
    chosen = [(program, dtype) for program in programs() if only(program) for dtype in program.types]
    yield {"asked": [_head(program, dtype) for program, dtype in chosen]}
    narrow, wide = jax.devices()[0], jax.devices("cpu")[0]
    references: dict[str, Future] = {}
    waiting: deque[tuple[Program, str, Any]] = deque()
    with jax.default_matmul_precision("highest"), ThreadPoolExecutor() as pool:
        for program, dtype in chosen:
            if late():
                break
            waiting.append((program, dtype, _begun(program, dtype, sizes, narrow, wide, pool, references)))
            while len(waiting) > AHEAD:
                yield _judged(*waiting.popleft())
        while waiting and not late():
            yield _judged(*waiting.popleft())
        pool.shutdown(wait=False, cancel_futures=True)


def _head(program: Program, dtype: str) -> Row:
    return {"kernel": program.name, "dtype": dtype}


def _begun(*given: Any) -> Any:
    try:
        return _Case(*given)
    except Exception as error:  # whatever a kernel raises is told where its row is due
        return error


def _judged(program: Program, dtype: str, case: Any) -> Row:
    try:
        if isinstance(case, Exception):
            raise case
        return _head(program, dtype) | case.judged()
    except Exception as error:
        return _head(program, dtype) | {"verdict": BEYOND, "failed": f"{type(error).__name__}: {str(error)[:300]}"}


class _Case:
    """A program in one type: compiled in the background, then run and judged."""

    def __init__(self, program: Program, dtype: str, sizes: Sizes, narrow: Any, wide: Any, pool: Any, references: Any) -> None:
        self.program, self.dtype, self.sizes, self.wide = program, dtype, sizes, wide
        with jax.default_device(wide):
            drawn = program.draw(np.random.default_rng(0), sizes)
        self.arguments = cast(drawn, dtype)
        exact = cast(self.arguments, "float64")
        shape = jax.eval_shape(program.reference, *exact)
        if program.exact:
            self.cotangent, run, plain = None, program.make(dtype), program.reference
            given, known = self.arguments, exact
        else:
            drawn = np.random.default_rng(1).normal(size=(2, *shape.shape))
            complexes = jnp.issubdtype(shape.dtype, jnp.complexfloating)
            self.cotangent = cast(drawn[0] + 1j * drawn[1] if complexes else drawn[0], dtype)
            run, plain = with_gradient(program.make(dtype)), with_gradient(program.reference)
            given, known = (self.cotangent, *self.arguments), (cast(self.cotangent, "float64"), *exact)
        self.given, self.known = jax.device_put(given, narrow), known
        self.run = pool.submit(jax.jit(run).lower(*self.given).compile)
        if program.name not in references:  # one for all types: its arguments are float64
            references[program.name] = pool.submit(jax.jit(plain).lower(*jax.device_put(known, wide)).compile)
        self.plain: Future = references[program.name]

    def judged(self) -> Row:
        found, right = self._result(self.run, self.given), self._result(self.plain, jax.device_put(self.known, self.wide))
        if self.program.exact:
            same = all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(right), strict=True))
            return {"error": 0.0 if same else math.inf, "budget": 0.0, "verdict": WITHIN if same else BEYOND}
        unit = float(jnp.finfo(self.dtype).eps) / 2
        moved = [self._result(self.plain, jax.device_put(self._moved(unit, coin), self.wide)) for coin in range(COINS)]
        changes = [_differences(each, right) for each in moved]
        allowed = CONFIDENCE * math.sqrt(math.log2(self.sizes.length))
        scales = _differences(jax.tree.map(np.zeros_like, right), right)
        # where the exact result is zero or is not moved, the result is still rounded once
        budgets = [allowed * max(change) + unit * scale + TINY for *change, scale in zip(*changes, scales, strict=True)]
        errors = _differences(found, right)
        relative = [(e / s, b / s) if s else (e, b) for e, b, s in zip(errors, budgets, scales, strict=True)]
        (error, budget), *slopes = relative
        slope, slope_budget = max(slopes, key=lambda pair: pair[0] / pair[1] if pair[0] else 0.0)
        outside = [e for e, b in relative if not e <= b]  # NaN is outside
        silent = max(b for _, b in relative) >= 1
        return {
            "error": error,
            "budget": budget,
            "gradient_error": slope,
            "gradient_budget": slope_budget,
            "verdict": BEYOND if outside else SILENT if silent else WITHIN,
        }

    def _moved(self, unit: float, seed: int) -> Any:
        """The arguments and the cotangent with every number one unit roundoff up or down."""
        rng = np.random.default_rng(2 + seed)

        def one(leaf: Any) -> Any:
            if np.issubdtype(leaf.dtype, np.integer):
                return leaf
            signs = rng.choice([-1.0, 1.0], size=(2, *leaf.shape))
            if np.issubdtype(leaf.dtype, np.complexfloating):
                return leaf.real * (1 + unit * signs[0]) + 1j * leaf.imag * (1 + unit * signs[1])
            return leaf * (1 + unit * signs[0])

        return jax.tree.map(one, self.known)

    @staticmethod
    def _result(compiled: Future, given: Any) -> Any:
        wide = lambda leaf: np.asarray(leaf).astype("complex128" if np.iscomplexobj(leaf) else "float64")  # noqa: E731
        return jax.tree.map(wide, compiled.result()(*given))


def _differences(found: Any, right: Any) -> list[float]:
    """The largest difference in every array: of the result, and of each gradient."""
    pairs = zip(jax.tree.leaves(found), jax.tree.leaves(right), strict=True)
    return [float(np.abs(a - b).max(initial=0.0)) for a, b in pairs]
