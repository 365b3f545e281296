"""The catalogue of claims: this project's own, and those of every installed package that declares some.

A package declares its claims by an entry point, in its ``pyproject.toml``::

    [project.entry-points."depthjax.claims"]
    mine = "mypackage.claims"

The named package holds topics, which are packages of claims, or it is a topic itself. Every module of a topic whose name does
not start with an underscore is a claim. A package of topics may list packages that hold none in ``NOT_TOPICS``. The environment
variable ``DEPTHJAX_CATALOGUE`` names packages, separated by commas, that are used instead of all these.
"""

import difflib
import importlib
import importlib.metadata
import importlib.util
import os
import pkgutil
import re
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from depthjax.verify import Experiment

OWN = "experiments"  # this project's claims
GROUP = "depthjax.claims"
VARIABLE = "DEPTHJAX_CATALOGUE"


class UnknownClaim(ValueError):
    """A name that is no claim and no topic, or a catalogue that cannot be read; the message is one line."""


def packages() -> tuple[str, ...]:
    """The packages that hold claims, this project's own first."""
    if VARIABLE in os.environ:
        return tuple(os.environ[VARIABLE].split(","))
    declared = {entry.value for entry in importlib.metadata.entry_points(group=GROUP)}
    return (OWN, *sorted(declared - {OWN}))


def use(names: str) -> None:
    """Use the packages that a run names for the rest of this process: those that hold claims here anyway.

    Raises:
        UnknownClaim: the run names another package. Importing a package runs its code, so a file of the run may not choose it.
    """
    for name in names.split(","):
        if name not in (OWN, *packages()):
            raise UnknownClaim(
                f"this is a run of the claims in the package {name!r}, and to import a package is to run it: if you know and "
                f"trust the one that is installed here, say so with {VARIABLE}={names}"
            )
    os.environ[VARIABLE] = names


def modules() -> dict[str, str]:
    """Slug -> module name of every claim, by package, topic and slug, without importing any.

    Raises:
        UnknownClaim: a package cannot be imported, or two claims have one name.
    """
    found: dict[str, str] = {}
    for package in map(_imported, packages()):
        for topic, folders in _topics(package):
            for info in sorted(pkgutil.iter_modules(folders), key=lambda info: info.name):
                if info.name.startswith("_") or info.ispkg:
                    continue
                module = f"{topic}.{info.name}"
                if found.setdefault(info.name, module) != module:
                    raise UnknownClaim(
                        f"two claims are called {info.name!r}: {_file(found[info.name])} and {_file(module)}; rename one"
                    )
    return found


def packages_of(modules: Iterable[str]) -> str:
    """The packages of the catalogue that claims' modules belong to, between commas: what a run says of its claims."""
    known = packages()
    return ",".join(dict.fromkeys(next(name for name in known if module.startswith(f"{name}.")) for module in modules))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that names what was probably meant: up to three names that contain the word, or look like it.

    >>> did_you_mean("tower", ["tower_error_order", "group_tower_exact", "scan_depth"])
    'did you mean tower_error_order or group_tower_exact?'
    >>> did_you_mean("something else", ["scan_depth"])
    ''
    """
    known, word = list(known), name.lower().replace("-", "_")
    inside = [other for other in known if len(word) > 2 and word in other.lower().replace("-", "_")]
    near = [*inside, *difflib.get_close_matches(name, known, n=3, cutoff=0.5)]
    return f"did you mean {' or '.join(list(dict.fromkeys(near))[:3])}?" if near else ""


def select(names: Sequence[str]) -> dict[str, str]:
    """The claims meant by slugs and topics, in the catalogue's order; all of them for no names.

    Raises:
        UnknownClaim: for the first name that is neither.
    """
    every = modules()
    topics = {topic_of(module) for module in every.values()}
    for name in names:
        if name not in every and name not in topics:
            hint = did_you_mean(name, [*every, *topics]) or "`depthjax list` shows them all"
            raise UnknownClaim(f"there is no claim or topic {name!r}; {hint}")
    return {s: module for s, module in every.items() if not names or s in names or topic_of(module) in names}


def topic_of(module: str) -> str:
    """The last package of a claim's module."""
    return module.split(".")[-2]


def module(slug: str) -> str:
    """The name of the module that holds a claim.

    Raises:
        UnknownClaim: if there is none; suggests what was meant.
    """
    every = modules()
    if slug not in every:
        raise UnknownClaim(f"there is no claim {slug!r}; {did_you_mean(slug, every) or 'see `depthjax list`'}")
    return every[slug]


def experiment(slug: str) -> "Experiment":
    """The claim with this slug, imported and checked.

    Raises:
        UnknownClaim: if there is none.
        TypeError: if its module is not a claim.
    """
    name = module(slug)
    from depthjax.verify import Experiment

    return Experiment.of(importlib.import_module(name))


def _imported(name: str) -> ModuleType:
    where = f"{VARIABLE}={name}" if VARIABLE in os.environ else f"the entry point {GROUP} = {name}"
    if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", name, re.ASCII):
        raise UnknownClaim(f"{where}: expected the name of an installed package, such as {OWN}")
    try:
        package = importlib.import_module(name)
    except ImportError as error:
        raise UnknownClaim(f"{where}: {error}") from None
    if not list(getattr(package, "__path__", ())):
        raise UnknownClaim(f"{where}: a single module, where claims lie in the packages of a package")
    return package


def _topics(package: ModuleType) -> list[tuple[str, list[str]]]:
    """The names and folders of the topics of a package: its packages, or the package itself if it has none."""
    paths, name = list(package.__path__), package.__name__
    inside = sorted(info.name for info in pkgutil.iter_modules(paths) if info.ispkg)
    topics = [topic for topic in inside if topic not in getattr(package, "NOT_TOPICS", ())]
    return [(f"{name}.{topic}", [os.path.join(path, topic) for path in paths]) for topic in topics] or [(name, paths)]


def _file(module: str) -> str:
    spec = importlib.util.find_spec(module)
    return str(spec.origin) if spec is not None else module
