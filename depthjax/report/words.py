"""A verdict in words, and where a statement comes from as BibTeX."""

import re
from collections.abc import Mapping
from typing import Any


def found(entry: Mapping[str, Any]) -> str:
    """What a verdict found, in words, such as "error: order 9.998, predicted 10".

    A refuted claim shows what refuted it. Others show the quantity that the claim calls its headline, and where it names none,
    the most telling finding.
    """
    findings = [one for one in entry["findings"] if one["resolved"] and one["measured"] is not None]
    if not findings:
        return entry["reason"]
    against = [one for one in findings if one["outcome"] == entry["outcome"] == "REFUTED"]
    named = [one for one in findings if one["quantity"] == entry["claim"].get("headline")]
    return _words(min(against or named or findings, key=_dullness))


def _dullness(finding: Mapping[str, Any]) -> tuple:
    """Exponents first, then constants and rounded numbers, then counts, zeros last; among these the largest prediction."""
    predicted = finding["predicted"] or 0.0
    order = finding["relation"].startswith("order") and "constant" not in finding["where"]
    return (
        not order,
        predicted == 0,
        predicted == int(predicted),
        finding["relation"] not in ("equals", "order"),
        -abs(predicted),
    )


def _words(finding: Mapping[str, Any]) -> str:
    relation, points = finding["relation"], finding["points"]
    measured, predicted = (_number(finding[name]) for name in ("measured", "predicted"))
    what = finding["label"]
    if relation.startswith("order"):
        kind = "constant" if "constant" in finding["where"] else "order"
        least = "at least " if relation.endswith("at least") else ""
        orders = (_number(finding[name], 6) for name in ("measured", "predicted"))
        return f"{what}: {kind} {next(orders)}, predicted {least}{next(orders)}"
    if relation in ("at most", "at least"):
        share = "" if finding["tightness"] is None else f" ({100 * float(finding['tightness']):.0f} % of it)"
        side = "upper" if relation == "at most" else "lower"
        return f"{what}: {measured}, {side} bound {predicted}{share}"
    if relation in ("trend", "ranking", "impossible"):
        share = f"{100 * float(finding['measured']):.0f} % of {points} seeds"
        side = "nothing" if finding["predicted"] is None else "more than half" if finding["predicted"] else "less than half"
        return f"{what}: {share}, predicted {side}"
    at = f" at each of {points:,} points" if points > 1 and finding["margin"] == 1 else ""
    return f"{what}: {measured}, predicted {predicted}{at}"


def _number(value: float | int | None, digits: int = 4) -> str:
    return "–" if value is None else f"{value:.{digits}g}"


def bibtex(source: str, slug: str) -> str:
    """The source of a statement as a BibTeX entry; empty where the source has no title or is this project.

    Example:
        >>> print(bibtex("Liu, Ash, “Shortcuts”, arXiv 2210.10749, Theorem 1", "scan_depth"))
        @misc{scan_depth,
          author = {Liu and Ash},
          title = {Shortcuts},
          eprint = {2210.10749}, archivePrefix = {arXiv},
          note = {Theorem 1}
        }
    """
    parts = re.fullmatch(r"(?P<authors>[^“]*), “(?P<title>[^”]*)”(?:, arXiv (?P<number>[\d.]+))?(?:, (?P<place>.*))?", source)
    if parts is None or parts["authors"].startswith("this project"):
        return ""
    fields = [f"author = {{{' and '.join(parts['authors'].split(', '))}}}", f"title = {{{parts['title']}}}"]
    if parts["number"]:
        fields.append(f"eprint = {{{parts['number']}}}, archivePrefix = {{arXiv}}")
    if parts["place"]:
        fields.append(f"note = {{{parts['place']}}}")
    return f"@misc{{{slug},\n" + ",\n".join(f"  {field}" for field in fields) + "\n}"
