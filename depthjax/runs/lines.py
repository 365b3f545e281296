"""What a run records in ``run.json`` and ``verdicts.jsonl``: every key once, with its type, from which the schema follows."""

import dataclasses
import enum
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NotRequired, TypedDict, cast

from depthjax.card import SLUG
from depthjax.runs.fields import LATER, OR_EMPTY, Only
from depthjax.runs.places import MODULE
from depthjax.runs.provenance import PRECISIONS
from depthjax.verify.experiment import SIZES
from depthjax.verify.relation import Relation
from depthjax.verify.verdict import Outcome

NAMED = "a name of small letters, digits and underscores that starts with a letter, at most 100 of them"
PACKAGED = "names of Python packages, between commas"
OUTCOMES = tuple(outcome.value for outcome in Outcome)
RELATIONS = tuple(relation.value for relation in Relation)
ONE_SIDED = tuple(f"{name} at least" for name in RELATIONS)

FORMAT = 1  # of a run directory; a directory without a number, which release 0.1 wrote, has format 0 and the same files

Number = float | None
Scalar = str | bool | int | float | None
Count = Annotated[int, Only(lambda value: 0 <= value < 2**63, "a count")]
Seed = Annotated[int, Only(lambda value: 0 <= value < 2**32, "0 to 4294967295")]
Slug = Annotated[str, Only(lambda value: SLUG.fullmatch(value) is not None, NAMED)]
Packages = Annotated[str, Only(lambda value: all(MODULE.fullmatch(name) for name in value.split(",")), PACKAGED)]
Size = Annotated[str, Only.of(SIZES)]
Precision = Annotated[str, Only.of(PRECISIONS)]
Format = Annotated[int, Only(lambda value: 0 <= value <= FORMAT, f"0 to {FORMAT}; a later version of depthjax reads more")]
Related = Annotated[str, Only.of(("", *RELATIONS, *ONE_SIDED))]


class Begun(TypedDict, total=False):
    """What was known of the machine when a run started; all of it may be missing."""

    commit: str
    versions: Mapping[str, str]
    files: Mapping[str, str]


class RunLine(TypedDict):
    """The content of ``run.json``: `depthjax.runs.records.Settings`, and what was known of the machine."""

    format: NotRequired[Format]
    size: Size
    seed: Seed
    precision: Precision
    slugs: list[Slug]
    catalogue: Packages
    provenance: NotRequired[Begun]


class Spent(TypedDict):
    """Seconds of a claim."""

    compile: float
    run: float


class ClaimCard(TypedDict, total=False):
    """What a claim says; empty where it could not be loaded."""

    title: str
    statement: str
    latex: str
    assumes: list[str]
    source: str
    refuted_by: str
    cost: str
    grid: str
    domain: list[str]
    headline: str


class Place(TypedDict):
    """Where and with what the numbers were measured."""

    device: str
    devices: Count
    versions: Mapping[str, str]
    matmul_precision: str
    x64: bool
    commit: str
    size: str
    seed: Seed
    precision: NotRequired[str]
    registered: NotRequired[str]
    xla_flags: NotRequired[str]
    surroundings: NotRequired[Mapping[str, str]]


@dataclasses.dataclass(frozen=True, kw_only=True)
class FindingLine:
    """One quantity of one cell, judged: a `depthjax.verify.verdict.Finding` with the names of its cell and its quantity."""

    quantity: str
    label: str
    units: str
    cell: str
    where: Mapping[str, Scalar]
    relation: Related
    budget: Mapping[str, Number]
    predicted: Number
    measured: Number
    margin: Number
    tightness: Number
    power: Number
    outcome: Outcome
    reason: str
    points: Count
    dropped: Count
    resolved: bool
    loose: Annotated[bool, LATER]
    rate: Annotated[Number, LATER]
    hypothesis: Annotated[str, LATER] = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrialLine:
    """What became of a control or a rival: a `depthjax.verify.verdict.ControlVerdict`."""

    name: str
    statement: str
    outcome: Outcome
    reason: str
    evidence: Annotated[bool, LATER] = False
    distance: Annotated[Number, LATER] = None
    found: Annotated[str, LATER] = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class VerdictLine:
    """A line of ``verdicts.jsonl``: everything that a reader of the run needs.

    The defaults are those of a claim that could not start. ``failed`` says that its own code raised an error or ended its
    process, so that nobody could judge it. The numbers are those of the worst finding.
    """

    slug: Slug
    topic: str
    outcome: Outcome
    relation: Related = ""
    quantity: str = ""
    where: Mapping[str, Scalar] = dataclasses.field(default_factory=dict)
    predicted: Number = None
    measured: Number = None
    margin: Number = None
    tightness: Number = None
    power: Number = None
    controls: list[TrialLine] = dataclasses.field(default_factory=list)
    rivals: Annotated[list[TrialLine], LATER] = dataclasses.field(default_factory=list)
    reason: str
    failed: Annotated[bool, LATER]
    loose: Annotated[bool, LATER] = False
    rate: Annotated[Number, LATER] = 0.0
    hypotheses: Annotated[list[str], LATER] = dataclasses.field(default_factory=list)
    seconds: Spent = dataclasses.field(default_factory=lambda: Spent(compile=0.0, run=0.0))
    device: str = ""
    size: Annotated[str, Only.of(("", *SIZES))] = ""
    seed: Seed | None = None
    date: str
    dtype: str = ""
    witness: str = ""
    drawn: Annotated[list[str], LATER] = dataclasses.field(default_factory=list)
    findings: list[FindingLine] = dataclasses.field(default_factory=list)
    skipped: list[str] = dataclasses.field(default_factory=list)
    figure: str = ""
    claim: ClaimCard = dataclasses.field(default_factory=lambda: ClaimCard())
    provenance: Annotated[Place, OR_EMPTY] = dataclasses.field(default_factory=lambda: cast(Place, {}))

    def record(self) -> dict[str, Any]:
        """Return the line as plain types."""
        return dataclasses.asdict(self, dict_factory=_plain)


def _plain(items: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value.value if isinstance(value, enum.Enum) else value for name, value in items}
