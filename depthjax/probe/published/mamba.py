r"""Mamba: h <- exp(dt A) h + dt B x, with a step dt and a drive B of the input, for every channel and state."""

import numpy as np

from depthjax.probe.published.kind import Diagonal, LayerKind, convolved, linear, softplus, taps_of


def _blocks(found, inputs, switches):
    x = inputs
    if "in_proj.weight" in found:
        x = linear(found, "in_proj", x)[..., : len(found["A_log"])]
    x = convolved(found, "conv1d", x) if "conv1d.weight" in found else x[:, -1]
    channels, states = found["A_log"].shape
    rank = found["dt_proj.weight"].shape[1]
    if len(found["x_proj.weight"]) != rank + 2 * states:
        raise ValueError(
            f"x_proj has {len(found['x_proj.weight'])} rows: expected {rank} for dt (columns of dt_proj) and twice {states} "
            "for B and C (columns of A_log)"
        )
    selected = linear(found, "x_proj", x)
    step = softplus(linear(found, "dt_proj", selected[:, :rank]))
    logs = -step[:, :, None] * np.exp(found["A_log"])
    drives = (step * x)[:, :, None] * selected[:, None, rank : rank + states]
    return (Diagonal(logs.reshape(-1, channels * states), drives.reshape(-1, channels * states)),)


MAMBA = LayerKind(
    name="mamba",
    what="Mamba, h <- exp(dt A) h + dt B x for every channel and state; dt and B depend on x, which a convolution smooths",
    source="state-spaces/mamba, mamba_ssm/modules/mamba_simple.py; Gu, Dao, arXiv 2312.00752",
    needs={"A_log": ("A_log",), "x_proj.weight": ("x_proj.weight",), "dt_proj.weight": ("dt_proj.weight",)},
    also={
        "dt_proj.bias": ("dt_proj.bias",),
        "in_proj.weight": ("in_proj.weight",),
        "in_proj.bias": ("in_proj.bias",),
        "conv1d.weight": ("conv1d.weight", "conv.weight"),
        "conv1d.bias": ("conv1d.bias", "conv.bias"),
    },
    ignored=("D", "out_proj.weight", "out_proj.bias"),
    width=lambda found: found["in_proj.weight"].shape[1] if "in_proj.weight" in found else len(found["A_log"]),
    reach=lambda found: taps_of(found, "conv1d"),
    blocks=_blocks,
    cls=lambda found, switches: "positive",
    why="exp(dt A) with dt > 0 and A = -exp(A_log) lies in (0, 1)",
)
