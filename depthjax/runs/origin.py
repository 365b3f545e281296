"""The seal of a claim: one digest over every definition that can influence its predictions and measurements.

From the judged parts of a claim the syntax trees are followed from name to name, through imports, into the files of the project
and of the claim's own package. A function, a class or an assignment counts once something that counts names it. Comments,
docstrings and blocks under ``TYPE_CHECKING`` count nowhere, so that they make nothing stale; neither do definitions that
nothing names, nor other packages. The judge, the runner and the report are left out, because a better judge judges stored cells
again. Nothing is imported here.

What the text does not show is not seen: a module or an attribute whose name is put together at run time, what a file registers
elsewhere while it is loaded, and files that are read. A module names such files and modules in ``READS``, a tuple of texts:
files, from its own folder on, and modules, which count as a whole. A module that is handed on as a value does so too.
"""

import ast
import functools
import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from depthjax.files import open_ordinary
from depthjax.located import spec_of

ROOTS = ("depthjax", "theory", "experiments")  # the claim's own package is a root as well
LEFT_OUT = (
    "depthjax.verify",
    "depthjax.runs",
    "depthjax.figures",
    "depthjax.report",
    "experiments.commands",
    "experiments.cli",
)
JUDGED = ("CLAIM", "GRIDS", "DEFINITIONS", "CONTROLS", "RIVALS", "objects", "predict", "measure")  # all parts but PICTURES
# of a room, `measure` stands in another file than the rest, which names the measurements of its controls there
READS = "READS"  # in which a module names what else it reads
WHOLE = ""  # stands for all definitions of a module

Place = tuple[str, str]  # module, name of a definition in it, or WHOLE


@dataclass
class _Text:
    """The definitions of a file: statements by the names that they bind, and what runs whenever the file is loaded."""

    package: str  # that relative imports start from
    statements: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)  # name -> module, and name there or WHOLE
    effects: list[ast.stmt] = field(default_factory=list)
    stars: list[str] = field(default_factory=list)


def source_digest(*modules: str) -> str:
    """Sixteen hexadecimal digits for the definitions that these modules reach; empty where a module has no file.

    Args:
        modules: names that can be imported; none of them is. Of a claim its judged parts count, of another module all of it.

    The text of a file is read once in a process: what was imported from a file that changed later is the old text.
    Costs half a second for the first claim in a process and some hundredths for others.
    """
    if any(_file(module) is None for module in modules):
        return ""
    whole = hashlib.sha256()
    for (module, name), text in sorted(reached(*modules).items()):
        whole.update(f"{module}:{name}:{text}\n".encode())
    return whole.hexdigest()[:16]


@functools.cache
def judge_digest() -> str:
    """Sixteen hexadecimal digits for the definitions of the judge, which is no part of a claim's seal."""
    folder = Path(__file__).resolve().parents[1] / "verify"
    return source_digest(*(f"depthjax.verify.{file.stem}" for file in sorted(folder.glob("[!_]*.py"))))


def sources(*modules: str) -> dict[str, Path]:
    """The modules of which a definition is under the seal, and their files."""
    found = {module: _file(module) for module, _ in reached(*modules)}
    return {module: file for module, file in found.items() if file is not None}


def read_again() -> None:
    """Read all files anew from here on; for a process in which they change."""
    for function in (_definition, _read, _reads, _found):
        function.cache_clear()


