"""The seam: what becomes of cells that succeed, fail, die, stand still and eat memory, here and in processes of a pool."""

import contextlib
import os
from concurrent.futures import wait
from pathlib import Path

import pytest

from depthjax.runs import children, pool
from depthjax.runs.executor import Gone, Here, as_done
from depthjax.runs.pool import Pool

MIB = 2.0**20


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    from toy_cells import Toy

    return Toy


def silent(*event):
    return None


def test_here_a_cell_is_done_when_it_is_submitted(toy):
    seen = []
    good, bad = Here().submit(toy("fine"), lambda *event: seen.append(event)), Here().submit(toy("fails"), silent)
    assert good.result()[:2] == ("fine", os.getpid()) and seen == [("fine", 1), ("fine", 2)]
    with pytest.raises(ValueError, match="size 0"):
        bad.result()
    with Here().alone() as alone:
        assert alone.submit(toy("fine"), silent).done()


def test_no_more_cells_are_submitted_than_can_run_and_the_list_may_grow(toy):
    waiting, submitted, done = [toy("fine", n) for n in range(3)], [], []

    class Slow(Here):
        def submit(self, cell, tell):
            submitted.append(cell.size)
            return super().submit(cell, tell)

    for cell, future in as_done(Slow(), waiting, lambda cell: silent):
        assert future.result()[0] == "fine" and len(submitted) == len(done) + 1
        done.append(cell.size)
        if cell.size == 1:
            waiting.insert(0, toy("fine", 9))
    assert done == submitted == [0, 1, 9, 2]


def test_every_cell_of_a_pool_has_its_own_end(toy, tmp_path, monkeypatch, capfd):
    (tmp_path / "socket.py").write_text("raise SystemExit(9)")  # nothing of the current folder is imported
    monkeypatch.chdir(tmp_path)
    cells = [toy("is killed"), toy("fails", 7), toy("eats", 700), toy("exits"), toy("eats", 100), toy("fine")]
    seen = []
    with Pool(2, memory=1200 * MIB) as many:
        futures = [many.submit(cell, lambda *event, cell=cell: seen.append((cell, *event))) for cell in cells]
        killed, failed, ate, exited, *well = [future.exception() or future.result() for future in futures]
    assert all(isinstance(end, Gone) and end.again for end in (killed, ate, exited))
    assert str(killed) == children.DIED and str(exited).startswith("its process was ended with code 3, by code that it ran")
    assert "held more than 0.586 GiB of memory" in str(ate)
    assert isinstance(failed, ValueError) and "size 7" in str(failed)
    assert [kind for kind, _, _ in well] == ["eats", "fine"]
    assert all(process != os.getpid() and not here for _, process, here in well)
    assert {cell for cell, _, step in seen if step == 1} == set(cells)
    assert all(cell.kind == kind for cell, kind, _ in seen)


def test_a_process_that_waits_for_another_does_not_stand_still(toy):
    with Pool(1, patience=0.05) as many:
        assert many.submit(toy("waits", 8), silent).result()[0] == "waits"


def test_a_process_that_stands_still_is_ended_and_says_where(toy, capfd):
    with Pool(1, patience=0.05) as many:
        still, after = many.submit(toy("stands still", 600), silent), many.submit(toy("fine"), silent)
        assert str(still.exception()) == "its process stood still for 0.05 minutes and was ended (--patience)"
        assert after.result()[0] == "fine"
    assert "toy_cells.py" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("works", "seconds", "held", "code"),
    [
        (lambda minute: False, lambda minute: 0.0, 1.0, None),  # without work it may stand still
        (lambda minute: True, lambda minute: 2.0 * minute, 1.0, None),  # a slow machine is no reason
        (lambda minute: True, lambda minute: min(2.0 * minute, 10.0), 1.0, (children.STILL, 9)),
        (lambda minute: minute > 3, lambda minute: 0.0, 1.0, (children.STILL, 7)),
        (lambda minute: False, lambda minute: 0.0, 3.0, (children.FULL, 0)),
    ],
    ids=["idle", "slow", "still", "still later", "full"],
)
def test_silence_is_counted_by_the_processor(monkeypatch, works, seconds, held, code):
    minute, found = 0, []

    def pass_a_minute(_):
        nonlocal minute
        minute += 1
        if minute == 30:
            raise SystemExit  # of the thread

    def end(code):
        found.append((code, minute))
        raise SystemExit

    monkeypatch.setattr(children.time, "monotonic", lambda: 60.0 * minute)
    monkeypatch.setattr(children.time, "process_time", lambda: seconds(minute))
    monkeypatch.setattr(children.time, "sleep", pass_a_minute)
    monkeypatch.setattr(children, "resident", lambda process: held)
    monkeypatch.setattr(children.os, "_exit", end)
    monkeypatch.setattr(children.faulthandler, "dump_traceback", lambda: None)
    monkeypatch.setattr(children.threading.Thread, "start", lambda thread: thread.run())
    with pytest.raises(SystemExit):
        children.keep_limits(lambda: works(minute), 3.5, 2.0)
    assert found == ([] if code is None else [code])


@pytest.mark.slow
def test_alone_a_cell_has_all_the_memory_and_nobody_is_left(toy):
    with Pool(4, memory=1200 * MIB) as many, many.alone() as one:
        assert (one.width, one.memory) == (1, many.memory)
        _, process, _ = one.submit(toy("eats", 500), silent).result()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_block_that_is_left_early_leaves_no_process(toy):
    began = []
    with contextlib.suppress(KeyboardInterrupt), Pool(1) as many:
        future = many.submit(toy("stands still", 600), lambda *event: began.append(event))
        while not began:
            wait([future], timeout=0.05)
        process = many.processes[0]
        raise KeyboardInterrupt
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_processes_that_cannot_start_are_said_so(toy, monkeypatch):
    monkeypatch.setattr(pool, "_start", os.abort)
    with Pool(1) as many:
        found = [many.submit(toy("fine"), silent) for _ in range(2)]
        assert [str(future.exception(60)) for future in found] == [pool.UNBORN] * 2


@pytest.mark.slow
def test_a_process_that_the_pool_misses_is_noticed(toy, monkeypatch):
    with Pool(1) as many:
        future = many.submit(toy("stands still", 600), silent)
        while not many.processes:
            wait([future], timeout=0.05)
        with monkeypatch.context() as patch:
            patch.setattr(many, "_close", lambda number, found: None)
            os.kill(many.processes[0], 9)
            assert str(future.exception(60)) == pool.LOST


@pytest.mark.parametrize(
    ("said", "most"), [("max", float("inf")), ("1000000\n", 1e6), ("nonsense", float("inf")), (None, float("inf"))]
)
def test_the_memory_of_a_container_counts(tmp_path, monkeypatch, said, most):
    file = tmp_path / "memory.max"
    if said is not None:
        file.write_text(said)
    monkeypatch.setattr(children, "CONTAINER", file)
    assert 0 < children.machine_memory() <= most
    assert (children.machine_memory() == 1e6) == (most == 1e6)
