"""Figures and formulas as parts of a page, rebuilt from a list of allowed elements so that nothing in them can run.

Anybody may have written the files of a run directory. A figure with a script, a handler, a link or an address is refused as a
whole, with the reason. So is a figure that grows when it is drawn (entities, or copies of copies).
"""

import html
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element
from xml.parsers import expat

import latex2mathml.converter

from depthjax.report.drawing import Node, written
from depthjax.report.fences import plain_fences
from depthjax.report.markup import Html, escaped, joined

MAX_BYTES, MAX_PARTS, MAX_DEPTH, MAX_FORMULA, MAX_CAPTION = 20 * 2**20, 200_000, 64, 10_000, 10_000
SVG = "http://www.w3.org/2000/svg"


class NotInert(ValueError):
    """A figure or a formula that holds an element which no page may show."""


Rule = re.Pattern[str]


def _rules(*rules: tuple[str, str]) -> dict[str, Rule]:
    return {name: re.compile(pattern) for names, pattern in rules for name in names.split()}


_NUMBER = r"[-+]?[\d.]+(?:[eE][-+]?\d+)?"
_FRACTION = re.compile(r"-?\d*\.\d{3,}(?![\d.eE])")  # digits that no screen shows
_DIGITS = {"d": 2, "x": 2, "y": 2, "width": 2, "height": 2, "transform": 5, "patternTransform": 5}
_LETTER = re.compile(r"\s*([A-DF-Za-df-z])\s*")  # of a path
_LENGTH, _NUMBERS = rf"{_NUMBER}(?:pt|px|%)?", r"[-+\d.eE,\s]*"
_TURNS = r"(?:(?:matrix|translate|scale|rotate|skewX|skewY)\([-+\d.eE,\s]*\)\s*)*"
_PLACE = r"url\(#(?P<id>[\w.:-]+)\)"
_LOOK = _rules(
    ("fill stroke", rf"none|#[0-9a-fA-F]{{3,8}}|[a-zA-Z]{{1,24}}|{_PLACE}"),
    ("stroke-width stroke-dashoffset stroke-miterlimit", _LENGTH),
    ("opacity fill-opacity stroke-opacity", _NUMBER),
    ("stroke-dasharray", rf"none|{_NUMBERS}"),
    ("stroke-linejoin stroke-linecap fill-rule clip-rule image-rendering", r"[a-z-]{1,24}"),
    ("font-size", _LENGTH),
    ("font-family", r"[\w ',-]{1,400}"),
    ("font-style font-weight font-stretch text-anchor", r"[a-z0-9]{1,12}"),
)
_SHAPE = _LOOK | _rules(
    ("id", r"[\w.:-]{1,200}"),
    ("x", rf"{_LENGTH}|{_NUMBER}(?: {_NUMBER})+"),  # of words: where each character stands, as this module writes it
    ("y width height rx ry", _LENGTH),
    ("d", r"[MmLlHhVvCcSsQqTtAaZz\d\s.,eE+-]*"),
    ("transform patternTransform", _TURNS),
    ("clip-path", _PLACE),
    ("viewBox", _NUMBERS),
    ("version", r"[\d.]+"),
    ("patternUnits clipPathUnits preserveAspectRatio", r"[A-Za-z ]+"),
)
_COPY = re.compile(r"#(?P<id>[\w.:-]+)")
_PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]*")
_LEAVES = frozenset({"path", "use", "rect", "image"})
_FIGURE = _LEAVES | {"svg", "g", "defs", "clipPath", "pattern", "text", "tspan"}
_CLOSED = _LEAVES | {"tspan"}  # nothing stands inside
_LEFT_OUT = frozenset({"metadata", "style", "title", "desc"})  # the page has its own title and style, and takes the words
_SEALED = frozenset({"clipPath", "pattern"})  # what is inside refers to nothing: no copies of copies


class Drawn(NamedTuple):
    """A figure, taken apart: its shapes for a page, and the words of its description, a paragraph a line."""

    shapes: Html
    caption: str


