"""The live display of a campaign, on standard error: a bar on a terminal, and a line per finished mutant everywhere."""

from types import TracebackType
from typing import Any

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from experiments.terminal import console


class MutantsDisplay:
    """Shows mutants as they are tried."""

    def __init__(self, total: int, before: int):
        self.console = console(stderr=True)
        columns = TextColumn("[bold]mutants"), BarColumn(None), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
        self.bars = Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal)
        self.all = self.bars.add_task("mutants", total=total, completed=before)
        if before:
            self.console.print(f"[dim]{before} tried before and unchanged, {total - before} to go[/]")

    def __enter__(self) -> "MutantsDisplay":
        self.bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.bars.stop()

    def finished(self, entry: dict[str, Any]) -> None:
        """A mutant was tried."""
        self.bars.advance(self.all)
        missed = [slug for slug in entry["claims"] if slug not in entry["by"]]
        if entry["equivalent"]:
            word = "[dim]equivalent[/]"
        elif entry["noticed"]:
            word = f"[green]noticed[/] [dim]{entry['how']} at {entry['size']} by {', '.join(entry['by'])}[/]"
            word += f" [yellow]not by {', '.join(missed)}[/]" if missed else ""
        else:
            word = f"[bold red]NOT NOTICED[/] by {', '.join(missed)}"
            word += f" [yellow]({escape(entry['reason'])})[/]" if entry["reason"] else ""
        self.console.print(f"{word}  {escape(entry['name'])}", soft_wrap=True)
