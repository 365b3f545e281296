"""Laws about claims, and about laws: a claim is supported, and a law refuses falsehoods."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from depthjax.located import check_own
from depthjax.runs import catalogue
from depthjax.runs.records import RunDirectory, Settings
from depthjax.runs.runner import run_claim
from depthjax.verify.experiment import SIZES, claim_of
from depthjax.verify.verdict import Outcome


def claim(which: str | Path, *, size: str = "test", seed: int = 0) -> None:
    """Assert that a claim is supported.

    The claim runs in processes of its own, in float64, and leaves nothing behind: this process keeps its settings of JAX. A
    claim that trains networks decides nothing at test size; it must run to a verdict, and must not be refuted.

    Args:
        which: The slug of a claim in the catalogue, or the path of a claim's folder.
        size: "test", "quick", "full" or "paper".
        seed: Root of all randomness.

    Raises:
        AssertionError: The claim is refuted or open; the message holds the judge's reason and the worst witness.
        ImportError: Another package stands where this project's own is needed.
        UnknownClaim: There is no such claim or file, or the file lacks a part of a claim; the message says which.
        ValueError: There is no such size.

    >>> claim("pairwise_masking_blind")  # doctest: +SKIP
    """
    if size not in SIZES:
        raise ValueError(f"size = {size!r}: expected one of {', '.join(SIZES)}")
    module = catalogue.one(str(which))
    slug = catalogue.slug_of(module)
    check_own(module)
    with tempfile.TemporaryDirectory() as folder:
        said = run_claim(module, RunDirectory.create(Path(folder) / "run", Settings(size, seed, "float64", (slug,))))
    outcome = Outcome(said["outcome"])
    undecided = outcome is Outcome.INCONCLUSIVE and claim_of(module).trains and size == "test" and bool(said["findings"])
    if outcome is not Outcome.SUPPORTED and not undecided:
        raise AssertionError(f"{slug} is {outcome.value} at {size} size, seed {seed}: {said['reason']}")


def falsehood_refuted(law: Any, *falsehoods: Any) -> tuple[str, ...]:
    """Assert that a law fails for every one of some false implementations, and return what it says about each.

    A test that cannot fail shows nothing: plant an error in one place, and let the law find it.

    Args:
        law: A function of one implementation that raises AssertionError if it breaks the law.
        falsehoods: Implementations, each wrong in one place.

    Raises:
        AssertionError: The law accepts a falsehood; the message names the first.
        ValueError: There are no falsehoods.
        TypeError: The law is not callable.

    >>> from depthjax.testing import homomorphism
    >>> falsehood_refuted(lambda images: homomorphism(images, [[0, 1], [1, 0]]), [[[1]], [[2]]])
    ('not a homomorphism: the images of 1 and 1 multiply to [[4]], but the image of 1 * 1 = 0 is [[1]]',)
    """
    if not callable(law):
        raise TypeError(f"law = {law!r:.60}: expected a function of one implementation that asserts something about it")
    if not falsehoods:
        raise ValueError("falsehood_refuted was given no falsehood: expected at least one wrong implementation")
    said = []
    for number, falsehood in enumerate(falsehoods):
        try:
            law(falsehood)
        except AssertionError as error:
            said.append(str(error))
        else:
            raise AssertionError(f"the law accepts falsehood {number}, {falsehood!r:.80}: it cannot notice this error")
    return tuple(said)
