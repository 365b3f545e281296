"""The studies of the papers: their files are whole and fit their published numbers; what a dry run counts and says."""

import dataclasses
import importlib
import json
from functools import partial

import jax
import numpy as np
import pytest

from depthjax.compiler import lean_options
from depthjax.models.kinds import KINDS
from depthjax.training import Recipe, fit, streams, stretches
from depthjax.training.layout import Spread, device_sharding
from depthjax.verify import Grid
from experiments import cli
from experiments.commands.claim_cost import Networks, Scale, Training, training
from experiments.commands.dry_run import _unfit, sweep_cost
from experiments.studies.accelerators import ACCELERATORS, UTILISATION, CardTooSmall, hours
from experiments.studies.composers import COMPOSERS
from experiments.studies.configuration import Sweep, SweepError
from experiments.studies.cost import (
    STRETCH,
    Calibration,
    _composer_parts,
    _options,
    _parts,
    _positions,
    _Programs,
    _programs,
    _rate,
    _small,
    check_card,
    cost,
    network_of,
    together,
)
from experiments.studies.reading import SETTINGS, paper
from experiments.studies.study import Study, loss_of, parts_of, train
from experiments.studies.tasks import sampler
from experiments.terminal import number

BAD = {
    "modles = 1": "there is no key 'modles'",
    "title = 3": "title = 3: expected str",
    "[settings.reduced]\ntask = 'hop'": "x.toml: task = 'hop': expected one of words, rotation,",
    "[settings.reduced]\nlenght = 3": "there is no key 'lenght'; did you mean 'length'?",
    "[settings]\nreduced = 3": "expected a table, [settings.reduced]",
    "[settings.published]": "lacks the setting 'reduced'",
    "[settings.reduced]\n[settings.published]\n[shared.recipe]\nstep = 3": "there is no key recipe.'step'",
}


@pytest.mark.parametrize("text", BAD)
def test_a_study_that_says_what_a_sweep_does_not_know(tmp_path, text):
    head = 'source = ""\ndeviations = ["none"]\n' + ("" if text.startswith("title") else 'title = ""\n')
    more = "" if "published" in text or "settings]" in text else "\n[settings.published]"
    more += "\n[settings.reduced]" if "settings" not in text else ""
    more += "" if ("published" in text and "shared" not in text) or "settings]" in text else "\n[settings.card]"
    (tmp_path / "x.toml").write_text(head + text + more)
    with pytest.raises(SweepError) as caught:
        paper("x", tmp_path).sweep("reduced")
    assert BAD[text] in str(caught.value)


def test_steps_and_tokens_of_a_sweep_are_those_of_its_lists():
    sweep = Sweep(groups=("C2", "S3"), models=("rnn",), widths=(4,), batches=(8,), depths=(1, 2), seeds=3, length=5)
    found = cost(sweep.studies())
    steps = 2 * 2 * 3 * sweep.recipe.steps  # cells, depths, seeds
    assert (found.cells, found.network_steps, found.tokens) == (2, steps, steps * 8 * 6)
    assert 0 < found.memory <= found.together and set(found.seconds) == {"rnn"}
    # a factor of two in the speed is one in the hours
    one, two = (Calibration({"rnn": factor}, {}, {}, {}).hours(found) for factor in (1.0, 2.0))
    assert two == 2 * one > 0
    mixed = dataclasses.replace(found, seconds={"rnn": 3.0, "gla": 1.0})
    of = Calibration({"rnn": 1.0, "gla": 9.0}, {}, {}, {"rnn": 0.02, "gla": 0.04}).uncertainty(mixed)
    assert of == pytest.approx(2 * (3 * 0.02 + 9 * 0.04) / 12)  # weighed by the hours of each kind


def test_weights_are_counted_by_layer():
    one, three = (network_of(Study(model="rnn", width=4, depths=(depth,))) for depth in (1, 3))
    assert (one.outside, one.layer) == (three.outside, three.layer)
    assert three.work(3) - three.work(1) == 2 * three.layer * three.positions


