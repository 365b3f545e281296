"""``depthjax bound``: a symbolic bound with its value, its hypotheses and its source, for every bound that `theory` registers.

A new bound needs nothing here: the registry (`theory.registry`) knows its function, and `experiments.commands.questions` reads
arguments, help and example from that function's signature and docstring.
"""

import contextlib
import dataclasses
import math
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Union, cast

import tyro

from depthjax.runs.catalogue import did_you_mean
from experiments.commands.given import refused, resolved
from experiments.commands.questions import description, example, question, summary
from experiments.shell import OTHERS
from experiments.terminal import UsageError, console, encodable, number, print_json, usage

if TYPE_CHECKING:
    from theory.bound import Bound as TheoryBound


@dataclasses.dataclass(frozen=True, kw_only=True)
class Question:
    """A question with a bound for its answer; the other fields of a subclass are the parameters of the bound's function."""

    latex: bool = False
    """Print the formula in LaTeX and nothing else."""
    json: bool = False
    """Print one JSON object and nothing else."""
    limit: float = 1.0
    """Cost that the answer may have by its estimate, in multiples of one minute and 4 GiB; inf allows any cost."""

    entry: ClassVar[Any]
    """The bound's `theory.registry.Entry`."""

    def run(self) -> int:
        """Print the bound; outside its hypotheses, say which of them fail. A formula with open parameters has no value."""
        from theory.bound import Bound
        from theory.cost import allow

        parameters = self.entry.signature.parameters
        arguments = {name: getattr(self, name) for name in parameters}
        with usage(ValueError), _extras(), allow(self.limit):
            for name, value in arguments.items():
                if isinstance(value, str):
                    arguments[name] = resolved(parameters[name].annotation, value)
            found = self.entry.function(**arguments)
            bound, details = (found, {}) if isinstance(found, Bound) else (found.answer, found.details)
            left_open = bound.open_parameters
            checks = [] if left_open else bound.check()
            failed = [statement for statement, holds in checks if not holds]
            printed = self.json or not self.latex
            value = _value(bound) if printed and not (failed or left_open) else None
        if self.json:
            print_json(_fields(found) | _facts(bound, checks, value) | _details(details))
        elif self.latex and not failed:
            print(bound.latex())
        elif not failed or details:
            _print(bound, checks, value, details)
        if failed:
            raise UsageError(f"{bound.quantity}: outside its hypotheses, so there is no number; fails: {'; '.join(failed)}")
        return 0


@dataclasses.dataclass(frozen=True)
class BoundCommand:
    """A symbolic bound: its formula, value, hypotheses and source.

    Outside its hypotheses a bound has no value; the exit code is then 2. Numbers may be written as fractions, such as 1/3.
    `depthjax bound NAME --help` explains a bound and its arguments.

    Examples:
      depthjax bound layers S4
      depthjax bound tower --letters 3 --layers 2
      depthjax bound automaton parity --json
      depthjax bound magnus --order 3 --mass 1/3
    """

    @classmethod
    def about(cls, words: Sequence[str]) -> type["BoundCommand"]:
        """Return this command with its questions: each by its first sentence, the one that the words name by all of its help.

        Raises:
            UsageError: The words name no bound.
        """
        if sys.flags.optimize > 1:
            raise UsageError("python -OO takes the docstrings away, in which bounds name their arguments: use -O, or neither")
        from theory.bounds.index import entries, entry

        named = words[0] if words else ""
        if reason := refused(named):
            raise UsageError(f"no bound is called {named!r}: {reason}")
        whole = words[0] if not {"-h", "--help"}.isdisjoint(words) else ""
        found = None if named.startswith("-") else entry(named)
        if found is None and not named.startswith("-"):
            missing = f"no bound is called {named!r}" if words else "Missing subcommand: expected the name of a bound"
            hint = did_you_mean(named, entries()) or "depthjax bound --help lists all bounds"
            raise UsageError(f"{missing}; {hint}")
        if found is not None and not found.subject and len(words) > 1 and not words[1].startswith("-"):
            flags = ", ".join(f"--{name.rstrip('_').replace('_', '-')}" for name in found.signature.parameters)
            raise UsageError(
                f"`depthjax bound {named}` does not know what {words[1]!r} is: "
                + (f"say it with one of {flags}, as in" if flags else "it takes no arguments, as in")
                + f" `{example(found)}`"
            )
        if found is not None and found.subject:
            flag = f"--{next(iter(found.signature.parameters)).replace('_', '-')}"
            if spelled := next((word for word in words[1:] if word.partition("=")[0] == flag), None):
                raise UsageError(
                    f"`depthjax bound {named}` has no option {spelled}: what it is about, {found.subject}, comes first and "
                    f"without an option, as in `{example(found)}`"
                )
        questions: tuple[Any, ...] = tuple(
            Annotated[
                question(one, Question),
                tyro.conf.subcommand(name, description=_wrapped(description(one)) if name == whole else summary(one)),
            ]
            for name, one in (entries() if found is None else {named: found}).items()
        )
        if found is not None:
            questions += (OTHERS,)
        fields: list[Any] = [("question", Union[questions])]  # noqa: UP007  (a tuple of any length)
        said = {"__doc__": cls.__doc__}
        return dataclasses.make_dataclass("BoundCommand", fields, bases=(cls,), namespace=said, frozen=True, kw_only=True)

    def run(self) -> int:
        """Answer the question."""
        return cast(Any, self).question.run()


