"""What code a measurement came from: one digest over a module and every module of the project that it uses.

A stored cell carries the digest, and a resumed run keeps the cell only while the digest is the same. The judge, the runner and
the report are left out, because a better judge judges stored cells again. Imports are found in the text of the files, so
nothing is imported here. The text names more modules than run, and misses those whose names are put together at run time, and
files that are read. A module names both in ``READS``, a tuple of texts: files, from its own folder on, and modules.
"""

import ast
import functools
import hashlib
import importlib.util
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from depthjax.files import open_ordinary

ROOTS = ("depthjax", "theory", "experiments")  # the claim's own package is a root as well
LEFT_OUT = (
    "depthjax.verify",
    "depthjax.runs",
    "depthjax.figures",
    "depthjax.report",
    "experiments.commands",
    "experiments.cli",
)

FROM = re.compile(r"\bfrom[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]*(?:\(([^)]*)\)|([^\n;#]*))")
IMPORT = re.compile(r"\bimport[ \t]+([^\n;#]*)")


def source_digest(*modules: str) -> str:
    """Sixteen hexadecimal digits for the text of these modules and of all that they use; empty where a module has no file.

    Args:
        modules: names that can be imported; none of them is.

    The text of a file is read once in a process: what was imported from a file that changed later is the old text.
    Costs a few milliseconds for a claim.
    """
    files = sources(*modules)
    if any(module not in files for module in modules):
        return ""
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(f"{name} {_text(files[name])[0]}\n".encode())
    for file in sorted({file for name in files for file in _read_by(files[name]) if isinstance(file, Path)}):
        whole.update(f"{file.name} {_digest(file)}\n".encode())
    return whole.hexdigest()[:16]


def sources(*modules: str) -> dict[str, Path]:
    """Every module of the project that these use, themselves and the packages around them included, and its file."""
    roots = {*ROOTS, *(module.partition(".")[0] for module in modules)}
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in found or name.partition(".")[0] not in roots or _left_out(name, modules):
            continue
        file = _file(name)
        if file is None:
            continue
        found[name] = file
        waiting += [name.rpartition(".")[0]] * ("." in name)
        waiting += _named(file, name if file.name == "__init__.py" else name.rpartition(".")[0])
        more = [read for read in _read_by(file) if isinstance(read, str)]
        roots |= {read.partition(".")[0] for read in more}
        waiting += more
    return found


@functools.cache
def _read_by(file: Path) -> tuple[Path | str, ...]:
    """What a module says in READS: the files that are there, and everything else as names of modules."""
    text = _text(file)[1]
    if not re.search(r"^READS\b", text, re.MULTILINE):
        return ()
    try:
        said = [
            node for node in ast.parse(text).body if isinstance(node, ast.Assign | ast.AnnAssign) and _assigns(node, "READS")
        ]
        names = [name for node in said for name in ast.literal_eval(node.value or ast.Tuple([])) if isinstance(name, str)]
    except (SyntaxError, ValueError, TypeError):
        return ()  # the claim is told where it is loaded
    return tuple(file.parent / name if _is_file(file.parent / name) else name for name in names)


def _assigns(node: ast.Assign | ast.AnnAssign, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except (OSError, ValueError):
        return False


@functools.cache
def _digest(file: Path) -> str:
    """Of a file of any size."""
    with open_ordinary(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _left_out(name: str, modules: Sequence[str]) -> bool:
    return name not in modules and any(name == one or name.startswith(f"{one}.") for one in LEFT_OUT)


@functools.cache
def _named(file: Path, package: str) -> tuple[str, ...]:
    """Names in a file that may be modules."""
    return tuple(dict.fromkeys(_names(_text(file)[1].replace("\\\n", " "), package)))


def _names(text: str, package: str) -> Iterator[str]:
    for statement in _statements(text):
        for dots, module, inside, plain in FROM.findall(statement):
            base = module
            if dots:
                around = package.split(".")[: len(package.split(".")) - len(dots) + 1]
                base = ".".join([*around, module] if module else around)
            yield base
            lines = (line.partition("#")[0] for line in (inside or plain).splitlines())
            yield from (f"{base}.{word.split()[0]}" for line in lines for word in line.split(",") if word.split())
        for listed in IMPORT.findall(statement):
            yield from (word.split()[0] for word in listed.split(",") if word.split())


def _statements(text: str) -> Iterator[str]:
    """The lines around every "import", to the closing parenthesis where one opens."""
    end = 0
    while (word := text.find("import", end)) >= 0:
        begin, end = text.rfind("\n", 0, word) + 1, (text.find("\n", word) + 1 or len(text))
        if "(" in text[word:end]:
            end = max(end, text.find(")", word) + 1)
        yield text[begin:end]


@functools.cache
def _text(file: Path) -> tuple[str, str]:
    """Digest and text of a file."""
    content = file.read_bytes()
    is_text = file.suffix == ".py"
    return hashlib.sha256(content).hexdigest(), content.decode("utf-8", "replace") if is_text else ""


@functools.cache
def _top(name: str, path: tuple[str, ...]) -> tuple[Path | None, tuple[str, ...]]:
    """File and folders of a module that lies in no package; ``path`` is the search path, which may change."""
    loaded = sys.modules.get(name)
    try:
        spec = importlib.util.find_spec(name) if loaded is None else loaded.__spec__
    except (ImportError, ValueError):
        return None, ()
    if spec is None:
        return None, ()
    file = Path(spec.origin) if spec.origin and Path(spec.origin).is_file() else None
    return file, tuple(spec.submodule_search_locations or ())


def _file(name: str) -> Path | None:
    """The file of a module, found as the import system finds it but without running the packages around it."""
    top, *rest = name.split(".")
    file, folders = _top(top, tuple(sys.path))
    for part in rest:
        file, folders = _within(folders, part)
    return file


@functools.cache
def _within(folders: tuple[str, ...], part: str) -> tuple[Path | None, tuple[str, ...]]:
    spaces = []
    for folder in folders:
        inside = Path(folder, part)
        if (inside / "__init__.py").is_file():
            return inside / "__init__.py", (str(inside),)
        if (file := inside.with_name(f"{part}.py")).is_file():
            return file, ()
        if compiled := sorted(Path(folder).glob(f"{part}.*.so")):
            return compiled[0], ()
        if inside.is_dir():
            spaces.append(str(inside))
    return None, tuple(spaces)
