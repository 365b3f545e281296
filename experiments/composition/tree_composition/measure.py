"""An explicit tree of squares, run on long words, and what functions of half of the letters leave of short ones."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import common_size
from depthjax.constructions.composition.paths import tree_weights
from depthjax.instruments.composition import tree_errors, units_in_use, units_without_last_irrep
from depthjax.instruments.linear import losses_by_letters
from depthjax.models.padding import padded
from depthjax.models.polynomial import Tree, tree_layers
from depthjax.rounding import rounding_floor
from depthjax.tasks.composition import CompositionTask, products
from depthjax.tasks.words import uniform_words
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The largest error of a node by layer, the units of every layer, the layers needed, and the best of fewer layers."""
    task = CompositionTask(**given)
    weights = tree_weights(task.encoding, task.irreps)
    return measured(
        **_layers(cell),
        **_of_network(cell, key, task, weights),
        **_of_fewer(cell, task),
        right=Quantity(_right(cell, key, task, weights), label="words whose product the root says"),
        width_without_last=Quantity(
            units_without_last_irrep(task, tree_weights) * _nodes(cell), "layer", label="units in use without an irrep"
        ),
        sizes=Quantity(_sizes(task.codes), label="different singular values of the codes, counted to three"),
    )


def without_last_irrep(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same network without the units of the last irrep: its errors, units and layers."""
    task = CompositionTask(**given)
    rest = task.without_last_irrep()
    return measured(**_layers(cell), **_of_network(cell, key, task, tree_weights(rest.encoding, rest.irreps)))


def _layers(cell: Cell) -> dict[str, np.ndarray]:
    return {"layer": np.arange(1, cell.longest.bit_length())}


def _nodes(cell: Cell) -> np.ndarray:
    """Nodes in each layer."""
    return cell.longest >> np.arange(1, cell.longest.bit_length())


def _padded(weights: Tree, task: CompositionTask) -> tuple[Tree, jax.Array, jax.Array]:
    """The network, the codes and the table at sizes that many groups share."""
    order, width = common_size(len(task.table), 24, 60), common_size(weights.width, 128, 512)
    return padded(weights, task.codes, task.table, order=order, width=width)


def _right(cell: Cell, key: jax.Array, task: CompositionTask, weights: Tree) -> int:
    """Words of which the code of the product is the nearest to what the root returns."""
    words, letters = uniform_words(key, len(task.table), cell.samples, cell.longest), len(task.table)
    network, codes, table = _padded(weights, task)
    said, answers = map(np.asarray, _root(network, codes, table, words))
    found = ((said[:, None, :letters] - task.codes) ** 2).sum(axis=2).argmin(axis=1)
    return int((found == answers).sum())


@jax.jit
def _root(weights: Tree, codes: jax.Array, table: jax.Array, words: jax.Array) -> tuple[jax.Array, jax.Array]:
    """What the root returns of every word, and the product."""
    return tree_layers(weights, codes, words)[-1][:, 0] @ weights.out.T, products(table, words)


def _sizes(codes: np.ndarray) -> int:
    values = np.linalg.svd(codes, compute_uv=False)
    return min(3, len(np.unique(np.round(values / values[0], 9))))  # beyond, some may be equal by chance


def _of_network(cell: Cell, key: jax.Array, task: CompositionTask, weights: Tree) -> dict[str, Quantity]:
    """What a network makes of the words of a task."""
    words = uniform_words(key, len(task.table), cell.samples, cell.longest)
    network = _padded(weights, task)
    errors, _, roots, floors = map(np.asarray, tree_errors(*network, words))
    # as many words as above, so that both share a program
    copies = np.tile(_far_apart(task, cell.longest), (cell.samples, 1))
    halves = np.asarray(tree_errors(*network, jnp.asarray(copies)).halves)
    return {
        "error": Quantity(errors, "layer", floor=floors, label="largest relative error"),
        "one_layer_fewer": Quantity(halves, "layer", floor=floors, label="relative error of the layer below, for one word"),
        "width": Quantity(units_in_use(weights) * _nodes(cell), "layer", label="units in use"),
        "depth": Quantity(1 + int((roots > floors[-1]).sum()), label="layers until the product is right"),
    }


def _far_apart(task: CompositionTask, longest: int) -> np.ndarray:
    """A word whose first nodes are by turns the two elements with the largest and the smallest number in one place."""
    first, second = task.codes[:, 0].argmax(), task.codes[:, 0].argmin()
    word = np.zeros(longest, int)
    word[0] = first
    for middle in 1 << np.arange(longest.bit_length() - 1):
        # the letter in the middle of a first node takes one element to the other; the letters behind it are the identity
        word[middle] = np.argmax(task.table[first] == second)
        first, second = second, first
    return word


def _of_fewer(cell: Cell, task: CompositionTask) -> dict[str, Quantity]:
    """What functions of half of the letters leave of the product, and of the product of the first half."""
    letters = len(task.table)
    length = 4 if letters**4 <= cell.words else 2
    products, of_half = np.arange(letters), np.arange(letters)
    for letter in range(1, length):
        products = task.table[products]
        of_half = task.table[of_half] if letter < length // 2 else np.broadcast_to(of_half[..., None], products.shape)
    whole, half = (losses_by_letters(task.codes[answers]) for answers in (products, of_half))
    floor = rounding_floor(letters**length, task.encoding.dtype, float(np.sum(task.encoding**2)))
    label = "loss of the best functions of half of the letters"
    return {
        "fewer_layers": Quantity(whole[length // 2], floor=floor, label=label),
        "commuting": Quantity(
            int((task.table == task.table.T).sum()), label="pairs of letters with one product in both orders"
        ),
        "of_half": Quantity(half[length // 2], floor=floor, label=f"{label}, for the product of the first half"),
        "of_half_by_fewer": Quantity(half[length // 2 - 1], floor=floor, label="the same of functions of one letter fewer"),
    }
