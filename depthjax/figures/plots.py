"""A claim's figure: what was predicted against what was measured, drawn by the claim's relation.

Deterministic SVG: the same numbers give the same file.
"""

import contextlib
import html
import io
from collections.abc import Iterator, Sequence

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure, FigureBase

from depthjax.figures import panels
from depthjax.figures.captions import captions
from depthjax.figures.inks import INK, PAPER
from depthjax.figures.panel import Panel
from depthjax.figures.ticks import plain_ticks
from depthjax.verify.experiment import Experiment
from depthjax.verify.prediction import Prediction, Predictions
from depthjax.verify.quantity import cell_names
from depthjax.verify.trials import Control
from depthjax.verify.verdict import Verdict

WIDTH = 7.6  # inches; fits a page
MAX_PANELS = 6
CLOUD, DPI = 300, 200  # points of a panel that are drawn as shapes; dots of a picture, per inch

STYLE = {
    "font.size": 9,
    "font.sans-serif": ["DejaVu Sans", "Verdana"],  # of one width, and one of them nearly everywhere
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "legend.fontsize": 8,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.facecolor": "none",
    "figure.facecolor": PAPER,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "svg.fonttype": "none",  # words stay words: a path for every letter would be most of a file
}


def figure(
    experiment: Experiment,
    predictions: Sequence[Predictions | None],
    falsehoods: Sequence[Sequence[Predictions | None]],
    dataset: xr.Dataset,
    verdict: Verdict,
    most: int = MAX_PANELS,
) -> str:
    """The figure as SVG text: the claim's pictures, then a panel for each quantity and relation, the headline before others.

    Its description holds the captions, from top to bottom, a line each.

    Args:
        experiment: the claim.
        predictions: per cell.
        falsehoods: per control and rival, per cell; drawn where it speaks of the claim's own measurement.
        dataset: measured, over ``cell``.
        verdict: supplies which points were used and the budgets.
        most: panels to draw.
    """
    parts = _panels(experiment, predictions, falsehoods, dataset, verdict)
    # what shows something stands first, and there the quantity that the title speaks of
    parts.sort(key=lambda part: (part.kind in panels.WORDS, part.variable != experiment.claim.headline))
    shown = parts[:most]
    heights = [panels.height(part) for part in shown]
    with styled(experiment.claim.slug):
        pictures = experiment.pictures
        tall = [picture.height for picture in pictures]
        canvas = Figure(figsize=(WIDTH, sum(tall) + sum(heights) + 0.1), layout="constrained")
        FigureCanvasSVG(canvas)
        page: FigureBase = canvas
        if pictures:
            *places, page = canvas.subfigures(1 + len(tall), 1, squeeze=False, height_ratios=[*tall, sum(heights)])[:, 0]
            for picture, place in zip(pictures, places, strict=True):
                picture.draw(place, dataset)
        axes = page.subplots(len(shown), 1, squeeze=False, height_ratios=heights)[:, 0]
        for part, axis in zip(shown, axes, strict=True):
            panels.draw(part, axis)
        if len(parts) > len(shown) and most > 1:
            page.supxlabel(f"{len(shown)} of {len(parts)} quantities shown", fontsize=8)
        said = [picture.caption for picture in pictures if picture.caption] + captions(shown)
        return svg(canvas, experiment.claim.title, "\n".join(said))


def svg(canvas: Figure, title: str, caption: str = "") -> str:
    """The figure as text, without a date. Clouds of points become pictures: as shapes they would be most of a file.

    Args:
        canvas: The figure.
        title: Its name, which screen readers say first.
        caption: What it shows, a paragraph a line: the description of the file, which the report and the gallery print below.
    """
    for axis in canvas.axes:
        plain_ticks(axis)
        _unmeasured(axis)
        marked = [line for line in axis.lines if line.get_marker() not in ("None", None, "") and line.get_color() != INK]
        for line in marked if sum(np.size(line.get_xdata()) for line in marked) > CLOUD else ():
            line.set_zorder(-1)
            axis.set_rasterization_zorder(0)  # one picture of all clouds, under the lines
    stream, canvas.dpi = io.StringIO(), DPI
    # `savefig` would draw everything twice, for layouts that need a drawing first; a constrained one does not
    FigureCanvasSVG(canvas).print_svg(stream, metadata={"Date": None, "Creator": "depthjax", "Title": title})
    described = f"</title>\n <desc>{html.escape(caption, quote=False)}</desc>" if caption else "</title>"
    return stream.getvalue().replace("</title>", described, 1)


def _unmeasured(axes: Axes) -> None:
    """Spare the layout what takes no room: the frame, which lies inside the ticks, and labels without words."""
    axes.spines[:].set_in_layout(False)
    for axis in (axes.xaxis, axes.yaxis):
        if not axis.get_label_text():
            axis.set_label_coords(0.5, 0.5)


def _panels(experiment, predictions, falsehoods, dataset, verdict) -> list[Panel]:
    """Group what is predicted by quantity and relation; samples whose mean is predicted are shown by their mean."""
    claim = experiment.claim
    means = {p.of: p.mean for _, p in _each(predictions) if p.mean in dataset[p.of].dims}
    dataset = dataset.assign({name: dataset[name].mean(dim, keep_attrs=True) for name, dim in means.items()})
    names = [spoken(name) for name in cell_names(dataset)]
    controls = [
        (trial.name, entries)
        for trial, entries in zip(experiment.trials, falsehoods, strict=True)
        if not (isinstance(trial, Control) and trial.own_measurement)
    ]
    found: dict[tuple[str, str], Panel] = {}
    exact = {prediction.of for _, prediction in _each(predictions) if not prediction.one_sided}
    for cell, prediction in _each(predictions):
        if prediction.one_sided and prediction.of in exact:
            continue  # the panel of the exact order shows the same points
        relation = prediction.relation or claim.relation
        label = f"{relation.value} at least" if prediction.one_sided else relation.value
        key = prediction.of, label
        if key not in found:
            rivals = [(name, c, p) for name, entries in controls for c, p in _each(entries) if p.of == prediction.of]
            judged = [f for f in verdict.findings if f.quantity == prediction.of and f.relation == label]
            found[key] = Panel(prediction.of, relation, names, dataset, {}, judged, rivals)
        found[key].said(cell, prediction)
    return list(found.values())


def spoken(cell: str) -> str:
    """A cell's name for people: ``letters=2,group=S3`` becomes "letters 2, group S3"."""
    return cell.replace(",", ", ").replace("=", " ").replace("_", " ")


def _each(entries: Sequence[Predictions | None]) -> Iterator[tuple[int, Prediction]]:
    for cell, entry in enumerate(entries):
        for prediction in [entry] if isinstance(entry, Prediction) else entry or ():
            yield cell, prediction


@contextlib.contextmanager
def styled(salt: str) -> Iterator[None]:
    """The look of every figure; `salt` makes the ids inside the file the same every time."""
    settings: dict = {**matplotlib.rcParamsDefault, "backend": matplotlib.rcParams["backend"], **STYLE, "svg.hashsalt": salt}
    with matplotlib.rc_context(settings), np.errstate(all="ignore"):
        yield
