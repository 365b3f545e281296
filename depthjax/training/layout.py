"""How the runs of an ensemble are batched: which depths share a program, and how many runs a device computes side by side.

- The layout is the depths that one program serves: ``masked``, all depths; ``buckets``, one depth each.
- Lanes are the runs that a device computes side by side. With one lane a run skips the layers that it does not have. With
  several lanes in the masked layout every run computes the deepest stack and masks.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import jax
from jaxtyping import Array, PyTree

from depthjax.checks import at_least

Layout = Literal["auto", "masked", "buckets"]
ALL = 2**30  # lanes: as many as there are runs
# Measured on CPUs in processor seconds (`benchmarks/ensemble.py` and the gradient of the word problems' networks):
LARGE = 500_000  # of `work_of_step`: one lane took 0.71 of the time of sixteen at 8e5, 0.69 of that of eight at 9e6
STEP, UNIT = 1e-3, 2e-10  # seconds of a network-step, and for a unit of its work: 0.8 ms at 8e5, 3.7 at 9e6, 88 at 5e8
MASKED = 0.8  # of these in addition for depth as data: the gradient took 1.9 times as long at width 16, 1.75 times at 64
COMPILING = 8.0  # seconds for the program of one more depth


def work_of_step(init: Callable[[Array], PyTree], sample: Callable[[Array], PyTree]) -> int:
    """Return the parameters of the deepest network times the positions of a batch: the additions of a forward pass, roughly."""
    key = jax.eval_shape(jax.random.key, 0)
    params, batch = (jax.tree.leaves(jax.eval_shape(make, key)) for make in (init, sample))
    return sum(leaf.size for leaf in params) * max((leaf.size for leaf in batch), default=1)


def chosen_layout(backend: str, depths: Sequence[int], work: int, steps: int) -> str:
    """Return the faster layout.

    On a CPU the masked layout costs running time and the buckets cost compile time; the cheaper one over all network-steps is
    taken. An accelerator gets one large batch (a rule, not a measurement).

    Args:
        backend: Backend as JAX names it.
        depths: Depths of the networks.
        work: Work of a step of the deepest network (`work_of_step`).
        steps: Network-steps of all depths and seeds together.

    >>> chosen_layout("cpu", [1, 2, 3], work=10**7, steps=10**5), chosen_layout("gpu", [1, 2, 3], work=10**7, steps=10**5)
    ('buckets', 'masked')
    """
    if backend != "cpu" or len(depths) == 1:
        return "masked"
    shallower = sum(depths) / (len(depths) * max(depths))
    return "masked" if MASKED * running(work, steps) * shallower < COMPILING * (len(depths) - 1) else "buckets"


def depth_is_data(depth: int, deepest: int, steps: int, layout: Layout = "auto") -> bool:
    """Return whether one program for all depths 1, 2, ..., `deepest` of a small network is faster than one for each.

    For whoever trains one depth at a time and is asked for the others later. On a CPU the gradient of one layer of two took
    twice as long as that of a network of one layer, parameters and moments of the second included, and compiling 4 to 6 s.

    Args:
        depth: Number of layers.
        deepest: Number of layers of the deepest network that shares the program.
        steps: Network-steps of this depth.
        layout: "masked" and "buckets" decide it.

    Raises:
        ValueError: The depth is not among 1, 2, ..., `deepest`.

    >>> depth_is_data(1, 2, steps=10, layout="buckets")
    False
    """
    if not 1 <= depth <= deepest:
        raise ValueError(f"depth is {depth}, expected one of 1 to {deepest}, the layers of the deepest network")
    depths = range(1, deepest + 1)
    kind = chosen_layout(jax.default_backend(), depths, 0, steps * deepest) if layout == "auto" else layout
    return kind == "masked" and deepest > 1


def running(work: int, steps: int) -> float:
    """Return the estimated CPU seconds of `steps` network-steps, each of `work` (`work_of_step`)."""
    return (STEP + UNIT * work) * steps


def chosen_lanes(backend: str, work: int) -> int:
    """Return the fastest number of runs side by side on one device.

    On a CPU runs evict each other from the caches, and batched products of small matrices are slower than single ones. So large
    networks, for which this was measured, run one at a time. Smaller ones, and all on an accelerator, run together (a rule, not
    a measurement). `work` is that of one step (`work_of_step`).

    >>> chosen_lanes("cpu", work=1), chosen_lanes("cpu", work=10**9)
    (1073741824, 1)
    """
    return 1 if backend == "cpu" and work >= LARGE else ALL


class Spread(NamedTuple):
    """The rows of a group over devices: each device has `rounds` times `lanes` of them.

    Attributes:
        sharding: Sharding of the batch axis.
        rounds: Number of batches that a device computes one after the other.
        lanes: Number of runs in each batch.
    """

    sharding: jax.sharding.NamedSharding
    rounds: int
    lanes: int

    @classmethod
    def over(cls, sharding: jax.sharding.NamedSharding, runs: int, lanes: int) -> "Spread":
        """Return the spread of `runs` runs with at most `lanes` lanes, the same number in every round."""
        each = -(-runs // sharding.mesh.size)
        rounds = -(-each // lanes)
        return cls(sharding, rounds, -(-each // rounds))

    @property
    def rows(self) -> int:
        """Number of rows, padding included."""
        return self.sharding.mesh.size * self.rounds * self.lanes

    def mapped(self, run: Callable) -> Callable:
        """Return `run` for all rows: arguments and results have a leading axis of rows."""
        rows = self.sharding.spec
        return jax.shard_map(partial(self._local, run), mesh=self.sharding.mesh, in_specs=rows, out_specs=rows, check_vma=False)

    def _local(self, run: Callable, *rows: Any) -> Any:
        if self.lanes == 1:
            return jax.lax.map(lambda row: run(*row), rows)
        rows = jax.tree.map(lambda a: a.reshape(self.rounds, self.lanes, *a.shape[1:]), rows)
        found = jax.lax.map(lambda row: jax.vmap(run)(*row), rows)
        return jax.tree.map(lambda a: a.reshape(self.rounds * self.lanes, *a.shape[2:]), found)


def device_sharding(devices: int | None) -> jax.sharding.NamedSharding:
    """Return the sharding of the batch axis of runs over devices.

    Args:
        devices: Number of devices; None takes all devices of all processes.

    Raises:
        ValueError: JAX sees fewer devices, or several processes do not share all of them.
    """
    seen = jax.devices()
    wanted = len(seen) if devices is None else at_least("devices", devices, 1)
    if wanted > len(seen):
        raise ValueError(
            f"{wanted} devices were asked for, but JAX sees {len(seen)} ({seen[0].platform}): ask for fewer, or for none "
            "to take all; a CPU is split with XLA_FLAGS=--xla_force_host_platform_device_count=N"
        )
    if jax.process_count() > 1 and wanted < len(seen):
        raise ValueError(f"{jax.process_count()} processes share {len(seen)} devices: ask for all of them, not {wanted}")
    mesh = jax.make_mesh((wanted,), ("runs",), axis_types=(jax.sharding.AxisType.Auto,), devices=seen[:wanted])
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("runs"))