@pytest.mark.parametrize("model", KINDS)
def test_weights_are_those_that_the_network_draws(model):
    for group, width in (("C2", 8), ("S3", 16)):
        study = Study(follows=group, model=model, width=width, depths=(3,))
        drawn = jax.eval_shape(study.network(sampler(study)).init, jax.eval_shape(jax.random.key, 0))
        assert network_of(study).weights(3) == sum(leaf.size for leaf in jax.tree.leaves(drawn))


@pytest.mark.parametrize(
    "study",
    [
        Study(model="transformer", switches={"positions": "learned", "max_length": 40}, depths=(2,), batch=3),
        *(Study(task="composition", model=kind, length=4, width=5, depths=(2,), batch=3) for kind in COMPOSERS),
        Study(task="automaton", follows="parity", model="gla", bos=False, depths=(2,), batch=3),
        Study(task="rotation", follows="faithful", model="rnn", alphabet="generators", depths=(2,), batch=3),
    ],
    ids=lambda study: f"{study.task}-{study.model}",
)
def test_weights_and_positions_of_every_kind_of_cell_are_those_that_are_drawn(study):
    words, key = sampler(study), jax.eval_shape(jax.random.key, 0)
    drawn = jax.eval_shape(study.network(words).init, key)
    tokens = jax.eval_shape(lambda key: words.sample(key, study.batch, study.length), key).tokens
    found = network_of(study)
    assert found.weights(2) == sum(leaf.size for leaf in jax.tree.leaves(drawn)) and found.positions == tokens.size


def test_a_dry_run_traces_kinds_of_layers_and_of_words_and_not_cells(monkeypatch):
    trace = jax.eval_shape

    def traced(**more):
        """Shapes that are traced for a sweep, and its cells."""
        calls = []

        def counting(*arguments, **named):
            calls.append(arguments)
            return trace(*arguments, **named)

        terms = {"models": ("rnn", "gla"), "batches": (2, 4), "depths": (1,), "length": 5}
        studies = Sweep(**terms | more).studies()
        for kept in (_parts, _positions, _composer_parts):
            kept.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr("experiments.studies.cost.jax.eval_shape", counting)
            patch.setattr("experiments.studies.cost.temporary", lambda study: 0)
            assert cost(studies).cells == len(studies)
        return len(calls), len(studies)

    few, cells = traced(groups=("C2",), widths=(8,))
    rates, more_rates = traced(groups=("C2",), widths=(8,), learning_rates=tuple(1e-4 * n for n in range(1, 51)))
    assert (rates, more_rates) == (few, 50 * cells)
    wide, _ = traced(groups=("C2",), widths=(8, 16))
    groups, _ = traced(groups=("C2", "C3", "C4", "C5", "C6", "S3", "C7"), widths=(8,))
    # six orders of groups, since C6 and S3 have tables of one shape; other letters trace words alone, other widths layers alone
    layers = wide - few
    every, _ = traced(groups=("C2", "C3", "C4", "C5", "C6", "S3", "C7"), widths=(8, 16, 24))
    assert every - groups == 2 * layers and (groups - few) % 5 == 0
    tables = tuple(json.dumps([[a, b], [1, c]]) for a in (0, 1) for b in (0, 1) for c in (0, 1))
    (one, _), (many, _) = (traced(task="automaton", automata=tables[:n], widths=(8,)) for n in (1, 8))
    assert one == many
    composed = {"task": "composition", "models": ("tree", "recurrent"), "length": 4, "batches": (2,), "depths": (1,)}
    assert traced(**composed, groups=("C3",), widths=(8,))[0] == traced(**composed, groups=("C3",), widths=(8, 9, 10, 11))[0]


def test_a_dry_run_says_how_far_it_is(monkeypatch, capsys):
    speed = Calibration({"rnn": 1.0, "gla": 1.0}, {"rnn": 1.0, "gla": 1.0}, {"rnn": "a", "gla": "b"}, {"rnn": 0.1, "gla": 0.1})

    def calibrated(studies, seconds, trying):
        trying("gla")
        print("trying")
        return speed

    sweep = Sweep(models=("rnn", "gla"), widths=(8,), depths=(1,), length=5)
    monkeypatch.setattr("experiments.studies.cost.calibrate", calibrated)
    assert sweep_cost(sweep, None, 0.0, as_json=False) == 0
    lines = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert lines == ["cells", "network-steps", "tokens", "memory", "trying", "this"]  # counts come before what takes longer
    for pause, said in (
        (1e9, []),
        (-1.0, ["1 of 2 cells are counted", "2 of 2 cells are counted", "the speed of gla is measured"]),
    ):
        monkeypatch.setattr("experiments.commands.dry_run.PAUSE", pause)
        assert sweep_cost(sweep, None, 0.0, as_json=True) == 0
        told = capsys.readouterr()
        assert (
            json.loads(told.out.removeprefix("trying\n"))["cells"] == 2
            and [line.removeprefix("depthjax: ") for line in told.err.splitlines()] == said
        )


