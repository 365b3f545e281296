"""The numbers of the papers: a file for each study, every number with the standing of its source.

A row names its cell (the study's axes, and what else is known of the setting), the metric, the statistic over runs ("best",
"median", "mean", or "single" where there was one run) and the value. Standings: "paper" and "published code" were read there;
"talk" and "third-party notes" were read elsewhere and may differ from the paper.
"""

import dataclasses
import difflib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
KEYS = {"study": str, "title": str, "source": str, "place": str, "axes": list, "setup": dict, "differences": list, "rows": list}
NAMES = {str: "a text", list: "a list", dict: "an object"}
OWN = ("metric", "statistic", "value", "standing")
STATISTICS = ("best", "median", "mean", "single")


class PublishedError(Exception):
    """A study that does not exist, or a file that lacks something; the message is one line."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One published number.

    Attributes:
        cell: Values of the study's axes.
        more: What else the source says of the setting, such as the width.
        metric: Name of the measured quantity, as in a sweep's cells.
        statistic: What was taken over the runs.
        value: The number.
        standing: Where the number was read.
    """

    cell: Mapping[str, str | int | float]
    more: Mapping[str, str | int | float]
    metric: str
    statistic: str
    value: float
    standing: str


@dataclasses.dataclass(frozen=True)
class Published:
    """A study of a paper.

    Attributes:
        study: Name of the file.
        title: What was measured against what.
        source: Authors, title and number of the paper.
        place: Table or figure, and what of it is not known.
        axes: Names by which a published cell and a measured one are matched.
        setup: Settings of the paper, under the names of a sweep's configuration.
        differences: What no setting can say.
        rows: The numbers.
    """

    study: str
    title: str
    source: str
    place: str
    axes: tuple[str, ...]
    setup: Mapping[str, Any]
    differences: tuple[str, ...]
    rows: tuple[Row, ...]


def names() -> list[str]:
    """Names of the studies that are there."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))


def published(study: str) -> Published:
    """Read a study.

    Raises:
        PublishedError: There is no such study, or its file lacks a key, or a row lacks an axis of the study.
    """
    if study not in names():
        close = difflib.get_close_matches(study, names(), n=1)
        hint = f"did you mean {close[0]!r}?" if close else "choose one of them"
        raise PublishedError(f"no published study is named {study!r}; there are {', '.join(names())}; {hint}")
    return read(FOLDER / f"{study}.json")


def read(file: Path) -> Published:
    """Read one file; `published` says what is raised."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PublishedError(f"cannot read {file}: {error}") from error
    keys = set(content) if isinstance(content, dict) else set()
    if keys != set(KEYS):
        wrong = (
            f"lacks {', '.join(sorted(set(KEYS) - keys))}" if set(KEYS) - keys else f"has {', '.join(sorted(keys - set(KEYS)))}"
        )
        raise PublishedError(f"{file} {wrong}: a published study has {', '.join(KEYS)}")
    for key, kind in KEYS.items():
        if not isinstance(content[key], kind):
            raise PublishedError(f"{file}: {key} is {content[key]!r:.60}, expected {NAMES[kind]}")
    if content["study"] != file.stem:
        raise PublishedError(f"{file}: study is {content['study']!r}, expected the name of the file")
    axes = tuple(content["axes"])
    if not axes or not all(isinstance(axis, str) for axis in axes) or not content["rows"]:
        raise PublishedError(f"{file}: expected axes, each a text, and rows: without them nothing can be matched")
    rows = tuple(_row(row, axes, f"{file}, row {number}") for number, row in enumerate(content["rows"]))
    return Published(**content | {"axes": axes, "differences": tuple(content["differences"]), "rows": rows})


def _row(row: Mapping[str, Any], axes: tuple[str, ...], where: str) -> Row:
    if not isinstance(row, dict):
        raise PublishedError(f"{where} is {row!r:.60}, expected an object with the study's axes, {', '.join(OWN)}")
    lacking = [key for key in (*axes, *OWN) if key not in row]
    if lacking:
        raise PublishedError(f"{where} lacks {', '.join(lacking)}: every row has the study's axes, {', '.join(OWN)}")
    if row["statistic"] not in STATISTICS:
        raise PublishedError(f"{where}: statistic is {row['statistic']!r}, expected one of {', '.join(STATISTICS)}")
    if isinstance(row["value"], bool) or not isinstance(row["value"], int | float) or not math.isfinite(row["value"]):
        raise PublishedError(f"{where}: value is {row['value']!r}, expected a finite number")
    cell = {axis: row[axis] for axis in axes}
    more = {key: value for key, value in row.items() if key not in (*axes, *OWN)}
    return Row(cell, more, row["metric"], row["statistic"], float(row["value"]), row["standing"])
