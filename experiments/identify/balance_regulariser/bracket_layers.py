"""Second layers that read the innermost open bracket from counts of symbols, before and after many closed pairs.

The first layer is the minimal one: it gives each bracket its symbol of side, depth and type, numbered as in
`theory.attention.dyck`. So the second layer sees a prefix as counts of symbols, and its output for a query symbol q is

    o = sum_t counts[t] exp(table[t, q]) value_t / sum_t counts[t] exp(table[t, q]).

The answer is a linear reading of o, one for each query symbol, after o is centred and scaled to variance one.

A closed pair adds the same vector to the numerator each time, whatever came before, and the scale of o does not matter. So the
answer after m pairs is decided by the readings of a + m b, with a the numerator without the pairs, and b what a pair adds.
"""

from itertools import product
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

FOREVER = 2.0**30  # closed pairs
TINY = 1e-12  # under the root of a variance, so that its gradient is finite


class Brackets(NamedTuple):
    """A bounded Dyck language, and how prefixes of its words are drawn.

    Attributes:
        types: Number k of types.
        depth: Largest depth D.
        length: Letters of a prefix in training.
    """

    types: int
    depth: int
    length: int


class BracketLayer(NamedTuple):
    """One second layer, or many along leading axes.

    Attributes:
        table: Score of every key symbol (rows) for every query symbol.
        value: Value of every symbol.
        read: For each query symbol the map from a scaled output to the logits of the types.
    """

    table: Float[Array, "symbols symbols"]
    value: Float[Array, "symbols width"]
    read: Float[Array, "symbols types width"]


class Repeated(NamedTuple):
    """All stacks with a closed pair above them, as counts of symbols.

    Attributes:
        stack: Counts of the open brackets.
        pair: Counts of one closed pair: of any type, one deeper than the stack.
        query: Symbol of the closer of the pair.
        top: Type of the innermost open bracket.
    """

    stack: Float[Array, "cases symbols"]
    pair: Float[Array, "cases symbols"]
    query: Int[Array, " cases"]
    top: Int[Array, " cases"]


def logits(
    one: BracketLayer, counts: Float[Array, "*batch symbols"], query: Int[Array, "*batch"]
) -> Float[Array, "*batch types"]:
    """Return the logits of the types for prefixes with these counts of symbols."""
    scores = one.table.T[query]
    weights = counts * jnp.exp(scores - scores.max(axis=-1, keepdims=True))
    output = (weights / weights.sum(axis=-1, keepdims=True)) @ one.value
    centred = output - output.mean(axis=-1, keepdims=True)
    scaled = centred / jnp.sqrt(jnp.square(centred).mean(axis=-1, keepdims=True) + TINY)
    return jnp.einsum("...w,...kw->...k", scaled, one.read[query])


def imbalance(table: Float[Array, "symbols symbols"], brackets: Brackets) -> tuple[Array, Array]:
    """Return the variance of the score difference of opener and closer over the queries, mean over pairs.

    The first number is over the closers that leave a bracket open, to which the balance condition applies; the second is over
    the openers, to which it does not.
    """
    pairs = brackets.types * brackets.depth
    differences = table[:pairs] - table[pairs:]
    closers, openers = differences[:, pairs + brackets.types :], differences[:, :pairs]
    return closers.var(axis=1).mean(), openers.var(axis=1).mean()


def balanced(one: BracketLayer, brackets: Brackets) -> BracketLayer:
    """Return the layer with the nearest balanced table, and with closers whose values cancel those of their openers."""
    pairs = brackets.types * brackets.depth
    queries = slice(pairs + brackets.types, None)
    differences = (one.table[:pairs] - one.table[pairs:])[:, queries]
    ratio = differences.mean(axis=1)
    excess = (differences - ratio[:, None]) / 2
    table = one.table.at[:pairs, queries].add(-excess).at[pairs:, queries].add(excess)
    value = jnp.concatenate([one.value[:pairs], -jnp.exp(ratio)[:, None] * one.value[:pairs]])
    return one._replace(table=table, value=value)


def stacks_with_pairs(brackets: Brackets) -> Repeated:
    """List all stacks of depth 1 to D - 1, each with a closed pair of every type above it."""
    k, pairs = brackets.types, brackets.types * brackets.depth
    rows = []
    for depth in range(1, brackets.depth):
        for *stack, kind in product(range(k), repeat=depth + 1):
            opened = np.bincount([place * k + each for place, each in enumerate(stack)], minlength=2 * pairs)
            pair = np.bincount([depth * k + kind, pairs + depth * k + kind], minlength=2 * pairs)
            rows.append((opened, pair, pairs + depth * k + kind, stack[-1]))
    stack, pair, query, top = (jnp.asarray(np.array(column)) for column in zip(*rows, strict=True))
    return Repeated(stack.astype(float), pair.astype(float), query, top)


@jax.jit
def misread(one: BracketLayer, cases: Repeated, pairs: Float[Array, " cases"]) -> Bool[Array, " cases"]:
    """Return which stacks the layer misreads after a number of closed pairs."""
    said = logits(one, cases.stack + pairs[:, None] * cases.pair, cases.query)
    return said.argmax(axis=1) != cases.top


@jax.jit
def pairs_until_misread(one: BracketLayer, cases: Repeated) -> tuple[Array, Array, Array]:
    """Return the number of closed pairs after which each stack is first misread: run, foretold, and foretold from logits.

    The first is found by bisection, up to 2^30 pairs. The second is where a reading of a + m b changes its sign. The third
    does the same with logits of none and of one pair, as if the output were not scaled.

    A stack that is misread without pairs counts as 0, and one that is read after 2^30 of them as 2^30.
    """

    def halved(_: Any, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = jnp.floor((low + high) / 2)
        wrong = misread(one, cases, middle)
        return jnp.where(wrong, low, middle), jnp.where(wrong, middle, high)

    none, forever = jnp.zeros(len(cases.top)), jnp.full(len(cases.top), FOREVER)
    run = jnp.where(misread(one, cases, none), none, jax.lax.fori_loop(0, 31, halved, (none, forever))[1])
    weights = jnp.exp(one.table.T[cases.query])
    sums = ((counts * weights) @ one.value for counts in (cases.stack, cases.pair))
    first, each = (jnp.einsum("cw,ckw->ck", part - part.mean(axis=1, keepdims=True), one.read[cases.query]) for part in sums)
    said = [logits(one, cases.stack + number * cases.pair, cases.query) for number in (0.0, 1.0)]
    return run, _first_change(first, each, cases.top), _first_change(said[0], said[1] - said[0], cases.top)


def _first_change(first: Array, each: Array, top: Array) -> Array:
    """Return the least m for which the entry of another type exceeds that of the top in first + m each."""
    ahead, gained = (jnp.take_along_axis(part, top[:, None], axis=1) - part for part in (first, each))
    steps = jnp.where(gained < 0, jnp.floor(ahead / jnp.where(gained < 0, -gained, 1.0)) + 1, FOREVER)
    return jnp.where((ahead < 0).any(axis=1), 0.0, jnp.minimum(steps.min(axis=1), FOREVER))