def figure(source: bytes, prefix: str, colours: Mapping[str, str]) -> Drawn:
    """An SVG figure as part of a page, and its caption.

    Args:
        source: Content of the file: XML as matplotlib writes it.
        prefix: Prefix of every id, so that the ids of two figures on a page differ. The ids are numbered behind it, and those
            that nothing refers to are left out.
        colours: Fills and strokes to replace: ``fill #ffffff`` -> ``none``, or ``#000000`` -> ``currentColor`` for both.

    Raises:
        NotInert: it is no such figure, or holds more than shapes; names what.
    """
    if len(source) > MAX_BYTES:
        raise NotInert(f"it has {len(source)} bytes, more than {MAX_BYTES}")
    return _Figure(prefix, colours).read(source)


class _Figure:
    """Takes a figure apart and keeps what is allowed of it."""

    def __init__(self, prefix: str, colours: Mapping[str, str]):
        self.prefix, self.colours = prefix, colours
        self.whole = Node("figure", {})
        self.open: list[Node] = [self.whole]
        self.paths: dict[str, dict[str, str]] = {}  # those that may be copied, by id
        self.styles: dict[str, dict[str, str]] = {}
        self.named: list[tuple[Node, str]] = []  # ids of the file
        self.names: dict[str, str] = {}  # those that something refers to, and their names on the page
        self.left_out, self.parts = 0, 0
        self.caption, self.described = "", False  # whether its description is being read

    def read(self, source: bytes) -> Drawn:
        parser = expat.ParserCreate("utf-8", " ")  # whatever the file says of itself
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = parser.SkippedEntityHandler = parser.ExternalEntityRefHandler = self._entity
        try:
            parser.Parse(source, True)
        except expat.ExpatError as error:
            raise NotInert(f"it is not XML: {error}") from None
        for node, name in self.named:
            if name in self.names:
                node.attributes["id"] = self.names[name]
        shapes = joined(written(part) for part in self.whole.parts if isinstance(part, Node))
        lines = (" ".join(line.split()) for line in self.caption.splitlines())
        return Drawn(shapes, "\n".join(filter(None, lines)))

    def _doctype(self, name: str, system: str | None, public: str | None, inside: int) -> None:
        if inside or name != "svg":
            raise NotInert("it declares a document type of its own")

    def _entity(self, *_: Any) -> Any:
        raise NotInert("it uses entities")

    def _start(self, full: str, attributes: dict[str, str]) -> None:
        space, _, name = full.rpartition(" ")
        self.parts += 1
        if self.parts > MAX_PARTS or len(self.open) + self.left_out > MAX_DEPTH:
            raise NotInert(f"it has more than {MAX_PARTS} parts, or more than {MAX_DEPTH} of them inside each other")
        if self.left_out or (space == SVG and name in _LEFT_OUT):
            self.described = self.described or (name == "desc" and not self.left_out and self.open[-1].name == "svg")
            self.left_out += 1
            return
        if space != SVG or name not in _FIGURE:
            raise NotInert(f"it holds a <{name[:40]}>, which figures do not have")
        inside = self.open[-1].name
        if inside in _CLOSED or (name == "svg") != (inside == "figure") or (name == "tspan") != (inside == "text"):
            raise NotInert(f"its <{name}> is not in its place")
        node = Node(name, self._attributes(name, attributes))
        if "id" in attributes:
            self.named.append((node, attributes["id"]))
        self.open[-1].parts.append(node)
        self.open.append(node)

    def _characters(self, characters: str) -> None:
        if self.open[-1].name in ("text", "tspan") and not self.left_out:
            self.open[-1].parts.append(characters)
        elif self.described and self.left_out == 1:
            self.caption += characters
            if len(self.caption) > MAX_CAPTION:
                raise NotInert(f"its description has more than {MAX_CAPTION} characters")

    def _end(self, _: str) -> None:
        if self.left_out:
            self.left_out -= 1
            self.described = self.described and self.left_out > 0
        else:
            self.open.pop()

    def _attributes(self, name: str, given: dict[str, str]) -> dict[str, str]:
        found: dict[str, str] = {}
        copied: frozenset[str] = frozenset()  # what a path says of itself counts, whatever its copies say
        for full, value in given.items():
            key = full.rpartition(" ")[2]
            if key == "style" and full == key:
                found |= self._style(name, value)
            elif key == "href":
                found[key], copied = self._reference(name, value)
            elif full != key:
                raise NotInert(f"its <{name}> has the attribute {key[:40]!r} of another language")
            elif key == "type" and name == "svg":
                continue
            elif shown := self._value(name, key, value, _SHAPE):
                found[key] = shown
        if name == "path" and "id" in given:
            self.paths[given["id"]] = found
        return {key: value for key, value in found.items() if key not in copied} if copied else found

    def _style(self, name: str, style: str) -> dict[str, str]:
        """What a style says. Most styles of a figure return many times."""
        if style not in self.styles:
            said = (line.partition(":") for line in style.split(";") if line.strip())
            looks = {look.strip(): self._value(name, look.strip(), value.strip(), _LOOK) for look, _, value in said}
            if "url(" in style:
                return looks  # whether it may refer to something depends on where it stands
            self.styles[style] = looks
        return self.styles[style]

    def _value(self, name: str, key: str, value: str, rules: Mapping[str, Rule]) -> str:
        rule = rules.get(key)
        found = rule.fullmatch(value) if rule else None
        if found is None:
            raise NotInert(f"its <{name}> says {key[:40]} = {value[:40]!r}, which figures do not say")
        if key == "id":
            return ""  # written when all references are known
        if found.lastgroup == "id":
            self._outside(name)
            return f"url(#{self._id(found['id'])})"
        if key in _DIGITS and "." in value:
            digits = _DIGITS[key]
            value = _FRACTION.sub(lambda given: f"{round(float(given[0]), digits):.7g}", value)
        if key == "d":
            return " ".join(_LETTER.sub(r"\1", value).split())
        return self.colours.get(f"{key} {value}") or (self.colours.get(value, value) if key in ("fill", "stroke") else value)

    def _reference(self, name: str, value: str) -> tuple[str, frozenset[str]]:
        """What is referred to, and what it says of its own look."""
        self._outside(name)
        if name == "image" and _PICTURE.fullmatch(value):
            return value, frozenset()
        found = _COPY.fullmatch(value) if name == "use" else None
        # a copy of a path is one path; copies of copies would double with every line of the file
        if found is None or found["id"] not in self.paths:
            raise NotInert(f"its <{name}> refers to {value[:40]!r}, and figures copy only paths of their own, drawn before")
        return f"#{self._id(found['id'])}", frozenset(self.paths[found["id"]]) & {*_LOOK}

    def _id(self, name: str) -> str:
        return self.names.setdefault(name, f"{self.prefix}-{len(self.names)}")

    def _outside(self, name: str) -> None:
        if sealed := _SEALED & {node.name for node in self.open}:
            raise NotInert(f"its <{name}> refers to something from inside a <{next(iter(sealed))}>")


