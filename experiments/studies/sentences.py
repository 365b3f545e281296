"""What a comparison decides beside single numbers: whether its control learned, and how far each depth reaches.

Each sentence could have come out otherwise, and says whether it holds in the run at hand: what is published, and what is here.
"""

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from experiments.studies.comparison import LEVEL, Line, first_depths, order, outside, passed, same_group
from experiments.studies.curves import parts, sign
from experiments.studies.published import Published
from experiments.studies.trained import StudyRun
from theory.attention.hops import hop_reach

REACHED = 0.05  # share of wrong answers up to which a number of hops counts as answered
PREFIX = "prefix_1x"  # letters up to which nine words of ten are right
LEARNED, ENOUGH = "sequence_1x", 0.9  # words that are right, in the typical run of a network that is a control


@dataclasses.dataclass(frozen=True)
class Sentence:
    """A sentence, and whether it holds; None where the run cannot say so."""

    sentence: str
    holds: bool | None

    def __str__(self) -> str:
        said = {True: "holds", False: "fails", None: "open"}[self.holds]
        return f"{said}: {self.sentence}"


def judged(published: Published, run: StudyRun, lines: Sequence[Line], ceilings: Sequence[float | None]) -> Iterator[str]:
    """Yield all that a comparison says beside its numbers, sentence by sentence."""
    yield from filter(None, (outside(lines), passed(lines, ceilings)))
    for one in (
        *controls(published, run),
        *reach(lines),
        *constructed(lines, run),
        *beyond_one_layer(published, lines, ceilings),
        *prefixes(published, run),
    ):
        yield str(one)
    for place, there, here, tried in first_depths(lines):
        measured = f"none of {', '.join(map(str, tried))}" if here is None else here
        yield f"first depth at {LEVEL:g} of {place}: {'none' if there is None else there} published, {measured} here"
    for axis in published.axes:
        for place, items, tau, chance in order(lines, axis):
            yield f"order along {axis} at {place}: Kendall's tau {tau:+.2f} of {items} (chance {chance:.2g})"


def controls(published: Published, run: StudyRun) -> Iterator[Sentence]:
    """Yield whether what the published file names as its control learned; no comparison has power without it.

    A control is a kind of network, which must learn every task of the run, or a table: values of axes, a metric and the level
    that its typical run must reach at some depth, such as ``{"group": "C3", "metric": "token_1x", "level": 0.99}``.
    """
    given = published.setup.get("control")
    if isinstance(given, str):
        by_task: dict[str, list[float]] = {}
        for name, cell in run.cells.items():
            named = parts(name)
            if named.get("model") == given and LEARNED in cell:
                task = next(iter(named.items()))
                by_task.setdefault(f"{task[0]} {task[1]}", []).append(float(cell[LEARNED].median("seed").max()))
        for task, found in by_task.items():
            share = max(found)
            yield Sentence(f"the control, {given}, learns {task} ({share:.3g} of the words, level {ENOUGH:g})", share >= ENOUGH)
    elif isinstance(given, Mapping):
        axes = {key: value for key, value in given.items() if key not in ("metric", "level")}
        typical = _typical(run, axes, str(given["metric"]))
        told = ", ".join(f"{key} {value}" for key, value in axes.items())
        if not typical:
            yield Sentence(f"the control, {told}, is not in this run", None)
            return
        up = sign(str(given["metric"])) > 0
        depth = (max if up else min)(typical, key=lambda one: typical[one])
        best, level = typical[depth], float(given["level"])
        sentence = f"the control, {told}, is learned ({given['metric']} {best:.3g} at depth {depth}, level {level:g})"
        yield Sentence(sentence, best >= level if up else best <= level)


