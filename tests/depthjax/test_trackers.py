"""Adapters for trackers: what a training tells reaches a writer, whatever the layout, and nothing of a tracker is imported."""

import sys
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depthjax.training import Recipe, Segment, ensemble, trackers


class Writer:
    """Takes what all three trackers take, and keeps it."""

    def __init__(self):
        self.kept = []

    def add_scalar(self, name, value, step):
        self.kept.append((name, float(value), step))

    def log_metrics(self, metrics, step):
        for name, value in metrics.items():
            self.add_scalar(name, value, step)

    def log(self, metrics):
        self.log_metrics({name: metrics[name] for name in metrics if name != "optimiser step"}, metrics["optimiser step"])


@pytest.mark.parametrize("layout", ["masked", "buckets"])
@pytest.mark.parametrize("adapter", [trackers.tensorboard, trackers.mlflow, trackers.wandb])
def test_a_training_reaches_a_tracker(adapter, layout):
    writer, recipe = Writer(), Recipe(steps=8, record_every=1)

    def loss(params, batch, depth):
        return jnp.asarray(depth, float) + 0 * params * batch, {}

    ensemble(
        jax.random.key(0),
        lambda key: jnp.zeros(()),
        loss,
        jax.random.normal,
        recipe,
        depths=[1, 3],
        seeds=2,
        layout=layout,
        segments=4,
        watch=adapter(writer),
    )
    for depth in (1, 3):
        shown = [(value, step) for name, value, step in writer.kept if name == f"loss/depth {depth}"]
        assert shown == [(float(depth), 2), (float(depth), 4), (float(depth), 6), (float(depth), 8)]
    assert max(value for name, value, _ in writer.kept if name == "share done") == 1.0
    assert {"runs ended", "network-steps per second"} <= {name for name, _, _ in writer.kept}


LOSSES = np.array([0.5, np.nan, 0.1, np.nan, np.nan, 0.2])


@pytest.mark.parametrize(
    ("depths", "losses", "expected"),
    [
        ((1, 2), LOSSES, {"loss/depth 1": 0.5, "loss/depth 2": np.inf}),
        ((1, 2), LOSSES.reshape(2, 3), {"loss/depth 1": 0.5, "loss/depth 2": np.inf}),
        ((4,), np.array([np.inf, -np.inf, np.nan]), {"loss/depth 4": np.inf}),
        ((4,), np.array([1, 2]), {"loss/depth 4": 1.5}),
        ((4,), jnp.array([1, 2], jnp.bfloat16), {"loss/depth 4": 1.5}),
    ],
)
def test_a_loss_that_is_no_number_is_infinite(depths, losses, expected):
    found = trackers.scalars(Segment(3, depths, losses, 1, 1.0, 4.0, 2.0, 9.0))
    assert {name: found[name] for name in expected} == expected
    assert found["runs ended"] == 1 / losses.size and found["share done"] == 0.25


def test_a_cell_of_a_sweep_stands_before_its_metrics_and_names_are_those_that_mlflow_takes():
    writer, segment = Writer(), Segment(5, (2,), np.array([0.5]), 0, 1.0, 2.0, 3.0, 4.0)
    trackers.mlflow(writer)("group=S3,model=rnn", segment)
    assert ("group_S3_model_rnn/loss/depth 2", 0.5, 5) in writer.kept


def test_steps_of_wandb_are_a_metric():
    seen = []
    run = SimpleNamespace(log=lambda metrics: None, define_metric=lambda *given, **named: seen.append((given, named)))
    trackers.wandb(run)
    assert seen == [(("*",), {"step_metric": "optimiser step"})]


@pytest.mark.parametrize(
    ("adapter", "words"),
    [(trackers.tensorboard, "SummaryWriter"), (trackers.mlflow, "the module mlflow"), (trackers.wandb, "wandb.init")],
)
def test_something_else_is_refused_before_anything_is_trained(adapter, words):
    with pytest.raises(TypeError, match=words):
        adapter(object())
    assert not {"tensorboardX", "mlflow", "wandb"} & sys.modules.keys()
