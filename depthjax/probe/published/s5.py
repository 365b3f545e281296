r"""S5: h <- exp(dt A) h + (exp(dt A) - 1) / A B u, or the bilinear rule, with one complex diagonal A for all channels."""

import numpy as np

from depthjax.checks import one_of
from depthjax.probe.published.kind import Diagonal, LayerKind, held, principal

RULES = ("zoh", "bilinear")
CLIPPED = -1e-4  # real parts of the eigenvalues are at most this, where they are clipped


def _blocks(found, inputs, switches):
    real = found["Lambda_re"]
    eigenvalues = (np.minimum(real, CLIPPED) if switches["clip_eigs"] else real) + 1j * found["Lambda_im"]
    step = switches["step_rescale"] * np.exp(found["log_step"].reshape(-1))
    into = found["B"][..., 0] + 1j * found["B"][..., 1]
    held_input = inputs[:, -1] @ into.T
    if one_of("discretization", switches["discretization"], RULES) == "zoh":
        logs = step * eigenvalues
        drives = step * held(logs) * held_input
    else:
        half = step / 2 * eigenvalues
        logs = 2 * np.arctanh(half)
        drives = step / (1 - half) * held_input
    return (Diagonal(np.broadcast_to(principal(logs), (len(inputs), len(logs))), drives),)


S5 = LayerKind(
    name="s5",
    what="S5, h <- exp(dt A) h + (exp(dt A) - 1) / A B u with one complex diagonal, the same for all inputs",
    source="lindermanlab/S5, s5/ssm.py; Smith, Warrington, Linderman, arXiv 2208.04933",
    needs={"Lambda_re": ("Lambda_re",), "Lambda_im": ("Lambda_im",), "B": ("B",), "log_step": ("log_step",)},
    ignored=("C", "C1", "C2", "D"),
    width=lambda found: found["B"].shape[1],
    blocks=_blocks,
    cls=lambda found, switches: "time_invariant",
    why="the diagonal exp(dt A) does not depend on the input",
    switches={"discretization": "zoh", "clip_eigs": False, "step_rescale": 1.0},
)
