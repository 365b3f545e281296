"""A sweep from Python: run it from a TOML file or from a `Sweep`, and look at verdicts, cells and the figure."""

import html
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import xarray as xr

from depthjax import files
from depthjax.report.inert import MAX_BYTES
from depthjax.runs.cluster import connected
from depthjax.runs.lock import one_writer
from depthjax.training import Segment
from experiments.studies.configuration import Sweep
from experiments.studies.reading import read
from experiments.studies.sweep import check_seeds, run

__all__ = ["Svg", "Sweep", "SweepRun", "run_sweep"]

SHOWN = ("cell", "depth", "predicted", "succeeded", "seeds", "outcome")


class Svg(str):
    """The text of an SVG file, which a notebook shows as a picture."""

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<Picture: SVG of {len(self)} characters>"


class SweepRun:
    """A finished sweep.

    Attributes:
        sweep: What was asked.
        path: The directory of the results.
        verdicts: One line for each cell and depth: what theory predicts, how many seeds succeeded, and the verdict.
        cells: Curves and tests of each cell, over depth and seed.
    """

    def __init__(self, sweep: Sweep, path: Path, verdicts: list[dict[str, Any]], cells: Mapping[str, xr.Dataset]) -> None:
        self.sweep, self.path, self.verdicts, self.cells = sweep, path, verdicts, cells

    @property
    def figure(self) -> Svg:
        """Accuracy by depth: every seed, the median with its interval, the predicted depth."""
        return Svg(files.read(self.path / "figure.svg", MAX_BYTES, self.path).decode())

    def __repr__(self) -> str:
        rows = [SHOWN, *([str(line[name]) for name in SHOWN] for line in self.verdicts)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(SHOWN))]
        lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([f"<SweepRun {self.path}>", *lines])

    def _repr_html_(self) -> str:
        def row(words: Any, kind: str) -> str:
            return "<tr>" + "".join(f"<{kind}>{html.escape(str(word))}</{kind}>" for word in words) + "</tr>"

        body = "".join(row([line[name] for name in SHOWN], "td") for line in self.verdicts)
        return f"<table><thead>{row(SHOWN, 'th')}</thead><tbody>{body}</tbody></table>"


def run_sweep(
    given: str | Path | Sweep,
    out: str | Path,
    *,
    unjudged: bool = False,
    layout: str = "auto",
    cluster: str | None = None,
    watch: Callable[[str, Segment], None] = lambda cell, segment: None,
) -> SweepRun:
    """Train a sweep, judge it, and return it; finished cells in the directory are not trained again.

    Args:
        given: A TOML file, or a `Sweep`; that of a study is `experiments.studies.reading.paper(name).sweep(setting)`.
        out: The directory of the results, of this configuration alone.
        unjudged: Train even if the seeds are too few for any verdict; every line is then INCONCLUSIVE.
        layout: "auto", "masked" (one program for all depths) or "buckets" (one for each depth).
        cluster: Address of a Dask scheduler whose workers train the cells, such as "tcp://host:8786"; None for this process.
            All workers see the directory, and the numbers are those of `depthjax sweep` alone.
        watch: Told of a cell's name and its `depthjax.training.Segment` after every segment; `depthjax.training.trackers` has
            watchers for trackers.

    Raises:
        SweepError: The configuration cannot be run; or its seeds cannot give a verdict and `unjudged` is not set.
        CheckpointError: The directory belongs to another configuration.
        RecordError: The directory cannot be written, or another process writes to it.
        ClusterError: Nobody listens at the address, the workers would give other numbers, or the scheduler is gone.
    """
    sweep = given if isinstance(given, Sweep) else read(Path(given))
    if not unjudged:
        check_seeds(sweep)
    cells: dict[str, xr.Dataset] = {}

    def keep(name: str, dataset: xr.Dataset, before: bool) -> None:
        cells[name] = dataset

    path = Path(out).resolve()  # workers stand in folders of their own
    with connected(cluster) as workers, one_writer(path):
        lines = run(sweep, path, layout=layout, cluster=workers, watch=watch, finished=keep)
    return SweepRun(sweep, Path(out), lines, cells)
