r"""Gated linear attention: S <- diag(a) S + k v^T for each head, with gates a = sigmoid(W2 W1 u + b)^(1/16)."""

import numpy as np

from depthjax.probe.published.kind import CLEAR, Diagonal, LayerKind, columns, convolved, linear, log_sigmoid, taps_of


def _blocks(found, inputs, switches):
    last = inputs[:, -1]
    gates = log_sigmoid(linear(found, "gk_proj.1", linear(found, "gk_proj.0", last))) / switches["gate_logit_normalizer"]
    if switches["clamp_min"] is not None:
        gates = np.maximum(gates, switches["clamp_min"])
    keys, values = (
        convolved(found, f"{letter}_conv1d", linear(found, f"{letter}_proj", inputs))
        if f"{letter}_conv1d.weight" in found
        else linear(found, f"{letter}_proj", last)
        for letter in "kv"
    )
    if switches["feature_map"] not in (None, "relu"):
        raise ValueError(f"feature_map {switches['feature_map']!r}: keys are read as they are (None) or by 'relu'")
    keys = np.maximum(keys, 0) if switches["feature_map"] == "relu" else keys
    heads = _heads(found, switches)
    keys, gates, values = (part.reshape(len(inputs), heads, -1) for part in (keys, gates, values))
    parts = [columns(keys[:, head], values[:, head]) for head in range(heads)]
    drives = np.concatenate([(k[:, :, None] * v[:, None, :]).reshape(len(k), -1) for k, v in parts], axis=1)
    logs = np.concatenate([np.repeat(gates[:, head], v.shape[1], axis=1) for head, (_, v) in enumerate(parts)], axis=1)
    return (Diagonal(logs, drives, 1 / CLEAR),)


def _heads(found, switches):
    """Heads of keys and values: as given, or as the size of the norm of the output says."""
    given = switches["num_kv_heads"] or switches["num_heads"]
    rows = len(found["v_proj.weight"])
    if given is None and "norm.weight" in found:
        given = rows // len(found["norm.weight"])
    if given is None:
        raise ValueError("num_heads= is not said by the parameters of this block: give it")
    if rows % given or len(found["k_proj.weight"]) % given:
        sizes = f"{len(found['k_proj.weight'])} rows of keys and {rows} of values"
        raise ValueError(f"num_heads={given} does not divide {sizes}: expected the heads of the block")
    return given


GLA = LayerKind(
    name="gla",
    what="gated linear attention, S <- diag(a) S + k v^T for each head, with gates in (0, 1) that depend on the input",
    source="fla-org/flash-linear-attention, fla/layers/gla.py; Yang et al., arXiv 2312.06635",
    needs={
        name: (name,) for name in ("k_proj.weight", "v_proj.weight", "gk_proj.0.weight", "gk_proj.1.weight", "gk_proj.1.bias")
    },
    also={
        "k_conv1d.weight": ("k_conv1d.weight",),
        "k_conv1d.bias": ("k_conv1d.bias",),
        "v_conv1d.weight": ("v_conv1d.weight",),
        "v_conv1d.bias": ("v_conv1d.bias",),
        "norm.weight": ("g_norm_swish_gate.weight", "g_norm.weight"),
    },
    ignored=("q_proj.weight", "q_conv1d.weight", "q_conv1d.bias", "g_proj.weight", "o_proj.weight"),
    width=lambda found: found["k_proj.weight"].shape[1],
    reach=lambda found: taps_of(found, "k_conv1d", "v_conv1d"),
    blocks=_blocks,
    cls=lambda found, switches: "positive",
    why="the gates are powers of a sigmoid, in (0, 1)",
    switches={"num_heads": None, "num_kv_heads": None, "gate_logit_normalizer": 16, "clamp_min": None, "feature_map": None},
)
