r"""LRU: h <- exp(-exp(nu) + i exp(theta)) h + exp(gamma) B u, with one complex diagonal for all inputs."""

import numpy as np

from depthjax.probe.published.kind import Diagonal, LayerKind, principal


def _blocks(found, inputs, switches):
    logs = principal(-np.exp(found["nu_log"]) + 1j * np.exp(found["theta_log"]))
    into = (found["B_re"] + 1j * found["B_im"]) * np.exp(found["gamma_log"])[:, None]
    return (Diagonal(np.broadcast_to(logs, (len(inputs), len(logs))), inputs[:, -1] @ into.T),)


LRU = LayerKind(
    name="lru",
    what="LRU, h <- exp(-exp(nu) + i exp(theta)) h + exp(gamma) B u with one complex diagonal, the same for all inputs",
    source="NicolasZucchet/minimal-LRU, lru/model.py; Orvieto et al., arXiv 2303.06349",
    needs={name: (name,) for name in ("nu_log", "theta_log", "gamma_log", "B_re", "B_im")},
    ignored=("C_re", "C_im", "D"),
    width=lambda found: found["B_re"].shape[1],
    blocks=_blocks,
    cls=lambda found, switches: "time_invariant",
    why="the diagonal exp(-exp(nu_log) + i exp(theta_log)) does not depend on the input",
)
