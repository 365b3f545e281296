"""The live display of a run, on standard error: a bar per running claim on a terminal, a line per finished one elsewhere."""

from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from experiments.terminal import console, outcome


class ClaimsDisplay:
    """Shows claims as they run."""

    def __init__(self, slugs: list[str], before: int):
        self.console = console(stderr=True)
        columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(None), MofNCompleteColumn(), TimeElapsedColumn()
        self.bars = Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal)
        self.all = self.bars.add_task("[bold]claims", total=len(slugs) + before, completed=before)
        self.tasks: dict = {}
        if before:
            self.console.print(f"[dim]{before} finished before, {len(slugs)} to go[/]")

    def __enter__(self) -> "ClaimsDisplay":
        self.bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.bars.stop()

    def progress(self, slug: str, done: int, total: int) -> None:
        """A claim has finished some of its cells."""
        if slug not in self.tasks:
            self.tasks[slug] = self.bars.add_task(f"  {slug}")
        self.bars.update(self.tasks[slug], completed=done, total=total)

    def finished(self, entry: dict) -> None:
        """A claim has its verdict."""
        if (task := self.tasks.pop(entry["slug"], None)) is not None:
            self.bars.remove_task(task)
        self.bars.advance(self.all)
        seconds = entry["seconds"]["compile"] + entry["seconds"]["run"]
        self.console.print(f"{outcome(entry['outcome'])}  {entry['slug']}  [dim]{seconds:.1f} s[/]")
