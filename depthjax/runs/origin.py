"""The seal of a claim: one digest over every definition that can influence its predictions and measurements.

From the judged parts of a claim the syntax trees are followed from name to name, through imports, into the files of the project
and of the claim's own package (`depthjax.runs.definitions`). A definition counts once something that counts names it. So a
comment makes nothing stale, and neither does a definition that nothing names. The judge, the runner and the report are left
out, because a better judge judges stored cells again. Nothing is imported here.

What the text does not show is not seen: a module or an attribute whose name is put together at run time, what a file registers
elsewhere while it is loaded, and files that are read. A module names such files and modules in ``READS``, a tuple of texts:
files, from its own folder on, and modules, which count as a whole. A module that is handed on as a value does so too.
"""

import ast
import functools
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from depthjax.files import open_ordinary
from depthjax.runs import definitions as texts
from depthjax.runs.definitions import LOADED, Chain, definitions, file_of, told

LEFT_OUT = (
    "depthjax.verify",
    "depthjax.runs",
    "depthjax.figures",
    "depthjax.report",
    "experiments.commands",
    "experiments.cli",
)
# all parts of a claim but PICTURES
JUDGED = ("CLAIM", "DOMAIN", "GRIDS", "DEFINITIONS", "CONTROLS", "RIVALS", "objects", "predict", "measure")
READS = "READS"  # in which a module names what else it reads
WHOLE = ""  # stands for all definitions of a module

Place = tuple[str, str]  # module, name of a definition in it, or WHOLE


def source_digest(*modules: str) -> str:
    """Sixteen hexadecimal digits for the definitions that these modules reach; empty where a module has no file.

    Args:
        modules: names that can be imported; none of them is. Of a claim its judged parts count, of another module all of it.

    The text of a file is read once in a process: what was imported from a file that changed later is the old text.
    Costs half a second for the first claim in a process and some hundredths for others, once for each claim.
    """
    return "" if any(file_of(module) is None for module in modules) else digest(reached(*modules))


def digest(found: dict[Place, str], *more: str) -> str:
    """Sixteen hexadecimal digits for definitions, as `reached` finds them, and for more texts."""
    lines = [f"{module}:{name}:{text}" for (module, name), text in sorted(found.items())]
    return hashlib.sha256("\0".join([*lines, *more]).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@functools.cache
def judge_digest() -> str:
    """Sixteen hexadecimal digits for the definitions of the judge, which is no part of a claim's seal."""
    folder = Path(__file__).resolve().parents[1] / "verify"
    return source_digest(*(f"depthjax.verify.{file.stem}" for file in sorted(folder.glob("[!_]*.py"))))


def sources(*modules: str) -> dict[str, Path]:
    """The modules of which a definition is under the seal, and their files."""
    found = {module: file_of(module) for module, _ in reached(*modules)}
    return {module: file for module, file in found.items() if file is not None}


def read_again() -> None:
    """Read all files anew from here on; for a process in which they change."""
    texts.read_again()
    _definition.cache_clear()
    _reached.cache_clear()


def reached(*modules: str, parts: Sequence[str] = (), sizes: tuple[str, ...] | None = None) -> dict[Place, str]:
    """The text of every definition under the seal, by module and name.

    Args:
        modules: as for `source_digest`.
        parts: names to start from in each module, in place of the judged parts of a claim or of a whole module.
        sizes: of the grids of claims these count; all if none is named.
    """
    return dict(_reached(modules, tuple(parts), sizes))


@functools.cache
def _reached(modules: tuple[str, ...], parts: tuple[str, ...], sizes: tuple[str, ...] | None) -> dict[Place, str]:
    found: dict[Place, str] = {}
    waiting = [place for module in modules for place in ([(module, part) for part in parts] or _starts(module))]
    while waiting:
        module, name = waiting.pop()
        if (module, name) in found or (module not in modules and _left_out(module)):
            continue
        text, named = _definition(module, name, sizes)
        found[module, name] = text
        packages = module.split(".")
        around = [".".join(packages[:count]) for count in range(1, len(packages))]
        waiting += [*named, (module, READS), *((loaded, LOADED) for loaded in (module, *around))]
    return {place: text for place, text in found.items() if text}


def _starts(module: str) -> list[Place]:
    """The judged parts of a claim, which is a room or a file; the whole of another module."""
    if file_of(f"{module}.claim") is not None:
        return [*((f"{module}.claim", part) for part in JUDGED), (f"{module}.measure", WHOLE)]
    file = definitions(module)
    return [(module, part) for part in (JUDGED if file is not None and "CLAIM" in file.statements else (WHOLE,))]


def _left_out(module: str) -> bool:
    return any(module == one or module.startswith(f"{one}.") for one in LEFT_OUT)


@functools.cache
def _definition(module: str, name: str, sizes: tuple[str, ...] | None) -> tuple[str, tuple[Place, ...]]:
    """The text of a definition, and the places that it names."""
    file = definitions(module)
    if file is None:
        return _compiled(module), ()
    if name == READS:
        return _read(module)
    if name == WHOLE:
        inside = (*file.statements, *file.imports)
        return "", (*((module, one) for one in inside), *((star, WHOLE) for star in file.stars))
    if name not in file.statements:
        return "", tuple(_places(module, (name,)) if _defines(module, name) else ())
    statements: Sequence[ast.AST] = file.statements[name]
    if name == "GRIDS" and sizes is not None:
        statements = [part for statement in statements for part in _grids(statement, sizes)]
    named: dict[Place, None] = {}
    for statement in statements:
        chains, own, called = file.named(statement)
        for chain in sorted(chains):
            if chain[0] in own:
                named |= dict.fromkeys(_places(*_through(own[chain[0]], chain)))
            elif _defines(module, chain[0]):
                named |= dict.fromkeys(_places(module, chain))
        named |= dict.fromkeys((one, WHOLE) for one in called)
    return "\n".join(map(told, statements)), tuple(named)


def _grids(statement: ast.stmt, sizes: tuple[str, ...]) -> list[ast.AST]:
    """The grids of these sizes; the whole statement where it is no plain dictionary by size."""
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.Dict) or not all(isinstance(key, ast.Constant) for key in value.keys):
        return [statement]
    pairs = zip(value.keys, value.values, strict=True)
    return [part for key, grid in pairs if isinstance(key, ast.Constant) and key.value in sizes for part in (key, grid)]


