r"""Error rates of statistical judgements, and how many trials a verdict needs.

One judging says SUPPORTED only where *every* point agrees. A false claim has a false point, which must be supported by itself:
the chance is at most the rate of that point, however many points there are (an intersection-union test, Berger, Technometrics
24, 1982). One judging says REFUTED where *some* point disagrees: the points share the rate (Bonferroni). Both chances are then
at most :data:`RATE`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Outcome, Verdict

RATE = 0.01  # chance of a false support, and of a false refutation, in one judging
POSSIBLE = 0.01  # success rate that the trials of an impossibility exclude, unless the prediction states another


def trials_needed(
    relation: Relation, family: int = 1, *, outcome: Outcome = Outcome.SUPPORTED, possible: float = POSSIBLE
) -> int:
    """The fewest seeds or trials from which perfect data reach this outcome.

    Perfect data agree (SUPPORTED) or disagree (REFUTED) in every trial. TREND and RANKING need ``n`` seeds with
    ``2**-n <= RATE``, and for a refutation ``2**-n <= RATE / family``. IMPOSSIBLE needs ``n`` failures with
    ``(1 - possible)**n <= RATE`` in all; one success refutes.

    Args:
        relation: TREND, RANKING or IMPOSSIBLE.
        family: points judged at once: entries of all trend and ranking predictions of all cells.
        outcome: SUPPORTED, or REFUTED, which a control needs.
        possible: IMPOSSIBLE only: the success rate to exclude, between 0 and 1.

    Raises:
        ValueError: for a relation without trials, for INCONCLUSIVE, or where ``family`` or ``possible`` is out of range.

    >>> trials_needed(Relation.TREND, 20), trials_needed(Relation.TREND, 20, outcome=Outcome.REFUTED)
    (7, 11)
    >>> trials_needed(Relation.IMPOSSIBLE)
    459
    """
    if outcome is Outcome.INCONCLUSIVE:
        raise ValueError("INCONCLUSIVE needs no trials: ask for SUPPORTED or REFUTED")
    if family < 1 or not 0 < possible < 1:
        raise ValueError(f"family {family} and success rate {possible}: expected at least 1, and between 0 and 1")
    if relation in (Relation.TREND, Relation.RANKING):
        share = RATE if outcome is Outcome.SUPPORTED else RATE / family
        return next(n for n in range(1, 2000) if 0.5**n <= share)
    if relation is Relation.IMPOSSIBLE:
        return math.ceil(math.log(RATE) / math.log1p(-possible)) if outcome is Outcome.SUPPORTED else 1
    raise ValueError(f"{relation.name} is not judged by trials: expected TREND, RANKING or IMPOSSIBLE")


def family_rate(verdicts: Iterable[Verdict | Mapping[str, Any]]) -> float:
    """A bound on the chance that one or more verdicts of a run are false because their data are random.

    The sum over claims (Boole), whatever depends on what: at most :data:`RATE` for every claim that some statistical rule
    decides, nothing for the others. Wrong floors and curves that hide their order are no random errors and not in this bound.

    Args:
        verdicts: of the claims of a run, or their entries as ``verdicts.jsonl`` holds them.
    """
    rates = (verdict.rate if isinstance(verdict, Verdict) else verdict.get("rate") or 0.0 for verdict in verdicts)
    return min(1.0, math.fsum(rates))
