"""Arrays of any library as arrays of numpy, with the same numbers in the same type."""

import sys
from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["array_of"]


def array_of(value: Any) -> np.ndarray:
    """Return a value as an array of numpy: one of numpy, JAX or PyTorch, a variable of flax.nnx, or numbers of Python.

    A tensor of PyTorch is taken without its gradient, from its device, and keeps its type: bfloat16 is that of `ml_dtypes`.

    >>> array_of([1, 2]).tolist()
    [1, 2]
    """
    torch = sys.modules.get("torch")  # a tensor comes with its library
    if torch is None or not isinstance(value, torch.Tensor):
        if type(value).__module__.partition(".")[0] == "flax" and hasattr(value, "get_value"):
            value = value.get_value()
        return np.asarray(value)
    value = value.detach().cpu().resolve_conj().resolve_neg()
    if value.dtype is torch.bfloat16:
        return value.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return value.numpy()