def test_a_calibrated_cell_has_a_batch_that_fits_into_the_time():
    small = _small(Study(model="transformer", width=64, batch=2**14, length=64, depths=(1, 4)))
    assert 1 <= small.batch < 2**14 and small.depths == (4,)


def test_a_calibrated_cell_keeps_what_fits_of_its_curriculum():
    study = Study(model="transformer", width=1024, batch=2, length=2**14, curriculum=(8, 2**13, 2**14), depths=(4,))
    small = _small(study)
    assert small.length < 2**13 and small.curriculum == (8, small.length)


@pytest.mark.parametrize("more", [{}, {"optimiser": "lion", "curriculum": (2, 3), "samples": 20}], ids=["plain", "own"])
def test_the_steps_that_are_timed_are_those_of_a_training(more):
    recipe = Recipe(steps=STRETCH, learning_rate=0.03, record_every=STRETCH)
    study = Study(follows="C2", model="rnn", width=4, depths=(2,), seeds=2, length=3, batch=8, recipe=recipe, **more)
    spread = Spread.over(device_sharding(None), 2, 2)
    keys = jax.random.split(jax.random.key(1), spread.rows)
    data = jax.random.key_data(keys)
    programs = _programs(study, data, spread, lean_options("cpu"))
    timed, _ = programs.go(programs.begin(data), data)
    parts = parts_of(study, jax.random.key(0), sampler(study))

    @jax.vmap
    def trained(key):
        params = parts["init"](streams(key).initial)
        return fit(
            key, params, lambda params, batch: parts["loss"](params, batch, 2), parts["sample"], recipe, parts["optimiser"]
        ).params

    same = partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-7)  # float32: rounding of another order
    jax.tree.map(same, timed, jax.jit(trained)(keys))


def test_a_rate_has_an_error_that_is_that_of_its_stretches(monkeypatch):
    clock = iter([0.0, 1.0, 1.0, 3.0, 3.0, 4.0, 4.0, 6.0])  # stretches of 1, 2, 1 and 2 seconds
    monkeypatch.setattr("experiments.studies.cost.time.perf_counter", lambda: next(clock))
    programs = _Programs(lambda keys: 0.0, lambda state, keys: state)
    monkeypatch.setattr("experiments.studies.cost._programs", lambda *given: programs)
    study = Study(model="rnn", width=4, depths=(1,), seeds=6, length=3, recipe=Recipe(record_every=100))
    rate, error = _rate(study, 0.5, None)
    assert rate == pytest.approx(STRETCH * 6 / 1.5 / (1 + 1 / 300)) and error == pytest.approx(3**-0.5 / 1.5 / 2)


@pytest.mark.parametrize(("steps", "careful"), [(10, False), (10**6, True)])
def test_steps_are_compiled_as_the_ensemble_compiles_them(steps, careful, monkeypatch):
    asked = []
    module = importlib.import_module("depthjax.training.ensemble")
    monkeypatch.setattr(module, "trials", lambda *given, together: asked.append(together.long) or 1 / 0)
    study = Study(model="rnn", width=4, depths=(1,), length=3, recipe=Recipe(steps=steps))
    with pytest.raises(ZeroDivisionError):
        train(study, jax.random.key(0), sampler(study))
    assert (_options(study) is None) == careful and asked == [careful]


def test_what_does_not_fit_is_said_and_large_numbers_are_written_out():
    assert "does not fit" in _unfit(80.1, 80.0) and _unfit(80.0, 80.0) == ""
    assert [number(value, 3) for value in (2820.4, 999.6, 0.01234, 1e9 + 0.5)] == ["2820", "1e+03", "0.0123", "1e+09"]


