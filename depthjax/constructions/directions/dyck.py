r"""Two attention layers that read the stack of a bounded Dyck language, from a table of scores.

Layer 1 attends uniformly to the beginning-of-sequence token and to all brackets. The mean of their signs is depth / (t + 1),
the share of the token is 1 / (t + 1), and the signs of D differences of the two are the depth in unary. Layer 2 attends by the
table of scores between symbols. An opener has the value +e and its closer -ratio e, with e the direction of (depth, type). The
read-out ignores scale: entries above `tolerance` times the largest are open brackets. The table must be balanced: for every
closer query, the score of an opener minus that of its closer is log(ratio).
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Integer

from depthjax.attention import average, softmax, visible
from depthjax.checks import dimension, in_alphabet, marked, strange
from depthjax.scans import prefix_sum


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class DyckAttention:
    """The numbers of the second layer.

    Attributes:
        scores: Score for each key symbol (rows) and query symbol. A symbol is side * D k + (depth - 1) k + type; side 0 opens.
        ratios: Ratio of the value of a closer to that of its opener, for each pair.
        tolerance: Threshold of the read-out, relative to the largest entry.
        types: Number k of bracket types.
    """

    scores: Float[Array, "symbols symbols"]
    ratios: Float[Array, " pairs"]
    tolerance: Float[Array, ""]
    types: int = dataclasses.field(metadata={"static": True})

    def __post_init__(self):
        if isinstance(self.scores, jax.Array) and isinstance(self.ratios, jax.Array):
            dimension("scores", self.scores, 0, 2 * self.ratios.shape[0], "symbols, two for each pair")

    @property
    def depth(self) -> int:
        """Largest depth D."""
        return self.ratios.shape[0] // self.types

    @property
    def values(self) -> Float[Array, "symbols pairs"]:
        """Values of the second layer, one row for each symbol."""
        eye = jnp.eye(self.ratios.shape[0], dtype=self.ratios.dtype)
        return jnp.concatenate([eye, -self.ratios[:, None] * eye])

    def symbols(self, words: Integer[Array, "batch length"]) -> Int[Array, "batch length"]:
        """Return the symbols of the brackets, as the first layer computes them.

        Raises:
            ValueError: A letter is no bracket of these types (under jit: -1 throughout that word).
        """
        words = in_alphabet("words", words, 2 * self.types)
        dtype = self.scores.dtype
        signs = jnp.where(words < self.types, 1, -1).astype(dtype)
        begin = jnp.stack([jnp.zeros_like(signs[:, :1]), jnp.ones_like(signs[:, :1])], axis=2)
        seen = jnp.concatenate([begin, jnp.stack([signs, jnp.zeros_like(signs)], axis=2)], axis=1)
        weights = average(_causal(words.shape[1] + 1), dtype)
        mean = (weights[None] @ seen)[:, 1:]
        steps = jnp.arange(1, self.depth + 1, dtype=dtype) - 0.5
        after = (mean[:, :, :1] - steps[None, None, :] * mean[:, :, 1:] > 0).sum(axis=2)
        closes = (words >= self.types).astype(after.dtype)
        kinds = words.astype(after.dtype) - closes * self.types
        return marked(closes * self.ratios.shape[0] + (after + closes - 1) * self.types + kinds, strange(words))

    def stacks(self, symbols: Integer[Array, "batch length"]) -> Bool[Array, "batch length pairs"]:
        """Return which brackets the second layer reads as open after every letter.

        Raises:
            ValueError: There is no such symbol (under jit: no bracket is open).
        """
        symbols = in_alphabet("symbols", symbols, self.scores.shape[0])
        weights = softmax(self.scores.T[symbols[:, :, None], symbols[:, None, :]], _causal(symbols.shape[1]))
        return self._read(marked(weights @ self.values[symbols], strange(symbols)))

    def stacks_for(self, symbols: Integer[Array, " length"], query: Int[Array, ""] | int) -> Bool[Array, "length pairs"]:
        """Return the brackets that a query of this symbol reads as open after every prefix of one word, in linear time."""
        weighted = jnp.exp(self.scores[symbols, query])[:, None] * self.values[symbols]
        return self._read(prefix_sum(weighted))

    def _read(self, output: Float[Array, "*batch pairs"]) -> Bool[Array, "*batch pairs"]:
        sizes = jnp.abs(output)
        return sizes > self.tolerance * sizes.max(axis=-1, keepdims=True)


def _causal(length: int) -> Bool[Array, "length length"]:
    return visible(jnp.arange(length), jnp.arange(length), "causal")


def wrong_prefixes(
    model: DyckAttention, words: Integer[Array, "batch length"], stacks: Int[Array, "batch length depth"], depth: int
):
    """Return the number of prefixes with a wrong depth, and the number with a wrong set of possible closers.

    After an opener its own type closes next. After a closer the second layer must read exactly the true stack. Nothing closes
    an empty stack.

    Raises:
        ValueError: A letter is no bracket of these types (under jit: every prefix of its word is wrong).
    """
    return _wrong_prefixes(model, in_alphabet("words", words, 2 * model.types), stacks, depth)


@partial(jax.jit, static_argnums=3)
def _wrong_prefixes(model: DyckAttention, words: Array, stacks: Array, depth: int) -> tuple[Array, Array]:
    symbols = model.symbols(words)
    true = jax.nn.one_hot(stacks, model.types, dtype=bool).reshape(*words.shape, depth * model.types)
    count = (stacks >= 0).sum(axis=2)
    closes = words >= model.types
    side = symbols // model.ratios.shape[0]
    place = (symbols - side * model.ratios.shape[0]) // model.types + 1 - side
    read = (model.stacks(symbols) != true).any(axis=2) & closes & (count > 0)
    wrong = strange(words)[:, None]
    return ((place != count) | wrong).sum(), (read | wrong).sum()


@partial(jax.jit, static_argnums=3)
def wrong_after_openers(
    model: DyckAttention, words: Integer[Array, "batch length"], stacks: Int[Array, "batch length depth"], depth: int
) -> Int[Array, ""]:
    """Return the number of prefixes that end with an opener whose stack the second layer misreads.

    That the stack is read there needs a table that is balanced for opener queries too.
    """
    true = jax.nn.one_hot(stacks, model.types, dtype=bool).reshape(*words.shape, depth * model.types)
    return ((model.stacks(model.symbols(words)) != true).any(axis=2) & (words < model.types)).sum()
