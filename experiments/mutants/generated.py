"""Generated mutants: the operators of cosmic-ray, applied to the definitions that the written mutants name.

The tool is cosmic-ray and not mutmut: its operators say where they change what, and they replace one arithmetic operator by any
other. Most of what mutmut makes here (texts in capitals, None for an argument) stops the program at once.

A generated mutant has the form of a written one, so both are applied and tried alike. Its claims are those of the written
mutants of the same definition. Signatures, annotations, docstrings, checks of arguments and messages are not mathematics and
stay as they are.
"""

import ast
import dataclasses
import itertools
import random
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from experiments.mutants.application import found, located, span
from experiments.mutants.mutant import Mutant, MutantError

TARGETS = ("theory.", "depthjax.constructions.")  # formulas that claims predict from, and networks with explicit weights
ARITHMETIC = "(Add|Sub|Mul|Div|FloorDiv|Pow)"
OPERATORS = re.compile(
    f"ReplaceBinaryOperator_{ARITHMETIC}_{ARITHMETIC}|ReplaceComparisonOperator_(?!.*Is)|ReplaceUnaryOperator_(USub_UAdd|Delete_USub)|"
    "AddNot|Replace(True|False|And|Or)With|Replace(Break|Continue)With|NumberReplacer|ZeroIterationForLoop"
)
CHECKS = ("checks", "cost")  # ends of the names of modules that refuse arguments and what would cost too much
MISSING = "generated mutants need cosmic-ray: python -m pip install 'depthjax[mutation]'"


def generated(mutants: Sequence[Mutant], count: int, seed: str) -> list[Mutant]:
    """A number of generated mutants, in the order of the definitions that they change; fewer where there are fewer.

    Args:
        mutants: written ones, which say which definitions there are and which claims speak of them.
        count: at least 1.
        seed: of the sample.

    Raises:
        MutantError: cosmic-ray is not installed, or a definition is gone.
    """
    about: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        if mutant.at.startswith(TARGETS):
            about.setdefault(mutant.at, []).append(mutant)
    texts = {at: _text(same[0]) for at, same in about.items()}
    operators = _operators()
    places = [(at, name, i) for at, text in texts.items() for name, i in _places(text, operators)]
    chosen: dict[str, tuple[int, Mutant]] = {}
    for index in random.Random(seed).sample(range(len(places)), len(places)):
        if len(chosen) == count:
            break
        at, name, occurrence = places[index]
        if changed := _changed(texts[at], operators[name], occurrence):
            claims = dict.fromkeys(slug for mutant in about[at] for slug in mutant.claims)
            first = about[at][0]
            made = {"claims": tuple(claims), "origin": "generated", "package": first.package}
            mutant = Mutant(first.subject, name, at, *changed, **made)
            chosen.setdefault(mutant.name, (index, mutant))
    return [mutant for _, mutant in sorted(chosen.values(), key=lambda pair: pair[0])]


@dataclasses.dataclass(frozen=True)
class _Text:
    """The source of a definition: as it stands, and without its indentation; and the checks that its module imports."""

    source: str
    plain: str
    indent: str
    checks: frozenset[str]


def _text(mutant: Mutant) -> _Text:
    module, path = located(mutant.at, mutant.where)
    source = path.read_text(encoding="utf-8")
    parsed = ast.parse(source)
    nodes = list(found(parsed, mutant.at.removeprefix(f"{module}.").split(".")))
    if not nodes:
        raise MutantError(f"{mutant.where}: {path} does not define it: correct `at`")
    first, last = span(nodes[-1])
    text = "".join(source.splitlines(keepends=True)[first:last])
    indent = text[: len(text) - len(text.lstrip())]
    imports = [node for node in ast.walk(parsed) if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(CHECKS)]
    checks = frozenset(each.asname or each.name for node in imports for each in node.names)
    return _Text(text, textwrap.dedent(text), indent, checks)


def _operators() -> dict[str, Any]:
    """cosmic-ray's operators on arithmetic, numbers, comparisons, truth values and loops."""
    try:
        from cosmic_ray.operators.provider import OperatorProvider
    except ImportError:
        raise MutantError(MISSING) from None
    provider: Any = OperatorProvider()
    return {name: provider[name]() for name in provider if OPERATORS.match(name)}


def _places(text: _Text, operators: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield an operator and the number of the place, for every place where it changes mathematics."""
    from cosmic_ray.ast import ast_nodes, get_ast

    nodes, skipped = list(ast_nodes(get_ast(text.plain))), _skipped(text)
    for name, operator in operators.items():
        places = itertools.chain.from_iterable(operator.mutation_positions(node) for node in nodes)
        for occurrence, (start, end) in enumerate(places):
            if not any(first <= start and end <= last for first, last in skipped):
                yield name, occurrence


def _skipped(text: _Text) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where a definition says no mathematics, as pairs of places."""
    nodes: list[ast.AST | None] = []
    for node in ast.walk(ast.parse(text.plain)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                nodes += [*node.decorator_list, node.returns]
                nodes += [part for arg in ast.walk(node.args) if isinstance(arg, ast.arg) for part in (arg, arg.annotation)]
                nodes += node.args.defaults + node.args.kw_defaults
            case ast.ClassDef():
                nodes += node.decorator_list
            case ast.AnnAssign():
                nodes.append(node.annotation)
            case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
                nodes.append(node)
            case ast.If() if isinstance(node.body[-1], ast.Raise):
                nodes += [node.test, *node.body]
            case ast.Call(func=ast.Name(id=name)) if name.startswith("check") or name in text.checks:
                nodes.append(node)
    placed = [node for node in nodes if isinstance(node, ast.expr | ast.stmt | ast.arg)]
    return [((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)) for node in placed]


def _changed(text: _Text, operator: Any, occurrence: int) -> tuple[str, str] | None:
    """The lines that an operator changes, enough of them to be found once, and what they become; None if it is no program."""
    from cosmic_ray.mutating import mutate_code

    wrong = mutate_code(text.plain, operator, occurrence)
    try:
        if wrong is None or ast.dump(ast.parse(wrong)) == ast.dump(ast.parse(text.plain)):
            return None
    except SyntaxError:
        return None
    old, new = text.source.splitlines(keepends=True), textwrap.indent(wrong, text.indent).splitlines(keepends=True)
    first = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    last = next(i for i, (a, b) in enumerate(zip(old[::-1], new[::-1], strict=False)) if a != b)
    ends = range(len(old) - last, len(old) + 1)
    for begin, end in [*((first, end) for end in ends), *((begin, len(old)) for begin in range(first, -1, -1))]:
        was = "".join(old[begin:end])
        if text.source.count(was) == 1:
            return was, "".join(new[begin : len(new) - (len(old) - end)])
    return None
