r"""DeltaNet, Gated DeltaNet and DeltaProduct: S <- (1 - b k k^T) S + b k v^T, one or several times for each letter.

A gate exp(g) on the whole state may come first. Keys act on the plane that they span, and the rest of the state is scaled
alike: where keys are fewer than rows, the state is written in an orthonormal basis of the keys, with one more row for the
rest.
"""

import numpy as np

from depthjax.probe.published.kind import (
    LayerHead,
    LayerKind,
    columns,
    convolved,
    coordinates,
    linear,
    sigmoid,
    silu,
    softplus,
    taps_of,
    unit,
)

EPS = 1e-6  # of the norm of keys
ACTIVATIONS = {
    "silu": silu,
    "relu": lambda x: np.maximum(x, 0),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))) + 1,
    "identity": lambda x: x,
}


def _blocks(found, inputs, switches):
    count = len(inputs)
    steps = len(found["k_proj.weight"]) // len(found["q_proj.weight"])
    strengths = sigmoid(linear(found, "b_proj", inputs[:, -1])).reshape(count, steps, -1)
    heads = strengths.shape[-1]
    if _reflects(found, switches):
        strengths = 2 * strengths
    activation = switches.get("qk_activation", "silu")
    if activation not in ACTIVATIONS:
        raise ValueError(f"qk_activation {activation!r}: it is one of {', '.join(ACTIVATIONS)}")
    if activation != "silu" and "k_conv1d.weight" in found:
        raise ValueError(f"qk_activation {activation!r} after a convolution is not read: only silu is")
    keys, values = (linear(found, name, inputs) for name in ("k_proj", "v_proj"))
    convolution = "k_conv1d.weight" in found
    keys = convolved(found, "k_conv1d", keys) if convolution else ACTIVATIONS[activation](keys[:, -1])
    values = convolved(found, "v_conv1d", values)
    groups = switches.get("num_heads") or heads  # of keys; heads of values may share them
    keys = keys.reshape(count, steps, groups, -1).repeat(heads // groups, axis=2)
    values = values.reshape(count, steps, heads, -1)
    keys = unit(keys, EPS) if switches.get("qk_norm", "l2") == "l2" else keys / keys.sum(axis=-1, keepdims=True)
    gates = np.zeros((count, heads))
    if "A_log" in found:
        gates = -np.exp(found["A_log"]) * softplus(linear(found, "a_proj", inputs[:, -1]) + found["dt_bias"])
    return tuple(_head(keys[:, :, h], values[:, :, h], strengths[:, :, h], gates[:, h]) for h in range(heads))


def _head(keys: np.ndarray, values: np.ndarray, strengths: np.ndarray, gates: np.ndarray) -> LayerHead:
    keys, values = columns(keys, values)
    inside = coordinates(keys.reshape(-1, keys.shape[-1]))
    if inside is not None and inside.shape[1] + 1 < keys.shape[-1]:
        inside = inside.reshape(*keys.shape[:-1], -1)
        keys = np.concatenate([inside, np.zeros((*inside.shape[:-1], 1))], axis=-1)  # and one row for the rest of the state
    matrices = np.exp(gates)[:, None, None] * np.eye(keys.shape[-1])
    drives = np.zeros((len(keys), keys.shape[-1], values.shape[-1]))
    for key, value, strength in zip(*(np.moveaxis(part, 1, 0) for part in (keys, values, strengths)), strict=True):
        pulled = strength[:, None] * key
        matrices = matrices - pulled[:, :, None] * (key[:, None] @ matrices)
        drives = drives - pulled[:, :, None] * (key[:, None] @ drives) + pulled[:, :, None] * value[:, None]
    return LayerHead(matrices, drives)


def _reflects(found, switches) -> bool:
    """Whether strengths go up to 2: as told, or as the implementation has it, for several factors but not for one."""
    told = switches["allow_neg_eigval"]
    return len(found["k_proj.weight"]) > len(found["q_proj.weight"]) if told is None else bool(told)


def _cls(found, switches):
    return "delta_product" if _reflects(found, switches) else "delta_net"


_NEEDS = {name: (name,) for name in ("q_proj.weight", "k_proj.weight", "v_proj.weight", "b_proj.weight")}
_ALSO = {f"{letter}_conv1d.{part}": (f"{letter}_conv1d.{part}",) for letter in "kv" for part in ("weight", "bias")}
_GATES = {name: (name,) for name in ("A_log", "a_proj.weight", "dt_bias")}
_IGNORED = ("q_conv1d.weight", "q_conv1d.bias", "g_proj.weight", "o_norm.weight", "o_proj.weight", "D")
_WHY = "factors 1 - b k k^T with |k| = 1 and b a sigmoid, doubled where negative eigenvalues are allowed"
_SHARED = {
    "width": lambda found: found["k_proj.weight"].shape[1],
    "reach": lambda found: taps_of(found, "k_conv1d", "v_conv1d"),
    "blocks": _blocks,
    "cls": _cls,
    "why": _WHY,
    "ignored": _IGNORED,
}


def _several(found):
    return len(found["k_proj.weight"]) > len(found["q_proj.weight"]) or "A_log" in found


DELTA_NET = LayerKind(
    name="delta_net",
    what="DeltaNet, S <- (1 - b k k^T) S + b k v^T for each head",
    source="fla-org/flash-linear-attention, fla/layers/delta_net.py; Yang et al., arXiv 2406.06484",
    needs=_NEEDS,
    also=_ALSO,
    switches={"allow_neg_eigval": False, "qk_activation": "silu", "qk_norm": "l2"},
    fits=lambda found: not _several(found),
    **_SHARED,
)
DELTA_PRODUCT = LayerKind(
    name="delta_product",
    what="DeltaProduct and Gated DeltaNet: a gate, then S <- (1 - b k k^T) S + b k v^T once or several times, for each head",
    source="fla-org/flash-linear-attention, fla/layers/gated_deltaproduct.py; Siems et al., arXiv 2502.10297",
    needs=_NEEDS,
    also=_ALSO | _GATES,
    switches={"allow_neg_eigval": None, "num_heads": None},
    fits=_several,
    **_SHARED,
)
