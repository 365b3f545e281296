"""The file of results: one entry a mutant, and what the right program says. Reading it needs no library.

    {"mutants": [{"name", "origin", "subject", "kind", "target", "was", "wrong", "claims", "noticed", "by", "how", "size",
                  "reason", "equivalent", "key"}],
     "sound": [{"claim", "size", "outcome", "reason", "seconds", "source"}]}

``by`` lists the claims that noticed; ``how`` and ``size`` say how the first of them ended (refuted, open, error) and at which
size. An entry holds while its ``key`` does: a digest of the mutant, of what it changes and of all that its claims reach.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from experiments.mutants.mutant import Mutant, MutantError, folder

FILE = "mutants.json"
REQUIRED = {"name": str, "origin": str, "subject": str, "target": str, "claims": list, "noticed": bool, "by": list, "key": str}
SOUND = {"claim": str, "size": str, "outcome": str, "source": str, "seconds": (int, float)}


def committed(package: str) -> Path:
    """The file beside the mutants of a package of the catalogue.

    Raises:
        UnknownClaim: there is no such package.
    """
    return folder(package).parent / FILE


class Results:
    """The content of a file of results."""

    def __init__(self, mutants: Iterable[Mapping[str, Any]] = (), sound: Iterable[Mapping[str, Any]] = ()):
        self.mutants = {entry["name"]: dict(entry) for entry in mutants}
        self.sound = {(entry["claim"], entry["size"]): dict(entry) for entry in sound}

    @classmethod
    def read(cls, file: Path) -> "Results":
        """The results in a file; none where there is no file.

        Raises:
            MutantError: the file is broken.
        """
        if not file.exists():
            return cls()
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            mutants, sound = content["mutants"], content.get("sound", [])
            for entries, fields in ((mutants, REQUIRED), (sound, SOUND)):
                for entry in entries:
                    for name, kind in fields.items():
                        if not isinstance(entry[name], kind):
                            raise ValueError(f"{name} is {entry[name]!r}")
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            told = f"{type(error).__name__}: {error}"
            raise MutantError(f"{file} holds no results of mutants ({told}): remove it, or name another file") from None
        return cls(mutants, sound)

    def write(self, file: Path) -> None:
        """Write the file whole or not at all, the written mutants first, by subject.

        Raises:
            MutantError: the file cannot be written.
        """
        from depthjax.runs.records import RecordError, save_text  # libraries that reading does without

        content = {
            "mutants": sorted(self.mutants.values(), key=lambda entry: (entry["origin"] != "written", entry["subject"])),
            "sound": [entry for _, entry in sorted(self.sound.items())],
        }
        try:
            save_text(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        except RecordError as error:
            raise MutantError(str(error)) from None

    def keep(self, mutants: Collection[Mutant]) -> None:
        """Forget the entries that no mutant has any more, of the subjects and origins of these mutants."""
        names = {mutant.name for mutant in mutants}
        kinds = {(mutant.origin, mutant.subject) for mutant in mutants}
        self.mutants = {
            name: entry
            for name, entry in self.mutants.items()
            if name in names or (entry["origin"], entry["subject"]) not in kinds
        }

    def join(self, other: "Results") -> None:
        """Take the entries of another file; of two entries for one mutant the other's is kept."""
        self.mutants |= other.mutants
        self.sound |= other.sound
