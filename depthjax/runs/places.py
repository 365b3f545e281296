"""Claims that lie anywhere: a file, a folder or a module that the user names, without installing it.

A file in a package keeps the name that it has there, so its imports work; the package's folder is its place. A file in no
package gets a package of its own, named after its folder, and reaches its neighbours by ``from . import neighbour``. One
finder knows the place of every such package. It hides nothing, because a name that another package has gets no place. Nothing
is imported here: the texts come from the command line or from Python, never from a file of a run.
"""

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Mapping
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from depthjax.located import spec_of

ROOM = ("__init__.py", "claim.py", "measure.py")  # files of a claim, which is its folder
MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)


class NoPlace(ValueError):
    """A path or a module that is not there, or whose name something else has; the message is one line."""


def is_path(text: str) -> bool:
    """Whether a text names a file or folder rather than a claim, a topic or a module.

    >>> [is_path(text) for text in ("my_claim.py", "./claims", "mypackage.claims", "tower_error_order")]
    [True, True, False, False]
    """
    return os.sep in text or text.endswith(".py")


def module_at(path: Path) -> str:
    """Return the name under which a Python file or a folder can be imported from now on.

    Raises:
        NoPlace: there is no such file or folder, it is no Python file, or another package has the name of its package.
    """
    try:
        str(path).encode()  # or no message could name it
        path = Path(os.path.abspath(path))  # a link keeps its name: the name of the file is the name of the claim
        if not path.exists():
            raise NoPlace(f"there is no file or folder {path}; `depthjax new my_claim` writes a claim to start from")
        if path.name in ROOM and (path.parent / "claim.py").is_file():
            path = path.parent  # a file of a claim stands for its room
        room = (path / "claim.py").is_file()
        if not room and (path / "measure.py").is_file():
            raise NoPlace(f"{path} has a measure.py and no claim.py: write {path / 'claim.py'}, which states and predicts")
        folder = path if path.is_dir() and not room else path.parent
        if not path.is_dir() and not (path.is_file() and path.suffix == ".py" and path.stem.isidentifier()):
            raise NoPlace(f"{path} is no Python module: a claim is a folder such as my_claim, with claim.py and measure.py")
        around = [folder]
        while (around[-1] / "__init__.py").is_file():
            around.append(around[-1].parent)
    except (OSError, ValueError) as error:
        raise NoPlace(f"{str(path)[:100]!r} is no path: {getattr(error, 'strerror', None) or error}") from None
    inside = [part.name for part in reversed(around[:-1])]
    names = inside or [_free(folder)]
    if not MODULE.fullmatch(".".join(names)):
        raise NoPlace(f"the package {around[-2]} has a name that nobody can import: rename the folder")
    _settle(names[0], around[-2] if inside else folder)
    return ".".join([*names, path.stem] if folder != path else names)


def module_named(name: str) -> str:
    """Return the name of a module that can be imported, or that lies in the current folder.

    Raises:
        NoPlace: there is none of this name.
    """
    if not MODULE.fullmatch(name):
        raise NoPlace(f"{name!r} is no module")
    top, here = name.partition(".")[0], Path.cwd()
    try:
        if spec_of(top) is None and (here / top).is_dir():
            settle({top: str(here / top)})
        spec = spec_of(name)
        file = (
            Path(spec.origin)
            if spec and spec.origin
            else here / name / "claim.py"
            if (here / name).is_dir()
            else here / f"{name}.py"
        )
        alone = top == name and file.is_file() and file.name != "__init__.py"
    except OSError as error:  # a name that no file can have
        raise NoPlace(f"{name[:100]!r} is no module: {error.strerror}") from None
    if alone or (top == name and any((file.parent / part).is_file() for part in ("claim.py", "measure.py"))):
        return module_at(file if alone else file.parent)  # it lies in no package
    if spec is None or (top == name and spec.submodule_search_locations is None):
        raise NoPlace(f"there is no module {name!r}, neither installed nor in the current folder {here}")
    return name


def settled() -> dict[str, str]:
    """Return the folder of every package with a place, for `settle` in another process."""
    return dict(_finder.folders)


def settle(folders: Mapping[str, str]) -> None:
    """Give packages their places in this process, as `settled` told them in another one."""
    _finder.folders.update(folders)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def _settle(package: str, folder: Path) -> None:
    spec = spec_of(package)
    if spec is None or spec.origin is None:  # a folder of this name that is no package gives way, as everywhere in Python
        settle({package: str(folder)})
    elif not _lies_in(spec, folder):
        raise NoPlace(
            f"{folder} is a package {package!r}, and {spec.origin} has this name already: name the claims there, uninstall it, "
            "or rename the folder"
        )


def _free(folder: Path) -> str:
    """A name for a folder that is no package: its own if it can be, with digits of its path if something else has that."""
    name = re.sub(r"\W", "_", folder.name, flags=re.ASCII) or "_"
    name = name if name.isidentifier() else f"_{name}"
    spec = spec_of(name)
    if (name not in sys.modules and spec is None) or (spec is not None and spec.origin is None and _lies_in(spec, folder)):
        return name
    return f"{name}_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"


def _lies_in(spec: ModuleSpec, folder: Path) -> bool:
    return [Path(place).resolve() for place in spec.submodule_search_locations or ()] == [folder.resolve()]


class _Finder:
    """Finds packages by their places."""

    def __init__(self) -> None:
        self.folders: dict[str, str] = {}

    def find_spec(self, name: str, path: Iterable[str] | None = None, target: object = None) -> ModuleSpec | None:
        """The package in its folder, with or without an ``__init__.py``."""
        if name not in self.folders:
            return None
        folder = Path(self.folders[name])
        if (folder / "__init__.py").is_file():
            return PathFinder.find_spec(name, [str(folder.parent)])
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        return spec


_finder = _Finder()
