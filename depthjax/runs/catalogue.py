"""The catalogue of claims: this project's own, those of installed packages that declare some, and those that the user names.

A package declares its claims by an entry point, in its ``pyproject.toml``::

    [project.entry-points."depthjax.claims"]
    mine = "mypackage.claims"

The named package holds topics, which are packages of claims, or it is a topic itself. A claim is a room: a folder of a topic
that holds ``claim.py`` and ``measure.py``, and gives the claim its name. A package of topics may list packages that hold none
in ``NOT_TOPICS``; folders whose name starts with an underscore are no rooms. The environment
variable ``DEPTHJAX_CATALOGUE`` names packages, separated by commas, that are used instead of all these. A path or a module that
the user names joins them for one command (`depthjax.runs.places`). Nothing of a package runs before a claim of it does.
"""

import contextlib
import dataclasses
import difflib
import functools
import importlib
import logging
import os
import pkgutil
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depthjax.card import SLUG, CardError, check_parts, claim_file, is_room, literal
from depthjax.located import check_own, spec_of
from depthjax.runs import places
from depthjax.runs.guest import guest

if TYPE_CHECKING:
    from depthjax.verify.experiment import Experiment

OWN = "experiments"  # this project's claims
GROUP = "depthjax.claims"
VARIABLE = "DEPTHJAX_CATALOGUE"
PARTS = {
    "claim.py": "with the card, GRIDS and predict",
    "measure.py": "with measure(cell, key)",
    "__init__.py": "empty",
}
LOGGER = logging.getLogger("depthjax.catalogue")  # is told of every installed package that is left out


class UnknownClaim(ValueError):
    """A name that is no claim and no topic, or a catalogue that cannot be read; the message is one line."""


@dataclasses.dataclass(frozen=True)
class Origin:
    """Where a claim comes from.

    Attributes:
        kind: "project", "entry point" (of an installed package), "variable" (`VARIABLE`), or "named" by the user.
        package: Package that holds the claim.
        file: File of the claim.
    """

    kind: str
    package: str
    file: str

    def __str__(self) -> str:
        """Return where the claim comes from, for people: a package, or the file that was named."""
        words = {"project": "this project", "entry point": f"package {self.package}", "variable": f"{VARIABLE}={self.package}"}
        return words.get(self.kind, self.file)


def packages() -> tuple[str, ...]:
    """The packages that hold claims, this project's own first."""
    if VARIABLE in os.environ:
        return tuple(os.environ[VARIABLE].split(","))
    import importlib.metadata  # a fiftieth of a second, which commands without claims save

    return (OWN, *sorted(_declared(importlib.metadata.entry_points, tuple(sys.path)) - {OWN}))


@functools.cache
def _declared(read: Callable[..., Any], path: tuple[str, ...]) -> frozenset[str]:
    """What installed packages declare; asked once, because that reads a file of every package on ``path``."""
    return frozenset(entry.value for entry in read(group=GROUP))


def modules() -> dict[str, str]:
    """Slug -> module name of every claim, by package, topic and slug, without importing any, or the packages around it.

    An installed package whose claims cannot be listed is left out, and so is a claim of one that has the name of a claim before
    it; the logger `LOGGER` is told so, once in a process.

    Raises:
        UnknownClaim: a package that `VARIABLE` names does not exist, or two claims there have one name.
    """
    found: dict[str, str] = {}
    for package in packages():
        try:
            claims = list(_claims(package))
        except UnknownClaim as error:
            if VARIABLE in os.environ or package == OWN:
                raise
            _leave_out(f"the claims of the package {package} are left out: {error}")
            continue
        for module in claims:
            try:
                found = _together(found, [module])
            except UnknownClaim as error:
                if VARIABLE in os.environ:
                    raise
                _leave_out(f"a claim of the package {package} is left out: {error}")
    return found


def select(names: Sequence[str]) -> dict[str, str]:
    """The claims meant by slugs, topics, paths and modules, in the catalogue's order; all of the catalogue for no names.

    A path or a module may lie anywhere and need not be installed. Nothing of it is imported here.

    Raises:
        UnknownClaim: Nothing has this name, its file is not a claim, or the name is taken.
    """
    every = modules()
    topics = {topic_of(module) for module in every.values()}
    joined: dict[str, str] = {}
    for name in names:
        if name not in every and name not in topics:
            joined = _together(joined, _named(name, [*every, *topics]))
    meant = {s: module for s, module in every.items() if not names or s in names or topic_of(module) in names}
    _together(every, joined.values())
    return meant | joined


