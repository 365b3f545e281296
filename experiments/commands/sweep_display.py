"""What a sweep shows: its cells while they are trained, and the table of its verdicts."""

from experiments.terminal import console, number, outcome, warn


class SweepDisplay:
    """Cells as they are trained, on standard error: on a terminal a bar with pace and time left, elsewhere a line each."""

    def __init__(self, cells: int):
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

        self.console = console(stderr=True)
        columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(None), MofNCompleteColumn()
        terminal = self.console.is_terminal and cells > 0
        self.bars = Progress(*columns, console=self.console, transient=True, disable=not terminal)
        self.quiet = cells == 0
        self.all = self.bars.add_task("[bold]cells", total=cells)
        self.now = self.bars.add_task("", total=1000, visible=False)

    def __enter__(self) -> "SweepDisplay":
        self.bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.bars.stop()

    def watch(self, cell: str, segment) -> None:
        """A segment of a cell is done."""
        text = f"  {cell}: step {segment.step}, {segment.rate:.0f} network-steps/s, {_clock(segment.left)} left"
        self.bars.update(self.now, description=text, completed=int(1000 * segment.done / segment.total), visible=True)

    def finished(self, cell: str, dataset, before: bool) -> None:
        """A cell is done, or was found done."""
        self.bars.update(self.now, visible=False)
        self.bars.advance(self.all)
        if not self.quiet:
            self.console.print(f"{'[dim]found[/]' if before else 'trained'}  {cell}")


def print_table(lines: list[dict]) -> None:
    """One line for each cell and depth; what is not supported is explained on standard error."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("cell", "depth", "predicted", "succeeded", "best", "median", "verdict"):
        table.add_column(name, justify="left" if name in ("cell", "verdict") else "right", overflow="fold")
    words = {True: "can", False: "cannot", None: "–"}
    for line in lines:
        share = f"{line['succeeded']} of {line['seeds']}"
        best, median = (number(next(iter(line[name].values()))) for name in ("best", "median"))
        row = (line["cell"], str(line["depth"]), words[line["predicted"]], share, best, median, outcome(line["outcome"]))
        table.add_row(*row)
    console().print(table)
    for line in lines:
        if line["reason"] and line["outcome"] != "SUPPORTED":
            warn(f"{line['cell']}, depth {line['depth']}: {line['reason']}")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"
