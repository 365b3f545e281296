"""What a sweep would cost, before it runs: counted where it can be counted, and estimated from seconds of its own training.

- Counted: cells, network-steps (one network, one optimiser step) and tokens. A run that reaches its metric stops earlier.
- Operations: six for every weight and token, two forward and four backward, the usual count. Attention between positions is
  left out, which matters where words are longer than a few widths.
- Hours here: the rule of `depthjax.training.layout`, scaled for every kind of network by what seconds of it measure here.
- Memory: weights, gradients and both moments of the runs side by side, and what XLA says that one gradient needs besides.
  A CPU has as many runs side by side as `depthjax.training.layout` chooses, an accelerator all runs of a cell.
"""

import dataclasses
import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np
import optax
from flax import linen as nn

from depthjax.compiler import lean_options
from depthjax.instruments.trained_composition import initial_weights
from depthjax.models.stack import ResidualBlock, SequenceModel
from depthjax.training import streams
from depthjax.training.ensemble import LONG
from depthjax.training.layout import Spread, chosen_lanes, chosen_layout, device_sharding, running
from experiments.studies.accelerators import check_memory
from experiments.studies.composers import COMPOSERS
from experiments.studies.study import Study, loss_of, parts_of
from experiments.studies.tasks import sampler as sampler_of

CALIBRATION = 4.0  # seconds of training, shared by the kinds of network
OPERATIONS = 6  # for each weight and token: two forward and four backward
COPIES = 4  # of every weight: itself, its gradient and two moments
FLOAT = 4  # bytes of a number: networks are trained in float32
WORK = 2e8  # of one calibrated step, so that several fit into the time; larger batches are cut
SHORTEST = 64  # letters of a word that is cut, at least
STRETCH = 5  # steps between two looks at the clock
GROUPS = 4  # of stretches, whose speeds are compared with each other
RECORD = 1 / 3  # of a step: the forward pass whose metrics are recorded
KEPT = 2**14  # shapes whose counts are kept, a few kilobytes each


@dataclasses.dataclass(frozen=True)
class CellNetwork:
    """One cell at its largest depth: weights outside its layers and in each layer, and positions of a batch."""

    outside: int
    layer: int
    positions: int

    def weights(self, depth: int) -> int:
        """Their number at a depth."""
        return self.outside + depth * self.layer

    def work(self, depth: int) -> int:
        """Weights times positions, as `work_of_step` counts."""
        return self.weights(depth) * self.positions


@dataclasses.dataclass(frozen=True)
class Cost:
    """What a sweep costs.

    Attributes:
        cells: Number of cells.
        network_steps: Optimiser steps of all networks, at most.
        tokens: Tokens that they see.
        operations: Floating-point operations.
        memory: Bytes of the largest cell on this machine.
        together: Bytes of that cell where all its runs stand side by side, as on an accelerator.
        seconds: Processor seconds by the rule of thumb, by kind of network, not yet scaled to this machine.
    """

    cells: int
    network_steps: int
    tokens: int
    operations: float
    memory: int
    together: int
    seconds: Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class Calibration:
    """How fast this machine trains each kind of network.

    Attributes:
        factor: Measured seconds of a network-step over those of the rule, by kind.
        rate: Network-steps per second of the calibrated cell, by kind.
        cell: Name of that cell, by kind.
        error: Standard error of the rate as a share of it, by kind: how unevenly this machine trained while it was measured.
    """

    factor: Mapping[str, float]
    rate: Mapping[str, float]
    cell: Mapping[str, str]
    error: Mapping[str, float]

    def hours(self, cost: Cost) -> float:
        """Return the hours of a sweep on this machine, as one process runs it."""
        return sum(self.factor[kind] * seconds for kind, seconds in cost.seconds.items()) / 3600

    def uncertainty(self, cost: Cost) -> float:
        """Return two standard errors of these hours as a share of them; kinds err together, since one machine slows all."""
        hours = {kind: self.factor[kind] * seconds for kind, seconds in cost.seconds.items()}
        return 2 * sum(self.error[kind] * each for kind, each in hours.items()) / sum(hours.values())