def of_run(run_packages: str, files: Mapping[str, str], names: Sequence[str] = (), *, trust: bool = False) -> dict[str, str]:
    """The claims that a run may be continued or replayed with, by slug: those of the catalogue, and those that the user names.

    Importing a module runs its code, so a file of the run chooses nothing: its packages count only if they hold claims here
    anyway, and its paths only if the user trusts them.

    Args:
        run_packages: Packages that the run names, between commas.
        files: Paths of claims that the run names, by slug.
        names: Slugs, topics, paths or modules that the user names.
        trust: The user asks for the paths that the run names.

    Raises:
        UnknownClaim: the run needs another package or path; says how to name it.
    """
    named = select([*names, *(files.values() if trust else ())]) if names or trust else {}
    known = {OWN, *packages(), *packages_of(named.values()).split(",")}
    for package in run_packages.split(","):
        if package not in known:
            if files:
                where, how = f"of claims at {', '.join(map(shlex.quote, files.values()))}", "name them again, or --trust-paths"
            else:
                where, how = f"of the claims in the package {package!r}", f"say so with {VARIABLE}={shlex.quote(package)}"
            raise UnknownClaim(f"this is a run {where}, and to import them is to run them: if you know and trust them, {how}")
    own = _claims(OWN) if OWN in run_packages.split(",") else ()
    return {slug_of(module): module for module in own} | modules() | named


def packages_of(modules: Iterable[str]) -> str:
    """The packages that claims' modules belong to, between commas: what a run says of its claims."""
    known = packages()
    return ",".join(dict.fromkeys(_package_of(module, known) for module in modules))


def origin(module: str) -> Origin:
    """Where the claim in a module comes from."""
    return origins([module])[module]


def origins(modules: Iterable[str]) -> dict[str, Origin]:
    """Where the claims in modules come from, by module; what is installed is asked once."""
    known, found = packages(), {}
    for module in modules:
        package = _package_of(module, known)
        kind = "variable" if VARIABLE in os.environ else "project" if package == OWN else "entry point"
        found[module] = Origin(kind if package in known else "named", package, file_of(module))
    return found


def named_files(modules: Iterable[str]) -> dict[str, str]:
    """Slug -> file of the claims that are not of the catalogue, which a run records."""
    return {slug_of(module): found.file for module, found in origins(modules).items() if found.kind == "named"}


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


def topic_of(module: str) -> str:
    """The last package of a claim's module."""
    return module.split(".")[-2]


def slug_of(module: str) -> str:
    """The name of a claim: that of its module, without the packages."""
    return module.rpartition(".")[2]


def file_of(module: str) -> str:
    """The file with a claim's card, which is not imported; the module's name if it has none."""
    return str(claim_file(module) or module)


def one(name: str) -> str:
    """The module of one claim, given by its slug, its path or its module.

    Raises:
        UnknownClaim: if there is none, or more than one; suggests what was meant.
    """
    every = modules()
    found = [every[name]] if name in every else list(select([name]).values())
    if len(found) != 1:
        slugs = [slug_of(module) for module in found]
        raise UnknownClaim(f"{name!r} is {len(found)} claims: name one of them, such as {', '.join(slugs[:3])}")
    return found[0]


def experiment(module: str) -> "Experiment":
    """The claim in a module, imported and checked.

    Raises:
        TypeError: if the module is not a claim.
        ImportError: another package stands where this project's own is needed.
        Exception: whatever the module raises; `Ended` if it asks for the end of the process.
    """
    from depthjax.verify.experiment import Experiment

    check_own(module)
    with guest():
        return Experiment.of(importlib.import_module(module))


def _package_of(module: str, known: Iterable[str]) -> str:
    return next((name for name in known if module.startswith(f"{name}.")), module.rpartition(".")[0])


def _together(found: Mapping[str, str], more: Iterable[str]) -> dict[str, str]:
    """Claims and more claims by slug; two of one name are an error that names both files."""
    every = dict(found)
    for module in more:
        slug = slug_of(module)
        if every.setdefault(slug, module) != module:
            raise UnknownClaim(f"two claims are called {slug!r}: {file_of(every[slug])} and {file_of(module)}; rename one")
    return every


