"""The card of a claim: what its file ``claim.py`` says at its top, read without importing anything.

The docstring of that file is the card. The first line is the title; the fields follow, each at the start of a line:

    Statement: ...        with the theorem as a formula between two lines `$$`, or on one line `$$ ... $$`
    Hypotheses: ...; ...  separated by semicolons
    Source: authors, “title”, identifier, locator
    Refuted by: ...
    Cost: ...

A field ends at the next field or at an empty line; a statement goes on until the next field. What follows the last field is for
readers: derivations, tables, corrections. What a program needs to know stands in the call ``CLAIM = claim(...)``.
"""

import ast
import dataclasses
import functools
import inspect
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from depthjax.located import spec_of

FIELDS = ("Statement", "Hypotheses", "Source", "Refuted by", "Cost")
FIELD = re.compile(rf"^({'|'.join(FIELDS)}):", re.MULTILINE)
MOST = 2**22  # bytes of a claim's file
SLUG = re.compile(r"[a-z][a-z0-9_]{0,99}")  # the name of a claim
FORMULA = re.compile(r"\$\$(.*?)\$\$", re.DOTALL)
SOURCE = re.compile(r"(?P<authors>[^“]*), “(?P<title>[^”]*)”(?:, (?P<identifier>[^,]*))?(?:, (?P<locator>.*))?")


class CardError(TypeError):
    """A card that lacks a part or cannot be read; names the file, the part and what to write."""


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a statement comes from.

    Attributes:
        authors: Names as the paper gives them, shortened to the usual form; "this project" where it states the theorem first.
        title: Title of the paper.
        identifier: arXiv number or the like, empty where there is none.
        locator: Theorem and version, such as "Corollary 3.6 (v1)".

    >>> Source("A. Author", "On Depth", "arXiv 0000.00000", "Theorem 1").cite()
    'A. Author, “On Depth”, arXiv 0000.00000, Theorem 1'
    """

    authors: str
    title: str = ""
    identifier: str = ""
    locator: str = ""

    def cite(self) -> str:
        """Return one line that finds the statement again."""
        parts = (self.authors, f"“{self.title}”" if self.title else "", self.identifier, self.locator)
        return ", ".join(part for part in parts if part)

    @classmethod
    def read(cls, text: str) -> "Source":
        """Return the source that a line cites; a line without a quoted title names authors only."""
        found = SOURCE.fullmatch(text)
        return cls(text) if found is None else cls(**{name: part or "" for name, part in found.groupdict().items()})


@dataclasses.dataclass(frozen=True)
class Card:
    """What a claim says of itself.

    Attributes:
        slug: Name of the file, and of the claim everywhere.
        title: The first line, without its full stop.
        statement: The theorem in words.
        latex: The theorem as a formula.
        assumes: Its hypotheses, one sentence each.
        source: Where the statement is from.
        refuted_by: The observation that would refute it.
        cost: How long each size takes, and on what.
        relation: Name of the `Relation` between measured and predicted, such as "ORDER".
        options: The other arguments of ``claim(...)``, such as ``needs_float64``.
        headline: The measured quantity that the title speaks of, ``HEADLINE = "depth"``; empty where the claim names none.
    """

    slug: str
    title: str
    statement: str
    latex: str
    assumes: tuple[str, ...]
    source: Source
    refuted_by: str
    cost: str
    relation: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    headline: str = ""


def read_card(module: str) -> Card:
    """Return the card of a claim's module; neither it nor the packages around it are imported.

    Args:
        module: The room of the claim, a package with the file ``claim.py``.

    Raises:
        CardError: the module has no file, or its card lacks a part.
    """
    file = claim_file(module)
    if file is None:
        raise CardError(f"{module} has no file: a claim is a folder with claim.py and measure.py")
    try:
        state = file.stat()
    except OSError as error:
        raise CardError(f"{file} cannot be read: {error.strerror}") from None
    return _read_card(file, module.rpartition(".")[2], (state.st_mtime_ns, state.st_size))


@functools.cache
def _read_card(file: Path, slug: str, state: tuple[int, int]) -> Card:
    """The card in a file, which is read again when it has changed."""
    return parse_card(_text(file), slug, str(file))


def claim_file(module: str) -> Path | None:
    """Return the file with a claim's card: ``claim.py`` in its room; of a module that is no room its own; None if neither."""
    for name in (f"{module}.claim", module):
        spec = spec_of(name)
        if spec is not None and spec.origin is not None:
            return Path(spec.origin)
    return None


def is_room(module: str) -> bool:
    """Whether a module is the room of a claim: a package with the file ``claim.py``."""
    return spec_of(f"{module}.claim") is not None


def room_of(module: str) -> Path:
    """Return the folder of a claim.

    Raises:
        CardError: the module is no room; says what to do.
    """
    file = claim_file(module)
    if file is None:
        raise CardError(f"there is no module {module!r}: a claim is a folder with claim.py and measure.py")
    if not is_room(module):
        raise alone(file)
    return file.parent


def alone(file: Path) -> CardError:
    """Return the error of a claim that is one file, as claims were once."""
    return CardError(
        f"{file} is one file, and a claim is a folder, {file.stem}, with claim.py, which predicts, and measure.py, which "
        f"measures: `depthjax new {file.stem}` writes both to start from"
    )


