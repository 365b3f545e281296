r"""Mamba-2: h <- exp(dt A) h + dt x B^T for each head, with one number A for all states of the head (state space duality)."""

import numpy as np

from depthjax.probe.published.kind import CLEAR, Diagonal, LayerKind, convolved, coordinates, linear, softplus, taps_of


def _blocks(found, inputs, switches):
    if switches["activation"] not in ("silu", "swish"):
        raise ValueError(f"activation {switches['activation']!r}: the convolution of this kind has silu")
    heads, wide = len(found["A_log"]), len(found["conv1d.weight"])
    channels, states, groups = _sizes(found, switches)
    rows = linear(found, "in_proj", inputs)[..., -wide - heads :]  # behind the gates, and what passes by the states
    inner = convolved(found, "conv1d", rows[..., :wide])
    x = inner[:, : heads * channels].reshape(len(inner), heads, channels)
    keys = inner[:, heads * channels :][:, : groups * states].reshape(len(inner), groups, states)
    step = softplus(rows[:, -1, wide:] + found["dt_bias"])
    if (limit := switches["dt_limit"] or switches["time_step_limit"]) is not None:
        least, largest = _limits(limit)
        step = np.clip(step, least, largest)
    decay, logs, drives = -np.exp(found["A_log"]), [], []
    for head in range(heads):
        key = keys[:, head * groups // heads]
        drive = (step[:, head, None, None] * x[:, head, :, None] * key[:, None, :]).reshape(len(x), -1)
        inside = coordinates(drive)  # the letters turn no direction into another, so those that none drives stay 0
        drives.append(drive if inside is None else inside)
        logs.append(np.repeat(step[:, head, None] * decay[head], drives[-1].shape[1], axis=1))
    return (Diagonal(np.concatenate(logs, axis=1), np.concatenate(drives, axis=1), 1 / CLEAR),)


def _sizes(found, switches):
    """Channels of a head, states of a channel, and groups of heads that share B and C, from the rows of the projections."""
    heads, (rows, wide) = len(found["A_log"]), (len(found["in_proj.weight"]), len(found["conv1d.weight"]))
    beside = rows - wide - heads  # z, and twice what passes by the states
    if "out_proj.weight" in found:
        inner = 2 * found["out_proj.weight"].shape[1] - beside
    else:
        inner = beside
    shared = wide - inner
    told = f"in_proj has {rows} rows, conv1d {wide} channels and A_log {heads} heads"
    if inner <= 0 or shared <= 0 or inner % heads or shared % 2:
        raise ValueError(f"{told}: expected rows for z, x, B, C and dt in this order, and channels for x, B and C")
    groups = switches["ngroups"] or switches["n_groups"] or 1
    if heads % groups or shared // 2 % groups:
        raise ValueError(
            f"ngroups={groups} does not divide {heads} heads and {shared // 2} rows of B: expected the block's groups"
        )
    return inner // heads, shared // 2 // groups, groups


def _limits(limit):
    if np.shape(limit) != (2,) or not 0 <= limit[0] <= limit[1]:
        raise ValueError(f"dt_limit {limit!r}: expected the least and the largest step, 0 <= least <= largest")
    return tuple(map(float, limit))


def _fits(found):
    return found["A_log"].ndim == 1 and found["dt_bias"].shape == found["A_log"].shape


MAMBA2 = LayerKind(
    name="mamba2",
    what="Mamba-2, h <- exp(dt A) h + dt x B^T for each head, with one A for a head; dt, x and B depend on the input, and a "
    "convolution smooths x and B",
    source="state-spaces/mamba, mamba_ssm/modules/mamba2.py; Dao, Gu, arXiv 2405.21060",
    needs={name: (name,) for name in ("dt_bias", "A_log", "in_proj.weight", "conv1d.weight")},
    also={"out_proj.weight": ("out_proj.weight",)},
    ignored=("D", "norm.weight"),
    width=lambda found: found["in_proj.weight"].shape[1],
    reach=lambda found: taps_of(found, "conv1d"),
    blocks=_blocks,
    cls=lambda found, switches: "positive",
    why="exp(dt A) with dt >= 0 and A = -exp(A_log) lies in (0, 1]",
    switches={"ngroups": None, "n_groups": None, "dt_limit": None, "time_step_limit": None, "activation": "silu"},
    fits=_fits,
)
