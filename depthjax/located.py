"""Where modules lie, found without running any of them, and which packages are this installation's own.

`theory` and `experiments` are installed beside `depthjax`, under names that a user's project may have as well. Whatever looks
for one of them looks beside `depthjax`, and a process that imports another one in its place says which file is in the way.
"""

import importlib.util
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OWN = {name: str(ROOT / name) for name in ("depthjax", "experiments", "theory")}


def spec_of(module: str) -> ModuleSpec | None:
    """Return where a module lies, found without importing the packages around it; None if it is not there."""
    top, *rest = module.split(".")
    try:
        spec = PathFinder.find_spec(top, [str(ROOT)]) if top in OWN else importlib.util.find_spec(top)
        for depth, _ in enumerate(rest, 1):
            if spec is None or spec.submodule_search_locations is None:
                return None
            spec = PathFinder.find_spec(".".join([top, *rest[:depth]]), list(spec.submodule_search_locations))
    except (ImportError, ValueError, OSError):  # the last: a name that no file can have
        return None
    return spec


def check_own(module: str) -> None:
    """Check that this process finds the package of a module where it was installed with `depthjax`, if it is one of `OWN`.

    Raises:
        ImportError: something else has its name; the message names it, and what to do.
    """
    package = module.partition(".")[0]
    if package not in OWN:
        return
    try:
        found = getattr(sys.modules.get(package), "__spec__", None) or importlib.util.find_spec(package)
    except (ImportError, ValueError):
        found = None
    origin = getattr(found, "origin", None)
    if origin is None or Path(origin).resolve().parent != Path(OWN[package]):
        raise ImportError(
            f"depthjax needs its own package {package!r} in {OWN[package]}, but {origin or 'another module'} has this name and "
            "comes first on the path: rename that file or folder, or start Python in another folder or with -P"
        )