def _wrapped(text: str) -> str:
    """Return the paragraphs in lines that fit the terminal; formulas, which are indented, keep their lines.

    Continuation lines are indented, because tyro joins a line that starts with a letter to the line before it.
    """
    columns = min(shutil.get_terminal_size().columns, 120)
    return "\n\n".join(
        part if part.startswith(" ") else textwrap.fill(part, columns, subsequent_indent="  ") for part in text.split("\n\n")
    )


@contextlib.contextmanager
def _extras() -> Iterator[None]:
    """Turn the complaint that an optional package is missing into a usage error; any other failed import is a defect."""
    try:
        yield
    except ImportError as error:
        if error.name is not None:  # Python's own complaint names the module; that of `theory` says which extra to install
            raise
        raise UsageError(str(error)) from error


def _value(bound: "TheoryBound") -> float:
    """The value; where no float holds it, the error says how to see the formula."""
    try:
        return bound.at()
    except ValueError as error:
        raise ValueError(f"{error} Here --latex prints it") from error


def _facts(bound: "TheoryBound", checks: list[tuple[str, bool]], value: float | None) -> dict[str, Any]:
    from theory.bound import GIVEN

    holds = dict(checks)
    return {
        "quantity": bound.quantity,
        "expression": str(bound.expr),
        "latex": bound.latex(),
        "value": value,
        "hypotheses": [
            {
                "statement": each.statement.replace(f" ({GIVEN})", ""),
                "assumed": each.assumed,
                "holds": None if each.assumed else holds.get(each.statement),
            }
            for each in bound.assumes
        ],
        "source": bound.source,
    }


def _fields(report: object) -> dict[str, Any]:
    """The fields of a report that are numbers, truth values and names, and lists of these; a bound has no others."""
    from theory.bound import Report

    if not isinstance(report, Report) or not dataclasses.is_dataclass(report):
        return {}
    found = {field.name: _plain(getattr(report, field.name)) for field in dataclasses.fields(report)}
    return {name: value for name, value in found.items() if value is not ...}


def _plain(value: object) -> Any:
    """A number, a truth value, a text, nothing, or a list of them, as JSON has it; ``...`` of all else."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | Fraction):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, tuple | list):
        parts = [_plain(each) for each in value]
        return ... if any(part is ... for part in parts) else parts
    return ...


def _details(details: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The lines that people read, under one key; what is said to be none is an empty list."""
    lines = {
        name.replace(" ", "_"): [] if each and each[0].startswith("none") else list(each) for name, each in details.items()
    }
    return {"lines": lines} if lines else {}


def _print(
    bound: "TheoryBound", checks: list[tuple[str, bool]], value: float | None, details: dict[str, tuple[str, ...]]
) -> None:
    from rich.table import Table
    from rich.text import Text

    screen = console()
    missing, holds = bound.open_parameters, dict(checks)
    formula = "none" if value is None and not missing else _formula(bound.expr, max(screen.width - 14, 40))
    needed = f"needs {', '.join('--' + name.replace('_', '-') for name in missing)}" if missing else "none"
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    table.add_row("quantity", Text(bound.quantity))
    table.add_row("value", Text(needed if value is None else number(value, 10)))
    table.add_row("formula", Text(formula, no_wrap=True))  # it may be long
    for index, each in enumerate(bound.assumes):
        mark = "·" if each.assumed else {True: "✓", False: "✗", None: "?"}[holds.get(each.statement)]
        table.add_row("" if index else "hypotheses", Text(f"{mark} {each.statement}"))
    for name, lines in details.items():
        for index, line in enumerate(lines or ("none",)):
            table.add_row("" if index else name, Text(line))
    table.add_row("source", Text(bound.source))
    screen.print(table)


def _formula(expression: Any, columns: int) -> str:
    """Return the formula in two dimensions, with the cases of a piecewise formula one below another, so that they fit."""
    import sympy

    def drawn(part: Any) -> str:
        part = part.replace(sympy.Min, sympy.Function("min")).replace(sympy.Max, sympy.Function("max"))
        return sympy.pretty(part, use_unicode=encodable("√∑⎛⎝⎞⎠⋅─≤"), num_columns=columns)

    if not isinstance(expression, sympy.Piecewise):
        return drawn(expression)
    cases = [
        f"{drawn(value)}\n{'otherwise' if condition == sympy.true else f'for {drawn(condition)}'}"
        for value, condition in cast(Any, expression.args)
    ]
    return "\n\n".join(cases)
