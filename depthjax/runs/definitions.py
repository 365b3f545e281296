"""The definitions of a file, and what each of them names: read from its syntax tree, without running anything.

A function, a class or an assignment is a definition. Comments, docstrings and blocks under ``TYPE_CHECKING`` are none, and
annotations name nothing. What only refuses a call, the decorator `depthjax.refusal.refusing`, is no part of the function.
"""

import ast
import functools
import symtable
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from depthjax.located import spec_of

OWN = ("depthjax", "theory", "experiments")  # packages that are followed from every file, beside the file's own
REFUSING = "depthjax.refusal", "refusing"  # a decorator that cannot change what a function gives
LOADED = "(when it is loaded)"  # stands for what runs whenever a file is loaded
Chain = tuple[str, ...]  # a dotted name


@dataclass
class Definitions:
    """What a file defines.

    Attributes:
        package: That relative imports start from.
        own: Top packages whose imports are followed.
        statements: By the name that they bind, or `LOADED`.
        imports: What each imported name stands for: a module, and a dotted name in it, which is empty for the module itself.
        stars: Modules of which every name is imported.
    """

    package: str
    own: frozenset[str]
    statements: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, tuple[str, Chain]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    def add(self, statement: ast.stmt) -> None:
        """Take a statement of the file's top level."""
        tried = ast.walk(statement) if isinstance(statement, ast.Try | ast.If) else [statement]
        self.imports |= {name: place for node in tried for name, place in self.imported(node).items()}
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            self.stars += [base] if self._follows(base := self._base(statement)) else []
        if isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass):
            return
        for name in _bound(statement) or [owner if (owner := _owner(statement)) in self.statements else LOADED]:
            if name != "__all__":
                self.statements.setdefault(name, []).append(statement)

    def imported(self, node: ast.AST) -> dict[str, tuple[str, Chain]]:
        """What an import binds; nothing for other nodes, and for packages that are not followed."""
        if isinstance(node, ast.ImportFrom):
            base = self._base(node)
            found = {one.asname or one.name: (base, (one.name,)) for one in node.names if one.name != "*"}
        elif isinstance(node, ast.Import):
            tops = {one.asname or one.name.partition(".")[0]: one for one in node.names}
            found = {name: (one.name if one.asname else name, ()) for name, one in tops.items()}
        else:
            return {}
        return {name: place for name, place in found.items() if self._follows(place[0])}

    def named(self, statement: ast.AST) -> tuple[set[Chain], dict[str, tuple[str, Chain]], set[str]]:
        """What a statement names: dotted names, imports of its own, and modules that it imports by a text."""
        nodes = list(ast.walk(statement))
        own = {name: place for node in nodes for name, place in self.imported(node).items()}
        table = symtable.symtable(ast.unparse(statement), "", "exec")
        known = _free(table) | own.keys()
        called = {one for node in nodes if (one := _by_text(node)) and self._follows(one)}
        return {chain for chain in _chains(statement) if chain[0] in known}, own, called

    def _base(self, node: ast.ImportFrom) -> str:
        parts = self.package.split(".")[: len(self.package.split(".")) - node.level + 1] if node.level else []
        return ".".join([*parts, *([node.module] if node.module else [])])

    def _follows(self, module: str) -> bool:
        return module.partition(".")[0] in self.own


@functools.cache
def definitions(module: str) -> Definitions | None:
    """What the file of a module defines, the names of its stub included; None where it has no source."""
    file = file_of(module)
    if file is None or file.suffix != ".py":
        return None
    is_package = file.name == "__init__.py"
    package = module if is_package else module.rpartition(".")[0]
    found = Definitions(package, frozenset({*OWN, module.partition(".")[0]}))
    stub = file.with_suffix(".pyi")  # names that load on demand
    for one in (file, stub) if is_package and stub.is_file() else (file,):
        for statement in _stripped(one).body:
            found.add(statement)
    return found


def told(node: object) -> str:
    """A syntax tree as text, which is the same under every version of Python: fields that hold nothing are left out."""
    if isinstance(node, list):
        return f"[{','.join(map(told, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = (f"{name}={told(value)}" for name, value in ast.iter_fields(node) if value is not None and value != [])
    return f"{type(node).__name__}({','.join(fields)})"


def file_of(module: str) -> Path | None:
    """The file of a module, found without running the packages around it."""
    return _found(module, tuple(sys.path))


def read_again() -> None:
    """Read all files anew from here on; for a process in which they change."""
    definitions.cache_clear()
    _found.cache_clear()


@functools.cache
def _found(module: str, path: Chain) -> Path | None:
    """The file of a module; ``path`` is the search path, which may change."""
    spec = spec_of(module)
    return Path(spec.origin) if spec is not None and spec.origin and Path(spec.origin).is_file() else None


def _stripped(file: Path) -> ast.Module:
    """The tree of a file without docstrings, without what only type checkers read, and without what only refuses calls."""
    tree = ast.parse(file.read_bytes())
    refusing = _refusing(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = [one for one in node.decorator_list if not _calls(one, refusing)]
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not (_is_text(one) or _for_checkers(one))] or [ast.Pass()]  # type: ignore
    return tree


def _refusing(tree: ast.Module) -> set[str]:
    """What a file calls `depthjax.refusal.refusing`."""
    module, name = REFUSING
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == module]
    return {one.asname or one.name for node in imports for one in node.names if one.name == name}


def _calls(node: ast.expr, names: set[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _for_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING") and not node.orelse


def _bound(statement: ast.stmt) -> list[str]:
    """The names that a statement binds, or changes as `name[...] = ...` does."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    table = symtable.symtable(ast.unparse(statement), "", "exec")
    names = [one.get_name() for one in table.get_symbols() if one.is_assigned()]
    for node in ast.walk(statement):
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names += [chain[0] for chain in _chains(node.value)][:1]
    return list(dict.fromkeys(names))


def _owner(statement: ast.stmt) -> str:
    """The name whose method a statement calls, such as `function.defvjp(...)`: it is a part of what it changes."""
    node = statement.value if isinstance(statement, ast.Expr) else None
    while isinstance(node, ast.Call):
        node = node.func
    chains = list(_chains(node)) if isinstance(node, ast.Attribute) else []
    return chains[0][0] if chains else ""


def _free(table: symtable.SymbolTable) -> set[str]:
    """The names that a statement and the functions inside it look up in the file."""
    top = table.get_type() == "module"
    names = {one.get_name() for one in table.get_symbols() if one.is_global() or (top and one.is_referenced())}
    return names.union(*map(_free, table.get_children()))


def _chains(node: ast.AST) -> Iterator[Chain]:
    """The dotted names in a tree, the longest of each; none in annotations."""
    attributes, first = [], node
    while isinstance(first, ast.Attribute):
        attributes.append(first.attr)
        first = first.value
    if isinstance(first, ast.Name):
        yield (first.id, *reversed(attributes))
        return
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.AST):
                    yield from _chains(one)


def _by_text(node: ast.AST) -> str:
    """The module that a call `import_module("...")` imports; empty for other nodes."""
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = next(_chains(node.func), ("",))[-1]
        return str(node.args[0].value) if called == "import_module" else ""
    return ""
