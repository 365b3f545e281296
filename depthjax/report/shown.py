"""Verdicts, groups, automata and cascades as a notebook shows them: a sentence, a table, a picture.

Objects of theory are read through their attributes. What is dear to compute is left out, so that an
object shows itself within about a second.
"""

import base64
import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from depthjax.figures.automata import draw_automaton
from depthjax.figures.cascades import CascadeDrawing, draw_cascade
from depthjax.figures.plots import figure, styled, svg
from depthjax.figures.tables import draw_cayley_table
from depthjax.report.markup import Html, fill, joined
from depthjax.verify.claim import claim
from depthjax.verify.experiment import Experiment
from depthjax.verify.verdict import Finding, Verdict

__all__ = ["automaton", "cascade", "group", "language", "picture", "table", "verdict"]

DRAWN, LISTED, ELEMENTS = 12, 24, 60  # states of a graph; rows of a table; elements of a Cayley table
SERIES, INSIDE = 2000, 10  # elements up to which series, and states up to which groups inside are computed
LEVELS = 6  # of a drawn cascade

IMAGE = '<figure style="margin:0.5em 0"><img alt="{caption}" style="max-width:100%" src="{source}"/></figure>'

Rows = Iterable[Sequence[object]]


def picture(text: str, caption: str) -> Html:
    """Return an SVG file as an image of a page, which shares no names with other images of the page."""
    coded = base64.b64encode(text.encode()).decode()
    return fill(IMAGE, caption=caption, source=f"data:image/svg+xml;base64,{coded}")


def table(head: Sequence[object], rows: Rows) -> Html:
    """Return a table; an empty head is left out, and the first cell of a row is then its name."""
    first = "td" if any(head) else "th"
    names = fill("<thead><tr>{cells}</tr></thead>", cells=_cells("th", head)) if any(head) else Html("")
    lines = (joined((_cells(first, row[:1]), _cells("td", row[1:]))) for row in rows)
    body = joined(fill("<tr>{line}</tr>", line=line) for line in lines)
    return fill("<table>{names}<tbody>{body}</tbody></table>", names=names, body=body)


def verdict(judged: Verdict) -> Html:
    """A verdict: its line, a row for each finding, and the figure where the numbers are known."""
    line = str(judged).removeprefix(judged.outcome.value)
    sentence = fill("<p><strong>{outcome}</strong>{line}</p>", outcome=judged.outcome.value, line=line)
    findings = sorted(judged.findings, key=lambda one: math.inf if math.isnan(one.margin) else one.margin)
    head = ("quantity", "", "predicted", "measured", "budget", "margin", "points", "")
    rows = table(head, map(_finding, findings[:LISTED])) if findings else Html("")
    return joined((sentence, rows, _more(len(findings), "findings"), _figure(judged)))


def group(shown: Any) -> Html:
    """A group: whether it is solvable, what is counted, its Cayley table."""
    order = int(shown.order)
    facts: list[tuple[str, object]] = [
        ("conjugacy classes", len(shown.conjugacy_classes)),
        ("orders of elements", ", ".join(map(str, np.unique(shown.element_orders)))),
    ]
    said = ""
    if order <= SERIES:
        series = [len(part) for part in shown.derived_series]
        facts += [("derived series", " > ".join(map(str, series))), ("nilpotent", _yes(shown.is_nilpotent))]
        said = f", {_solved(shown.derived_length, 'commutative' if shown.is_abelian else 'solvable')}"
    sentence = fill("<p><strong>{name}</strong>: a group of order {order}{said}</p>", name=shown.name, order=order, said=said)
    drawn = Html("")
    if order <= ELEMENTS:
        near = _by_cosets(shown.table, shown.derived_series[1:])
        names = [shown.names[element] for element in near] if order <= DRAWN else [""] * order
        products = np.argsort(near)[shown.table[np.ix_(near, near)]]
        side = 0.9 + min(0.32 * order, 3.4)
        caption = "its Cayley table, elements of a coset of the derived subgroup side by side"
        drawn = _drawing(shown.name, (side, side), lambda axis: draw_cayley_table(axis, products, names), caption)
    return joined((sentence, table((), facts), drawn))