def cost(studies: Mapping[str, Study], counted: Callable[[int], None] = lambda cells: None) -> Cost:
    """Return what the cells of a sweep cost; nothing is trained, and one gradient is compiled.

    Args:
        studies: The cells by name. Each kind and width of layer is traced once, and so is each shape of words, a
            hundredth of a second each; a cell whose shapes are known costs a tenth of a millisecond.
        counted: Told the number of cells that are counted, after each of them.
    """
    steps = tokens = 0
    operations, seconds, largest = 0.0, {}, None
    for number, study in enumerate(studies.values(), 1):
        counted(number)
        network, each = network_of(study), study.recipe.steps * study.seeds
        steps += each * len(study.depths)
        tokens += each * len(study.depths) * network.positions
        operations += operations_of(study, network)
        rule = sum(running(network.work(depth), each) for depth in study.depths)
        seconds[study.model] = seconds.get(study.model, 0.0) + rule
        if largest is None or network.work(max(study.depths)) > largest[1]:
            largest = study, network.work(max(study.depths)), network
    assert largest is not None  # a sweep has a cell
    study, work, network = largest
    runs = study.seeds * len(study.depths)
    each = COPIES * FLOAT * network.weights(max(study.depths)) + temporary(study)
    return Cost(len(studies), steps, tokens, operations, side_by_side(work, runs) * each, runs * each, seconds)


def operations_of(study: Study, network: CellNetwork | None = None) -> float:
    """Return the floating-point operations of a cell, of all its steps, seeds and depths; `network` if it is known."""
    known = network_of(study) if network is None else network
    return float(OPERATIONS * study.recipe.steps * study.seeds * sum(known.work(depth) for depth in study.depths))


def together(study: Study) -> int:
    """Return the bytes of a cell whose runs all stand side by side, as on an accelerator; compiles one gradient here."""
    deepest = max(study.depths)
    return study.seeds * len(study.depths) * (COPIES * FLOAT * network_of(study).weights(deepest) + temporary(study))


def check_card(studies: Mapping[str, Study], room: float | None = None) -> None:
    """Refuse a sweep whose largest cell, with all its runs side by side, does not fit into an accelerator.

    Args:
        studies: The cells by name.
        room: Bytes of the accelerator. None asks the first device of this process; a CPU, and a device that does not say, have
            room, since a CPU trains as many runs side by side as it likes.

    Raises:
        CardTooSmall: names the cell, both numbers of bytes, and what to do.
    """
    if room is None:
        device = jax.local_devices()[0]
        room = None if device.platform == "cpu" else (device.memory_stats() or {}).get("bytes_limit")
    if room is None:
        return
    name, study = max(studies.items(), key=lambda item: network_of(item[1]).work(max(item[1].depths)))
    check_memory(name, together(study), room)


