"""A registered bound as a command line: its arguments follow from the signature, its help and example from the docstring."""

import ast
import collections.abc
import dataclasses
import inspect
import re
import shlex
import types
import typing
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from tyro.constructors import PrimitiveConstructorSpec

if TYPE_CHECKING:
    from theory.registry import Entry

HEADINGS = ("Args", "Returns", "Raises", "Reference")


def question(entry: "Entry", base: type) -> type:
    """Return a dataclass whose fields are the parameters of a bound's function, each with its help, its type and its default.

    Raises:
        TypeError: No rule reads the type of a parameter from text.
    """
    helps, fields = _arguments(entry.docstring), []
    for number, parameter in enumerate(entry.signature.parameters.values()):
        default = entry.usual.get(parameter.name, parameter.default)
        required = default is inspect.Parameter.empty
        text, left_open = re.subn(r"; None leaves [\w ]+ open", "", helps.get(parameter.name, ""))
        about: dict[str, Any] = {"help": text}
        if default is None:
            about["help_behavior_hint"] = "(needed for a value)" if left_open else "(optional)"
        kind: Any = reading(parameter.annotation)
        if entry.subject and number == 0:
            kind, about["metavar"] = Annotated[kind, tyro.conf.Positional], entry.subject
        elif parameter.name.endswith("_"):  # a word that Python keeps for itself, such as class
            about["name"] = parameter.name.rstrip("_")
        kind = Annotated[kind, tyro.conf.arg(**about)]
        fields.append((parameter.name, kind) if required else (parameter.name, kind, default))
    name = entry.function.__name__.title().replace("_", "")
    made = dataclasses.make_dataclass(name, fields, bases=(base,), frozen=True, kw_only=True, namespace={"entry": entry})
    made.__doc__ = entry.docstring
    return made


def reading(annotation: Any) -> Any:
    """Return how tyro reads a parameter of this type; of a union, the first kind below that text can stand for.

    Truth values are flags, and choices are listed. A number is a decimal number or a fraction such as 1/3. A group, an
    automaton, an algebra or a formula is read by its name, so its type contains `str`.

    Raises:
        TypeError: No rule reads this type.
    """
    union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    kinds = typing.get_args(annotation) if union else (annotation,)
    for kind in kinds:
        if kind is bool or typing.get_origin(kind) is typing.Literal:
            return kind
    for simple, metavar, read in ((float, "NUMBER", _number), (int, "INT", _integer), (str, "TEXT", str)):
        if simple in kinds:
            return _read_by(metavar, read)
    for kind in kinds:
        if typing.get_origin(kind) is collections.abc.Sequence:
            return tuple[reading(typing.get_args(kind)[0]), ...]
    raise TypeError(
        f"a parameter of the type {annotation} cannot be read from the command line; add a rule to `reading` in {__file__}, or "
        "give the parameter a type that has one"
    )


def summary(entry: "Entry") -> str:
    """Return the first sentence of the docstring, which says what the bound is."""
    return _paragraphs(entry)[0]


def description(entry: "Entry") -> str:
    """Return the docstring up to its sections and doctests as plain paragraphs, and an example."""
    return "\n\n".join([*_paragraphs(entry), f"Example: {example(entry)}"])


def example(entry: "Entry") -> str:
    """Return the first call in the doctests as a line for the shell.

    Raises:
        ValueError: No doctest calls the function with literal arguments.
    """
    import doctest  # the debugger comes with it, and an answer needs no example

    for shown in doctest.DocTestParser().get_examples(entry.docstring):
        for node in ast.walk(ast.parse(shown.source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == entry.function.__name__:
                try:
                    values = [_literal(value) for value in node.args]
                    named = {str(word.arg): _literal(word.value) for word in node.keywords}
                except ValueError:
                    continue
                return shlex.join(["depthjax", "bound", entry.name, *_words(entry, values, named)])
    raise ValueError(f"{entry.place}: no doctest calls {entry.function.__name__} with literal arguments; add one as an example")


def _paragraphs(entry: "Entry") -> list[str]:
    """Return the paragraphs of the docstring before its sections, as sentences that stand for themselves."""
    first, *others = _sections(entry.docstring)[""].split("\n\n")
    first = _plain(first).removeprefix("Return ")
    return [first[0].upper() + first[1:], *(part if part.startswith(" ") else _plain(part) for part in others)]


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Tuple, ast.List)):
        return [_literal(entry) for entry in node.elts]
    raise ValueError(f"{ast.unparse(node)} is no literal")


def _words(entry: "Entry", values: list[Any], named: dict[str, Any]) -> list[str]:
    words = []
    for number, (name, value) in enumerate(entry.signature.bind(*values, **named).arguments.items()):
        flag = [] if entry.subject and number == 0 else [f"--{name.rstrip('_').replace('_', '-')}"]
        if value is not False:
            words += flag if value is True else [*flag, *map(str, value if isinstance(value, list) else [value])]
    return words


def _read_by(metavar: str, read: Callable[[str], Any]) -> Any:
    spec: PrimitiveConstructorSpec[Any] = PrimitiveConstructorSpec(
        nargs=1,
        metavar=metavar,
        instance_from_str=lambda words: read(words[0]),
        is_instance=lambda value: True,
        str_from_instance=lambda value: [str(value)],
    )
    return Annotated[object, spec]  # for `Any` tyro would load typeguard, which takes longer than the answer of a bound


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"expected an integer, got {text!r}") from None


def _number(text: str) -> float | Fraction:
    try:
        return Fraction(text) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"expected a number such as 0.25 or 1/4, got {text!r}") from None


def _sections(docstring: str) -> dict[str, str]:
    """Return the text of each section of a docstring by its heading; "" is the text before the first one, without doctests."""
    parts = re.split(rf"^({'|'.join(HEADINGS)}):$", docstring.partition("\n>>> ")[0], flags=re.MULTILINE)
    return {"": parts[0].strip("\n")} | dict(zip(parts[1::2], parts[2::2], strict=True))


def _arguments(docstring: str) -> dict[str, str]:
    """Return the help of each argument by its name."""
    found = re.findall(r"^    (\w+): (.*?)(?=^    \w|\Z)", _sections(docstring).get("Args", ""), flags=re.MULTILINE | re.DOTALL)
    return {name: _plain(text) for name, text in found}


def _plain(text: str) -> str:
    """Return a paragraph on one line, without the marks of code."""
    return " ".join(text.replace("`", "").split())
