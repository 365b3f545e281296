"""What the judge says: an outcome for every cell and quantity, and for the claim as a whole."""

import dataclasses
import enum
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


class Outcome(enum.Enum):
    """A measurement supports or refutes; it never proves.

    >>> Outcome("REFUTED"), Outcome.of_all([])
    (<Outcome.REFUTED: 'REFUTED'>, <Outcome.INCONCLUSIVE: 'INCONCLUSIVE'>)
    """

    SUPPORTED = "SUPPORTED"
    REFUTED = "REFUTED"
    INCONCLUSIVE = "INCONCLUSIVE"

    @staticmethod
    def of_all(findings: "Sequence[Finding]") -> "Outcome":
        """Return REFUTED if any finding is refuted, INCONCLUSIVE if any is open or none is resolved, and SUPPORTED otherwise.

        A quantity whose findings are all set aside counts as open: other quantities cannot speak for it.
        """
        outcomes = [finding.outcome for finding in findings if finding.resolved]
        if Outcome.REFUTED in outcomes:
            return Outcome.REFUTED
        if not outcomes or Outcome.INCONCLUSIVE in outcomes or unseen(findings):
            return Outcome.INCONCLUSIVE
        return Outcome.SUPPORTED


def unseen(findings: "Sequence[Finding]") -> "list[Finding]":
    """Return one finding of each quantity whose findings are all set aside; an exponent and its constant are two quantities."""
    aside: dict[tuple, Finding] = {}
    seen = set()
    for finding in findings:
        name = finding.quantity, finding.relation, "constant" in finding.where
        aside.setdefault(name, finding)
        if finding.resolved:
            seen.add(name)
    return [finding for name, finding in aside.items() if name not in seen]


@dataclasses.dataclass(frozen=True)
class Budget:
    """How far a true statement's measurement may lie from its prediction, split by cause. Same units as the measurement.

    >>> Budget(rounding=0.25, sampling=0.5).total
    0.75
    """

    rounding: float = 0.0
    truncation: float = 0.0
    sampling: float = 0.0

    @property
    def total(self) -> float:
        """The sum of the parts, because errors of all causes may add up."""
        return self.rounding + self.truncation + self.sampling


@dataclasses.dataclass(frozen=True)
class Finding:
    """One quantity of one cell, judged.

    Attributes:
        quantity: Name of the measured variable.
        cell: Index of the cell.
        where: Coordinates of the worst point inside the cell.
        relation: Value of the relation, such as "at most".
        predicted: The predicted number at the worst point.
        measured: The measured number at the worst point.
        budget: The tolerance, split by cause.
        margin: What is left of the budget, in units of the budget: 1 is exact agreement, 0 the edge, negative is refuted. For
            an order that is not refuted: how far the nearest rival lies beyond the budget, as a share of the rival's distance.
        tightness: Measured divided by predicted for a bound; nan elsewhere.
        power: The smallest deviation from the prediction that would have been refuted.
        outcome: Outcome of this finding.
        reason: Why the finding is not supported; empty if it is.
        points: Number of measured points used.
        dropped: Number of points under the rounding floor.
        resolved: False if the data cannot show the quantity in this cell, because rounding hides the asymptotic range or no
            point comes near the bound. Such a finding is set aside and listed, and the other findings decide.
        loose: No point comes near the bound.
        rate: Chance of a false verdict if a statistical rule decides on random data; 0 elsewhere.
        hypothesis: What a decided finding rests on that its data cannot show, such as independent seeds; empty if nothing.

    >>> [field.name for field in dataclasses.fields(Finding)][:3]
    ['quantity', 'cell', 'where']
    """

    quantity: str
    cell: int
    where: Mapping[str, Any]
    relation: str
    predicted: float
    measured: float
    budget: Budget
    margin: float
    tightness: float
    power: float
    outcome: Outcome
    reason: str = ""
    points: int = 1
    dropped: int = 0
    resolved: bool = True
    loose: bool = False
    rate: float = 0.0
    hypothesis: str = ""


@dataclasses.dataclass(frozen=True)
class ControlVerdict:
    """What became of a control or of a rival.

    Attributes:
        name: Its name.
        statement: The false statement.
        outcome: REFUTED where the data do what is asked of them.
        reason: Why it is not refuted; empty if it is.
        evidence: Something was measured for the control, in cells of its own or beside the claim's quantities, or the rival is
            informative; others are checks of the program.
        distance: How far the data lie from a refuted one, in budgets, in the cell where they lie nearest; None where nothing
            says so, as between integers.
        found: The number that the control's own measurement gave, beside the one that was predicted for it; empty where none
            was predicted.

    >>> ControlVerdict("one layer fewer", "", Outcome.REFUTED).outcome.value
    'REFUTED'
    """

    name: str
    statement: str
    outcome: Outcome
    reason: str = ""
    evidence: bool = False
    distance: float | None = None
    found: str = ""


def tally(tried: Iterable[Mapping[str, Any]], evidence: bool = True) -> str:
    """How many recorded controls or rivals that are evidence, or that are not, were refuted, of how many: ``"3/3"``.

    >>> tally([{"outcome": "REFUTED", "evidence": True}, {"outcome": "REFUTED"}])
    '1/1'
    """
    refuted = [one["outcome"] == Outcome.REFUTED.value for one in tried if one.get("evidence", False) is evidence]
    return f"{sum(refuted)}/{len(refuted)}" if refuted else "–"


