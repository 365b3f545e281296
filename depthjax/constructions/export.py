"""Explicit weights in files that other tools read: npz or safetensors, with a manifest of what each array is.

The manifest is JSON: the kind of the model, its plain facts (masks, directions of the residual stream by name, length,
alphabet, rounding), and name, shape and type of every array. A safetensors file holds it in its metadata, an npz file as the
text ``__manifest__``. Both formats are written with numpy and JSON alone; the safetensors package reads them, and so does
`load_weights`.
"""

import dataclasses
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jax
import ml_dtypes
import numpy as np

from depthjax import dtypes
from depthjax.safetensors import parts_of, safetensors

__all__ = ["load_weights", "save_weights"]

VERSION = 1
MANIFEST = "__manifest__"


def save_weights(path: str | Path, weights: Any, model: Any = None) -> dict[str, Any]:
    """Write weights and a manifest into a file that ends in .npz or .safetensors; return the manifest.

    Args:
        path: The file.
        weights: A tree of dataclasses, mappings, lists and tuples with arrays at its leaves, such as the weights of
            `hop_transformer` or a `CompiledFormulas`. An array is named by the way to it: ``layers.0.heads.query``. Numbers in
            mappings, lists and tuples are arrays without axes; arrays of other libraries are read by numpy.
        model: What the weights belong to, such as the `CompiledTransformer`; its plain fields go into the manifest.

    Raises:
        ValueError: The suffix is another one, there are no arrays, two arrays have one name, a type (bfloat16 in npz,
            complex128 in safetensors, objects) has no place in the format, or a random key is no array of numbers.
        OSError: The file cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     manifest = save_weights(f"{folder}/mine.npz", {"a": np.zeros((2, 3)), "b": [np.ones(1)]})
    ...     arrays, _ = load_weights(f"{folder}/mine.npz")
    >>> list(arrays), manifest["arrays"]["a"]
    (['a', 'b.0'], {'shape': [2, 3], 'dtype': 'float64'})
    """
    path = Path(path)
    arrays: dict[str, np.ndarray] = {}
    for name, array in _leaves(weights, ""):
        if name in arrays or name == MANIFEST:
            reason = "the manifest has this name" if name == MANIFEST else "two arrays would have this name"
            raise ValueError(f"{name}: {reason}, which says the way to an array: rename a part of the tree")
        arrays[name] = _numbers(name, array)
    if not arrays:
        raise ValueError(f"weights = {weights!r:.60}: expected a tree with one array at least")
    said = {
        "format": "depthjax weights",
        "version": VERSION,
        "kind": type(weights if model is None else model).__name__,
        "model": _plain_fields(model) | _plain_fields(weights),
        "arrays": {name: {"shape": list(a.shape), "dtype": a.dtype.name} for name, a in arrays.items()},
    }
    manifest = json.loads(json.dumps(said))  # as whoever reads the file gets it
    match path.suffix:
        case ".npz":
            for name, array in arrays.items():
                if dtypes.number(array.dtype) is None or array.dtype.type.__module__ == ml_dtypes.__name__:
                    kind = array.dtype.name
                    raise ValueError(f"{name} is {kind}, which numpy's files do not know: write .safetensors, or convert it")
            with path.open("wb") as file:
                np.savez(file, **arrays, **{MANIFEST: np.array(json.dumps(manifest))})  # type: ignore[arg-type]
        case ".safetensors":
            path.write_bytes(safetensors(arrays, {"format": "np", MANIFEST: json.dumps(manifest)}))
        case _:
            raise ValueError(f"{path}: expected a file that ends in .npz or .safetensors")
    return manifest


def load_weights(path: str | Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read the arrays by name, and the manifest, of a file that `save_weights` wrote.

    A safetensors file of somebody else is read as well; its manifest is then empty.

    Raises:
        ValueError: The file is neither format, is cut off, or holds objects.
        OSError: The file cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "weights.npz", kernel=np.eye(2))
    ...     load_weights(Path(folder) / "weights.npz")[0]["kernel"].shape
    (2, 2)
    """
    path = Path(path)
    if path.suffix == ".npz":
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except (ValueError, zipfile.BadZipFile, EOFError) as error:
            raise ValueError(f"{path} is no file of arrays ({error})") from error
        manifest = str(arrays.pop(MANIFEST, "{}"))
        return arrays, json.loads(manifest)
    if path.suffix != ".safetensors":
        raise ValueError(f"{path}: expected a file that ends in .npz or .safetensors")
    parts, texts = parts_of(path)
    return {name: part.array() for name, part in parts.items()}, json.loads(texts.get(MANIFEST, "{}"))


def _leaves(tree: Any, way: str) -> Iterator[tuple[str, Any]]:
    """The arrays of a tree by the way to them."""
    if isinstance(tree, (np.generic, np.ndarray, jax.Array)) or (hasattr(tree, "__array__") and hasattr(tree, "shape")):
        yield way, tree
        return
    parts: Any = ()
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        parts = ((field.name, getattr(tree, field.name)) for field in dataclasses.fields(tree))
    elif isinstance(tree, (Mapping, list, tuple)):
        named = tree._asdict() if hasattr(tree, "_asdict") else tree  # type: ignore[union-attr]
        found = named.items() if isinstance(named, Mapping) else enumerate(named)
        parts = ((name, np.asarray(part) if isinstance(part, (int, float, complex)) else part) for name, part in found)
    for name, part in parts:
        yield from _leaves(part, f"{way}.{name}" if way else str(name))


def _numbers(name: str, array: Any) -> np.ndarray:
    try:
        return np.asarray(array)
    except (TypeError, ValueError, RuntimeError) as error:  # a random key; a tensor that lives elsewhere or has a gradient
        raise ValueError(f"{name} is no array that numpy reads: {error}") from error


def _plain_fields(thing: Any) -> dict[str, Any]:
    """The fields of a dataclass that JSON can hold."""
    found = {}
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        for field in dataclasses.fields(thing):
            value = getattr(thing, field.name)
            if isinstance(value, (str, int, float, bool)) or _of_plain(value):
                found[field.name] = value
    return found


def _of_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(each, (str, int, float, bool)) or _of_plain(each) for each in value)
    return False
