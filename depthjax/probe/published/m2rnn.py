r"""M2RNN: S <- f S + (1 - f) tanh(S W + k v^T) for each head, with a gate f of the input; the step is not affine."""

import numpy as np

from depthjax.probe.published.kind import LayerKind, NonlinearStep, linear


def _blocks(found, inputs, switches):
    weight = found["state_weight"]
    value_size = weight.shape[-1]
    key_size, heads = (
        switches["key_head_dim"],
        {name: switches[f"num_{name}_heads"] for name in ("query", "key", "value", "forget_input")},
    )
    missing = [f"num_{name}_heads" for name, count in heads.items() if count is None] + ["key_head_dim"] * (key_size is None)
    if missing:
        raise ValueError(
            f"{', '.join(missing)}: not said by the parameters of this block; give them, or pass the module itself"
        )
    sizes = [heads["query"] * key_size, heads["key"] * key_size, heads["value"] * value_size, heads["forget_input"]]
    rows = len(found["input_projection.weight"])
    if sum(sizes) != rows:
        raise ValueError(
            f"heads of the sizes {sizes} take {sum(sizes)} rows, and input_projection has {rows}: other numbers of heads"
        )
    _, keys, values, forget = np.split(linear(found, "input_projection", inputs[:, -1]), np.cumsum(sizes)[:-1], axis=1)
    count = max(*heads.values(), len(weight))
    if any(count % each for each in (*heads.values(), len(weight))):
        raise ValueError(f"heads {heads} and {len(weight)} of the state do not divide {count}")
    keys, values = keys.reshape(len(keys), -1, key_size), values.reshape(len(values), -1, value_size)
    return tuple(
        _step(
            keys[:, head * keys.shape[1] // count],
            values[:, head * values.shape[1] // count],
            forget[:, head * forget.shape[1] // count],
            weight[head * len(weight) // count],
        )
        for head in range(count)
    )


def _step(keys: np.ndarray, values: np.ndarray, forget: np.ndarray, weight: np.ndarray) -> NonlinearStep:
    writes = keys[:, :, None] * values[:, None]
    size = writes[0].size
    into = np.kron(np.eye(keys.shape[1]), weight.T)  # S W, rows of S one after the other
    gates = forget[:, None]

    def linearised(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        new = np.tanh(into @ state + writes.reshape(len(writes), -1))
        slopes = (1 - gates) * (1 - new**2)
        return gates * state + (1 - gates) * new, gates[..., None] * np.eye(size) + slopes[..., None] * into

    return NonlinearStep(linearised, size)


M2RNN = LayerKind(
    name="m2rnn",
    what="M2RNN, S <- f S + (1 - f) tanh(S W + k v^T) for each head, with matrices W that do not depend on the input",
    source="open-lm-engine/accelerated-model-architectures, xma/layers/m2rnn; Mishra et al., arXiv 2603.14360",
    needs={"state_weight": ("state_weight",), "input_projection.weight": ("input_projection.weight",)},
    also={"input_projection.bias": ("input_projection.bias",)},
    ignored=("output_projection.weight", "output_projection.bias"),
    width=lambda found: found["input_projection.weight"].shape[1],
    blocks=_blocks,
    cls=lambda found, switches: "nonlinear",
    why="tanh of the state: the step is not affine, and algebras speak of its linearisation at states",
    switches={
        "key_head_dim": None,
        "num_query_heads": None,
        "num_key_heads": None,
        "num_value_heads": None,
        "num_forget_input_heads": None,
    },
)