def reached(*modules: str, parts: Sequence[str] = (), sizes: tuple[str, ...] | None = None) -> dict[Place, str]:
    """The text of every definition under the seal, by module and name.

    Args:
        modules: as for `source_digest`.
        parts: names to start from in each module, in place of the judged parts of a claim or of a whole module.
        sizes: of the grids of claims these count; all if none is named.
    """
    roots = {*ROOTS, *(module.partition(".")[0] for module in modules)}
    found: dict[Place, str] = {}
    waiting: list[Place] = []
    for module in modules:
        text = _read(module)
        judged = JUDGED if text is not None and "CLAIM" in text.statements else ()
        if not parts and (claim := _beside(f"{module}.measure", "claim")):
            waiting += [(claim, part) for part in JUDGED if part != "measure"] + [(f"{module}.measure", "measure")]
        else:
            waiting += [(module, part) for part in parts or judged or (WHOLE,)]
    while waiting:
        module, name = waiting.pop()
        if (module, name) in found or module.partition(".")[0] not in roots or _left_out(module, modules):
            continue
        text = _read(module)
        if text is None:
            found[module, name] = _compiled(module)
            continue
        if (module, READS) not in found:
            content, more = _reads(module)
            found[module, READS] = content
            roots |= {read.partition(".")[0] for read, _ in more}
            waiting += more
        told, named = _definition(module, name, sizes)
        found[module, name] = told
        waiting += [*named, (module, _LOADED), *((around, _LOADED) for around in _around(module))]
    return {place: told for place, told in found.items() if told}


_LOADED = "(when it is loaded)"


@functools.cache
def _reads(module: str) -> tuple[str, list[Place]]:
    """The digests of the files that a module names in READS, and everything else in it as modules."""
    text, file = _read(module), _file(module)
    if text is None or file is None or READS not in text.statements:
        return "", []
    try:
        values = [getattr(statement, "value", None) or ast.Tuple([]) for statement in text.statements[READS]]
        names = [name for value in values for name in ast.literal_eval(value) if isinstance(name, str)]
    except (ValueError, TypeError):
        return "", []  # the claim is told where it is loaded
    files = [file.parent / name for name in names if _is_file(file.parent / name)]
    modules = [(name, WHOLE) for name in names if not _is_file(file.parent / name)]
    return "\n".join(f"{one.name} {_digest(one)}" for one in sorted(files)), modules


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except (OSError, ValueError):
        return False


def _digest(file: Path) -> str:
    """Of a file of any size."""
    with open_ordinary(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@functools.cache
def _definition(module: str, name: str, sizes: tuple[str, ...] | None) -> tuple[str, tuple[Place, ...]]:
    """The text of a definition and the places that it names; of grids those of these sizes, and the classes that hold them."""
    text = _read(module)
    assert text is not None
    if name == WHOLE:
        inside = (*text.statements, *text.imports)
        return "", (*((module, each) for each in inside), *((star, WHOLE) for star in text.stars))
    statements: Sequence[ast.AST]
    if name == _LOADED:
        statements = text.effects
    elif name in text.statements:
        statements = text.statements[name]
    elif name in text.imports:
        return "", tuple(_resolved(*text.imports[name], ()))
    else:
        places = [(star, name) for star in text.stars if _has(star, name)]
        return "", tuple(places)
    classes: list[Place] = []
    if name == "GRIDS" and sizes is not None:
        grids, statements = statements, [part for statement in statements for part in _grids(statement, sizes)]
        classes = [place for grid in grids for place in _named(grid, module, text) if _is_class(place)]
    told = "\n".join(ast.dump(statement) for statement in statements)
    named = dict.fromkeys(place for statement in statements for place in _named(statement, module, text))
    return told, (*named, *classes)


def _grids(statement: ast.stmt, sizes: tuple[str, ...]) -> list[ast.AST]:
    """The grids of these sizes; the whole statement where it is no plain dictionary by size."""
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.Dict) or not all(isinstance(key, ast.Constant) for key in value.keys):
        return [statement]
    pairs = zip(value.keys, value.values, strict=True)
    return [part for key, grid in pairs if isinstance(key, ast.Constant) and key.value in sizes for part in (key, grid)]


def _is_class(place: Place) -> bool:
    text = _read(place[0])
    return text is not None and any(isinstance(one, ast.ClassDef) for one in text.statements.get(place[1], ()))


