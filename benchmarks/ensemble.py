"""A grid of depths x seeds in several ways: ``python -m benchmarks.ensemble [--steps N] [--width W] [--length L] ...``.

The same model (a complex diagonal recurrence and an MLP in every layer), batch, width and length, AdamW with clipping,
training included from keys to trained networks:

- chosen: what the ensemble takes by itself, with every core a device of its own, as `depthjax sweep` has it;
- masked: one compilation for every depth and seed; buckets: one for every depth; `--lanes` runs side by side;
- loop: one jitted run after the other, each depth compiled once;
- torch: the same network written in PyTorch (extra `bench`, CPU build), the recurrence as a loop of real pairs over positions.

Every way has a process of its own. A network-step is one optimiser step of one network. With `--cpu` times are processor
time, which other work on the machine disturbs less than wall-clock time; the two agree to the number of cores kept busy.
"""

import argparse
import multiprocessing
import time
from collections.abc import Callable
from functools import partial
from typing import Literal

import jax
import numpy as np
import optax

from depthjax.models import SequenceModel, sequence_model
from depthjax.runs.provenance import split_cores
from depthjax.tasks.words import GroupWords
from depthjax.training import Recipe, ensemble, fit
from theory.groups import group


def cross_entropy(model: SequenceModel, params, batch, depth):
    """Mean over positions that count."""
    losses = optax.softmax_cross_entropy_with_integer_labels(model.apply(params, batch.tokens, depth), batch.labels)
    return (losses * batch.weights).sum() / batch.weights.sum(), {}


def jax_ways(options: argparse.Namespace, task: GroupWords) -> dict[str, Callable[[], object]]:
    """The three ways in JAX."""
    deepest = max(options.depths)
    model = sequence_model(
        "aussm", letters=task.letters, classes=task.classes, width=options.width, max_depth=deepest, state=1, mlp=True
    )
    recipe = Recipe(steps=options.steps, record_every=options.steps, clip=1.0)
    sample = partial(task.sample, batch=options.batch, length=options.length)
    loss = partial(cross_entropy, model)

    def grid(layout: Literal["auto", "masked", "buckets"]):
        found = ensemble(
            jax.random.key(0),
            model.init,
            loss,
            sample,
            recipe,
            depths=options.depths,
            seeds=options.seeds,
            layout=layout,
            lanes=options.lanes,
        )
        print(f"{found.layout}, lanes: {found.lanes}", end="; ")

    def loop():
        for depth in options.depths:
            one = jax.jit(
                lambda key, depth=depth: fit(
                    key, model.init(key), lambda params, batch: loss(params, batch, depth), sample, recipe
                )
            )
            for seed in range(options.seeds):
                jax.block_until_ready(one(jax.random.key(seed)))

    return {
        "chosen": partial(grid, "auto"),
        "masked": partial(grid, "masked"),
        "buckets": partial(grid, "buckets"),
        "loop": loop,
    }


def torch_way(options: argparse.Namespace, table: np.ndarray) -> Callable[[], object]:
    """The same grid in PyTorch."""
    import torch
    import torch.nn.functional as functional
    from torch import nn

    order, width = len(table), options.width
    cayley = torch.as_tensor(np.asarray(table), dtype=torch.long)

    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(width))

        def forward(self, x):
            return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.scale

    def linear(inputs, outputs):
        return nn.Linear(inputs, outputs, bias=False)

    class Rotation(nn.Module):
        def __init__(self):
            super().__init__()
            self.turn, self.down, self.pace = linear(width, width), linear(width, 1), linear(1, width)
            self.open, self.leave = linear(width, width), linear(width, width)
            self.phase = nn.Parameter(2 * torch.pi * torch.rand(width) - torch.pi)
            self.bias, self.skip = nn.Parameter(torch.full((width,), -4.0)), nn.Parameter(torch.ones(width))
            self.drive, self.read = nn.Parameter(torch.randn(2)), nn.Parameter(torch.randn(2))

        def forward(self, u):
            angle = self.turn(u) * width**-0.5 + self.phase
            force = functional.softplus(self.pace(self.down(u)) + 2 * self.bias) * functional.silu(u)
            force = force * functional.softplus(self.drive[0])
            cosine, sine = torch.cos(angle).unbind(), torch.sin(angle).unbind()
            reals, imaginaries = (force * torch.cos(self.drive[1])).unbind(), (force * torch.sin(self.drive[1])).unbind()
            real = imaginary = torch.zeros_like(u[0])
            seen = []
            for c, s, p, q in zip(cosine, sine, reals, imaginaries, strict=True):
                real, imaginary = c * real - s * imaginary + p, s * real + c * imaginary + q
                seen.append((real, imaginary))
            radius = functional.softplus(self.read[0])
            y = torch.stack([r for r, _ in seen]) * (radius * torch.cos(self.read[1]))
            y = y - torch.stack([i for _, i in seen]) * (radius * torch.sin(self.read[1])) + self.skip * u
            return self.leave(y * functional.silu(self.open(u)))

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.before, self.between, self.mixer = Norm(), Norm(), Rotation()
            self.up, self.down = linear(width, 8 * width), linear(4 * width, width)

        def forward(self, x):
            x = x + self.mixer(self.before(x))
            gate, value = self.up(self.between(x)).chunk(2, -1)
            return x + self.down(functional.silu(gate) * value)

    def batch():
        words = torch.randint(order, (options.length, options.batch))
        labels, product = [], torch.zeros(options.batch, dtype=torch.long)
        for letters in words:
            product = cayley[product, letters]
            labels.append(product)
        first = torch.full((1, options.batch), order)
        return torch.cat([first, words]), torch.cat([torch.zeros_like(first), torch.stack(labels)])

    def run():
        for depth in options.depths:
            for _ in range(options.seeds):
                layers = [Layer() for _ in range(depth)]
                network = nn.Sequential(nn.Embedding(order + 1, width), *layers, Norm(), nn.Linear(width, order))
                optimiser = torch.optim.AdamW(network.parameters(), 1e-3, weight_decay=Recipe().weight_decay)
                for _ in range(options.steps):
                    tokens, labels = batch()
                    loss = functional.cross_entropy(network(tokens).flatten(0, 1), labels.flatten())
                    optimiser.zero_grad()
                    loss.backward()
                    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                    optimiser.step()

    return run


def main() -> None:
    """Print milliseconds a network-step of every way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in {"steps": 20, "width": 64, "length": 64, "batch": 64, "seeds": 4}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--ways", nargs="+", default=["chosen", "loop", "torch"])
    parser.add_argument("--lanes", type=int)
    parser.add_argument("--cpu", action="store_true", help="processor time instead of wall-clock time")
    options = parser.parse_args()
    print(options)
    for name in options.ways:
        process = multiprocessing.get_context("spawn").Process(target=timed, args=(name, options))
        process.start()
        process.join()


def timed(name: str, options: argparse.Namespace) -> None:
    """Run one way and print its time."""
    if name in ("chosen", "masked", "buckets"):
        split_cores()
    clock = time.process_time if options.cpu else time.perf_counter
    table = np.asarray(group("S3").table)
    run = torch_way(options, table) if name == "torch" else jax_ways(options, GroupWords(table))[name]
    begin = clock()
    run()
    each = 1e3 * (clock() - begin) / (options.steps * options.seeds * len(options.depths))
    print(f"{name:8} {each:8.2f} ms a network-step, whole grid with compilation", flush=True)


if __name__ == "__main__":
    main()
