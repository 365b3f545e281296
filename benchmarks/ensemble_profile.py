"""Where the time of a training step goes: ``python -m benchmarks.ensemble_profile [--widths 16 64]``.

The networks of `benchmarks.ensemble`, compiled as for long training and trained for some steps, of which all but the first
stretch are traced by JAX's profiler. Every kernel counts with its own time, without that of the kernels that it calls. Kinds of
kernels are told by their names, which XLA makes of the operations that it fused.
"""

import argparse
import collections
import re
import tempfile
from functools import partial
from pathlib import Path

import jax
import numpy as np

from benchmarks.enough import Enough
from benchmarks.ensemble import cross_entropy
from depthjax.models import sequence_model
from depthjax.runs.provenance import configure
from depthjax.tasks.words import GroupWords
from depthjax.training import Recipe, Segment, ensemble
from theory.groups import group

STRETCH, TRACED = 5, 6  # steps of a stretch, and stretches that are traced
LONG = 10**5 * STRETCH  # steps of the recipe, which is broken off
KINDS = {  # the first pattern that a kernel's name has
    "matrix products": "ynn|dot|custom-call",  # ynn: a product by XLA's library, with what it fused around it
    "loops": "while|call|conditional",
    "copies and slices": r"^(wrapped_)?(copy|slice|dynamic|concatenate|pad|transpose|bitcast|broadcast|gather|scatter|select)",
    "sums": "reduce",
    "elementwise": "fusion|wrapped|add|multiply|exp|log|tanh|sine|cosine|rsqrt|convert|compare|iota|rng|xor|shift",
}


def traced(width: int, length: int, batch: int, depth: int, seeds: int, folder: str) -> None:
    """Train an ensemble, and leave a trace of some stretches in the folder."""
    task = GroupWords(np.asarray(group("S3").table))
    model = sequence_model("aussm", letters=task.letters, classes=task.classes, width=width, max_depth=depth, state=1, mlp=True)
    recipe = Recipe(steps=LONG, record_every=STRETCH, clip=1.0)
    sample, seen = partial(task.sample, batch=batch, length=length), 0

    def watch(segment: Segment) -> None:
        nonlocal seen
        seen += 1
        if seen == 1:
            options = jax.profiler.ProfileOptions()
            options.python_tracer_level = 0
            jax.profiler.start_trace(folder, profiler_options=options)
        elif seen > TRACED:
            jax.profiler.stop_trace()
            raise Enough

    try:
        ensemble(
            jax.random.key(0),
            model.init,
            partial(cross_entropy, model),
            sample,
            recipe,
            depths=[depth],
            seeds=seeds,
            segments=recipe.records,
            watch=watch,
        )
    except Enough:
        pass


def kernels(folder: str) -> collections.Counter:
    """Own nanoseconds and number of calls of every kernel of a trace, as ``(name, "time")`` and ``(name, "calls")``."""
    found: collections.Counter = collections.Counter()
    (file,) = Path(folder).rglob("*.xplane.pb")
    for plane in jax.profiler.ProfileData.from_file(str(file)).planes:
        for line in plane.lines:
            open_: list[tuple[float, str]] = []  # the calls around the present one, with their ends
            events = [e for e in line.events if any(name == "hlo_op" for name, _ in e.stats)]
            for event in sorted(events, key=lambda e: (e.start_ns, -e.duration_ns)):
                while open_ and open_[-1][0] <= event.start_ns:
                    open_.pop()
                name = str(event.name)
                found[name, "time"] += event.duration_ns
                found[name, "calls"] += 1
                if open_:
                    found[open_[-1][1], "time"] -= event.duration_ns
                open_.append((event.start_ns + event.duration_ns, name))
    return found


def kind(name: str) -> str:
    """The kind of a kernel, by its name."""
    return next((kind for kind, pattern in KINDS.items() if re.search(pattern, name)), "other")


def main() -> None:
    """Print the share of every kind, and the longest kernels, for every width."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in {"length": 64, "batch": 64, "depth": 2, "seeds": 2, "longest": 8}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--widths", type=int, nargs="+", default=[16, 64])
    options = parser.parse_args()
    configure("float32", split=True)
    for width in options.widths:
        with tempfile.TemporaryDirectory() as folder:
            traced(width, options.length, options.batch, options.depth, options.seeds, folder)
            found = kernels(folder)
        times = {name: time for (name, what), time in found.items() if what == "time"}
        total, steps = sum(times.values()), STRETCH * TRACED * options.seeds
        print(f"width {width}: {total / steps / 1e6:.2f} ms a network-step in {len(times)} kernels", flush=True)
        shares: collections.Counter = collections.Counter()
        for name, time in times.items():
            shares[kind(name)] += time
        for name, time in shares.most_common():
            print(f"  {name:18} {100 * time / total:5.1f} %")
        for name in sorted(times, key=times.__getitem__, reverse=True)[: options.longest]:
            calls = found[name, "calls"] / steps
            print(f"    {name:44} {100 * times[name] / total:5.1f} %, {calls:.0f} calls a network-step")


if __name__ == "__main__":
    main()
