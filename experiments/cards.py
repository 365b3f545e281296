"""What a claim's module says of itself, read from its source: importing them all would load JAX and take seconds."""

import ast
import dataclasses
import importlib
import importlib.util
from pathlib import Path
from typing import Any


@dataclasses.dataclass(frozen=True)
class Card:
    """A line of the catalogue.

    Attributes:
        title: of the claim.
        relation: in words, as `depthjax.verify.Relation` has them.
        source: as `depthjax.verify.Source.cite` prints it.
    """

    title: str
    relation: str
    source: str


def card(module: str) -> Card:
    """The card of a claim's module: from its source if title, relation and source are literals there, else by importing it.

    Raises:
        Exception: whatever importing the module raises, where it has to be imported.
    """
    try:
        return _read(module)
    except (ValueError, LookupError, TypeError, SyntaxError, OSError):
        claim = importlib.import_module(module).CLAIM
        return Card(claim.title, claim.relation.value, claim.source.cite())


def _read(module: str) -> Card:
    claim = _value(module, "CLAIM")
    parts = _arguments(claim, "Claim", ("slug", "title", "statement", "latex", "relation", "source"))
    names = ("authors", "title", "identifier", "locator")
    source, relation = parts["source"], parts["relation"]
    source = _value(module, source.id) if isinstance(source, ast.Name) else source
    cited = {name: ast.literal_eval(node) for name, node in _arguments(source, "Source", names).items()}
    quoted = cited | {"title": f"“{cited['title']}”"}
    if not isinstance(relation, ast.Attribute) or ast.unparse(relation.value) != "Relation":
        raise ValueError("the relation is not a member of Relation")
    return Card(
        title=_text(ast.literal_eval(parts["title"])),
        relation=relation.attr.lower().replace("_", " "),
        source=", ".join(quoted[name] for name in names if quoted.get(name)),
    )


def _value(module: str, name: str) -> ast.expr:
    """What a module's top level assigns to a name, or the module that it imports the name from."""
    found = importlib.util.find_spec(module)
    tree = ast.parse(Path(found.origin if found and found.origin else "").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]:
            return node.value
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    return _value(node.module, alias.name)
    raise LookupError(f"{module} assigns nothing to {name}")


def _arguments(node: ast.AST, function: str, names: tuple[str, ...]) -> dict[str, ast.expr]:
    """The arguments of a call by name; positional ones come in this order."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != function:
        raise ValueError(f"not a call of {function}")
    return dict(zip(names, node.args, strict=False)) | {word.arg: word.value for word in node.keywords if word.arg}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value
