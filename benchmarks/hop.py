"""Constructed hop attention at length 512: speed at k = 64, and correctness at every k <= 64 after every layer.

`python benchmarks/hop.py` prints seconds to compile and median seconds to run a batch of 256 words, by mask and type. Targets
on two cores after compilation: must 5 s, aim 2 s.

`python benchmarks/hop.py --words 1000` counts wrong positions over so many random words and as many that a search made hard
(some minutes on two cores), each word by the numbers of one layer; `--length` and `--dtype` choose others. Last run, on 22
November 2026, at length 512 in float32 and in float64: 0 wrong within the reach by either mask. The search came to 0.333 from
an integer, where 0.343 is the bound and 0.5 fails.
"""

import argparse
import statistics
import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.attention.lookup import default_sharpness, lookup_error
from depthjax.constructions import hop_transformer
from depthjax.constructions.directions.hop import hop_family, reach
from depthjax.instruments.evolutionary_search import hardest_words, of_one_layer_each
from depthjax.instruments.hops import wrong_by_depth
from depthjax.tasks.hops import alternating_word, hop_labels, hop_words, late_letter_word

HOPS = tuple(range(1, 65))


def speed() -> None:
    """Print one line for each mask and type."""
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


def correctness(count: int, rounds: int, length: int, dtype: str) -> None:
    """Print, for each mask, the wrong positions within and beyond the reach of every depth."""
    for mask in ("strict", "causal"):
        start = time.perf_counter()
        key = jax.random.key(1)
        random = jnp.concatenate(
            [
                hop_words(jax.random.fold_in(key, 0), 4, count - count // 2, length),
                hop_words(jax.random.fold_in(key, 1), 4, count // 2, length, equal_neighbours=True),
            ]
        )
        model, weights = hop_transformer(64, length, 4, mask, jnp.dtype(dtype))
        off = partial(model.unrounded, weights)

        def score(words: jax.Array, off=off) -> jax.Array:
            return of_one_layer_each(off(words))

        hard = hardest_words(jax.random.fold_in(key, 2), score, random, 4, rounds)
        known = jnp.stack([late_letter_word(length), alternating_word(length)])
        family, shared = hop_family(HOPS, length, 4, mask, jnp.dtype(dtype))
        wrong = np.asarray(wrong_by_depth(family, shared, jnp.concatenate([random, hard, known]), HOPS)).sum(axis=0)
        within = np.array([[k <= reach(layers, mask) for k in HOPS] for layers in range(1, family.depth + 1)])
        most = [np.asarray(off(words), float).max(axis=0) for words in (random, hard, known[:1])]
        before, after, top = (layers.round(3).tolist() for layers in most)
        print(
            f"{mask}, {dtype}, length {length}: {2 * count + 2} words, k = 1 ... 64, {family.depth} depths, "
            f"{time.perf_counter() - start:.0f} s. "
            f"Wrong positions within the reach: {wrong[within].sum()}; least beyond it, at any k: {wrong[~within].min()}. "
            f"Distance from an integer before rounding, by layer: random {before}, searched {after}, hardest known word {top}, "
            f"bound {lookup_error(length, default_sharpness(length, jnp.dtype(dtype))):.3f}, fails at 0.5."
        )


def main() -> None:
    """Speed, or correctness if a number of words is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--length", type=int, default=512)
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    given = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    if given.words:
        correctness(given.words, given.rounds, given.length, given.dtype)
    else:
        speed()


if __name__ == "__main__":
    main()
