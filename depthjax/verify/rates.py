r"""Error rates of statistical judgements, and how many trials a verdict needs.

The judge says SUPPORTED only if *every* point agrees. A false claim has a false point, which would have to be supported by
chance, so the error rate is at most that of one point, however many points there are (an intersection-union test, Berger,
Technometrics 24, 1982). The judge says REFUTED if *some* point disagrees, so the points share the rate (Bonferroni). Both error
rates are then at most :data:`RATE`, for independent seeds and samples: no rule sees seeds that are correlated, so every finding
of such a rule names their independence as its hypothesis.
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
    """Return the smallest number of seeds or trials with which perfect data reach this outcome.

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
    """Bound the chance that at least one verdict of a run is false because its data are random.

    This is the sum over claims (Boole), valid for dependent claims too: at most :data:`RATE` for every claim that a statistical
    rule decides, and 0 for the others. It covers random errors only, not a wrong floor or a curve that hides its order.

    Args:
        verdicts: of the claims of a run, or their entries as ``verdicts.jsonl`` holds them.

    >>> family_rate([{"rate": 0.01}, {"rate": 0.02}, {}])
    0.03
    """
    rates = (verdict.rate if isinstance(verdict, Verdict) else verdict.get("rate") or 0.0 for verdict in verdicts)
    return min(1.0, math.fsum(rates))
