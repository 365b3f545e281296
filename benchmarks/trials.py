"""How fast small networks train side by side and one after another: ``python -m benchmarks.trials``.

Twelve networks of two depths learn words of S3. Both ways give the same numbers up to rounding. "running" is the processor time
of one after another over that of side by side, without compilation; "whole" the same with compilation.
"""

import argparse
import itertools
import time
from typing import Any

import jax
import numpy as np

from depthjax.models import SequenceModel, sequence_model
from depthjax.tasks.words import GroupWords
from depthjax.training import Learner, Recipe, Streams, trials
from depthjax.training.losses import cross_entropy
from theory.groups import group

DEPTHS, SEEDS, LENGTH, BATCH = (1, 2), 6, 8, 16


def network(setup: tuple[SequenceModel, GroupWords, int], own: Streams, depth: jax.Array) -> Learner:
    """A network of a depth on words of a group."""
    model, words, steps = setup

    def loss(params: Any, batch: Any) -> tuple[jax.Array, dict[str, jax.Array]]:
        return cross_entropy(model.apply(params, batch.tokens, depth), batch)

    recipe = Recipe(steps, 1e-2, record_every=steps)
    return Learner(model.init(own.initial), loss, lambda key: words.sample(key, BATCH, LENGTH), recipe, lambda run: run.losses)


def seconds(model: SequenceModel, words: GroupWords, steps: int, together: bool) -> tuple[float, float]:
    """Processor seconds of a first call, which compiles, and of a second one."""
    keys, marks = jax.random.split(jax.random.key(0), SEEDS), [time.process_time()]
    for _ in range(2):
        trials(network, (model, words, steps), keys, (np.array(DEPTHS),), together=together)
        marks.append(time.process_time())
    return marks[1] - marks[0], marks[2] - marks[1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--kinds", nargs="+", default=["lstm", "signed_mamba", "transformer"])
    parser.add_argument("--widths", nargs="+", type=int, default=[8, 32])
    options = parser.parse_args()
    words = GroupWords(np.asarray(group("S3").table))
    sizes: dict[str, Any] = {"letters": words.letters, "classes": words.classes, "max_depth": max(DEPTHS)}
    print(f"{jax.default_backend()}: {len(DEPTHS) * SEEDS} networks, {options.steps} steps")
    for kind, width in itertools.product(options.kinds, options.widths):
        model = sequence_model(kind, width=width, **sizes)
        after, beside = (seconds(model, words, options.steps, together) for together in (False, True))
        running, whole = after[1] / beside[1], after[0] / beside[0]
        print(f"{kind:14s} width {width:3d}  running {running:.2f}  whole {whole:.2f}  ({after[1]:.1f} s, {beside[1]:.1f} s)")


if __name__ == "__main__":
    main()
