"""The benchmark of one accelerator at toy sizes: every part, what is refused, and programs that lower for cuda and tpu."""

import dataclasses
import json
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import Primitive
from jax.interpreters import mlir

pytest.importorskip("benchmarks.accelerator", reason="no benchmarks beside the tests")
from benchmarks.accelerator import __main__ as command
from benchmarks.accelerator import cells, kernels, lowering, side_by_side, speed
from benchmarks.accelerator.parts import PARTS
from benchmarks.accelerator.programs import Program, Sizes, programs
from benchmarks.accelerator.table import page
from depthjax.card import read_card
from depthjax.runs import catalogue
from depthjax.scans import affine_scan
from depthjax.training.flow import gradient_flow
from experiments.composition.learned_features.networks import begun, ended, feature
from experiments.studies.accelerators import CardTooSmall, check_memory
from experiments.studies.reading import paper, papers

SMALL = Sizes(16, 1, 8)


def never() -> bool:
    return False


def found(rows):
    """The rows after the first, which says what is asked for; each asked one is among them."""
    first, *rest = rows
    assert [all(any(head.items() <= row.items() for row in rest) for head in first["asked"])] == [True]
    return rest


def judged(program):
    return found(kernels.rows(SMALL, never, lambda one: one.name == program))


@pytest.mark.parametrize("name", ["affine_scan, associative", "gated_scan, chunked", "ScanCascade, modular_sum by scan"])
def test_a_right_kernel_is_within_its_budget(name):
    rows = judged(name)
    assert {row["verdict"] for row in rows} == {kernels.WITHIN} and all(row["error"] <= row["budget"] < 1 for row in rows)


def test_a_wrong_kernel_and_a_coarser_arithmetic_are_beyond_their_budgets(monkeypatch):
    (right,) = (one for one in programs() if one.name == "affine_scan, sequential")

    def forgetful(decay, drive):
        return affine_scan(decay.at[8].set(0), drive, method="sequential")

    def coarse(decay, drive):  # TF32 keeps ten bits of a product's factors
        keep = lambda x: jax.lax.reduce_precision(x, 8, 10)  # noqa: E731
        return affine_scan(keep(decay), keep(drive), method="sequential")

    def broken(decay, drive):
        raise RuntimeError("no such kernel")

    for make, told in ((forgetful, ""), (coarse, ""), (broken, "no such kernel")):
        wrong = dataclasses.replace(right, make=lambda dtype, make=make: make, types=("float32",))
        monkeypatch.setattr(kernels, "programs", lambda wrong=wrong: [wrong])
        (row,) = found(kernels.rows(SMALL, never))
        assert row["verdict"] == kernels.BEYOND and told in row.get("failed", "")


def test_out_of_time_a_part_begins_nothing_and_says_what_was_asked():
    parts = [
        kernels.rows(SMALL, lambda: True),
        speed.rows(speed.TOYS, lambda: True),
        speed.memory_rows(speed.TOYS[0], lambda: True),
        side_by_side.rows(side_by_side.TOY, lambda: True),
        cells.rows("card", lambda: True, None),
    ]
    for part in parts:
        (only,) = part
        assert only["asked"]


def test_every_mixer_is_timed_and_one_that_needs_too_much_is_refused_with_the_number():
    rows = found(speed.rows(speed.TOYS, never, ("rnn",), alone=speed.ALONE_TOYS))
    kernels_alone = [row for row in rows if row["mixer"] in speed.KERNELS]
    assert len(kernels_alone) == 3 * 2 * 2 and all(row["tokens_per_second"] > 0 for row in rows)
    rows = [row for row in rows if row["mixer"] == "rnn"]
    assert {(row["arithmetic"], row["what"]) for row in rows} == {
        *((arithmetic, what) for arithmetic in ("float32", "bfloat16") for what in speed.WHAT),
        ("tf32", "gradient"),
    }
    (first, *_) = found(speed.rows(speed.TOYS, never, ("rnn",), room=100))
    assert f"needs {first['planned_bytes']:,} bytes, and this device has 100" in first["refused"]


def test_memory_grows_with_the_batch():
    (row,) = found(speed.memory_rows(speed.TOYS[0], never, ("gla",), room=10**9))
    assert row["bytes_per_token"] > 0 and row["largest_batch"] > speed.TOYS[0].batch


def test_a_card_too_small_for_a_cell_is_refused_with_the_number_of_bytes():
    (row,) = found(cells.rows("reduced", never, 1000, names=("composition",)))
    assert "and the device has 1,000" in row["refused"]
    with pytest.raises(CardTooSmall, match=r"needs 2,000 bytes .* has 1,000 .*: take fewer seeds"):
        check_memory("a cell", 2000, 1000)