def _by_cosets(products: np.ndarray, chain: Sequence[np.ndarray]) -> np.ndarray:
    """The elements in an order in which every coset of every subgroup of a chain is a stretch; the chain descends."""
    cosets = [products[:, part].min(axis=1) for part in chain]
    return np.lexsort((np.arange(len(products)), *reversed(cosets)))


def automaton(shown: Any) -> Html:
    """A semiautomaton: which groups its words generate, its table and its graph."""
    sentence = fill(
        "<p><strong>{name}</strong>: {states} states, {letters} letters{said}</p>",
        name=shown.name,
        states=shown.num_states,
        letters=shown.num_letters,
        said=_inside(shown),
    )
    return joined((sentence, *_machine(shown, shown.letters, {"name": shown.name})))


def language(shown: Any) -> Html:
    """A deterministic finite automaton: whether its language is star-free, its table and its graph."""
    inner, accepting = shown.automaton, {int(state) for state in np.flatnonzero(shown.accepting)}
    said = ""
    if shown.num_states <= INSIDE:
        witness = shown.period_witness()
        said = (
            "; star-free: no word counts"
            if witness is None
            else f"; not star-free: {' '.join(witness[0])} permutes states of the minimal automaton without fixing them"
        )
    word = shown.shortest_word()
    if word is None:
        said += "; the language is empty"
    template = "<p>A language over {letters}: {states} states, {accepting} of them accepting{said}</p>"
    parts = {"letters": ", ".join(shown.letters), "states": shown.num_states, "accepting": len(accepting), "said": said}
    return joined((fill(template, **parts), *_machine(inner, shown.letters, {"name": "a language", "accepting": accepting})))


def cascade(shown: Any) -> Html:
    """A Krohn-Rhodes cascade: its layers, a row for each component of a level, and the levels as boxes."""
    inner, levels = shown.images.automaton, shown.levels
    layers = shown.layers
    said = (
        "no number of layers, because a group is not solvable"
        if layers is None
        else f"{layers} abelian and reset layer{'s' * (layers != 1)}"
    )
    template = "<p>The cascade of <strong>{name}</strong>: {levels} level{s}, {said}</p>"
    sentence = fill(template, name=inner.name, levels=len(levels), s="s" * (len(levels) != 1), said=said)
    parts = [(level.height, part.acts, _tiles(part), level.layers) for level in levels for part in level.components]
    rows = [(*row[:3], "never" if row[3] is None else row[3]) for row in parts[:LISTED]]
    listed = table(("height", "letters act by", "on the tiles", "layers of the level"), rows) if rows else Html("")
    drawn = Html("")
    if 0 < len(levels) <= LEVELS and inner.num_states <= DRAWN:
        acts = tuple(", ".join(f"{part.acts} on {len(part.tiles)} tiles" for part in level.components) for level in levels)
        states, letters = _named(inner.states, inner.num_states), _named(inner.letters, inner.num_letters)
        drawing = CascadeDrawing(states, letters, inner.table, acts, (), (), ())
        with styled(inner.name):
            page = _page((7.6, 2.8))
            draw_cascade(page, drawing)
            drawn = picture(svg(page, f"the cascade of {inner.name}"), f"the automaton {inner.name} and its cascade")
    return joined((sentence, listed, _more(len(parts), "components"), drawn))


def _figure(judged: Any) -> Html:
    """The figure of a verdict that keeps its numbers; nothing where there are none, or complex ones, which lie on no axis."""
    if getattr(judged, "data", None) is None:
        return Html("")
    if any(np.iscomplexobj(part.to_numpy()) for part in (judged.data[judged.said.of], judged.said.exact())):
        return Html("")
    named = dataclasses.replace(claim(judged.relation), slug="numbers", title=str(judged))
    subject = Experiment(named, "", {}, lambda cell: judged.said)
    return picture(figure(subject, [judged.said], [], judged.data, judged), str(judged))


