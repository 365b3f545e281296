"""Figures and formulas as parts of a page, rebuilt from a list of allowed elements so that nothing in them can run.

Anybody may have written the files of a run directory. A figure with a script, a handler, a link or an address is refused as a
whole, with the reason. So is a figure that grows when it is drawn (entities, or copies of copies).
"""

import html
import re
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element
from xml.parsers import expat

import latex2mathml.converter

from depthjax.report.markup import Html, escaped

MAX_BYTES, MAX_PARTS, MAX_DEPTH, MAX_FORMULA = 20 * 2**20, 200_000, 64, 10_000
SVG = "http://www.w3.org/2000/svg"


class NotInert(ValueError):
    """A figure or a formula that holds an element which no page may show."""


Rule = re.Pattern[str]


def _rules(*rules: tuple[str, str]) -> dict[str, Rule]:
    return {name: re.compile(pattern) for names, pattern in rules for name in names.split()}


_NUMBER = r"[-+]?[\d.]+(?:[eE][-+]?\d+)?"
_FRACTION = re.compile(r"-?\d*\.\d{3,}(?![\d.eE])")  # digits that no screen shows
_DIGITS = {"d": 2, "x": 2, "y": 2, "width": 2, "height": 2, "transform": 5, "patternTransform": 5}
_LENGTH, _NUMBERS = rf"{_NUMBER}(?:pt|px|%)?", r"[-+\d.eE,\s]*"
_TURNS = r"(?:(?:matrix|translate|scale|rotate|skewX|skewY)\([-+\d.eE,\s]*\)\s*)*"
_PLACE = r"url\(#(?P<id>[\w.:-]+)\)"
_LOOK = _rules(
    ("fill stroke", rf"none|#[0-9a-fA-F]{{3,8}}|[a-zA-Z]{{1,24}}|{_PLACE}"),
    ("stroke-width stroke-dashoffset stroke-miterlimit", _LENGTH),
    ("opacity fill-opacity stroke-opacity", _NUMBER),
    ("stroke-dasharray", rf"none|{_NUMBERS}"),
    ("stroke-linejoin stroke-linecap fill-rule clip-rule image-rendering", r"[a-z-]{1,24}"),
)
_SHAPE = _LOOK | _rules(
    ("id", r"[\w.:-]{1,200}"),
    ("x y width height rx ry", _LENGTH),
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
_FIGURE = _LEAVES | {"svg", "g", "defs", "clipPath", "pattern"}
_LEFT_OUT = frozenset({"metadata", "style", "title"})  # the page has its own title and style
_SEALED = frozenset({"clipPath", "pattern"})  # what is inside refers to nothing: no copies of copies


def figure(source: bytes, prefix: str, colours: Mapping[str, str]) -> Html:
    """An SVG figure as part of a page.

    Args:
        source: Content of the file: XML as matplotlib writes it, with texts as paths.
        prefix: Prefix of every id, so that the ids of two figures on a page differ. The ids are numbered behind it.
        colours: Fills and strokes to replace: ``fill #ffffff`` -> ``none``, or ``#000000`` -> ``currentColor`` for both.

    Raises:
        NotInert: it is no such figure, or holds more than shapes; names what.
    """
    if len(source) > MAX_BYTES:
        raise NotInert(f"it has {len(source)} bytes, more than {MAX_BYTES}")
    return _Figure(prefix, colours).read(source)


class _Figure:
    """Takes a figure apart and writes down what is allowed of it."""

    def __init__(self, prefix: str, colours: Mapping[str, str]):
        self.prefix, self.colours = prefix, colours
        self.out: list[str] = []
        self.open: list[str] = []
        self.paths: set[str] = set()  # ids that may be copied
        self.names: dict[str, str] = {}  # the ids of the file, and those of the page
        self.left_out, self.parts = 0, 0

    def read(self, source: bytes) -> Html:
        parser = expat.ParserCreate("utf-8", " ")  # whatever the file says of itself
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = parser.SkippedEntityHandler = parser.ExternalEntityRefHandler = self._entity
        try:
            parser.Parse(source, True)
        except expat.ExpatError as error:
            raise NotInert(f"it is not XML: {error}") from None
        return Html("".join(self.out))

    def _doctype(self, name: str, system: str | None, public: str | None, inside: int) -> None:
        if inside or name != "svg":
            raise NotInert("it declares a document type of its own")

    def _entity(self, *_: Any) -> Any:
        raise NotInert("it uses entities")

    def _start(self, full: str, attributes: dict[str, str]) -> None:
        space, _, name = full.rpartition(" ")
        self.parts += 1
        if self.parts > MAX_PARTS or len(self.open) + self.left_out >= MAX_DEPTH:
            raise NotInert(f"it has more than {MAX_PARTS} parts, or more than {MAX_DEPTH} of them inside each other")
        if self.left_out or (space == SVG and name in _LEFT_OUT):
            self.left_out += 1
            return
        if space != SVG or name not in _FIGURE:
            raise NotInert(f"it holds a <{name[:40]}>, which figures do not have")
        if (name == "svg") != (not self.open) or (self.open and self.open[-1] in _LEAVES):
            raise NotInert(f"its <{name}> is not in its place")
        allowed = "".join(f' {key}="{escaped(value)}"' for key, value in self._attributes(name, attributes).items())
        self.out.append(f"<{name}{allowed}{'/' if name in _LEAVES else ''}>")
        self.open.append(name)

    def _end(self, _: str) -> None:
        if self.left_out:
            self.left_out -= 1
        elif (name := self.open.pop()) not in _LEAVES:
            self.out.append(f"</{name}>")

    def _attributes(self, name: str, given: dict[str, str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for full, value in given.items():
            key = full.rpartition(" ")[2]
            if key == "style" and full == key:
                for line in filter(str.strip, value.split(";")):
                    look, _, amount = (part.strip() for part in line.partition(":"))
                    found[look] = self._value(name, look, amount, _LOOK)
            elif key == "href":
                found[key] = self._reference(name, value)
            elif full != key:
                raise NotInert(f"its <{name}> has the attribute {key[:40]!r} of another language")
            elif key == "type" and name == "svg":
                continue
            else:
                found[key] = self._value(name, key, value, _SHAPE)
        if name == "path" and "id" in given:
            self.paths.add(given["id"])
        return found

    def _value(self, name: str, key: str, value: str, rules: Mapping[str, Rule]) -> str:
        rule = rules.get(key)
        found = rule.fullmatch(value) if rule else None
        if found is None:
            raise NotInert(f"its <{name}> says {key[:40]} = {value[:40]!r}, which figures do not say")
        if key == "id":
            return self._id(value)
        if found.groupdict().get("id"):
            self._outside(name)
            return f"url(#{self._id(found['id'])})"
        if key in _DIGITS:
            return _FRACTION.sub(lambda given: f"{round(float(given[0]), _DIGITS[key]):g}", value)
        return self.colours.get(f"{key} {value}") or (self.colours.get(value, value) if key in ("fill", "stroke") else value)

    def _reference(self, name: str, value: str) -> str:
        self._outside(name)
        if name == "image" and _PICTURE.fullmatch(value):
            return value
        found = _COPY.fullmatch(value) if name == "use" else None
        # a copy of a path is one path; copies of copies would double with every line of the file
        if found is None or found["id"] not in self.paths:
            raise NotInert(f"its <{name}> refers to {value[:40]!r}, and figures copy only paths of their own, drawn before")
        return f"#{self._id(found['id'])}"

    def _id(self, name: str) -> str:
        return self.names.setdefault(name, f"{self.prefix}-{len(self.names)}")

    def _outside(self, name: str) -> None:
        if _SEALED & {*self.open}:
            raise NotInert(f"its <{name}> refers to something from inside a <{next(iter(_SEALED & {*self.open}))}>")


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
    return Html(_math(latex2mathml.converter.convert_to_element(latex, display="block")))


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
