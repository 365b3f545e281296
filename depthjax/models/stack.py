r"""A residual stack of one kind of layer, whose depth is data.

    x <- E[token];   x <- x + mixer(norm(x)), x <- x + mlp(norm(x)) in layer l if l < depth;   logits = norm(x) W + b

The parameters of all layers are stacked, so compile time does not grow with depth. `depth` may be a traced number: layers
beyond it are skipped (under `vmap`, computed and dropped), and one compilation serves every depth. A Python number runs that
many layers and no more. Parameters are a plain dictionary; layers are flax modules, used functionally.
"""

import dataclasses
import difflib
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float, Int, Integer, Key

from depthjax.checks import at_least, in_alphabet, marked
from depthjax.models.delta import DeltaProduct
from depthjax.models.dense import TRANSITIONS, Dense
from depthjax.models.diagonal import AUSSM, GLA, Mamba, SignedMamba
from depthjax.models.mixer import Mixer, RMSNorm, SwiGLU
from depthjax.models.recurrent import LSTM, RNN
from depthjax.models.softmax import ATTENTIONS, MASKS, POSITIONS, Attention
from depthjax.scans.choice import METHODS

KINDS: dict[str, type[Mixer]] = {
    "transformer": Attention,
    "gla": GLA,
    "mamba": Mamba,
    "signed_mamba": SignedMamba,
    "aussm": AUSSM,
    "delta_product": DeltaProduct,
    "dense": Dense,
    "lstm": LSTM,
    "rnn": RNN,
}
WITH_MLP = ("transformer", "gla", "delta_product")  # as published; the others without
WITH_HEADS = ("transformer", "gla", "delta_product")
UNROLL = 4  # layers in one round of a loop of known length: a fifth faster on a CPU, for twice the compile time
DTYPES = ("float64", "float32", "bfloat16", "float16")


class Layer(nn.Module):
    """One mixer and, if there is one, one MLP, each behind a norm and beside a residual connection."""

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
        kind: one of KINDS. letters, outputs: sizes of the alphabet and of what is returned at each position.
        real: whether the outputs are coordinates rather than logits (the arithmetic is the same; losses differ).
        max_depth: layers that have parameters. layer: one of them.
    """

    kind: str
    letters: int
    outputs: int
    real: bool
    max_depth: int
    layer: Layer

    @property
    def width(self) -> int:
        """Of the residual stream."""
        return self.layer.mixer.width

    @property
    def dtype(self) -> jnp.dtype:
        """Of parameters and activations."""
        return self.layer.mixer.dtype

    def init(self, key: Key[Array, ""], tokens: Integer[Array, "batch length"] | None = None) -> dict[str, Any]:
        """Return fresh parameters. Layer l depends on the key and on l alone, not on `max_depth`. `tokens` are not needed.

        Embeddings are standard normal, linear maps normal with variance 1/inputs, the rest as each mixer says.
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
        """Return logits, or coordinates, at every position; the one at t depends on tokens up to t.

        Args:
            params: from `init`, or of a larger `max_depth`.
            tokens: integers below `letters`, of any integer type.
            depth: layers that act: all of them if None, exactly so many if a Python number, a mask if an array.

        Raises:
            TypeError: tokens that are not integers.
            ValueError: tokens of another rank or out of range, a depth outside 1 ... max_depth, or more positions than were
                learned. Under jit a letter out of range gives NaN from its position on at the latest, such a depth everywhere.
        """
        tokens = self._checked(tokens, 2, "(batch, length)")
        x = marked(params["embedding"][tokens.T], tokens.T < 0)
        if room := self._learned_positions:
            if tokens.shape[1] > room:
                raise ValueError(f"{tokens.shape[1]} positions, but max_length = {room} were learned: build a longer model")
            x = x + params["positions"][: tokens.shape[1], None]

        def body(x: Array, layer: Any) -> Array:
            return self.layer.apply({"params": layer}, x)  # type: ignore[return-value]

        logits = self._read(params, self._through(body, params["layers"], x, depth))
        return self._told(depth, jnp.swapaxes(logits, 0, 1))

    def initial(self, batch: int, length: int) -> Any:
        """Return every layer's state before the first position, stacked; `length` bounds the positions of attention."""
        state = self.layer.initial(batch, length)
        return jax.tree.map(
            lambda part: jnp.broadcast_to(part, (self.max_depth, *part.shape)), (jnp.zeros((), jnp.int32), state)
        )

    def step(
        self, params: dict[str, Any], state: Any, tokens: Integer[Array, " batch"], depth: Int[Array, ""] | int | None = None
    ) -> tuple[Any, Float[Array, "batch outputs"]]:
        """Return the next state and the logits after one more token: what `apply` gives at that position.

        Raises:
            TypeError: tokens that are not integers.
            ValueError: tokens of another rank or out of range, or a depth outside 1 ... max_depth. Under jit: NaN, as `apply`.
        """
        tokens = self._checked(tokens, 1, "(batch,)")
        at, inner = state
        x = marked(params["embedding"][tokens], tokens < 0)
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
        return mixer.max_length if isinstance(mixer, Attention) and mixer.positions == "learned" else 0

    def _active(self, layers: Any, depth: Array | int | None) -> tuple[Any, Array]:
        count = self.max_depth
        if depth is not None and not isinstance(depth, Tracer):
            known = at_least("depth", int(depth), 1, "a model without layers reads each token alone")
            if known > self.max_depth:
                raise ValueError(f"depth {depth}, but max_depth = {self.max_depth}: the deeper layers have no parameters")
            count = count if isinstance(depth, jax.Array) else known
        layers = jax.tree.map(lambda part: part[:count], layers)
        index = jnp.arange(count)
        return layers, index < (depth if isinstance(depth, jax.Array) else count)

    def _told(self, depth: Array | int | None, logits: Array) -> Array:
        """NaN where a traced depth is out of range."""
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