def _named(statement: ast.AST, module: str, text: _Text) -> Iterator[Place]:
    """The places that a statement names."""
    imports = dict(text.imports)
    for node, _ in _program(statement):
        if isinstance(node, ast.Import | ast.ImportFrom):
            local = _imports(node, text.package)
            imports |= local
            for target, original in local.values():
                yield from _resolved(target, original, ())
    inner: set[int] = set()  # parts of longer chains
    measure = _beside(module, "measure") if module.endswith(".claim") else ""
    for node, own in _program(statement):
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in inner:
            chain, first = [], node
            while isinstance(first, ast.Attribute):
                chain.append(first.attr)
                first = first.value
                inner.add(id(first))
            if isinstance(first, ast.Name) and (first.id in imports or first.id not in own):
                yield from _word(first.id, tuple(reversed(chain)), module, text, imports)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and measure and _has(measure, node.value):
            yield measure, node.value
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function, argument = node.func, node.args[0].value
            called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if called == "import_module" and isinstance(argument, str):
                yield argument, WHOLE


def _beside(module: str, part: str) -> str:
    """The module of this name in the same package; empty if there is none."""
    found = f"{module.rpartition('.')[0]}.{part}"
    return found if _file(found) is not None else ""


def _word(name: str, chain: tuple[str, ...], module: str, text: _Text, imports: dict[str, tuple[str, str]]) -> Iterator[Place]:
    """The places that a name with attributes behind it stands for; none for names that are local or Python's own."""
    if name in imports:
        yield from _resolved(*imports[name], chain)
    elif name in text.statements:
        yield module, name
    else:
        yield from ((star, name) for star in text.stars if _has(star, name))


def _resolved(module: str, name: str, chain: tuple[str, ...]) -> Iterator[Place]:
    """The definition that an import with attributes behind it reaches: through packages, stubs and files."""
    if _file(module) is None:
        return
    if name != WHOLE:
        yield from _inside(module, (name, *chain))
    elif chain:
        yield from _inside(module, chain)
    else:
        yield module, WHOLE


def _inside(module: str, chain: tuple[str, ...]) -> Iterator[Place]:
    text, (first, *rest) = _read(module), chain
    if text is None:
        yield module, WHOLE
    elif first in text.statements:
        yield module, first
    elif first in text.imports and text.imports[first] != (module, first):  # a package imports its own files
        yield from _resolved(*text.imports[first], tuple(rest))
    elif _file(inner := f"{module}.{first}") is not None:
        yield from _inside(inner, tuple(rest)) if rest else iter([(inner, WHOLE)])
    elif any(_has(star, first) for star in text.stars):
        yield from ((star, first) for star in text.stars if _has(star, first))
    elif not first.startswith("__"):
        yield module, WHOLE


def _has(module: str, name: str) -> bool:
    text = _read(module)
    return text is not None and (name in text.statements or name in text.imports)


def _program(node: ast.AST, own: frozenset[str] = frozenset()) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """The nodes of a statement that run, all but annotations, each with the names that are local where it stands."""
    yield node, own
    inside = own | _local(node) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) else own
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.AST):
                    yield from _program(one, inside if name in ("body", "args") else own)


