"""The ``depthjax`` command: which commands there are. `experiments.shell` parses them and turns errors into exit codes."""

import dataclasses
import gc
import sys
from importlib import import_module
from typing import Any

from depthjax.runs import catalogue
from experiments.shell import COMPLETION, answered, guarded, parsed
from experiments.terminal import usage
from experiments.watch import watched

DESCRIPTION = """Verify what theory says of the depth of sequence models: predictions, measurements, verdicts.

examples:
  depthjax list                               every claim, its source, its last verdict
  depthjax show tower_error_order             what it says, and what would refute it
  depthjax verify                             all claims, quick size
  depthjax verify lie --size full --jobs 4    one topic
  depthjax new my_claim                       a claim of your own, which `depthjax verify my_claim` runs
  depthjax bound tower --letters 3 --layers 2
  depthjax group S3                           characters, irreps and Fourier coefficients
  depthjax probe layer.py:transitions         the algebra and the group that your layer's letters generate
  depthjax --version
  depthjax --tyro-write-completion bash FILE  completion for bash, fish or zsh; `source FILE` turns it on

exit codes of verify: 0 all supported, 1 something refuted, 3 nothing refuted but something open, 2 usage, 4 the program
failed (its traceback is on standard error).
"""


FIRST = """Verify what theory says of the depth of sequence models. Three things to do first:

  depthjax list                               which claims there are, and their last verdicts
  depthjax verify group_tower_exact           measure one of them, and judge it
  depthjax new my_claim                       write one of your own

`depthjax --help` lists all commands."""

COMMANDS = {
    "list": "listing.List",
    "show": "listing.Show",
    "verify": "verify.Verify",
    "replay": "replay.Replay",
    "report": "replay.ReportCommand",
    "open": "replay.Open",
    "new": "new.New",
    "bound": "bound.BoundCommand",
    "group": "group.GroupCommand",
    "trace": "trace.TraceCommand",
    "sweep": "sweep.SweepCommand",
    "compare": "compare.Compare",
    "probe": "probe.Probe",
}
"""Commands by name: the file of `experiments.commands` that holds each, and its class."""


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit code; that of this process, None, in a process of its own, whose end is watched."""
    if argv is not None:
        return guarded(lambda: command(argv).run())
    return watched(lambda: guarded(lambda: _loaded(sys.argv[1:]).run()))


def _loaded(arguments: list[str]) -> Any:
    """`command`, without a search for garbage meanwhile: what is loaded stays."""
    gc.disable()
    try:
        return command(arguments)
    finally:
        gc.enable()


def command(arguments: list[str]) -> Any:
    """The command that the arguments ask for; the files of other commands are not loaded.

    The questions of `depthjax bound` are made only when that command is asked, because they import `theory`.

    Raises:
        UsageError: the arguments fit no command.
    """
    if arguments in ([], ["--version"]):
        return _Says(f"depthjax {import_module('depthjax.version').__version__}" if arguments else FIRST)
    if arguments in (["bound", "--help"], ["bound", "-h"]):
        answered(lambda: import_module("experiments.commands.bound_help").show())
    if arguments[:1] == ["bound"]:
        arguments = ["bound", *import_module("experiments.commands.given").with_option(arguments[1:])]
    completed = arguments[:1] == [COMPLETION]
    words = arguments[1:] if arguments[:1] == ["bound"] else ["--help"] if completed else None

    def kind(name: str) -> type:
        file, _, title = COMMANDS[name].partition(".")
        found = getattr(import_module(f"experiments.commands.{file}"), title)
        return found if name != "bound" or words is None else found.about(words)

    names, values = (_names(), {"--study": _studies()}) if completed else (None, None)
    return parsed(COMMANDS, kind, "depthjax", DESCRIPTION, arguments, names, values)


def _names() -> dict[str, list[str]]:
    """What the shell completes after a command: claims, and topics where it takes several claims; studies after `compare`."""
    with usage(catalogue.UnknownClaim):
        claims = catalogue.modules()
    topics = dict.fromkeys(map(catalogue.topic_of, claims.values()))
    several, one = [*topics, *claims], [*claims]
    return {
        "list": several,
        "verify": several,
        "show": one,
        "replay": one,
        "compare": _studies(),
    }


def _studies() -> list[str]:
    from experiments.studies import published, reading

    return sorted({*reading.papers(), *published.names()})


@dataclasses.dataclass(frozen=True)
class _Says:
    text: str

    def run(self) -> int:
        print(self.text)
        return 0


if __name__ == "__main__":
    sys.exit(main())
