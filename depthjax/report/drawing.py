"""The elements of a figure, written as shortly as they can be: a page of all claims holds a hundred thousand of them.

Groups that say nothing are dissolved. Neighbours that look the same share a group, which says it once. Characters of a formula
that look the same become one run of words.
"""

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from depthjax.report.markup import Html, escaped

SHAPES = frozenset({"path", "use", "rect"})
OWN = frozenset({"id", "d", "x", "y", "rx", "ry", "width", "height", "href"})  # what neighbours do not share
ALONE = frozenset({"opacity", "transform"})  # these mean something else on a group
UNSAID = {"fill": "currentColor", "text-anchor": "start", "transform": ""}  # true of words of which nothing else is said
NO_TURN = re.compile(r"rotate\(-?0 [^)]*\)")


@dataclasses.dataclass(slots=True)
class Node:
    """An element.

    Attributes:
        name: Of the element.
        attributes: As they are written, without the id.
        parts: What stands inside, in its order: elements, and the characters of words.
    """

    name: str
    attributes: dict[str, str]
    parts: "list[Node | str]" = dataclasses.field(default_factory=list)


def written(node: Node) -> Html:
    """The element as text of a page.

    Example:
        >>> line = {"stroke": "red", "d": "M0 0L1 1"}
        >>> print(written(Node("g", {}, [Node("g", {}, [Node("path", line)]), Node("path", line)])))
        <g><g stroke="red"><path d="M0 0L1 1"/><path d="M0 0L1 1"/></g></g>
    """
    if node.name == "text":
        return _text(node)
    parts = _grouped(_dissolved(node.parts))
    inside = "".join(written(part) for part in parts)
    return Html(f"<{node.name}{_said(node.attributes)}{f'>{inside}</{node.name}>' if inside else '/>'}")


def _dissolved(parts: Iterable[Node | str]) -> Iterator[Node]:
    for part in parts:
        if isinstance(part, Node):
            yield from _dissolved(part.parts) if part.name == "g" and not part.attributes else [part]


def _grouped(parts: Iterable[Node]) -> Iterator[Node]:
    for look, group in itertools.groupby(parts, _shared):
        alike = list(group)
        if look and len(alike) > 1:
            shapes = [
                Node(one.name, {key: one.attributes[key] for key in one.attributes if key in OWN}, one.parts) for one in alike
            ]
            yield Node("g", dict(look), [*shapes])
        else:
            yield from alike


def _shared(node: Node) -> tuple[tuple[str, str], ...]:
    """What a group may say for its neighbours and itself; empty where nothing may be shared."""
    if node.name not in SHAPES or ALONE & {*node.attributes}:
        return ()
    return tuple(sorted((key, value) for key, value in node.attributes.items() if key not in OWN))


def _text(node: Node) -> Html:
    """Words. Neighbours that look the same become one run, which lists where each of its characters stands.

    Spaces have no place of their own, because a browser drops some of them and would count differently.

    Example:
        >>> print(_text(Node("text", {}, [Node("tspan", {"x": "0"}, ["1"]), "  ", Node("tspan", {"x": "5"}, ["<"])])))
        <text><tspan x="0 5">1&lt;</tspan></text>
    """
    runs: list[tuple[dict[str, str], list[str], str]] = []
    for look, characters in _runs(node.parts):
        place = [look.pop("x")] if "x" in look else []
        if characters.isspace():
            runs.append(({}, [], " "))
        elif runs and runs[-1][0] == look and place and runs[-1][1] and len(characters) == 1:
            runs[-1] = look, runs[-1][1] + place, runs[-1][2] + characters
        else:
            runs.append((look, place, characters))
    inside = "".join(_run(look | ({"x": " ".join(places)} if places else {}), words) for look, places, words in runs)
    return Html(f"<text{_said(_look(node.attributes))}>{inside}</text>")


def _runs(parts: Sequence[Node | str]) -> Iterator[tuple[dict[str, str], str]]:
    """Look and characters of the parts of a text; between parts stand only spaces of the file, which show nothing."""
    for part in parts:
        if isinstance(part, Node):
            yield _look(part.attributes), "".join(str(one) for one in part.parts)
        elif not part.isspace():
            yield {}, part


def _run(look: Mapping[str, str], characters: str) -> str:
    return f"<tspan{_said(look)}>{escaped(characters)}</tspan>" if look else escaped(characters)


def _look(given: Mapping[str, str]) -> dict[str, str]:
    """What has to be said of words. The page chooses one font for all figures; figures count in its units."""
    found = {key: value.removesuffix("px") for key, value in given.items() if key != "font-family"}
    found["transform"] = NO_TURN.sub("", found.get("transform", "")).strip()
    return {key: value for key, value in found.items() if UNSAID.get(key) != value}


def _said(attributes: Mapping[str, str]) -> str:
    return "".join(f' {key}="{escaped(value)}"' for key, value in attributes.items())
