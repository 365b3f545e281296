"""A question with a bound for its answer, and how the answer is printed."""

import dataclasses
from typing import TYPE_CHECKING, Any, cast

from experiments.commands.usage import UsageError, console, number, print_json, usage

if TYPE_CHECKING:
    from theory.bounds import Bound as TheoryBound


@dataclasses.dataclass(frozen=True, kw_only=True)
class Query:
    """A question with a bound for its answer; the fields of a query are its arguments."""

    latex: bool = False
    """Print the formula in LaTeX and nothing else."""
    json: bool = False
    """Print one JSON object and nothing else."""
    limit: float = 1.0
    """How many times the usual minute and 4 GiB an answer may cost, by its estimate; inf for any cost."""

    def bound(self) -> "TheoryBound":
        """The bound, from `theory`."""
        raise NotImplementedError

    def numbers(self) -> dict[str, Any]:
        """Parameters of the formula that the bound does not hold already."""
        return {}

    def details(self) -> dict[str, tuple[str, ...]]:
        """What else there is to say: rows of lines, by name."""
        return {}

    def run(self) -> int:
        """Print the bound, or what it would need."""
        from theory.cost import allow

        with usage(ValueError), allow(self.limit):
            bound = self.bound()
            checks = bound.check(**self.numbers())
            failed = [statement for statement, holds in checks if not holds]
            value = None if failed else bound.at(**self.numbers())
            details = self.details()
        if self.json:
            print_json(_facts(bound, checks, value) | details)
        elif self.latex and not failed:
            print(bound.latex())
        elif not failed or details:
            _print_bound(bound, checks, value, details)
        if failed:
            raise UsageError(f"{bound.quantity}: outside its hypotheses, so there is no number; fails: {'; '.join(failed)}")
        return 0


def _facts(bound: "TheoryBound", checks: list[tuple[str, bool]], value: float | None) -> dict[str, Any]:
    return {
        "quantity": bound.quantity,
        "expression": str(bound.expr),
        "latex": bound.latex(),
        "value": value,
        "hypotheses": [{"statement": statement, "holds": holds} for statement, holds in checks],
        "source": bound.source,
    }


def _print_bound(
    bound: "TheoryBound", checks: list[tuple[str, bool]], value: float | None, details: dict[str, tuple[str, ...]]
) -> None:
    from rich.table import Table
    from rich.text import Text

    screen = console()
    formula = "none" if value is None else _formula(bound.expr, max(screen.width - 14, 40))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    table.add_row("quantity", Text(bound.quantity))
    table.add_row("formula", Text(formula, no_wrap=True))
    table.add_row("value", Text("none" if value is None else number(value, 10)))
    for index, (statement, holds) in enumerate(checks):
        table.add_row("" if index else "hypotheses", Text(f"{'✓' if holds else '✗'} {statement}"))
    for name, lines in details.items():
        for index, line in enumerate(lines):
            table.add_row("" if index else name, Text(line))
    table.add_row("source", Text(bound.source))
    screen.print(table)


def _formula(expression: Any, columns: int) -> str:
    """The formula in two dimensions; the cases of a piecewise one below each other, so that they fit a terminal."""
    import sympy

    def drawn(part: Any) -> str:
        part = part.replace(sympy.Min, sympy.Function("min")).replace(sympy.Max, sympy.Function("max"))
        return sympy.pretty(part, use_unicode=True, num_columns=columns)

    if not isinstance(expression, sympy.Piecewise):
        return drawn(expression)
    cases = [
        f"{drawn(value)}\n{'otherwise' if condition == sympy.true else f'for {drawn(condition)}'}"
        for value, condition in cast(Any, expression.args)
    ]
    return "\n\n".join(cases)
