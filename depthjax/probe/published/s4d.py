r"""S4D: h <- exp(dt A) h + (exp(dt A) - 1) / A u, with a complex diagonal A and a step dt for each channel, for all inputs."""

import numpy as np

from depthjax.probe.published.kind import Diagonal, LayerKind, held, principal


def _blocks(found, inputs, switches):
    step = np.exp(found["log_dt"])[:, None]
    logs = step * (-np.exp(found["log_A_real"]) + 1j * found["A_imag"])
    drives = inputs[:, -1, :, None] * (step * held(logs))
    count = len(inputs)
    return (Diagonal(np.broadcast_to(principal(logs).ravel(), (count, logs.size)), drives.reshape(count, -1)),)


S4D = LayerKind(
    name="s4d",
    what="S4D, h <- exp(dt A) h + (exp(dt A) - 1) / A u with one complex diagonal for each channel, the same for all inputs",
    source="state-spaces/s4, models/s4/s4d.py; Gu, Gupta, Goel, Re, arXiv 2206.11893",
    needs={"log_dt": ("log_dt",), "log_A_real": ("log_A_real",), "A_imag": ("A_imag",)},
    ignored=("C", "D", "output_linear.0.weight", "output_linear.0.bias"),
    width=lambda found: len(found["log_dt"]),
    blocks=_blocks,
    cls=lambda found, switches: "time_invariant",
    why="the diagonal exp(dt A) does not depend on the input",
)
