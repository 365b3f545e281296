"""Files in the format safetensors, with numpy alone: a length, a header in JSON, and the numbers as they are.

Nothing of a file is run. Every claim of its header is checked against its size before a number is looked at.

Source: the format as its authors specify it, https://github.com/huggingface/safetensors (README, "Format").
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

DTYPES: dict[str, Any] = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
    "C64": np.complex64,
    "I64": np.int64,
    "I32": np.int32,
    "I16": np.int16,
    "I8": np.int8,
    "U64": np.uint64,
    "U32": np.uint32,
    "U16": np.uint16,
    "U8": np.uint8,
    "BOOL": np.bool_,
}
NAMES = {np.dtype(kind): name for name, kind in DTYPES.items()}
LENGTH = 8  # bytes of the header's length; numbers begin at a multiple of it
LONGEST = 100_000_000  # bytes of a header, as the format allows
METADATA = "__metadata__"  # the one name of a header that is no array: texts by name


class StoredArray(NamedTuple):
    """An array that lies in a file: shape and type are known, the numbers are not read yet.

    Attributes:
        shape: Its shape.
        dtype: Its type.
        raw: Its bytes, read from the disk when they are used.
    """

    shape: tuple[int, ...]
    dtype: np.dtype
    raw: np.ndarray

    def array(self) -> np.ndarray:
        """Read the numbers."""
        return np.array(self.raw).view(self.dtype).reshape(self.shape)


def read_safetensors(path: str | Path) -> dict[str, np.ndarray]:
    """Return the arrays of a file by name, in their own types.

    Raises:
        ValueError: The file is not of this format, is cut off, or holds numbers of an unknown type.
        OSError: The file cannot be read.
    """
    return {name: part.array() for name, part in parts_of(path)[0].items()}


def parts_of(path: str | Path) -> tuple[dict[str, StoredArray], dict[str, str]]:
    """Return what a file holds by name, whose shapes and types can be looked at before any number is read, and its texts.

    Raises:
        ValueError: As `read_safetensors`.
        OSError: The file cannot be read.
    """
    size = Path(path).stat().st_size
    if size < LENGTH:
        raise ValueError(
            f"{path} is no safetensors file, or is cut off: {LENGTH} bytes say how long its header is, and it has {size}"
        )
    raw = np.memmap(path, np.uint8, "r")
    length = int.from_bytes(raw[:LENGTH].tobytes(), "little")
    if not 0 < length <= min(size - LENGTH, LONGEST):
        raise ValueError(f"{path} is no safetensors file, or is cut off: its header would have {length} bytes of {size}")
    try:
        header = json.loads(raw[LENGTH : LENGTH + length].tobytes().decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:  # JSON, UTF-8 and names that come twice
        raise ValueError(f"{path} is no safetensors file: its header cannot be read ({error})") from error
    if not isinstance(header, dict):
        raise ValueError(f"{path} is no safetensors file: its header is no object")
    body, texts = raw[LENGTH + length :], header.pop(METADATA, None) or {}
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError(f"{path}: expected texts by name as {METADATA}, got {str(texts)[:80]}")
    return {name: _part(f"{path}: {name}", told, body) for name, told in header.items()}, texts


def safetensors(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None) -> bytes:
    """Return the content of a file that holds arrays by name, and texts beside them.

    Raises:
        ValueError: The format does not know the type of an array.

    >>> content = safetensors({"a": np.ones((2, 3), np.float32)})
    >>> int.from_bytes(content[:8], "little"), len(content)
    (64, 96)
    """
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    data, start = [], 0
    for name, array in arrays.items():
        kind = np.dtype(array.dtype).newbyteorder("=")
        if kind not in NAMES:
            raise ValueError(f"{name} is {array.dtype}, which safetensors does not know: convert it, or write .npz")
        part = np.ascontiguousarray(array, kind.newbyteorder("<")).reshape(-1).view(np.uint8).data
        header[name] = {"dtype": NAMES[kind], "shape": list(array.shape), "data_offsets": [start, start + len(part)]}
        data.append(part)
        start += len(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % LENGTH)
    return b"".join([len(text).to_bytes(LENGTH, "little"), text, *data])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice")
    return found


def _part(what: str, told: Any, body: np.ndarray) -> StoredArray:
    try:
        name, shape, (first, last) = told["dtype"], tuple(told["shape"]), told["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise ValueError(f"{what}: expected dtype, shape and data_offsets, got {str(told)[:80]}") from None
    whole = (*shape, first, last)
    if any(isinstance(number, bool) or not isinstance(number, int) or number < 0 for number in whole):
        raise ValueError(f"{what}: shape {shape} and offsets {first}, {last}: expected integers from 0 on")
    if not isinstance(name, str) or name not in DTYPES:
        raise ValueError(f"{what}: numbers of the type {name!r:.40} are not known; the types are {', '.join(DTYPES)}")
    dtype = np.dtype(DTYPES[name])
    wanted, there = math.prod(shape) * dtype.itemsize, max(min(last, len(body)) - first, 0)
    if last - first != wanted or last > len(body):
        raise ValueError(
            f"{what}: shape {shape} of {name} takes {wanted} bytes, and the file has {there} there; it "
            "is cut off, or not written by safetensors"
        )
    return StoredArray(shape, dtype, body[first:last])
