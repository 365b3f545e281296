"""The kinds of sequence model, and the function that builds one and refuses sizes that do not fit."""

import dataclasses
import difflib
from collections.abc import Iterable
from typing import Any

import jax.numpy as jnp

from depthjax.checks import at_least
from depthjax.models.attention import HEADS, MASKS, POSITIONS, CausalAttention
from depthjax.models.delta import DeltaProduct
from depthjax.models.dense import TRANSITIONS, DenseRecurrence
from depthjax.models.diagonal import AUSSM, GLA, Mamba, SignedMamba
from depthjax.models.mixer import Mixer
from depthjax.models.recurrent import LSTM, RNN
from depthjax.models.stack import ResidualBlock, SequenceModel
from depthjax.scans.choice import METHODS

KINDS: dict[str, type[Mixer]] = {
    "transformer": CausalAttention,
    "gla": GLA,
    "mamba": Mamba,
    "signed_mamba": SignedMamba,
    "aussm": AUSSM,
    "delta_product": DeltaProduct,
    "dense": DenseRecurrence,
    "lstm": LSTM,
    "rnn": RNN,
}
WITH_MLP = ("transformer", "gla", "delta_product")  # as published; the other kinds have no MLP
WITH_HEADS = ("transformer", "gla", "delta_product")
DTYPES = ("float64", "float32", "bfloat16", "float16")


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
        letters: Size of the alphabet, a beginning-of-sequence token included; tokens are 0 ... letters - 1.
        width: Width of the residual stream.
        max_depth: Number of layers.
        classes: Number of logits at each position.
        coordinates: Number of real outputs at each position. Give exactly one of `classes` and `coordinates`.
        heads: Heads of attention, GLA or DeltaProduct. None takes the largest divisor of the width, at most 8, that leaves each
            head 8 channels or more.
        dtype: Type of parameters and activations.
        precision: Type of the coefficients and state of recurrences; None takes `dtype` (AUSSM: float32 or better).
        mlp: Whether each layer has a SwiGLU. None follows the publications: transformer, GLA and DeltaProduct have one.
        **switches: All kinds: convolution, gate. transformer: attention, positions, mask, max_length. gla, delta_product,
            mamba, signed_mamba, aussm, dense: scan (the form of the scan). mamba, signed_mamba: state, expand. aussm: state.
            delta_product: num_householder, head_size. dense: block, transition.

    Raises:
        ValueError: The kind is unknown, sizes do not fit each other, or a switch does not have the given value.
        TypeError: A switch is unknown, or a size is not an integer.

    >>> import jax
    >>> import jax.numpy as jnp
    >>> model = sequence_model("aussm", letters=3, width=8, max_depth=2, classes=3)
    >>> params = model.init(jax.random.key(0))
    >>> model.apply(params, jnp.array([[0, 1, 2]])).shape
    (1, 3, 3)
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
    layer = ResidualBlock(core, kind in WITH_MLP if mlp is None else mlp, parent=None)
    return SequenceModel(kind, letters, outputs, classes is None, max_depth, layer)


def _check_sizes(mixer: Mixer) -> None:
    """Refuse sizes and switches that the arithmetic of a kind does not support."""
    named = {"attention": HEADS, "positions": POSITIONS, "mask": MASKS, "transition": TRANSITIONS, "scan": METHODS}
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
    if isinstance(mixer, CausalAttention):
        if mixer.positions == "rope" and size % 2:
            raise ValueError(
                f"head size {size} (width {mixer.width} / {mixer.heads} heads) is odd: rotary positions turn pairs; "
                'choose an even head size, or positions="learned" or "none"'
            )
        if mixer.positions == "learned":
            at_least("max_length", mixer.max_length, 1, "learned positions need one vector for each position")
    if isinstance(mixer, DenseRecurrence) and mixer.width % mixer.block:
        raise ValueError(f"width {mixer.width} is not divisible by blocks of {mixer.block}: every block needs the same size")


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""