def _typical(run: StudyRun, axes: Mapping[str, Any], metric: str) -> dict[int, float]:
    """The median over seeds by depth, of the best cell that has these values."""
    found: dict[int, float] = {}
    for name, cell in run.cells.items():
        named = parts(name)
        if metric not in cell:
            continue
        inside = {key: value for key, value in axes.items() if key in cell.coords and key in cell[metric].dims}
        if any(value not in cell[key].to_numpy().tolist() for key, value in inside.items()):
            continue
        rest = {key: str(value) for key, value in axes.items() if key not in inside}
        if not all(_same(key, named.get(key, ""), value) for key, value in rest.items()):
            continue
        medians = cell[metric].sel(inside).median("seed")
        for depth in cell["depth"].to_numpy().tolist():
            value = float(medians.sel(depth=depth))
            better = max if sign(metric) > 0 else min
            found[depth] = better(found.get(depth, value), value)
    return found


def _same(axis: str, one: str, other: str) -> bool:
    return one == other or (axis == "group" and bool(one) and same_group(one, other))


def reach(lines: Sequence[Line], axis: str = "hops", level: float = REACHED) -> Iterator[Sentence]:
    """Yield, for errors along an axis of growing tasks, how far each depth reaches, and whether it doubles with every layer.

    A depth reaches k if no error up to k, of those that are published and measured, is above the level. The sentence holds
    where the run doubles its reach with every layer, from the first depth that reaches anything.
    """
    places: dict[str, list[Line]] = {}
    for line in lines:
        if line.measured is not None and axis in line.row.cell and "depth" in line.row.cell and sign(line.row.metric) < 0:
            rest = {**line.row.cell, **line.row.more}
            told = ", ".join(f"{key} {value}" for key, value in rest.items() if key not in (axis, "depth"))
            places.setdefault(told, []).append(line)
    for told, found in places.items():
        depths = sorted({int(line.row.cell["depth"]) for line in found})
        largest = max(int(line.row.cell[axis]) for line in found)
        there, here = {}, {}
        for depth in depths:
            own = sorted((line for line in found if line.row.cell["depth"] == depth), key=lambda line: int(line.row.cell[axis]))
            there[depth] = _furthest([(int(one.row.cell[axis]), one.row.value) for one in own], level)
            here[depth] = _furthest([(int(one.row.cell[axis]), one.measured.median) for one in own if one.measured], level)
        if len(depths) < 2:
            continue
        words = "; ".join(f"depth {depth}: {there[depth]} published, {here[depth]} here" for depth in depths)
        both = [_doubles([by[depth] for depth in depths], largest) for by in (there, here)]
        published = {True: "do", False: "do not", None: "say nothing"}[both[0]]
        yield Sentence(
            f"every layer doubles the {axis} with errors up to {level:g}, {told} ({words}); the published ones {published}",
            both[1],
        )


def constructed(lines: Sequence[Line], run: StudyRun, level: float = REACHED) -> Iterator[Sentence]:
    """Yield whether the typical transformer answers as many hops, at every depth, as weights are written for with its mask.

    The weights are those of `theory.attention.hops.hop_reach`; hops that the run does not ask for do not count.
    """
    found = {
        (int(line.row.cell["depth"]), int(line.row.cell["hops"])): line.measured.median
        for line in lines
        if line.measured is not None and {"hops", "depth"} <= {*line.row.cell} and line.row.cell.get("model") == "transformer"
    }
    if run.configuration["task"] != "asked_hops" or not found:
        return
    mask = run.configuration.get("switches", {}).get("transformer", {}).get("mask", "causal")
    most = max(hop for _, hop in found)
    here, known = {}, {}
    for depth in sorted({depth for depth, _ in found}):
        own = sorted((hop, error) for (one, hop), error in found.items() if one == depth)
        here[depth], known[depth] = _furthest(own, level), min(hop_reach(depth, mask), most)
    words = "; ".join(f"depth {depth}: {here[depth]} answered, {known[depth]} written" for depth in here)
    told = f"every depth answers the hops that weights are written for with the {mask} mask, errors up to {level:g} ({words})"
    yield Sentence(told, all(here[depth] >= known[depth] for depth in here))


