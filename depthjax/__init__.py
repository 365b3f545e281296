"""Numerical side of the toolkit: pure functions of arrays and keys, clean under ``jit`` and ``vmap``.

The rooms `attention`, `constructions`, `figures`, `lie`, `models`, `probe`, `scans`, `testing`, `training` and `verify` load
when they are first used, and JAX with the first that needs it. Samplers of tasks are imported from the files of
`depthjax.tasks`; runs and their pages are reached through `verify`.
"""

from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from depthjax import attention as attention
    from depthjax import constructions as constructions
    from depthjax import figures as figures
    from depthjax import lie as lie
    from depthjax import models as models
    from depthjax import probe as probe
    from depthjax import scans as scans
    from depthjax import testing as testing
    from depthjax import training as training
    from depthjax import verify as verify
    from depthjax.lie.signature import log_signature as log_signature

    __version__: str

__all__ = [
    "__version__",
    "attention",
    "constructions",
    "figures",
    "lie",
    "log_signature",
    "models",
    "probe",
    "scans",
    "testing",
    "training",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return metadata.version("depthjax")
    if name == "log_signature":
        from depthjax.lie.signature import log_signature

        return log_signature
    if name in __all__:
        return import_module(f"depthjax.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
