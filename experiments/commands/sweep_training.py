"""How ``depthjax sweep`` trains: in this process, as one of several processes, or through the workers of a cluster."""

import dataclasses
import importlib
import ipaddress
import os
import re
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.commands.sweep_display import SweepDisplay, print_table
from experiments.terminal import FAILED, UsageError, console, print_json, usage, warn

INTERRUPTED = 130  # exit code, as shells have it


@dataclasses.dataclass(frozen=True)
class Member:
    """One of several processes that share the runs of a sweep.

    Attributes:
        process: Which one, from 0.
        processes: How many there are.
        coordinator: Where process 0 listens, as HOST:PORT.
    """

    process: int
    processes: int
    coordinator: str


def train(sweep, out: Path, layout: str, launched, *, member: Member | None, cluster=None, as_json: bool) -> int:
    """Train and judge a sweep, and return the exit code; the first process prints.

    Args:
        sweep: What.
        out: The directory of the results, which this process, or the first one, holds.
        layout: As `depthjax.training.ensemble` takes it.
        launched: What this process knows of the process that started it.
        member: Which of several processes this is; None if it is alone.
        cluster: Trains the cells; None for this process.
        as_json: Print one JSON object and nothing else.

    Raises:
        UsageError: the sweep cannot be run, or another process of it is gone.
    """
    import jax

    from depthjax.runs.programs import told
    from depthjax.runs.provenance import configure
    from depthjax.runs.records import RecordError
    from depthjax.training import CheckpointError
    from experiments.studies.configuration import SweepError
    from experiments.studies.cost import check_card
    from experiments.studies.sweep import OPTIONS, run

    options: dict[str, Any] = OPTIONS | {"split": member is None}
    configure(**options)
    if why := told() if cluster is None and (member is None or member.process == 0) else "":
        warn(why)
    place = out
    if cluster is not None:
        place = out.resolve()  # workers stand in folders of their own
        jax.config.update("jax_platforms", "cpu")  # this process trains nothing, and leaves accelerators to the workers
    if member is not None:
        join(member)
    first = member is None or member.process == 0
    studies = sweep.studies()
    if cluster is None:
        with usage(ValueError):
            check_card(studies)
    display = SweepDisplay(len(studies) if first else 0)
    try:
        with usage(SweepError, CheckpointError, RecordError, ValueError), display:
            tell = {"watch": display.watch, "finished": display.finished, "warn": warn}
            lines = run(sweep, place, layout=layout, cluster=cluster, **tell)
    except KeyboardInterrupt:
        if member is None:
            raise
        warn("interrupted")
        sys.stderr.flush()
        os._exit(INTERRUPTED)  # at its end JAX would wait for the other processes, for five minutes
    except (jax.errors.JaxRuntimeError, UsageError) as error:
        # what connects the processes reports a broken connection as a value error, too
        if member is None or (isinstance(error, UsageError) and "Gloo" not in str(error)):
            raise
        said = str(error).splitlines()[0][:120]
        raise UsageError(f"another process of this sweep is gone ({said}); {_advice(out)}") from error
    if first:
        _tell(lines, out, as_json=as_json)
    outcomes = {line["outcome"] for line in lines}
    code = 1 if "REFUTED" in outcomes else 3 if "INCONCLUSIVE" in outcomes else 0
    launched.done(code)
    return code


def address(coordinator: str) -> tuple[str, int]:
    """Return host and port of an address.

    Raises:
        UsageError: it is none.
    """
    host, _, port = coordinator.rpartition(":")
    if not host or not re.fullmatch(r"\d{1,5}", port, re.ASCII) or not 0 < int(port) < 2**16:
        raise UsageError(f"--coordinator {coordinator}: expected HOST:PORT with a port of 1 to 65535, such as host0:1234")
    return host.removeprefix("[").removesuffix("]"), int(port)


def join(member: Member) -> None:
    """Connect the processes. Process 0 listens at the address of the coordinator and nowhere else.

    Gloo, which carries the numbers, listens in every process: at the same address if it is one of this machine alone, and else
    where the name of the host leads.

    Raises:
        UsageError: this is no address, or process 0 cannot listen there.
    """
    import jax

    host, port = address(member.coordinator)
    try:
        kind, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind) as probe:
            if member.process == 0:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(place)
    except (OSError, UnicodeError) as error:
        why = f"process {member.process} cannot {'connect' if member.process else 'listen'} there"
        own = f"give a name or a number of the host of process 0, or there 0.0.0.0:{port} for all of its networks"
        raise UsageError(
            f"--coordinator {member.coordinator}: {why} ({getattr(error, 'strerror', None) or error}): {own}"
        ) from error
    if ipaddress.ip_address(str(place[0]).partition("%")[0]).is_loopback:
        _gloo_at(str(place[0]))
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    # without an address to bind, JAX listens on every network of the host, to whoever connects
    jax.distributed.initialize(
        member.coordinator, member.processes, member.process, coordinator_bind_address=member.coordinator
    )


def _gloo_at(host: str) -> None:
    """Have gloo listen at an address of this machine; JAX makes it, and has no word for where. A test looks at the ports."""
    made: Any = importlib.import_module("jax._src.lib")
    make = made._jax.make_gloo_tcp_collectives
    made._jax.make_gloo_tcp_collectives = lambda **options: make(**options | {"hostname": host})


def start(command: Sequence[str], processes: int, out: Path, lock) -> int:
    """Start all processes of a sweep here and watch them; if one dies, the others are ended and the death is reported.

    Args:
        command: Words after `depthjax` that each process gets.
        processes: How many.
        out: The directory of the results.
        lock: On this directory.

    Raises:
        UsageError: a process is gone, but not by a defect of the program.
    """
    from experiments.commands.launch import ProcessGone, launch

    try:
        return launch(command, processes, lock)
    except ProcessGone as gone:
        if gone.code == FAILED:
            warn(f"{gone}; {_advice(out)}")
            return FAILED
        raise UsageError(f"{gone}; {_advice(out)}") from gone


def _tell(lines: list[dict], out: Path, *, as_json: bool) -> None:
    if as_json:
        from depthjax.runs.records import plain

        print_json({"cells": plain(lines)})
    else:
        print_table(lines)
        console().print(f"figure: {out / 'figure.svg'}", style="dim", markup=False, soft_wrap=True)


def _advice(out: Path) -> str:
    return f"nothing that was finished is lost: run the same command with --resume to go on from {out}"
