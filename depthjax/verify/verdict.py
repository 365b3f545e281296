"""What the judge says: an outcome for every cell and quantity, and for the claim as a whole."""

import dataclasses
import enum
import math
from collections.abc import Mapping, Sequence
from typing import Any


class Outcome(enum.Enum):
    """A measurement supports or refutes; it never proves."""

    SUPPORTED = "SUPPORTED"
    REFUTED = "REFUTED"
    INCONCLUSIVE = "INCONCLUSIVE"

    @staticmethod
    def of_all(findings: "Sequence[Finding]") -> "Outcome":
        """One refutation refutes, one gap leaves open, and nothing resolved supports nothing.

        A quantity of which every finding is set aside is a gap: others cannot speak for it.
        """
        outcomes = [finding.outcome for finding in findings if finding.resolved]
        if Outcome.REFUTED in outcomes:
            return Outcome.REFUTED
        if not outcomes or Outcome.INCONCLUSIVE in outcomes or unseen(findings):
            return Outcome.INCONCLUSIVE
        return Outcome.SUPPORTED


def unseen(findings: "Sequence[Finding]") -> "list[Finding]":
    """One finding of every quantity that was set aside everywhere; an exponent and its constant are two quantities."""
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
    """How far a true statement's measurement may lie from its prediction, split by cause. Same units as the measurement."""

    rounding: float = 0.0
    truncation: float = 0.0
    sampling: float = 0.0

    @property
    def total(self) -> float:
        """Sum of the parts: causes may conspire."""
        return self.rounding + self.truncation + self.sampling


@dataclasses.dataclass(frozen=True)
class Finding:
    """One quantity of one cell, judged.

    Attributes:
        quantity: the measured variable. cell: index of the cell. where: coordinates of the worst point inside the cell.
        relation: the relation's value, such as "at most". predicted: the number it was held against. measured: the number
        seen. budget: the tolerance and its causes. margin: what is left of the budget, in budget units: 1 exact agreement,
        0 the edge, negative refuted. tightness: measured / predicted for bounds, nan elsewhere. power: the smallest
        deviation from the prediction that would have been refuted. outcome: of this finding. reason: in words, empty when
        supported. points: measured points used. dropped: points under the rounding floor. resolved: False where the data
        cannot show the quantity here (rounding came before the asymptotic range did, nothing came near the bound): such a
        finding is set aside and said so, and the others decide. loose: a bound that no point comes near. rate: chance of a
        false verdict where data are random and a statistical rule decides, 0 elsewhere.
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


@dataclasses.dataclass(frozen=True)
class ControlVerdict:
    """What became of a control or of a rival."""

    name: str
    statement: str
    outcome: Outcome
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The judge's answer for a claim; ``worst`` is the finding with the least margin, ``skipped`` lists what was set aside."""

    slug: str
    outcome: Outcome
    findings: tuple[Finding, ...]
    reason: str = ""
    controls: tuple[ControlVerdict, ...] = ()
    rivals: tuple[ControlVerdict, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def loose(self) -> bool:
        """Whether some bound holds and no point of any cell comes near."""
        bounds: dict[tuple[str, str], bool] = {}
        for finding in self.findings:
            if finding.outcome is Outcome.SUPPORTED or finding.loose:
                name = finding.quantity, finding.relation
                bounds[name] = bounds.get(name, True) and finding.loose
        return any(bounds.values())

    @property
    def rate(self) -> float:
        """Chance that this verdict is false because its data are random: that of its least certain statistical finding."""
        return max((finding.rate for finding in self.findings), default=0.0)

    @property
    def worst(self) -> Finding | None:
        """The refuted finding with the least margin; else the worst inconclusive, else the closest supported one."""
        resolved = [finding for finding in self.findings if finding.resolved]
        refuted = any(finding.outcome is Outcome.REFUTED for finding in resolved)
        findings = resolved + ([] if refuted else unseen(self.findings))
        if not findings:
            return None
        rank = {Outcome.REFUTED: 0, Outcome.INCONCLUSIVE: 1, Outcome.SUPPORTED: 2}

        def badness(finding: Finding) -> tuple[int, float]:
            return rank[finding.outcome], math.inf if math.isnan(finding.margin) else finding.margin

        return min(findings, key=badness)

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
