"""What the processes of a run say to each other: plain data, and the few classes of the judge that hold plain data.

A message is a pickle that is read with a short list of names: numbers, arrays, and the dataclasses of predictions, findings and
cells. Reading it runs no code of whoever wrote it.
"""

import enum
import io
import pickle
from typing import Any

from depthjax.verify.data import WANTED

SAFE = {
    "builtins": {"complex", "bytearray"},
    "fractions": {"Fraction"},
    "functools": {"partial"},
    "_codecs": {"encode"},
    "numpy": {"ndarray", "dtype"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "numpy.core.numeric": {"_frombuffer"},
    "depthjax.verify.cell": {"Cell"},
    "depthjax.verify.prediction": {"Prediction", "Hypothesis"},
    "depthjax.verify.relation": {"Relation"},
    "depthjax.verify.verdict": {"Budget", "ControlVerdict", "Finding", "Outcome", "Verdict"},
    "depthjax.runs.stated": {"Stated", "StatedTrial"},
}


class NotPlain(TypeError):
    """A message that holds more than plain data; names the class."""


def dumps(value: Any) -> bytes:
    """Return a message.

    Raises:
        NotPlain: the value holds a function, a module, or an object of a foreign class.
    """
    try:
        _Writer(content := io.BytesIO(), protocol=5).dump(value)
    except Exception as error:
        raise NotPlain(f"what is handed over cannot be written down ({type(error).__name__}: {error}): {WANTED}") from None
    loads(content.getvalue())  # what cannot be read is refused where it is known who wrote it
    return content.getvalue()


def loads(content: bytes) -> Any:
    """Return the value of a message.

    Raises:
        NotPlain: the message holds more than plain data.
    """
    return _Reader(io.BytesIO(content)).load()


class _Writer(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """A member of an enumeration as its value: early releases of Python 3.11 write `getattr`, which is never read."""
        return (type(value), (value.value,)) if isinstance(value, enum.Enum) else NotImplemented


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name in SAFE.get(module, ()) or module == "ml_dtypes":
            return super().find_class(module, name)
        raise NotPlain(f"what is handed over holds {module}.{name}: {WANTED}")
