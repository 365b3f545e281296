"""The application of a mutant: one module is loaded from changed source text, and no file on disk is touched.

The definition is found in the syntax tree by its dotted name. The wrong text replaces the right one inside it, and an import
hook hands the changed source to the compiler when the module is loaded.
"""

import ast
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType

from depthjax.located import spec_of
from experiments.mutants.mutant import Mutant, MutantError

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def install(mutant: Mutant) -> None:
    """Have this process load the mutated module in place of the right one.

    Raises:
        MutantError: as `mutated`, and where the module is loaded already.
    """
    module, _ = located(mutant.at, mutant.where)
    mutated(mutant)
    if module in sys.modules:
        raise MutantError(f"{mutant.where}: {module} is loaded already: a mutant needs a process of its own")
    sys.meta_path.insert(0, _Finder(module, mutant))


def mutated(mutant: Mutant) -> str:
    """The whole source of the mutated module.

    Raises:
        MutantError: the definition is gone, the text does not occur in it exactly once, or what results is no other program.
    """
    module, path = located(mutant.at, mutant.where)
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    name = mutant.at.removeprefix(module).lstrip(".")
    spans = [span(node) for node in found(tree, name.split("."))] if name else []
    if not spans:
        raise MutantError(f"{mutant.where}: {path} defines no {name or 'module as a whole'}: correct `at`")
    lines = source.splitlines(keepends=True)
    texts = ["".join(lines[first:last]) for first, last in spans]
    if (times := sum(text.count(mutant.was) for text in texts)) != 1:
        raise MutantError(f"{mutant.where}: the text occurs {times} times in {name} of {path}, expected once: correct `was`")
    (first, last), text = next((place, text) for place, text in zip(spans, texts, strict=True) if mutant.was in text)
    changed = "".join([*lines[:first], text.replace(mutant.was, mutant.wrong), *lines[last:]])
    try:
        same = program(ast.parse(changed)) == program(tree)
        compile(changed, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise MutantError(f"{mutant.where}: with {mutant.wrong!r} it does not compile ({error}): correct `wrong`") from None
    if same:
        raise MutantError(f"{mutant.where}: only a comment or a docstring changes: choose a text of the program")
    return changed


def located(name: str, where: str) -> tuple[str, Path]:
    """Name and file of the module that holds what a dotted name names. Nothing is imported.

    Args:
        name: of a module, or of a definition in one.
        where: the mutant, for the message.

    Raises:
        MutantError: no package's name begins the dotted name.
    """
    top, *rest = name.split(".")
    spec = spec_of(top) if top.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        raise MutantError(f"{where}: there is no package {top!r}: correct `at`")
    folder, name = Path(next(iter(spec.submodule_search_locations))), top
    file = folder / "__init__.py"
    for part in rest:
        if (folder / part / "__init__.py").is_file():
            folder, name = folder / part, f"{name}.{part}"
            file = folder / "__init__.py"
        elif (folder / f"{part}.py").is_file():
            return f"{name}.{part}", folder / f"{part}.py"
        else:
            break
    return name, file


def found(tree: ast.AST, names: Sequence[str]) -> Iterator[ast.stmt]:
    """Yield the definitions of a dotted name: functions, methods, classes, nested functions, constants."""
    for node in _statements(tree):
        if isinstance(node, Definition) and node.name == names[0]:
            if len(names) == 1:
                yield node
            else:
                yield from found(node, names[1:])
        elif len(names) == 1 and names[0] in _assigned(node):
            yield node


def span(node: ast.stmt) -> tuple[int, int]:
    """First line and the line after the last, counted from 0; decorators belong to what they decorate."""
    decorators = getattr(node, "decorator_list", [])
    return min(part.lineno for part in (node, *decorators)) - 1, node.end_lineno or node.lineno


def program(tree: ast.Module) -> str:
    """The tree as text, without docstrings: what two sources with the same meaning share."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body[0] = ast.Pass()
    return ast.dump(tree)


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Statements of a body, and of the blocks (if, try, with, for) inside it."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.stmt):
            yield child
        if not isinstance(child, Definition | ast.expr):
            yield from _statements(child)


def _assigned(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    parts = [part for target in targets if target is not None for part in ast.walk(target)]
    return {part.id for part in parts if isinstance(part, ast.Name)}


class _Finder:
    """Finds one module, and has it loaded from changed text."""

    def __init__(self, module: str, mutant: Mutant):
        self.module, self.mutant = module, mutant

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """The usual place of the module, with another loader."""
        if name != self.module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.origin:
            spec.loader = _Loader(name, spec.origin, self.mutant)
        return spec


class _Loader(SourceFileLoader):
    """Compiles the changed text; stored bytecode, which is of the right program, is neither read nor written."""

    def __init__(self, name: str, path: str, mutant: Mutant):
        super().__init__(name, path)
        self.mutant = mutant

    def get_source(self, fullname: str) -> str:
        return mutated(self.mutant)

    def get_code(self, fullname: str) -> CodeType:
        return compile(mutated(self.mutant), self.path, "exec", dont_inherit=True)
