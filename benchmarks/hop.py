"""Constructed hop attention at k = 64, length 512, batch 256: seconds to compile and median seconds to run, by mask and type.

Run with `python benchmarks/hop.py`. Targets on two cores after compilation: must 5 s, aim 2 s.
"""

import statistics
import time

import jax
import jax.numpy as jnp

from depthjax.constructions import hop_transformer
from depthjax.tasks.hops import hop_labels, hop_words


def main() -> None:
    """Print one line for each mask and type."""
    jax.config.update("jax_enable_x64", True)
    words = hop_words(jax.random.key(0), 4, 256, 512)
    labels = hop_labels(words, 4, 64)
    for mask in ("strict", "causal"):
        for dtype in (jnp.float32, jnp.float64):
            model, weights = hop_transformer(64, 512, 4, mask, dtype)
            runs = []
            for _ in range(6):
                start = time.perf_counter()
                logits = model.apply(weights, words).block_until_ready()
                runs.append(time.perf_counter() - start)
            wrong = int((logits.argmax(-1) != labels).sum())
            median = statistics.median(runs[1:])
            name = jnp.dtype(dtype).name
            print(f"{mask:7} {name:8} first {runs[0]:.2f} s, then {median:.2f} s (must 5, aim 2); {wrong} wrong positions")


if __name__ == "__main__":
    main()
