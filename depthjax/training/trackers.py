"""What the trackers of others show of a training: adapters for the argument `watch` of `ensemble` and of sweeps.

An adapter asks for an object of the tracker and imports none, so nothing new is needed to train. What is logged after every
segment: the median loss of each depth over its seeds, the share of runs that have ended, and the speed.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from depthjax.training.ensemble import Segment

__all__ = ["Watch", "mlflow", "scalars", "tensorboard", "wandb"]

Watch = Callable[..., None]
REFUSED = re.compile(r"[^\w\-. /]")  # characters that no metric of mlflow may have


def scalars(segment: Segment, cell: str = "") -> dict[str, float]:
    """Return what is logged of a segment, by name; losses that are no numbers count as infinite.

    Args:
        segment: The progress of an ensemble.
        cell: The cell of a sweep, which then stands before every name.

    >>> one = Segment(100, (1, 2), np.array([0.5, 0.7, 0.1, np.nan]), 0, 300.0, 600.0, 50.0, 6.0)
    >>> scalars(one, "group=S3")["group=S3/loss/depth 1"]
    0.6
    >>> scalars(one)
    {'loss/depth 1': 0.6, 'loss/depth 2': inf, 'runs ended': 0.0, 'network-steps per second': 50.0, 'share done': 0.5}
    """
    losses = np.asarray(segment.losses, float).reshape(len(segment.depths), -1)
    losses = np.where(np.isfinite(losses), losses, np.inf)
    with np.errstate(invalid="ignore"):  # the median of two infinities
        middle = np.nan_to_num(np.median(losses, axis=1), nan=np.inf, posinf=np.inf)
    found = {f"loss/depth {depth}": float(loss) for depth, loss in zip(segment.depths, middle, strict=True)}
    found |= {"runs ended": segment.ended / losses.size, "network-steps per second": float(segment.rate)}
    found["share done"] = segment.done / segment.total
    return {f"{cell}/{name}" if cell else name: value for name, value in found.items()}


def tensorboard(writer: Any) -> Watch:
    """Return a watcher that writes to a ``SummaryWriter``, such as those of tensorboardX and PyTorch.

    Args:
        writer: Any object with ``add_scalar(name, value, step)``.

    Raises:
        TypeError: The object has no such method.
    """
    add = _method(writer, "add_scalar", "a SummaryWriter of tensorboardX or torch.utils.tensorboard")

    def log(metrics: dict[str, float], step: int) -> None:
        for name, value in metrics.items():
            add(name, value, step)

    return _watch(log)


def mlflow(client: Any) -> Watch:
    """Return a watcher that logs to the active run of mlflow, or to a run of a client that takes the same call.

    Args:
        client: The module ``mlflow``, or any object with ``log_metrics(metrics, step=step)``.

    Raises:
        TypeError: The object has no such method.
    """
    log = _method(client, "log_metrics", "the module mlflow")
    return _watch(lambda metrics, step: log({REFUSED.sub("_", name): value for name, value in metrics.items()}, step=step))


def wandb(run: Any) -> Watch:
    """Return a watcher that logs to a run of wandb; ``wandb.init(mode="offline")`` needs no network.

    Steps of wandb may only grow, and every depth that is trained by itself begins at step 0. So the step is a metric of its
    own, against which all others are drawn.

    Args:
        run: What ``wandb.init`` returns, or any object with ``log(metrics)``.

    Raises:
        TypeError: The object has no such method.
    """
    log = _method(run, "log", "what wandb.init() returns")
    if callable(define := getattr(run, "define_metric", None)):
        define("*", step_metric="optimiser step")
    return _watch(lambda metrics, step: log({**metrics, "optimiser step": step}))


def _watch(log: Callable[[dict[str, float], int], None]) -> Watch:
    def watch(*told: Any) -> None:
        """Take a segment, or the name of a cell and a segment."""
        *cell, segment = told
        log(scalars(segment, *cell), int(segment.step))

    return watch


def _method(thing: Any, name: str, expected: str) -> Callable[..., Any]:
    method = getattr(thing, name, None)
    if not callable(method):
        raise TypeError(f"{type(thing).__name__} has no method {name}: expected {expected}")
    return method
