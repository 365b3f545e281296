"""The ``depthjax`` command: parses, runs one command, and turns every user error into one line and exit code 2.

A defect of the program itself is exit code 4, with its traceback on standard error: no crash looks like a refuted claim.
"""

import contextlib
import inspect
import io
import os
import re
import sys
import traceback
from typing import Annotated, Any, TextIO, Union

import tyro

from experiments.commands.bound import Bound
from experiments.commands.listing import List, Show
from experiments.commands.replay import Replay, Report
from experiments.commands.sweep import Sweep
from experiments.commands.trace import Trace
from experiments.commands.verify import Verify
from experiments.terminal import FAILED, UsageError, warn

DESCRIPTION = """Verify what theory says of the depth of sequence models: predictions, measurements, verdicts.

examples:
  depthjax list                               every claim, its source, its last verdict
  depthjax show tower_error_order             what it says, and what would refute it
  depthjax verify                             all claims, quick size
  depthjax verify lie --size full --jobs 4    one topic
  depthjax bound tower --letters 3 --layers 2

exit codes of verify: 0 all supported, 1 something refuted, 3 nothing refuted but something open, 2 usage, 4 the program
failed (its traceback is on standard error).
"""


COMMANDS: dict[str, type] = {
    "list": List,
    "show": Show,
    "verify": Verify,
    "replay": Replay,
    "report": Report,
    "bound": Bound,
    "trace": Trace,
    "sweep": Sweep,
}


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        with contextlib.redirect_stdout(_Output(sys.stdout)):  # type: ignore[type-var]
            command = _parsed(sys.argv[1:] if argv is None else argv)
            code = command.run()
            sys.stdout.flush()
            return code
    except UsageError as error:
        _say(str(error))
        return 2
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except _Unwritable as failure:
        _silence()
        if isinstance(failure.error, BrokenPipeError):
            return 0  # the reader of a pipe has left; nothing more can be said to it
        reason = failure.error.strerror or failure.error
        _say(f"cannot write to standard output: {reason}; what was finished is on disk")
        return FAILED
    except (Exception, SystemExit) as error:
        if isinstance(error, SystemExit) and not error.code:
            raise  # the help was asked for
        with contextlib.suppress(OSError):
            traceback.print_exc()
        _say(f"failed: {type(error).__name__}: {error} (a defect of this program; the traceback is above)")
        return FAILED


class _Unwritable(Exception):
    """Standard output takes nothing more; no OSError, which somebody on the way might handle."""

    def __init__(self, error: OSError):
        self.error = error


class _Output:
    """Standard output, whose failures can be told from those of files."""

    def __init__(self, stream: TextIO):
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            raise _Unwritable(error) from error

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            raise _Unwritable(error) from error


def _say(message: str) -> None:
    """One line on standard error, if that can be written."""
    with contextlib.suppress(OSError):
        warn(" ".join(message.split()))


def _silence() -> None:
    """Python flushes what is left of standard output when it ends: let that go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _command(argv: list[str]) -> Any:
    """Return the type that tyro parses: a subcommand for each command, whose help is its docstring with its line breaks.

    The questions of `depthjax bound` are made only when that command is asked, because they import `theory`.
    """
    kinds = COMMANDS | ({"bound": Bound.about(argv[1:])} if argv[:1] == ["bound"] else {})
    described = {name: inspect.cleandoc(COMMANDS[name].__doc__ or "") for name in kinds}
    commands = tuple(Annotated[kinds[name], tyro.conf.subcommand(name, description=described[name])] for name in kinds)
    return Union[commands]  # noqa: UP007  (a tuple of any length)


def _parsed(argv: list[str]):
    complaint = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(
                _command(argv),
                prog="depthjax",
                description=DESCRIPTION,
                args=argv,
                config=(tyro.conf.OmitArgPrefixes, tyro.conf.OmitSubcommandPrefixes, tyro.conf.FlagCreatePairsOff),
            )
    except SystemExit as stop:
        if stop.code:
            raise UsageError(_one_line(complaint.buffer.getvalue().decode())) from None
        raise


def _one_line(box: str) -> str:
    """What the parser says in a box of several lines, without the box."""
    lines = [line.strip("│╭╰╮╯ ") for line in re.sub(r"\x1b\[[0-9;]*m", "", box).splitlines()]
    sections: list[list[str]] = [[]]
    for line in lines:
        if line and set(line) <= {"─"}:
            sections.append([])
        elif line and not line.startswith("─"):
            sections[-1].append(line)
    words = " ".join(sections[0])
    for section in sections[1:]:
        if section and section[0].startswith("Perhaps you meant") and len(section) > 1:
            words += f"; did you mean {section[1]}?"
        elif section and section[-1].startswith("For full helptext"):
            words += f" (see {re.sub('^.*?(depthjax)', 'depthjax', ' '.join(section))})"
    return words


if __name__ == "__main__":
    sys.exit(main())
