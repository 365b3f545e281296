"""The kinds of sequence model, the register of kinds, and the function that builds a model and refuses sizes that do not fit.

A layer of your own is a subclass of `Mixer`. Pass it to `sequence_model`, or register it under a name, which sweeps know then::

    @register("leaky")
    class Leaky(Mixer): ...
"""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax.numpy as jnp

from depthjax.checks import at_least, nearest
from depthjax.models.attention import CausalAttention
from depthjax.models.delta import DeltaProduct
from depthjax.models.dense import DenseRecurrence
from depthjax.models.diagonal import AUSSM, GLA, Mamba, SignedMamba
from depthjax.models.mixer import Mixer
from depthjax.models.permutation_diagonal import PermutationDiagonal
from depthjax.models.recurrent import LSTM, RNN
from depthjax.models.stack import ResidualBlock, SequenceModel

Layer = TypeVar("Layer", bound=type[Mixer])


class ModelKind(NamedTuple):
    """A kind of layer.

    Attributes:
        mixer: Its mixer.
        heads: Whether it has heads.
        mlp: Whether an MLP follows it unless the caller says otherwise.
    """

    mixer: type[Mixer]
    heads: bool = False
    mlp: bool = False


KINDS: dict[str, ModelKind] = {  # an MLP as published
    "transformer": ModelKind(CausalAttention, heads=True, mlp=True),
    "gla": ModelKind(GLA, heads=True, mlp=True),
    "mamba": ModelKind(Mamba),
    "signed_mamba": ModelKind(SignedMamba),
    "aussm": ModelKind(AUSSM),
    "delta_product": ModelKind(DeltaProduct, heads=True, mlp=True),
    "dense": ModelKind(DenseRecurrence),
    "lstm": ModelKind(LSTM),
    "rnn": ModelKind(RNN),
}
DTYPES = ("float64", "float32", "bfloat16", "float16")


def register(name: str, *, heads: bool = False, mlp: bool = False) -> Callable[[Layer], Layer]:
    """Return a decorator that makes a mixer a kind, for `sequence_model` and for sweeps.

    Args:
        name: Name of the kind.
        heads: Whether it has heads; their number is then chosen by `sequence_model`.
        mlp: Whether an MLP follows it unless the caller says otherwise.

    Raises:
        TypeError: What is decorated is no subclass of `Mixer`.
        ValueError: The name is no identifier, or another mixer has it.

    >>> register("my layer")
    Traceback (most recent call last):
    ValueError: kind 'my layer': expected a name such as 'my_layer', because tables of sweeps and cells carry it
    """
    if not name.isidentifier():
        raise ValueError(f"kind {name!r}: expected a name such as 'my_layer', because tables of sweeps and cells carry it")

    def add(mixer: Layer) -> Layer:
        kind = ModelKind(_checked_mixer(mixer), heads, mlp)
        known = KINDS.setdefault(name, kind)
        if known != kind and _place(known.mixer) != _place(mixer):
            raise ValueError(f"two layers are called {name!r}: {_place(known.mixer)} and {_place(mixer)}; rename one")
        KINDS[name] = kind  # a module that is loaded again replaces its own layer
        return mixer

    return add


def sequence_model(
    kind: str | type[Mixer],
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
        kind: "transformer", "gla", "mamba", "signed_mamba", "aussm", "delta_product", "dense", "lstm", "rnn",
            "permutation_diagonal", a name that was registered, or a subclass of `Mixer`.
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
            delta_product: num_householder, head_size. dense: block, transition. permutation_diagonal: state, dictionary, scan.

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
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"no model {kind!r}{nearest(kind, KINDS)}; there are {', '.join(KINDS)}")
        mixer, has_heads, has_mlp = KINDS[kind]
    else:
        known_as = (one for one in KINDS.values() if one.mixer is kind)
        mixer, has_heads, has_mlp = next(known_as, ModelKind(_checked_mixer(kind)))
        kind = next((name for name, one in KINDS.items() if one.mixer is mixer), mixer.__name__)
    common = {"width", "heads", "dtype", "carry", "parent", "name"}
    known = [field.name for field in dataclasses.fields(mixer) if field.name not in common]
    if unknown := [name for name in switches if name not in known]:
        every = [*known, "heads", "dtype", "precision", "mlp"]
        raise TypeError(f"{kind} has no switch {unknown[0]!r}{nearest(unknown[0], every)}; it has {', '.join(every)}")
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
        heads = max((h for h in range(1, min(8, width // 8) + 1) if width % h == 0), default=1) if has_heads else 1
    elif not has_heads:
        raise TypeError(f"{kind} has no switch 'heads'; it has {', '.join(known)}")
    core = mixer(
        width=width, heads=at_least("heads", heads, 1), dtype=kinds["dtype"], carry=kinds["precision"], parent=None, **switches
    )
    core.check()
    layer = ResidualBlock(core, has_mlp if mlp is None else mlp, parent=None)
    return SequenceModel(kind, letters, outputs, classes is None, max_depth, layer)


def _checked_mixer(mixer: Any) -> type[Mixer]:
    if not (isinstance(mixer, type) and issubclass(mixer, Mixer)):
        raise TypeError(f"{mixer!r} is no layer: expected a subclass of depthjax.models.mixer.Mixer, or the name of a kind")
    return mixer


def _place(mixer: type[Mixer]) -> str:
    return f"{mixer.__module__}.{mixer.__qualname__}"


# claims on other kinds do not reach it; one that uses it names the class
PERMUTATION_DIAGONAL = register("permutation_diagonal")(PermutationDiagonal)