def test_hours_of_an_accelerator_are_operations_over_the_assumed_share_of_its_peak():
    assert hours(67e12 * 3600, "H100", 1.0) == pytest.approx(1.0)
    assert hours(67e12 * 3600, "H100", UTILISATION) == pytest.approx(1 / UTILISATION)
    assert all(device.peak > 1e12 and device.memory > 1e9 for device in ACCELERATORS.values())


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    depths: int = 2
    width: int = 8
    length: int = 5
    batch: int = 3
    steps: int = 10
    seeds: int = 4


def test_steps_of_a_claim_are_read_from_its_sizes():
    found = training(Sizes())
    assert (found.network_steps, found.tokens) == (80, 80 * 15) and found.operations == 6 * 40 * 12 * 64 * (1 + 2) * 15
    assert found.whole and (found + found).tokens == 2 * found.tokens and found.rule_seconds > 0
    weights = 12 * 64 * 2
    assert found.largest == Networks(weights * 15, 8, weights, 2 * 8 * 15) == (found + found).largest
    # weights, gradients and two moments in float32, and three bytes for every output, of two runs
    assert found.largest.memory(2, 3.0) == 2 * (16 * weights + 3 * 240)


def test_a_claim_that_names_no_width_is_counted_by_its_steps_alone():
    @dataclasses.dataclass(frozen=True)
    class Unnamed(Grid):
        depth: int = 3
        batch: int = 3
        steps: int = 10

    assert training(Unnamed()) == Training(10, whole=False)
    assert not (training(Sizes()) + training(Unnamed())).whole and training(Grid()) == Training()


def test_a_dry_run_of_claims_that_train_nothing_counts_their_cells(capsys):
    assert cli.main(["verify", "group_tower_exact", "--dry-run", "--json"]) == 0
    (said,) = json.loads(capsys.readouterr().out)["claims"]
    assert said["slug"] == "group_tower_exact" and said["cells"] > 0 and said["network_steps"] == 0
    assert said["memory_gib"] is said["hours_here"] is said["accelerator"] is None


