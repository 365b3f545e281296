"""What training moved: the answers about a layer before and after, side by side, and how far its eigenvalues went."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize
from jaxtyping import Inexact

from depthjax.probe.decision import Decision
from depthjax.probe.layers import PublishedReport, layer
from depthjax.probe.recurrences import RecurrenceReport

HEAD = ("question", "before", "after", "moved", "standing")
MATCHED = 512  # eigenvalues of a head up to which the nearest ones are paired; beyond that they keep their order
Report = PublishedReport | RecurrenceReport


@dataclasses.dataclass(frozen=True)
class Answer:
    """One answer before and after.

    Attributes:
        question: Its name.
        before: The answer before, None where nothing was decided.
        after: The answer after.
        moved: Whether they differ; None where one of them was not decided.
        standing: The weaker standing of the two.
    """

    question: str
    before: Any
    after: Any
    moved: bool | None
    standing: str


@dataclasses.dataclass(frozen=True, repr=False)
class Moved:
    """What `compare` found.

    Attributes:
        before: The layer before.
        after: The layer after.
        answers: Every answer about both, with whether it moved.
        shift: The largest distance between an eigenvalue before and the one that it became; NaN where there are none.
        radii: Smallest and largest |eigenvalue| before and after, (2, 2).
    """

    before: Report
    after: Report
    answers: tuple[Answer, ...]
    shift: float
    radii: Inexact[np.ndarray, "when=2 end=2"]

    @property
    def moved(self) -> tuple[str, ...]:
        """Names of the answers that training changed."""
        return tuple(one.question for one in self.answers if one.moved)

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return every answer before and after, for tables."""
        told = [(one.question, _said(one.before), _said(one.after), _said(one.moved), one.standing) for one in self.answers]
        if np.isfinite(self.shift):
            (low, high), (low_after, high_after) = self.radii
            ends = f"{low:.6g} to {high:.6g}", f"{low_after:.6g} to {high_after:.6g}"
            told.append(("|eigenvalues|", *ends, f"by {self.shift:.3g} at most", "numerical"))
        return told

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        return {
            "is": self.summary,
            "moved": list(self.moved),
            "answers": [dataclasses.asdict(one) for one in self.answers],
            "shift": self.shift if np.isfinite(self.shift) else None,
            "radii": self.radii.tolist() if np.isfinite(self.shift) else None,
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
        }

    def page(self, path: str | Path) -> Path:
        """Write one HTML page with the eigenvalues before and after and return its path; it holds no script and loads nothing.

        Raises:
            OSError: The file cannot be written.
        """
        from depthjax.probe.pages import spectrum_picture, write  # matplotlib takes a second to import

        values = [[part.ravel() for part in _eigenvalues(one)] for one in (self.before, self.after)]
        names = "before training", "after training"
        pictures = [spectrum_picture(names, [np.concatenate(parts) for parts in values], "")] if all(values) else []
        return write(Path(path), "What training moved", self.summary, pictures, [("", HEAD, self.rows())])

    @property
    def summary(self) -> str:
        """What moved, in one line."""
        count = len(self.answers)
        found = f"{len(self.moved)} of {count} answers moved{': ' * bool(self.moved)}{', '.join(self.moved)}"
        far = f"; eigenvalues moved by {self.shift:.3g} at most" if np.isfinite(self.shift) else ""
        return f"{found}{far}"

    def __repr__(self) -> str:
        return f"<Moved: {self.summary}>"

    def _repr_html_(self) -> str:
        from depthjax.probe.pages import titled  # as in `page`

        return str(titled("", HEAD, self.rows()))


