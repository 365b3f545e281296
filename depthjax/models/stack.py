r"""A residual stack of one kind of layer, whose depth is data.

    x <- E[token];   x <- x + mixer(norm(x)), x <- x + mlp(norm(x)) in layer l if l < depth;   logits = norm(x) W + b

The parameters of all layers are stacked, so compile time does not grow with depth. `depth` may be a traced number: layers
beyond it are skipped (under `vmap`, computed and dropped), and one compilation serves every depth. With a Python number exactly
that many layers run. Parameters are a plain dictionary; layers are flax modules, used functionally.
"""

import dataclasses
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float, Int, Integer, Key

from depthjax.checks import at_least, in_alphabet, marked
from depthjax.models.attention import CausalAttention
from depthjax.models.mixer import Mixer, RMSNorm, SwiGLU

FEW = 64  # letters up to which an embedding is looked up by a product: on CPUs a scatter took two fifths of small gradients
UNROLL = 4  # layers in one round of a loop of known length: a fifth faster on a CPU, for twice the compile time


class ResidualBlock(nn.Module):
    """One layer: a mixer and, with `mlp`, an MLP, each behind a norm and beside a residual connection."""

    mixer: Mixer
    mlp: bool

    def setup(self):
        """Make the parts."""
        self.before = RMSNorm(self.mixer.dtype)
        if self.mlp:
            self.between = RMSNorm(self.mixer.dtype)
            self.perceptron = SwiGLU(self.mixer.width, self.mixer.dtype)

    def __call__(self, x: Float[Array, "length batch width"]) -> Float[Array, "length batch width"]:
        """Return the output at every position."""
        return self._finish(x + self.mixer(self.before(x)))

    def initial(self, batch: int, length: int) -> Any:
        """Return the state before the first position."""
        return self.mixer.initial(batch, length)

    def step(self, state: Any, x: Float[Array, "batch width"]) -> tuple[Any, Float[Array, "batch width"]]:
        """Return the next state and the output at this position."""
        state, read = self.mixer.step(state, self.before(x))
        return state, self._finish(x + read)

    def _finish(self, x: Array) -> Array:
        return x + self.perceptron(self.between(x)) if self.mlp else x