def checks(entry: Mapping[str, Any]) -> str:
    """How many controls and rivals of a recorded verdict were refuted that are no evidence, of how many."""
    return tally((one for kind in ("controls", "rivals") for one in entry.get(kind) or ()), evidence=False)


def nearest(entry: Mapping[str, Any]) -> float | None:
    """Return the distance of the nearest informative rival of a recorded verdict, in budgets; None where none is known."""
    told = (one.get("distance") for one in entry.get("rivals") or () if one.get("evidence"))
    return min((distance for distance in told if distance is not None), default=None)


@dataclasses.dataclass(frozen=True, repr=False)
class Verdict:
    """The judge's answer for a claim; ``skipped`` lists the findings that were set aside.

    It shows itself as one line, and in a notebook with a table of its findings; ``dataclasses.asdict`` gives all of it.

    >>> print(Verdict("mine", Outcome.INCONCLUSIVE, (), reason="no cell was measured"))
    INCONCLUSIVE: no cell was measured
    """

    slug: str
    outcome: Outcome
    findings: tuple[Finding, ...]
    reason: str = ""
    controls: tuple[ControlVerdict, ...] = ()
    rivals: tuple[ControlVerdict, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def loose(self) -> bool:
        """Whether some bound holds that no point of any cell comes near."""
        bounds: dict[tuple[str, str], bool] = {}
        for finding in self.findings:
            if finding.outcome is Outcome.SUPPORTED or finding.loose:
                name = finding.quantity, finding.relation
                bounds[name] = bounds.get(name, True) and finding.loose
        return any(bounds.values())

    @property
    def rate(self) -> float:
        """Chance that the verdict is false because its data are random: the largest chance of its findings."""
        return max((finding.rate for finding in self.findings), default=0.0)

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """What the verdict rests on that its data cannot show: the hypotheses of its decided findings, each once."""
        decided = (one for one in self.findings if one.outcome is not Outcome.INCONCLUSIVE)
        return tuple(dict.fromkeys(one.hypothesis for one in decided if one.hypothesis))

    @property
    def worst(self) -> Finding | None:
        """The finding with the least margin among the refuted ones, else among the open ones, else among the supported ones."""
        resolved = [finding for finding in self.findings if finding.resolved]
        refuted = any(finding.outcome is Outcome.REFUTED for finding in resolved)
        findings = resolved + ([] if refuted else unseen(self.findings))
        if not findings:
            return None
        rank = {Outcome.REFUTED: 0, Outcome.INCONCLUSIVE: 1, Outcome.SUPPORTED: 2}

        def badness(finding: Finding) -> tuple[int, float]:
            return rank[finding.outcome], math.inf if math.isnan(finding.margin) else finding.margin

        return min(findings, key=badness)

    def __str__(self) -> str:
        """The outcome, and the numbers of the worst finding, in one line."""
        worst = self.worst
        if worst is None or math.isnan(worst.measured):
            return f"{self.outcome.value}: {self.reason}" if self.reason else self.outcome.value
        what = "has order" if worst.relation.startswith("order") and "constant" not in worst.where else "is"
        limit = {"at most": "at most ", "at least": "at least ", "order at least": "at least "}.get(worst.relation, "")
        name = f"the constant of {worst.quantity}" if "constant" in worst.where else worst.quantity
        line = f"{self.outcome.value}: {name} {what} {worst.measured:.6g}, predicted {limit}{worst.predicted:.6g}"
        line += f", if {'; '.join(self.hypotheses)}" if self.hypotheses and self.outcome is not Outcome.INCONCLUSIVE else ""
        return f"{line}: {self.reason}" if self.reason else line

    def __repr__(self) -> str:
        return str(self)

    def undecided(self, reason: str) -> "Verdict":
        """Return the verdict of a measurement that can decide nothing, whatever its numbers are: everything in it is open."""

        def opened(one: Any) -> Any:
            return dataclasses.replace(one, outcome=Outcome.INCONCLUSIVE, reason=one.reason or reason)

        def tried(one: ControlVerdict) -> ControlVerdict:
            return one if one.outcome is Outcome.INCONCLUSIVE else dataclasses.replace(opened(one), reason=reason)

        return dataclasses.replace(
            self,
            outcome=Outcome.INCONCLUSIVE,
            reason=reason,
            findings=tuple(map(opened, self.findings)),
            controls=tuple(map(tried, self.controls)),
            rivals=tuple(map(tried, self.rivals)),
        )

    def _repr_markdown_(self) -> str:
        """The same line, as notebooks show it."""
        return str(self)

    def with_trials(self, controls: tuple[ControlVerdict, ...], rivals: tuple[ControlVerdict, ...] = ()) -> "Verdict":
        """Return the verdict once its controls and rivals are known: data that do not refute one of them have no power."""
        tried = dataclasses.replace(self, controls=controls, rivals=rivals)
        weak = [("control", one) for one in controls] + [("rival", one) for one in rivals]
        weak = [(kind, one) for kind, one in weak if one.outcome is not Outcome.REFUTED]
        if not weak or self.outcome is not Outcome.SUPPORTED:
            return tried
        reason = "; ".join(
            f"the {kind} “{one.name}” was not refuted ({one.outcome.value}: {one.reason or 'it fits too'})"
            for kind, one in weak
        )
        return dataclasses.replace(tried, outcome=Outcome.INCONCLUSIVE, reason=f"no power: {reason}")
