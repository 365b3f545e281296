"""One cell of every study's setting for a few steps: seconds a step, and what the whole setting takes at this speed.

The dry run predicts hours from counted operations, a published peak and an assumed share of it. Here the share is measured:
the operations of the steps that ran, by the same count, over their time. Hours at this share are those of the whole setting.
A cell that the dry run says does not fit is not run, and the row has the number of bytes.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax

from benchmarks.enough import Enough
from depthjax.training import Segment
from experiments.studies.accelerators import ACCELERATORS, UTILISATION, CardTooSmall, check_memory, hours
from experiments.studies.cost import network_of, operations_of, together
from experiments.studies.reading import paper
from experiments.studies.study import Study, train
from experiments.studies.tasks import sampler

Row = dict[str, Any]
ORDER = (  # by what a minute of a card is worth: the studies with published numbers first
    "hop_depth",
    "word_problems",
    "automata_depth",
    "gridworld_depth",
    "alternation_depth",
    "rotation",
    "wide_or_deep",
    "composition",
)
STRETCH = 10  # steps between two looks at the clock
DEVICE = "H100"


def median_cell(studies: dict[str, Study]) -> str:
    """Return the cell of median work, by the rule of thumb of the dry run's calibration."""
    work = sorted((study.width**2 * max(study.depths) * study.batch, name) for name, study in studies.items())
    return work[len(work) // 2][1]


def rows(
    setting: str,
    late: Callable[[], bool],
    room: int | None,
    *,
    seconds: float = 6.0,
    least: int = 3,
    names: tuple[str, ...] = ORDER,
) -> Iterator[Row]:
    """Train one cell of every study for `seconds` and `least` stretches after compilation; `room` is the device's bytes."""
    yield {"asked": [{"study": name} for name in names]}
    for name in names:
        if late():
            return
        head: Row = {"study": name, "setting": setting}
        try:
            yield head | _row(name, setting, room, seconds, least)
        except CardTooSmall as error:
            yield head | {"refused": str(error)}
        except Exception as error:
            yield head | {"failed": f"{type(error).__name__}: {str(error)[:300]}"}
        jax.clear_caches()  # programs of other cells hold memory


def _row(name: str, setting: str, room: int | None, seconds: float, least: int) -> Row:
    studies = paper(name).sweep(setting).studies()
    chosen = median_cell(studies)
    study = studies[chosen]
    needed = together(study)
    row: Row = {"cell": chosen, "runs": study.seeds * len(study.depths), "needed_bytes": needed}
    if room is not None:
        check_memory(f"{name}, {chosen}", needed, room)
    compiling, each, steps = _steps(study, seconds, least)
    operations = operations_of(study) / study.recipe.steps
    whole = sum(operations_of(one) for one in studies.values())
    share = operations / each / ACCELERATORS[DEVICE].peak
    told = jax.devices()[0].memory_stats() or {}
    return row | {
        "compile_seconds": compiling,
        "seconds_a_step": each,
        "steps": steps,
        "tokens_per_second": study.seeds * len(study.depths) * network_of(study).positions / each,
        "utilisation": share,
        "hours": whole / (operations / each) / 3600,
        "dry_run_hours": hours(whole, DEVICE, UTILISATION),
        "peak_bytes": told.get("peak_bytes_in_use"),
    }


def _steps(study: Study, seconds: float, least: int) -> tuple[float, float, int]:
    """Seconds before the second stretch, seconds a step of all runs of the cell together, and the steps that were timed."""
    recipe = dataclasses.replace(study.recipe, steps=10**4 * STRETCH, record_every=STRETCH, warmup=0, stop_metric="")
    begun, first, now, stretches = time.perf_counter(), None, 0.0, 0

    def watch(segment: Segment) -> None:
        nonlocal first, now, stretches
        now = time.perf_counter()
        if first is None:
            first = now
            return
        stretches += 1
        if stretches >= least and now - first >= seconds:
            raise Enough

    short = dataclasses.replace(study, recipe=recipe, tests=16)
    try:
        train(short, jax.random.key(0), sampler(short), segments=recipe.records, watch=watch)
    except Enough:
        pass
    assert first is not None  # a stretch was trained
    return first - begun, (now - first) / (stretches * STRETCH), stretches * STRETCH
