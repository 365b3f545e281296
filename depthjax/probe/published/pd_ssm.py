r"""PD-SSM: h <- P D h + B u with a complex diagonal D and a single 1 in every column (or row) of P; both depend on the input.

The two public implementations of the authors differ. That for time series (JAX) has one 1 in each column and scales columns,
as the paper has it. That for state tracking (PyTorch) has one 1 in each row, and scales rows. Each is read as it computes.
"""

import numpy as np
from scipy.special import erf

from depthjax.probe.published.kind import LayerHead, LayerKind, linear, sigmoid


def _blocks(found, inputs, switches):
    x = inputs[:, -1]
    by_columns = "W1_mag" in found
    scores = x @ found["selector"].T
    chosen = np.exp(scores - scores.max(axis=1, keepdims=True))
    chosen /= chosen.sum(axis=1, keepdims=True)
    if by_columns:
        mixed = np.einsum("kmn,lk->lmn", found["dictionary"], chosen)
        size = sigmoid(x @ found["W1_mag"].T + found["b1_mag"])
        phase = sigmoid(x @ found["W1_pha"].T + found["b1_pha"])
    else:
        mixed = np.einsum("mnk,lk->lmn", found["dictionary"], chosen)
        size, phase = (_generated(found, f"D_{part}_generator", x) for part in ("magnitude", "phase"))
    diagonal = size * np.exp(2j * np.pi * phase)
    states = mixed.shape[1]
    matrices = np.zeros((len(x), states, states), complex)
    letters, every = np.arange(len(x))[:, None], np.arange(states)[None]
    if by_columns:
        matrices[letters, mixed.argmax(axis=1), every] = diagonal
    else:
        matrices[letters, every, mixed.argmax(axis=2)] = diagonal
    drives = x @ (found["B_re"] + 1j * found["B_im"]).T
    return (LayerHead(matrices, drives[:, :, None]),)


def _generated(found, name: str, x: np.ndarray) -> np.ndarray:
    """A network of one hidden layer of GELU, between 0 and 1."""
    hidden = linear(found, f"{name}.0", x)
    return sigmoid(linear(found, f"{name}.2", hidden * (1 + erf(hidden / np.sqrt(2))) / 2))


def _fits(found):
    torch = all(f"D_{part}_generator.{n}.weight" in found for part in ("magnitude", "phase") for n in (0, 2))
    return torch or all(name in found for name in ("W1_mag", "b1_mag", "W1_pha", "b1_pha"))


_NETWORKS = [f"D_{part}_generator.{n}.{what}" for part in ("magnitude", "phase") for n in (0, 2) for what in ("weight", "bias")]

PD_SSM = LayerKind(
    name="pd_ssm",
    what="PD-SSM, h <- P D h + B u, with one non-zero entry in each column (or row) of a transition, chosen by the input",
    source="IBM/expressive-sparse-state-space-model, pdssm.py and PDSSM.py; Terzic et al., arXiv 2509.22284",
    needs={
        "dictionary": ("A_dict", "P_dict"),
        "selector": ("S.weight", "P_selector"),
        "B_re": ("B_re",),
        "B_im": ("B_im",),
    },
    also={name: (name,) for name in (*_NETWORKS, "W1_mag", "b1_mag", "W1_pha", "b1_pha")},
    ignored=(
        *("C_re", "C_im", "D", "W2_mag", "b2_mag", "W2_pha", "b2_pha"),
        *("readout.weight", "readout.bias", "norm.weight", "norm.bias"),
    ),
    width=lambda found: found["B_re"].shape[1],
    blocks=_blocks,
    cls=lambda found, switches: "pd",
    why="every column (in PyTorch: every row) of a transition has one non-zero entry",
    fits=_fits,
)
