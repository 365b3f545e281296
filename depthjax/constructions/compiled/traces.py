"""What the layers of a compiled formula or automaton do to one word: where each head looks, and what is known after each layer.

Weights are arrays (length, 1 + length): row i is the i-th letter of the word. Column 0 is an extra token (the beginning, or the
end for a head that looks ahead), which also takes the weight of a head that sees no letter.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from depthjax.attention import hard
from depthjax.attention.prefix import prefix_softmax, write_scores
from depthjax.constructions.compiled.automaton import CompiledAutomaton
from depthjax.constructions.compiled.formulas import CompiledFormulas, attend, directions, embedded, gated
from depthjax.constructions.directions.layer import weights
from depthjax.scans.cascade import Below
from depthjax.scans.counters import write_margin


class FormulaLayer(NamedTuple):
    """The heads of a layer as weights (length, 1 + length), and the bits after it, bool (width, length).

    Hard heads that look back and those that look ahead stand in two lists, each in the order of the formula's parts.
    """

    back: list[np.ndarray]
    ahead: list[np.ndarray]
    past: np.ndarray
    future: np.ndarray
    bits: np.ndarray


class AutomatonLayer(NamedTuple):
    """A layer's weights (length, 1 + length), what it holds after each letter, and the set of its level, -1 before the last."""

    attention: np.ndarray
    holds: np.ndarray
    sets: np.ndarray


def trace_formula(compiled: CompiledFormulas, word: Any) -> list[FormulaLayer]:
    """Return what each layer of a compiled formula does to a word; entry 0 is the embedding, whose heads are empty.

    Args:
        compiled: One formula, from `compile_formula`.
        word: Letters, shape (length,).

    Raises:
        ValueError: There are several formulas, or the word is refused by `CompiledFormulas.counting`.
    """
    if len(compiled.depths) != 1:
        raise ValueError(f"{len(compiled.depths)} formulas are compiled together: trace them one at a time")
    word = jnp.asarray(word, jnp.int32)
    length = len(word)
    model = jax.tree.map(lambda array: array[0], compiled.counting(length))
    stream = gated(model, embedded(model, word, jnp.asarray(length)))
    bits = directions(model).rows("bit")
    nothing = np.zeros((length, 1 + length))
    layers = [FormulaLayer([], [], nothing, nothing, np.asarray(stream[1:-1, bits] > 0).T)]
    past = np.tril(np.ones((length, 1 + length)), 1)
    past /= past.sum(axis=1, keepdims=True)
    future = np.concatenate([past[::-1, :1], past[::-1, :0:-1]], axis=1)
    for _ in range(compiled.depth):
        heads = _hard_weights(model, stream)
        stream = gated(model, attend(model, stream))
        layers.append(FormulaLayer(*heads, past, future, np.asarray(stream[1:-1, bits] > 0).T))
    return layers


def _hard_weights(model: CompiledFormulas, stream: Array) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The weights of the hard heads that look back, and of those that look ahead."""
    back, ahead = [], []
    if model.past is not None:
        back = [rows[1:-1, :-1] for rows in np.asarray(weights(model.past, stream, model.mask, hard))]
    if model.future is not None:
        turned = np.asarray(weights(model.future, stream[::-1], model.mask, hard))[:, ::-1, ::-1]
        ahead = [np.roll(rows[1:-1, 1:], 1, axis=1) for rows in turned]
    return back, ahead


def trace_automaton(compiled: CompiledAutomaton, word: Any, state: int = 0) -> list[AutomatonLayer]:
    """Return what each layer of a compiled automaton does to a word, with the weights of the route "attention".

    A counter averages over the letters before its own; a reset looks at the last letter that wrote.

    Args:
        compiled: An automaton, from `compile_cascade`.
        word: Letters, shape (length,).
        state: State before the first letter.
    """
    word = jnp.asarray(word, jnp.int32)
    below, after, sets = jax.jit(partial(_run, compiled))(word, state)
    layers = []
    for level, narrowed in zip(compiled.levels, sets, strict=True):
        kinds = len(level.moduli) + level.resets
        for k in range(level.first, level.first + kinds):
            reset = k == level.first + len(level.moduli)
            weights = _weights(below[k].increment.added, level.largest, reset)
            holds = after[k][:, 1:2] if reset else after[k]
            last = k == level.first + kinds - 1
            layers.append(
                AutomatonLayer(
                    np.asarray(weights), np.asarray(holds), np.asarray(narrowed if last else jnp.full_like(narrowed, -1))
                )
            )
    return layers


def _run(compiled: CompiledAutomaton, word: Array, state: Array) -> tuple[tuple[Below, ...], tuple[Any, ...], list[Array]]:
    letters, start = compiled.letters(word, state)
    below = compiled.cascade.below(letters, start)
    after = compiled.cascade.after(below)
    return below, after, compiled.chain(after, letters[1])


@partial(jax.jit, static_argnums=(1, 2))
def _weights(increments: Array, largest: int, reset: bool) -> Array:
    """The softmax weights of a counter or of a reset: row t sees the extra token and the letters before t."""
    length = len(increments)
    scores = jnp.zeros(length)
    if reset:
        written = jnp.concatenate([jnp.ones(1, bool), increments[:-1, 0] > 0])
        scores = write_scores(written, jnp.asarray(write_margin(largest), jnp.float32))
    return prefix_softmax(scores, jnp.eye(length, 1 + length, dtype=scores.dtype))