@dataclasses.dataclass(frozen=True)
class SequenceModel:
    """A network without its numbers; hashable, so it can be a static argument. Build it with `sequence_model`.

    Attributes:
        kind: Name of the mixer, one of `depthjax.models.kinds.KINDS`.
        letters: Size of the alphabet.
        outputs: Number of outputs at each position.
        real: Whether the outputs are coordinates rather than logits. Only losses distinguish the two.
        max_depth: Number of layers that have parameters.
        layer: Module of one layer.

    >>> from depthjax.models import sequence_model
    >>> model = sequence_model("gla", letters=2, width=8, max_depth=1, classes=2)
    >>> model.kind, model.outputs, model.width
    ('gla', 2, 8)
    """

    kind: str
    letters: int
    outputs: int
    real: bool
    max_depth: int
    layer: ResidualBlock

    @property
    def width(self) -> int:
        """Width of the residual stream."""
        return self.layer.mixer.width

    @property
    def dtype(self) -> jnp.dtype:
        """Type of parameters and activations."""
        return self.layer.mixer.dtype

    def init(self, key: Key[Array, ""], tokens: Integer[Array, "batch length"] | None = None) -> dict[str, Any]:
        """Return fresh parameters. Those of layer l depend on the key and on l alone, not on `max_depth`.

        Embeddings are standard normal, linear maps normal with variance 1/inputs; mixers document their other parameters.
        `tokens` is accepted and ignored, as scripts for flax modules pass it.
        """
        del tokens
        ends, inside = jax.random.split(key)
        embedding, places, readout = jax.random.split(ends, 3)
        sample = jnp.zeros((16, 1, self.width), self.dtype)  # a length that every chunked scan can cut
        keys = jax.vmap(lambda layer: jax.random.fold_in(inside, layer))(jnp.arange(self.max_depth))
        params: dict[str, Any] = {
            "embedding": jax.random.normal(embedding, (self.letters, self.width), self.dtype),
            "layers": jax.vmap(lambda key: self.layer.init(key, sample)["params"])(keys),
            "norm": RMSNorm(self.dtype).init(readout, sample)["params"],
            "readout": jax.random.normal(readout, (self.width, self.outputs), self.dtype) * self.width**-0.5,
            "bias": jnp.zeros(self.outputs, self.dtype),
        }
        if room := self._learned_positions:
            params["positions"] = jax.random.normal(places, (room, self.width), self.dtype)
        return params

    def apply(
        self, params: dict[str, Any], tokens: Integer[Array, "batch length"], depth: Int[Array, ""] | int | None = None
    ) -> Float[Array, "batch length outputs"]:
        """Return logits, or coordinates, at every position; the output at position t depends on the tokens up to t.

        Args:
            params: Parameters from `init`, of this or a larger `max_depth`.
            tokens: Letters 0 ... letters - 1, of any integer type.
            depth: Number of layers to apply: None for all; a Python number runs only that many; an array masks the others.

        Raises:
            TypeError: Tokens are not integers.
            ValueError: Tokens have another rank or are out of range, the depth is outside 1 ... max_depth, or there are more
                positions than were learned. Under jit a letter out of range yields NaN from its position on at the latest, and
                such a depth yields NaN everywhere.
        """
        tokens = self._checked(tokens, 2, "(batch, length)")
        x = self._embedded(params, tokens.T)
        if room := self._learned_positions:
            if tokens.shape[1] > room:
                raise ValueError(f"{tokens.shape[1]} positions, but max_length = {room} were learned: build a longer model")
            x = x + params["positions"][: tokens.shape[1], None]

        def body(x: Array, layer: Any) -> Array:
            return self.layer.apply({"params": layer}, x)  # type: ignore[return-value]

        logits = self._read(params, self._through(body, params["layers"], x, depth))
        return self._told(depth, jnp.swapaxes(logits, 0, 1))

    def initial(self, batch: int, length: int) -> Any:
        """Return the states of all layers before the first position, stacked; `length` bounds the positions of attention."""
        state = self.layer.initial(batch, length)
        return jax.tree.map(
            lambda part: jnp.broadcast_to(part, (self.max_depth, *part.shape)), (jnp.zeros((), jnp.int32), state)
        )

    def step(
        self, params: dict[str, Any], state: Any, tokens: Integer[Array, " batch"], depth: Int[Array, ""] | int | None = None
    ) -> tuple[Any, Float[Array, "batch outputs"]]:
        """Return the next state and the logits after one more token; they agree with `apply` at that position.

        Raises:
            TypeError: Tokens are not integers.
            ValueError: Tokens have another rank or are out of range, or the depth is outside 1 ... max_depth. Under jit such a
                call yields NaN, as in `apply`.
        """
        tokens = self._checked(tokens, 1, "(batch,)")
        at, inner = state
        x = self._embedded(params, tokens)
        if self._learned_positions:
            x = x + params["positions"][at[0]][None]

        def body(x: Array, layer: Any) -> tuple[Array, Any]:
            weights, before = layer
            after, x = self.layer.apply({"params": weights}, before, x, method="step")  # type: ignore[misc]
            return x, after

        layers, mask = self._active(params["layers"], depth)
        inner = jax.tree.map(lambda part: part[: mask.shape[0]], inner)

        def one(x: Array, now: Any) -> tuple[Array, Any]:
            layer, active = now
            after, kept = body(x, layer)
            return jnp.where(active, after, x), kept

        x, inner = jax.lax.scan(one, x, ((layers, inner), mask))
        return (at[: mask.shape[0]] + 1, inner), self._told(depth, self._read(params, x))

    @property
    def _learned_positions(self) -> int:
        mixer = self.layer.mixer
        return mixer.max_length if isinstance(mixer, CausalAttention) and mixer.positions == "learned" else 0

    def _embedded(self, params: dict[str, Any], tokens: Array) -> Array:
        """The vector of each token, with the same value either way; NaN for a token out of range."""
        table = params["embedding"]
        if self.letters > FEW:
            return marked(table[tokens], tokens < 0)
        chosen = jax.nn.one_hot(tokens, self.letters, dtype=table.dtype)
        return marked(jnp.matmul(chosen, table, precision="highest"), tokens < 0)

    def _active(self, layers: Any, depth: Array | int | None) -> tuple[Any, Array]:
        count = self.max_depth
        if depth is not None and not isinstance(depth, Tracer):
            known = at_least("depth", int(depth), 1, "a model without layers reads each token alone")
            if known > self.max_depth:
                raise ValueError(f"depth {depth}, but max_depth = {self.max_depth}: the deeper layers have no parameters")
            count = count if isinstance(depth, jax.Array) else known
        layers = jax.tree.map(lambda part: part[:count], layers)
        index = jnp.arange(count)
        return layers, index < (depth.astype(index.dtype) if isinstance(depth, jax.Array) else count)

    def _told(self, depth: Array | int | None, logits: Array) -> Array:
        """The logits, or NaN where a traced depth is out of range."""
        return marked(logits, (depth < 1) | (depth > self.max_depth)) if isinstance(depth, Tracer) else logits

    def _through(self, body: Any, layers: Any, x: Array, depth: Array | int | None) -> Array:
        layers, mask = self._active(layers, depth)
        if not isinstance(depth, jax.Array):
            return jax.lax.scan(lambda x, layer: (body(x, layer), None), x, layers, unroll=UNROLL)[0]

        def one(x: Array, now: Any) -> tuple[Array, None]:
            layer, active = now
            return jax.lax.cond(active, body, lambda x, _: x, x, layer), None

        return jax.lax.scan(one, x, (layers, mask))[0]

    def _read(self, params: dict[str, Any], x: Array) -> Array:
        x = RMSNorm(self.dtype).apply({"params": params["norm"]}, x)  # type: ignore[assignment]
        return x @ params["readout"] + params["bias"].reshape((1,) * (x.ndim - 1) + (-1,))

    def _checked(self, tokens: Array, rank: int, shape: str) -> Array:
        tokens = in_alphabet("tokens", tokens, self.letters)
        if tokens.ndim != rank:
            raise ValueError(f"tokens have shape {tokens.shape}; expected {shape}")
        return tokens
