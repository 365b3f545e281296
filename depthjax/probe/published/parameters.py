"""The parameters of a block by name, from a module of any library or from a file; no library is imported for it.

Names are the paths of the parameters with dots between, as PyTorch has them. Linear maps have their shape there, too: what flax
and haiku call ``kernel`` or ``w``, (inputs, outputs), becomes ``weight``, (outputs, inputs), and the taps of a convolution
(taps, 1, channels) become (channels, 1, taps).
"""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from depthjax.dtypes import is_inexact, number, wide
from depthjax.safetensors import read_safetensors

PICKLED = (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle", ".npy")
OUTER = ("params", "variables")  # of variables in flax
INNER = ("value", "raw_value")  # of parameters in flax.nnx
MOVED = {2: (1, 0), 3: (2, 1, 0)}  # axes of a kernel in the order of a weight


def parameters(source: Any) -> dict[str, np.ndarray]:
    """Return the parameters of a block, a model or a file by name, in their own types.

    Args:
        source: A path of an ``.npz`` or ``.safetensors`` file; a mapping from names to arrays, perhaps nested; a module of
            PyTorch; a module of flax.linen with its variables bound; or a tree of arrays, as modules of equinox and flax.nnx
            are.

    Raises:
        ValueError: The file has another format, an entry holds no numbers, or nothing is in it.
        TypeError: `source` is none of these.
        OSError: The file cannot be read.

    >>> import numpy as np
    >>> {name: array.shape for name, array in parameters({"params": {"dt_proj": {"kernel": np.zeros((2, 3))}}}).items()}
    {'dt_proj.weight': (3, 2)}
    """
    if isinstance(source, (str, Path)):
        entries = [([name], array) for name, array in _of_file(Path(source)).items()]
    elif callable(getattr(source, "state_dict", None)) and callable(getattr(source, "named_parameters", None)):
        entries = [([name], _of_torch(tensor)) for name, tensor in source.state_dict().items()]
    elif callable(getattr(source, "unbind", None)) and hasattr(source, "scope"):
        if source.scope is None:
            raise TypeError(f"{type(source).__name__} has no variables: pass its variables, or module.bind(variables)")
        entries = list(_of_tree(source.variables, []))
    elif isinstance(source, Mapping):
        entries = list(_of_tree(source, []))
    else:
        entries = _of_leaves(source)
    found: dict[str, np.ndarray] = {}
    for path, array in entries:
        name, array = _named(path, array)
        if name in found:
            raise ValueError(f"two arrays are called {name}: rename one, or pass the block alone")
        if number(array.dtype) is None:
            raise ValueError(f"{name or 'the array'} holds {array.dtype}, no numbers: leave it out")
        found[name] = array
    if not found:
        raise ValueError(f"{_shown(source)} holds no parameters: expected arrays by name")
    return found


def exact(name: str, array: np.ndarray) -> np.ndarray:
    """Return a parameter as float64 or complex128: the number that it is, whatever its type.

    Raises:
        ValueError: It holds NaN or infinity.
    """
    found = wide(array)
    found = found.astype(np.result_type(found.dtype, float)) if is_inexact(found.dtype) else found.astype(float)
    if not np.isfinite(found).all():
        raise ValueError(f"{name} holds NaN or infinity: nothing can be said of the layer; look at how it was trained or saved")
    return found


def _of_file(path: Path) -> dict[str, np.ndarray]:
    if path.suffix == ".safetensors":
        return read_safetensors(path)
    if path.suffix == ".npz":
        try:
            with np.load(path, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
        except (zipfile.BadZipFile, ValueError, EOFError) as error:
            raise ValueError(f"{path} cannot be read as .npz: {error}") from error
    hint = (
        "; such files run code or hold one array: save by safetensors.torch.save_file or np.savez"
        if path.suffix in PICKLED
        else ""
    )
    raise ValueError(f"{path}: expected a file .safetensors or .npz{hint}")


def _of_torch(tensor: Any) -> np.ndarray:
    tensor = tensor.detach().cpu()
    try:
        return tensor.numpy()
    except TypeError:  # numpy has no such type of its own; float32 holds every bfloat16 and float8 exactly
        return tensor.float().numpy()


def _of_tree(tree: Any, path: list[str]) -> Any:
    """Names and arrays of nested mappings."""
    for key, value in tree.items():
        here = [*path, *(part for part in str(key).split("/") if part != "~")]
        if isinstance(value, Mapping):
            yield from _of_tree(value, here)
        elif hasattr(value, "detach"):
            yield here, _of_torch(value)
        elif np.ndim(value) or isinstance(value, (int, float, complex, np.generic, np.ndarray, jax.Array)):
            yield here, np.asarray(value)
        else:
            yield from ((here + rest, array) for rest, array in _of_leaves(value))


def _of_leaves(tree: Any) -> list[tuple[list[str], np.ndarray]]:
    """Names and arrays of a tree as JAX flattens it."""
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    found = []
    for path, leaf in leaves:
        if not path:  # a leaf itself
            raise TypeError(
                f"{_shown(tree)} holds no parameters by name: expected a module, a mapping from names to arrays, or the path "
                "of an .npz or .safetensors file"
            )
        if isinstance(leaf, (np.ndarray, jax.Array)) and number(leaf.dtype) is not None:
            found.append(([_key(key) for key in path], np.asarray(leaf)))
    return found


def _key(key: Any) -> str:
    return str(next((getattr(key, name) for name in ("name", "key", "idx") if hasattr(key, name)), key))


def _named(path: list[str], array: np.ndarray) -> tuple[str, np.ndarray]:
    """The name of PyTorch and the array in its shape."""
    from_haiku = len(path) > 1
    parts = ".".join(path).split(".")
    while len(parts) > 1 and parts[0] in OUTER:
        parts = parts[1:]
    while len(parts) > 1 and parts[-1] in INNER:
        parts = parts[:-1]
    if parts[-1] == "kernel" or (parts[-1] == "w" and from_haiku and array.ndim in MOVED):
        parts[-1] = "weight"
        array = array.transpose(MOVED[array.ndim]) if array.ndim in MOVED else array
    elif parts[-1] == "b" and from_haiku and array.ndim == 1:
        parts[-1] = "bias"
    return ".".join(parts), array


def _shown(source: Any) -> str:
    return f"the object of type {type(source).__name__}" if not isinstance(source, (str, Path)) else str(source)
