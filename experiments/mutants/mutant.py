"""A mutant as data: one place in the program, the text that stands there, a wrong text, and the claims that must notice.

The written mutants are the files ``SUBJECT.toml`` of the folder ``mutants`` in every package of the catalogue, this project's
and those that installed packages declare:

    mutants = [
      { kind = "constant", at = "theory.lie.m", was = "2 * k", wrong = "k", claims = ["tower_error_order"] },
    ]

An entry that no claim can tell from the right program says why in ``equivalent``, which is a proof. Such an entry is listed and
not run.
"""

import dataclasses
import difflib
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from depthjax.located import spec_of
from depthjax.runs import catalogue

KINDS = ("constant", "rounding", "index", "term", "exponent", "sign", "order", "mask", "hypothesis", "swap")
# In this order: right on the sizes of a grid alone; for even or odd numbers, or for powers of two, alone; for another group,
# irrep or norm; the same error in theory and measurement; a measurement that does not look; a control that runs nothing;
# another training or test than the claim says.
KINDS += ("grid", "parity", "type", "both sides", "measurement", "control", "training")
TEXTS, LISTS = ("kind", "at", "was", "wrong"), ("claims",)


class MutantError(ValueError):
    """A mutant that cannot be read or applied; the message is one line that names the file and what to do."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One line of wrong mathematics.

    Attributes:
        subject: Stem of the file that it stands in.
        kind: How it is wrong: one of `KINDS`, or the operator that generated it.
        at: Dotted name of the function, method, class or constant that is changed.
        was: Source text that occurs exactly once inside that definition.
        wrong: The text that takes its place.
        claims: Slugs of the claims that must notice.
        equivalent: Proof that no claim can notice; empty for a mutant that is run.
        origin: "written" by a person, or "generated" by a tool.
        package: Package of the catalogue that it stands in. It says where results go, and is no part of the mutant itself.
    """

    subject: str
    kind: str
    at: str
    was: str
    wrong: str
    claims: tuple[str, ...]
    equivalent: str = ""
    origin: str = "written"
    package: str = dataclasses.field(default=catalogue.OWN, repr=False, compare=False)

    @property
    def name(self) -> str:
        """What tells it from all other mutants."""
        return f"{self.at}: {' '.join(self.was.split())} -> {' '.join(self.wrong.split())}"

    @property
    def where(self) -> str:
        """The file and the entry, for messages."""
        return f"{self.subject}.toml: the mutant of {self.at} ({self.was!r})"


def folder(package: str) -> Path:
    """The folder of the written mutants of a package of the catalogue: ``mutants``, beside its claims.

    Raises:
        UnknownClaim: the catalogue has no such package.
    """
    catalogue.modules()  # says what is wrong with the names of the catalogue
    spec = spec_of(package)
    if package not in catalogue.packages() or spec is None or not spec.submodule_search_locations:
        raise catalogue.UnknownClaim(f"{package!r} is no package of the catalogue: {', '.join(catalogue.packages())}")
    return Path(next(iter(spec.submodule_search_locations)), "mutants")


def written(*packages: str) -> list[Mutant]:
    """The written mutants of these packages, of the whole catalogue for none: by package, subject, and in the files' order.

    Raises:
        MutantError: a file is broken, or two entries are the same.
    """
    slugs, found = catalogue.modules(), []
    for package in packages or catalogue.packages():
        for file in sorted(folder(package).glob("*.toml")):
            found += [dataclasses.replace(mutant, package=package) for mutant in read(file, slugs)]
    names = [mutant.name for mutant in found]
    for mutant in found:
        if names.count(mutant.name) > 1:
            raise MutantError(f"{mutant.where} stands there twice: keep one, with the claims of both")
    return found


def read(file: Path, slugs: Collection[str]) -> list[Mutant]:
    """The mutants of one file.

    Args:
        file: the TOML file; its stem is the subject.
        slugs: of all claims.

    Raises:
        MutantError: names the file, the entry and what to do.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise MutantError(f"{file} cannot be read: {error}") from None
    entries = content.get("mutants")
    if set(content) != {"mutants"} or not isinstance(entries, list):
        raise MutantError(f"{file} must hold one list, mutants = [{{ ... }}, ...], and has {', '.join(content) or 'nothing'}")
    return [_mutant(file, number, entry, slugs) for number, entry in enumerate(entries, 1)]


def _mutant(file: Path, number: int, entry: Any, slugs: Collection[str]) -> Mutant:
    def broken(what: str) -> MutantError:
        place = f" ({entry['at']})" if isinstance(entry, dict) and isinstance(entry.get("at"), str) else ""
        return MutantError(f"{file}, mutant {number}{place}: {what}")

    if not isinstance(entry, dict):
        raise broken("write an inline table, { kind = ..., at = ..., was = ..., wrong = ..., claims = [...] }")
    if unknown := set(entry) - {*TEXTS, *LISTS, "equivalent"}:
        raise broken(f"unknown key {sorted(unknown)[0]!r}{near(sorted(unknown)[0], [*TEXTS, *LISTS, 'equivalent'])}")
    if missing := [key for key in (*TEXTS, *LISTS) if key not in entry]:
        raise broken(f"{missing[0]} is missing")
    for key in (*TEXTS, "equivalent"):
        if not isinstance(entry.get(key, ""), str) or (key in entry and key != "wrong" and not entry[key].strip()):
            raise broken(f"{key} = {entry[key]!r} must be a text")
    if entry["kind"] not in KINDS:
        raise broken(f"unknown kind {entry['kind']!r}; the kinds are {', '.join(KINDS)}")
    if entry["was"] == entry["wrong"]:
        raise broken("was and wrong are the same text")
    claims = entry["claims"]
    if not isinstance(claims, list) or not claims or not all(isinstance(slug, str) for slug in claims):
        raise broken(f"claims = {claims!r} must be a list of at least one slug")
    for slug in claims:
        if slug not in slugs:
            raise broken(f"there is no claim {slug!r}{near(slug, slugs)}")
    if len({*claims}) < len(claims):
        raise broken("a claim is named twice")
    texts = {key: entry[key] for key in TEXTS}
    return Mutant(file.stem, **texts, claims=tuple(claims), equivalent=entry.get("equivalent", ""))


def near(word: str, words: Collection[str]) -> str:
    """A question about the words that are close to this one; empty if none is."""
    close = difflib.get_close_matches(word, list(words), n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""