def sequence_model(
    kind: str,
    *,
    letters: int,
    width: int,
    max_depth: int,
    classes: int | None = None,
    coordinates: int | None = None,
    heads: int | None = None,
    dtype: Any = "float32",
    precision: str | None = None,
    mlp: bool | None = None,
    **switches: Any,
) -> SequenceModel:
    """Return a trainable sequence model.

    Args:
        kind: "transformer", "gla", "mamba", "signed_mamba", "aussm", "delta_product", "dense", "lstm" or "rnn".
        letters: tokens are 0 ... letters - 1, a beginning-of-sequence token included.
        width: of the residual stream.
        max_depth: layers.
        classes: logits at each position.
        coordinates: real outputs at each position. Give exactly one of the two.
        heads: of attention, GLA and DeltaProduct; if None, the largest divisor of the width up to 8 leaving 8 channels each.
        dtype: of parameters and activations.
        precision: dtype in which recurrences are carried; `dtype` if None (AUSSM: float32 at least).
        mlp: a SwiGLU in every layer; if None, as published: transformer, GLA and DeltaProduct have one.
        **switches: of every kind: convolution, gate. transformer: attention, positions, mask, max_length. gla, delta_product,
            mamba, signed_mamba, aussm, dense: scan (the form of the scan). mamba, signed_mamba: state, expand. aussm: state.
            delta_product: num_householder, head_size. dense: block, transition.

    Raises:
        ValueError: an unknown kind, sizes that do not fit each other, a value that a switch does not have.
        TypeError: an unknown switch, sizes that are not integers.
    """
    if kind not in KINDS:
        raise ValueError(f"no model {kind!r}{_nearest(kind, KINDS)}; there are {', '.join(KINDS)}")
    mixer = KINDS[kind]
    common = {"width", "heads", "dtype", "carry", "parent", "name"}
    known = [field.name for field in dataclasses.fields(mixer) if field.name not in common]
    if unknown := [name for name in switches if name not in known]:
        every = [*known, "heads", "dtype", "precision", "mlp"]
        raise TypeError(f"{kind} has no switch {unknown[0]!r}{_nearest(unknown[0], every)}; it has {', '.join(every)}")
    if (classes is None) == (coordinates is None):
        raise ValueError("give exactly one of classes (logits) and coordinates (real outputs)")
    for name, value in {"letters": letters, "width": width, "max_depth": max_depth}.items():
        at_least(name, value, 1)
    outputs = at_least("coordinates", coordinates, 1) if classes is None else at_least("classes", classes, 1)  # type: ignore
    kinds = {"dtype": jnp.dtype(dtype), "precision": jnp.dtype(dtype if precision is None else precision)}
    for name, given in kinds.items():
        if given.name not in DTYPES:
            raise ValueError(f"{name} {given.name}: a model computes in {', '.join(DTYPES)}")
    if heads is None:
        heads = max((h for h in range(1, min(8, width // 8) + 1) if width % h == 0), default=1) if kind in WITH_HEADS else 1
    elif kind not in WITH_HEADS:
        raise TypeError(f"{kind} has no switch 'heads'; it has {', '.join(known)}")
    core = mixer(
        width=width, heads=at_least("heads", heads, 1), dtype=kinds["dtype"], carry=kinds["precision"], parent=None, **switches
    )
    _check_sizes(core)
    layer = Layer(core, kind in WITH_MLP if mlp is None else mlp, parent=None)
    return SequenceModel(kind, letters, outputs, classes is None, max_depth, layer)


def _check_sizes(mixer: Mixer) -> None:
    """Refuse what the arithmetic of a kind cannot do."""
    named = {"attention": ATTENTIONS, "positions": POSITIONS, "mask": MASKS, "transition": TRANSITIONS, "scan": METHODS}
    for name, values in named.items():
        if getattr(mixer, name, values[0]) not in values:
            given = getattr(mixer, name)
            raise ValueError(f"{name} {given!r}{_nearest(str(given), values)}; it is one of {', '.join(values)}")
    for name in ("state", "expand", "num_householder", "block", "head_size"):
        if getattr(mixer, name, None) is not None:
            at_least(name, getattr(mixer, name), 1)
    size, rest = divmod(mixer.width, mixer.heads)
    if rest and not (isinstance(mixer, DeltaProduct) and mixer.head_size):
        raise ValueError(
            f"width {mixer.width} is not divisible by {mixer.heads} heads: every head needs the same number of channels"
        )
    if isinstance(mixer, Attention):
        if mixer.positions == "rope" and size % 2:
            raise ValueError(
                f"head size {size} (width {mixer.width} / {mixer.heads} heads) is odd: rotary positions turn pairs; "
                'choose an even head size, or positions="learned" or "none"'
            )
        if mixer.positions == "learned":
            at_least("max_length", mixer.max_length, 1, "learned positions need one vector for each position")
    if isinstance(mixer, Dense) and mixer.width % mixer.block:
        raise ValueError(f"width {mixer.width} is not divisible by blocks of {mixer.block}: every block needs the same size")


def _nearest(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""