def _local(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that a function binds: its parameters, what it assigns, and the functions inside it."""
    names, foreign, waiting = set(), set(), [*ast.iter_child_nodes(function)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Global):
            foreign |= {*node.names}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            continue  # its own names are not those of the function around it
        waiting += ast.iter_child_nodes(node)
    return frozenset(names - foreign)


@functools.cache
def _read(module: str) -> _Text | None:
    """The definitions of a module; None where it has no source."""
    file = _file(module)
    if file is None or file.suffix != ".py":
        return None
    is_package = file.name == "__init__.py"
    text = _Text(module if is_package else module.rpartition(".")[0])
    _fill(text, _stripped(file).body)
    if is_package and (stub := file.with_suffix(".pyi")).is_file():  # names that load on demand
        _fill(text, _stripped(stub).body)
    return text


def _stripped(file: Path) -> ast.Module:
    """The tree of a file without docstrings and without what only type checkers read."""
    tree = ast.parse(file.read_bytes())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not (_is_text(one) or _for_checkers(one))] or [ast.Pass()]  # type: ignore
    return tree


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)
    )


def _for_checkers(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and ast.unparse(statement.test).endswith("TYPE_CHECKING") and not statement.orelse


def _fill(text: _Text, body: list[ast.stmt]) -> None:
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            text.imports |= _imports(statement, text.package)
            if isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names):
                text.stars.append(_base(statement, text.package))
            continue
        for inner in ast.walk(statement):  # an import that is tried
            if isinstance(inner, ast.Import | ast.ImportFrom) and isinstance(statement, ast.Try | ast.If):
                text.imports |= _imports(inner, text.package)
        names = [name for name in _bound(statement) if name != "__all__"]
        for name in names:
            text.statements.setdefault(name, []).append(statement)
        if not names and not isinstance(statement, ast.Pass | ast.Assign | ast.AugAssign | ast.AnnAssign):
            owner = _owner(statement)
            if owner in text.statements:  # such as `function.defvjp(...)`: a part of what it changes
                text.statements[owner].append(statement)
            else:
                text.effects.append(statement)


def _bound(statement: ast.stmt) -> list[str]:
    """The names that a statement of a module binds, or changes as `name[...] = ...` does."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    names = []
    for node, own in _program(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not own:
            names.append(node.id)
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            inner: ast.AST = node
            while isinstance(inner, ast.Subscript | ast.Attribute):
                inner = inner.value
            names += [inner.id] if isinstance(inner, ast.Name) else []
    return list(dict.fromkeys(names))


def _owner(statement: ast.stmt) -> str:
    """The name whose method a statement calls; empty for other statements."""
    node: ast.AST = statement.value if isinstance(statement, ast.Expr) else statement
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    called = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    method = called and isinstance(statement.value.func, ast.Attribute)  # type: ignore[attr-defined]
    return node.id if method and isinstance(node, ast.Name) else ""


def _imports(statement: ast.Import | ast.ImportFrom, package: str) -> dict[str, tuple[str, str]]:
    """What an import of the project or of the same package binds: name -> module, and name there or WHOLE."""
    if isinstance(statement, ast.ImportFrom):
        base = _base(statement, package)
        found = {alias.asname or alias.name: (base, alias.name) for alias in statement.names if alias.name != "*"}
    else:
        found = {
            alias.asname or alias.name.partition(".")[0]: (alias.name if alias.asname else alias.name.partition(".")[0], WHOLE)
            for alias in statement.names
        }
    own = {*ROOTS, package.partition(".")[0]}
    return {name: place for name, place in found.items() if place[0].partition(".")[0] in own or not package}


def _base(statement: ast.ImportFrom, package: str) -> str:
    parts = package.split(".")[: len(package.split(".")) - statement.level + 1] if statement.level else []
    return ".".join([*parts, *([statement.module] if statement.module else [])])


def _left_out(module: str, modules: tuple[str, ...]) -> bool:
    return module not in modules and any(module == one or module.startswith(f"{one}.") for one in LEFT_OUT)


def _around(module: str) -> Iterator[str]:
    while module := module.rpartition(".")[0]:
        yield module


def _compiled(module: str) -> str:
    """A digest of a file that is no source; empty where there is no file."""
    file = _file(module)
    return "" if file is None or file.suffix == ".py" else hashlib.sha256(file.read_bytes()).hexdigest()


def _file(name: str) -> Path | None:
    """The file of a module, found without running the packages around it."""
    return _found(name, tuple(sys.path))


@functools.cache
def _found(name: str, path: tuple[str, ...]) -> Path | None:
    """The file of a module; ``path`` is the search path, which may change."""
    spec = spec_of(name)
    return Path(spec.origin) if spec is not None and spec.origin and Path(spec.origin).is_file() else None