def _through(place: tuple[str, Chain], chain: Chain) -> tuple[str, Chain]:
    """What a dotted name stands for whose first part was imported from this place."""
    return place[0], (*place[1], *chain[1:])


def _places(module: str, chain: Chain) -> Iterator[Place]:
    """The definitions that a dotted name in a module stands for: through packages, stubs, files and stars."""
    file = definitions(module)
    if file is None or not chain:
        if file_of(module) is not None:
            yield module, WHOLE
        return
    first = chain[0]
    if first in file.statements:
        yield module, first
    elif first in file.imports and file.imports[first] != (module, (first,)):  # a package imports its own files
        yield from _places(*_through(file.imports[first], chain))
    elif stars := [star for star in file.stars if _defines(star, first)]:
        yield from (place for star in stars for place in _places(star, chain))
    elif file_of(f"{module}.{first}") is not None:
        yield from _places(f"{module}.{first}", chain[1:])
    elif not first.startswith("__"):
        yield module, WHOLE  # which makes the name when it is asked for


def _defines(module: str, name: str) -> bool:
    file = definitions(module)
    return file is not None and (
        name in file.statements or name in file.imports or any(_defines(star, name) for star in file.stars)
    )


def _read(module: str) -> tuple[str, tuple[Place, ...]]:
    """The digests of the files that a module names in READS, and everything else in it as modules."""
    file, path = definitions(module), file_of(module)
    assert file is not None and path is not None
    try:
        values = [getattr(statement, "value", None) or ast.Tuple([]) for statement in file.statements.get(READS, ())]
        names = [name for value in values for name in ast.literal_eval(value) if isinstance(name, str)]
    except (ValueError, TypeError):
        return "", ()  # the claim is told where it is loaded
    files = sorted(path.parent / name for name in names if _is_file(path.parent / name))
    modules = tuple((name, WHOLE) for name in names if not _is_file(path.parent / name))
    return "\n".join(f"{one.name} {_sum(one)}" for one in files), modules


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except (OSError, ValueError):
        return False


def _sum(file: Path) -> str:
    """The digest of a file of any size."""
    with open_ordinary(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _compiled(module: str) -> str:
    """The digest of a file that is no source; empty where there is no file."""
    file = file_of(module)
    return "" if file is None or file.suffix == ".py" else _sum(file)