def _furthest(errors: Sequence[tuple[int, float]], level: float) -> int:
    """The largest number up to which all errors are at most the level, 0 if the first is above it."""
    reached = 0
    for number, error in errors:
        if error > level:
            break
        reached = number
    return reached


def _doubles(reached: Sequence[int], largest: int) -> bool | None:
    """Whether each number is twice the one before it or more; one that was not asked for twice as far says nothing."""
    steps = [(one, two) for one, two in itertools.pairwise(reached) if one > 0 and 2 * one <= largest]
    return all(two >= 2 * one for one, two in steps) if steps else None


def beyond_one_layer(published: Published, lines: Sequence[Line], ceilings: Sequence[float | None]) -> Iterator[Sentence]:
    """Yield, by depth, whether the typical run of every cell passes what one layer blind to order could reach.

    Of the published numbers the sentence says how many pass it at their own length, where the file has these ceilings as
    ``"one_layer": {"S5": 0.1283}`` by the first axis beside the model.
    """
    axis = next((axis for axis in published.axes if axis not in ("model", "depth")), "")
    own = published.setup.get("one_layer", {})
    by_depth: dict[int, list[tuple[float, float | None]]] = {}
    for line, top in zip(lines, ceilings, strict=True):
        if line.measured is not None and line.measured.power and top is not None and top < 1 and "depth" in line.row.cell:
            there = own.get(line.row.cell.get(axis))
            gained = None if there is None else line.row.value - there
            by_depth.setdefault(int(line.row.cell["depth"]), []).append((line.measured.median - top, gained))
    for depth, over in sorted(by_depth.items()):
        least = min(here for here, _ in over)
        told = f"all {len(over)} medians at depth {depth} pass what one layer blind to order could reach"
        theirs = [there for _, there in over if there is not None]
        beside = f"; published {sum(there > 0 for there in theirs)} of {len(theirs)} at their own length" if theirs else ""
        yield Sentence(f"{told} (the nearest by {least:+.3f}{beside})", least > 0)


def prefixes(published: Published, run: StudyRun) -> Iterator[Sentence]:
    """Yield, where a paper has longest prefixes, whether the typical run follows longer ones with every depth, task by task.

    A prefix as long as the words cannot grow, but it can stay. A network that follows all words at every depth says nothing,
    and neither does a task that the control does not learn.
    """
    if not any(row.metric == PREFIX for row in published.rows):
        return
    length, control = int(run.configuration["length"]), published.setup.get("control")
    learned: dict[str, bool] = {}
    found: dict[str, list[tuple[str, dict[int, float]]]] = {}
    for name, cell in run.cells.items():
        (axis, task), *_ = named = parts(name).items()
        kind, where = dict(named)["model"], f"{axis} {task}"
        if kind == control and LEARNED in cell:
            learned[where] = learned.get(where, False) or float(cell[LEARNED].median("seed").max()) >= ENOUGH
        elif PREFIX in cell and cell.sizes["depth"] > 1:
            typical = cell[PREFIX].median("seed").sortby("depth")
            depths = typical["depth"].to_numpy().tolist()
            found.setdefault(where, []).append((kind, dict(zip(depths, typical.to_numpy().tolist(), strict=True))))
    for where, networks in found.items():
        words = "; ".join(f"{kind} " + ", ".join(f"{reached:g}" for reached in some.values()) for kind, some in networks)
        depths = ", ".join(map(str, networks[0][1]))
        grown = [_grows(list(some.values()), length) for _, some in networks if min(some.values()) < length]
        told = f"more layers follow longer prefixes, {where} (of {length} letters, at depths {depths}: {words})"
        yield Sentence(told, all(grown) if grown and learned.get(where, control is None) else None)


def _grows(reached: Sequence[float], most: float) -> bool:
    """Whether every number is larger than the one before it, or as large as any can be."""
    return all(two > one or two >= most for one, two in itertools.pairwise(reached))