def compare(before: Any, after: Any, **how: Any) -> Moved:
    """Return what training moved: the class, the algebra of the letters, its derived length, and the eigenvalues.

    Args:
        before: A report of `probe.layer` or `probe.recurrence`; or what `probe.layer` takes, read with `how`.
        after: The same of the trained layer, on the same letters.
        **how: The other arguments of `probe.layer`.

    Raises:
        ValueError: The two are of different kinds, have other letters or other sizes, or cannot be read, see `probe.layer`.
        TypeError: A report was given together with arguments of `probe.layer`.

    Cost: that of both reports, and the pairing of their eigenvalues.

    >>> import numpy as np
    >>> from depthjax.probe.recurrences import recurrence
    >>> half, third = np.diag([0.5, 0.25]), np.array([[0.5, 1.0], [0.0, 0.25]])
    >>> compare(recurrence(np.stack([half, half])), recurrence(np.stack([half, third])))
    <Moved: 7 of 10 answers moved: abelian layers, dimension, derived series, ..., class; eigenvalues moved by 0 at most>
    """
    reports = [one if isinstance(one, (PublishedReport, RecurrenceReport)) else layer(one, **how) for one in (before, after)]
    if how and any(one is given for one, given in zip(reports, (before, after), strict=True)):
        raise TypeError(f"a report was given together with {', '.join(how)}: these were needed when it was made")
    first, second = reports
    if type(first) is not type(second):
        raise ValueError(f"a {type(first).__name__} and a {type(second).__name__}: expected two reports of one kind")
    kinds = [one.kind if isinstance(one, PublishedReport) else "recurrence" for one in reports]
    if kinds[0] != kinds[1]:
        raise ValueError(f"the kinds are {kinds[0]} and {kinds[1]}: training moves parameters, and leaves the kind as it is")
    letters = [one.letters if isinstance(one, PublishedReport) else one.transitions.names for one in reports]
    if letters[0] != letters[1]:
        raise ValueError(f"{len(letters[0])} letters before and {len(letters[1])} after, or others: give both the same letters")
    spectra = [_eigenvalues(one) for one in reports]
    if [part.shape for part in spectra[0]] != [part.shape for part in spectra[1]]:
        sizes = [[part.shape[1] for part in parts] for parts in spectra]
        raise ValueError(f"the states have the sizes {sizes[0]} before and {sizes[1]} after: expected one layer, trained")
    names = [*first.decisions, *(name for name in second.decisions if name not in first.decisions)]
    answers = tuple(_answer(name, first, second) for name in names)
    return Moved(first, second, answers, *_moved(*spectra))


def _answer(name: str, first: Report, second: Report) -> Answer:
    one, other = (_told(report).get(name) for report in (first, second))
    if one is None or other is None:  # a question that only one of them has, such as the order of a finite group
        standing = (one or other).standing  # type: ignore[union-attr]
        absent = "not asked"
        return Answer(name, one.value if one else absent, other.value if other else absent, True, standing)
    weak = next((each.standing for each in (one, other) if each.standing != "certain"), "certain")
    moved = None if None in (one.value, other.value) else one.value != other.value
    return Answer(name, one.value, other.value, moved, weak)


def _told(report: Report) -> dict[str, Decision]:
    """Decisions with whole series as their values."""
    if isinstance(report, PublishedReport):
        return dict(report.decisions)
    series = {"derived series": report.derived_dimensions, "lower central series": report.lower_central_dimensions}
    whole = {name: None if None in values else " > ".join(map(str, values)) for name, values in series.items()}
    return {
        name: dataclasses.replace(found, value=whole[name]) if name in whole else found
        for name, found in report.decisions.items()
    }


def _eigenvalues(report: Report) -> tuple[np.ndarray, ...]:
    if isinstance(report, PublishedReport):
        return report.eigenvalues
    return (np.linalg.eigvals(report.transitions.matrices),)


def _moved(before: Sequence[np.ndarray], after: Sequence[np.ndarray]) -> tuple[float, np.ndarray]:
    """The largest shift of an eigenvalue, letter by letter and head by head, and the radii."""
    if not before:
        return np.nan, np.full((2, 2), np.nan)
    shift = 0.0
    for one, other in zip(before, after, strict=True):
        for own, new in zip(one, other, strict=True):
            apart = np.abs(own - new) if len(own) > MATCHED else _paired(own, new)
            shift = max(shift, float(apart.max(initial=0.0)))
    sizes = [np.concatenate([np.abs(part).ravel() for part in parts]) for parts in (before, after)]
    return shift, np.array([[each.min(), each.max()] for each in sizes])


def _paired(own: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Distances of the pairs with the smallest sum of distances."""
    apart = np.abs(own[:, None] - new[None])
    rows, columns = scipy.optimize.linear_sum_assignment(apart)
    return apart[rows, columns]


def _said(value: Any) -> str:
    if value is None:
        return "undecided"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