def _named(name: str, known: Sequence[str]) -> list[str]:
    """The modules of the claims at a path or in a module that the user named."""
    unknown = f"there is no claim or topic {name!r}; {did_you_mean(name, known) or '`depthjax list` shows them all'}"
    try:
        found = places.module_at(Path(name)) if places.is_path(name) else places.module_named(name)
    except places.NoPlace as error:
        here = places.MODULE.fullmatch(name) and ("." in name or Path(name, "measure.py").is_file())
        meant_place = places.is_path(name) or here
        raise UnknownClaim(str(error) if meant_place else unknown) from None
    spec = spec_of(found)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    room, _, part = found.rpartition(".")
    if part in ("claim", "measure") and is_room(room):
        found, folders = room, []
    claims = list(_in_folders(found, folders)) if folders else [found]
    if not claims:
        raise UnknownClaim(f"{folders[0]} holds no claims; `depthjax new my_claim --in {shlex.quote(folders[0])}` writes one")
    try:
        for module in claims:
            _check(module)
    except CardError as error:
        raise UnknownClaim(str(error)) from None
    return claims


def _check(module: str) -> None:
    slug, file = slug_of(module), Path(file_of(module))
    if not SLUG.fullmatch(slug):
        where, kind, ending = (file.parent, "folder", "") if is_room(module) else (file, "file", ".py")
        raise CardError(
            f"{where}: {slug!r} is no name of a claim, which is of small letters, digits and underscores; rename the {kind}, "
            f"for example to {slug.lower().strip('_') or 'my_claim'}{ending}"
        )
    check_parts(file)


@functools.cache
def _leave_out(reason: str) -> None:
    LOGGER.warning(reason)


def _folders(name: str) -> list[str]:
    """The folders of a package of the catalogue, which is not imported.

    Raises:
        UnknownClaim: there is no such package.
    """
    where = f"{VARIABLE}={name}" if VARIABLE in os.environ else f"the entry point {GROUP} = {name}"
    if not places.MODULE.fullmatch(name):
        raise UnknownClaim(f"{where}: expected the name of an installed package, such as {OWN}")
    spec = spec_of(name)
    if spec is None:
        raise UnknownClaim(f"{where}: there is no package of this name")
    if not spec.submodule_search_locations:
        raise UnknownClaim(f"{where}: a single module, where claims lie in the packages of a package")
    return list(spec.submodule_search_locations)


def _claims(package: str) -> Iterator[str]:
    folders = _folders(package)
    return _in_folders(package, folders, _not_topics(folders))


def _not_topics(folders: Sequence[str]) -> Sequence[str]:
    """The list ``NOT_TOPICS`` of a package, read from its text."""
    for file in (Path(folder, "__init__.py") for folder in folders):
        if file.is_file():
            try:
                return literal(file, "NOT_TOPICS", ())
            except CardError as error:
                raise UnknownClaim(str(error)) from None
    return ()


def _in_folders(name: str, folders: list[str], not_topics: Sequence[str] = ()) -> Iterator[str]:
    """The claims of a package: itself if it is a room, those of its topics, or its own rooms if it has no topics."""
    if _holds(folders, "claim.py"):
        yield name
        return
    inside = {one: [os.path.join(path, one) for path in folders] for one in _packages_in(folders)}
    rooms = any(_holds(paths, "claim.py", "measure.py") for paths in inside.values())
    topics = {} if rooms else {f"{name}.{one}": paths for one, paths in inside.items() if one not in not_topics}
    for topic, paths in (topics or {name: folders}).items():
        yield from _in_topic(topic, paths)


def _in_topic(topic: str, folders: Sequence[str]) -> Iterator[str]:
    """The claims of a topic.

    Raises:
        UnknownClaim: a folder of it is no room.
    """
    claims = [info.name for info in pkgutil.iter_modules(folders) if not info.ispkg and not info.name.startswith("_")]
    for one in _packages_in(folders):
        paths = [os.path.join(path, one) for path in folders]
        for part, holds in PARTS.items():
            if not _holds(paths, part):
                raise UnknownClaim(
                    f"{paths[0]} lies among claims and lacks {part}: write it, {holds} (`depthjax new my_claim` writes all "
                    "parts of a claim), or start the folder's name with an underscore if it is no claim"
                )
        claims.append(one)
    yield from (f"{topic}.{one}" for one in sorted(claims))


def _packages_in(folders: Sequence[str]) -> list[str]:
    """The names of the packages in some folders, and of rooms without an ``__init__.py``."""
    found = {info.name for info in pkgutil.iter_modules(folders) if info.ispkg}
    for folder in folders:
        with contextlib.suppress(OSError):
            found |= {one.name for one in os.scandir(folder) if one.name.isidentifier() and _holds([one.path], "claim.py")}
    return sorted(one for one in found if not one.startswith("_"))


def _holds(folders: Sequence[str], *files: str) -> bool:
    return any(os.path.isfile(os.path.join(folder, file)) for folder in folders for file in files)
