r"""RWKV-7: S <- (diag(w) - (a k) k^T) S + k' v^T for each head, with decays w and rates a of rows; S is transposed here."""

import numpy as np

from depthjax.probe.published.kind import LayerHead, LayerKind, columns, linear, sigmoid

SLOWEST = np.exp(-0.5)  # decays are exp(-SLOWEST sigmoid(.)), at least 0.545
LEAST = 1e-12  # norm by which a key is divided at least


def _blocks(found, inputs, switches):
    here, before = inputs[:, -1], inputs[:, -2]
    mixed = {letter: here + found[f"x_{letter}"].reshape(-1) * (before - here) for letter in "wkva"}
    count = len(inputs)
    decays = np.exp(-SLOWEST * sigmoid(_low_rank(found, "w", mixed["w"], np.tanh)))
    rates = sigmoid(_low_rank(found, "a", mixed["a"], lambda x: x))
    keys, values = linear(found, "key", mixed["k"]), linear(found, "value", mixed["v"])
    heads = len(found["r_k"]) if found["r_k"].ndim == 2 else switches["num_heads"]
    if not heads or keys.shape[1] % heads:
        raise ValueError(f"num_heads={heads}: expected a number that divides the {keys.shape[1]} rows of the keys")
    directions = keys * found["k_k"].reshape(-1)
    written = keys * (1 + (rates - 1) * found["k_a"].reshape(-1))
    split = [part.reshape(count, heads, -1) for part in (decays, rates, directions, written, values)]
    return tuple(_head(*(part[:, head] for part in split)) for head in range(heads))


def _head(decays: np.ndarray, rates: np.ndarray, directions: np.ndarray, written: np.ndarray, values: np.ndarray) -> LayerHead:
    directions = directions / np.maximum(np.linalg.norm(directions, axis=-1, keepdims=True), LEAST)
    written, values = columns(written, values)
    pulled = (rates * directions)[:, :, None] * directions[:, None]
    return LayerHead(decays[:, :, None] * np.eye(decays.shape[1]) - pulled, written[:, :, None] * values[:, None])


def _low_rank(found, name: str, x: np.ndarray, inner) -> np.ndarray:
    """The bias and inner(x W1) W2, where W1 and W2 stand on the right."""
    return found[f"{name}0"].reshape(-1) + inner(x @ found[f"{name}1"]) @ found[f"{name}2"]


def _turned(*names: str) -> tuple[str, ...]:
    """Names of matrices that are stored transposed, as linear maps."""
    return tuple(f"{name}^T" for name in names)


RWKV7 = LayerKind(
    name="rwkv7",
    what="RWKV-7, S <- (diag(w) - (a k) k^T) S + k' v^T for each head; every letter is mixed with the one before it",
    source="BlinkDL/RWKV-LM, RWKV-v7/rwkv_v7_numpy.py; Peng et al., arXiv 2503.14456",
    needs={
        **{f"x_{letter}": (f"x_{letter}",) for letter in "wkva"},
        "k_k": ("k_k",),
        "k_a": ("k_a",),
        "r_k": ("r_k",),
        **{f"{letter}0": (f"{letter}0", f"{letter}_lora.lora.2.bias") for letter in "wa"},
        **{f"{letter}1": (f"{letter}1", *_turned(f"{letter}_lora.lora.0.weight")) for letter in "wa"},
        **{f"{letter}2": (f"{letter}2", *_turned(f"{letter}_lora.lora.2.weight")) for letter in "wa"},
        "key.weight": ("key.weight", "k_proj.weight"),
        "value.weight": ("value.weight", "v_proj.weight"),
    },
    ignored=(
        *("x_r", "x_g", "v0", "v1", "v2", "g1", "g2", "receptance.weight", "output.weight", "ln_x.weight", "ln_x.bias"),
        *("r_proj.weight", "o_proj.weight", "g_norm.weight", "g_norm.bias", "v_lora.lora.0.weight", "v_lora.lora.2.weight"),
        *("v_lora.lora.2.bias", "g_lora.lora.0.weight", "g_lora.lora.2.weight"),
    ),
    width=lambda found: found["key.weight"].shape[1],
    reach=lambda found: 2,
    blocks=_blocks,
    cls=lambda found, switches: "rank_one",
    why="a decay in (0.545, 1) minus (a k) k^T with |k| = 1 and rates a in (0, 1); the value of a later block is its own here",
    switches={"num_heads": None},
)