def _finding(one: Finding) -> tuple[object, ...]:
    where = ", ".join(
        name if value is True else f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in one.where.items()
    )
    numbers = (f"{value:.6g}" for value in (one.predicted, one.measured, one.budget.total, one.margin))
    said = one.outcome.value if one.resolved else "set aside"
    return one.quantity, where, *numbers, f"{one.points} (−{one.dropped})" if one.dropped else one.points, said


def _machine(inner: Any, letters: Sequence[str], parts: dict[str, Any]) -> tuple[Html, Html, Html]:
    """The transition table of an automaton and its graph, as far as they can be read."""
    states, accepting = _named(inner.states, inner.num_states), parts.get("accepting")
    names = _named(letters, inner.num_letters)
    rows = more = Html("")
    if inner.num_letters <= LISTED:
        marked = [f"{name} (accepting)" if accepting and number in accepting else name for number, name in enumerate(states)]
        lines = ([marked[number], *(states[int(target)] for target in row)] for number, row in enumerate(inner.table[:LISTED]))
        rows, more = table(("state", *names), lines), _more(inner.num_states, "states")
    drawn = Html("")
    if inner.num_states <= DRAWN:
        start = None if accepting is None else 0
        graph = (states, names, inner.table)
        draw = functools.partial(draw_automaton, start=start, accepting=accepting or ())
        side = 2.6 + 0.14 * inner.num_states
        drawn = _drawing(parts["name"], (side, side), lambda axis: draw(axis, *graph), "its graph")
    return rows, more, drawn


def _inside(shown: Any) -> str:
    """What the groups inside a semiautomaton say of layers; empty where they are dear."""
    if shown.num_states > INSIDE:
        return ""
    if shown.is_aperiodic:
        return "; aperiodic: no word permutes states, and layers that write and forget follow it"
    found = ", ".join(dict.fromkeys(part.description for part in shown.groups_inside if part.order > 1))
    if shown.is_solvable:
        return f"; its words permute states as {found}: solvable, a fixed number of abelian and reset layers follows it"
    return f"; its words permute states as {found}: not solvable, no fixed number of abelian and reset layers follows it"


def _solved(length: int | None, kind: str) -> str:
    """What the derived length of a group says of layers."""
    match length:
        case None:
            return "not solvable: no number of abelian layers follows its words of every length"
        case 0:
            return "trivial: no layer is needed"
        case 1:
            return f"{kind}: 1 abelian layer follows its words"
        case _:
            return f"{kind}: {length} abelian layers follow its words, and no fewer do"


def _tiles(part: Any) -> str:
    tiles = part.named_tiles
    return " ".join(tiles[:8]) + (" …" if len(tiles) > 8 else "")


def _named(names: Sequence[str], count: int) -> tuple[str, ...]:
    return tuple(map(str, names)) if len(names) == count else tuple(map(str, range(count)))


def _more(count: int, what: str) -> Html:
    return fill("<p>{shown} of {count} {what}</p>", shown=LISTED, count=count, what=what) if count > LISTED else Html("")


def _cells(kind: str, row: Sequence[object]) -> Html:
    return joined(fill(f"<{kind}>{{cell}}</{kind}>", cell=cell) for cell in row)


def _yes(truth: bool) -> str:
    return "yes" if truth else "no"


def _page(size: tuple[float, float]) -> Figure:
    page = Figure(figsize=size, layout="constrained")
    FigureCanvasSVG(page)
    return page


def _drawing(name: str, size: tuple[float, float], draw: Callable[[Axes], None], caption: str) -> Html:
    with styled(name):
        page = _page(size)
        draw(page.subplots())
        return picture(svg(page, f"{name}: {caption}"), f"{name}: {caption}")
