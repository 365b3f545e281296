"""A search for the best single head, and one wide and two narrow layers that are trained to follow pointers."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.models import sequence_model
from depthjax.training import where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.width.one_layer_wide_fails.common import ACCURACY, HOPS
from experiments.width.one_layer_wide_fails.pointer import PointerRuns, best_sum, trained

CONTROLLED = 12  # seeds of the control


PAIR_STEPS = 60  # of the search among sums over pairs


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The best head that a search finds; one layer that is trained on two hops; both networks on both tasks."""
    best = Quantity(_best(cell, key, cell.starts, cell.climb, 1), "entries", floor=0.0, label="accuracy of the best head found")
    found = measured(entries=list(cell.searched), best_head=best)
    return found.merge(_learned(cell, key) if cell.learns else _one_layer(cell, key))


def _best(cell: Cell, key: jax.Array, starts: int, steps: int, together: int) -> np.ndarray:
    """Shares of tables on which the best sum that was found is right, two hops."""
    own = [jax.random.fold_in(key, entries) for entries in cell.searched]
    right = [best_sum(k, entries, starts, steps, together) for k, entries in zip(own, cell.searched, strict=True)]
    return np.array([int(count) / entries**entries for count, entries in zip(right, cell.searched, strict=True)])


def _one_layer(cell: Cell, key: jax.Array) -> xr.Dataset:
    keys = jax.random.split(key, cell.seeds)
    found = _trained(cell, keys, jnp.full(cell.seeds, 2), 1, cell.wide)
    scores = np.asarray(found.right) / cell.inputs
    return measured(
        **_facts(found, (1, 1, cell.seeds)),
        one_layer_twice=Quantity(scores, "seed", floor=0.0, label="accuracy of one trained layer, two hops"),
    )


def _facts(found: PointerRuns, shape: tuple[int, int, int]) -> dict[str, Quantity]:
    """What was trained, how many inputs were asked and of which letters, by layers, hops and seed."""
    facts = found.facts.named() | {"asked": (found.asked, 0.0, "inputs that a network is asked")}
    letters = found.letters.reshape(*shape, -1)
    return {
        "letters": Quantity(letters, "layers hops seed letter", floor=0.0, label="inputs and positions with a letter"),
        **{
            name: Quantity(
                values.reshape(shape),
                "layers hops seed",
                floor=np.broadcast_to(floor, values.shape).reshape(shape),
                label=label,
            )
            for name, (values, floor, label) in facts.items()
        },
    }


def _learned(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Both networks on both tasks, tested on all words; the best sum over pairs of positions."""
    keys = jax.random.split(key, cell.seeds)
    runs = jnp.tile(keys, len(HOPS)), jnp.repeat(jnp.array(HOPS), cell.seeds)
    found = [_trained(cell, *runs, layers, width) for layers, width in ((1, cell.wide), (2, cell.narrow))]
    together = jax.tree.map(lambda *parts: np.stack(parts), *found)
    counts, losses = (part.reshape(2, len(HOPS), cell.seeds, *part.shape[2:]) for part in together[:2])
    scores, pairs = counts / cell.inputs, _best(cell, key, 1, PAIR_STEPS, 2)
    fewest = int(np.argmax(_counts_as_learned(np.arange(cell.inputs + 1) / cell.inputs)))
    return measured(
        **_facts(together, counts.shape),
        layers=[1, 2],
        hops=list(HOPS),
        entries=list(cell.searched),
        best_pair=Quantity(pairs, "entries", floor=0.0, label="accuracy of the best sum over pairs of positions"),
        one_layer_twice=Quantity(scores[0, 1], "seed", floor=0.0, label="accuracy of one trained layer, two hops"),
        two_layers_twice=Quantity(scores[1, 1], "seed", floor=0.0, label="accuracy of two trained layers, two hops"),
        fewest=Quantity(fewest, label="right inputs from which a task counts as learned"),
        learned=Quantity(where_trained(_counts_as_learned(scores), scores), "layers hops seed", label="seeds that learn"),
        accuracy=Quantity(scores, "layers hops seed", label="accuracy on all words"),
        losses=Quantity(losses, "layers hops seed record", label="training loss"),
    )


def _counts_as_learned(accuracy: np.ndarray) -> np.ndarray:
    return accuracy >= ACCURACY


def _trained(
    cell: Cell, keys: jax.Array, hops: jax.Array, layers: int, width: int, heads: int = 1, mlp: bool = False
) -> PointerRuns:
    sizes = {"letters": 2 * cell.entries, "classes": cell.entries, "width": width, "max_depth": layers, "heads": heads}
    length = cell.entries + 1
    model = sequence_model("transformer", **sizes, positions="learned", max_length=length, mlp=mlp)  # type: ignore[arg-type]
    return trained(keys, hops, model, cell.entries, cell.batch, cell.steps, cell.rate)


def with_mlp(cell: Cell, key: jax.Array) -> xr.Dataset:
    """One layer with four heads and an MLP, on two hops, in place of one head without."""
    keys, hops = jax.random.split(key, CONTROLLED), jnp.full(CONTROLLED, 2)
    found = _trained(cell, keys, hops, 1, cell.wide, heads=4, mlp=True)
    learned = _counts_as_learned(found.right / cell.inputs).astype(float)[None, None]
    return measured(
        **_facts(found, learned.shape),
        layers=[1],
        hops=[2],
        learned=Quantity(learned, "layers hops seed", label="seeds that learn"),
    )