_MATH = frozenset(
    "math mrow mi mo mn mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts mprescripts "
    "none mtable mtr mtd mstyle mpadded mphantom menclose".split()
)
_SAID = (
    "display displaystyle scriptlevel mathvariant stretchy fence form separator symmetric largeop movablelimits lspace rspace "
    "width height depth voffset minsize maxsize linethickness accent accentunder columnalign columnlines columnspacing "
    "linebreak rowlines rowspacing rowalign mathcolor mathbackground mathsize notation"
)
_SAYING = _rules((_SAID, r"[\w.%+# -]{0,60}"))
_MACRO = re.compile(r"\\(?:(?:re|provide)?newcommand|providecommand|[gex]?def|let)(?![A-Za-z])")


def formula(latex: str) -> Html:
    """A LaTeX formula as MathML.

    Raises:
        NotInert: it defines commands, is too long, or becomes more than mathematics.
        Exception: the converter raises many kinds where it does not understand a formula.
    """
    if len(latex) > MAX_FORMULA or _MACRO.search(latex):
        raise NotInert(f"the formula has more than {MAX_FORMULA} characters, or defines commands")
    # the converter's own text form undoes the escaping of what it typesets
    return Html(_math(latex2mathml.converter.convert_to_element(plain_fences(latex), display="block")))


def _math(element: Element) -> str:
    said = {key: value for key, value in element.attrib.items() if key != "xmlns"}
    wrong = [key for key, value in said.items() if key not in _SAYING or not _SAYING[key].fullmatch(value)]
    if element.tag not in _MATH or wrong:
        raise NotInert(f"the formula becomes <{element.tag} {' '.join(wrong)}>, which is not mathematics")
    attributes = "".join(f' {key}="{escaped(value)}"' for key, value in said.items())
    inside = _shown(element.text) + "".join(_math(part) + _shown(part.tail) for part in element)
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>"


def _shown(text: str | None) -> str:
    return escaped(html.unescape(text or ""))  # the converter writes its symbols as entities