@pytest.mark.slow
def test_the_command_tries_every_part_and_keeps_what_was_found(tmp_path, capfd):
    assert command.main(["--toy", "--minutes", "20", "--out", str(tmp_path)]) == 0
    said = json.loads((tmp_path / "accelerator.json").read_text())
    assert list(said["parts"]) == list(PARTS) and all(
        part["rows"] and part["end"] == "whole" for part in said["parts"].values()
    )
    assert page(said) == (tmp_path / "accelerator.md").read_text() and "Not run" not in page(said)
    ways = {row["way"]: row["seconds_a_network_step"] for row in said["parts"]["ensemble"]["rows"]}
    assert len(ways) == 3 and min(ways.values()) > 0
    (study,) = said["parts"]["studies"]["rows"]
    assert study["hours"] > 0 and study["dry_run_hours"] > 0 and study["needed_bytes"] > 0


def test_no_time_at_all_is_told(tmp_path, capfd):
    assert command.main(["--toy", "--minutes", "0.01", "--out", str(tmp_path)]) == 0
    assert f"Not run: {', '.join(PARTS)}." in (tmp_path / "accelerator.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_every_scan_mixer_and_network_lowers_for_cuda_and_tpu(program):
    for one in lowering.of_program(program, SMALL):
        lowering.check_lowers(one.name, one.run, *one.arguments)


@pytest.mark.slow
@pytest.mark.parametrize("name", papers())
def test_a_training_step_of_every_study_lowers_for_cuda_and_tpu(name):
    for one in lowering.of_sweep(lowering.reduced(paper(name).sweep("reduced"))):
        lowering.check_lowers(f"{name}, {one.name}", one.run, *one.arguments)


def test_an_export_that_cannot_lower_names_the_kernel_and_the_platform():
    one = Primitive("of_cpus_alone")
    one.def_abstract_eval(lambda x: x)
    mlir.register_lowering(one, lambda ctx, x: [x], platform="cpu")
    with pytest.raises(lowering.CannotLower, match=r"my kernel does not lower for cuda: .*of_cpus_alone"):
        lowering.check_lowers("my kernel", one.bind, jnp.zeros(2))


def test_every_program_has_a_name_of_its_own():
    names = [program.name for program in programs()]
    assert len(set(names)) == len(names) and all(isinstance(program, Program) for program in programs())


FLOWS = ("agf_dynamics", "irrep_learning_order", "plateau_levels")  # claims that follow a gradient flow, by one program
OWN = ("learned_features",)  # claims with programs of their own
TRAINED = sorted(
    module
    for module in catalogue.modules().values()
    if read_card(module).options.get("trains") and module.rpartition(".")[2] not in FLOWS + OWN
)
QUICK = ("tower_floor_trained", "trained_decay_by_depth")  # of the claims that train: their programs are lowered in every run


@pytest.mark.parametrize(
    "module",
    [
        pytest.param(module, marks=() if module.rpartition(".")[2] in QUICK else pytest.mark.slow, id=module.rpartition(".")[2])
        for module in TRAINED
    ],
)
def test_the_program_that_a_claim_trains_lowers_for_cuda_and_tpu(module):
    found = lowering.of_claim(module)
    assert found is not None, "no cell of sizes test and quick trains by `depthjax.training.trials`"
    lowering.check_lowers(found.name, found.run, *found.arguments)


def test_the_program_of_gradient_flows_lowers_for_cuda_and_tpu():
    table = np.add.outer(np.arange(3), np.arange(3)) % 3
    run = partial(gradient_flow, length=2, width=4, log_scale=2.0, horizon=1.0, seeds=2, records=3)
    lowering.check_lowers("gradient_flow", run, jax.random.key(0), jnp.eye(3)[None], jnp.asarray(table))


def test_the_programs_of_learned_features_lower_for_cuda_and_tpu():
    codes, table = jnp.eye(3), jnp.asarray(np.add.outer(np.arange(3), np.arange(3)) % 3)
    words = jax.random.key(0), codes, codes[table]
    for program, arguments, sizes in (
        (begun, (*words, jnp.asarray(2.0)), {"width": 4}),
        (ended, words, {"width": 4, "steps": 3}),
        (feature, (jnp.ones((3, 3, 4)), table), {}),
    ):
        run = program.__wrapped__  # without the options of the compiler, which only an outermost program may have
        lowering.check_lowers(program.__name__, partial(run, **sizes), *arguments)


def test_a_claim_that_trains_nothing_has_no_program():
    assert lowering.of_claim(catalogue.one("truncation_order")) is None
