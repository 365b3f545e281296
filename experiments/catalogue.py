"""The catalogue of claims: every module of a topic package whose name does not start with an underscore.

The environment variable ``DEPTHJAX_CATALOGUE`` names another package of topics, for claims kept outside this project.
"""

import difflib
import importlib
import importlib.util
import os
import pkgutil
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from depthjax.verify import Experiment

OWN = "experiments"  # this project's claims
NO_TOPICS = ("commands", "studies", "mutants")  # packages in here that hold no claims


class UnknownClaim(ValueError):
    """A name that is no claim and no topic; the message is one line and suggests what was meant."""


def catalogue_name() -> str:
    """The package that holds the topics."""
    return os.environ.get("DEPTHJAX_CATALOGUE", OWN)


def use(name: str) -> None:
    """Use the catalogue that a run names for the rest of this process: this project's own, or the one that the user named.

    Raises:
        UnknownClaim: the run names another package. Importing a package runs its code, so a file of the run may not choose it.
    """
    if name not in (OWN, catalogue_name()):
        raise UnknownClaim(
            f"this is a run of the claims in the package {name!r}, and to import a package is to run it: if you know and trust "
            f"the one that is installed here, say so with DEPTHJAX_CATALOGUE={name}"
        )
    os.environ["DEPTHJAX_CATALOGUE"] = name


def modules() -> dict[str, str]:
    """Slug -> module name of every claim, by topic and slug, without importing any.

    Raises:
        UnknownClaim: if ``DEPTHJAX_CATALOGUE`` names no package.
    """
    name, found = catalogue_name(), {}
    if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", name, re.ASCII):
        raise UnknownClaim(f"DEPTHJAX_CATALOGUE={name}: expected the name of an installed package, such as {OWN}")
    try:
        package = importlib.import_module(name)
    except ImportError as error:
        raise UnknownClaim(f"DEPTHJAX_CATALOGUE={name}: {error}") from None
    if not (paths := list(getattr(package, "__path__", ()))):
        raise UnknownClaim(f"DEPTHJAX_CATALOGUE={name}: a single module, where claims lie in the packages of a package")
    for topic in sorted(pkgutil.iter_modules(paths), key=lambda info: info.name):
        if not topic.ispkg or topic.name in NO_TOPICS:
            continue
        folders = [os.path.join(path, topic.name) for path in paths]
        for info in sorted(pkgutil.iter_modules(folders), key=lambda info: info.name):
            if not info.name.startswith("_") and not info.ispkg:
                found[info.name] = f"{name}.{topic.name}.{info.name}"
    return found


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
    topics = {module.split(".")[-2] for module in every.values()}
    for name in names:
        if name not in every and name not in topics:
            hint = did_you_mean(name, [*every, *topics]) or "`depthjax list` shows them all"
            raise UnknownClaim(f"there is no claim or topic {name!r}; {hint}")
    return {s: module for s, module in every.items() if not names or s in names or module.split(".")[-2] in names}


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
