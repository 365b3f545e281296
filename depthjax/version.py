"""The version of this installation."""

from importlib import metadata

__version__ = metadata.version("depthjax")