def parse_card(text: str, slug: str, file: str) -> Card:
    """Return the card in the text of a module.

    Raises:
        CardError: names every part that is missing.
    """
    tree = _tree(text, file)
    relation, options = _call(tree, file)
    docstring = inspect.cleandoc(ast.get_docstring(tree) or "")
    title, _, rest = docstring.partition("\n")
    parts = _fields(rest)
    formula = FORMULA.search(parts.get("Statement", ""))
    missing = [f"{name}:" for name in FIELDS if not parts.get(name)]
    missing += [] if formula or "Statement" not in parts else ["a formula $$ ... $$ in its statement"]
    missing += [] if title.strip() else ["a title in its first line"]
    if missing:
        raise CardError(f"{file}: the card in its docstring lacks {', '.join(missing)}; depthjax/card.py shows the form")
    assert formula is not None
    return Card(
        slug=slug,
        title=title.strip().rstrip("."),
        statement=_line(FORMULA.sub(" ", parts["Statement"])),
        latex=_line(formula[1]),
        assumes=tuple(part for text in parts["Hypotheses"].split(";") if (part := _line(text).rstrip(".")) not in ("", "none")),
        source=Source.read(_line(parts["Source"]).rstrip(".")),
        refuted_by=_line(parts["Refuted by"]).rstrip("."),
        cost=_line(parts["Cost"]).rstrip("."),
        relation=relation,
        options=options,
        headline=_headline(tree, file),
    )


def check_parts(file: Path) -> None:
    """Check that a room has the card and the parts of a claim, without running it; `Experiment.of` checks what they are.

    Args:
        file: ``claim.py`` in the room.

    Raises:
        CardError: a file cannot be read, or names every part that is missing.
    """
    beside = file.with_name("measure.py")
    parse_card(_text(file), file.parent.name, str(file))
    if file.name != "claim.py":
        raise alone(file)
    if not beside.is_file():
        raise CardError(f"{file.parent} lacks measure.py: write it beside claim.py, with def measure(cell, key) -> dataset")
    _check_defined(file, ["GRIDS", "predict"], ["CONTROLS", "RIVALS"])
    _check_defined(beside, ["measure"])


def defined(file: Path) -> set[str]:
    """Return the names that a file defines at its top level, "*" for names that nobody can know.

    Raises:
        CardError: the file cannot be read.
    """
    return set(_defined(_tree(_text(file), str(file)).body))


def _check_defined(file: Path, names: Sequence[str], any_of: Sequence[str] = ()) -> None:
    there = defined(file)
    missing = [] if "*" in there else [name for name in names if name not in there]
    missing += [] if not any_of or there & {"*", *any_of} else [" or ".join(any_of)]
    if missing:
        raise CardError(f"{file} is not a claim: it lacks {', '.join(missing)}; `depthjax new my_claim` writes every part")


def literal(file: Path, name: str, default: Any) -> Any:
    """Return the value that a file gives a name at its top level, read without running the file; the default if it does not.

    Raises:
        CardError: the file cannot be read, or computes the value.
    """
    return _literal(_tree(_text(file), str(file)), str(file), name, default)


def _headline(tree: ast.Module, file: str) -> str:
    named = _literal(tree, file, "HEADLINE", "")
    if not isinstance(named, str):
        raise CardError(
            f'{file}: HEADLINE = {named!r}: write the name of the quantity that the title speaks of, such as "depth"'
        )
    return named


def _literal(tree: ast.Module, file: str, name: str, default: Any) -> Any:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            try:
                return ast.literal_eval(node.value)  # type: ignore[attr-defined]
            except (ValueError, TypeError):
                raise CardError(f"{file}: {name} is read without running the file: write its value out") from None
    return default


def _text(file: Path) -> str:
    try:
        if not file.is_file():  # nobody knows when the text of a pipe or a device ends
            raise CardError(f"{file} is no ordinary file")
        with open(file, "rb") as stream:
            content = stream.read(MOST + 1)
        if len(content) > MOST:
            raise CardError(f"{file} has more than {MOST} bytes, and a claim has some thousands")
        return content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CardError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _tree(text: str, file: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise CardError(f"{file} is not Python: {error.msg} in line {error.lineno}") from None
    except ValueError as error:
        raise CardError(f"{file} is not Python: {error}") from None


def _defined(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that statements define in their module, "*" for names that nobody can know."""
    for node in statements:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
        else:
            yield from _defined([child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)])


def _fields(text: str) -> dict[str, str]:
    """The text of each field."""
    starts = list(FIELD.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    found = {}
    for start, end in zip(starts, ends, strict=True):
        content = text[start.end() : end]
        found[start[1]] = content if start[1] == "Statement" else content.partition("\n\n")[0]
    return found


def _call(tree: ast.Module, file: str) -> tuple[str, dict[str, Any]]:
    """The relation and the other literal arguments of ``CLAIM = claim(Relation.X, ...)``."""
    calls = [node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CLAIM"]
    if len(calls) != 1 or not isinstance(calls[0], ast.Call) or not calls[0].args:
        raise CardError(f"{file}: expected one line CLAIM = claim(Relation.X, ...) at its top level")
    relation = ast.unparse(calls[0].args[0])
    try:
        return relation.rpartition(".")[2], {word.arg or "": ast.literal_eval(word.value) for word in calls[0].keywords}
    except ValueError:
        raise CardError(f"{file}: the options of claim(...) are read without running the file: write True or False") from None


def _line(text: str) -> str:
    return " ".join(text.split())