def test_a_dry_run_of_a_claim_that_trains_says_everything(capsys, monkeypatch):
    monkeypatch.setattr("experiments.commands.claim_cost.scale", lambda: Scale(rate=100.0, factor=2.0, kept=40.0))
    line = [
        "verify",
        "automaton_training_depth",
        "--size",
        "full",
        "--dry-run",
        "--accelerator",
        "TPUv4",
        "--utilisation",
        "0.1",
    ]
    assert cli.main([*line, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (claim,), device = found["claims"], found["accelerator"]
    assert claim["network_steps"] > 0 and claim["tokens"] > claim["network_steps"] and claim["memory_gib"] > 0
    assert device == claim["accelerator"] and device["needed_gib"] >= claim["memory_gib"]
    assert device["hours"] == pytest.approx(hours(claim["operations"], "TPUv4", 0.1)) and claim["hours_here"] > 0
    assert cli.main(line) == 0
    said = capsys.readouterr().out
    words = ("cells", "network-steps", "tokens", "memory", "hours here", "on this machine", "utilisation assumed 10%", "GiB")
    assert all(word in said for word in words)


def test_a_study_says_what_it_is_and_the_papers_own_setting_what_it_costs_before_it_is_trained(tmp_path, capsys, monkeypatch):
    trained, costs = [], {"cells": 1, "network_steps": 10**9, "tokens": 2, "memory_gib": 3.0, "hours_here": 77.0}
    costs |= {
        "accelerator": None,
        "calibration": {"seconds": 10.0, "network_steps_per_second": {"transformer": 5.0}, "uncertainty": 0.1},
    }
    monkeypatch.setattr("experiments.commands.dry_run._estimated", lambda *given: costs)
    monkeypatch.setattr("experiments.studies.sweep.run", lambda sweep, *given, **options: trained.append(sweep) or [])
    for setting in SETTINGS:
        line = ["sweep", "--study", "hop_depth", "--setting", setting, "--out", str(tmp_path / setting)]
        assert cli.main(line) == 0  # a single seed gives no verdict, and is trained all the same
        said = capsys.readouterr().err
        assert paper("hop_depth").title in said and "published_1k" in said and ("77 hours" in said) == (setting != "reduced")
    assert trained == [paper("hop_depth").sweep(setting) for setting in SETTINGS]


@pytest.mark.slow
def test_a_dry_run_of_a_sweep_trains_for_seconds_and_leaves_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("experiments.studies.cost.CALIBRATION", 0.2)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["sweep", "--study", "gridworld_depth", "--dry-run", "--json", "--accelerator", "TPUv5e"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["hours_here"] > said["accelerator"]["hours"] > 0 and not list(tmp_path.iterdir())


@pytest.mark.parametrize(("key", "values", "programs"), [("learning_rates", (0.01, 0.02), 1), ("batches", (8, 16), 2)])
def test_cells_whose_rate_alone_differs_share_a_program(monkeypatch, key, values, programs):
    asked, made = [], stretches.Stretches.__init__

    def noted(self, given, *rest):
        asked.append(given)
        made(self, given, *rest)

    monkeypatch.setattr(stretches.Stretches, "__init__", noted)
    sizes = {"groups": ("C2",), "models": ("rnn",), "widths": (4,), "depths": (1,), "seeds": 1, "length": 3, "tests": 8}
    sweep = Sweep(**sizes, recipe=Recipe(steps=4, record_every=2), **{key: values})
    for study in sweep.studies().values():
        train(study, jax.random.key(0), sampler(study))
    assert len(set(asked)) == programs and stretches._kept.cache_info().currsize <= 1


def test_a_rate_that_is_data_trains_as_one_that_is_compiled():
    study = Study(follows="C2", model="rnn", width=4, depths=(1, 2), seeds=2, length=3, tests=8)
    study = dataclasses.replace(study, recipe=Recipe(steps=20, learning_rate=0.03, record_every=5, warmup=3, clip=1.0))
    words, model = sampler(study), study.network(sampler(study))

    @partial(jax.jit, static_argnums=0)
    def run(depth, seed):
        key = jax.random.fold_in(jax.random.fold_in(jax.random.key(0), depth), seed)
        draw = partial(words.sample, batch=study.batch, length=study.length)
        loss = partial(lambda depth, params, batch: loss_of(model, words)(params, batch, depth), depth)
        return fit(key, model.init(streams(key).initial), loss, draw, study.recipe).losses

    alone = [[run(depth, seed) for seed in range(2)] for depth in (1, 2)]
    np.testing.assert_allclose(train(study, jax.random.key(0), words).fit.losses, alone, rtol=1e-4)


def test_a_card_too_small_is_refused_with_both_numbers():
    sweep = Sweep(groups=("C2", "S3"), models=("rnn",), widths=(4, 8), batches=(8,), depths=(1, 2), seeds=3, length=5)
    studies = sweep.studies()
    name = "group=S3,model=rnn,width=8,rate=0.001,batch=8"
    needs = together(studies[name])
    check_card(studies, needs)
    check_card(studies)  # a CPU takes as many side by side as it likes
    with pytest.raises(CardTooSmall, match=rf"{name} needs {needs:,} bytes .* the device has {needs - 1:,}"):
        check_card(studies, needs - 1)


@pytest.mark.parametrize(("needed", "code"), [(79.0, 0), (801.0, 2)])
def test_a_dry_run_refuses_an_accelerator_that_is_too_small(needed, code, capsys, monkeypatch):
    device = {"name": "H100", "peak": 67e12, "arithmetic": "float32", "utilisation": 0.05, "hours": 3.0}
    costs = {"cells": 1, "network_steps": 10, "tokens": 2, "memory_gib": 3.0, "hours_here": 77.0}
    costs |= {"calibration": {"seconds": 10.0, "network_steps_per_second": {"transformer": 5.0}, "uncertainty": 0.1}}
    costs |= {"accelerator": device | {"memory_gib": 80.0, "needed_gib": needed}}
    monkeypatch.setattr("experiments.commands.dry_run._estimated", lambda *given: costs)
    assert cli.main(["sweep", "--study", "hop_depth", "--dry-run", "--accelerator", "H100"]) == code
    said = capsys.readouterr()
    assert "H100" in said.out and (f"needs {needed * 2**30:,.0f} bytes (801 GiB)" in said.err) == (code == 2)
