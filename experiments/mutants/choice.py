"""Which mutants a campaign tries: those of some subjects or claims, or a sample that a seed draws."""

import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from depthjax.located import spec_of
from depthjax.runs import catalogue
from experiments.mutants.mutant import Mutant, MutantError, folder, near

T = TypeVar("T")
PACKAGES = ("theory", "depthjax")  # and those of the catalogue
TEXTS = (".py", ".toml")


def select(mutants: Sequence[Mutant], names: Sequence[str]) -> list[Mutant]:
    """The mutants of these subjects and those that these claims must notice; all of them for no names.

    Raises:
        MutantError: for the first name that selects nothing; suggests what was meant.
    """
    subjects = dict.fromkeys(mutant.subject for mutant in mutants)
    slugs = dict.fromkeys(slug for mutant in mutants for slug in mutant.claims)
    for name in names:
        if name not in subjects and name not in slugs:
            if name in catalogue.modules():
                where = folder(catalogue.origin(catalogue.modules()[name]).package)
                raise MutantError(f"no mutant names the claim {name}: write one in {where / 'SUBJECT.toml'}")
            raise MutantError(f"there are no mutants of {name!r}{near(name, [*subjects, *slugs])}")
    return [m for m in mutants if not names or m.subject in names or not {*names}.isdisjoint(m.claims)]


def sample(every: Sequence[T], count: int, seed: str) -> list[T]:
    """So many of them, in their order; all if there are fewer.

    Args:
        every: mutants or anything else to draw from.
        count: at least 1.
        seed: The same seed and as many to draw from give the same sample.
    """
    if count >= len(every):
        return list(every)
    return [every[index] for index in sorted(random.Random(seed).sample(range(len(every)), count))]


def content() -> str:
    """A digest of the program and of its mutants, whatever else lies in the folders of the packages."""
    whole = hashlib.sha256()
    for name in dict.fromkeys((*PACKAGES, *(package.partition(".")[0] for package in catalogue.packages()))):
        spec = spec_of(name)
        for place in (spec.submodule_search_locations if spec else None) or ():
            for file in sorted(file for file in Path(place).rglob("*") if file.suffix in TEXTS):
                whole.update(f"{name} {file.relative_to(place)} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()[:16]
