"""Networks that are trained to name every prefix product of a word; tables of products and seeds are data of one program."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer, Key

from depthjax.instruments.trained import Facts, watched
from depthjax.models import sequence_model
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import Batch, padded_table, prepend
from depthjax.training import Fit, Learner, Recipe, Streams, depth_is_data, trials
from depthjax.training.layout import Layout
from depthjax.training.losses import correct, cross_entropy, longest_prefix


@dataclasses.dataclass(frozen=True)
class WordProblemSetup:
    """The network and its training: static, so that all tables share a program.

    Attributes:
        kind: Kind of the network, as in `depthjax.models.sequence_model`.
        switches: Its switches, as pairs of a name and a value.
        order: Number of elements that all tables are padded to; the letter of this number begins every word.
        depth: Number of layers of the deepest network.
        width: Width of the residual stream.
        length: Number of letters of a training word.
        times: Length of the test words, in lengths of the training words.
        batch: Number of words of a training step; every step draws fresh words.
        steps: Number of training steps.
        rate: Peak learning rate.
        tests: Number of test words.
    """

    kind: str
    switches: tuple[tuple[str, Any], ...]
    order: int
    depth: int
    width: int
    length: int
    times: int
    batch: int
    steps: int
    rate: float
    tests: int


class Result(NamedTuple):
    """What every run ends with; NaN for a run whose loss was not finite.

    Attributes:
        short: Share of the positions of words of the training length that are right.
        last: Share of words of the training length whose whole product is right.
        long: Share of the positions of the long words that are right.
        prefix: Largest number of letters through which nine of ten long words are right everywhere.
        guessed: `last` of a network that always answers the identity.
    """

    short: Float[Array | np.ndarray, "*runs"]
    last: Float[Array | np.ndarray, "*runs"]
    long: Float[Array | np.ndarray, "*runs"]
    prefix: Float[Array | np.ndarray, "*runs"]
    guessed: Float[Array | np.ndarray, "*runs"]


class WordRuns(NamedTuple):
    """What became of every run, by table and by seed.

    Attributes:
        result: The tests.
        facts: What was trained; the parts of a network are its layers, and its numbers are those that it uses.
        drawn: Words of a training step, and tokens of each.
    """

    result: Result
    facts: Facts
    drawn: Float[np.ndarray, "tables seeds 2"]


def trained(
    key: Key[Array, ""],
    setup: WordProblemSetup,
    tables: Sequence[Integer[np.ndarray, "_ _"]],
    seeds: int,
    letters: Sequence[Sequence[int]] | None = None,
    depth: int | None = None,
    layout: Layout = "auto",
) -> WordRuns:
    """Train networks on the products of every table from every seed.

    Args:
        key: Key of all runs.
        setup: The network and its training.
        tables: Tables of associative products with identity 0, each with at most `setup.order` elements.
        seeds: Number of runs for each table.
        letters: For each table the elements that words are made of, such as generators of a group; None: all elements.
        depth: Number of layers; None: those of the setup.
        layout: "masked": all depths up to that of the setup share a program, in which depth is data. "buckets": each depth has
            its own. "auto": the faster one (`depthjax.training.depth_is_data`). They give the same numbers up to rounding.

    A run whose loss was not finite has NaN in all tests.

    Cost: the training of ``len(tables) * seeds`` networks.

    Raises:
        ValueError: A table lacks letters, a letter is no element of its table, or the setup has fewer layers.
    """
    padded = np.stack([padded_table(table, setup.order, setup.order) for table in tables])
    alphabets = [np.arange(len(table)) for table in tables] if letters is None else [np.asarray(those) for those in letters]
    for table, those in zip(tables, alphabets, strict=True):
        if not len(those) or not 0 <= min(those) <= max(those) < len(table):
            raise ValueError(
                f"letters {[*map(int, those)]}: expected one or more of the elements 0 to {len(table) - 1} of the table"
            )
    rows = np.stack([np.resize(those, setup.order) for those in alphabets]).astype(padded.dtype)
    keys = jax.vmap(partial(jax.random.fold_in, key))(jnp.arange(len(tables) * seeds)).reshape(len(tables), seeds)
    depth = setup.depth if depth is None else depth
    data = depth_is_data(depth, setup.depth, keys.size * setup.steps, layout)
    setup, layers = (setup, np.asarray(depth)) if data else (dataclasses.replace(setup, depth=depth), None)
    done = trials(_watched, setup, keys, (padded, rows, np.array([len(those) for those in alphabets])), (layers,))
    result, facts, drawn = done.finite(done.found)
    return WordRuns(Result(*result), facts, drawn)


def resets(order: int) -> Int[np.ndarray, "order order"]:
    """Return the table of the identity 0 and `order` - 1 resets: a product is its last factor that is not the identity."""
    first, second = np.indices((order, order))
    return np.where(second == 0, first, second)


def _network(
    setup: WordProblemSetup, own: Streams, table: Array, alphabet: Array, count: Array, depth: Array | None
) -> Learner:
    every = setup.steps // 20
    recipe = Recipe(setup.steps, setup.rate, warmup=every, clip=1.0, record_every=setup.steps)
    sizes = {"width": setup.width, "max_depth": setup.depth, "letters": setup.order + 1, "classes": setup.order}
    model = sequence_model(setup.kind, **sizes, **dict(setup.switches))

    def sample(key: Array, batch: int = setup.batch, length: int = setup.length) -> Batch:
        letters = alphabet[jax.random.randint(key, (batch, length), 0, count)]
        tokens, labels = prepend(letters, setup.order), prepend(prefix_products(table, letters), 0)
        return Batch(tokens, labels, jnp.ones(tokens.shape, jnp.float32))

    def loss(params: Any, batch: Batch) -> tuple[Array, dict[str, Array]]:
        return cross_entropy(model.apply(params, batch.tokens, depth), batch)

    def last(right: Array) -> Array:
        return right[:, setup.length].mean()

    def test(found: Fit) -> tuple[Array, ...]:
        words = sample(own.test, setup.tests, setup.times * setup.length)
        said = model.apply(found.params, words.tokens, depth)
        right, guessed = (correct(each, words.labels, words.weights) for each in (said, jnp.zeros_like(said)))
        prefix = longest_prefix(right, bos=True)
        return right[:, : setup.length + 1].mean(), last(right), right.mean(), prefix, last(guessed)

    return Learner(model.init(own.initial), loss, sample, recipe, test)


def _watched(
    setup: WordProblemSetup, own: Streams, table: Array, alphabet: Array, count: Array, depth: Array | None
) -> Learner:
    network = _network(setup, own, table, alphabet, count, depth)
    learner = watched(network, lambda params: params["layers"])
    layer = sum(leaf[0].size for leaf in jax.tree.leaves(network.params["layers"]))
    left = 0 if depth is None else (setup.depth - depth) * layer  # layers that are there and not applied
    drawn = jnp.asarray(jax.eval_shape(network.sample, own.training).tokens.shape)

    def test(found: Fit) -> tuple[Any, Facts, Array]:
        result, facts = learner.test(found)
        return result, facts._replace(weights=facts.weights - left), drawn

    return learner._replace(test=test)
