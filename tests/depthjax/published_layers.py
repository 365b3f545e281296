"""Blocks of published kinds at their published initialisations, rewritten by hand: names, shapes and draws of their authors.

Sources: state-spaces/mamba (S4D-real A, dt log-uniform in [1e-3, 1e-1]; Mamba-2 with A uniform in [1, 16]),
state-spaces/s4 (S4D-Lin), lindermanlab/S5 (the normal
part of HiPPO-LegS), NicolasZucchet/minimal-LRU (a ring), fla-org/flash-linear-attention (GLA, DeltaNet, Gated
DeltaProduct), BlinkDL/RWKV-LM (RWKV-7), IBM/expressive-sparse-state-space-model (PD-SSM, both), open-lm-engine (M2RNN).
"""

import numpy as np


def _linear(draw, outputs, inputs):
    """PyTorch's Linear: uniform within 1 / sqrt(inputs)."""
    return draw.uniform(-1, 1, (outputs, inputs)) / np.sqrt(inputs)


def _step_bias(draw, shape, low=1e-3, high=1e-1):
    step = np.maximum(np.exp(draw.uniform(np.log(low), np.log(high), shape)), 1e-4)
    return step + np.log(-np.expm1(-step))


def mamba(draw, width=4, states=4, taps=4, expand=2, **steps):
    inner, rank = expand * width, -(-width // 16)
    return {
        "in_proj.weight": _linear(draw, 2 * inner, width),
        "conv1d.weight": draw.uniform(-1, 1, (inner, 1, taps)) / np.sqrt(taps),
        "conv1d.bias": draw.uniform(-1, 1, inner) / np.sqrt(taps),
        "x_proj.weight": _linear(draw, rank + 2 * states, inner),
        "dt_proj.weight": draw.uniform(-1, 1, (inner, rank)) * rank**-0.5,
        "dt_proj.bias": _step_bias(draw, inner, **steps),
        "A_log": np.log(np.tile(np.arange(1.0, states + 1), (inner, 1))),
        "D": np.ones(inner),
        "out_proj.weight": _linear(draw, width, inner),
    }


def mamba2(draw, width=4, states=4, taps=4, expand=2, heads=2, groups=1, beside=0):
    """`beside` channels pass by the states, through a gate."""
    inner = expand * width
    ssm = inner - beside
    wide = ssm + 2 * groups * states
    return {
        "dt_bias": _step_bias(draw, heads),
        "A_log": np.log(draw.uniform(1, 16, heads)),
        "D": np.ones(heads),
        "in_proj.weight": _linear(draw, 2 * inner + 2 * groups * states + heads, width),
        "conv1d.weight": draw.uniform(-1, 1, (wide, 1, taps)) / np.sqrt(taps),
        "conv1d.bias": draw.uniform(-1, 1, wide) / np.sqrt(taps),
        "norm.weight": np.ones(ssm),
        "out_proj.weight": _linear(draw, width, inner),
    }


def s4d(draw, width=3, states=8):
    half = states // 2
    return {
        "D": draw.normal(size=width),
        "kernel.C": draw.normal(size=(width, half, 2)),
        "kernel.log_dt": draw.uniform(np.log(1e-3), np.log(1e-1), width),
        "kernel.log_A_real": np.log(0.5 * np.ones((width, half))),
        "kernel.A_imag": np.pi * np.tile(np.arange(float(half)), (width, 1)),
        "output_linear.0.weight": draw.normal(size=(2 * width, width, 1)),
        "output_linear.0.bias": np.zeros(2 * width),
    }


def s5(draw, width=3, states=8):
    """Eigenvalues of the normal part of HiPPO-LegS, one of each conjugate pair."""
    n = np.arange(states)
    p = np.sqrt(1 + 2 * n)
    a = -(np.tril(p[:, None] * p[None]) - np.diag(n))
    normal = a + np.outer(np.sqrt(n + 0.5), np.sqrt(n + 0.5))
    values = np.linalg.eigvalsh(-1j * (normal + 0.5 * np.eye(states)))
    kept = np.sort(values[values > 0])
    into = draw.normal(size=(len(kept), width, 2)) / np.sqrt(width)
    return {
        "Lambda_re": np.full(len(kept), -0.5),
        "Lambda_im": kept,
        "B": into,
        "C": draw.normal(size=(width, len(kept), 2)),
        "D": draw.normal(size=width),
        "log_step": draw.uniform(np.log(1e-3), np.log(1e-1), (len(kept), 1)),
    }


def lru(draw, width=3, states=6, low=0.9, high=0.999):
    u, v = draw.uniform(size=(2, states))
    nu, theta = np.log(-0.5 * np.log(u * (high**2 - low**2) + low**2)), np.log(2 * np.pi * v)
    size = np.exp(-np.exp(nu))
    parts = {f"B_{part}": draw.normal(size=(states, width)) / np.sqrt(2 * width) for part in ("re", "im")}
    parts |= {f"C_{part}": draw.normal(size=(width, states)) / np.sqrt(states) for part in ("re", "im")}
    return parts | {"nu_log": nu, "theta_log": theta, "gamma_log": np.log(np.sqrt(1 - size**2)), "D": draw.normal(size=width)}


def gla(draw, width=8, heads=2, rank=4):
    key = width // 2
    return {
        "q_proj.weight": _linear(draw, key, width),
        "k_proj.weight": _linear(draw, key, width),
        "v_proj.weight": _linear(draw, width, width),
        "g_proj.weight": _linear(draw, width, width),
        "gk_proj.0.weight": _linear(draw, rank, width),
        "gk_proj.1.weight": _linear(draw, key, rank),
        "gk_proj.1.bias": draw.uniform(-1, 1, key) / np.sqrt(rank),
        "g_norm_swish_gate.weight": np.ones(width // heads),
        "o_proj.weight": _linear(draw, width, width),
    }


def delta_net(draw, width=8, heads=2, taps=4):
    parts = {f"{letter}_proj.weight": _linear(draw, width, width) for letter in "qkvo"}
    parts |= {f"{letter}_conv1d.weight": draw.uniform(-1, 1, (width, 1, taps)) / np.sqrt(taps) for letter in "qkv"}
    return parts | {"b_proj.weight": _linear(draw, heads, width), "o_norm.weight": np.ones(width // heads)}


def delta_product(draw, width=8, heads=2, size=4, householders=2):
    key = heads * size
    return {
        "q_proj.weight": _linear(draw, key, width),
        "k_proj.weight": _linear(draw, key * householders, width),
        "v_proj.weight": _linear(draw, key * householders, width),
        "b_proj.weight": _linear(draw, heads * householders, width),
        "a_proj.weight": _linear(draw, heads, width),
        "A_log": np.log(draw.uniform(0, 16, heads)),
        "dt_bias": _step_bias(draw, heads),
        "g_proj.weight": _linear(draw, key, width),
        "o_norm.weight": np.ones(size),
        "o_proj.weight": _linear(draw, width, key),
    }


def rwkv7(draw, width=8, heads=2, rank=4):
    size, n = width // heads, np.arange(width)
    linear = n / (width - 1) - 0.5
    zigzag = (n % size - (size - 1) / 2) / ((size - 1) / 2)
    zigzag = zigzag * np.abs(zigzag)
    mixes = {f"x_{letter}": (1 - (n / width) ** 0.5).reshape(1, 1, -1) for letter in "rwkvag"}
    low = {f"{letter}1": np.zeros((width, rank)) for letter in "wavg"}
    low |= {f"{letter}2": 0.1 * np.linalg.qr(draw.normal(size=(width, rank)))[0].T for letter in "wavg"}
    return {
        **mixes,
        **low,
        "w0": (-6 + 6 * (n / (width - 1)) + 0.5 + 2.5 * zigzag).reshape(1, 1, -1),
        "a0": (-0.19 + 0.3 * zigzag + 0.4 * linear).reshape(1, 1, -1),
        "v0": (0.73 - 0.4 * linear).reshape(1, 1, -1),
        "k_k": (0.71 - 0.1 * linear).reshape(1, 1, -1),
        "k_a": np.full((1, 1, width), 1.02),
        "r_k": np.full((heads, size), -0.04),
        "receptance.weight": _linear(draw, width, width),
        "key.weight": 0.1 * np.linalg.qr(draw.normal(size=(width, width)))[0],
        "value.weight": np.linalg.qr(draw.normal(size=(width, width)))[0],
        "output.weight": np.zeros((width, width)),
        "ln_x.weight": np.ones(width),
        "ln_x.bias": np.zeros(width),
    }


def pd_ssm(draw, width=4, states=4, dictionary=3):
    """The implementation for state tracking, in PyTorch."""
    parts = {}
    for part in ("magnitude", "phase"):
        for layer, (outputs, inputs) in {0: (2 * states, width), 2: (states, 2 * states)}.items():
            parts[f"D_{part}_generator.{layer}.weight"] = _linear(draw, outputs, inputs)
            parts[f"D_{part}_generator.{layer}.bias"] = draw.uniform(-1, 1, outputs) / np.sqrt(inputs)
    return parts | {
        "S.weight": _linear(draw, dictionary, width),
        "A_dict": draw.normal(size=(states, states, dictionary)) / np.sqrt(states),
        "B_re": draw.normal(size=(states, width)) / np.sqrt(2 * states),
        "B_im": draw.normal(size=(states, width)) / np.sqrt(2 * states),
        "D": draw.normal(size=width) / np.sqrt(width),
        "readout.weight": _linear(draw, width, 2 * width),
        "readout.bias": np.zeros(width),
        "norm.weight": np.ones(width),
        "norm.bias": np.zeros(width),
    }


def pd_ssm_columns(draw, width=4, states=4, dictionary=3):
    """The implementation for time series, in JAX."""
    parts = {}
    for part in ("mag", "pha"):
        parts |= {f"W1_{part}": draw.normal(size=(states, width)) / np.sqrt(width), f"b1_{part}": draw.normal(size=states)}
        parts |= {f"W2_{part}": draw.normal(size=(states, states)), f"b2_{part}": draw.normal(size=states)}
    parts |= {f"{matrix}_{part}": draw.normal(size=(states, width)) for matrix in "B" for part in ("re", "im")}
    parts |= {f"C_{part}": draw.normal(size=(width, states)) for part in ("re", "im")}
    selector = draw.normal(size=(dictionary, width))
    return parts | {
        "P_dict": draw.normal(size=(dictionary, states, states)),
        "P_selector": selector,
        "D": draw.normal(size=width),
    }


def m2rnn(draw, width=4, key=2, value=2, heads=1):
    return {
        "input_projection.weight": _linear(draw, 2 * heads * key + heads * value + heads, width),
        "state_weight": draw.normal(size=(heads, value, value)),
        "output_projection.weight": _linear(draw, width, heads * value),
    }


M2RNN = {"key_head_dim": 2, "num_query_heads": 1, "num_key_heads": 1, "num_value_heads": 1, "num_forget_input_heads": 1}
BLOCKS = {  # kind, parameters, switches, class, whether solvable
    "mamba": (mamba, {}, "positive", True),
    "mamba2": (mamba2, {}, "positive", True),
    "s4d": (s4d, {}, "time_invariant", True),
    "s5": (s5, {}, "time_invariant", True),
    "lru": (lru, {}, "time_invariant", True),
    "gla": (gla, {}, "positive", True),
    "delta_net": (delta_net, {}, "delta_net", False),
    "delta_product": (delta_product, {}, "delta_product", False),
    "rwkv7": (rwkv7, {}, "rank_one", False),
    "m2rnn": (m2rnn, M2RNN, "nonlinear", False),
}