def calibrate(
    studies: Mapping[str, Study], seconds: float = CALIBRATION, trying: Callable[[str], None] = lambda kind: None
) -> Calibration:
    """Train the cell of median work of every kind for its share of the time, compilation aside.

    Args:
        studies: The cells by name.
        seconds: All kinds together. Each trains `GROUPS` stretches at least.
        trying: Told each kind before it is compiled and trained.
    """
    kinds: dict[str, list[tuple[int, str]]] = {}
    for name, study in studies.items():
        kinds.setdefault(study.model, []).append((study.width**2 * max(study.depths) * study.batch, name))
    factor, rate, cells, error = {}, {}, {}, {}
    for kind, found in kinds.items():
        trying(kind)
        name = sorted(found)[len(found) // 2][1]
        study = _small(studies[name])
        rate[kind], error[kind] = _rate(study, seconds / len(kinds), _options(studies[name]))
        cells[kind] = name
        factor[kind] = 1 / (rate[kind] * running(network_of(study).work(max(study.depths)), 1))
    return Calibration(factor, rate, cells, error)


def network_of(study: Study) -> CellNetwork:
    """Return the weights and positions of a cell at its largest depth; draws shapes alone, and the same shapes once."""
    sampler = sampler_of(study)
    model = study.network(sampler)
    positions = study.batch * _positions(_Shaped(_shapes(sampler), sampler), study.length)
    if isinstance(model, SequenceModel):
        bare, letter, output, layer = _parts(model.layer)  # type: ignore[arg-type]
        return CellNetwork(bare + model.letters * letter + model.outputs * output, layer, positions)
    codes, mixes = _composer_parts(model.kind, model.length)
    return CellNetwork(model.width * (codes * len(model.table) + mixes * model.width), 0, positions)  # layers share weights


@dataclasses.dataclass(frozen=True)
class _Shaped:
    """What is traced, and equal to whatever has its shapes: no count depends on the entries of a table."""

    shapes: Any
    it: Any = dataclasses.field(compare=False)


def _shapes(value: Any) -> Any:
    """A value that can be a key, with shapes and types in the place of arrays."""
    if isinstance(value, np.ndarray | jax.Array):
        return value.shape, str(value.dtype)
    if dataclasses.is_dataclass(value):
        return type(value), tuple(_shapes(getattr(value, field.name)) for field in dataclasses.fields(value))
    return value if isinstance(value, Hashable) else repr(value)


@lru_cache(maxsize=KEPT)
def _positions(words: _Shaped, length: int) -> int:
    """The positions of one word."""
    return jax.eval_shape(lambda key: words.it.sample(key, 1, length), _key()).tokens.size


@lru_cache(maxsize=KEPT)
def _composer_parts(kind: str, length: int) -> tuple[int, int]:
    """Weights of a composer of one unit for every element, and for every unit: its matrices read codes or mix units."""

    def weights(order: int) -> int:
        return _size(jax.eval_shape(lambda key: initial_weights(key, COMPOSERS[kind], order, length, 1), _key()))

    codes = weights(2) - weights(1)
    return codes, weights(1) - codes


@lru_cache(maxsize=KEPT)
def _parts(layer: ResidualBlock) -> tuple[int, int, int, int]:
    """Weights of the ends of a network with such layers: the bare ones, a letter's and an output's; and those of a layer.

    A letter adds a row to the embedding, and an output a column to the readout, so networks on other words trace nothing.
    """
    sample = jax.ShapeDtypeStruct((16, 1, layer.mixer.width), layer.mixer.dtype)
    inside = _size(jax.eval_shape(layer.init, _key(), sample)["params"])
    left_out = _LeftOut(layer.mixer, mlp=False)

    def ends(letters: int, outputs: int) -> int:
        return _size(jax.eval_shape(SequenceModel("", letters, outputs, False, 1, left_out).init, _key()))

    least = ends(1, 1)
    letter, output = ends(2, 1) - least, ends(1, 2) - least
    return least - letter - output, letter, output, inside


def _key() -> Any:
    return jax.eval_shape(jax.random.key, 0)


class _LeftOut(ResidualBlock):
    """A layer without parameters, so that those of a network's ends are left."""

    @nn.nowrap
    def init(self, *_: Any, **__: Any) -> dict[str, Any]:
        """Return none."""
        return {"params": {}}


def _size(params: Any) -> int:
    return sum(leaf.size for leaf in jax.tree.leaves(params))


def temporary(study: Study) -> int:
    """Return the bytes that XLA plans for one gradient of the deepest network of a cell, beside weights and their gradients.

    On a CPU the program is planned, and hardly optimised, which takes a tenth of the time: of ten kinds of layers the plans
    differed by 80 bytes at most from those of a program that is to run.
    """
    sampler, depth = sampler_of(study), max(study.depths)
    model, key = study.network(sampler), jax.eval_shape(jax.random.key, 0)
    gradient = jax.grad(loss_of(model, sampler), has_aux=True)
    params, batch = (jax.eval_shape(make, key) for make in (model.init, lambda k: sampler.sample(k, study.batch, study.length)))
    planned = jax.jit(lambda p, b: gradient(p, b, depth), compiler_options=lean_options(jax.default_backend(), once=True))
    needs = planned.lower(params, batch).compile().memory_analysis()
    return needs.temp_size_in_bytes if needs else 0


def side_by_side(work: int, runs: int) -> int:
    """Return how many of the runs of a cell, each step of such a work, stand side by side on the devices of this machine."""
    return min(runs, chosen_lanes(jax.default_backend(), work) * jax.device_count())


def _small(study: Study) -> Study:
    """The cell at its largest depth, with a batch that several steps of fit into the time.

    It keeps its seeds where they are trained side by side, and else has one for every device. Where one word is too much, the
    word is shorter.
    """
    work = network_of(study).work(max(study.depths))
    share = min(1.0, WORK / work)
    batch, word = max(1, int(study.batch * share)), work / study.batch
    shorter = max(min(study.length, SHORTEST), int(study.length * min(1.0, WORK / word)))
    length = study.length if study.task == "file" else shorter  # the words of a file are not cut
    curriculum = tuple(each for each in study.curriculum if each < length) + (length,) * bool(study.curriculum)
    seeds = side_by_side(work, study.seeds)
    return dataclasses.replace(
        study, depths=(max(study.depths),), seeds=seeds, batch=batch, length=length, curriculum=curriculum
    )


def _options(study: Study) -> dict[str, int | bool] | None:
    """How `depthjax.training.ensemble` has the steps of a cell compiled: with care where they run for long."""
    work, steps = network_of(study).work(max(study.depths)), study.recipe.steps * study.seeds * len(study.depths)
    buckets = len(study.depths) if chosen_layout(jax.default_backend(), study.depths, work, steps) == "buckets" else 1
    return None if running(work, steps) >= LONG * buckets else lean_options(jax.default_backend())


class _Programs(NamedTuple):
    """The compiled programs that are timed: parameters and moments of a run from its key, and a stretch of steps from there."""

    begin: Callable[..., Any]
    go: Callable[..., Any]


def _programs(study: Study, keys: jax.Array, spread: Spread, options: dict[str, int | bool] | None) -> _Programs:
    """Compile the steps of a cell alone; its first parameters by a program that is hardly optimised, since it runs once."""
    parts = parts_of(study, jax.random.key(0), sampler_of(study))
    optimiser = parts["optimiser"] or study.recipe.optimiser()
    gradient, (depth,) = jax.value_and_grad(parts["loss"], has_aux=True), study.depths

    def begin(key: jax.Array) -> Any:
        params = parts["init"](streams(jax.random.wrap_key_data(key)).initial)
        return params, optimiser.init(params)

    def go(state: Any, key: jax.Array) -> Any:
        own = streams(jax.random.wrap_key_data(key)).training

        def step(state: Any, number: Any) -> Any:
            params, moments = state
            batch = parts["sample"](jax.random.fold_in(own, number))
            _, slope = gradient(params, batch, depth)
            with jax.numpy_dtype_promotion("standard"):  # optax raises floats to integer powers
                updates, moments = optimiser.update(slope, moments, params)
            return (optax.apply_updates(params, updates), moments), None

        return jax.lax.scan(step, state, np.arange(STRETCH))[0]

    once = lean_options(jax.default_backend(), once=True)
    started = jax.jit(spread.mapped(begin), compiler_options=once).lower(keys).compile()
    shapes = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=spread.sharding), started.out_info)
    trained = jax.jit(spread.mapped(go), donate_argnums=0, compiler_options=options).lower(shapes, keys).compile()
    return _Programs(started, trained)


def _rate(study: Study, seconds: float, options: dict[str, int | bool] | None) -> tuple[float, float]:
    """Network-steps per second, without the first stretch, which warms up; and its standard error as a share of it."""
    lanes = chosen_lanes(jax.default_backend(), network_of(study).work(max(study.depths)))
    spread = Spread.over(device_sharding(None), study.seeds, lanes)
    keys = jax.device_put(np.asarray(jax.random.key_data(jax.random.split(jax.random.key(0), spread.rows))), spread.sharding)
    programs = _programs(study, keys, spread, options)
    state = jax.block_until_ready(programs.go(programs.begin(keys), keys))
    times: list[float] = []
    while sum(times) < seconds or len(times) < GROUPS:
        begun = time.perf_counter()
        state = jax.block_until_ready(programs.go(state, keys))
        times.append(time.perf_counter() - begun)
    groups = [float(np.mean(group)) for group in np.array_split(times, GROUPS)]
    error = statistics.stdev(groups) / statistics.fmean(groups) / GROUPS**0.5
    recording = 1 + RECORD / study.recipe.record_every
    return STRETCH * study.seeds / (statistics.fmean(times) * recording), error
