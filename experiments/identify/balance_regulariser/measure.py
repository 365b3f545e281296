"""Layers trained with every penalty: what they misread in long words, and of stacks below many closed pairs."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.trained import Facts
from depthjax.training import Recipe, where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.identify.balance_regulariser.bracket_layers import (
    FOREVER,
    Brackets,
    balanced,
    misread,
    pairs_until_misread,
    stacks_with_pairs,
)
from experiments.identify.balance_regulariser.common import SPOKEN
from experiments.identify.balance_regulariser.trained_brackets import (
    PENALTIES,
    SPANS,
    initial_weights,
    layer,
    penalised,
    trained_layers,
)

LISTED = ((2, 4), (3, 2), (3, 3), (4, 2), (5, 3))  # types and depths of the languages whose stacks are counted

SOME = 2.0**10  # closed pairs: so many leave of values that cancel no more than rounding does

JUDGED = slice(1, 3)  # the spans of once to twice, and of twice to four times, the training length


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Train layers with every penalty; read long words, and stacks below many closed pairs."""
    brackets = Brackets(cell.types, cell.depth, cell.length)
    recipe = Recipe(cell.steps, cell.rate, warmup=cell.steps // 20, clip=1.0, betas=(0.9, 0.99), record_every=cell.steps)
    found = trained_layers(key, brackets, recipe, cell.weight, cell.width, cell.batch, cell.tests, cell.seeds)
    cases, errors = stacks_with_pairs(brackets), {name: each.errors for name, each in found.items()}
    forever = jnp.full(len(cases.top), FOREVER)

    def fewer(one: str, other: str, label: str, spans: slice = JUDGED) -> Quantity:
        mine, others = (errors[name][:, spans].mean(axis=1) for name in (one, other))
        return Quantity(where_trained(mine < others, mine, others), "seed", label=label)

    def in_the_end(name: str, by_hand: bool = False) -> Quantity:
        def run(layer):
            return misread(balanced(layer, brackets) if by_hand else layer, cases, forever).sum()

        label = f"stacks misread in the end, {'balanced by hand' if by_hand else SPOKEN[name]}"
        return Quantity(np.asarray(jax.vmap(run)(found[name].layers)), "seed", label=label)

    def gaps(layer):
        run, *foretold = pairs_until_misread(layer, cases)
        return tuple(jnp.abs(run - each).max() for each in foretold)

    facts = Facts(*(np.stack(each) for each in zip(*(each.facts for each in found.values()), strict=True)))
    gap, gap_scaled = (np.stack(p) for p in zip(*(jax.vmap(gaps)(each.layers) for each in found.values()), strict=True))
    label = "largest distance from the foretold first failure"
    return measured(
        span=np.array(SPANS),
        penalty=np.array(list(PENALTIES)),
        penalised=Quantity(penalised(key, brackets, cell.width), "penalty queries", label="scores that a penalty sees"),
        astray=Quantity(np.stack([each.astray for each in found.values()]), "penalty seed", label="letters judged by mistake"),
        letters=Quantity(
            np.stack([each.letters for each in found.values()]), "penalty seed use", label="letters of a step and of each test"
        ),
        networks=Quantity([len(each.astray) for each in found.values()], "penalty", label="layers that are trained"),
        **{
            name: Quantity(values, "penalty seed", floor=floor, label=label)
            for name, (values, floor, label) in facts.named().items()
        },
        language=[f"{types} types, depth {depth}" for types, depth in LISTED],
        confused=Quantity(
            [_confused(Brackets(*language, cell.length)) for language in LISTED],
            "language",
            label="stacks misread by a reader of the closed pair alone",
        ),
        misread_none=in_the_end("none"),
        misread_balance=in_the_end("balance"),
        misread_by_hand=in_the_end("balance", by_hand=True),
        gap=Quantity(gap, "penalty seed", floor=0.0, label=label, unit="closed pairs"),
        gap_scaled=Quantity(gap_scaled, "penalty seed", floor=0.0, label=label + " from scaled outputs", unit="closed pairs"),
        helps=fewer("balance", "none", "misreads fewer with the penalty"),
        helps_more=fewer("balance", "openers", "misreads fewer than with the penalty on openers"),
        helps_less=fewer("openers", "balance", "misreads fewer with the penalty on openers"),
        helps_early=fewer("balance", "none", "misreads fewer in training", spans=slice(1)),
        **{f"error_{name}": Quantity(errors[name], "seed span", label=f"share misread, {SPOKEN[name]}") for name in PENALTIES},
        **{
            f"spread_{name}": Quantity(found[name].imbalance, "seed", label=f"variance of score differences, {SPOKEN[name]}")
            for name in PENALTIES
        },
    )


def _confused(brackets: Brackets) -> int:
    """Stacks that the best reader of the closed pair alone misreads: of those with one pair it reads the most frequent type."""
    cases = stacks_with_pairs(brackets)
    pair = np.unique(np.asarray(cases.pair), axis=0, return_inverse=True)[1].ravel()
    counts = np.zeros((pair.max() + 1, brackets.types), int)
    np.add.at(counts, (pair, np.asarray(cases.top)), 1)
    return int((counts.sum(axis=1) - counts.max(axis=1)).sum())


def cancelling(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Stacks that random layers misread in the end where closers cancel their openers, in place of trained layers."""
    brackets = Brackets(cell.types, cell.depth, cell.length)
    cases = stacks_with_pairs(brackets)

    def run(own: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        random = layer(initial_weights(own, brackets, cell.width))
        one = balanced(random, brackets)
        none, some, forever = (misread(one, cases, jnp.full(len(cases.top), pairs)) for pairs in (0.0, SOME, FOREVER))
        return forever.sum(), (none == some).sum(), misread(random, cases, jnp.full(len(cases.top), FOREVER)).sum()

    misread_none, alike, uncancelled = map(np.asarray, jax.vmap(run)(jax.random.split(key, cell.seeds)))
    return measured(
        misread_none=Quantity(misread_none, "seed", label="stacks misread in the end, values that cancel"),
        alike=Quantity(alike, "seed", label="stacks that are read as without pairs, values that cancel"),
        uncancelled=Quantity(uncancelled, "seed", label="stacks misread in the end, the same layers before"),
    )
